// What the tests of the page of `rejoinder-study serve` share. STUDY names the program, which must have
// the page inside (`make page`, REJOINDER_PAGE).

import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { SLOW, browser } from "./browser.mjs";

export const STUDY = process.env.STUDY;

/** Closes each page that a test has opened. */
const opened = [];

/** Starts the program and returns its address and process, with the milliseconds to its first line. */
export async function start(t, ...args) {
  const begun = performance.now();
  const program = spawn(STUDY, ["serve", "--no-open", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(async () => {
    // The pages go first: losing the program would be an error on them.
    for (const close of opened.splice(0)) await close();
    program.kill("SIGKILL");
  });
  const [address] = await once(createInterface(program.stdout), "line");
  return { program, address, time: performance.now() - begun };
}

/** Opens the page. An error on it fails the test, unless the program is to be lost. */
export async function open(address, isLost = false) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  opened.push(async () => {
    await context.close();
    if (!isLost) assert.deepEqual(errors, []);
  });
  await page.goto(address);
  await page.waitForSelector("#mode.ready", { timeout: SLOW });
  return page;
}

/** The processes that a process has started. */
export function children(pid) {
  try {
    return execFileSync("pgrep", ["-P", String(pid)]).toString().trim().split("\n");
  } catch {
    return [];
  }
}

export async function eventually(condition) {
  for (let i = 0; i < 500; i++) {
    if (condition()) return;
    await new Promise((done) => setTimeout(done, 20));
  }
  assert.fail("it does not come true");
}

export function folderOf(t, files) {
  const folder = mkdtempSync(join(tmpdir(), "rejoinder-native-"));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "games/old"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
