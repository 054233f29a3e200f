// The part of the page about learning from mistakes: the position before a mistake, moves that are tried,
// their refutations, and the answer.

import { makeUci, parseUci } from "chessops/util";

import { chanceOf } from "./annotation.js";
import { $ } from "./dom.js";
import { AGAIN, GOOD, HARD, answer, queueOf } from "./exercises.js";
import { Game } from "./game.js";

/** The loss of winning chance, 0 to 1, that a solution may have. */
const MOST_LOSS = 0.05;
/** Nodes of a search that compares moves. */
const NODES = 300000;
/** Most moves of a line that is played out. */
const LONGEST = 8;

export class Learner {
  #page;
  #queue = [];
  #card;
  #start;
  /** The line that was better, as positions. */
  #better = [];
  /** asking, checking, wrong, right or shown. */
  #state = "asking";
  #grade = GOOD;
  #solved = 0;
  #words = "";
  /** The search that goes on, and the one for the best move. */
  #search;
  #best;

  /**
   * @param {object} page
   * @param {() => object} page.engine
   * @param {(game: object, node: object, color: string) => void} page.begin shows an exercise
   * @param {() => object} page.position the position that is shown
   * @param {(node: object) => void} page.goTo shows a position
   * @param {(node: object) => void} page.playOut plays out the line that begins with a position
   * @param {(square: string) => void} page.point points at a square
   * @param {() => void} page.left is called when there is nothing more to learn
   * @param {(text: string) => void} page.tell says what is wrong
   */
  constructor(page) {
    this.#page = page;
    $("learnnext").addEventListener("click", () => this.#next());
    $("learnretry").addEventListener("click", () => this.#retry());
    $("learnhint").addEventListener("click", () => this.#hint());
    $("learnshow").addEventListener("click", () => this.#show());
    $("learnleave").addEventListener("click", () => this.leave());
  }

  /** Whether exercises are asked. */
  get isOn() {
    return this.#card !== undefined;
  }

  /**
   * Asks exercises: those that are due, then those that are new.
   *
   * @param {object[]} cards the exercises of games
   * @param {string} [player] whose exercises are asked also without their games
   */
  async start(cards, player) {
    const { tell } = this.#page;
    if (!this.#page.engine()) {
      tell("The engine is still loading.");
      return;
    }
    const { queue, next } = await queueOf(cards, player);
    if (queue.length === 0) {
      tell(next ? `Nothing is due. The next exercise comes ${day(next)}.` : "There is no mistake with a better move.");
      return;
    }
    this.#queue = queue;
    this.#solved = 0;
    this.#next();
  }

  /** Who may move at a position. */
  colorFor(node) {
    const isAsked = node === this.#start && ["asking", "wrong"].includes(this.#state);
    return isAsked ? node.position.turn : undefined;
  }

  /** Ends the exercises. */
  leave() {
    if (!this.isOn) return;
    this.drop();
    this.#page.left();
  }

  /** Forgets the exercises, because something else is shown. */
  drop() {
    if (!this.isOn) return;
    this.#page.engine()?.stop();
    this.#search = this.#card = this.#start = undefined;
  }

  /** Takes a move that was made on the board. */
  async take(move) {
    const node = this.#start;
    if (this.#page.position() !== node || !this.colorFor(node)) return;
    const tried = node.play(move);
    this.#page.goTo(tried);
    if (isSame(tried, this.#better[0]) || tried.position.isCheckmate()) {
      this.#right(tried);
      return;
    }
    this.#state = "checking";
    this.#words = "";
    this.show();
    const best = await this.#best;
    const found = await this.#compare(` searchmoves ${makeUci(tried.move)}`);
    if (this.#start !== node) return;
    const loss = chanceOf(best.score) - chanceOf(found.score);
    const isPlayed = tried.san === this.#card.played;
    if (loss <= MOST_LOSS && !isPlayed) this.#right(tried);
    else this.#wrong(tried, found.pv, loss, isPlayed);
  }

  /** Takes what the engine says. */
  info(info) {
    if (this.#search && !info.isBound && info.rank === 1) this.#search.found = info;
  }

  /** Takes the end of a search. */
  end() {
    const search = this.#search;
    this.#search = undefined;
    search?.resolve(search.found);
  }

  #compare(limits = "") {
    return new Promise((resolve) => {
      this.#search = { resolve, found: { score: { cp: 0 }, pv: [] } };
      this.#page.engine().analyze(this.#start.fen, [], `nodes ${NODES}${limits}`);
    });
  }

  /** Puts the better line into the game, before all that was tried. */
  #reveal() {
    let node = this.#start;
    for (const { move } of this.#better) node = node.play(move);
    const first = this.#start.play(this.#better[0].move);
    this.#start.children = [first, ...this.#start.children.filter((child) => child !== first)];
    return first;
  }

  #next() {
    // An exercise that was not solved at first comes again at the end.
    if (this.#card && this.#state !== "right" && this.#grade === AGAIN) {
      this.#queue.push(this.#card);
      if (this.#state !== "shown") this.#keep(AGAIN);
    }
    const card = this.#queue.shift();
    if (!card) {
      this.leave();
      return;
    }
    const game = Game.fromFen(card.fen);
    for (const [name, value] of [["White", card.white], ["Black", card.black], ["Date", card.date]]) if (value) game.headers.set(name, value);
    const start = game.root;
    start.lead = card.lead ? parseUci(card.lead) : undefined;
    // The line is none of the game yet: one could step into it.
    let node = Game.fromFen(card.fen).root;
    this.#better = card.better.map((san) => (node = node.play(node.understand(san))));
    [this.#card, this.#start, this.#state, this.#grade, this.#words] = [card, start, "asking", GOOD, ""];
    this.#page.begin(game, start, start.position.turn);
    this.#best = this.#compare();
  }

  #retry() {
    this.#state = "asking";
    this.#words = "";
    this.#page.goTo(this.#start);
  }

  #hint() {
    if (this.#grade === GOOD) this.#grade = HARD;
    if (this.#page.position() !== this.#start) this.#retry();
    const [{ move, san }] = this.#better;
    this.#page.point(makeUci(move).slice(0, 2));
    this.#words = `The ${/^[KO]/.test(san) ? "king" : { Q: "queen", R: "rook", B: "bishop", N: "knight" }[san[0]] ?? "pawn"} on ${makeUci(move).slice(0, 2)} moves.`;
    this.show();
  }

  async #show() {
    const first = this.#reveal();
    this.#state = "shown";
    this.#grade = AGAIN;
    this.#words = `Better was ${first.number} ${first.san}.`;
    this.#page.playOut(first);
    await this.#keep(AGAIN);
  }

  async #right(tried) {
    const first = this.#reveal();
    this.#state = "right";
    const isAgain = this.#grade === AGAIN;
    const praise = isSame(tried, first) ? `Right: ${first.number} ${first.san}.` : `Right: ${tried.number} ${tried.san} is good as well; best was ${first.san}.`;
    this.#words = praise;
    this.show();
    if (isAgain) this.#queue.push(this.#card);
    else this.#solved += 1;
    const { due } = await this.#keep(this.#grade);
    this.#words = isAgain ? `${praise} It comes again at the end.` : `${praise} It comes back ${day(due)}.`;
    this.show();
  }

  #wrong(tried, pv, loss, isPlayed) {
    let node = this.#start;
    for (const uci of pv.slice(0, LONGEST)) {
      const move = node.understand(uci);
      if (!move) break;
      node = node.play(move);
    }
    this.#state = "wrong";
    this.#grade = AGAIN;
    const what = `loses ${Math.max(1, Math.round(100 * loss))}% of the winning chance`;
    this.#words = `${tried.san} ${isPlayed ? "was played in the game, and " : ""}${what}. The board shows why.`;
    this.#page.playOut(tried);
  }

  /** Keeps the answer, once for each time that the exercise is asked. */
  async #keep(grade) {
    const card = this.#card;
    const known = await answer(card, grade).catch(() => card);
    if (this.#card === card) this.#card = known;
    this.#queue = this.#queue.map((other) => (other === card ? known : other));
    return known;
  }

  /** Shows what there is to do. */
  show() {
    const { isOn } = this;
    $("learncard").hidden = !isOn;
    document.body.classList.toggle("islearning", isOn);
    if (!isOn) return;
    const { white, black, date, played, sign, reason } = this.#card;
    const { position } = this.#start;
    const state = this.#state;
    const isOver = state === "right" || state === "shown";
    const number = `${position.fullmoves}${position.turn === "white" ? "." : "…"}`;
    const rest = this.#queue.length;
    $("learncount").textContent = rest === 0 ? "the last one" : `${rest.toLocaleString("en")} more`;
    $("learngame").textContent = [`${white} – ${black}`, date].filter(Boolean).join(" · ");
    $("learntask").textContent = `${number} ${played}${sign} was played. What is better for ${position.turn === "white" ? "White" : "Black"}?`;
    $("learnstate").textContent = state === "checking" ? "The engine looks at it…" : this.#words || "Make your move on the board.";
    $("learnstate").className = state;
    $("learnreason").textContent = isOver && reason ? `${played}${sign} ${reason}` : "";
    $("learnnext").textContent = isOver ? (rest === 0 ? "Finish" : "Next") : "Skip";
    $("learnnext").classList.toggle("primary", isOver);
    $("learnretry").hidden = isOver || this.#page.position() === this.#start;
    $("learnretry").disabled = state === "checking";
    $("learnhint").hidden = $("learnshow").hidden = isOver;
    $("learnhint").disabled = $("learnshow").disabled = state === "checking";
  }
}

const isSame = (one, other) => makeUci(one.move) === makeUci(other.move);

/** A time in seconds since 1970, as a day. */
function day(time) {
  const date = new Date(time * 1000);
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday ? "later today" : `on ${date.toLocaleDateString("en", { day: "numeric", month: "long", year: "numeric" })}`;
}
