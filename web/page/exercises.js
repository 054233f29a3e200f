// The answers to exercises: which are due, and the file that holds them, which `rejoinder-study learn`
// reads and writes as well.

import { all, change } from "./database.js";
import { playerOf } from "./collection.js";
import { answered, cardsOf } from "./reader.js";

/** How an exercise went, as the scheduler counts. */
export const AGAIN = 1;
export const HARD = 2;
export const GOOD = 3;

const now = () => Math.floor(Date.now() / 1000);

/**
 * Returns the exercises to ask: first those that are due, then those that are new.
 *
 * @param {object[]} cards those of the games
 * @param {string} [player] whose exercises are asked also without their games
 * @returns {Promise<{queue: object[], due: number, next?: number}>} with the number of those that are
 *   due, and when the next one is, in seconds since 1970
 */
export async function queueOf(cards, player) {
  const known = new Map((await all("answers")).map((card) => [card.key, card]));
  const found = new Map(cards.map((card) => [card.key, known.get(card.key) ?? card]));
  for (const card of known.values()) if (playerOf(card) === player) found.set(card.key, card);
  const asked = [...found.values()].filter(({ due }) => due !== null).sort((a, b) => a.due - b.due);
  const isDue = ({ due }) => due <= now();
  const due = asked.filter(isDue);
  const fresh = [...found.values()].filter(({ due }) => due === null);
  return { queue: [...due, ...fresh], due: due.length, next: asked.find((card) => !isDue(card))?.due };
}

/** Keeps an answer, and returns the exercise with what is known of it now. */
export async function answer(card, grade) {
  const next = answered(card.line, grade, now());
  if (next) await change({ answers: [next] });
  return next ?? card;
}

/** Returns the names of those whose exercises were asked. */
export const players = async () => new Set((await all("answers")).map(playerOf));

/** Returns the file with all answers. */
export const exported = async () => (await all("answers")).map(({ line }) => `${line}\n`).join("");

/** Adds the answers of a file that are newer than those known, and returns the number of exercises. */
export async function imported(text) {
  const cards = cardsOf(text).filter(({ last }) => last !== null);
  const known = new Map((await all("answers")).map((card) => [card.key, card]));
  await change({ answers: cards.filter(({ key, last }) => !(known.get(key)?.last > last)) });
  return cards.length;
}
