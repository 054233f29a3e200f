// Tests that nothing of a game goes on behind another one, and that no game is lost.

import assert from "node:assert/strict";
import { test } from "node:test";

import { PGN, SLOW, click, expectPlayed, input, isolated, openPage, played, until } from "./browser.mjs";

const BETTER = '[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Ke2 $4 ( 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 ) 2... Nf6 *';
const current = (page) => page.evaluate(() => document.querySelector("#moves [aria-current] .san")?.textContent);
const words = (page) => page.textContent("#words");
/** Longer than the page waits before it keeps, and than a move of a line takes. */
const PAUSE = 1500;

const drop = (page, text, name) =>
  page.evaluate(([text, name]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], name));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, [text, name]);

const WAYS = {
  New: (page) => page.click("#new"),
  Load: (page) => input(page, PGN),
  "another game of the list": (page) => page.selectOption("#games", "1"),
  "New and Play": async (page) => {
    await page.click("#new");
    await page.click("#play");
    await page.click("#newplay button[value=start]");
  },
  Play: async (page) => {
    await page.click("#play");
    await page.click("#newplay button[value=start]");
  },
  "a dropped file": (page) => drop(page, PGN, "game.pgn"),
  "a link": (page) => page.evaluate(() => (location.hash = "#fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1")),
  Chess960: async (page) => {
    await page.click(".input summary");
    await page.fill("#number", "1");
    await page.press("#number", "Enter");
  },
};

for (const [name, change] of Object.entries(WAYS)) {
  test(`a line that is played out ends with ${name}`, { timeout: 2 * SLOW }, async (t) => {
    const page = await openPage(t, isolated);
    await input(page, `${BETTER}\n\n[White "Other"]\n\n1. d4 *`);
    await page.click("#nextmistake");
    await page.click("#better");
    assert.equal(await current(page), "Nf3");
    await change(page);
    await page.waitForFunction(() => !document.querySelector("#moves [aria-current]"));
    const before = await words(page);
    await page.waitForTimeout(PAUSE);
    assert.equal(await words(page), before);
    assert.equal(await current(page), undefined);
    if (!name.includes("Play")) return;
    assert.match(await page.textContent("#playstate"), /^Your move\./);
    await page.fill("#move", "e4");
    await page.press("#move", "Enter");
    await until(page, () => document.querySelectorAll("#moves .san").length === 2);
  });
}

test("a promotion that is asked for ends with its game", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, "8/P6k/8/8/8/8/8/K7 w - - 0 1");
  await click(page, "a7");
  await click(page, "a8");
  await page.waitForSelector("#promotion[open]");
  await page.evaluate(() => (location.hash = "#fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1"));
  await page.waitForSelector("#promotion:not([open])", { state: "attached" });
  assert.deepEqual(await played(page), []);
});

test("files without a game change nothing", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, PGN);
  for (const [text, name, reason] of [
    ["\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10[a \"b\"]\n1. e4\0\0\0", "page.png", /page\.png: This is no text/],
    ["# Readme\n\n[Rust] is needed, see [the book](https://example.org).\n", "README.md", /README\.md: .*(holds no game|neither a FEN)/],
    ["", "empty.pgn", /empty\.pgn is empty/],
    ['[Foo "bar"]\n', "tags.pgn", /holds no game/],
  ]) {
    await drop(page, text, name);
    await until(page, (name) => document.querySelector("#problem").textContent.startsWith(name), name);
    assert.match(await page.textContent("#problem"), reason);
    assert.equal((await played(page)).length, 35);
  }
});

test("every game is kept, and comes back", { timeout: 3 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await input(page, PGN);
  await page.click("#forth");
  await page.click("#new");
  assert.match(await page.textContent("#before"), /Morphy – Allies · 1-0 is kept\./);
  await page.click("#return");
  assert.equal((await played(page)).length, 35);
  assert.equal(await current(page), "e4");
  // A link in a second tab, and another visit without one.
  const address = page.url().split("#")[0];
  const second = await page.context().newPage();
  await second.goto(`${address}#fen=4k3/8/8/8/8/8/4P3/4K3_w_-_-_0_1`);
  await until(second, () => document.querySelector("#words").textContent.startsWith("White: king e1; pawn e2."));
  await second.click("#library");
  await second.click("#kept .entry:has-text('Morphy')");
  assert.equal((await played(second)).length, 35);
  // Both tabs go on with the same game in their own way.
  for (const [tab, text] of [[page, "d4"], [second, "c4"]]) {
    await tab.press("body", "Home");
    await tab.fill("#move", text);
    await tab.press("#move", "Enter");
    await tab.waitForTimeout(PAUSE);
  }
  await page.reload();
  await page.waitForSelector("#mode.ready");
  assert.equal(await current(page), "d4");
  await second.reload();
  await second.waitForSelector("#mode.ready");
  assert.equal(await current(second), "c4");
  // What is deleted can be brought back.
  await page.click("#library");
  const count = await page.locator("#kept li").count();
  await page.click("#kept li button[aria-label^=Delete]:not(:disabled)");
  assert.equal(await page.locator("#kept li").count(), count - 1);
  await page.click("#undelete");
  assert.equal(await page.locator("#kept li").count(), count);
});

test("a full storage is told", async (t) => {
  const page = await openPage(t, isolated);
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await page.fill("#move", "e4");
  await page.press("#move", "Enter");
  await until(page, () => /keeps no more/.test(document.querySelector("#problem").textContent));
});

test("a review goes on beside another game, and is there after a reload", { timeout: 4 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await input(page, `${PGN}\n\n[White "Other"]\n\n1. d4 *`);
  await page.click("#review");
  await until(page, () => document.querySelector("#progress").value > 0.1);
  await page.selectOption("#games", "1");
  assert.ok(await page.isHidden("#reviewing"));
  await page.selectOption("#games", "0");
  assert.match(await page.textContent("#reviewstate"), /reviewed$/);
  await page.waitForTimeout(PAUSE);
  await page.reload();
  await page.waitForSelector("#mode.ready");
  assert.match(await page.textContent("#reviewstate"), /^Stopped at \d+%/);
  await page.click("#reviewstop");
  await page.waitForSelector("#summary:not([hidden])", { timeout: 3 * SLOW });
});

test("arrows that are drawn and the Seven Tag Roster are in the PGN", async (t) => {
  const page = await openPage(t, isolated);
  await page.fill("#move", "e4");
  await page.press("#move", "Enter");
  await expectPlayed(page, ["e4"]);
  const { x, y, width } = await page.locator("#board cg-board").boundingBox();
  const at = (file, rank) => [x + ((file + 0.5) * width) / 8, y + ((7.5 - rank) * width) / 8];
  await page.mouse.move(...at(6, 0));
  await page.mouse.down({ button: "right" });
  await page.mouse.move(...at(5, 2), { steps: 4 });
  await page.waitForTimeout(100);
  await page.mouse.up({ button: "right" });
  // A click does not erase it.
  await page.mouse.click(...at(4, 4));
  await page.click("#copypgn");
  await until(page, () => /copied/.test(document.querySelector("#problem").textContent));
  const pgn = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(pgn, /^\[Event "\?"\]\n\[Site "\?"\]\n\[Date "\?{4}\.\?\?\.\?\?"\]\n\[Round "\?"\]\n\[White "\?"\]\n\[Black "\?"\]\n\[Result "\*"\]/);
  assert.match(pgn, /1\. e4 \{ \[%cal Gg1f3\] \}/);
});

test("the board of a phone stays in sight", async (t) => {
  for (const viewport of [{ width: 390, height: 844 }, { width: 844, height: 390 }]) {
    const page = await openPage(t, isolated, { viewport, isMobile: true, hasTouch: true });
    await page.click("#play");
    await page.click("#newplay button[value=start]");
    const { y, height } = await page.locator("#board").boundingBox();
    assert.ok(y >= 0 && y + height <= viewport.height, `${y} ${height}`);
    const { width } = await page.locator("#move").boundingBox();
    assert.ok(width >= 90, `the field for moves is ${width} pixels wide`);
    // Held across, the lines stand beside the board.
    await page.click("#leave");
    const [board, lines] = await Promise.all(["#board", "#lines"].map((name) => page.locator(name).boundingBox()));
    const isBeside = lines.x >= board.x + board.width && lines.y < viewport.height;
    assert.equal(isBeside, viewport.width > viewport.height, JSON.stringify([board, lines]));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  }
});
