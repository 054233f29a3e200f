// What the tests in Chromium share. WEB names the folder with the page, CHROMIUM the browser,
// SCREENSHOTS a folder for the images.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

import { serve } from "../serve.mjs";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const folder = process.env.WEB ?? join(root, "target/web");
export const screenshots = process.env.SCREENSHOTS ?? join(root, "target/web-screenshots");

export const SLOW = 60_000;
export const MATE_IN_TWO = "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1";
export const PGN = '[White "Morphy"]\n[Black "Allies"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 (3... exd4 4. Qxd4) 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0';

export let browser;
/** Servers of the page, with the headers that allow threads and without them. */
export let isolated;
export let plain;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  [isolated, plain] = await Promise.all([serve(folder), serve(folder, { isPlain: true })]);
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
});

after(async () => {
  await browser?.close();
  isolated?.close();
  plain?.close();
});

/** Opens the page and waits for the engine. Every error on the page fails the test. */
export async function openPage(t, server, { hash = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  const errors = [];
  const foreign = [];
  page.on("pageerror", (error) => errors.push(error.message));
  const address = `http://127.0.0.1:${server.address().port}/`;
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !/^(data|blob):/.test(url)) foreign.push(url);
  });
  t.after(async () => {
    await context.close();
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  });
  await page.goto(address + hash);
  await page.waitForSelector("#mode.ready", { timeout: SLOW });
  return page;
}

export const input = async (page, text) => {
  await page.fill("#text", text);
  await page.click("#load");
};

export const openSettings = (page) => page.click("#enginecard summary");

/** Clicks on a square, seen from White. */
export async function click(page, square) {
  const { x, y, width } = await page.locator("#board cg-board").boundingBox();
  const [file, rank] = ["abcdefgh".indexOf(square[0]), Number(square[1]) - 1];
  await page.mouse.click(x + ((file + 0.5) * width) / 8, y + ((7.5 - rank) * width) / 8);
}

export const played = (page) => page.$$eval("#moves .san", (buttons) => buttons.map((button) => button.textContent));
/** Waits until these are the moves: the board tells the page of a move a moment after the click. */
export async function expectPlayed(page, moves) {
  const are = (moves) => [...document.querySelectorAll("#moves .san")].map((button) => button.textContent).join(" ") === moves;
  await until(page, are, moves.join(" ")).catch(() => {});
  assert.deepEqual(await played(page), moves);
}

export const until = (page, condition, argument) => page.waitForFunction(condition, argument, { timeout: SLOW });

