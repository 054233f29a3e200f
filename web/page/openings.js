// The names of openings, while one plays through a game.

import { Chess } from "chessops/chess";
import { INITIAL_FEN, makeFen } from "chessops/fen";
import { parseSan } from "chessops/san";

/** Lines that are read at a time, so that the page stays alive. */
const AT_ONCE = 200;

/** What tells a position apart: pieces, side to move and castling rights. */
const keyOf = (fen) => fen.split(" ", 3).join(" ");

/** The keys of the positions of games, which do not change. */
const keys = new WeakMap();

function keyAt(node) {
  if (!keys.has(node)) keys.set(node, keyOf(node.fen));
  return keys.get(node);
}

/** The names by position, as far as they have been read. */
const names = new Map();

/** Reads the list that `rejoinder-study annotate` has as well. Without it, no opening has a name. */
export async function loadOpenings() {
  const answer = await fetch(new URL("./openings.tsv", import.meta.url));
  if (!answer.ok) return;
  const lines = (await answer.text()).split("\n").filter((line) => line && !line.startsWith("#"));
  for (let at = 0; at < lines.length; at += AT_ONCE) {
    for (const line of lines.slice(at, at + AT_ONCE)) {
      const [eco, name, moves] = line.split("\t");
      const position = Chess.default();
      for (const san of moves.split(" ")) position.play(parseSan(position, san));
      names.set(keyOf(makeFen(position.toSetup())), `${eco} ${name}`);
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/**
 * The opening of a game up to one of its positions: that of the last position on the way that has a
 * name, so that transpositions find it; empty without one.
 */
export function openingAt(node) {
  const path = [node];
  while (path.at(-1).parent) path.push(path.at(-1).parent);
  if (path.at(-1).fen !== INITIAL_FEN) return "";
  const known = path.find((node) => names.has(keyAt(node)));
  return known ? names.get(keyAt(known)) : "";
}
