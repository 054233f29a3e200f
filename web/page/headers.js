// The headers of a game: its tags by their names.

import { asComment } from "./draft.js";
import { resultOf } from "./notation.js";

/** The names of the tags that the page looks for; people write them in letters of either case. */
const TAGS = new Map(["Event", "Date", "White", "Black", "Result", "WhiteElo", "BlackElo", "FEN", "SetUp", "Variant"].map((name) => [name.toLowerCase(), name]));

/** Returns the tags as headers, and as comments those that are there twice. */
export function headersOf(tags) {
  const headers = new Map();
  const comments = [];
  for (const { name, value, raw } of tags) {
    const known = TAGS.get(name.toLowerCase()) ?? name;
    if (!headers.has(known)) headers.set(known, value);
    else if (headers.get(known) !== value) comments.push(asComment(raw));
  }
  const result = headers.get("Result")?.trim();
  if (result !== undefined) headers.set("Result", resultOf(result) ?? result);
  return { headers, comments };
}

/**
 * Adds the result behind the moves to the headers. Returns a sentence if the tag had another one.
 *
 * @param {Map<string, string>} headers
 * @param {string | null | undefined} result
 */
export function withResult(headers, result) {
  const tag = headers.get("Result") ?? "";
  if (!result || result === "*" || result === tag) return undefined;
  headers.set("Result", result);
  return /^[*?]?$/.test(tag) ? undefined : `The result behind the moves is ${result}, and that of the tag was ${tag}.`;
}

/**
 * Whether a `Variant` names standard chess or Chess960, whose rules are those of the position.
 *
 * @param {string} variant
 */
export function isKnownVariant(variant) {
  const plain = variant.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const standard = /^(standard|orthodox|regular|normal|classical|classic|fromposition|chess)*$/;
  const chess960 = /^(960|9lx|fischerandom|fischer|fisher|freestyle|dfrc|frc|double|random|chess)*$/;
  return standard.test(plain) || (chess960.test(plain) && !/^(double|random|chess)*$/.test(plain));
}
