// What the engine says about its lines.

/**
 * What the engine says about a line.
 *
 * @typedef {object} Info
 * @property {number} depth plies
 * @property {number} seldepth plies
 * @property {number} rank from 1, the best
 * @property {{cp: number} | {mate: number}} score from the side to move: hundredths of a pawn, or
 *   moves to mate (negative if it is mated)
 * @property {number[]} wdl chances of win, draw and loss of the side to move, per mille
 * @property {boolean} isBound whether the score is only a bound
 * @property {number} nodes
 * @property {number} nps nodes a second
 * @property {number} time milliseconds
 * @property {number} hashfull per mille
 * @property {string[]} pv moves in UCI notation
 */

/**
 * Understands an `info` line with a score and moves.
 *
 * @param {string} line
 * @returns {Info | undefined} undefined for any other line
 */
export function parseInfo(line) {
  const words = line.trim().split(/\s+/);
  if (words[0] !== "info" || words[1] === "string") return undefined;
  const pv = words.indexOf("pv");
  const score = words.indexOf("score");
  if (pv < 0 || score < 0 || score > pv) return undefined;
  const number = (name, count = 1) => {
    const at = words.indexOf(name);
    return at < 0 || at > pv ? Array(count).fill(0) : words.slice(at + 1, at + 1 + count).map(Number);
  };
  const [kind, value] = words.slice(score + 1);
  return {
    depth: number("depth")[0],
    seldepth: number("seldepth")[0],
    rank: number("multipv")[0] || 1,
    score: { [kind]: Number(value) },
    wdl: number("wdl", 3),
    isBound: words.includes("lowerbound") || words.includes("upperbound"),
    nodes: number("nodes")[0],
    nps: number("nps")[0],
    time: number("time")[0],
    hashfull: number("hashfull")[0],
    pv: words.slice(pv + 1),
  };
}

/** Orders scores of the side to move. */
const worth = ({ cp, mate }) => (mate === undefined ? cp : mate > 0 ? 1e7 - mate : -1e7 - mate);

/**
 * Takes what the engine says about a line into what it has said before, and returns all lines, the
 * best first. A bound comes without most of its moves, so that those known before are kept. A move
 * that has changed its rank is still in its old place, with its old score.
 *
 * @param {Info[]} lines
 * @param {Info} info
 * @param {number} most the number of lines
 */
export function withInfo(lines, info, most) {
  const old = lines.find(({ pv }) => pv[0] === info.pv[0]);
  const pv = info.isBound && old && old.pv.length > info.pv.length ? old.pv : info.pv;
  const others = lines.filter((line) => line.rank !== info.rank && line !== old);
  return [...others, { ...info, pv }].sort((a, b) => worth(b.score) - worth(a.score) || a.rank - b.rank).slice(0, most);
}
