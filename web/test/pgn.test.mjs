// Tests of what PGN texts are read as, without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";

import "./reader.mjs";
import { InputError, read } from "../page/game.js";

const sans = (game) => game.end.path.map((node) => node.san);
/** The moves of a game as PGN, without its tags. */
const moves = (game) => game.pgn.replace(/^(\[.*\]\n)*/, "").trim();
/** Reads one game without a fault, and checks that it is the same when it is read again. */
function only(text) {
  const { games, faults } = read(text);
  assert.deepEqual(faults, [], text);
  assert.equal(games.length, 1, text);
  assert.equal(read(games[0].pgn).games[0].pgn, games[0].pgn, text);
  return games[0];
}

test("a variation that repeats moves of the game stays a variation", () => {
  for (const [text, wanted] of [
    ["1. e4 e5 2. Nf3 (2. Nf3 d6 3. d4) 2... Nc6 3. Bb5 a6 1-0", "1. e4 e5 2. Nf3 Nc6 ( 2... d6 3. d4 ) 3. Bb5 a6 1-0"],
    ["1. e4 (1. e4 e5 2. Nf3 (2. Bc4)) 1... e5 2. d4 *", "1. e4 e5 2. d4 ( 2. Nf3 ) ( 2. Bc4 ) *"],
    ["1. e4 (1. d4 d5) (1. d4 Nf6) *", "1. e4 ( 1. d4 d5 ( 1... Nf6 ) ) *"],
    ["1. e4 (1. d4 d5 (1... c5)) (1. d4 Nf6) *", "1. e4 ( 1. d4 d5 ( 1... c5 ) ( 1... Nf6 ) ) *"],
  ]) {
    assert.equal(moves(only(text)), wanted);
  }
});

test("what is said about a repeated move is joined", () => {
  const game = only("1. e4 $1 {[%eval 0.3] one} (1. {two} e4 $1 $5 {[%eval 0.9] three} c5) 1... e5 *");
  const [e4] = game.root.children;
  assert.deepEqual(e4.comments, ["[%eval 0.3] one", "two", "[%eval 0.9] three"]);
  assert.deepEqual(e4.nags, [1, 5]);
  // The score of the game comes before that of the variation.
  assert.deepEqual(e4.remark.score, { cp: 30 });
  assert.equal(moves(only("1. e4 ({a} 1. d4 {b}) ({c} 1. d4 {d}) *")), "1. e4 ( { a } { c } 1. d4 { b } { d } ) *");
});

test("figurines and long notation are played", () => {
  assert.deepEqual(sans(only("1. e4 e5 2. ♘f3 ♞c6 3. ♗b5 *")), ["e4", "e5", "Nf3", "Nc6", "Bb5"]);
  assert.deepEqual(sans(only("1. e2e4 e7-e5 2. g1f3 b8c6 3. Bf1-c4 g8f6 4. e1g1 f6e4 *")), ["e4", "e5", "Nf3", "Nc6", "Bc4", "Nf6", "O-O", "Nxe4"]);
  assert.deepEqual(sans(only('[FEN "3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1"]\n\n1. c7d8(Q)+ *')), ["cxd8=Q+"]);
});

test("moves that cannot be read or played end a line, and the rest of it is kept as a comment", () => {
  const faulty = (text, wanted, ...sentences) => {
    const { games, faults } = read(text);
    assert.equal(moves(games[0]), wanted);
    assert.equal(faults.length, sentences.length, text);
    sentences.forEach((sentence, i) => assert.match(faults[i], sentence));
    assert.deepEqual(read(games[0].pgn).faults, []);
  };
  faulty("1. e4 e5 2. Sf3 Sc6 {x} (2... d6) 3. Lc4 1-0 {end}", "1. e4 e5 { 2. Sf3 Sc6 (x) (2... d6) 3. Lc4 } { end } 1-0", /^Line 1: 'Sf3' is not a move/);
  faulty("1. e4 e5 2. Ke3 {[%eval 9]} Nc6 *", "1. e4 e5 { 2. Ke3 ([eval 9]) Nc6 } *", /^Line 1: 2\. Ke3 is not one legal move there; the game is kept as text/);
  faulty("1. e4 -- 2. d4 *", "1. e4 { 1... -- 2. d4 } *", /^What begins with 1\.\.\. -- is kept as a comment/);
  faulty("1. e4 Springer 2. d4 d5 *", "1. e4 { Springer 2. d4 d5 } *", /is not a move/);
  faulty("1. e4 0-1 2. d4", "1. e4 { 2. d4 } 0-1", /comes after the result/);
  faulty("1. e4 (1. Qz7 x) 1... e5 (1... c5 2. Sf3 d6) *", "1. e4 { (1. Qz7 x) } e5 ( 1... c5 { 2. Sf3 d6 } ) *", /^Line 1: a variation is kept as text/, /^Line 1: a variation is kept as text/);
  faulty("1. e4 e5 2. Nf3 (2. Nf3 {a} d6 3. d4) *", "1. e4 e5 2. Nf3 { a } { 2... d6 3. d4 } *", /^What begins with 2\.\.\. d6 is kept/);
  faulty("1. e4 (1. d4 { open", "1. e4 ( 1. d4 { open } ) *", /comment does not end, a variation of this game does not end/);
  faulty('[Result "1-0"]\n\n1. e4 0-1', "1. e4 0-1", /0-1, and that of the tag was 1-0/);
  assert.throws(() => read("1. Sf3 Sf6 2. c4"), (error) => error instanceof InputError && /^This is neither/.test(error.message));
});

test("a variation behind the move it would replace is kept as a comment", () => {
  const rooks = '[FEN "3r2k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"]\n\n';
  for (const [text, wanted] of [
    ["1. h3 h6 (2. Rxd8+ Kh7) 2. g3 (3. Rd1) g6 *", "1. h3 h6 { (2. Rxd8+ Kh7) } 2. g3 { (3. Rd1) } g6 *"],
    ["1. h3 h6 2. g3 (3. g4) g6 *", "1. h3 h6 2. g3 { (3. g4) } g6 *"],
    // Both sides could move there.
    ["1. h3 h6 (2. Rd5) *", "1. h3 h6 { (2. Rd5) } *"],
    ["1. h3 (1... Rd5) h6 *", "1. h3 { (1... Rd5) } h6 *"],
    ["1. h3 ( ... Rd5) h6 *", "1. h3 { ( ... Rd5) } h6 *"],
    ["1. h3 h6 (2. Rd5 {[%clk 1:00] a\nplan} (2. g3 $1) Kh7) *", "1. h3 h6 { (2. Rd5 ([clk 1:00] a plan) (2. g3 $1) Kh7) } *"],
    ["31. h3 h6 (30... g6) *", "1. h3 h6 { (30... g6) } *"],
  ]) {
    const { games, faults } = read(rooks + text);
    assert.equal(moves(games[0]), wanted);
    assert.match(faults[0], /^Line 3: a variation is kept as text/);
    assert.deepEqual(read(games[0].pgn).faults, []);
  }
  // The game's own numbers may differ from those of the text.
  for (const number of [1, 31]) assert.equal(moves(only(`${rooks}31. h3 h6 (${number}... g6) *`)), "1. h3 h6 ( 1... g6 ) *");
  for (const number of ["1...", "1..", "1…", "1. ...", "1", "1.", "...", ""]) {
    assert.equal(moves(only(`1. e4 e5 (${number} c5 2. Nf3) 2. Nc3 *`)), "1. e4 e5 ( 1... c5 2. Nf3 ) 2. Nc3 *", number);
  }
});

test("other words become comments", () => {
  for (const [text, wanted] of [
    ["1. e4 e5 2. Nf3 Diagram (see a4) 2... Nc6 *", "1. e4 e5 2. Nf3 { Diagram } { (see a4) } Nc6 *"],
    ["1. e4 [#] TN 2024 e5 $999 *", "1. e4 { [#] TN 2024 } e5 { $999 } *"],
    ["1. e4 (better 1. d4) (perhaps) () *", "1. e4 { (perhaps) } { () } ( { better } 1. d4 ) *"],
    ["1. e4 (1. d4 1-0) 1... e5 1/2-0", "1. e4 ( 1. d4 { 1-0 } ) 1... e5 { 1/2-0 } *"],
    ['[FEN "8/P6k/8/8/8/8/8/K7 w - - 0 1"]\n\n(1. a8=Q) *', "{ (1. a8=Q) } *"],
  ]) {
    assert.equal(moves(only(text)), wanted);
  }
});

test("comments of every form are kept", () => {
  assert.equal(moves(only("1. e4 ; the {king's} pawn\n% escaped\ne5 {two\nlines} *")), "1. e4 { the {king's) pawn } { % escaped } e5 { two lines } *");
  const game = only('{one}\n; two\n% three\nPrinted on a4.\n[White "A"]\n{four}\n\n1. e4 *\n\n; five');
  assert.deepEqual([game.headers.get("White"), game.comments], ["A", ["one", "two", "% three", "Printed on a4.", "four"]]);
  assert.deepEqual(game.end.comments, ["five"]);
});

test("games are told apart", () => {
  const starts = (text) => read(text).games.map((game) => [game.headers.get("White") ?? "", ...sans(game)].join(" "));
  for (const [text, wanted] of [
    ["1. e4 e5\n\n2. Nf3 Nc6 *", [" e4 e5 Nf3 Nc6"]],
    ['[White "a"]\r\r1. e4 *\r\r[White "b"]\r\r1. d4 *\r', ["a e4", "b d4"]],
    ['\ufeff[White "a"]\r\n\r\n1. e4 *\r\n\r\n1. d4 *', ["a e4", " d4"]],
    ['My game\n[White "a"]\n\n1. e4 *', ["a e4"]],
    ['[White "a"] 1. e4 1-0 [White "b"] 1. d4 *', ["a e4", "b d4"]],
    ["1. e4 1-0 1. d4 0-1\n1.c4 *", [" e4", " d4", " c4"]],
    ["1. e4 e5\n\n1. d4 d5", [" e4 e5", " d4 d5"]],
    ['[Event "x"]\n[Site "y"]\n\n{only words} *\n\n[White "b"]\n\n1. e4 *', ["", "b e4"]],
    ['1. e4 {oh *\n\n[Event "x"]\n[White "b"]\n\n1. d4 *', [" e4", "b d4"]],
    ['1. e4 *\n\n{oh\n\n[Event "x"]\n[White "b"]\n\n1. d4 *', [" e4", "b d4"]],
    ['[White-Elo "1"]\n[White "a"]\n\n*\n\n[White-Elo "2"]\n[White "b"]\n\n*', ["a", "b"]],
    ["1. Ke3 *\n\n1. d4 *", ["", " d4"]],
  ]) {
    assert.deepEqual(starts(text), wanted, text);
  }
  assert.equal(moves(read('[Event "x"]\n\n{only words} *\n\n[White "b"]\n\n1. e4 *').games[0]), "{ only words } *");
});

test("tags are kept, whatever is wrong with them", () => {
  const headers = (text) => [...only(`${text}\n\n1. e4 *`).headers];
  assert.deepEqual(headers('[BlackType: "program"]\n[White-Elo "1"]\n[ Белые"Таль" ]\n[Site x]'), [["BlackType:", "program"], ["White-Elo", "1"], ["Белые", "Таль"], ["Site", "x"]]);
  assert.deepEqual(headers('[A "the "big" \\"one\\" [x]"]\n[B "a\\\\"] [C "x\\"] [d"]\n[E "in\ntwo"]\n[white “Tal”]\n[F "open'), [
    ["A", 'the "big" "one" [x]'], ["B", "a\\"], ["C", 'x"] [d'], ["E", "in two"], ["White", "Tal"], ["F", "open"],
  ]);
  const twice = only('[White "a"]\n[White "b"]\n\n1. e4 *');
  assert.deepEqual([twice.headers.get("White"), twice.comments], ["a", ['[White "b"]']]);
});

test("results are found where they are, and unknown ones stay in the tag", () => {
  for (const [text, tag, end] of [
    ["1. e4 0-1", "0-1", "0-1"],
    ['[Result "1-0"]\n\n1. e4', "1-0", "1-0"],
    ['[Result "*"]\n\n1. e4 ½-½', "1/2-1/2", "1/2-1/2"],
    ['[Result "0-0"]\n\n1. e4 0-0', "0-0", "*"],
    ['[Result "0-0"]\n\n1. e4 *', "0-0", "*"],
    ['[Result "won"]\n\n1. e4 won', "won", "*"],
  ]) {
    const game = only(text);
    assert.deepEqual([game.headers.get("Result"), moves(game)], [tag, `1. e4 ${end}`], text);
  }
});

test("any text comes back as it was written once", () => {
  let state = 7;
  const random = (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  const PARTS = [
    ..."e4 e5 d4 d5 Nf3 Nc6 Nf6 Bb5 a6 O-O Sf3 -- ♘c3 g1f3 Ke3".split(" "),
    ..."1. 1... 2. 2... 3 ( ( ) ) { } ; % [ ] [#] $1 $17 $900 !? ± N Diagram a4-paper 0-0 1-0 * ½ 0:1 +:-".split(" "),
    "{a}", "{b [%eval 0.3]}", "{c\nd}", "(1. d4 d5)", "(2. Nf3)", '[White "x"]', '[Result "0-1"]', '[A "b\\"] c"]', '[Event "y"]', '[white z]', "\n", "\n", "\n\n", "\t", "\r", "{e\n\n[F \"g\"]}",
  ];
  let games = 0;
  for (let round = 0; round < 4000; round++) {
    const head = random(2) ? '[White "w"]\n\n' : "";
    const text = head + "1. e4 e5 ".repeat(random(2)) + Array.from({ length: random(25) }, () => PARTS[random(PARTS.length)]).join(random(4) ? " " : "");
    let first;
    try {
      first = read(text);
    } catch (error) {
      if (!(error instanceof InputError)) throw new Error(`${JSON.stringify(text)}: ${error.stack}`);
      continue;
    }
    games += first.games.length;
    const pgn = first.games.map((game) => game.pgn).join("\n");
    const second = read(pgn);
    assert.deepEqual(second.games.map((game) => game.pgn).join("\n"), pgn, JSON.stringify(text));
    assert.equal(second.games.length, first.games.length, JSON.stringify(text));
    assert.deepEqual(second.faults, [], JSON.stringify(text));
    // Every word is somewhere.
    for (const word of ["Diagram", "paper", "Sf3", "$900"]) {
      const count = (text) => text.split(word).length;
      assert.ok(count(pgn) >= count(text), `${word} is lost from ${JSON.stringify(text)} in ${pgn}`);
    }
  }
  assert.ok(games > 2000, `only ${games} games`);
});

test("long and deep texts are read", () => {
  const long = only(`${"Nf3 Nf6 Ng1 Ng8 ".repeat(3000)}*`);
  assert.equal(long.end.ply, 12000);
  const deep = read(`1. e4 ${"(1. d4 d5 (1... Nf6 ".repeat(20000)}${"))".repeat(20000)} 1... e5 *`);
  assert.equal(moves(deep.games[0]).slice(0, 20), "1. e4 ( 1. d4 d5 ( 1");
  assert.equal(read(`1. e4 ${"(".repeat(200000)}`).games.length, 1);
  assert.equal(read(`1. e4 ${"(1. d4) ".repeat(200000)}`).games[0].root.children.length, 2);
  assert.equal(read(`1. e4 ${"{x} ".repeat(200000)}`).games[0].end.comments.length, 200000);
  assert.equal(read(`[White "${"\\x".repeat(3e6)}"]\n\n1. e4 *`).games.length, 1);
});
