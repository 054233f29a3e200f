// Tests of the page with the keyboard, for screen readers, and by the rules of axe-core.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { PGN, SLOW, browser, expectPlayed, input, isolated, openPage, root, until } from "./browser.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** White hangs the queen. */
const MISTAKE = `[White "Ann"]
[FEN "1r4k1/1p3ppp/8/8/8/1Q6/5PPP/6K1 w - - 0 30"]
[SetUp "1"]

{ White: accuracy 41.0%, 0 inaccuracies, 0 mistakes, 1 blunder. Black: accuracy -. Rejoinder 0.1.0, 1000 nodes a position. }
30. Qxb7 $4 { Loses the queen: 30... Rxb7. } ( 30. h3 ) *`;

const violations = async (page) => {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.addScriptTag({ path: axe });
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  });
};

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing, in ${colorScheme} colors`, { timeout: 4 * SLOW }, async (t) => {
    const page = await openPage(t, isolated, { colorScheme });
    assert.deepEqual(await violations(page), [], "empty");
    await input(page, PGN.replace("4. dxe5", "$2 4. dxe5 $1 { [%eval 1.2] a comment }").replace("Bxf3", "Bxf3 $6 { [%eval 1.9] }").replace("Nf6", "Nf6 $4"));
    await page.click("#enginecard summary");
    await page.click(".input summary");
    await page.click("#nextmistake");
    await page.click("#toggle");
    await until(page, () => document.querySelector("#lines button"));
    await page.click("#toggle");
    assert.deepEqual(await violations(page), [], "with a game and lines");
    await page.click("#review");
    assert.deepEqual(await violations(page), [], "during a review");
    await page.click("#reviewstop");
    await page.click("#play");
    assert.deepEqual(await violations(page), [], "with the dialog");
    await page.click("#newplay button[value=start]");
    await page.waitForTimeout(300);
    assert.deepEqual(await violations(page), [], "in a game");
    await page.click("#leave");
    await input(page, MISTAKE);
    await page.waitForTimeout(800);
    await page.click("#tolibrary");
    await page.waitForSelector("#rows tr");
    await page.click("#reviewall");
    assert.deepEqual(await violations(page), [], "in the library");
    await page.selectOption("#who", "Ann");
    await page.click("#learn");
    await page.waitForSelector("#learncard:not([hidden])");
    assert.deepEqual(await violations(page), [], "at an exercise");
    await page.fill("#move", "Qxb7");
    await page.press("#move", "Enter");
    await until(page, () => document.querySelector("#learnstate.wrong"));
    assert.deepEqual(await violations(page), [], "at a refutation");
    await page.click("#learnshow");
    assert.deepEqual(await violations(page), [], "at an answer");
  });
}

test("axe finds nothing in a page of annotate", { timeout: 2 * SLOW }, async (t) => {
  const study = process.env.STUDY ?? join(root, "rejoinder-study");
  const folder = mkdtempSync(join(tmpdir(), "rejoinder-pages-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "in.pgn"), `${PGN}\n\n${PGN}`);
  const { status, stderr } = spawnSync(study, ["annotate", join(folder, "in.pgn"), "--nodes", "500", "--html", folder], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  for (const colorScheme of ["light", "dark"]) {
    const context = await browser.newContext({ colorScheme });
    t.after(() => context.close());
    const page = await context.newPage();
    for (const name of ["game-00001.html", "index.html"]) {
      await page.goto(pathToFileURL(join(folder, name)).href);
      // Every kind of mark, whatever the engine has found.
      const kinds = await page.$$eval(".move", (moves) => moves.map((move, i) => move.classList.add(["bad0", "bad1", "bad2", "fine"][i % 4])).length);
      assert.ok(kinds > 20 || name === "index.html", `${kinds} moves`);
      assert.deepEqual(await violations(page), [], `${name}, ${colorScheme}`);
    }
  }
});

test("the board is read and played with the keyboard", async (t) => {
  const page = await openPage(t, isolated);
  assert.match(await page.textContent("#words"), /^White: king e1; queen d1; rooks a1, h1;.*White to move\.$/);
  const label = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  await page.focus("#squares [tabindex='0']");
  assert.equal(await label(), "e1, white king");
  await page.keyboard.press("ArrowUp");
  assert.equal(await label(), "e2, white pawn");
  await page.keyboard.press("Enter");
  assert.match(await page.textContent("#status"), /white pawn on e2 is selected/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  assert.equal(await label(), "e4, empty");
  await page.keyboard.press("Enter");
  await expectPlayed(page, ["e4"]);
  assert.equal(await page.textContent("#status"), "1. e4");
  assert.equal(await label(), "e4, white pawn");
  await page.keyboard.press("Enter");
  assert.match(await page.textContent("#status"), /cannot move/);
  // The grid turns with the board.
  await page.click("#flip");
  await page.focus("#squares [role=row]:last-child [role=gridcell]:first-child");
  assert.equal(await label(), "h8, black rook");
});

test("the move list is one tab stop, and its arrow keys step", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, PGN);
  await page.focus("#moves button");
  assert.equal(await page.locator("#moves [tabindex='0']").count(), 1);
  const san = () => page.evaluate(() => document.activeElement.querySelector(".san")?.textContent);
  await page.keyboard.press("Enter");
  assert.equal(await san(), "e4");
  for (const [key, move] of [["ArrowRight", "e5"], ["ArrowDown", "d6"], ["ArrowRight", "d4"], ["ArrowUp", "Nf3"], ["End", "Rd8#"]]) {
    await page.keyboard.press(key);
    assert.equal(await san(), move, key);
  }
  assert.match(await page.textContent("#status"), /rook d8, mate\. Checkmate: White has won/);
  assert.equal(await page.locator("#moves [tabindex='0']").count(), 1);
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "text");
});

test("a line under the pointer shows its board", { timeout: 2 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await page.click("#toggle");
  await until(page, () => document.querySelectorAll("#lines li:first-child button").length > 3);
  await page.click("#toggle");
  await page.hover("#lines li:first-child [data-move='2']");
  await page.waitForSelector("#peek:not([hidden]) cg-board square.last-move");
  assert.equal(await page.locator("#peek piece").count(), 32);
  await page.hover("#moves");
  assert.ok(await page.isHidden("#peek"));
});

test("what is needed is reached without scrolling at 1366 by 768", async (t) => {
  const page = await openPage(t, isolated, { viewport: { width: 1366, height: 768 } });
  await input(page, PGN);
  for (const id of ["above", "board", "below", "move", "graph", "toggle", "moves", "text", "load", "copypgn", "copylink"]) {
    const { y, height } = await page.locator(`#${id}`).boundingBox();
    assert.ok(y >= 0 && y + height <= 768, `#${id} ends at ${y + height}`);
  }
  assert.equal(await page.locator("h1").count(), 1);
});
