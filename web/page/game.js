// A game with variations: a tree of positions, read from FEN or PGN.

import { normalizeMove } from "chessops/chess";
import { INITIAL_FEN, makeFen } from "chessops/fen";
import { makePgn } from "chessops/pgn";
import { makeSanAndPlay, parseSan } from "chessops/san";
import { makeUci, parseUci, squareRank } from "chessops/util";

import { remarkOf, reviewOf, withShapes } from "./annotation.js";
import { InputError, isChess960, position, positionsOf } from "./position.js";
import { gamesOf, textOf } from "./reader.js";

export { InputError };

/** The number of the next move, as in `12.` or `12…`. */
const moveNumber = ({ turn, fullmoves }) => `${fullmoves}${turn === "white" ? "." : "…"}`;

/** The Seven Tag Roster, which other programs expect, with what stands for the unknown. */
const ROSTER = [["Event", "?"], ["Site", "?"], ["Date", "????.??.??"], ["Round", "?"], ["White", "?"], ["Black", "?"], ["Result", "*"]];

/** A position of a game, and the move that led to it. */
class Node {
  constructor(parent, position, move = null, san = "") {
    this.parent = parent;
    this.position = position;
    this.move = move;
    this.san = san;
    this.ply = parent ? parent.ply + 1 : 0;
    this.children = [];
    /** Numeric annotation glyphs of the move. */
    this.nags = [];
    /** The comments before and after the move, as the PGN has them. */
    this.startingComments = [];
    this.comments = [];
    /** White's winning chance, 0 to 1, as a review that is going on has found it. */
    this.chance = undefined;
  }

  /** What the comments say. */
  get remark() {
    return remarkOf(this.comments);
  }

  /** Keeps arrows and circles, and no others, with the comments. */
  draw(shapes) {
    this.comments = withShapes(this.comments, shapes);
  }

  /** The FEN of the position. */
  get fen() {
    return makeFen(this.position.toSetup());
  }

  /** The nodes from the first move to this one. */
  get path() {
    const path = [];
    for (let node = this; node.parent; node = node.parent) path.unshift(node);
    return path;
  }

  /** The moves to here in UCI notation, castling as king takes rook. */
  get moves() {
    return this.path.map((node) => makeUci(node.move));
  }

  /** The number of the move that led here, as in `12.` or `12…`. */
  get number() {
    return moveNumber(this.parent.position);
  }

  /** Plays a legal move and returns the position after it, which may have been there before. */
  play(move) {
    const normal = normalizeMove(this.position, move);
    const known = this.children.find((child) => makeUci(child.move) === makeUci(normal));
    if (known) return known;
    const position = this.position.clone();
    const san = makeSanAndPlay(position, normal);
    const child = new Node(this, position, normal, san);
    this.children.push(child);
    return child;
  }

  /**
   * The move that a person means by a text in SAN or UCI notation; undefined if it is not legal. A
   * pawn without a choice becomes a queen.
   */
  understand(text) {
    const plain = text.trim().replace(/^\d+(\.+\s*|\s+)/, "").replace(/[!?]+$/, "").replace(/^0-0(-0)?/, (o) => o.replaceAll("0", "O"));
    const isUci = /^[a-h][1-8][a-h][1-8][qrbn]?$/i.test(plain);
    const move = parseSan(this.position, plain) ?? parseSan(this.position, `${plain.replace(/[+#]$/, "")}=Q`) ?? (isUci ? parseUci(plain.toLowerCase()) : undefined);
    if (!move) return undefined;
    if (this.position.board.getRole(move.from) === "pawn" && [0, 7].includes(squareRank(move.to))) move.promotion ??= "queen";
    return this.position.isLegal(normalizeMove(this.position, move)) ? move : undefined;
  }

  /** The node at the end of a path of moves in UCI notation, or the last one on the way that exists. */
  follow(moves) {
    let node = this;
    for (const uci of moves) {
      const next = node.children.find((child) => makeUci(child.move) === uci);
      if (!next) break;
      node = next;
    }
    return node;
  }
}

/** A game: its first position and everything after it. */
export class Game {
  constructor(root, headers = new Map()) {
    this.root = root;
    this.headers = headers;
  }

  /** The comments before the first move, as the PGN has them. */
  get comments() {
    return this.root.comments;
  }

  set comments(comments) {
    this.root.comments = comments;
  }

  /** What a review has found, also one of `rejoinder-study annotate`; undefined without one. */
  get review() {
    return reviewOf(this.comments);
  }

  /**
   * Starts a game at a position.
   *
   * @throws {InputError}
   */
  static fromFen(fen = INITIAL_FEN) {
    return new Game(new Node(null, position(fen)));
  }

  /** The name of the game: who played it, and how it ended. */
  get title() {
    const known = (name) => {
      const value = this.headers.get(name);
      return value && !/^[?*.]+$/.test(value) ? value : undefined;
    };
    const [white, black] = [known("White"), known("Black")];
    if (!white && !black) return known("Event") ?? "";
    const names = `${white ?? "?"} – ${black ?? "?"}`;
    return [names, known("Result"), known("Event"), known("Date")?.slice(0, 4)].filter(Boolean).join(" · ");
  }

  /** The last position of the main line. */
  get end() {
    let node = this.root;
    while (node.children.length > 0) [node] = node.children;
    return node;
  }

  /** The positions of the main line, from the first one on. */
  get mainLine() {
    const line = [this.root];
    while (line.at(-1).children.length > 0) line.push(line.at(-1).children[0]);
    return line;
  }

  /** Takes glyphs, comments and moves from another form of this game; what it lacks stays. */
  merge(other) {
    this.comments = other.comments;
    for (const [name, value] of other.headers) this.headers.set(name, value);
    const waiting = [[this.root, other.root]];
    while (waiting.length > 0) {
      const [node, from] = waiting.pop();
      for (const child of from.children) {
        const own = node.play(child.move);
        for (const name of ["nags", "startingComments", "comments"]) own[name] = child[name];
        waiting.push([own, child]);
      }
    }
  }

  /** The game as PGN for other programs, with the Seven Tag Roster. */
  get fullPgn() {
    return this.#write(new Map([...ROSTER, ...this.headers]));
  }

  /** The game as PGN. */
  get pgn() {
    return this.#write(new Map(this.headers));
  }

  #write(headers) {
    const moves = { children: [] };
    const waiting = [[this.root, moves]];
    while (waiting.length > 0) {
      const [node, to] = waiting.pop();
      for (const child of node.children) {
        const copy = { data: child, children: [] };
        to.children.push(copy);
        waiting.push([child, copy]);
      }
    }
    if (this.root.fen !== INITIAL_FEN) {
      headers.set("FEN", this.root.fen).set("SetUp", "1");
      if (isChess960(this.root.position)) headers.set("Variant", "Chess960");
    }
    return makePgn({ headers, comments: this.comments, moves });
  }
}

/** Returns a game from what the reader has found. */
export function gameOf({ headers, fen, comments, nodes }) {
  const game = new Game(Game.fromFen(fen).root, new Map(headers));
  game.comments = comments;
  const all = [game.root];
  for (const [parent, move, nags, startingComments, comments] of nodes) {
    all.push(Object.assign(all[parent].play(parseUci(move)), { nags, startingComments, comments }));
  }
  return game;
}

/**
 * Reads the games of a PGN text.
 *
 * @param {string | Uint8Array} text
 * @returns {{games: Game[], faults: string[]}} the games, each with what follows its first fault as a
 *   comment, and a sentence about each fault
 * @throws {InputError} if there is no game
 */
export function readPgn(text) {
  const games = [];
  const faults = [];
  for (const { refused, ...found } of gamesOf(text)) {
    if (refused) {
      faults.push(refused);
      continue;
    }
    games.push(gameOf(found));
    faults.push(...found.faults);
  }
  if (games.length === 0) throw new InputError(faults[0] ?? "This is neither a FEN nor a PGN with legal moves.");
  return { games, faults };
}

/** Returns the games of positions, each with its moves as far as they are legal. */
function readPositions(positions) {
  const games = [];
  const faults = [];
  for (const { fen, name, remark, moves, place } of positions) {
    try {
      const game = Game.fromFen(fen);
      if (name) game.headers.set("Event", name);
      if (remark) game.comments.push(remark.replace(/[{}]/g, ""));
      let node = game.root;
      for (const text of moves) {
        const move = node.understand(text);
        if (!move) {
          faults.push(`${place}${text} is not legal after ${node.parent ? node.san : "the position"}.`);
          break;
        }
        node = node.play(move);
      }
      games.push(game);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      faults.push(place + error.message);
    }
  }
  if (games.length === 0) throw new InputError(faults[0]);
  return { games, faults };
}

/** Whether a game says more than a text that only looks like PGN: a move, a position, or a usual tag. */
const holdsGame = ({ root, headers }) => root.children.length > 0 || root.fen !== INITIAL_FEN || ROSTER.some(([name]) => headers.has(name));

/**
 * Reads a text or the bytes of one: PGN, FEN or EPD, whichever it is.
 *
 * @param {string | Uint8Array} source
 * @throws {InputError}
 */
export function read(source) {
  const text = typeof source === "string" ? source : textOf(source);
  if (text.trim() === "") throw new InputError("Paste a FEN or a PGN first.");
  if (/^\s*https?:\/\/\S+\s*$/.test(text)) throw new InputError("This is an address. Paste the game itself: the page loads nothing from elsewhere.");
  const positions = positionsOf(text.replace(/^\ufeff/, ""));
  if (positions) return readPositions(positions);
  const found = readPgn(source);
  if (!found.games.some(holdsGame)) throw new InputError(found.faults[0] ?? "This holds no game: there is neither a move nor a position in it.");
  return found;
}

/**
 * Returns a line of the engine in SAN with move numbers, as far as its moves are legal.
 *
 * @param {import("chessops/chess").Position} position
 * @param {string[]} moves in UCI notation
 * @returns {{number: string, san: string, move: object, position: object}[]} with the position after
 *   each move
 */
export function lineOf(position, moves) {
  const now = position.clone();
  const line = [];
  for (const uci of moves) {
    const parsed = parseUci(uci);
    if (!parsed) break;
    const move = normalizeMove(now, parsed);
    if (!now.isLegal(move)) break;
    const number = now.turn === "white" || line.length === 0 ? moveNumber(now) : "";
    line.push({ number, san: makeSanAndPlay(now, move), move, position: now.clone() });
  }
  return line;
}

/** Says how a game has ended at a position; undefined if it goes on. */
export function verdict(position) {
  if (position.isCheckmate()) return position.turn === "white" ? "Checkmate: Black has won" : "Checkmate: White has won";
  if (position.isStalemate()) return "Stalemate: a draw";
  if (position.isInsufficientMaterial()) return "Neither side can mate: a draw";
  return undefined;
}

/**
 * Says how a game that is played to here has ended; undefined if it goes on. Other than `verdict`,
 * this knows the moves before: draws by repetition and by the fifty-move rule end it as well.
 *
 * @returns {{result: string, reason: string} | undefined} the result as in PGN, and a sentence
 */
export function outcome(node) {
  const { position } = node;
  const reason = verdict(position);
  if (position.isCheckmate()) return { result: position.turn === "white" ? "0-1" : "1-0", reason };
  if (reason) return { result: "1/2-1/2", reason };
  if (position.halfmoves >= 100) return { result: "1/2-1/2", reason: "Fifty moves without a capture or a pawn move: a draw" };
  const key = (node) => node.fen.split(" ", 4).join(" ");
  const now = key(node);
  let times = 0;
  for (let at = node; at; at = at.parent) times += key(at) === now ? 1 : 0;
  return times >= 3 ? { result: "1/2-1/2", reason: "The same position for the third time: a draw" } : undefined;
}
