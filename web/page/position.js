// Positions: FEN as people write it, EPD, and the start positions of Chess960.

import { Chess } from "chessops/chess";
import { INITIAL_FEN, parseFen } from "chessops/fen";

/** What is wrong with a text; the message is for people. */
export class InputError extends Error {}

const FEN_FAULTS = {
  ERR_FEN: "there are too few or too many fields",
  ERR_BOARD: "the first field must describe eight ranks of eight squares",
  ERR_TURN: "the second field must be w or b",
  ERR_CASTLING: "the third field (castling) is not valid",
  ERR_EP_SQUARE: "the fourth field (en passant) is not a square",
  ERR_HALFMOVES: "the fifth field (halfmove clock) is not a number",
  ERR_FULLMOVES: "the sixth field (move number) is not a number",
  ERR_EMPTY: "the board is empty",
  ERR_OPPOSITE_CHECK: "the side that is not to move is in check",
  ERR_PAWNS_ON_BACKRANK: "there are pawns on the first or last rank",
  ERR_KINGS: "each side needs exactly one king",
  ERR_POCKETS: "pieces in hand belong to another variant",
  ERR_REMAINING_CHECKS: "counted checks belong to another variant",
  ERR_VARIANT: "this is not a position of chess",
};

/**
 * Returns the position of a FEN.
 *
 * @throws {InputError}
 */
export function position(fen) {
  const fault = (error) => new InputError(`This FEN is not valid: ${FEN_FAULTS[error.message] ?? error.message}.`);
  const setup = parseFen(fen.trim().replace(/\s+/g, " ")).unwrap((setup) => setup, (error) => { throw fault(error); });
  return Chess.fromSetup(setup).unwrap((position) => position, (error) => { throw fault(error); });
}

/** Returns whether the kings and rooks that may castle stand where they do not in standard chess. */
export function isChess960(position) {
  return ["white", "black"].some((color) => {
    const rank = color === "white" ? 0 : 56;
    const { a, h } = position.castles.rook[color];
    const stand = (rook, corner) => rook === undefined || (rook === corner && position.board.kingOf(color) === rank + 4);
    return !stand(a, rank) || !stand(h, rank + 7);
  });
}

/**
 * Returns the FEN of a start position of Chess960.
 *
 * Source: https://en.wikipedia.org/wiki/Fischer_random_chess_numbering_scheme
 *
 * @param {number} number 0 to 959; 518 is that of standard chess
 */
export function chess960Start(number) {
  const rank = Array(8).fill(null);
  const take = (count) => {
    const rest = number % count;
    number = Math.floor(number / count);
    return rest;
  };
  const empty = () => [...rank.keys()].filter((file) => rank[file] === null);
  rank[2 * take(4) + 1] = "b";
  rank[2 * take(4)] = "b";
  rank[empty()[take(6)]] = "q";
  const KNIGHTS = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
  const free = empty();
  for (const place of KNIGHTS[number]) rank[free[place]] = "n";
  empty().forEach((file, i) => (rank[file] = "rkr"[i]));
  const files = rank.flatMap((piece, file) => (piece === "r" ? ["abcdefgh"[file]] : []));
  const pieces = rank.join("");
  const isStandard = pieces === "rnbqkbnr";
  const [queen, king] = isStandard ? ["q", "k"] : files;
  const rights = `${king}${queen}`;
  return `${pieces}/pppppppp/8/8/8/8/PPPPPPPP/${pieces.toUpperCase()} w ${rights.toUpperCase()}${rights} - 0 1`;
}

/** Returns whether a line looks like FEN or EPD rather than PGN. */
const looksLikeFen = (line) => /^[A-Za-z0-9~]+(\/[A-Za-z0-9~]*){2,}(\s|$)/.test(line);

/** Strips what people and programs write around a FEN: quotes, `FEN:`, `position fen`. */
function bare(line) {
  const plain = line.trim().replace(/^position\s+/i, "").replace(/^(?:fen|epd)\b\s*[:=]?\s*/i, "").replace(/^startpos\b/i, INITIAL_FEN);
  const [, quoted] = /^["'“”„`]+([^"'“”„`]*)["'“”„`]+\W*$/.exec(plain) ?? [];
  return (quoted ?? plain).trim();
}

/** Whether a line of a suite is a comment. */
const isComment = (line) => /^(#|%|;|\/\/)/.test(line);

/** The operations of EPD that may end without a semicolon. */
const OPERATION = /^(?:am|bm|ce|d[mr]|eco|fmvn|hmvc|id|nic|noop|p[mv]|sm|ac[dns]|[cv]\d)\b/;

/**
 * Returns the positions of a text, if its first line with anything in it is one: a FEN, which may be
 * broken into lines, or a FEN or EPD a line.
 *
 * @param {string} text
 * @returns {{fen: string, name?: string, remark: string, moves: string[], place: string}[] | undefined}
 *   each with the `id` and the text of its EPD operations, the moves of UCI's `position`, and the words
 *   that tell where it stands
 */
export function positionsOf(text) {
  const lines = text.split(/\r\n?|\n/).map((line, i) => ({ line: bare(line), number: i + 1 })).filter(({ line }) => line !== "" && !isComment(line));
  if (lines.length === 0 || !looksLikeFen(lines[0].line)) return undefined;
  const isList = lines.slice(1).some(({ line }) => looksLikeFen(line));
  if (!isList) return [describe(bare(lines.map(({ line }) => line).join(" ")), "")];
  return lines.map(({ line, number }) => describe(line, `Line ${number}: `));
}

/** Splits a FEN or EPD into its parts. Counters that are left out or unknown are those of a new game. */
function describe(line, place) {
  const [setup, , moves = ""] = line.split(/\s+(moves)\s+/);
  const fields = setup.split(/\s+/);
  let rest = fields.slice(4);
  const isCounter = (field) => /^(\d+|-)$/.test(field ?? "");
  const given = rest.slice(0, isCounter(rest[0]) ? (isCounter(rest[1]) ? 2 : 1) : 0);
  rest = rest.slice(given.length).join(" ");
  const isRemark = /^[A-Za-z]\w*\b[^;]*;/.test(rest) || OPERATION.test(rest);
  const remark = isRemark ? rest : "";
  const operation = (name) => new RegExp(`(?:^|;)\\s*${name}\\s+"?([^";]*)"?\\s*(?:;|$)`).exec(remark)?.[1].trim();
  const known = given.map((field, i) => (field === "-" ? String(i) : field));
  const counters = isRemark ? [operation("hmvc") ?? known[0] ?? "0", operation("fmvn") ?? known[1] ?? "1"] : [...known, ...rest.split(" ").filter(Boolean)];
  return { fen: [...fields.slice(0, 4), ...counters].join(" "), name: operation("id"), remark, moves: moves.split(/\s+/).filter(Boolean), place };
}
