// A UCI conversation with the engine: analyses of one position after the other.

import { parseInfo } from "./info.js";
import { hasThreads, load, start } from "./program.js";

/** The engine, which analyzes at most one position at a time. */
export class Engine {
  #program;
  #on;
  #module;
  #threads;
  #options = new Map();
  /** The number of searches whose `bestmove` is still to come. */
  #unanswered = 0;
  #isWanted = false;
  #lines = [];
  #idle = [];

  /**
   * Downloads and starts the engine.
   *
   * @param {object} on
   * @param {(info: import("./info.js").Info) => void} on.info takes what it says about the present position
   * @param {(best: string) => void} on.end is called when an analysis ends by itself
   * @param {(text: string) => void} on.note takes its remarks
   * @param {(reason: string) => void} on.failed is told when it has ended unasked; `restart` helps
   * @param {(done: number, all: number) => void} [on.progress] is told how much is downloaded, in bytes
   * @param {boolean} threads whether several threads may be used
   */
  static async start(on, threads = hasThreads) {
    const engine = new Engine(on, await load(threads, on.progress), threads);
    await engine.restart();
    return engine;
  }

  constructor(on, module, threads) {
    this.#on = on;
    this.#module = module;
    this.#threads = threads;
  }

  /** Whether several threads may be used. */
  get hasThreads() {
    return this.#threads;
  }

  /** The program, compiled. */
  get module() {
    return this.#module;
  }

  /** Starts the program anew, with the options that it had. */
  async restart() {
    this.#program?.end();
    this.#unanswered = 0;
    this.#isWanted = false;
    this.#lines = [];
    this.#idle.splice(0).forEach((resolve) => resolve());
    const to = { line: (line) => this.#hear(line), failed: (reason) => this.#on.failed(reason) };
    this.#program = start(this.#module, to, this.#threads);
    await this.ask("uci", (line) => line === "uciok");
    for (const [name, value] of [["UCI_ShowWDL", true], ["UCI_Chess960", true], ...this.#options]) this.#set(name, value);
  }

  /**
   * Sends a line and returns all lines up to the one that is the answer.
   *
   * @param {string} line
   * @param {(line: string) => boolean} isAnswer
   * @returns {Promise<string[]>}
   */
  ask(line, isAnswer) {
    return new Promise((resolve) => {
      this.#lines.push({ lines: [], isAnswer, resolve });
      this.#program.send(line);
    });
  }

  #hear(line) {
    const [asked] = this.#lines;
    if (asked) {
      asked.lines.push(line);
      if (asked.isAnswer(line)) {
        this.#lines.shift();
        asked.resolve(asked.lines);
      }
    }
    if (line.startsWith("info string ")) this.#on.note(line.slice("info string ".length));
    if (line.startsWith("bestmove ")) {
      this.#unanswered = Math.max(0, this.#unanswered - 1);
      if (this.#unanswered === 0 && this.#isWanted) {
        this.#isWanted = false;
        this.#on.end(line.split(" ")[1]);
      }
      if (this.#unanswered === 0) this.#idle.splice(0).forEach((resolve) => resolve());
    } else if (this.#isWanted && this.#unanswered === 1) {
      const info = parseInfo(line);
      if (info) this.#on.info(info);
    }
  }

  #set(name, value) {
    this.#program.send(`setoption name ${name} value ${value}`);
  }

  /** Sets a UCI option. A search in progress is ended by some of them, so none should be. */
  setOption(name, value) {
    if (this.#options.get(name) === value) return;
    this.#options.set(name, value);
    this.#set(name, value);
  }

  /** Sets a UCI option at the next `restart`. */
  setOptionLater(name, value) {
    this.#options.set(name, value);
  }

  /** Whether a search is going on. */
  get isSearching() {
    return this.#isWanted;
  }

  /**
   * Analyzes a position until `stop`. An analysis in progress ends.
   *
   * @param {string} fen the position at the start
   * @param {string[]} moves the moves from there, castling as king takes rook
   * @param {string} limits those of UCI's `go`
   */
  analyze(fen, moves, limits = "infinite") {
    this.stop();
    this.#program.send(`position fen ${fen}${moves.length > 0 ? ` moves ${moves.join(" ")}` : ""}`);
    this.#unanswered += 1;
    this.#isWanted = true;
    this.#program.send(`go ${limits}`);
  }

  /** Ends the analysis. Nothing more will be said about it. */
  stop() {
    if (this.#unanswered === 0) return;
    this.#isWanted = false;
    this.#program.send("stop");
  }

  /** Waits until no search is going on. */
  idle() {
    return this.#unanswered === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Forgets what was learned from other games. */
  newGame() {
    this.stop();
    this.#program.send("ucinewgame");
  }

  /** Ends the program. */
  end() {
    this.#program.end();
  }
}
