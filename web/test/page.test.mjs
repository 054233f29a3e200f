// Tests of the page in headless Chromium. NATIVE names the native engine, to compare the bench with it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, test } from "node:test";

import { MATE_IN_TWO, PGN, SLOW, click, expectPlayed, input, isolated, openPage, openSettings, screenshots, plain, played, root, until } from "./browser.mjs";

const native = process.env.NATIVE ?? join(root, "rejoinder");

const MODES = {
  "with headers": { server: () => isolated, threads: true },
  "with the service worker": { server: () => plain, threads: true },
  "with one thread": { server: () => plain, threads: false, options: { serviceWorkers: "block" } },
};

for (const [name, { server, threads, options }] of Object.entries(MODES)) {
  describe(name, () => {
    test("moves, a mate, and stop", { timeout: 3 * SLOW }, async (t) => {
      const page = await openPage(t, server(), options);
      assert.equal(await page.evaluate(() => crossOriginIsolated), threads);
      assert.equal(await page.isDisabled("#threads"), !threads);

      // A legal move, and one that is not.
      await click(page, "e2");
      await click(page, "e4");
      await click(page, "e7");
      await click(page, "e3");
      await expectPlayed(page, ["e4"]);

      await input(page, MATE_IN_TWO);
      await page.click("#toggle");
      await until(page, () => document.querySelector("#score").textContent === "#2");
      assert.match(await page.textContent("#lines li"), /^#21\. Nf6\+/);
      assert.match(await page.textContent("#chances"), /White 100%/);
      assert.ok((await page.locator("#board svg .cg-shapes g, #board .cg-shapes g").count()) > 0, "no arrow is drawn");

      // Stop holds, and what was found stays.
      await page.click("#toggle");
      assert.equal(await page.textContent("#toggle"), "Analyze");
      await page.waitForTimeout(300);
      const nodes = await page.textContent("#nodes");
      await page.waitForTimeout(700);
      assert.equal(await page.textContent("#nodes"), nodes);
      assert.equal(await page.textContent("#score"), "#2");

      // The analysis follows the moves.
      await page.click("#toggle");
      await page.fill("#move", "Nf6");
      await page.press("#move", "Enter");
      await until(page, () => document.querySelector("#score").textContent === "#1");
      await page.click("#lines [data-move='0']");
      await page.press("body", "End");
    });

    test("many short searches answer, and each for its own position", { timeout: 3 * SLOW }, async (t) => {
      const page = await openPage(t, server(), options);
      await input(page, PGN);
      await page.click("#toggle");
      for (let i = 0; i < 33; i++) {
        await page.keyboard.press("ArrowRight");
        if (i % 8 === 0 && i < 32) await until(page, () => document.querySelector("#lines .pv button"));
      }
      assert.match(await page.textContent("#chances"), /Checkmate: White has won/);
      assert.equal(await page.locator("#lines button").count(), 0);
      assert.equal(await page.textContent("#score"), "1–0");
      assert.ok(await page.isDisabled("#toggle"));
      assert.equal(await page.textContent("#toggle"), "Analyze");
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("ArrowLeft");
      await until(page, () => document.querySelector("#score").textContent === "#1");
      assert.match(await page.textContent("#lines li"), /Nxb8 17\. Rd8#/);
    });

    test("settings take effect", { timeout: 3 * SLOW }, async (t) => {
      const page = await openPage(t, server(), options);
      await openSettings(page);
      for (const lines of ["5", "1"]) {
        await page.selectOption("#multipv", lines);
        await page.click("#toggle");
        await until(page, (count) => document.querySelectorAll("#lines .pv button:first-of-type").length === count, Number(lines));
        await page.click("#toggle");
      }
      await page.selectOption("#hash", "512");
      await page.click("#toggle");
      await until(page, () => Number.parseInt(document.querySelector("#depth").textContent, 10) >= 8);
      assert.equal(await page.textContent("#note"), "");
      // The choice is remembered.
      await page.reload();
      assert.equal(await page.inputValue("#hash"), "512");
      await page.waitForSelector("#mode.ready", { timeout: SLOW });
    });

    test("the signature of bench 8 is that of the native engine", { timeout: 5 * SLOW }, async (t) => {
      const wanted = spawnSync(native, ["bench", "8"], { encoding: "utf8" });
      assert.equal(wanted.status, 0, `${native} must be built: ${wanted.stderr ?? wanted.error}`);
      const page = await openPage(t, server(), options);
      const lines = await page.evaluate(async () => {
        const { Engine } = await import("./engine.js");
        const ignore = () => {};
        const engine = await Engine.start({ info: ignore, end: ignore, note: ignore, failed: ignore });
        return engine.ask("bench 8", (line) => /^\d+ nodes \d+ nps$/.test(line));
      });
      const signature = (text) => /(\d+) nodes \d+ nps\s*$/.exec(text)?.[1];
      t.diagnostic(`in the page: ${lines.at(-1)}; native: ${wanted.stdout.trim().split("\n").at(-1)}`);
      assert.equal(signature(lines.join("\n")), signature(wanted.stdout));
    });
  });
}

test("both kernels give the same signature", { timeout: 5 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  const run = (...args) =>
    page.evaluate(async (args) => {
      const { load } = await import("./program.js");
      const worker = new Worker("./thread.js", { type: "module" });
      const lines = [];
      const done = new Promise((resolve) => {
        worker.onmessage = ({ data }) => {
          lines.push(...(data.output ?? []), ...(data.errors ?? []));
          if (data.ended || data.failure) resolve(data.failure ?? data.ended.code);
        };
      });
      worker.postMessage({ module: await load(false), text: "", args });
      const code = await done;
      worker.terminate();
      return { code, lines };
    }, args);
  const signatures = [];
  for (const kernel of ["plain", "simd128"]) {
    const { code, lines } = await run("bench", "6", "--kernel", kernel);
    t.diagnostic(`${kernel}: ${lines.at(-1)}`);
    assert.equal(code, 0, lines.join("\n"));
    signatures.push(lines.at(-1).split(" ")[0]);
  }
  assert.match(signatures[0], /^\d+$/);
  assert.equal(signatures[0], signatures[1]);
  assert.equal((await run("bench", "6", "--kernel", "avx2")).code, 2);
});

test("bad input changes nothing and says why", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, PGN);
  const before = await played(page);
  assert.equal(before.length, 35);
  for (const [text, reason] of [
    ["8/8/8/8/8/8/8/8 w - - 0 1", /board is empty|king/],
    ["rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", /eight ranks/],
    ["no chess at all", /neither a FEN nor a PGN/],
    ["", /Paste/],
  ]) {
    await input(page, text);
    assert.match(await page.textContent("#problem"), reason);
    assert.deepEqual(await played(page), before);
  }
  await input(page, "1. e4 e5 2. Ke4");
  assert.match(await page.textContent("#problem"), /2\. Ke4 is not one legal move/);
  await expectPlayed(page, ["e4", "e5"]);
  await page.fill("#move", "Qh8");
  await page.press("#move", "Enter");
  assert.match(await page.textContent("#moveproblem"), /not a legal move/);
});

test("a PGN is stepped through with keys, buttons and clicks", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, PGN);
  assert.equal(await page.textContent("#title"), "Morphy – Allies · 1-0");
  const current = () => page.evaluate(() => document.querySelector("#moves [aria-current] .san")?.textContent);
  assert.equal(await current(), undefined);
  await page.locator("#first").isDisabled();
  for (const [key, san] of [["ArrowRight", "e4"], ["ArrowRight", "e5"], ["ArrowLeft", "e4"], ["End", "Rd8#"], ["ArrowLeft", "Nxb8"], ["Home", undefined]]) {
    await page.keyboard.press(key);
    assert.equal(await current(), san, key);
  }
  await page.click("#last");
  await page.click("#back");
  assert.equal(await current(), "Nxb8");
  // Into the variation, and back to the line that it left.
  await page.click("#moves .variation .ply:last-child button");
  assert.equal(await current(), "Qxd4");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await current(), "d4");
  await page.keyboard.press("ArrowRight");
  assert.equal(await current(), "Bg4");

  await input(page, `${PGN}\n\n[White "Second"]\n\n1. d4 *`);
  await page.selectOption("#games", "1");
  await expectPlayed(page, ["d4"]);
});

test("castling in Chess960 and in standard chess", { timeout: 3 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await page.click(".input summary");
  await page.fill("#number", "959");
  await page.press("#number", "Enter");
  assert.equal(await page.evaluate(() => document.querySelectorAll("#board piece.king").length), 2);
  // King b1 and rook c1: castling to the king's side, once the way is free.
  const fen = "rkr5/pppppppp/8/8/8/8/PPPPPPPP/RKR5 w CAca - 0 1";
  await input(page, fen);
  await click(page, "b1");
  await click(page, "c1");
  await expectPlayed(page, ["O-O"]);
  const place = (piece) =>
    page.evaluate((piece) => [...document.querySelectorAll(`#board piece.white.${piece}`)].flatMap((one) => one.cgKey ?? []).sort(), piece);
  await page.waitForTimeout(300);
  assert.deepEqual(await place("king"), ["g1"]);
  assert.deepEqual(await place("rook"), ["a1", "f1"]);
  // The engine understands the position and the move.
  await page.click("#toggle");
  await until(page, () => Number.parseInt(document.querySelector("#depth").textContent, 10) >= 6);
  assert.equal(await page.textContent("#note"), "");
  await page.click("#toggle");

  // In standard chess the king moves two squares.
  await input(page, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
  await click(page, "e1");
  await click(page, "c1");
  await expectPlayed(page, ["O-O-O"]);
});

test("a pawn becomes what is chosen", async (t) => {
  const page = await openPage(t, isolated);
  await input(page, "8/P6k/8/8/8/8/8/K7 w - - 0 1");
  await click(page, "a7");
  await click(page, "a8");
  await page.waitForSelector("#promotion[open]");
  const image = await page.$eval("#promotion piece", (piece) => getComputedStyle(piece).backgroundImage);
  assert.match(image, /^url/, "the pieces are not shown");
  await page.screenshot({ path: join(screenshots, "promotion.png") });
  await page.keyboard.press("Escape");
  assert.deepEqual(await played(page), []);
  await click(page, "a7");
  await click(page, "a8");
  await page.click("#promotion button[value=knight]");
  await expectPlayed(page, ["a8=N"]);
});

test("the deepest lines fit the stack", { timeout: 5 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  await openSettings(page);
  await page.selectOption("#multipv", "1");
  // The pawns keep the kings apart, so there are few positions, and the search gets as deep as it can.
  await input(page, "4k3/8/1p1p1p1p/1P1P1P1P/8/8/8/4K3 w - - 0 1");
  await page.click("#toggle");
  await until(page, () => Number.parseInt(document.querySelector("#depth").textContent, 10) >= 200);
  assert.equal(await page.textContent("#note"), "");
});

test("an engine that ends is started again", { timeout: 3 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  const [reason, lines] = await page.evaluate(async () => {
    const { Engine } = await import("./engine.js");
    const ignore = () => {};
    let fail;
    const failure = new Promise((resolve) => (fail = resolve));
    const engine = await Engine.start({ info: ignore, end: ignore, note: ignore, failed: fail });
    engine.ask("quit", () => false);
    const reason = await failure;
    await engine.restart();
    const lines = await engine.ask("isready", (line) => line === "readyok");
    return [reason, lines];
  });
  assert.match(reason, /ended with code 0/);
  assert.deepEqual(lines.at(-1), "readyok");
});

test("memory that does not exist is refused", { timeout: 3 * SLOW }, async (t) => {
  const page = await openPage(t, isolated);
  const notes = await page.evaluate(async () => {
    const { Engine } = await import("./engine.js");
    const ignore = () => {};
    const notes = [];
    const engine = await Engine.start({ info: ignore, end: ignore, note: (text) => notes.push(text), failed: (text) => notes.push(`failed: ${text}`) });
    engine.setOption("Hash", 4000);
    engine.setOption("SyzygyPath", "/tables");
    await engine.ask("isready", (line) => line === "readyok");
    engine.setOption("Hash", 64);
    await engine.ask("isready", (line) => line === "readyok");
    return notes;
  });
  t.diagnostic(notes.join(" | "));
  assert.match(notes[0], /4000 MB/);
  assert.ok(notes.some((note) => note.includes("SyzygyPath")), notes.join());
  assert.ok(!notes.some((note) => note.startsWith("failed")), notes.join());
});

test("light and dark, wide and narrow", { timeout: 5 * SLOW }, async (t) => {
  const looks = {
    wide: { viewport: { width: 1360, height: 900 } },
    dark: { viewport: { width: 1360, height: 900 }, colorScheme: "dark" },
    narrow: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
    "narrow-dark": { viewport: { width: 360, height: 740 }, colorScheme: "dark", isMobile: true, hasTouch: true },
    tablet: { viewport: { width: 820, height: 1180 } },
  };
  for (const [name, options] of Object.entries(looks)) {
    const page = await openPage(t, isolated, options);
    await input(page, PGN);
    for (let i = 0; i < 12; i++) await page.click("#forth");
    await page.click("#toggle");
    await until(page, () => Number.parseInt(document.querySelector("#depth").textContent, 10) >= 10);
    await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`);
    const color = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await color();
    await page.click("#theme");
    assert.notEqual(await color(), before, "the button does not change the colors");
    await page.reload();
    assert.notEqual(await color(), before, "the colors are not remembered");
  }
});
