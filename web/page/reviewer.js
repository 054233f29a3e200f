// The part of the page about reviews: the button, the progress, the summary, and the way from one
// mistake to the next.

import { isBad } from "./annotation.js";
import { $, element } from "./dom.js";
import { Review } from "./review.js";
import { settings } from "./settings.js";

export class Reviewer {
  #page;
  /** The reviews that are not finished, by their games. At most one is running. */
  #reviews = new Map();
  #game;
  #isDrawing = false;

  /**
   * @param {object} page
   * @param {() => object} page.engine
   * @param {() => void} page.changed is called when chances have become known
   * @param {(game: object) => void} page.done is called when a game has its marks
   * @param {() => void} page.pause stops the analysis
   * @param {() => object} page.position the position that is shown
   * @param {(node: object) => void} page.goTo shows a position
   * @param {(node: object) => void} page.playOut plays out the line that begins with a position
   */
  constructor(page) {
    this.#page = page;
    $("review").addEventListener("click", () => this.#start());
    $("reviewstop").addEventListener("click", () => (this.#reviews.get(this.#game)?.isRunning ? this.stop() : this.#start()));
    $("previousmistake").addEventListener("click", () => this.#toMistake(-1));
    $("nextmistake").addEventListener("click", () => this.#toMistake(1));
    $("better").addEventListener("click", () => {
      const better = betterThan(this.#page.position());
      if (better) this.#page.playOut(better);
    });
  }

  #start() {
    const engine = this.#page.engine();
    if (!engine) return;
    this.stop();
    this.#page.pause();
    const review = this.#reviews.get(this.#game) ?? this.resume(this.#game, []);
    review.start(engine.module, engine.hasThreads);
    this.#show();
  }

  /** Takes up a review that was stopped, with the lines that it had found, and returns it. */
  resume(game, known) {
    const { effort: nodes, threads, hash } = settings;
    const review = new Review(game, { nodes, threads, hash }, known, {
      progress: () => this.#progress(),
      done: () => {
        this.#reviews.delete(game);
        this.#page.done(game);
      },
      failed: (reason) => {
        this.#show();
        $("note").textContent = `The review has ended: ${reason}.`;
      },
    });
    this.#reviews.set(game, review);
    return review;
  }

  /** What the reviews that are not finished have found, by their games. */
  get unfinished() {
    return new Map([...this.#reviews].map(([game, review]) => [game, review.known]));
  }

  /** Stops the review that is running, which can go on later. */
  stop() {
    for (const review of this.#reviews.values()) review.stop();
    if (this.#game) this.#show();
  }

  /** Forgets the games. */
  leave() {
    for (const review of this.#reviews.values()) review.stop();
    this.#reviews.clear();
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
    const review = this.#reviews.get(game);
    if (review && !review.isValid) {
      review.stop();
      this.#reviews.delete(game);
      this.#show(node);
      return;
    }
    const hasMoves = game.root.children.length > 0;
    $("review").disabled = !this.#page.engine() || !hasMoves || review !== undefined;
    $("reviewing").hidden = !review;
    if (review) {
      const share = Math.round(review.share * 100);
      $("progress").value = review.share;
      $("reviewstate").textContent = review.isRunning ? (share === 100 ? "Looking deeper" : `${share}% reviewed`) : `Stopped at ${share}%`;
      $("reviewstop").textContent = review.isRunning ? "Stop" : "Go on";
    }
    const { review: found } = game;
    $("summary").hidden = !found || review !== undefined;
    if (found) {
      const row = (name, { accuracy, counts }) => element("tr", {}, element("th", { scope: "row", text: name }), ...[accuracy, ...counts].map((text) => element("td", { text })));
      $("sides").replaceChildren(row("White", found.white), row("Black", found.black));
      $("searched").textContent = found.effort ? `${found.effort.replace(/\d{5,}/g, (nodes) => Number(nodes).toLocaleString("en"))} a position` : "";
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
}

/** The first move of the variation that is better than a bad move, or that begins with a move shown. */
function betterThan(node) {
  return isBad(node) ? node.parent?.children.find((child) => child !== node) : undefined;
}
