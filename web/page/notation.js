// The words between the moves of a game: what people and programs mean by them. The rules are those
// of `rejoinder-study annotate`.

/** The null move. */
export const NULL_MOVE = "--";

/** Longest word that may mean something, in characters. */
const LONGEST = 40;
const NULL_MOVES = new Set(["--", "Z0", "z0", "null", "NULL", "pass", "PASS", "@@@@", "0000", "<>"]);
/** Words that say what the moves say themselves. */
const IMPLIED = new Set(["e.p.", "e.p", "ep", "+", "++", "#", "ch", "dbl", "mate"]);
const ENDINGS = ["mate", "dblch", "dbl.ch", "disch", "dis.ch", "ch", "e.p", "ep"];

const RESULTS = new Map([
  ...["*"].map((word) => [word, "*"]),
  ...["1-0", "1:0"].map((word) => [word, "1-0"]),
  ...["0-1", "0:1"].map((word) => [word, "0-1"]),
  ...["1/2-1/2", "1/2:1/2", "1/2", "0.5-0.5", "0,5-0,5"].map((word) => [word, "1/2-1/2"]),
  // PGN does not know these, which arbiters use, for instance for a win by forfeit.
  ...["1/2-0", "0-1/2", "0.5-0", "0-0.5", "0:0", "+:-", "-:+", "=:=", "-:-", "-/-"].map((word) => [word, null]),
  ...["1-0F", "0-1F", "0F-0F", "1F-0F", "0F-1F", "1-0f", "0-1f"].map((word) => [word, null]),
]);

/** The numeric glyphs of marks that are written as words. */
const SIGNS = new Map([
  ["□", 7],
  ["=", 10],
  ["∞", 13],
  ["~", 13],
  ["+=", 14],
  ["+/=", 14],
  ["⩲", 14],
  ["=+", 15],
  ["=/+", 15],
  ["⩱", 15],
  ["+/-", 16],
  ["±", 16],
  ["-/+", 17],
  ["∓", 17],
  ["+-", 18],
  ["+−", 18],
  ["-+", 19],
  ["−+", 19],
  ["N", 146],
  ["D", 220],
]);

const LETTERS = new Map([
  ...[..."♔♚"].map((letter) => [letter, "K"]),
  ...[..."♕♛"].map((letter) => [letter, "Q"]),
  ...[..."♖♜"].map((letter) => [letter, "R"]),
  ...[..."♗♝"].map((letter) => [letter, "B"]),
  ...[..."♘♞"].map((letter) => [letter, "N"]),
  ...[..."♙♟"].map((letter) => [letter, "P"]),
  ...[..."×:"].map((letter) => [letter, "x"]),
  // A hyphen between two squares says nothing.
  ...[..."-–—‑"].map((letter) => [letter, ""]),
]);

/** Meanings that were found before, because most words are there often. */
const known = new Map();
const MOST_KNOWN = 10000;

/**
 * Returns the meaning of a word: perhaps a move number, then something else, then perhaps a glyph.
 *
 * @param {string} word
 * @returns {{number?: {value?: number, dots: number}, numberLength: number, kind: string, move?: string, nag?: number, result?: string | null}}
 *   the kind of what follows the number: `move` (in the form of SAN, but perhaps not legal), `unread`
 *   (a move in a notation that is not read), `nag`, `result` (`null` for one that PGN does not
 *   know), `nothing` (also a sign that the moves imply, as in `e.p.`), or `other`; the `nag` of a
 *   move is that of a mark at its end, as in `Nf3±`
 */
export function meaningOf(word) {
  if (word.length > LONGEST) return { kind: "other", numberLength: 0 };
  const found = known.get(word) ?? read(word);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(word, found);
  return found;
}

function read(word) {
  const result = resultOf(word);
  if (result !== undefined) return { kind: "result", result, numberLength: 0 };
  const isWhole = NULL_MOVES.has(word) || castling(word) !== undefined;
  const numeral = isWhole ? "" : (/^\d*(?:[.…]+|$)/.exec(word)?.[0] ?? "");
  return { number: numberOf(numeral), numberLength: numeral.length, ...bodyOf(word.slice(numeral.length)) };
}

/**
 * Returns whether a word begins the moves of a game. In a text without tags only a move does that is
 * the first word of its line or follows a number, for the text may be prose.
 *
 * @param {object} word its meaning
 * @param {boolean} hasTags whether there are tags before it
 * @param {boolean} isFirst whether nothing but numbers stands before it in its line
 * @param {boolean} isNumbered whether there is such a number
 */
export function beginsMoves({ kind, number }, hasTags, isFirst, isNumbered) {
  const hasDots = number !== undefined && number.dots > 0;
  if (kind === "move") return hasTags || isFirst || number !== undefined;
  if (kind === "unread") return hasTags || (isFirst && (isNumbered || hasDots));
  return hasTags && (kind === "result" || hasDots);
}

/** Returns the numeric glyph of a mark such as `?!`; three or more signs count as two. */
export function glyphOf(marks) {
  return { "!": 1, "?": 2, "!!": 3, "??": 4 }[marks.slice(0, 2)] ?? (marks[0] === "!" ? 5 : 6);
}

/**
 * Returns the result that a word stands for, `null` if it is one that PGN does not know, and
 * undefined if it is none. Castling (`0-0`) is none, though arbiters use it as one.
 */
export function resultOf(word) {
  return RESULTS.get(word.replace(/[–—−]/g, "-").replaceAll("½", "1/2"));
}

/** Returns whether a text is the result of a game that both sides have lost, or castling. */
export const isZeroZero = (text) => /^\s*0[-–—−]0\s*$/.test(text);

function numberOf(numeral) {
  if (numeral === "") return undefined;
  const [digits] = /^\d*/.exec(numeral);
  const value = digits === "" || digits.length > 9 ? undefined : Number(digits);
  const dots = [...numeral.slice(digits.length)].reduce((sum, letter) => sum + (letter === "." ? 1 : 3), 0);
  return { value, dots };
}

function bodyOf(text) {
  if (text === "" || IMPLIED.has(text)) return { kind: "nothing" };
  if (SIGNS.has(text)) return { kind: "nag", nag: SIGNS.get(text) };
  const [bare, nag] = splitSign(text);
  const move = plainMove(bare);
  if (isSan(move)) return { kind: "move", move, nag };
  return { kind: resemblesMove(bare) ? "unread" : "other" };
}

/** Splits the longest mark that is not a letter off the end of a move. */
function splitSign(word) {
  for (let at = 2; at < word.length; at++) {
    const nag = /[A-Za-z]/.test(word[at]) ? undefined : SIGNS.get(word.slice(at));
    if (nag !== undefined) return [word.slice(0, at), nag];
  }
  return [word, undefined];
}

/** Recognizes castling written with zeros, lower-case letters or other dashes. */
function castling(word) {
  const plain = word.replace(/[0o]/g, "O").replace(/[–—‑]/g, "-").replace(/[+#]+$/, "");
  return plain === "O-O" || plain === "O-O-O" ? plain : undefined;
}

/** Strips a move of notation that not every reader accepts. */
function plainMove(word) {
  if (NULL_MOVES.has(word)) return NULL_MOVE;
  const castled = castling(word);
  if (castled) return castled;
  let bare = word.replace(/[,.]+$/, "");
  for (const ending of ENDINGS) {
    if (bare.endsWith(ending)) bare = bare.slice(0, -ending.length);
  }
  bare = bare.replace(/[+#=:†‡.]+$/, "");
  let text = Array.from(bare, (letter) => LETTERS.get(letter) ?? letter).join("");
  if (text.startsWith("P") && text.length > 2) text = text.slice(1);
  // `e7e8q`, `e8(Q)`, `e8/Q`, `e8Q`.
  const [, pawn, piece] = /^(.*[18])[=(/x]*([qrbn])\)*$/i.exec(text) ?? [];
  if (piece) text = `${pawn}=${piece.toUpperCase()}`;
  const [squares, ...promotion] = text.split("=");
  return /^(?:[A-H][1-8]){1,2}$/.test(squares) ? [squares.toLowerCase(), ...promotion].join("=") : text;
}

/** Returns whether a text has the form of SAN, of two squares, or of the null move. */
const isSan = (text) => text === NULL_MOVE || /^(?:O-O(?:-O)?|[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8]|[a-h]?[1-8]?x?[a-h][1-8]=[QRBN])$/.test(text);

/**
 * Returns whether a word is likely to be a move in a notation that is not read: it names a square, as
 * in `Sf3` (German) or `N@f6` (a drop), or is descriptive, as in `P-K4`.
 */
function resemblesMove(word) {
  const hasSquare = /[a-h][0-9]/.test(word);
  const isOfPiece = /^[KQRBN][a-z].*[0-9]$/.test(word);
  const isDescriptive = /^[KQRBNP][KQRBNPx+#=()/ch1-8-]*$/.test(word) && /[-x]/.test(word);
  return [...word].length <= 10 && (hasSquare || isOfPiece || isDescriptive);
}
