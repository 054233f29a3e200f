// A game against the engine.

import { opposite, parseUci } from "chessops/util";

import { Clock, timeControlTag } from "./clock.js";
import { Game, outcome } from "./game.js";

/** The ratings that the engine can play at; 0 stands for its full strength. */
export const RATINGS = [400, 550, 700, 850, 1000, 1150, 1300, 1500, 1700, 1900, 2100, 2300, 2500, 2800, 3000, 3300, 0];
/** Time that it takes for a move at most, and at least so that one can follow, in milliseconds. */
const MOST_TIME = 1500;
const LEAST_TIME = 500;

const nameOf = (color) => (color === "white" ? "White" : "Black");
/** The end of a game that a color has lost. */
const lossOf = (color, why) => ({ result: color === "white" ? "0-1" : "1-0", reason: `${why}: ${nameOf(opposite(color))} has won` });
const today = () => new Date().toISOString().slice(0, 10).replaceAll("-", ".");

/** Returns a new game with the names of both, and its time control. */
export function newGame({ color, elo, control }, fen = undefined) {
  const game = Game.fromFen(fen);
  const engine = `Rejoinder${elo ? ` (${elo})` : ""}`;
  const headers = {
    Event: "Game against Rejoinder",
    Site: "?",
    Date: today(),
    Round: "-",
    White: color === "white" ? "You" : engine,
    Black: color === "black" ? "You" : engine,
    Result: "*",
    ...(control && { TimeControl: timeControlTag(control) }),
  };
  for (const [name, value] of Object.entries(headers)) game.headers.set(name, value);
  return game;
}

/** A game in progress between a person and the engine. */
export class Play {
  #engine;
  #on;
  #waiting;
  #asked = 0;
  #clock;

  /**
   * @param {object} state
   * @param {Game} state.game
   * @param {"white" | "black"} state.color the person's color
   * @param {number} state.elo
   * @param {string} state.control the time control, empty without a clock
   * @param {object} state.left the seconds that both have left; undefined at the beginning
   * @param {object} engine
   * @param {object} on
   * @param {(node: object) => void} on.moved is told the position after the engine's move
   * @param {(end: {result: string, reason: string}) => void} on.ended
   */
  constructor({ game, color, elo, control, left }, engine, on) {
    Object.assign(this, { game, color, elo });
    if (control) this.#clock = new Clock(control, left, (fallen) => this.#fall(fallen));
    this.#engine = engine;
    this.#on = on;
    engine.setOption("UCI_LimitStrength", elo !== 0);
    if (elo) engine.setOption("UCI_Elo", elo);
    engine.setOption("MultiPV", 1);
  }

  /** The position that the game has reached. */
  get now() {
    return this.game.end;
  }

  /** The time control, and the seconds that both have left now; empty without a clock. */
  get time() {
    return this.#clock ? { control: this.#clock.control, left: this.#clock.left } : {};
  }

  get isOurTurn() {
    return this.now.position.turn === this.color;
  }

  /** Lets the engine move, or ends the game, as the position wants it. */
  goOn() {
    const end = outcome(this.now);
    if (end) {
      this.#end(end);
      return;
    }
    this.#clock?.runFor(this.now);
    if (this.isOurTurn) return;
    this.#asked = performance.now();
    this.#engine.analyze(this.game.root.fen, this.now.moves, this.#clock?.limits ?? `movetime ${MOST_TIME}`);
  }

  /** Takes the engine's answer. */
  answer(best) {
    const from = this.now;
    const move = parseUci(best ?? "");
    if (!move || this.isOurTurn) return;
    const wait = Math.max(0, LEAST_TIME - (performance.now() - this.#asked));
    this.#waiting = setTimeout(() => {
      if (this.now !== from || this.game.headers.get("Result") !== "*") return;
      const node = from.play(move);
      this.#clock?.runFor(node);
      this.#on.moved(node);
      const end = outcome(this.now);
      if (end) this.#end(end);
    }, wait);
  }

  /** Takes back the person's last move, and the engine's answer to it. Returns the position then. */
  takeBack() {
    this.#stop();
    let node = this.now;
    do {
      if (!node.parent) break;
      node = node.parent;
    } while (node.position.turn !== this.color);
    node.children = [];
    this.#clock?.setBack(node);
    return node;
  }

  get canTakeBack() {
    return this.game.mainLine.slice(0, -1).some(({ position }) => position.turn === this.color);
  }

  resign() {
    this.#end(lossOf(this.color, "You have resigned"));
  }

  /** Ends the game because a side has no time left. */
  #fall(color) {
    const why = `${nameOf(color)} has no time left`;
    const isDraw = this.now.position.hasInsufficientMaterial(opposite(color));
    this.#end(isDraw ? { result: "1/2-1/2", reason: `${why}, but the other side cannot mate: a draw` } : lossOf(color, why));
  }

  /** Leaves the game as it is. */
  leave() {
    this.#stop();
    this.#engine.setOption("UCI_LimitStrength", false);
  }

  #end(end) {
    this.leave();
    this.game.headers.set("Result", end.result);
    this.#on.ended(end);
  }

  #stop() {
    clearTimeout(this.#waiting);
    this.#clock?.stop();
    this.#engine.stop();
  }
}
