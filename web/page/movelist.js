// The moves of a game: a row for each move of the main line, with comments and variations between.
// The list is one tab stop; the arrow keys step through the game.

import { $, element } from "./dom.js";
import { clockText, remarkOf, scoreText, signsOf } from "./annotation.js";
import { sayMove } from "./words.js";

export class MoveList {
  #list = $("moves");
  #goTo;
  #game;
  #buttons = new Map();

  /** @param {(node: object) => void} goTo shows a position */
  constructor(goTo) {
    this.#goTo = goTo;
    this.#list.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button) goTo(button.node);
    });
    this.#list.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Writes the moves of a game anew. */
  write(game) {
    this.#game = game;
    this.#buttons.clear();
    const { root } = game;
    if (root.children.length === 0) {
      this.#list.replaceChildren(element("p", { class: "empty", text: "No moves yet. Play one on the board, or paste a game." }));
      return;
    }
    const rows = document.createDocumentFragment();
    const aside = (...children) => rows.append(element("div", { class: "aside" }, ...children));
    const opening = remarkOf(game.comments).text;
    if (opening) aside(element("span", { class: "comment", text: opening }));
    let row;
    for (let at = root; at.children.length > 0; at = at.children[0]) {
      const [main, ...others] = at.children;
      const before = remarkOf(main.startingComments).text;
      if (before) {
        aside(element("span", { class: "comment", text: before }));
        row = undefined;
      }
      const isWhite = at.position.turn === "white";
      if (isWhite || !row) {
        row = element("div", { class: "row" }, element("span", { class: "number", text: String(at.position.fullmoves) }));
        if (!isWhite) row.append(element("span", { class: "gap", text: "…" }));
        rows.append(row);
      }
      row.append(this.#button(main, true));
      const { text } = main.remark;
      if (text) aside(element("span", { class: "comment", text }));
      for (const other of others) {
        const variation = element("span", { class: "variation" });
        this.#writeLine(other, variation, true);
        aside(variation);
      }
      if (text || others.length > 0) row = undefined;
    }
    const result = game.headers.get("Result");
    if (result && result !== "*") aside(element("b", { class: "result", text: result.replaceAll("1/2", "½") }));
    this.#list.replaceChildren(rows);
  }

  /** Writes a variation as running text. */
  #writeLine(first, into, isFresh) {
    const put = (node, fresh) => {
      const before = remarkOf(node.startingComments).text;
      if (before) into.append(element("span", { class: "comment", text: before }), " ");
      // A number stays on the line of its move.
      const ply = element("span", { class: "ply" });
      if (fresh || node.parent.position.turn === "white") ply.append(element("span", { class: "number", text: node.number }));
      ply.append(this.#button(node, false));
      into.append(ply, " ");
      const { text } = node.remark;
      if (text) into.append(element("span", { class: "comment", text }), " ");
      return text !== "";
    };
    // A loop along the line, so that only variations take stack.
    let fresh = put(first, isFresh);
    for (let at = first; at.children.length > 0; at = at.children[0]) {
      const [main, ...others] = at.children;
      fresh = put(main, fresh);
      for (const other of others) {
        const variation = element("span", { class: "variation" });
        this.#writeLine(other, variation, true);
        into.append(variation, " ");
        fresh = true;
      }
    }
    // The space after the last move would come before the bracket.
    into.lastChild.remove();
  }

  #button(node, isMain) {
    const signs = signsOf(node.nags);
    const { score, clock } = node.remark;
    // What is seen is short, what is heard is words.
    const seen = (kind, text) => element("span", { class: kind, text, "aria-hidden": "true" });
    const button = element("button", { type: "button", tabindex: "-1" }, seen("san", node.san));
    for (const { sign, kind } of signs) button.append(seen(`sign ${kind}`, sign));
    if (score && isMain) button.append(seen("eval", scoreText(score)));
    const said = [`${node.number} ${sayMove(node.san)}`, ...signs.map(({ name }) => name)];
    if (score) said.push(scoreText(score));
    if (clock !== undefined) {
      button.title = `Clock ${clockText(clock)}`;
      said.push(button.title);
    }
    button.append(element("span", { class: "hidden", text: said.join(", ") }));
    button.node = node;
    this.#buttons.set(node, button);
    return button;
  }

  /** Marks the move that is shown. */
  mark(game, node) {
    if (game !== this.#game || (node.parent && !this.#buttons.has(node))) this.write(game);
    const hadFocus = this.#list.contains(document.activeElement);
    for (const old of this.#list.querySelectorAll("[aria-current]")) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    const current = this.#buttons.get(node);
    const first = this.#list.querySelector("button");
    if (first) first.tabIndex = current && current !== first ? -1 : 0;
    if (!current) {
      this.#list.scrollTop = 0;
      return;
    }
    current.setAttribute("aria-current", "step");
    current.tabIndex = 0;
    if (hadFocus) current.focus({ preventScroll: true });
    // `scrollIntoView` would move the page as well.
    const list = this.#list;
    const place = current.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
    if (place < list.scrollTop || place + current.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = place - list.clientHeight / 2;
    }
  }

  /** In the list, up and down lead to the same side's moves. */
  #key(event) {
    const { node } = event.target;
    if (!node || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = { ArrowUp: node.parent?.parent, ArrowDown: node.children[0]?.children[0] ?? node.children[0] };
    if (!(event.key in to)) return;
    event.preventDefault();
    event.stopPropagation();
    if (to[event.key]) this.#goTo(to[event.key]);
  }
}
