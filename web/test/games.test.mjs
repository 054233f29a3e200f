// Tests of what happens to games on the page: annotations, storage, links and files, reviews, and
// games against the engine.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { PGN, SLOW, expectPlayed, input, isolated, openPage, screenshots, plain, played, until } from "./browser.mjs";

const ANNOTATED = `[White "Ann"]
[Black "Bob"]
[WhiteElo "2100"]
[Result "0-1"]

{ A short game. } 1. f3 $6 { [%eval -0.81] [%clk 0:10:00] } 1... e5 { [%eval -0.70] [%clk 0:09:58] }
( 1... d5 $5 { also good } 2. e4 ) 2. g4 $4 { [%eval #-1] [%clk 0:09:30] [%csl Rh4] a fatal move } 2... Qh4# 0-1
`;

const copied = async (page, button) => {
  await page.click(button);
  await until(page, () => /copied/.test(document.querySelector("#problem").textContent));
  return page.evaluate(() => navigator.clipboard.readText());
};
/** Waits until the page has kept what it shows. */
const kept = (page) => page.waitForTimeout(700);
const signs = (page) => page.$$eval("#moves .row .sign", (signs) => signs.map(({ textContent }) => textContent));

test("annotations are shown and come back", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, ANNOTATED);
  await expectPlayed(page, ["f3", "e5", "d5", "e4", "g4", "Qh4#"]);
  assert.deepEqual(await signs(page), ["?!", "??"]);
  assert.deepEqual(await page.$$eval("#moves .comment", (all) => all.map(({ textContent }) => textContent)), ["A short game.", "also good", "a fatal move"]);
  assert.deepEqual(await page.$$eval("#moves .eval", (all) => all.map(({ textContent }) => textContent)), ["−0.81", "−0.70", "#−1"]);
  assert.equal(await page.locator("#graph .curve").count(), 1);
  assert.equal(await page.locator("#graph .dot").count(), 2);
  // The glyph is on the board, and the clocks are at the names.
  await page.click("#nextmistake");
  await page.click("#nextmistake");
  assert.equal(await page.textContent("#moves [aria-current] .san"), "g4");
  assert.equal(await page.textContent("#score"), "#−1");
  await page.waitForFunction(() => document.querySelector("#board .cg-custom-svgs")?.textContent === "??");
  assert.match(await page.textContent("#below"), /Ann2100.*9:30/);
  assert.match(await page.textContent("#above"), /Bob.*1.*9:58/);
  const pgn = await copied(page, "#copypgn");
  for (const part of ["$6", "$4", "$5", "[%eval -0.81] [%clk 0:10:00]", "[%eval #-1] [%clk 0:09:30] [%csl Rh4] a fatal move", "{ A short game. }", "{ also good }"]) {
    assert.ok(pgn.includes(part), `${part} is not in ${pgn}`);
  }
  // A click on the graph shows the position.
  const { x, y, width, height } = await page.locator("#graph").boundingBox();
  await page.mouse.click(x + width / 4, y + height / 2);
  assert.equal(await page.textContent("#moves [aria-current] .san"), "f3");
});

test("a game that annotate has written shows what a review would", async (t) => {
  const page = await openPage(t, isolated);
  const summary = "White: accuracy 61.5%, 0 inaccuracies, 1 mistake, 1 blunder. Black: accuracy 100%, 0 inaccuracies, 0 mistakes, 0 blunders. Rejoinder 0.1.0, 100000 nodes (up to 800000 at 2 of 5) a position.";
  await input(page, ANNOTATED.replace("{ A short game. }", `{ ${summary} } { A short game. }`));
  await page.waitForSelector("#summary:not([hidden])");
  assert.match(await page.textContent("#sides"), /White61\.5%011Black100%000/);
  assert.match(await page.textContent("#searched"), /^100,000 nodes \(up to 800,000 at 2 of 5\) a position$/);
  assert.deepEqual(await page.$$eval("#moves .comment", (all) => all.map(({ textContent }) => textContent)), ["A short game.", "also good", "a fatal move"]);
  await page.click("#nextmistake");
  assert.equal(await page.textContent("#moves [aria-current] .san"), "f3");
});

test("a report sums up the games that are open", { timeout: 2 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await input(page, ANNOTATED);
  const [report] = await Promise.all([page.context().waitForEvent("page"), page.click("#report")]);
  await report.waitForSelector(".tiles", { timeout: SLOW });
  assert.match(await report.textContent("body"), /All players.*1 game.*10 min on/s);
});

test("a pawn that is typed becomes a queen, and nothing runs after mate", { timeout: 2 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await input(page, "7k/P7/6K1/8/8/8/8/8 w - - 0 1");
  await page.click("#toggle");
  await until(page, () => document.querySelector("#lines button"));
  const height = await page.evaluate(() => document.querySelector("#enginecard").offsetHeight);
  await page.fill("#move", "a8");
  await page.press("#move", "Enter");
  await expectPlayed(page, ["a8=Q#"]);
  assert.equal(await page.textContent("#toggle"), "Analyze");
  assert.equal(await page.textContent("#score"), "1–0");
  assert.ok(await page.isDisabled("#toggle"));
  assert.equal(await page.locator("#lines button").count(), 0);
  assert.equal(await page.evaluate(() => document.querySelector("#enginecard").offsetHeight), height);
});

test("the bar measures as the graph does, and the engine's odds have their name", { timeout: 2 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  const bar = async () => Number(await page.getAttribute("#bar", "aria-valuenow"));
  const chance = (pawns) => Math.round(100 / (1 + Math.exp(-0.368208 * pawns)));
  await input(page, "1. e4 { [%eval 2.71] } *");
  await page.click("#forth");
  assert.equal(await bar(), 73);
  await input(page, "4k3/pppp4/8/8/8/8/PPPPPPPP/4K3 w - - 0 1");
  await page.click("#toggle");
  await until(page, () => Number.parseInt(document.querySelector("#depth").textContent, 10) >= 8);
  await page.click("#toggle");
  assert.match(await page.textContent("#chances"), /^Engine’s odds: White \d+%/);
  const score = await page.textContent("#score");
  assert.ok(Math.abs((await bar()) - chance(score.startsWith("#") ? 10 : Math.min(10, Number(score)))) <= 1, score);
});

test("a position that the engine refuses says why", { timeout: 2 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await input(page, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/QQQQKQQQ w kq - 0 1");
  await page.click("#toggle");
  await until(page, () => document.querySelector("#note").textContent.includes("nothing to search"));
  t.diagnostic(await page.textContent("#note"));
  assert.match(await page.textContent("#note"), /promot|pieces/);
});

test("the lines are in order all the time", { timeout: 2 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await input(page, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3");
  await page.click("#toggle");
  const faults = await page.evaluate(async () => {
    const faults = [];
    for (let i = 0; i < 100; i++) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      const scores = [...document.querySelectorAll("#lines li b")].map((b) => Number(b.textContent.replace("−", "-"))).filter((score) => !Number.isNaN(score));
      if (scores.some((score, i) => i > 0 && score > scores[i - 1])) faults.push(scores.join(" "));
    }
    return faults;
  });
  assert.deepEqual(faults, []);
});

test("a game stays over a reload, and is in the address", { timeout: 2 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await input(page, `${ANNOTATED}\n${PGN}`);
  await page.selectOption("#games", "1");
  await page.click("#forth");
  await page.click("#flip");
  await kept(page);
  await page.reload();
  await page.waitForSelector("#mode.ready");
  assert.equal(await page.locator("#games option").count(), 2);
  assert.equal(await page.textContent("#moves [aria-current] .san"), "e4");
  assert.match(await page.textContent("#above"), /Morphy/);
  // The address alone is enough elsewhere.
  const link = await copied(page, "#copylink");
  assert.match(link, /#pgn=/);
  assert.equal(new URL(await page.evaluate(() => location.href)).hash, new URL(link).hash);
  const elsewhere = await openPage(t, isolated, { hash: new URL(link).hash });
  assert.equal((await played(elsewhere)).length, 35);
  assert.match(await elsewhere.textContent("#below"), /Morphy/);
  // A link that is entered while the page is open.
  await elsewhere.evaluate(() => (location.hash = "#fen=4k3/8/8/8/8/8/4P3/4K3_b_-_-_0_7"));
  await until(elsewhere, () => document.querySelector("#words").textContent.startsWith("White: king e1; pawn e2. Black: king e8."));
  await kept(elsewhere);
  assert.match(await elsewhere.evaluate(() => location.hash), /^#fen=4k3\/8/);
  // A long game is compressed.
  await input(elsewhere, PGN.replace("1. e4", `1. e4 { ${"A very long comment. ".repeat(200)} }`));
  await kept(elsewhere);
  const packed = await elsewhere.evaluate(() => location.hash);
  assert.match(packed, /^#pgnz=/);
  assert.ok(packed.length < 1500, `${packed.length} characters`);
  const again = await openPage(t, isolated, { hash: packed });
  assert.equal((await played(again)).length, 35);
  const broken = await openPage(t, isolated, { hash: "#pgnz=AAAA" });
  assert.match(await broken.textContent("#problem"), /cannot be read/);
});

test("files are opened, dropped and saved", async (t) => {
  const page = await openPage(t, isolated);
  const file = { name: "game.pgn", mimeType: "application/x-chess-pgn", buffer: Buffer.from(PGN.replace("Morphy", "Müller"), "latin1") };
  await page.setInputFiles("#file", file);
  await until(page, () => document.querySelectorAll("#moves .san").length === 35);
  assert.match(await page.textContent("#below"), /Müller/);
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "other.pgn"));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, ANNOTATED);
  await until(page, () => document.querySelectorAll("#moves .san").length === 6);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  assert.equal(download.suggestedFilename(), "Ann-vs-Bob.pgn");
  assert.match(readFileSync(await download.path(), "utf8"), /\[%eval #-1\]/);
});

for (const [name, server, options] of [
  ["several threads", () => isolated, {}],
  ["one thread", () => plain, { serviceWorkers: "block" }],
]) {
  test(`a review marks the moves, with ${name}`, { timeout: 5 * SLOW }, async (t) => {
    const page = await openPage(t, server(), options);
    await page.click("#enginecard summary");
    await page.selectOption("#effort", "30000");
    await input(page, PGN);
    await page.click("#review");
    // It stops, stays where it is, and goes on.
    await until(page, () => document.querySelector("#progress").value > 0.2);
    await page.click("#reviewstop");
    const stopped = await page.textContent("#reviewstate");
    assert.match(stopped, /^Stopped at \d+%/);
    await page.waitForTimeout(500);
    assert.equal(await page.textContent("#reviewstate"), stopped);
    assert.ok((await page.locator("#graph .curve").count()) === 1, "the graph does not grow");
    await page.click("#reviewstop");
    await page.waitForSelector("#summary:not([hidden])", { timeout: 4 * SLOW });
    assert.match(await page.textContent("#sides"), /White[\d.]+%\d+\d+\d+Black[\d.]+%/);
    assert.ok((await signs(page)).length > 2, "there are no marks");
    assert.equal(await page.textContent("#note"), "");
    // From mistake to mistake, and out into what was better.
    await page.click("#nextmistake");
    const mistake = await page.textContent("#moves [aria-current] .san");
    await page.click("#better");
    await page.waitForTimeout(2200);
    const shown = await page.evaluate(() => document.querySelector("#moves [aria-current]").closest(".variation")?.textContent);
    assert.ok(shown, `no better line than ${mistake} is shown`);
    await page.keyboard.press("Home");
    await page.waitForTimeout(1200);
    assert.equal(await page.locator("#moves [aria-current]").count(), 0);
    const pgn = await copied(page, "#copypgn");
    assert.match(pgn, /\[%eval /);
    assert.match(pgn, /\(3\.\.\. exd4|\( 3\.\.\. exd4/);
    // The result of the review stays.
    await kept(page);
    await page.reload();
    await page.waitForSelector("#mode.ready");
    await page.waitForSelector("#summary:not([hidden])");
    assert.equal(await page.locator("#graph .curve").count(), 1);
  });
}

for (const [name, server, options] of [
  ["several threads", () => isolated, {}],
  ["one thread", () => plain, { serviceWorkers: "block" }],
]) {
  test(`a game against the engine, with ${name}`, { timeout: 5 * SLOW }, async (t) => {
    const page = await openPage(t, server(), options);
    const count = (moves) => until(page, (moves) => document.querySelectorAll("#moves .san").length === moves, moves);
    await page.click("#play");
    await page.selectOption("#color", "black");
    await page.selectOption("#elo", "1150");
    await page.click("#newplay button[value=start]");
    await count(1);
    assert.equal(await page.evaluate(() => document.querySelector("#board").classList.contains("orientation-black") || document.querySelector("#board .orientation-black") !== null), true);
    assert.match(await page.textContent("#above"), /Rejoinder \(1150\)/);
    assert.ok(await page.isHidden("#enginecard"));
    await page.fill("#move", "a6");
    await page.press("#move", "Enter");
    await count(3);
    // An earlier position can be looked at, but not played from.
    await page.click("#first");
    await page.fill("#move", "h4");
    await page.press("#move", "Enter");
    assert.match(await page.textContent("#moveproblem"), /not your turn/);
    await page.click("#takeback");
    await count(1);
    assert.ok(await page.isDisabled("#takeback"));
    await page.fill("#move", "h6");
    await page.press("#move", "Enter");
    await count(3);
    // The game goes on after a reload.
    await kept(page);
    await page.reload();
    await page.waitForSelector("#mode.ready");
    await until(page, () => /Your move/.test(document.querySelector("#playstate").textContent));
    await page.fill("#move", "g6");
    await page.press("#move", "Enter");
    await count(5);
    await page.click("#resign");
    assert.match(await page.textContent("#playstate"), /You have resigned: White has won/);
    assert.match(await page.textContent("#title"), /1-0/);
    assert.ok(await page.isVisible("#enginecard"));
    await page.click("#toggle");
    await until(page, () => document.querySelectorAll("#lines .pv").length === 3 && document.querySelectorAll("#lines .pv button:first-of-type").length === 3);
    await page.click("#review");
    await page.waitForSelector("#summary:not([hidden])", { timeout: 4 * SLOW });
  });
}

test("a game by the clock, and moves that are deleted and undone", { timeout: 5 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  const count = (moves) => until(page, (moves) => document.querySelectorAll("#moves .san").length === moves, moves);
  const type = async (move) => {
    await page.fill("#move", move);
    await page.press("#move", "Enter");
  };
  await page.click("#play");
  await page.selectOption("#color", "white");
  await page.selectOption("#elo", "1150");
  await page.selectOption("#control", "1+0");
  await page.click("#newplay button[value=start]");
  await until(page, () => /0:5\d/.test(document.querySelector("#below .clock")?.textContent));
  assert.equal(await page.textContent("#above .clock"), "1:00");
  await type("e4");
  await count(2);
  await kept(page);
  await page.reload();
  await page.waitForSelector("#mode.ready");
  await until(page, () => /0:5\d/.test(document.querySelector("#below .clock")?.textContent));
  await type("Nf3");
  await count(4);
  await page.click("#resign");
  const pgn = await copied(page, "#copypgn");
  assert.match(pgn, /\[TimeControl "60\+0"\]/);
  assert.ok(pgn.match(/\[%clk 0:00:5\d/g).length >= 3, pgn);
  // The moves are analyzed now, and may be changed.
  await page.click("#first");
  await page.click("#forth");
  await page.click("#remove");
  await count(0);
  assert.ok(await page.isDisabled("#remove"));
  await type("d4");
  await count(1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await count(0);
  await page.click("#undo");
  await count(4);
  assert.ok(await page.isDisabled("#undo"));
});

test("screenshots of a review and of a game", { timeout: 5 * SLOW }, async (t) => {
  const page = await openPage(t, isolated, { viewport: { width: 1366, height: 768 } });
  await input(page, PGN);
  await page.click("#review");
  await until(page, () => document.querySelector("#progress").value > 0.4);
  await page.screenshot({ path: join(screenshots, "reviewing.png") });
  await page.waitForSelector("#summary:not([hidden])", { timeout: 4 * SLOW });
  await page.click("#nextmistake");
  await page.screenshot({ path: join(screenshots, "reviewed.png") });
  await kept(page);
  const storageState = await page.context().storageState();
  for (const [name, options] of Object.entries({
    "reviewed-wide-dark": { viewport: { width: 1920, height: 1080 }, colorScheme: "dark" },
    "reviewed-narrow": { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  })) {
    const other = await openPage(t, isolated, { ...options, storageState });
    await other.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
  }
  // The image of the README, docs/page.png.
  const analyzing = await openPage(t, isolated, { viewport: { width: 1430, height: 840 }, colorScheme: "dark", storageState });
  await analyzing.click("#toggle");
  await until(analyzing, () => Number(document.querySelector("#depth").textContent.split("/")[0]) >= 18);
  await analyzing.screenshot({ path: join(screenshots, "analyzing.png") });
  await page.click("#play");
  await page.screenshot({ path: join(screenshots, "newplay.png") });
  await page.click("#newplay button[value=start]");
  await page.screenshot({ path: join(screenshots, "playing.png") });
});
