// Tests of what needs no browser: reading games and the engine's lines.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parseInfo } from "../page/engine.js";
import { Game, InputError, chess960Start, isChess960, lineOf, position, read, readPgn, verdict } from "../page/game.js";

const sans = (game) => game.end.path.map((node) => node.san);

test("all start positions of Chess960 are different and valid", () => {
  const starts = Array.from({ length: 960 }, (_, number) => chess960Start(number));
  assert.equal(new Set(starts).size, 960);
  for (const fen of starts) {
    const start = position(fen);
    const [bishops, king] = [[...start.board.bishop.intersect(start.board.white)], start.board.kingOf("white")];
    assert.equal((bishops[0] + bishops[1]) % 2, 1, fen);
    const { a, h } = start.castles.rook.white;
    assert.ok(a < king && king < h, fen);
  }
  assert.equal(starts[518], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
  assert.match(starts[0], /^bbqnnrkr\//);
  assert.match(starts[959], /^rkrnnqbb\//);
  assert.ok(!isChess960(position(starts[518])));
  assert.ok(isChess960(position(starts[0])));
});

test("a bad FEN is refused with its reason", () => {
  const refused = (fen, reason) => assert.throws(() => read(fen), (error) => error instanceof InputError && reason.test(error.message), fen);
  refused("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1", /eight ranks/);
  refused("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", /w or b/);
  refused("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", /exactly one king/);
  refused("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", /not to move is in check/);
  refused("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", /pawns/);
  refused("", /Paste/);
  refused("good day", /neither/);
});

test("a PGN with headers, comments and variations", () => {
  const { games, faults } = read(`\ufeff[White "A"]\r\n[Black "B"]\r\n[Result "1-0"]\r\n\r\n1. e4 {best [%eval 0.3] by test} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1-0\r\n`);
  assert.deepEqual(faults, []);
  assert.equal(games.length, 1);
  const [game] = games;
  assert.equal(game.title, "A – B · 1-0");
  assert.deepEqual(sans(game), ["e4", "e5", "Nf3", "Nc6"]);
  const [e4] = game.root.children;
  assert.match(e4.comment, /^best\s+by test$/);
  assert.deepEqual(e4.children.map((node) => node.san), ["e5", "c5"]);
  const again = readPgn(game.pgn).games[0];
  assert.equal(again.pgn, game.pgn);
});

test("an illegal move ends a game with a message", () => {
  const { games, faults } = read("1. e4 e5 2. Ke3 Nc6\n\n[White \"C\"]\n\n1. d4 *");
  assert.deepEqual(games.map(sans), [["e4", "e5"], ["d4"]]);
  assert.equal(faults.length, 1);
  assert.match(faults[0], /^2\. Ke3 is not legal/);
});

test("a game from another position, and another variant", () => {
  const { games } = read(`[FEN "${chess960Start(0)}"]\n[Variant "Chess960"]\n\n1. g3 O-O *`);
  assert.deepEqual(sans(games[0]), ["g3"]);
  assert.throws(() => read('[Variant "Atomic"]\n\n1. e4 *'), /not supported/);
});

test("moves are understood as people write them", () => {
  const { root } = Game.fromFen("r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1");
  const uci = (text) => root.understand(text) && root.play(root.understand(text)).moves[0];
  assert.equal(uci("O-O"), "e1h1");
  assert.equal(uci("0-0-0"), "e1a1");
  assert.equal(uci("e1g1"), "e1h1");
  assert.equal(uci("1. bxa8=N!"), "b7a8n");
  assert.equal(uci("b7b8q"), "b7b8q");
  assert.equal(uci("Ke3"), undefined);
  assert.equal(uci("castle"), undefined);
  // The same move leads to the same position.
  assert.equal(root.children.length, 4);
});

test("a line gets its numbers and ends before an illegal move", () => {
  const start = position("4k3/8/8/8/8/8/4P3/4K3 b - - 0 7");
  const line = lineOf(start, ["e8e7", "e2e4", "e7e6", "e4e6"]);
  assert.deepEqual(line.map(({ number, san }) => number + san), ["7…Ke7", "8.e4", "Ke6"]);
});

test("verdicts", () => {
  assert.match(verdict(position("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")), /White has won/);
  assert.match(verdict(position("k7/2Q5/8/8/8/8/8/6K1 b - - 0 1")), /Stalemate/);
  assert.match(verdict(position("k7/8/8/8/8/8/8/6K1 b - - 0 1")), /Neither/);
  assert.equal(verdict(position("k7/8/8/8/8/8/8/R5K1 b - - 0 1")), undefined);
});

test("the engine's lines", () => {
  const info = parseInfo("info depth 9 seldepth 14 multipv 2 score mate -3 wdl 0 1 999 nodes 12 nps 34 hashfull 5 tbhits 0 time 67 pv e2e4 e7e5");
  assert.deepEqual(info, {
    depth: 9, seldepth: 14, rank: 2, score: { mate: -3 }, wdl: [0, 1, 999], isBound: false,
    nodes: 12, nps: 34, time: 67, hashfull: 5, pv: ["e2e4", "e7e5"],
  });
  assert.ok(parseInfo("info depth 9 score cp 3 lowerbound pv e2e4").isBound);
  assert.equal(parseInfo("info string score cp 1 pv"), undefined);
  assert.equal(parseInfo("info depth 0 score mate 0"), undefined);
});
