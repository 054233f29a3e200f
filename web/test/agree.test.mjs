// Tests that the page and `rejoinder-study annotate` read the same games. STUDY names that program.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import "./reader.mjs";
import { read, readPgn } from "../page/game.js";
import { gamesOf } from "../page/reader.js";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const study = process.env.STUDY ?? join(root, "rejoinder-study");
const data = join(root, "tests/data/pgn");
const own = readdirSync(data).map((name) => readFileSync(join(data, name)));

/** What the program reads: the games by their numbers, and all of them as PGN. */
function program(t, bytes) {
  const folder = mkdtempSync(join(tmpdir(), "rejoinder-agree-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [input, output, json] = ["in.pgn", "out.pgn", "out.json"].map((name) => join(folder, name));
  writeFileSync(input, bytes);
  const { status, stderr } = spawnSync(study, ["annotate", input, "-o", output, "--json", json, "--nodes", "1", "--hash", "1", "--plain"], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(status === 0 || /could not be annotated to their end/.test(stderr), stderr);
  const games = new Map(readFileSync(json, "utf8").trim().split("\n").map(JSON.parse).map((game) => [game.game, game]));
  return { games, pgn: readFileSync(output, "utf8") };
}

/** All comments of a game, as words. */
function commentsOf(game) {
  const found = [];
  const waiting = [game.root];
  while (waiting.length > 0) {
    const node = waiting.pop();
    found.push(...node.startingComments, ...node.comments);
    waiting.push(...node.children);
  }
  return found;
}

/** Checks that page and program find the same games in a text, and returns their number. */
function compare(t, bytes) {
  const { games, pgn } = program(t, bytes);
  const found = gamesOf(bytes);
  assert.deepEqual(found.flatMap(({ refused }, i) => (refused ? [] : [i + 1])), [...games.keys()], "the games that are read");
  // Text that cannot be played has other brackets, and its commands are none any more.
  const plain = (text) => text.replaceAll("[%", "[").replace(/[(){}]/g, "");
  const written = plain(pgn.replace(/\s+/g, ""));
  const pages = readPgn(bytes).games;
  for (const [i, one] of [...games.values()].entries()) {
    const game = pages[i];
    // A null move ends what the program searches, and the page has none.
    assert.deepEqual(game.end.path.map(({ san }) => san), one.moves.map(({ san }) => san), `game ${one.game}`);
    // Where the moves end with `*`, the header is that of the tag.
    if (one.result !== "*") assert.equal(game.headers.get("Result"), one.result, `game ${one.game}`);
    for (const comment of commentsOf(game)) {
      // The program writes scores of its own.
      const words = plain(comment).replace(/\[eval [^\]]*\]/g, " ").split(/\s+/);
      for (const word of words) assert.ok(written.includes(word), `${word} of game ${one.game}`);
    }
  }
  return games.size;
}

test("page and program read the same games from files of every kind", (t) => {
  const counts = own.map((bytes) => compare(t, bytes));
  assert.ok(counts.reduce((sum, count) => sum + count) > 20, `${counts}`);
});

test("page and program read the same from a thousand damaged games", { timeout: 300_000 }, (t) => {
  let state = 11;
  const random = (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const pieces = own.flatMap((bytes) => bytes.toString("latin1").split(/(?<=\n)|(?<= )/));
  const damaged = [];
  for (let number = 0; number < 1000; number++) {
    const bytes = own[random(own.length)].toString("latin1");
    const games = bytes.split(/(?=\[Event )/).slice(1);
    const words = games[random(games.length)].split(/(?<=[ \n])/);
    for (let change = random(4); change > 0; change--) {
      const at = random(words.length);
      const kind = random(4);
      if (kind === 0) words.splice(at, 1 + random(3));
      else if (kind === 1) words.splice(at, 0, pieces[random(pieces.length)]);
      else if (kind === 2) words.splice(at, 0, ["\n", "\n\n", "{", "}", "(", ")", "1-0 ", "White thought. ", "[#] "][random(9)]);
      else words[at] = words[at].slice(random(3));
    }
    damaged.push(`[Event "${number}"]\n${words.join("")}\n\n`);
  }
  const count = compare(t, Buffer.from(damaged.join(""), "latin1"));
  t.diagnostic(`${count} games`);
  assert.ok(count > 900, `${count} games`);
});

test("a game that is copied from the page is the same to the reader", () => {
  for (const bytes of own) {
    for (const game of read(new Uint8Array(bytes)).games) assert.equal(read(game.pgn).games[0].pgn, game.pgn);
  }
});
