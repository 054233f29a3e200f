// Splits a PGN text into games. Errors in one game do not spread to the next: a line of tags begins a
// new game even inside a comment that was never closed. The rules are those of `rejoinder-study
// annotate`, except that games without tags and results may also be told apart by an empty line and
// the number of the first move.
//
// A game has tags or moves. Comments and other text before its tags belong to it; behind the last
// game they belong to that one.

import { Finder, proseAt, wordAt } from "./lexer.js";
import { beginsMoves, meaningOf } from "./notation.js";
import { closedLength, closesTag, isBracketed, isRegularTag, isTag, readTag, tagLength, tagName } from "./tags.js";

const BLANK = /[\s\p{Cc}]+/uy;
const isBlank = (line) => !/[^\s\p{Cc}]/u.test(line);

/**
 * Returns the texts of the games, with line feeds as line ends.
 *
 * @param {string} text
 * @returns {Generator<string>}
 */
export function* gamesOf(text) {
  const lines = text.replace(/\r\n?/g, "\n").replace(/^\ufeff/gm, "").split("\n").values();
  /** The rest of a line that begins the next game. */
  let pending;
  const takeLine = () => {
    const line = pending ?? lines.next().value;
    pending = undefined;
    return line;
  };
  /** The game before, to which text belongs that is none. */
  let game;
  let cutter = new Cutter();
  for (let line = takeLine(); line !== undefined; line = takeLine()) {
    const next = cutter.lookAt(line);
    if (next !== 0) cutter.add(line.slice(0, next));
    if (next === undefined) continue;
    pending = line.slice(next);
    if (cutter.isGame) {
      if (game) yield game.join("\n");
      game = cutter.lines;
    }
    cutter = new Cutter(cutter.isGame ? cutter.prelude : cutter.lines);
  }
  const rest = cutter.lines.concat(cutter.prelude);
  if (cutter.isGame) {
    if (game) yield game.join("\n");
    yield rest.join("\n");
  } else if (game) yield game.concat(rest).join("\n");
}

/** Scans one game, just closely enough to see where it ends. */
class Cutter {
  lines;
  /** Text behind the result and an empty line. It belongs to the next game, if there is one. */
  prelude = [];
  /** Names of the tags. */
  #tags = [];
  /** Number of tags in the first line that has any, once the line is read. */
  #firstLineTags = 0;
  /** Value of the tag `Result`. */
  #result;
  /** Set if the last line began a tag that it did not close. */
  #inTag = false;
  #inMoves = false;
  #inComment = false;
  #variations = 0;
  /** Set behind a move of the main line. */
  #hasMoves = false;
  /** Set if a result of the main line was seen, and no move behind it. */
  #isOver = false;
  /** Set if an empty line came behind that result. */
  #isApart = false;
  #afterBlank = false;

  /** @param {string[]} lines text before the game */
  constructor(lines = []) {
    this.lines = lines;
  }

  get isGame() {
    return this.#inMoves || this.#tags.length > 0;
  }

  /** Whether the game is over, so that text belongs to the next one, if there is one. */
  get #isBehind() {
    return this.#isOver && this.#isApart;
  }

  /** Adds a line, which was looked at before, to the game or to the text behind it. */
  add(line) {
    (this.#isBehind ? this.prelude : this.lines).push(isBlank(line) ? "" : line);
  }

  /** Scans a line. Returns the place in it where the next game begins, if it does. */
  lookAt(line) {
    const afterBlank = this.#afterBlank;
    this.#afterBlank = isBlank(line);
    if (this.#afterBlank) {
      this.#isApart ||= this.#isOver;
      this.#inTag = false;
      return undefined;
    }
    const inTag = this.#inTag;
    this.#inTag = false;
    if (inTag && closesTag(line)) return undefined;
    if (this.#inComment) {
      if (afterBlank && isRegularTag(line) && tagName(line) === "Event") {
        // In text that belongs to the next game, the comment must not swallow that game.
        if (this.#isBehind || !this.isGame) this.add("}");
        return 0;
      }
    } else if (line[0] === "%") return undefined;
    const next = this.#scan(line, afterBlank);
    this.#firstLineTags ||= this.#tags.length;
    return next;
  }

  #scan(line, afterBlank) {
    const finder = new Finder(line);
    // As in the lexer: nothing but tags and comments, and no word but a number, came before.
    let isClean = true;
    let isFirst = true;
    /** The first of these numbers. */
    let firstNumber;
    let at = 0;
    while (at < line.length) {
      const letter = line[at];
      if (this.#inComment) {
        const end = finder.find("}", at);
        this.#inComment = end === line.length;
        at = end + 1;
      } else if (letter === "{") {
        this.#inComment = true;
        at++;
      } else if (letter === ";") return undefined;
      else if (letter === "[") {
        const rest = line.slice(at);
        if (this.#beginsGame(rest, isClean, afterBlank)) return at;
        if (isClean && !this.#inMoves && isTag(rest)) at += this.#takeTag(rest);
        else {
          isClean = false;
          const end = finder.find("]", at) + 1;
          at = end <= line.length ? end : at + /^\S+/.exec(rest)[0].length;
        }
      } else if (isBlank(letter)) {
        BLANK.lastIndex = at;
        BLANK.test(line);
        at = BLANK.lastIndex;
      } else if (letter === "(" && this.isGame && !this.#isBehind) {
        this.#inMoves = true;
        this.#variations++;
        at++;
      } else if (letter === ")" && this.#inMoves && !this.#isBehind) {
        this.#variations = Math.max(this.#variations - 1, 0);
        at++;
      } else {
        isClean = false;
        const text = wordAt(line, at);
        const word = meaningOf(text);
        const goesOn = this.#inMoves && !this.#isBehind;
        const hasTags = this.#tags.length > 0 && !this.#isBehind;
        if (goesOn || beginsMoves(word, hasTags, isFirst, firstNumber !== undefined)) {
          if (this.#takeWord(text, word, afterBlank && isFirst)) return goesOn ? at : (firstNumber ?? at);
          isFirst &&= word.kind === "nothing";
          at += text.length;
        } else {
          const prose = proseAt(line, at);
          isFirst &&= meaningOf(prose).kind === "nothing";
          if (isFirst) firstNumber ??= at;
          at += prose.length;
        }
      }
    }
    return undefined;
  }

  /** Returns whether the next game begins with this text in brackets. */
  #beginsGame(text, isClean, afterBlank) {
    const name = tagName(text);
    if (!this.#inMoves) {
      const isNewHeader = this.#firstLineTags > 1 && this.#tags[0] === name;
      return isClean && (afterBlank || isNewHeader) && this.#tags.includes(name);
    }
    const isRegular = isRegularTag(text);
    if (!isClean) return isRegular && this.#variations === 0 && (this.#isOver || name === "Event");
    const isLast = this.#isOver && isTag(text) && text.trimEnd().endsWith("]");
    return isRegular || isLast || ((afterBlank || this.#isOver) && isBracketed(text));
  }

  /** Takes the tag that a text begins with. Returns its length. */
  #takeTag(text) {
    const length = tagLength(text);
    this.#inTag = closedLength(text) === undefined;
    const { name, value } = readTag(text.slice(0, length));
    if (name.toLowerCase() === "result") this.#result = value.trim();
    this.#tags.push(tagName(text));
    return length;
  }

  /** Takes a word of the moves. Returns whether the next game begins with it. */
  #takeWord(text, { kind, number }, isApart) {
    this.#inMoves = true;
    if (this.#variations > 0) return false;
    const hasNumber = number !== undefined && number.dots > 0;
    // Castling with zeros is a result only where no move follows.
    if (kind === "result" || (kind !== "move" && this.#result === text)) {
      this.#isOver = true;
      this.#isApart = false;
    } else if (hasNumber || kind === "move" || kind === "unread") {
      const isFirst = hasNumber && number.value === 1;
      if (this.#isOver && (this.#isApart || isFirst)) return true;
      if (this.#hasMoves && isApart && isFirst && number.dots === 1) return true;
      this.#hasMoves ||= kind === "move" || kind === "unread";
      this.#isOver = this.#isApart = false;
    }
    return false;
  }
}
