// The board: pieces, arrows and glyphs, moves by mouse, touch and keyboard, and what it shows in
// words. chessground draws it; above it lies an invisible grid of squares for the keyboard.

import { Chessground } from "chessground";
import { chessgroundDests, chessgroundMove } from "chessops/compat";
import { kingCastlesTo, makeSquare, parseSquare, squareRank } from "chessops/util";

import { $, element } from "./dom.js";
import { judgmentOf } from "./annotation.js";
import { isChess960 } from "./position.js";
import { sayPiece, sayPosition } from "./words.js";

const COLORS = { good: "#2c7d3f", only: "#2f6f9f", inaccuracy: "#96660c", mistake: "#b3560f", blunder: "#b3261e" };
const FILES = "abcdefgh";

export class Board {
  #ground;
  #play;
  #say;
  #node;
  #color;
  #drawn;
  #arrows = [];
  /** Whether the button that draws was pressed last. */
  #isDrawing = false;
  #squares = [];

  /**
   * @param {object} to
   * @param {(move: object) => void} to.play takes a legal move that was made on the board
   * @param {(text: string) => void} to.say tells something to people who hear the page
   * @param {() => void} to.drawn is called when arrows or circles were drawn, which the game then has
   */
  constructor({ play, say, drawn }) {
    this.#play = play;
    this.#say = say;
    this.#drawn = drawn;
    this.#ground = Chessground($("board"), {
      movable: { free: false, color: "both", showDests: true, events: { after: (from, to) => this.#made(from, to) } },
      premovable: { enabled: false },
      highlight: { lastMove: true, check: true },
      animation: { enabled: !matchMedia("(prefers-reduced-motion: reduce)").matches, duration: 160 },
      drawable: {
        eraseOnMovablePieceClick: false,
        onChange: (shapes) => this.#keep(shapes),
        brushes: {
          green: { key: "g", color: "#15781b", opacity: 1, lineWidth: 10 },
          red: { key: "r", color: "#882020", opacity: 1, lineWidth: 10 },
          blue: { key: "b", color: "#003088", opacity: 1, lineWidth: 10 },
          yellow: { key: "y", color: "#e68f00", opacity: 1, lineWidth: 10 },
          best: { key: "best", color: "#1f5f8b", opacity: 0.9, lineWidth: 11 },
          other: { key: "other", color: "#1f5f8b", opacity: 0.45, lineWidth: 7 },
        },
      },
    });
    new ResizeObserver(([{ contentRect }]) => contentRect.width > 0 && this.#ground.redrawAll()).observe($("board"));
    $("board").addEventListener("pointerdown", (event) => (this.#isDrawing = event.button === 2 || event.shiftKey), { capture: true });
    this.#makeSquares();
  }

  /** The color at the bottom. */
  get orientation() {
    return this.#ground.state.orientation;
  }

  flip(color = this.orientation === "white" ? "black" : "white") {
    if (color !== this.orientation) this.#ground.toggleOrientation();
    $("bar").classList.toggle("flipped", color === "black");
    this.#nameSquares();
  }

  /**
   * Shows a position.
   *
   * @param {object} node
   * @param {"white" | "black" | "both" | undefined} color who may move
   */
  show(node, color = "both") {
    if (node !== this.#node) $("promotion").close();
    this.#node = node;
    this.#color = color;
    const { position } = node;
    const mayMove = (color === "both" || color === position.turn) && !position.isEnd();
    this.#ground.set({
      fen: node.fen,
      turnColor: position.turn,
      check: position.isCheck() ? position.turn : false,
      lastMove: (node.move ?? node.lead) && chessgroundMove(node.move ?? node.lead),
      movable: {
        color: mayMove ? position.turn : undefined,
        dests: mayMove ? chessgroundDests(position, { chess960: isChess960(position) }) : new Map(),
      },
    });
    this.#arrows = [];
    this.#draw();
    this.#nameSquares();
    $("words").textContent = sayPosition(position);
  }

  /** Draws the engine's moves, the best one first. */
  arrows(moves) {
    // The best arrow is drawn last, above the others.
    this.#arrows = moves.map((uci, rank) => ({ ...this.#arrow(uci), brush: rank === 0 ? "best" : "other" })).reverse();
    this.#draw();
  }

  /** Points at a square. */
  point(square) {
    this.#ground.setAutoShapes([{ orig: square, brush: "best" }]);
  }

  /** Where a piece of the engine's move arrives: the king, if it castles, stands beside the rook. */
  #arrow(uci) {
    const [from, to] = [parseSquare(uci.slice(0, 2)), parseSquare(uci.slice(2, 4))];
    return { orig: makeSquare(from), dest: makeSquare(this.#target(this.#node.position, from, to)) };
  }

  #target(position, from, to) {
    const { board, turn } = position;
    const isCastling = board.getRole(from) === "king" && board.getColor(to) === turn;
    return isCastling && !isChess960(position) ? kingCastlesTo(turn, to > from ? "h" : "a") : to;
  }

  #draw() {
    const { move, parent, nags, remark } = this.#node;
    this.#ground.setShapes(remark.shapes.map(({ color, from, to }) => ({
      orig: makeSquare(from),
      ...(from !== to && { dest: makeSquare(to) }),
      brush: color,
    })));
    const shapes = [...this.#arrows];
    const judgment = judgmentOf(nags);
    if (judgment && move) {
      const at = makeSquare(this.#target(parent.position, move.from, move.to));
      shapes.push({ orig: at, label: { text: judgment.sign, fill: COLORS[judgment.kind] } });
    }
    this.#ground.setAutoShapes(shapes);
  }

  /** Gives the game what was drawn. A click, with which chessground erases all of it, does not. */
  #keep(shapes) {
    if (this.#isDrawing) {
      this.#node.draw(shapes.map(({ orig, dest = orig, brush }) => ({ color: brush, from: parseSquare(orig), to: parseSquare(dest) })));
      this.#drawn();
    } else this.#draw();
  }

  async #made(from, to) {
    const node = this.#node;
    const { position } = node;
    const move = { from: parseSquare(from), to: parseSquare(to) };
    if (position.board.getRole(move.from) === "pawn" && [0, 7].includes(squareRank(move.to))) {
      move.promotion = await choosePromotion(position.turn, to, this.orientation);
      if (node !== this.#node) return;
      if (!move.promotion) {
        this.show(node, this.#color);
        return;
      }
    }
    this.#play(move);
  }

  // ---- The keyboard ----

  #makeSquares() {
    const grid = $("squares");
    for (let row = 0; row < 8; row++) {
      const line = element("div", { role: "row" });
      for (let column = 0; column < 8; column++) {
        const square = element("div", { role: "gridcell", tabindex: row === 7 && column === 4 ? "0" : "-1" });
        this.#squares.push(square);
        line.append(square);
      }
      grid.append(line);
    }
    grid.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The name of the square at a place of the grid. */
  #keyAt(place) {
    const [row, column] = [Math.floor(place / 8), place % 8];
    return this.orientation === "white" ? `${FILES[column]}${8 - row}` : `${FILES[7 - column]}${row + 1}`;
  }

  #nameSquares() {
    this.#squares.forEach((square, place) => {
      const key = this.#keyAt(place);
      square.setAttribute("aria-label", `${key}, ${sayPiece(this.#node.position.board.get(parseSquare(key)))}`);
    });
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const place = this.#squares.indexOf(event.target);
    if (place < 0) return;
    const [row, column] = [Math.floor(place / 8), place % 8];
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key in steps) {
      const [down, right] = steps[event.key];
      const next = this.#squares[8 * Math.max(0, Math.min(7, row + down)) + Math.max(0, Math.min(7, column + right))];
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#press(this.#keyAt(place));
    } else if (event.key === "Escape" && this.#ground.state.selected) {
      this.#ground.cancelMove();
      this.#ground.selectSquare(null);
      this.#say("Nothing is selected.");
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #press(key) {
    const { state } = this.#ground;
    const before = state.selected;
    const node = this.#node;
    const mayArrive = before && state.movable.dests?.get(before)?.includes(key);
    this.#ground.selectSquare(key, true);
    if (mayArrive) return;
    const piece = sayPiece(node.position.board.get(parseSquare(key)));
    if (state.selected === key && state.movable.dests?.has(key)) this.#say(`${piece} on ${key} is selected.`);
    else this.#say(before ? `${before} to ${key} is not a legal move.` : `${key}, ${piece}, cannot move.`);
  }
}

/** Asks at its square which piece a pawn becomes; undefined if the move is taken back. */
function choosePromotion(color, square, orientation) {
  const dialog = $("promotion");
  for (const piece of dialog.querySelectorAll("piece")) {
    piece.classList.remove("white", "black");
    piece.classList.add(color);
  }
  dialog.returnValue = "";
  const { left, top, width } = $("board").getBoundingClientRect();
  const side = width / 8;
  const isAbove = color === orientation;
  const column = orientation === "white" ? FILES.indexOf(square[0]) : 7 - FILES.indexOf(square[0]);
  dialog.style.setProperty("--side", `${side}px`);
  dialog.style.left = `${left + column * side}px`;
  dialog.style.top = `${top + (isAbove ? 0 : 4 * side)}px`;
  dialog.classList.toggle("upward", !isAbove);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue || undefined), { once: true });
  });
}
