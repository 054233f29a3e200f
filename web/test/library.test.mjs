// Tests of the library and of learning from mistakes, in Chromium: in the page of the web, and in that of
// `rejoinder-study serve`. STUDY names the program, which must have the page inside.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { PGN, SLOW, click, expectPlayed, input, isolated, openPage, openSettings, screenshots, until } from "./browser.mjs";
import { STUDY, children, eventually, folderOf, open, start } from "./native.mjs";

/** White hangs the queen, and does not give mate. */
const MISTAKES = `[Event "Club"]
[White "Ann"]
[Black "Bob"]
[Date "2026.11.29"]
[Result "*"]
[FEN "1r4k1/1p3ppp/8/8/8/1Q6/5PPP/6K1 w - - 0 30"]
[SetUp "1"]

{ White: accuracy 41.0%, 0 inaccuracies, 0 mistakes, 1 blunder. Black: accuracy 90.0%, 0 inaccuracies, 0 mistakes, 0 blunders. Rejoinder 0.1.0, 1000 nodes a position. }
30. Qxb7 $4 { [%eval -8.00] Loses the queen: 30... Rxb7. } ( 30. h3 { [%eval 5.00] } b5 ) 30... Rxb7 *

[Event "Club"]
[White "Cid"]
[Black "Ann"]
[Date "2026.11.30"]
[Result "*"]
[FEN "r5k1/8/8/8/8/8/5PPP/6K1 b - - 0 40"]
[SetUp "1"]

{ White: accuracy 50.0%, 0 inaccuracies, 0 mistakes, 0 blunders. Black: accuracy 60.5%, 0 inaccuracies, 0 mistakes, 1 blunder. Rejoinder 0.1.0, 1000 nodes a position. }
40... Ra7 $4 { [%eval 0.00] } ( 40... Ra1# ) 41. h3 *
`;

const SHORT = ["1. f3 e5 2. g4 Qh4# 0-1", "1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0", "1. e4 f6 2. d4 g5 3. Qh5# 1-0"];
const short = (i) => `[Event "Short"]\n[White "Player ${i}"]\n[Black "Other ${i % 7}"]\n[Date "2026.01.${String((i % 28) + 1).padStart(2, "0")}"]\n[Result "*"]\n\n${SHORT[i % 3]}\n\n`;
const shorts = (count) => Array.from({ length: count }, (_, i) => short(i)).join("");

/** Games of a usual length. */
const MANY = 3000;
const many = () => Array.from({ length: MANY }, (_, i) => `[Event "Many"]\n[Site "?"]\n[Date "2026.${String((i % 12) + 1).padStart(2, "0")}.01"]\n[Round "${i}"]\n${PGN.replace("Morphy", `Player ${i % 50}`)}\n\n`).join("");

const rows = (page) => page.$$eval("#rows tr", (rows) => rows.map((row) => [...row.querySelectorAll("th, td:not(.remove)")].map((cell) => cell.textContent)));
const showLibrary = async (page) => {
  await page.click("#tolibrary");
  await page.waitForSelector("#rows tr");
};
const quick = async (page) => {
  await openSettings(page);
  await page.$eval("#effort", (effort) => {
    effort.append(new Option("1000", "1000"));
    effort.value = "1000";
    effort.dispatchEvent(new Event("change"));
  });
};
const reviewAll = async (page) => {
  await page.click("#reviewall");
  await page.click("#askingyes");
};
const isReviewed = (page, count) => until(page, (count) => document.querySelectorAll("#rows .accuracy:not(.waiting)").length === count, count);
/** Waits longer than the page does before it keeps games. */
const PAUSE = 800;

/** The time of the processor that a process has taken, in milliseconds. */
function processorTime(pid) {
  const TICK = 10;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
  return TICK * (Number(fields[11]) + Number(fields[12]));
}

/** The milliseconds from a click to the list of the library, in a page that has just been loaded. */
async function timeToList(page) {
  await page.reload();
  await page.waitForSelector("#mode.ready");
  return page.evaluate(async () => {
    const begun = performance.now();
    document.querySelector("#tolibrary").click();
    while (!document.querySelector("#rows tr")) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
  });
}

/** Finds, misses and repeats the mistakes of Ann; the first one is asked first, or the second. */
async function learnFrom(page) {
  await page.selectOption("#who", "Ann");
  await page.click("#learn");
  await page.waitForSelector("#learncard:not([hidden])");
  assert.ok(await page.isHidden("#moves") && await page.isHidden("#lines"), "the answer is hidden");
  for (let asked = 0; asked < 3; asked++) {
    const task = await page.textContent("#learntask");
    if (task.includes("Ra7")) {
      assert.equal(task, "40… Ra7?? was played. What is better for Black?");
      await page.click("#learnhint");
      assert.match(await page.textContent("#learnstate"), /The rook on a8 moves/);
      await page.fill("#move", "Ra1");
      await page.press("#move", "Enter");
      await until(page, () => /^Right: 40… Ra1#\. It comes back on /.test(document.querySelector("#learnstate").textContent));
    } else if (asked === 0 || !learnFrom.isMissed) {
      learnFrom.isMissed = true;
      assert.equal(task, "30. Qxb7?? was played. What is better for White?");
      // The game's own move is wrong, and what refutes it is played.
      await click(page, "b3");
      await click(page, "b7");
      await until(page, () => /^Qxb7 was played in the game, and loses \d+%/.test(document.querySelector("#learnstate").textContent));
      await until(page, () => document.querySelector("#words").textContent.includes("Black: king g8; rook b7;"));
      await page.screenshot({ path: join(screenshots, "refuted.png") });
      await page.click("#learnretry");
      // Another move than the best one counts as well.
      await page.fill("#move", "g3");
      await page.press("#move", "Enter");
      await until(page, () => /^Right: 30\. g3 is good as well; best was h3\. It comes again at the end\./.test(document.querySelector("#learnstate").textContent));
      assert.match(await page.textContent("#learnreason"), /Loses the queen/);
    } else {
      await page.fill("#move", "h3");
      await page.press("#move", "Enter");
      await until(page, () => /^Right: 30\. h3\. It comes back on /.test(document.querySelector("#learnstate").textContent));
      await page.screenshot({ path: join(screenshots, "solved.png") });
    }
    await page.click("#learnnext");
  }
  learnFrom.isMissed = false;
  await page.waitForSelector("#learncard", { state: "hidden" });
  // Nothing is due any more on this day.
  await showLibrary(page);
  await page.click("#learn");
  await until(page, () => /^Nothing is due\. The next exercise comes on /.test(document.querySelector("#problem").textContent));
}

test("mistakes are learned from in the browser, and the terminal goes on", { timeout: 4 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await input(page, MISTAKES);
  await page.waitForTimeout(PAUSE);
  await showLibrary(page);
  assert.deepEqual((await rows(page)).map(([name, , date, , accuracy]) => [name, date, accuracy]), [["Ann – Bob", "2026.11.29", "41 : 90"], ["Cid – Ann", "2026.11.30", "50 : 61"]]);
  await learnFrom(page);
  // The games that were shown before are shown again.
  assert.match(await page.textContent("#title"), /Ann – Bob/);
  await showLibrary(page);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#exportcards")]);
  const folder = folderOf(t, { "games/a.pgn": MISTAKES });
  const deck = join(folder, "exercises.epd");
  writeFileSync(deck, readFileSync(await download.path()));
  const learn = (text) => spawnSync(STUDY, ["learn", join(folder, "games/a.pgn"), "--player", "Ann", "--exercises", deck, "--nodes", "20000"], { input: text, encoding: "utf8" }).stdout;
  assert.match(learn(""), /^Nothing is due\. The next exercise comes on /);
  // What the terminal has asked is known to another browser.
  writeFileSync(deck, "");
  assert.match(learn("h3\nshow\nRa1\n"), /2 solved, 1 not at first/);
  const other = await openPage(t, isolated);
  await other.click("#tolibrary");
  await other.setInputFiles("#cardsfile", deck);
  await until(other, () => document.querySelector("#catalogcount").textContent === "2 exercises imported.");
  await other.selectOption("#who", "Ann");
  await other.click("#learn");
  await until(other, () => /^Nothing is due\./.test(document.querySelector("#problem").textContent));
});

test("the mistakes of the game on the board are exercises", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, MISTAKES);
  await page.click("#learnhere");
  assert.match(await page.textContent("#learntask"), /30\. Qxb7\?\?/);
  // Stepping does not tell the answer.
  await page.press("body", "ArrowRight");
  assert.match(await page.textContent("#words"), /queen b3/);
  await page.click("#learnshow");
  await until(page, () => /^Better was 30\. h3/.test(document.querySelector("#learnstate").textContent));
  await page.click("#learnleave");
  await expectPlayed(page, ["Qxb7", "h3", "b5", "Rxb7"]);
  // So does whatever opens another game.
  await page.click("#learnhere");
  await page.evaluate(() => (location.hash = "#fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1"));
  await page.waitForSelector("#learncard", { state: "hidden" });
  assert.match(await page.textContent("#words"), /^White: king e1; pawn e2\./);
  await page.click("#return");
  await expectPlayed(page, ["Qxb7", "h3", "b5", "Rxb7"]);
});

test("3,000 games are listed in the browser in less than two seconds", { timeout: 4 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await page.setInputFiles("#file", { name: "many.pgn", mimeType: "text/plain", buffer: Buffer.from(many()) });
  await page.waitForSelector("#catalog[open]", { timeout: SLOW });
  await until(page, () => document.querySelector("#catalogcount").textContent === "3,000 games, 0 reviewed");
  const time = await timeToList(page);
  t.diagnostic(`listed after ${time.toFixed(0)} ms`);
  assert.ok(time < 2000, `listed after ${time} ms`);
  await page.fill("#search", "player 7 2026.03");
  const count = Array.from({ length: MANY }, (_, i) => i).filter((i) => String(i % 50).includes("7") && i % 12 === 2).length;
  await until(page, (count) => document.querySelector("#catalogcount").textContent === `${count} of 3,000 games`, count);
  await page.fill("#search", "");
  // The rest comes when it is scrolled to.
  const before = await page.locator("#rows tr").count();
  await page.$eval("#rowsbox", (box) => (box.scrollTop = box.scrollHeight));
  await until(page, (before) => document.querySelectorAll("#rows tr").length > before, before);
  await page.click("#rows tr:nth-child(3) th button");
  await until(page, () => document.querySelectorAll("#moves .san").length === 35);
});

test("the reviews of all games go on after a reload, and none is made twice", { timeout: 4 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await quick(page);
  // A reload must not lose what is known of the reviews.
  const log = () => {
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (value) {
      if (this.name === "rows" && value.isReviewed) localStorage.setItem("log", `${localStorage.getItem("log") ?? ""} ${value.id}`.trim());
      return put.call(this, value);
    };
  };
  const reviewed = () => page.evaluate(() => localStorage.getItem("log")?.split(" ") ?? []);
  await page.evaluate(log);
  await page.addInitScript(log);
  await input(page, shorts(6));
  await page.waitForTimeout(PAUSE);
  await showLibrary(page);
  await reviewAll(page);
  await until(page, () => localStorage.getItem("log")?.split(" ").length >= 2);
  await page.reload();
  await page.waitForSelector("#mode.ready");
  const before = (await reviewed()).length;
  assert.ok(before < 6, "the reload came too late");
  await showLibrary(page);
  await isReviewed(page, 6);
  const all = await reviewed();
  // What the browser had not yet stored at the reload is reviewed again.
  assert.ok(all.length <= 7 && new Set(all).size === 6, all.join(" "));
});

test("games of the library are deleted and come back", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, shorts(2));
  await page.waitForTimeout(PAUSE);
  await showLibrary(page);
  await page.click("#rows tr:first-child .remove button");
  await until(page, () => document.querySelectorAll("#rows tr").length === 1);
  await page.click("#unremove");
  await until(page, () => document.querySelectorAll("#rows tr").length === 2);
});

test("the files of a folder are listed, reviewed beside them, and learned from", { timeout: 6 * SLOW }, async (t) => {
  const folder = folderOf(t, { "games/a.pgn": shorts(8), "games/old/b.pgn": MISTAKES });
  const original = readFileSync(join(folder, "games/a.pgn"), "utf8");
  const text = (name) => readFileSync(join(folder, "games", name), "utf8");
  const { address, program } = await start(t, join(folder, "games"));
  const page = await open(address, true);
  await quick(page);
  await showLibrary(page);
  assert.equal(await page.textContent("#catalogcount"), "10 games, 2 reviewed");
  assert.deepEqual((await rows(page))[0], ["Player 0 – Other 0", "0-1", "2026.01.01", "A00 Barnes Opening: Fool's Mate", "not reviewed"]);
  await page.click("#reviewall");
  assert.match(await page.textContent("#askingwords"), /Review 8 games .*beside your files.*stay as they are/s);
  assert.throws(() => text("a.reviewed.pgn.part"), "nothing is written before that is wanted");
  await page.click("#askingyes");
  // The program is killed, and started again.
  await eventually(() => {
    try {
      return text("a.reviewed.pgn.part").split("[Event ").length > 3;
    } catch {
      return false;
    }
  });
  const processes = children(program.pid);
  program.kill("SIGKILL");
  processes.forEach((pid) => {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It has ended.
    }
  });
  const { port } = new URL(address);
  const again = await start(t, join(folder, "games"), "--port", port);
  const next = await page.context().newPage();
  await next.goto(again.address);
  await next.waitForSelector("#mode.ready", { timeout: SLOW });
  await eventually(() => {
    try {
      return text("a.reviewed.pgn").length > 0;
    } catch {
      return false;
    }
  });
  const reviews = text("a.reviewed.pgn");
  assert.equal(reviews.match(/\[White "Player \d"\]/g).length, 8);
  assert.equal(new Set(reviews.match(/\[White "Player \d"\]/g)).size, 8, "no game is reviewed twice");
  assert.equal(text("a.pgn"), original);
  assert.throws(() => text("old/b.reviewed.pgn"), "games that are reviewed need nothing");
  await until(next, () => document.querySelector("#tolibrary").textContent === "Library");
  await showLibrary(next);
  assert.equal(await next.textContent("#catalogcount"), "10 games, 10 reviewed");
  await learnFrom(next);
});

test("3,000 games of a file are listed in less than two seconds", { timeout: 4 * SLOW }, async (t) => {
  const folder = folderOf(t, { "games/many.pgn": many() });
  const { address, program } = await start(t, join(folder, "games/many.pgn"));
  const list = await (await fetch(`${address}library`)).json();
  // Other programs may take the processor meanwhile.
  const reading = processorTime(program.pid);
  assert.equal(list.games.length, MANY);
  const page = await open(address);
  await page.waitForSelector("#catalog[open]", { timeout: SLOW });
  const time = await timeToList(page);
  t.diagnostic(`read in ${reading.toFixed(0)} ms, listed after ${time.toFixed(0)} ms`);
  assert.ok(reading + time < 2000, `listed after ${reading + time} ms`);
  await page.click("#rows tr:nth-child(2) th button");
  await until(page, () => document.querySelectorAll("#moves .san").length === 35);
});
