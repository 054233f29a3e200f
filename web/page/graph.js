// The graph of White's winning chance over the game, on which a click shows the position.

import { $, drawn } from "./dom.js";
import { chanceAt, judgmentOf } from "./annotation.js";

const HEIGHT = 100;

export class Graph {
  #place = $("graph");
  #goTo;
  #line = [];
  #cursor;

  /** @param {(node: object) => void} goTo shows a position */
  constructor(goTo) {
    this.#goTo = goTo;
    this.#place.addEventListener("pointerdown", (event) => this.#point(event));
    this.#place.addEventListener("pointermove", (event) => event.buttons & 1 && this.#point(event));
  }

  #point({ clientX }) {
    const { left, width } = this.#place.getBoundingClientRect();
    const last = this.#line.length - 1;
    if (last < 1) return;
    const at = Math.round(((clientX - left) / width) * last);
    this.#goTo(this.#line[Math.max(0, Math.min(last, at))]);
  }

  /** Draws the graph of a game. Without any chances, the place stays empty. */
  draw(game) {
    const line = game.mainLine;
    const chances = line.map(chanceAt);
    this.#line = line;
    this.#cursor = undefined;
    const isEmpty = chances.filter((chance) => chance !== undefined).length < 2;
    $("graphhint").hidden = !isEmpty;
    if (isEmpty) {
      this.#line = [];
      this.#place.replaceChildren();
      return;
    }
    // No comment tells of the first position.
    chances[0] ??= chances[1];
    const last = line.length - 1;
    const svg = drawn("svg", { viewBox: `0 0 ${last} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
    const y = (chance) => ((1 - chance) * HEIGHT).toFixed(1);
    // A stretch without a gap is one area.
    for (let from = 0; from <= last; from++) {
      if (chances[from] === undefined) continue;
      let to = from;
      while (chances[to + 1] !== undefined) to += 1;
      const points = chances.slice(from, to + 1).map((chance, i) => `${from + i} ${y(chance)}`);
      svg.append(drawn("path", { class: "ground", d: `M${from} 0H${to}V${HEIGHT}H${from}Z` }));
      svg.append(drawn("path", { class: "area", d: `M${from} ${HEIGHT}L${points.join("L")}L${to} ${HEIGHT}Z` }));
      svg.append(drawn("path", { class: "curve", d: `M${points.join("L")}` }));
      from = to;
    }
    svg.append(drawn("path", { class: "middle", d: `M0 ${HEIGHT / 2}H${last}` }));
    this.#cursor = drawn("path", { class: "cursor" });
    svg.append(this.#cursor);
    const marks = line.flatMap((node, i) => {
      const judgment = judgmentOf(node.nags);
      if (!judgment || chances[i] === undefined) return [];
      const dot = document.createElement("i");
      dot.className = `dot ${judgment.kind}`;
      dot.style.left = `${(i / last) * 100}%`;
      dot.style.top = `${(1 - chances[i]) * 100}%`;
      dot.title = `${node.number} ${node.san}${judgment.sign}`;
      return dot;
    });
    this.#place.replaceChildren(svg, ...marks);
  }

  /** Shows where a position is; in a variation, where that leaves the game. */
  mark(node) {
    if (!this.#cursor) return;
    let at = node;
    while (at && this.#line[at.ply] !== at) at = at.parent;
    this.#cursor.setAttribute("d", at ? `M${at.ply} 0V${HEIGHT}` : "");
  }
}
