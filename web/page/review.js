// A review of a whole game: `rejoinder-study annotate` runs in the page, position by position from
// the end of the game to its beginning. A review that was stopped goes on where it was.

import { makeUci } from "chessops/util";

import { read } from "./game.js";
import { run } from "./program.js";

/** A review of one game. */
export class Review {
  #game;
  #options;
  #on;
  #program;
  /** What the program has found, as it wants it back. */
  #known = new Map();
  #moves;

  /**
   * @param {import("./game.js").Game} game
   * @param {object} options nodes (a move), threads, hash (in megabytes)
   * @param {string[]} known the lines of a review that was stopped
   * @param {object} on
   * @param {() => void} on.progress is called after each search
   * @param {() => void} on.done is called when the game has its marks
   * @param {(reason: string) => void} on.failed
   */
  constructor(game, options, known, on) {
    this.#game = game;
    this.#options = options;
    this.#on = on;
    this.#moves = Review.#movesOf(game);
    known.forEach((line) => this.#take(line));
  }

  static #movesOf = (game) => [game.root.fen, ...game.mainLine.slice(1).map(({ move }) => makeUci(move))].join(" ");

  /** The lines that another review of this game can go on with. */
  get known() {
    return [...this.#known.values()];
  }

  /** Whether it is searching. */
  get isRunning() {
    return this.#program !== undefined;
  }

  /** Whether the game still has the moves that were reviewed. */
  get isValid() {
    return this.#moves === Review.#movesOf(this.#game);
  }

  /** The share of the game that is done, 0 to 1. */
  get share() {
    const line = this.#game.mainLine;
    const all = line.length - (line.at(-1).position.isEnd() ? 1 : 0);
    const done = [...this.#known.keys()].filter((key) => key.startsWith("position ")).length;
    return all === 0 ? 1 : done / all;
  }

  /** Starts, or goes on. */
  start(module, hasThreads) {
    const { nodes, threads, hash } = this.#options;
    const args = ["review", "-", "--nodes", nodes, "--hash", hash, "--threads", hasThreads ? threads : 1].map(String);
    const text = `${this.known.join("\n")}\n\n${this.#game.pgn}`.replace(/^\n+/, "\n");
    const end = [];
    const line = (line) => {
      if (end.length > 0 || line.startsWith("json ")) end.push(line);
      else this.#hear(line);
    };
    const ended = () => this.#finish(end);
    const failed = (reason) => {
      this.#program = undefined;
      this.#on.failed(reason);
    };
    this.#program = run(module, args, text, { line, ended, failed }, hasThreads);
  }

  stop() {
    this.#program?.end();
    this.#program = undefined;
  }

  #hear(line) {
    if (this.#take(line)) this.#on.progress();
  }

  /**
   * Takes a line such as `position 12 -34 0.471 e2e4 e7e5`: the last number is White's chance. That of
   * a longer search, `deeper 12 4 -34 0.471 e2e4 e7e5`, has the effort before the score. Returns whether
   * it is one.
   */
  #take(line) {
    const [kind, ply, ...rest] = line.split(" ");
    if (!["position", "deeper", "other"].includes(kind)) return false;
    const times = kind === "deeper" ? rest.shift() : "";
    const chance = rest[1];
    this.#known.set(`${kind} ${ply} ${times}`, line);
    const node = kind !== "other" && this.isValid ? this.#game.mainLine[Number(ply)] : undefined;
    if (node) node.chance = Number(chance);
    return true;
  }

  #finish([, , ...pgn]) {
    this.#program = undefined;
    if (!this.isValid) {
      this.#on.failed("the game has other moves now");
      return;
    }
    this.#game.merge(read(pgn.join("\n")).games[0]);
    this.#on.done();
  }
}
