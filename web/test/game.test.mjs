// Tests of what needs no browser: reading games and the engine's lines.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./reader.mjs";
import { chanceAt, chanceOf, judgmentOf, scoreText } from "../page/annotation.js";
import { Clock, timeControlTag } from "../page/clock.js";
import { Edits } from "../page/edits.js";
import { Game, InputError, lineOf, outcome, read, readPgn, verdict } from "../page/game.js";
import { parseInfo, withInfo } from "../page/info.js";
import { loadOpenings, openingAt } from "../page/openings.js";
import { surplusOf } from "../page/material.js";
import { chess960Start, isChess960, position } from "../page/position.js";
import { sayMove, sayPosition } from "../page/words.js";

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
  refused("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 and more", /fields/);
  refused("https://lichess.org/abcdefgh", /Paste the game itself/);
});

test("a PGN with headers, comments and variations", () => {
  const { games, faults } = read(`\ufeff[White "A"]\r\n[Black "B"]\r\n[Result "1-0"]\r\n\r\n1. e4 {best [%eval 0.3] by test} e5 (1... c5 2. Nf3) 2. Nf3 Nc6 1-0\r\n`);
  assert.deepEqual(faults, []);
  assert.equal(games.length, 1);
  const [game] = games;
  assert.equal(game.title, "A – B · 1-0");
  assert.deepEqual(sans(game), ["e4", "e5", "Nf3", "Nc6"]);
  const [e4] = game.root.children;
  assert.equal(e4.remark.text, "best by test");
  assert.deepEqual(e4.remark.score, { cp: 30 });
  assert.deepEqual(e4.children.map((node) => node.san), ["e5", "c5"]);
  const again = readPgn(game.pgn).games[0];
  assert.equal(again.pgn, game.pgn);
});

test("an illegal move ends a game with a message", () => {
  const { games, faults } = read("1. e4 e5 2. Ke3 Nc6\n\n[White \"C\"]\n\n1. d4 *");
  assert.deepEqual(games.map(sans), [["e4", "e5"], ["d4"]]);
  assert.equal(faults.length, 1);
  assert.match(faults[0], /^Line 1: 2\. Ke3 is not one legal move/);
});

test("a game from another position, and another variant", () => {
  const { games } = read(`[FEN "${chess960Start(0)}"]\n[Variant "Chess960"]\n\n1. g3 O-O *`);
  assert.deepEqual(sans(games[0]), ["g3"]);
  for (const known of ["fischerandom", "Fischer Random", "DFRC", "Chess9LX", "Freestyle", "Classical", "?"]) {
    assert.deepEqual(read(`[Variant "${known}"]\n\n1. e4 *`).faults, [], known);
  }
  for (const other of ["Atomic", "atomic960", "Crazyhouse 960", "Random", "Capablanca Random Chess"]) {
    assert.throws(() => read(`[Variant "${other}"]\n\n1. e4 *`), /does not play the variant/, other);
  }
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

test("annotations are understood, and come back as they were", () => {
  const text = `[White "A"]\n\n{ Before [%x 1] } 1. e4 $1 { [%eval 0.33] [%clk 1:00:05] fine } 1... f6 $6 $44 { [%eval #-12] } ( { or } 1... e5 { [%csl Ge4] } ) 2. d4 { [%emt 0:00:01] } *`;
  const { games: [game], faults } = read(text);
  assert.deepEqual(faults, []);
  assert.deepEqual(game.comments, ["Before [%x 1]"]);
  const [, e4, f6] = game.mainLine;
  assert.equal(judgmentOf(e4.nags).sign, "!");
  assert.deepEqual([e4.remark.text, e4.remark.clock, e4.remark.score], ["fine", 3605, { cp: 33 }]);
  assert.deepEqual([f6.nags, f6.remark.score, chanceAt(f6)], [[6, 44], { mate: -12 }, chanceOf({ cp: -1000 })]);
  assert.ok(chanceAt(e4) > 0.5 && chanceAt(e4) < 0.6);
  assert.deepEqual(e4.children[1].startingComments, ["or"]);
  assert.equal(e4.children[1].remark.shapes.length, 1);
  for (const part of ["[%eval 0.33] [%clk 1:00:05] fine", "$6 $44", "[%eval #-12]", "[%csl Ge4]", "[%emt 0:00:01]", "Before [%x 1]", "{ or }"]) {
    assert.ok(game.pgn.includes(part), `${part} is not in ${game.pgn}`);
  }
  assert.equal(readPgn(game.pgn).games[0].pgn, game.pgn);
  assert.deepEqual([{ cp: -120 }, { cp: 0.4 }, { mate: -3 }].map(scoreText), ["−1.20", "0.00", "#−3"]);
});

test("a game takes annotations and keeps what was played meanwhile", () => {
  const [game] = read("1. e4 e5 (1... c5) 2. Nf3 *").games;
  game.root.children[0].play(game.root.children[0].understand("d5"));
  game.merge(read("1. e4 { [%eval 0.3] } 1... e5 $6 ( 1... c5 2. Nf3 ) 2. Nf3 *").games[0]);
  const [e4] = game.root.children;
  assert.deepEqual(e4.children.map(({ san }) => san), ["e5", "c5", "d5"]);
  assert.deepEqual(e4.children[0].nags, [6]);
  assert.equal(e4.children[1].children[0].san, "Nf3");
});

test("a pawn without a choice becomes a queen", () => {
  const { root } = Game.fromFen("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1");
  for (const text of ["a8", "a7a8", "a8=Q", "a8Q", "axb8", "axb8+"]) assert.equal(root.understand(text)?.promotion, "queen", text);
  assert.equal(root.understand("a8N").promotion, "knight");
  assert.equal(root.understand("Ke2").promotion, undefined);
});

test("games end by repetition and by the fifty-move rule", () => {
  const [game] = read("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *").games;
  assert.match(outcome(game.end).reason, /third time/);
  assert.equal(outcome(game.end.parent), undefined);
  assert.equal(outcome(Game.fromFen("4k3/8/8/8/8/8/R7/3K4 w - - 100 90").root).result, "1/2-1/2");
  assert.equal(outcome(Game.fromFen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1").root).result, "1-0");
});

test("positions and moves in words", () => {
  assert.equal(sayMove("Nxf3+"), "knight takes f3, check");
  assert.equal(sayMove("Nbd7"), "knight b d7");
  assert.equal(sayMove("exd8=Q#"), "e takes d8 becomes a queen, mate");
  assert.equal(sayMove("O-O-O"), "castles queenside");
  assert.equal(sayPosition(position("4k3/8/8/8/8/8/PP6/4K3 b - - 0 1")), "White: king e1; pawns a2, b2. Black: king e8. Black to move.");
});

test("the best line comes first, whatever order the engine tells them in", () => {
  const line = (rank, score, pv, isBound = false) => ({ rank, score, pv: pv.split(" "), isBound });
  const told = (...infos) => infos.reduce((lines, info) => withInfo(lines, info, 3), []);
  const first = (lines) => lines.map(({ pv }) => pv[0]);
  const all = [line(1, { cp: 30 }, "e2e4 e7e5"), line(2, { cp: 20 }, "d2d4 d7d5"), line(3, { cp: 10 }, "c2c4")];
  assert.deepEqual(first(told(...all)), ["e2e4", "d2d4", "c2c4"]);
  // The second move becomes the best, and its old place is empty until something else is there.
  assert.deepEqual(first(told(...all, line(1, { cp: 40 }, "d2d4 g8f6"))), ["d2d4", "c2c4"]);
  assert.deepEqual(first(told(...all, line(1, { cp: 40 }, "d2d4 g8f6"), line(2, { cp: 25 }, "e2e4"))), ["d2d4", "e2e4", "c2c4"]);
  // A bound moves a line, and keeps the moves behind its first one.
  const bounded = told(...all, line(1, { cp: 15 }, "e2e4", true));
  assert.deepEqual(bounded.map(({ pv }) => pv.join(" ")), ["d2d4 d7d5", "e2e4 e7e5", "c2c4"]);
  const mates = told(line(1, { mate: -1 }, "a2a3"), line(2, { mate: -4 }, "b2b3"), line(3, { mate: 3 }, "c2c3"));
  assert.deepEqual(first(mates), ["c2c3", "b2b3", "a2a3"]);
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

test("positions are read as people and programs write them", () => {
  const fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 0 3";
  const bare = fen.replace(" 0 3", "");
  for (const text of [`"${fen}"`, `“${fen}”`, `FEN: ${fen}`, `fen ${fen}`, `position fen ${fen}`, `${bare} 0 3\n`, fen.replaceAll(" ", "\n"), `'${fen}',`]) {
    assert.equal(read(text).games[0].root.fen, fen, text);
  }
  for (const text of [`${bare} - -`, bare, `${bare} bm Nf6; id "x";`]) assert.equal(read(text).games[0].root.fen, `${bare} 0 1`, text);
  for (const text of [`${bare} bm Nf6`, `${bare} 2 9 bm Nf6; id "x";`, `# a suite\n; of one\n// position\n% only\n${bare} 2 9 bm Nf6\n`]) {
    const [game] = read(text).games;
    assert.equal(game.root.fen, `${bare} ${text.includes(" 2 9") ? "2 9" : "0 1"}`, text);
    assert.match(game.comments[0], /^bm Nf6/);
  }
  const { games, faults } = read(`${fen}\n\n8/8/8/4k3/8/8/8/3QK3 w - - bm Qd7; id "b"; hmvc 99; fmvn 80;\n8/8 w\n`);
  assert.deepEqual(games.map(({ root, title }) => [root.fen, title]), [[fen, ""], ["8/8/8/4k3/8/8/8/3QK3 w - - 99 80", "b"]]);
  assert.match(games[1].comments[0], /bm Qd7/);
  assert.match(faults[0], /^Line 4: /);
  assert.deepEqual(sans(read("position startpos moves e2e4 e7e5").games[0]), ["e4", "e5"]);
});

test("a comment stays behind the variation that it follows", () => {
  const [game] = read("1.e4 e6 {French} (1...c6){, but fine too} 2.d4 *").games;
  assert.equal(game.pgn.trim().split("\n").at(-1), "1. e4 e6 { French } ( 1... c6 ) { , but fine too } 2. d4 *");
  assert.equal(read(game.pgn).games[0].pgn, game.pgn);
});

test("the summary of an annotated file is that of a review", () => {
  const [game] = read("{ White: accuracy 97.2%, 1 inaccuracy, 0 mistakes,\n2 blunders. Black: accuracy -. Rejoinder 1.0, 100000 nodes a position. } 1. e4 *").games;
  assert.deepEqual(game.review, { white: { accuracy: "97.2%", counts: ["1", "0", "2"] }, black: { accuracy: "-", counts: ["0", "0", "0"] }, effort: "100000 nodes" });
  assert.equal(game.root.remark.text, "");
});

test("changes of the moves are undone, the last one first", () => {
  const { games: [game] } = readPgn("1. e4 e5 (1... c5 2. Nf3) 2. Nc3 *");
  const edits = new Edits();
  const before = game.pgn;
  const [e4] = game.root.children;
  const line = () => ["d6", "d4"].reduce((to, san) => to.play(to.understand(san)), e4);
  edits.adding(e4, line);
  // What is there already is no change.
  edits.adding(e4, line);
  const [e5, c5] = e4.children;
  assert.equal(edits.remove(c5), e4);
  assert.equal(edits.remove(e5), e4);
  assert.match(game.pgn, /1\. e4 d6 2\. d4/);
  assert.equal(edits.undo(), e5);
  assert.equal(edits.undo(), c5);
  assert.equal(edits.undo(), e4);
  assert.equal(game.pgn, before);
  assert.ok(edits.isEmpty);
  assert.equal(edits.undo(), undefined);
});

test("each side's surplus of pieces", () => {
  const of = (fen, color) => {
    const { more, points } = surplusOf(position(fen), color);
    return [more.map(({ role, count }) => `${count} ${role}`).join(), points];
  };
  const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
  assert.deepEqual(of(start, "white"), ["", 0]);
  const exchange = "2b1k3/pp6/8/8/8/8/P7/R3K3 w - - 0 1";
  assert.deepEqual(of(exchange, "white"), ["1 rook", 1]);
  assert.deepEqual(of(exchange, "black"), ["1 bishop,1 pawn", -1]);
});

test("a clock runs for the side to move, and ends a game", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const wait = (seconds) => {
    now += 1000 * seconds;
    t.mock.timers.tick(1000 * seconds);
  };
  const fallen = [];
  const clock = new Clock("3+2", undefined, (color) => fallen.push(color));
  const game = Game.fromFen();
  const play = (san) => {
    const node = game.end.play(game.end.understand(san));
    clock.runFor(node);
    return node;
  };
  clock.runFor(game.root);
  wait(10);
  const e4 = play("e4");
  assert.equal(e4.remark.clock, 172);
  assert.equal(clock.limits, "wtime 172000 btime 180000 winc 2000 binc 2000");
  wait(30);
  assert.deepEqual(clock.left, { white: 172, black: 150 });
  // The same position again changes nothing.
  clock.runFor(e4);
  assert.equal(play("e5").remark.clock, 152);
  assert.match(game.pgn, /\[%clk 0:02:52\]/);
  clock.setBack(e4);
  assert.deepEqual(clock.left, { white: 172, black: 180 });
  clock.runFor(e4);
  wait(179);
  assert.deepEqual(fallen, []);
  wait(1);
  assert.deepEqual(fallen, ["black"]);
  assert.equal(clock.left.black, 0);
  // What was left at the last visit.
  assert.deepEqual(new Clock("1+0", { white: 7, black: 8 }, () => {}).left, { white: 7, black: 8 });
  assert.equal(timeControlTag("15+10"), "900+10");
});

test("the opening has its name at every move", async () => {
  const { games: [game] } = readPgn("1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 *");
  assert.equal(openingAt(game.end), "");
  await loadOpenings();
  const names = game.end.path.map(openingAt);
  assert.deepEqual(names.slice(0, 4), ["B00 King's Pawn Game", "C20 King's Pawn Game", "C40 King's Knight Opening", "C41 Philidor Defense"]);
  assert.match(names.at(-1), /^C41 Philidor Defense/);
  assert.equal(openingAt(game.root), "");
  // Not from another first position.
  assert.equal(openingAt(readPgn("1. e4 c6 *").games[0].end), "B10 Caro-Kann Defense");
  assert.equal(openingAt(Game.fromFen("4k3/8/8/8/8/8/8/4K2R w K - 0 1").root), "");
});
