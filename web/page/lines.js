// What the engine has found: score, chances, and its best lines, over which a small board shows
// where they lead.

import { Chessground } from "chessground";
import { chessgroundMove } from "chessops/compat";
import { makeFen } from "chessops/fen";

import { $, element } from "./dom.js";
import { chanceAt, chanceOf, scoreText } from "./annotation.js";
import { lineOf, verdict } from "./game.js";

/** The score as White sees it. */
const forWhite = ({ cp, mate }, turn) => {
  const sign = turn === "white" ? 1 : -1;
  return mate === undefined ? { cp: cp * sign } : { mate: mate * sign };
};

const short = (count) => {
  if (count < 1e4) return String(count);
  const [size, unit] = count < 1e6 ? [1e3, "K"] : count < 1e9 ? [1e6, "M"] : [1e9, "G"];
  const value = count / size;
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
};

const timeText = (ms) => {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

/** The engine's own odds of White's win, a draw and Black's win, 0 to 1; undefined if nothing is known. */
function oddsOf(position, best) {
  if (position.isCheckmate()) return position.turn === "white" ? [0, 0, 1] : [1, 0, 0];
  if (verdict(position)) return [0, 1, 0];
  if (!best) return undefined;
  const [win, draw, loss] = best.wdl.map((chance) => chance / 1000);
  return position.turn === "white" ? [win, draw, loss] : [loss, draw, win];
}

export class Lines {
  #list = $("lines");
  #follow;
  #node;
  #infos = [];
  #most = 1;
  /** The lines that are shown in full, by their place. */
  #open = new Set();
  #peek;

  /** @param {(moves: string[]) => void} follow plays moves in UCI notation from the position */
  constructor(follow) {
    this.#follow = follow;
    this.#list.addEventListener("click", (event) => this.#click(event));
    this.#list.addEventListener("pointerover", (event) => this.#over(event));
    this.#list.addEventListener("pointerleave", () => this.#hidePeek());
  }

  /** Shows what is known about a position. */
  draw(node, infos, most) {
    if (node !== this.#node) {
      this.#open.clear();
      this.#hidePeek();
    }
    this.#node = node;
    this.#infos = infos;
    this.#most = most;
    this.#drawScore();
    this.#drawLines();
  }

  #drawScore() {
    const { position } = this.#node;
    const [best] = this.#infos;
    const end = verdict(position);
    const odds = oddsOf(position, best);
    const result = position.isCheckmate() ? (position.turn === "white" ? "0–1" : "1–0") : "½–½";
    // Without an analysis, what a comment or a review says is shown.
    const known = best ? forWhite(best.score, position.turn) : this.#node.remark.score;
    $("score").textContent = end ? result : known ? scoreText(known) : "";
    const percent = (part) => `${Math.round(part * 100)}%`;
    const [white = 0, drawn, black = 0] = odds ?? [];
    const share = end ? white + drawn / 2 : best ? chanceOf(known) : chanceAt(this.#node);
    const found = best ? `Engine’s odds: White ${percent(white)} · draw ${percent(drawn)} · Black ${percent(black)}` : "Not analyzed here yet";
    $("chances").textContent = end ?? found;
    $("wdl").querySelector(".w").style.width = `${white * 100}%`;
    $("wdl").querySelector(".l").style.width = `${black * 100}%`;
    $("wdl").classList.toggle("unknown", !odds);
    $("facts").classList.toggle("unknown", !best);
    const bar = $("bar");
    bar.querySelector(".fill").style.transform = `translateY(${(1 - (share ?? 0.5)) * 100}%)`;
    bar.title = share === undefined ? "" : `White’s winning chance among people: ${percent(share)}, on Lichess’ scale`;
    bar.setAttribute("aria-valuenow", String(Math.round((share ?? 0.5) * 100)));
    bar.setAttribute("aria-valuetext", [$("score").textContent, bar.title].filter(Boolean).join(", ") || "unknown");
    $("depth").textContent = best ? `${best.depth}/${best.seldepth}` : "";
    $("nodes").textContent = best ? short(best.nodes) : "";
    $("nps").textContent = best ? short(best.nps) : "";
    $("time").textContent = best ? timeText(best.time) : "";
    $("hashfull").textContent = best ? `${Math.round(best.hashfull / 10)}%` : "";
  }

  /** Every position has the same number of rows, so that nothing jumps. */
  #drawLines() {
    const { position } = this.#node;
    const list = this.#list;
    while (list.children.length > this.#most) list.lastChild.remove();
    while (list.children.length < this.#most) list.append(element("li"));
    for (let place = 0; place < this.#most; place++) {
      const item = list.children[place];
      const info = this.#infos[place];
      const score = info && scoreText(forWhite(info.score, position.turn));
      const key = info ? `${this.#node.fen} ${score} ${info.pv.join(" ")}` : "empty";
      item.classList.toggle("open", this.#open.has(place));
      // A button that is being pressed must not be replaced without need.
      if (item.dataset.key === key && item.firstChild) continue;
      item.dataset.key = key;
      if (!info) {
        item.replaceChildren(element("b"), element("span", { class: "pv" }));
        continue;
      }
      const pv = element("span", { class: "pv" });
      lineOf(position, info.pv).forEach(({ number, san }, i) => {
        if (number) pv.append(`${number} `);
        const button = element("button", { type: "button", text: san, "data-move": i });
        if (i > 0) button.tabIndex = -1;
        pv.append(button, " ");
      });
      item.replaceChildren(element("b", { text: score }), pv);
    }
  }

  #placeOf(target) {
    const item = target.closest("li");
    return item ? [...this.#list.children].indexOf(item) : -1;
  }

  #click({ target }) {
    const place = this.#placeOf(target);
    if (place < 0 || !this.#infos[place]) return;
    const move = target.closest("[data-move]")?.dataset.move;
    if (move !== undefined) {
      this.#hidePeek();
      this.#follow(this.#infos[place].pv.slice(0, Number(move) + 1));
      return;
    }
    // Elsewhere in the line a click shows all of it.
    if (this.#open.has(place)) this.#open.delete(place);
    else this.#open.add(place);
    target.closest("li").classList.toggle("open", this.#open.has(place));
  }

  /** Shows the board after the move under the pointer. */
  #over({ target, pointerType }) {
    const button = target.closest("[data-move]");
    const info = this.#infos[this.#placeOf(target)];
    if (!button || !info || pointerType === "touch") {
      this.#hidePeek();
      return;
    }
    const line = lineOf(this.#node.position, info.pv.slice(0, Number(button.dataset.move) + 1));
    const { position, move } = line.at(-1);
    const place = $("peek");
    place.hidden = false;
    this.#peek ??= Chessground(place.firstElementChild, { viewOnly: true, coordinates: false, animation: { enabled: false } });
    this.#peek.set({ fen: makeFen(position.toSetup()), lastMove: chessgroundMove(move), check: position.isCheck() ? position.turn : false });
    if (this.#peek.state.orientation !== (document.querySelector("#board.orientation-black") ? "black" : "white")) this.#peek.toggleOrientation();
    const at = button.getBoundingClientRect();
    const { width, height } = place.getBoundingClientRect();
    place.style.left = `${Math.max(8, Math.min(at.left, innerWidth - width - 8))}px`;
    place.style.top = `${at.bottom + 6 + height > innerHeight ? at.top - height - 6 : at.bottom + 6}px`;
    this.#peek.redrawAll();
  }

  #hidePeek() {
    $("peek").hidden = true;
  }
}
