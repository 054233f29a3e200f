// The chess clock of a game against the engine.

import { makeComment } from "chessops/pgn";
import { opposite } from "chessops/util";

/** The time controls that can be chosen: minutes for the game, and seconds for each move. */
export const CLOCKS = ["1+0", "3+2", "5+3", "10+5", "15+10", "30+20"];

/** The seconds of a time control, and whether there is one. */
function parsed(control) {
  const [minutes, increment] = control.split("+").map(Number);
  return { base: 60 * minutes, increment };
}

/** The value of the tag `TimeControl`, in seconds. */
export function timeControlTag(control) {
  const { base, increment } = parsed(control);
  return `${base}+${increment}`;
}

/** A clock with the time that both have left, of which one may be running. */
export class Clock {
  #base;
  #increment;
  #left;
  #running;
  #since = 0;
  #timer;
  #fell;

  /**
   * @param {string} control one of CLOCKS
   * @param {{white: number, black: number} | undefined} left seconds that are left, if some are gone
   * @param {(color: string) => void} fell is told whose time is over
   */
  constructor(control, left, fell) {
    const { base, increment } = parsed(control);
    this.control = control;
    this.#base = base;
    this.#increment = increment;
    this.#left = { white: base, black: base, ...left };
    this.#fell = fell;
  }

  /** The seconds that both have left now. */
  get left() {
    const left = { ...this.#left };
    if (this.#running) left[this.#running] = Math.max(0, left[this.#running] - (performance.now() - this.#since) / 1000);
    return left;
  }

  /** The limits of the engine's search. */
  get limits() {
    const { white, black } = this.left;
    const [wtime, btime, increment] = [white, black, this.#increment].map((seconds) => Math.round(1000 * seconds));
    return `wtime ${wtime} btime ${btime} winc ${increment} binc ${increment}`;
  }

  /** Runs for the side to move at a position. Whoever has just moved gets the increment, and the move its time. */
  runFor(node) {
    const { turn } = node.position;
    if (this.#running === opposite(turn)) {
      this.stop();
      this.#left[opposite(turn)] += this.#increment;
      node.comments.push(makeComment({ clock: Math.round(10 * this.#left[opposite(turn)]) / 10 }));
    }
    if (this.#running) return;
    this.#running = turn;
    this.#since = performance.now();
    this.#timer = setTimeout(() => {
      this.stop();
      this.#fell(turn);
    }, 1000 * this.#left[turn]);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#left = this.left;
    this.#running = undefined;
  }

  /** Shows the times again that both had at a position. */
  setBack(node) {
    this.stop();
    this.#left = { white: undefined, black: undefined };
    for (let at = node; at.parent; at = at.parent) this.#left[opposite(at.position.turn)] ??= at.remark.clock;
    for (const color of ["white", "black"]) this.#left[color] ??= this.#base;
  }
}
