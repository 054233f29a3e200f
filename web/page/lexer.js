// Splits the text of a game into its tags and tokens. Nothing is dropped but white space, brackets
// without a partner, and signs that the moves imply: what is no PGN becomes a token of its own. The
// rules are those of `rejoinder-study annotate`.

import { beginsMoves, glyphOf, meaningOf } from "./notation.js";
import { isTag, readTag, tagLength } from "./tags.js";

const WORD = /.[^\s\p{Cc}{}();*$!?[]*/suy;
const PROMOTION = /\([QRBN]\)[^\s\p{Cc}{}();*$!?[]*/iuy;
const PROSE = /.[^\s{;]*/suy;
const SPACE = /[^\S\n]+/y;
const CONTROL = /\p{Cc}/u;
const DIGITS = /\d*/y;
const MARKS = /[!?]+/y;
const SOLID = /\S+/y;

const match = (pattern, text, at) => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
};

/**
 * Returns the word at a place of a text, at least one letter of it. The piece of a promotion may
 * stand in round brackets, as in `e8(Q)+`.
 */
export function wordAt(text, at) {
  const word = match(WORD, text, at);
  return /[18]=*$/.test(word.slice(-10)) ? word + match(PROMOTION, text, at + word.length) : word;
}

/** Returns the word of prose at a place of a text, at least one letter of it. */
export const proseAt = (text, at) => match(PROSE, text, at);

/** Finds letters in a text from growing places on, without looking at any part of it twice. */
export class Finder {
  #text;
  #found = new Map();

  constructor(text) {
    this.#text = text;
  }

  /** Returns the first place of a letter that is not before another place, or that of the text's end. */
  find(letter, from) {
    const known = this.#found.get(letter);
    if (known !== undefined && known >= from) return known;
    const at = this.#text.indexOf(letter, from);
    const found = at < 0 ? this.#text.length : at;
    this.#found.set(letter, found);
    return found;
  }
}

/**
 * Splits the text of a game.
 *
 * @param {string} text with line feeds as line ends
 * @returns {{tags: {name: string, value: string, raw: string}[], tokens: object[], faults: string[]}}
 *   Each token has its place `at` in the text and a `kind`: `number` (`number`), `move` (`text` in the
 *   form of SAN), `unread` and `words` (`text` as written), `comment` (`text`), `nag` (`nag`), `result`
 *   (`result`, `null` for one that PGN does not know), `open` and `close`. The faults are
 *   sentences.
 */
export function lex(text) {
  const lexer = new Lexer(text);
  lexer.run();
  return lexer;
}

class Lexer {
  tags = [];
  tokens = [];
  faults = [];
  #text;
  #finder;
  #at = 0;
  /** Where the text ends but for white space. */
  #end;
  /** Number of variations that enclose the current place. */
  #depth = 0;
  /** Set behind the first move, move number or result; there are no tags any more. */
  #hasBegun = false;
  /** Set if no word but a number stands before the current place in its line. */
  #isFirst = true;
  /** Set if nothing but tags and comments stands before the current place in its line. */
  #isClean = true;

  constructor(text) {
    this.#text = text;
    this.#finder = new Finder(text);
    this.#end = text.trimEnd().length;
  }

  run() {
    this.#escapedLine();
    while (this.#at < this.#text.length) this.#take(this.#text[this.#at]);
    if (this.#depth > 0) this.faults.push("A variation does not end.");
  }

  #take(letter) {
    if (letter === "\n") {
      this.#at++;
      this.#isClean = this.#isFirst = true;
      this.#escapedLine();
    } else if (letter === "}" || CONTROL.test(letter)) this.#at++;
    else if (/\s/.test(letter)) this.#at += match(SPACE, this.#text, this.#at).length;
    else if (letter === "{") this.#braces();
    else if (letter === ";") this.#restOfLine(1);
    else if (letter === "[") this.#bracket();
    else if (!this.#hasBegun && !this.#begins(letter)) this.#prose();
    else if (letter === "(") {
      this.#depth++;
      this.#push({ kind: "open" }, 1);
    } else if (letter === ")") this.#close();
    else if (letter === "$") this.#glyph();
    else if (letter === "!" || letter === "?") {
      const marks = match(MARKS, this.#text, this.#at);
      this.#push({ kind: "nag", nag: glyphOf(marks) }, marks.length);
    } else if (letter === "*") this.#push({ kind: "result", result: "*" }, 1);
    else this.#word();
  }

  #push(token, length) {
    token.at = this.#at;
    this.tokens.push(token);
    this.#at += length;
  }

  #close() {
    if (this.#depth === 0) {
      this.#at++;
      return;
    }
    this.#depth--;
    this.#push({ kind: "close" }, 1);
  }

  #lineEnd() {
    return this.#finder.find("\n", this.#at);
  }

  /** Takes a comment up to its brace. */
  #braces() {
    const end = this.#finder.find("}", this.#at);
    if (end === this.#text.length) this.faults.push("A comment does not end.");
    this.#comment(this.#text.slice(this.#at + 1, end), end + 1 - this.#at);
  }

  /** Takes a line that begins with a percent sign, which PGN leaves to other programs. */
  #escapedLine() {
    if (this.#text[this.#at] === "%") this.#restOfLine(0);
  }

  /** Takes the rest of the line as a comment, without its first letters. */
  #restOfLine(mark) {
    const end = this.#lineEnd();
    this.#comment(this.#text.slice(this.#at + mark, end), end - this.#at);
  }

  #comment(inner, length) {
    const text = inner.trim().replaceAll("}", ")");
    if (text === "") this.#at += length;
    else this.#push({ kind: "comment", text }, length);
  }

  /** Takes a tag before the moves; elsewhere, a text in brackets. */
  #bracket() {
    const rest = this.#text.slice(this.#at);
    if (this.#isClean && !this.#hasBegun && isTag(rest)) {
      const raw = rest.slice(0, tagLength(rest));
      this.tags.push({ ...readTag(raw), raw });
      this.#at += raw.length;
      return;
    }
    const lineEnd = this.#lineEnd();
    const end = this.#finder.find("]", this.#at);
    if (end < lineEnd) this.#other(end + 1 - this.#at);
    else this.#other(match(SOLID, this.#text, this.#at).length);
  }

  /** Takes a glyph with a number; one that PGN does not know stays a word. */
  #glyph() {
    const digits = match(DIGITS, this.#text, this.#at + 1);
    if (digits !== "" && Number(digits) <= 255) this.#push({ kind: "nag", nag: Number(digits) }, digits.length + 1);
    else this.#other(digits.length + 1);
  }

  /** Returns whether the moves begin here. */
  #begins(letter) {
    const hasTags = this.tags.length > 0;
    const isNumbered = this.tokens.at(-1)?.kind === "number";
    const begins = () => beginsMoves(meaningOf(wordAt(this.#text, this.#at)), hasTags, this.#isFirst, isNumbered);
    this.#hasBegun = letter === "(" ? hasTags : begins();
    return this.#hasBegun;
  }

  /** Takes a word before the moves begin. */
  #prose() {
    const word = proseAt(this.#text, this.#at);
    const { kind, number } = meaningOf(word);
    this.#isFirst &&= kind === "nothing";
    // The move behind a number will tell whether the moves begin here.
    if (number && this.#isFirst && number.dots > 0) this.#push({ kind: "number", number }, word.length);
    else this.#other(word.length);
  }

  /** Takes a text that means nothing, together with such a text right before it. */
  #other(length) {
    this.#isClean = false;
    const text = this.#text.slice(this.#at, this.#at + length).replaceAll("}", ")");
    const last = this.tokens.at(-1);
    if (last?.kind !== "words") {
      this.#push({ kind: "words", text }, length);
      return;
    }
    last.text += ` ${text}`;
    this.#at += length;
  }

  #word() {
    const text = wordAt(this.#text, this.#at);
    const word = meaningOf(text);
    const isLast = this.#at + text.length >= this.#end;
    if (this.#depth === 0 && isLast && this.#isResultTag(text)) {
      this.#push({ kind: "result", result: word.kind === "result" ? word.result : null }, text.length);
      return;
    }
    // Digits behind other words are a part of them, as in a date.
    if (word.number?.dots === 0 && word.kind === "nothing" && this.tokens.at(-1)?.kind === "words") {
      this.#other(text.length);
      return;
    }
    if (word.number) this.#push({ kind: "number", number: word.number }, word.numberLength);
    const length = text.length - word.numberLength;
    const behind = this.#at + length;
    if (word.kind === "nag") this.#push({ kind: "nag", nag: word.nag }, length);
    else if (word.kind === "move") this.#push({ kind: "move", text: word.move }, length);
    else if (word.kind === "unread") this.#push({ kind: "unread", text: this.#text.slice(this.#at, behind) }, length);
    else if (word.kind === "result") {
      if (word.result === null) {
        this.#other(length);
        this.#at = behind - length;
      }
      this.#push({ kind: "result", result: word.result }, length);
    } else if (word.kind === "other") this.#other(length);
    this.#at = behind;
    if (word.kind === "move" && word.nag !== undefined) this.#push({ kind: "nag", nag: word.nag }, 0);
  }

  /** Returns whether a word is the value of the tag `Result`. */
  #isResultTag(word) {
    return this.tags.find(({ name }) => name.toLowerCase() === "result")?.value.trim() === word;
  }
}
