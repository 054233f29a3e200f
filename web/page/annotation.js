// What annotations of a game mean: glyphs, and the scores and clocks in comments.

import { makeComment, parseComment } from "chessops/pgn";

/**
 * The glyphs that are shown: their sign, their name, and their kind for the colors.
 *
 * Source: the PGN standard, 10, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm
 */
const GLYPHS = new Map([
  [1, ["!", "good move", "good"]],
  [2, ["?", "mistake", "mistake"]],
  [3, ["!!", "brilliant move", "good"]],
  [4, ["??", "blunder", "blunder"]],
  [5, ["!?", "interesting move", "good"]],
  [6, ["?!", "inaccuracy", "inaccuracy"]],
  [7, ["□", "only move", "only"]],
  [8, ["□", "only move", "only"]],
  [10, ["=", "equal"]],
  [11, ["=", "equal"]],
  [13, ["∞", "unclear"]],
  [14, ["+/=", "White is slightly better"]],
  [15, ["=/+", "Black is slightly better"]],
  [16, ["±", "White is better"]],
  [17, ["∓", "Black is better"]],
  [18, ["+−", "White is winning"]],
  [19, ["−+", "Black is winning"]],
  [22, ["⨀", "zugzwang"]],
  [23, ["⨀", "zugzwang"]],
  [32, ["⟳", "development"]],
  [36, ["↑", "initiative"]],
  [40, ["→", "attack"]],
  [44, ["=∞", "compensation"]],
  [132, ["⇆", "counterplay"]],
  [138, ["⊕", "time trouble"]],
  [140, ["∆", "with the idea"]],
  [146, ["N", "novelty"]],
]);

/** The signs of glyphs with their names. Glyphs without a sign of their own are shown as numbers. */
export const signsOf = (nags) =>
  nags.map((nag) => {
    const [sign, name, kind = "plain"] = GLYPHS.get(nag) ?? [`$${nag}`, `glyph ${nag}`];
    return { sign, name, kind };
  });

/** The sign that judges a move, as on the board; undefined without one. */
export const judgmentOf = (nags) => signsOf(nags).find(({ kind }) => kind !== "plain");

/** Whether a move is marked as an inaccuracy, a mistake or a blunder. */
export const isBad = (node) => ["inaccuracy", "mistake", "blunder"].includes(judgmentOf(node.nags)?.kind);

/**
 * What comments say.
 *
 * @param {string[]} comments
 * @returns {{text: string, score?: {cp: number} | {mate: number}, clock?: number, shapes: object[]}}
 *   the text for people; the score from White's point of view in hundredths of a pawn or moves to
 *   mate; the time left in seconds; and arrows and circles
 */
export function remarkOf(comments) {
  const remark = { text: "", score: undefined, clock: undefined, shapes: [] };
  const texts = [];
  for (const comment of comments) {
    const { text, evaluation, clock, shapes } = parseComment(comment);
    texts.push(withoutSummary(text.replace(/\[%[^\]]*\]/g, " ")));
    if (evaluation) remark.score ??= "mate" in evaluation ? { mate: evaluation.mate } : { cp: Math.round(evaluation.pawns * 100) };
    remark.clock ??= clock;
    remark.shapes.push(...shapes.filter(Boolean));
  }
  remark.text = texts.filter(Boolean).join(" ");
  return remark;
}

/** Writes a score from White's point of view: `+0.34`, `−1.20` or `#−3`. */
export function scoreText({ cp, mate }) {
  if (mate !== undefined) return `#${mate < 0 ? "−" : ""}${Math.abs(mate)}`;
  const rounded = Math.round(cp);
  return (rounded < 0 ? "−" : rounded > 0 ? "+" : "") + (Math.abs(rounded) / 100).toFixed(2);
}

/** Writes a time in seconds as on a chess clock. */
export function clockText(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** The furthest score of Lichess' curve in centipawns, which also stands for a mate. */
const FURTHEST = 1000;

/**
 * White's winning chance, 0 to 1, for a score: the usual curve for games of people, by which the bar,
 * the graph, marks and accuracy measure.
 *
 * Source: https://lichess.org/page/accuracy
 */
export function chanceOf({ cp, mate }) {
  const centipawns = mate === undefined ? Math.max(-FURTHEST, Math.min(FURTHEST, cp)) : mate < 0 ? -FURTHEST : FURTHEST;
  return 1 / (1 + Math.exp(-0.00368208 * centipawns));
}

/**
 * White's winning chance at a position of a game, 0 to 1; undefined if neither a review nor a comment
 * tells.
 */
export function chanceAt(node) {
  if (node.position.isCheckmate()) return node.position.turn === "white" ? 0 : 1;
  const { score } = node.remark;
  return node.chance ?? (score && chanceOf(score));
}

const SIDE = "accuracy (-|[\\d.]+%)(?:, (\\d+) inaccurac\\w+, (\\d+) mistakes?, (\\d+) blunders?)?";
const SUMMARY = new RegExp(`White: ${SIDE}\\. Black: ${SIDE}\\.(?: [^,]*, ([^{}]*?) a position\\.)?`);

/** Returns a comment in one line, without the summary of a review. */
const withoutSummary = (text) => text.replace(/\s+/g, " ").replace(SUMMARY, "").trim();

/**
 * The summary of a review among the comments before the first move.
 *
 * @param {string[]} comments
 * @returns {{white: object, black: object, effort?: string} | undefined} the `accuracy` of a side as
 *   text, and its `counts` of inaccuracies, mistakes and blunders
 */
export function reviewOf(comments) {
  for (const comment of comments) {
    const found = SUMMARY.exec(comment.replace(/\s+/g, " "));
    if (!found) continue;
    const side = (from) => ({ accuracy: found[from], counts: found.slice(from + 1, from + 4).map((count) => count ?? "0") });
    return { white: side(1), black: side(5), effort: found[9] };
  }
  return undefined;
}

/** Returns comments with these arrows and circles in place of those that they had. */
export function withShapes(comments, shapes) {
  const bare = comments.map((comment) => comment.replace(/\s?\[%(?:csl|cal)\s[^\]]*\]/g, "").trim());
  const drawn = makeComment({ shapes });
  const at = comments.findIndex((comment) => /\[%/.test(comment));
  if (at >= 0) bare[at] = `${bare[at]} ${drawn}`.trim();
  else if (drawn) bare.unshift(drawn);
  return bare.filter(Boolean);
}
