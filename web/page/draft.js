// Turns the tokens of a game into lines of moves: the main line, whose moves are legal, and variations,
// which nobody has played yet. The rules are those of `rejoinder-study annotate`.

import { NULL_MOVE, isZeroZero } from "./notation.js";
import { moveNumber, moveOf, plyOf } from "./san.js";

/**
 * Returns a text as a comment. It says nothing about the move that it stands behind, so its commands
 * are none any more.
 */
export const asComment = (text) => text.trim().replace(/\s+/g, " ").replaceAll("{", "(").replaceAll("}", ")").replaceAll("[%", "[");

/** A sequence of moves. */
class Line {
  /** The items before the first move: `{ comment }`, `{ nag }` or `{ line }`, a variation. */
  head = [];
  /**
   * The moves: `text` in the form of SAN, or as written if it cannot be read; the place `begin` in the
   * text, with the number; the `items` after it; and in the main line, the `move`.
   */
  plies = [];
  /** The place of the line in the text, with its brackets. */
  begin;
  end;
  /** Set if it begins with words that may be prose, so that no move is meant. */
  isProse = false;
  /**
   * The number before the first move of a variation, and what the text's numbers are larger by than
   * those of the game; undefined without one.
   */
  number;

  constructor(begin = 0) {
    this.begin = begin;
  }

  /** The list that a comment at this place is added to. */
  get items() {
    return this.plies.at(-1)?.items ?? this.head;
  }
}

/**
 * Reads the moves of a game. The main line ends before the first move that is not legal or cannot be
 * read; the rest of the game becomes a comment.
 *
 * @param {string} text
 * @param {object[]} tokens its tokens
 * @param {import("chessops/chess").Position} start the first position
 * @param {boolean} isBothLost whether the tag `Result` is `0-0`
 * @returns {{line: Line, result?: string | null, fault?: string}} the main line; the result behind
 *   it, `null` for one that PGN does not know; and why the main line ends too early, as a sentence
 */
export function draft(text, tokens, start, isBothLost) {
  const draft = new Draft(text, tokens, start, isBothLost);
  draft.run();
  return draft;
}

class Draft {
  line = new Line();
  result;
  fault;
  #text;
  #tokens;
  #isBothLost;
  /** The position after the main line so far. */
  #position;
  /** The variations that enclose the current place. */
  #variations = [];
  #isOver = false;
  #numbering = new Numbering();
  /**
   * A word of the main line that is no move, as long as no move number has shown that it stands for
   * none: the moves behind it may be those of another line. Its token, and the numbers of moves before
   * it and of items after the last of them.
   */
  #doubt;

  constructor(text, tokens, start, isBothLost) {
    this.#text = text;
    this.#tokens = tokens;
    this.#position = start.clone();
    this.#isBothLost = isBothLost;
  }

  run() {
    for (const [index, token] of this.#tokens.entries()) {
      const stop = this.#variations.length > 0 ? this.#takeInside(index, token) : this.#takeMain(index, token);
      if (!stop) continue;
      this.#stop(stop);
      break;
    }
    // A result that a variation without end has swallowed is that of the game.
    const last = this.#tokens.at(-1);
    if (this.#variations.length > 0 && last?.kind === "result") this.#end(last.result);
    while (this.#variations.length > 0) this.#close(this.#text.length);
  }

  /** Takes a token of the main line. Returns where and why the moves end, if they do. */
  #takeMain(index, token) {
    const { kind } = token;
    if (kind === "number") this.#numbering.take(token.number);
    else if (kind === "move") return this.#play(index, token);
    else if (kind === "unread" && !this.#isOver) {
      return this.#doubted(`${this.#number} ${token.text} is not a move that can be read`, index);
    } else if (kind === "words" || kind === "unread") {
      this.#doubt ??= { index, plies: this.line.plies.length, items: this.line.items.length };
      this.line.items.push({ comment: token.text });
    } else if (kind === "nag") this.line.items.push({ nag: token.nag });
    else if (kind === "comment") this.line.items.push({ comment: token.text });
    else if (kind === "result") this.#end(token.result);
    else if (kind === "open") this.#variations.push(new Line(token.at));
    return undefined;
  }

  /** Takes a token of a variation. */
  #takeInside(index, token) {
    const line = this.#variations.at(-1);
    const { kind, text } = token;
    if (kind === "move" || kind === "unread") {
      const begin = this.#tokens[this.#beginOf(index)].at;
      line.isProse ||= line.plies.length === 0 && begin === token.at && line.head.some(({ isWords }) => isWords);
      if (line.plies.length === 0 && line.number) line.number.offset = this.#numbering.offset;
      line.plies.push({ text, begin, items: [] });
    } else if (kind === "number") {
      if (line.plies.length === 0) line.number = joined(line.number, token.number);
    } else if (kind === "words") line.items.push({ comment: text, isWords: true });
    else if (kind === "nag") line.items.push({ nag: token.nag });
    else if (kind === "comment") line.items.push({ comment: text });
    else if (kind === "result" && token.result !== null && token.result !== "*" && index + 1 < this.#tokens.length) {
      // It says nothing about the game.
      line.items.push({ comment: token.result });
    } else if (kind === "open") this.#variations.push(new Line(token.at));
    else if (kind === "close") this.#close(token.at + 1);
    return undefined;
  }

  #close(end) {
    const line = this.#variations.pop();
    line.end = end;
    line.isProse ||= line.plies.length === 0 && line.head.some(({ isWords }) => isWords);
    if (line.items.length > 0 || line.plies.length > 0) (this.#variations.at(-1) ?? this.line).items.push({ line });
  }

  /** The number of the next move of the main line, as in `12.` or `12…`. */
  get #number() {
    return moveNumber(this.#position);
  }

  /** Adds a move of the main line. */
  #play(index, { text }) {
    const name = `${this.#number} ${text}`;
    if (this.#isOver) return { reason: `${name} comes after the result`, index: this.#beginOf(index) };
    if (this.#isBothLost && this.#isEnd(index)) {
      this.#end(null);
      return undefined;
    }
    const ply = plyOf(this.#position);
    if (this.#doubt && this.#numbering.contradicts(ply)) return this.#doubted("a word before it is not a move", index);
    const move = moveOf(this.#position, text);
    if (!move) {
      if (this.#isEnd(index)) {
        this.#end(null);
        return undefined;
      }
      return this.#doubted(text === NULL_MOVE ? `${name} is a null move` : `${name} is not legal`, index);
    }
    if (this.#numbering.confirm(ply)) this.#doubt = undefined;
    this.#position.play(move);
    this.line.plies.push({ text, move, items: [] });
    return undefined;
  }

  /** Ends the game, if it is not over yet. */
  #end(result) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.result = result;
  }

  /**
   * Returns whether this token is `0-0` behind all moves of the game, which may be a result: both
   * sides have lost.
   */
  #isEnd(index) {
    const word = /\S*/y;
    word.lastIndex = this.#tokens[index].at;
    if (!isZeroZero(word.exec(this.#text)[0])) return false;
    let depth = 0;
    for (let next = index + 1; next < this.#tokens.length; next++) {
      const { kind } = this.#tokens[next];
      if (kind === "open") depth++;
      else if (kind === "close") depth--;
      else if (depth === 0 && (kind === "move" || kind === "unread")) return false;
    }
    return true;
  }

  /** The token that a move begins with: its number is a part of it. */
  #beginOf(index) {
    let begin = index;
    while (this.#tokens[begin - 1]?.kind === "number") begin--;
    return begin;
  }

  /**
   * Returns where and why the moves end if one of them cannot be played: before a word that may have
   * been a move, if there is one.
   */
  #doubted(reason, index) {
    const doubt = this.#doubt;
    if (!doubt) return { reason, index: this.#beginOf(index) };
    this.line.plies.length = doubt.plies;
    this.line.items.length = doubt.items;
    return { reason: `“${this.#tokens[doubt.index].text}” is not a move, or ${reason}`, index: this.#beginOf(doubt.index) };
  }

  /** Keeps the rest of the game as a comment, and its result. */
  #stop({ reason, index }) {
    const isText = ({ kind }) => kind === "comment" || kind === "words";
    let behind = this.#tokens.length;
    while (behind > index && isText(this.#tokens[behind - 1])) behind--;
    const last = this.#tokens[behind - 1];
    const hasResult = behind > index && last.kind === "result";
    if (hasResult) this.#end(last.result);
    const rest = asComment(this.#text.slice(this.#tokens[index].at, hasResult ? last.at : undefined));
    if (rest) this.line.items.push({ comment: rest });
    if (hasResult) for (const { text } of this.#tokens.slice(behind)) this.line.items.push({ comment: text });
    this.fault = `${reason}; the rest of the game is kept as a comment.`;
  }
}

/**
 * Returns whether a variation may begin with a number if its first move replaces the one at this ply of
 * the game. It may count as the text does or as the game does. Some programs write Black's number with
 * the dot of White's, so that only a move that is legal there belongs there.
 *
 * @param {{value?: number, dots: number, offset: number}} number as draft.js has it in a line
 * @param {number} ply
 * @param {boolean} isLegal
 */
export function fits({ value, dots, offset }, ply, isLegal) {
  const isWhite = ply % 2 === 0;
  const isSide = dots === 0 || (dots === 1 ? isWhite || isLegal : !isWhite);
  const expected = Math.floor(ply / 2) + 1;
  return isSide && (value === undefined || value === expected || value === expected + offset);
}

/** Returns a move number together with what stood right before it; dots may stand apart from their number. */
function joined(last, { value, dots }) {
  const before = value === undefined ? last : undefined;
  return { value: value ?? before?.value, dots: dots + (before?.dots ?? 0) };
}

/** The move numbers of a text beside the moves of the game. */
class Numbering {
  /** The last move number, if no move of the main line followed yet. */
  #last;
  /** What the text's move numbers are larger by than those of the game. */
  #offset;

  /** Takes a move number of the main line. */
  take(number) {
    this.#last = joined(this.#last, number);
  }

  get offset() {
    return this.#offset ?? 0;
  }

  /** Returns whether the last move number is that of another move than the next one, at this ply. */
  contradicts(ply) {
    if (!this.#last) return false;
    const { dots } = this.#last;
    const isWhite = ply % 2 === 0;
    const isOtherSide = dots > 0 && (dots === 1) !== isWhite;
    const offset = this.#offsetAt(ply);
    return isOtherSide || (this.#offset !== undefined && offset !== undefined && offset !== this.#offset);
  }

  /** Learns that the move at this ply of the game is legal. Returns whether it has a number. */
  confirm(ply) {
    if (!this.#last) return false;
    this.#offset = this.#offsetAt(ply) ?? this.#offset;
    this.#last = undefined;
    return true;
  }

  #offsetAt(ply) {
    const { value } = this.#last;
    return value === undefined ? undefined : value - Math.floor(ply / 2) - 1;
  }
}
