// Tests of the page without a network, of what a visit downloads, and of a page that is renewed.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { serve } from "../serve.mjs";
import { PGN, SLOW, folder, input, isolated, openPage, plain, played, until } from "./browser.mjs";

/** Waits until the page needs its server no more. */
const storing = (page) =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    const names = () => caches.keys();
    const engines = async () => ((await names()).includes("rejoinder-engine") ? (await (await caches.open("rejoinder-engine")).keys()).length : 0);
    while ((await engines()) === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  });

for (const [name, server] of [["with headers", () => isolated], ["with the service worker", () => plain]]) {
  test(`the page works offline after one visit, ${name}`, { timeout: 3 * SLOW }, async (t) => {
    const page = await openPage(t, server());
    await storing(page);
    await page.context().setOffline(true);
    await page.reload();
    await page.waitForSelector("#mode.ready", { timeout: SLOW });
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
    await input(page, PGN);
    assert.equal((await played(page)).length, 35);
    await page.click("#toggle");
    await until(page, () => Number.parseInt(document.querySelector("#depth").textContent, 10) >= 8);
  });
}

test("a second visit downloads next to nothing", { timeout: 3 * SLOW }, async (t) => {
  let bytes = 0;
  isolated.on("connection", (socket) => socket.on("close", () => (bytes += socket.bytesWritten)));
  const sum = async () => {
    isolated.closeAllConnections();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = bytes;
    bytes = 0;
    return now;
  };
  const page = await openPage(t, isolated);
  await storing(page);
  await page.waitForTimeout(500);
  const first = await sum();
  await page.reload();
  await page.waitForSelector("#mode.ready", { timeout: SLOW });
  // Meanwhile the browser asks whether there is a newer service worker.
  await page.waitForTimeout(3000);
  const second = await sum();
  t.diagnostic(`first visit ${first} bytes, second visit ${second} bytes`);
  assert.ok(first > 1e6 && first < 7.5e6, `the first visit downloads ${first} bytes`);
  assert.ok(second < 2e4, `the second visit downloads ${second} bytes`);
});

test("the engine is compressed, and every file has a tag", async () => {
  const address = `http://127.0.0.1:${isolated.address().port}/`;
  const engines = readFileSync(join(folder, "engines.js"), "utf8");
  const [wasm] = /rejoinder-threads\.[0-9a-f]+\.wasm/.exec(engines);
  const response = await fetch(address + wasm, { headers: { "Accept-Encoding": "br" } });
  assert.equal(response.headers.get("content-encoding"), "br");
  assert.match(response.headers.get("cache-control"), /immutable/);
  await response.body.cancel();
  const page = await fetch(address);
  assert.equal(page.headers.get("cache-control"), "no-cache");
  const tag = page.headers.get("etag");
  await page.text();
  assert.equal((await fetch(address, { headers: { "If-None-Match": tag } })).status, 304);
});

test("the manifest lets the page be installed", async (t) => {
  const page = await openPage(t, isolated);
  const session = await page.context().newCDPSession(page);
  const { url, errors } = await session.send("Page.getAppManifest");
  assert.match(url, /manifest\.webmanifest$/);
  assert.deepEqual(errors, []);
});

test("a newer page is offered and loaded", { timeout: 3 * SLOW }, async (t) => {
  const copy = mkdtempSync(join(tmpdir(), "rejoinder-page-"));
  cpSync(folder, copy, { recursive: true, filter: (name) => !/\.(br|gz)$/.test(name) });
  const server = await serve(copy);
  t.after(() => {
    server.close();
    rmSync(copy, { recursive: true });
  });
  const page = await openPage(t, server);
  await storing(page);
  const change = (file, from, to) => {
    const text = readFileSync(join(copy, file), "utf8");
    assert.ok(text.includes(from), `${file} lacks ${from}`);
    writeFileSync(join(copy, file), text.replace(from, to));
  };
  change("index.html", "<title>Rejoinder", "<title>Newer Rejoinder");
  change("sw.js", 'const VERSION = "', 'const VERSION = "1');
  await page.reload();
  assert.equal(await page.title(), "Rejoinder: analysis");
  await page.click("#renew", { timeout: SLOW });
  await until(page, () => document.title === "Newer Rejoinder: analysis");
  await page.waitForSelector("#mode.ready", { timeout: SLOW });
});

test("loading shows its progress", async (t) => {
  const page = await openPage(t, isolated);
  const seen = await page.evaluate(async () => {
    const { load } = await import("./program.js");
    await caches.delete("rejoinder-engine");
    const seen = [];
    await load(true, (done, all) => seen.push([done, all]));
    return seen;
  });
  assert.ok(seen.length > 1);
  assert.deepEqual(seen.at(-1)[0], seen.at(-1)[1]);
});
