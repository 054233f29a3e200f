// Moves in the form of SAN, as lexer.js finds them.

import { normalizeMove } from "chessops/chess";
import { parseSan } from "chessops/san";
import { parseUci } from "chessops/util";

/** Plies from the first move of a game to a position, as its counters say. */
export const plyOf = ({ turn, fullmoves }) => 2 * (fullmoves - 1) + (turn === "white" ? 0 : 1);

/** The number of the next move, as in `12.` or `12…`. */
export const moveNumber = ({ turn, fullmoves }) => `${fullmoves}${turn === "white" ? "." : "…"}`;

/** Returns the legal move that a text in SAN or of two squares means; undefined if there is none. */
export function moveOf(position, text) {
  const move = parseSan(position, text);
  if (move) return move;
  const squares = /^([a-h][1-8]){2}(=[QRBN])?$/.test(text) ? parseUci(text.replace("=", "").toLowerCase()) : undefined;
  return squares && position.isLegal(normalizeMove(position, squares)) ? squares : undefined;
}
