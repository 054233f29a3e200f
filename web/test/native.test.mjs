// Tests of the page that `rejoinder-study serve` shows, in Chromium. STUDY names the program, which
// must have the page inside (`make page`, REJOINDER_PAGE).

import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { PGN, SLOW, openSettings, until } from "./browser.mjs";
import { children, eventually, folderOf, open, start } from "./native.mjs";

/** Asks for an address with these headers, and returns the status and the text. */
function ask(address, path, headers = {}, method = "GET") {
  const { port, hostname } = new URL(address);
  return new Promise((done, failed) => {
    const asked = request({ hostname, port, path, method, headers }, async (answer) => {
      const parts = await answer.toArray();
      done({ status: answer.statusCode, text: Buffer.concat(parts).toString() });
    });
    asked.on("upgrade", (answer, socket) => {
      socket.destroy();
      done({ status: answer.statusCode });
    });
    asked.on("error", failed);
    asked.end();
  });
}

test("the native engine analyzes with two threads, in two tabs", async (t) => {
  const { address, time, program } = await start(t);
  assert.ok(time < 1000, `the first line came after ${time} ms`);
  const pages = [await open(address), await open(address)];
  for (const page of pages) {
    await openSettings(page);
    await page.selectOption("#threads", "2").catch(() => {});
    await page.click("#toggle");
    await until(page, () => Number(document.querySelector("#depth").textContent.split("/")[0]) >= 12);
  }
  assert.equal(children(program.pid).length, 2);
  await pages[1].close();
  await eventually(() => children(program.pid).length === 1);
  const before = await pages[0].textContent("#nodes");
  await until(pages[0], (before) => document.querySelector("#nodes").textContent !== before, before);
});

test("a file is opened and reviewed", async (t) => {
  const folder = folderOf(t, { "games/opera.pgn": PGN });
  const { address } = await start(t, join(folder, "games/opera.pgn"));
  const page = await open(address);
  await until(page, () => document.querySelectorAll("#moves .san").length > 30);
  await openSettings(page);
  await page.selectOption("#effort", "30000");
  await page.click("#review");
  await page.waitForSelector("#summary:not([hidden])", { timeout: 4 * SLOW });
  assert.match(await page.textContent("#sides"), /White.*Black/s);
  // The file is not opened again over what was done with it.
  await page.reload();
  await page.waitForSelector("#summary:not([hidden])", { timeout: SLOW });
});

test("files of a folder are listed and opened", async (t) => {
  const folder = folderOf(t, { "games/opera.pgn": PGN, "games/old/draw.pgn": "1. d4 d5 1/2-1/2", "games/notes.txt": "no" });
  const { address } = await start(t, join(folder, "games"));
  const page = await open(address);
  await page.click("#library");
  await page.waitForSelector("#folder:not([hidden])");
  const names = await page.$$eval("#files span", (names) => names.map((name) => name.textContent));
  assert.deepEqual(names, ["old/draw.pgn", "opera.pgn"]);
  await page.click("#files li:first-child button");
  await until(page, () => document.querySelectorAll("#moves .san").length === 2);
});

test("nobody else is answered", async (t) => {
  const folder = folderOf(t, { "games/opera.pgn": PGN, "secret.pgn": "*" });
  const { address } = await start(t, join(folder, "games"));
  const { host, pathname } = new URL(address);
  const status = async (path, headers, method) => (await ask(address, path, headers, method)).status;
  assert.equal(await status(pathname), 200);
  assert.equal(await status(pathname, { Host: `localhost:${new URL(address).port}` }), 200);
  assert.equal(await status(pathname, { Host: "attacker.example" }), 403);
  assert.equal(await status(pathname, { Origin: "http://attacker.example" }), 403);
  assert.equal(await status("/"), 403);
  assert.equal(await status("/main.js"), 403);
  assert.equal(await status(pathname.replace(/..\/$/, "xx/")), 403);
  assert.equal(await status(pathname, {}, "POST"), 405);
  assert.equal(await status(`${pathname}files/opera.pgn`), 200);
  for (const path of ["files/..%2fsecret.pgn", "files/../secret.pgn", "files/%2fetc%2fpasswd", "../../etc/passwd", "files/secret.pgn", "%00"]) {
    assert.equal(await status(pathname + path), 404, path);
  }
  const socket = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13" };
  assert.equal(await status(`${pathname}engine`, socket), 403);
  assert.equal(await status(`${pathname}engine`, { ...socket, Origin: "http://attacker.example" }), 403);
  assert.equal(await status(`/engine`, { ...socket, Origin: `http://${host}` }), 403);
  assert.equal(await status(`${pathname}engine`, { ...socket, Origin: `http://${host}` }), 101);
  assert.equal(await status(`${pathname}engine`), 426);
});

test("the end of the program ends its searches, and the page says so", async (t) => {
  const { address, program } = await start(t);
  const page = await open(address, true);
  await page.click("#toggle");
  await until(page, () => Number(document.querySelector("#depth").textContent.split("/")[0]) >= 8);
  const engines = children(program.pid);
  assert.equal(engines.length, 1);
  program.kill("SIGINT");
  await once(program, "exit");
  const isRunning = (pid) => {
    try {
      process.kill(Number(pid), 0);
      return true;
    } catch {
      return false;
    }
  };
  await eventually(() => !engines.some(isRunning));
  await page.waitForSelector("#mode.failed", { timeout: SLOW });
  assert.match(await page.textContent("#note"), /cannot be reached/);
});

const REVIEWED = `[White "Anna"]
[Black "Bert <b>"]
[Result "0-1"]

{ White: accuracy 50.0%, 1 inaccuracy, 0 mistakes, 1 blunder. Black: accuracy 99.0%, 0 inaccuracies, 0 mistakes, 0 blunders. Rejoinder, 100 nodes a position. }
1. f3 $6 { [%eval -0.80] [%clk 0:01:00] } e5 { [%eval -0.7] [%clk 0:00:08] } 2. g4 $4 { [%eval #-1] } Qh4# 0-1
`;

test("a report is about all files, or about the open games", async (t) => {
  const folder = folderOf(t, { "games/a.pgn": REVIEWED, "games/old/b.pgn": PGN });
  const { address } = await start(t, join(folder, "games"));
  const page = await open(address);
  const report = async (from) => {
    const [tab] = await Promise.all([from.context().waitForEvent("page"), from.click("#report")]);
    await tab.waitForSelector(".tiles");
    return tab;
  };
  const files = await report(page);
  assert.match(await files.textContent("header"), /All players.*1 game\. Left out: 1 game without a review/s);
  await files.selectOption("select", "Anna");
  await Promise.all([files.waitForURL(/player=Anna/), files.click("form button")]);
  assert.match(await files.textContent(".tiles"), /50\.0%.*0 won, 0 drawn, 1 lost/s);

  const bare = await open((await start(t)).address);
  await bare.fill("#text", REVIEWED);
  await bare.click("#load");
  const games = await report(bare);
  assert.match(await games.textContent("main"), /74\.5%.*Pawn.*Queen/s);
  assert.equal(await games.locator("form").count(), 0);
});
