// The part of the page about reviews: the button, the progress, the summary, and the way from one
// mistake to the next.

import { isBad } from "./annotation.js";
import { $, element } from "./dom.js";
import { Review } from "./review.js";
import { settings } from "./settings.js";

/** Time between two moves of a line that is played out, in milliseconds. */
const PACE = 900;

export class Reviewer {
  #page;
  #review;
  #game;
  #isDrawing = false;
  #timer;
  /** The position that the line being played out goes to next. */
  #next;

  /**
   * @param {object} page
   * @param {() => object} page.engine
   * @param {() => void} page.changed is called when chances have become known
   * @param {() => void} page.done is called when the game has its marks
   * @param {() => void} page.pause stops the analysis
   * @param {() => object} page.position the position that is shown
   * @param {(node: object) => void} page.goTo shows a position
   */
  constructor(page) {
    this.#page = page;
    $("review").addEventListener("click", () => this.#start());
    $("reviewstop").addEventListener("click", () => (this.#review?.isRunning ? this.stop() : this.#start()));
    $("previousmistake").addEventListener("click", () => this.#toMistake(-1));
    $("nextmistake").addEventListener("click", () => this.#toMistake(1));
    $("better").addEventListener("click", () => this.#playBetter());
  }

  #start() {
    const engine = this.#page.engine();
    if (!engine || this.#review?.isRunning) return;
    this.#page.pause();
    if (!this.#review?.isValid || this.#review.game !== this.#game) {
      const { effort: nodes, threads, hash } = settings;
      this.#review = new Review(this.#game, { nodes, threads, hash }, {
        progress: () => this.#progress(),
        done: () => {
          this.#review = undefined;
          this.#page.done();
        },
        failed: (reason) => {
          this.#show();
          $("note").textContent = `The review has ended: ${reason}.`;
        },
      });
    }
    this.#review.start(engine.module, engine.hasThreads);
    this.#show();
  }

  /** Stops the review, which can go on later. */
  stop() {
    if (!this.#review?.isRunning) return;
    this.#review.stop();
    this.#show();
  }

  /** Forgets a review that is not finished. */
  leave() {
    this.#review?.stop();
    this.#review = undefined;
  }

  #progress() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#page.changed();
      this.#show();
    });
  }

  /** Shows what concerns a game and a position of it. */
  show(game, node) {
    this.#game = game;
    this.#show(node);
  }

  #show(node = this.#page.position()) {
    const game = this.#game;
    const review = this.#review?.isValid ? this.#review : undefined;
    if (this.#review && !review) this.leave();
    const hasMoves = game.root.children.length > 0;
    $("review").disabled = !this.#page.engine() || !hasMoves || review !== undefined;
    $("reviewing").hidden = !review;
    if (review) {
      const share = Math.round(review.share * 100);
      $("progress").value = review.share;
      $("reviewstate").textContent = review.isRunning ? (share === 100 ? "Looking for only moves" : `${share}% reviewed`) : `Stopped at ${share}%`;
      $("reviewstop").textContent = review.isRunning ? "Stop" : "Go on";
    }
    const { review: found } = game;
    $("summary").hidden = !found || review !== undefined;
    if (found) {
      const row = (name, { accuracy, inaccuracies, mistakes, blunders }) =>
        element("tr", {}, element("th", { scope: "row", text: name }), ...[accuracy === null ? "–" : `${accuracy.toFixed(1)}%`, inaccuracies, mistakes, blunders].map((text) => element("td", { text: String(text) })));
      $("sides").replaceChildren(row("White", found.white), row("Black", found.black));
      $("summary").title = `${found.effort} a position`;
    }
    const mistakes = game.mainLine.filter(isBad);
    $("mistakes").hidden = mistakes.length === 0;
    $("previousmistake").disabled = !mistakes.some((mistake) => mistake.ply < node.ply);
    $("nextmistake").disabled = !mistakes.some((mistake) => mistake.ply > node.ply);
    $("better").disabled = !betterThan(node);
  }

  #toMistake(direction) {
    const node = this.#page.position();
    const mistakes = this.#game.mainLine.filter((mistake) => isBad(mistake) && (mistake.ply - node.ply) * direction > 0);
    const to = direction > 0 ? mistakes[0] : mistakes.at(-1);
    if (to) this.#page.goTo(to);
  }

  /** Plays out the line that was better than the move shown. */
  #playBetter() {
    const better = betterThan(this.#page.position());
    if (!better) return;
    const go = (to) => {
      this.#next = to;
      this.#page.goTo(to);
      this.#timer = to.children.length > 0 ? setTimeout(() => go(to.children[0]), PACE) : undefined;
    };
    go(better);
  }

  /** Ends a line that is being played out when another position is wanted. */
  interrupt(to) {
    if (to !== this.#next) clearTimeout(this.#timer);
  }
}

/** The first move of the variation that is better than a bad move, or that begins with a move shown. */
function betterThan(node) {
  return isBad(node) ? node.parent?.children.find((child) => child !== node) : undefined;
}
