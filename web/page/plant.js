// Plays the lines of a PGN text in the tree of a game.

import { asComment, fits } from "./draft.js";
import { moveNumber, moveOf, plyOf } from "./san.js";

/**
 * Plays lines in a game. Variations come after the main line, in the order of the text; what they
 * repeat is there once, with what is said about it in all places. What cannot be played becomes a
 * comment.
 *
 * @param {import("./game.js").Game} game
 * @param {object} main the main line, as draft.js has it
 * @param {string} text the text of the game
 * @returns {string[]} a sentence about each fault
 */
export function plant(game, main, text) {
  const faults = [];
  const delayed = [];
  let end;
  // Each with the node that it begins at, and the comments that take what is no move of it.
  const waiting = [{ line: main, from: game.root, around: game.comments }];
  while (waiting.length > 0) {
    const { line, from, around } = waiting.pop();
    // Without a move that it replaces, a variation would become the game.
    if (line.isProse || (line !== main && from.children.length === 0)) {
      around.push(asComment(text.slice(line.begin, line.end)));
      continue;
    }
    // PGN has no variation that goes on behind the move it stands at.
    if (isMisplaced(line, from.position)) {
      faults.push(`A variation in place of the move ${moveNumber(from.position)} begins with another number; it is kept as a comment.`);
      around.push(asComment(text.slice(line.begin, line.end)));
      continue;
    }
    const variations = [];
    if (line.plies.length === 0) {
      const glyphs = [];
      take(line.head, { from, around, comments: around, glyphs, variations });
      for (const nag of glyphs) around.push(`$${nag}`);
    }
    let node = from;
    // What is said behind a variation stands before the next move, so that it stays there.
    let late = [];
    for (const [index, ply] of line.plies.entries()) {
      const move = ply.move ?? moveOf(node.position, ply.text);
      if (!move) {
        faults.push(`${moveNumber(node.position)} ${ply.text} is not legal in a variation; the rest of it is kept as a comment.`);
        if (index === 0) around.push(asComment(text.slice(line.begin, line.end)));
        else node.comments.push(restOf(text, line, ply));
        break;
      }
      // Behind the last move of the game, a variation that repeats it would become the game.
      if (node === end) {
        faults.push(`A variation goes on with ${moveNumber(node.position)} ${ply.text} where the game ends; the rest of it is kept as a comment.`);
        node.comments.push(restOf(text, line, ply));
        break;
      }
      const after = node.play(move);
      if (index === 0) {
        const comments = line === main ? game.comments : commentsBefore(after);
        take(line.head, { from, around, comments, glyphs: after.nags, variations });
      }
      const isLast = index === line.plies.length - 1;
      if (late.length > 0) delayed.push(after);
      after.startingComments.push(...late);
      late = isLast ? after.comments : [];
      take(ply.items, { from: node, around: after.comments, comments: after.comments, late, glyphs: after.nags, variations });
      node = after;
    }
    if (line === main) end = node;
    // The last one is taken first.
    for (const variation of variations.reverse()) waiting.push(variation);
  }
  // Where no variation has stayed, nothing would part them from the move before.
  for (const node of delayed) {
    const { parent } = node;
    const [first, second] = parent.parent.children;
    if (parent !== first || !second) parent.comments.push(...node.startingComments.splice(0));
  }
  return faults;
}

/** Returns whether the number that a line begins with is not that of the move it would replace there. */
function isMisplaced({ number, plies }, position) {
  return number !== undefined && plies.length > 0 && !fits(number, plyOf(position), moveOf(position, plies[0].text) !== undefined);
}

/** Gives the items at a place of a line to the game. */
function take(items, { from, around, comments, late = comments, glyphs, variations }) {
  let isBehind = false;
  for (const { comment, nag, line } of items) {
    isBehind ||= line !== undefined;
    if (comment !== undefined) (isBehind && !comment.includes("[%") ? late : comments).push(comment);
    else if (line) variations.push({ line, from, around });
    else if (!glyphs.includes(nag)) glyphs.push(nag);
  }
}

/** The list for a comment before a move. In the main line it would be read as one on the move before. */
const commentsBefore = (node) => (node === node.parent.children[0] ? node.comments : node.startingComments);

/** The text of a line from one of its moves on. */
const restOf = (text, line, ply) => asComment(text.slice(ply.begin, line.end).replace(/\)$/, ""));
