// What one side has more than the other, as it stands beside its name.

import { element } from "./dom.js";

/** The pieces, the most valuable first: their sign, their name and their value in points. */
const PIECES = [
  ["queen", "♛", 9],
  ["rook", "♜", 5],
  ["bishop", "♝", 3],
  ["knight", "♞", 3],
  ["pawn", "♟", 1],
];

/**
 * What a color has more than the other, in a position.
 *
 * @param {import("chessops/chess").Position} position
 * @param {"white" | "black"} color
 * @returns {{more: {role: string, sign: string, count: number}[], points: number}} the pieces of which
 *   it has more, and by how many points it leads; at most 0 if it does not
 */
export function surplusOf({ board }, color) {
  const more = [];
  let points = 0;
  for (const [role, sign, value] of PIECES) {
    const all = board[role];
    const count = all.intersect(board[color]).size() - all.diff(board[color]).size();
    points += count * value;
    if (count > 0) more.push({ role, sign, count });
  }
  return { more, points };
}

/** Draws that for the row of a player; undefined if it has nothing more. */
export function surplusElement(position, color) {
  const { more, points } = surplusOf(position, color);
  if (more.length === 0) return undefined;
  const names = more.map(({ role, count }) => (count > 1 ? `${count} ${role}s` : `a ${role}`));
  const lead = points > 0 ? `+${points}` : "";
  const row = element("span", { class: "surplus", title: `More than the other side: ${names.join(", ")}` });
  row.append(
    ...more.map(({ sign, count }) => element("span", { "aria-hidden": "true", text: sign.repeat(count) })),
    element("span", { class: "hidden", text: `${names.join(", ")} more` }),
  );
  if (lead) row.append(element("b", { text: lead }));
  return row;
}
