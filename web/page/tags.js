// The tags of a game, as in `[White "Tal, M"]`. People write names that PGN does not know and forget
// quotes. The rules are those of `rejoinder-study annotate`.

const BEHIND = /"[^\S\n]*\]/y;

const lineOf = (text) => {
  const end = text.indexOf("\n");
  return end < 0 ? text : text.slice(0, end);
};

/** Reads a tag from its text, which begins with a bracket, as name and value. */
export function readTag(raw) {
  const inner = raw.trim().replaceAll("\n", " ").replace(/^\[/, "").replace(/\]$/, "").trim();
  const [name] = /^[^\s"“”„]*/.exec(inner);
  const value = inner.slice(name.length).trim().replace(/^["“”„]/, "").replace(/["“”„]$/, "");
  return { name, value: value.replace(/\\([\\"])/g, "$1") };
}

/**
 * Returns whether a text that begins with a bracket begins with a tag, if it stands before the moves.
 * Commands and diagrams, as in `[%clk 0:01]` and `[#]`, are none.
 */
export const isTag = (text) => !/^\[[%#]/.test(text) || lineOf(text).includes('"');

/**
 * Returns whether a text that begins with a bracket is a tag for sure, also behind moves: a word,
 * followed by a quote.
 */
export const isRegularTag = (text) => /^\[\s*\w+\s*"/.test(text);

/** Returns whether a line is one tag or several, if it stands behind an empty line. */
export const isBracketed = (line) => line.includes('"') && line.trimEnd().endsWith("]");

/** Returns the name of the tag that a text begins with. */
export const tagName = (text) => /^\[\s*([^\s"\]]*)/.exec(text)[1];

/**
 * Returns the length of the tag that a text begins with. A tag that its line does not close goes on
 * to the end of the next line if that line closes it, and otherwise ends with its own line.
 */
export function tagLength(text) {
  const standard = standardLength(text);
  if (standard !== undefined) return standard;
  const line = lineOf(text);
  const closed = closedLength(line);
  if (closed !== undefined) return closed;
  const next = line.length < text.length ? lineOf(text.slice(line.length + 1)) : "";
  return closesTag(next) ? line.length + 1 + next.length : line.length;
}

/** Returns whether a line is the second part of a tag that the line before did not close. */
export const closesTag = (line) => /\]\s*$/.test(line) && !/^\s*\[/.test(line);

/** Returns the length of the tag that a text begins with if it is as PGN wants it. */
function standardLength(text) {
  let at = /^\[[^\S\n]*[^\s"\]]+[^\S\n]*"/.exec(text)?.[0].length;
  if (at === undefined) return undefined;
  while (at < text.length && text[at] !== '"') {
    if (text[at] === "\n") return undefined;
    at += text[at] === "\\" ? 2 : 1;
  }
  BEHIND.lastIndex = at;
  return BEHIND.test(text) ? BEHIND.lastIndex : undefined;
}

/**
 * Returns the length of the tag at the beginning of a line, with its closing bracket; undefined if it
 * has none.
 */
export function closedLength(line) {
  const standard = standardLength(line);
  if (standard !== undefined) return standard;
  const bracket = line.indexOf("]");
  if (bracket < 0) return undefined;
  const quote = line.indexOf('"');
  if (quote < 0 || quote > bracket) return bracket + 1;
  // The value may hold what looks like its end, but only before other text than a tag, a comment or a
  // move.
  let first;
  for (const { 0: end, index } of line.slice(quote + 1).matchAll(/"\s*\]/g)) {
    const at = quote + 1 + index + end.length;
    first ??= at;
    if (/^\s*(?:$|[\d[{(;*])/.test(line.slice(at)) || !line.includes('"]', at)) return at;
  }
  return first ?? line.lastIndexOf("]") + 1;
}
