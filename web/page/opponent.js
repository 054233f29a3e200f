// The part of the page about games against the engine: the dialog, the buttons and the state.

import { clockText } from "./annotation.js";
import { CLOCKS } from "./clock.js";
import { $, element } from "./dom.js";
import { outcome } from "./game.js";
import { Play, RATINGS, newGame } from "./play.js";
import { keepSettings, settings } from "./settings.js";

/** Milliseconds after which the clocks are shown anew. */
const TICK = 200;

export class Opponent {
  #page;
  #ticking;
  #shown;
  #play;
  /** A game that waits for the engine to be loaded. */
  #kept;
  #end = "";

  /**
   * @param {object} page
   * @param {() => object} page.engine
   * @param {(game: object) => void} page.begin shows a new game
   * @param {() => object} page.position the position that is shown
   * @param {(node: object) => void} page.goTo shows a position of a game that has changed
   * @param {() => void} page.left is called when the game is over or given up
   * @param {(color: string) => void} page.flip turns the board
   * @param {() => void} page.tick shows the seconds that both have left
   */
  constructor(page) {
    this.#page = page;
    $("elo").replaceChildren(...RATINGS.map((elo) => element("option", { value: elo, text: elo ? `${elo} Elo` : "Full strength" })));
    $("control").replaceChildren(
      element("option", { value: "", text: "Without" }),
      ...CLOCKS.map((control) => element("option", { value: control, text: `${control.replace("+", " min + ")} s a move` })),
    );
    $("play").addEventListener("click", () => this.#ask());
    $("again").addEventListener("click", () => this.#ask());
    $("takeback").addEventListener("click", () => {
      this.#page.goTo(this.#play.takeBack());
      this.#play.goOn();
    });
    $("resign").addEventListener("click", () => this.#play.resign());
    $("leave").addEventListener("click", () => {
      this.leave();
      this.#page.left();
    });
    $("newplay").addEventListener("close", () => $("newplay").returnValue === "start" && this.#start());
  }

  /** Whether a game against the engine is going on. */
  get isOn() {
    return this.#play !== undefined || this.#kept !== undefined;
  }

  /** What has to be known to go on after a reload. */
  get state() {
    const { color, elo } = this.#play ?? this.#kept ?? {};
    return color && { color, elo, ...(this.#play?.time ?? { control: this.#kept.control, left: this.#kept.left }) };
  }

  /** The seconds that both have left; undefined without a clock, or where another position is shown. */
  get left() {
    const { control, left } = this.state ?? {};
    const isNow = this.#play === undefined || this.#page.position() === this.#play.now;
    return control && isNow ? left : undefined;
  }

  get mayMove() {
    return this.#play !== undefined && this.#page.position() === this.#play.now && this.#play.isOurTurn;
  }

  /** Who may move at a position. */
  colorFor(node) {
    return this.#play && node === this.#play.now ? this.#play.color : undefined;
  }

  #ask() {
    if (!this.#page.engine()) return;
    $("elo").value = String(settings.elo);
    $("color").value = settings.color;
    $("control").value = settings.control;
    $("fromhere").checked = false;
    $("newplay").returnValue = "";
    $("newplay").showModal();
  }

  #start() {
    settings.elo = Number($("elo").value);
    settings.color = $("color").value;
    settings.control = $("control").value;
    keepSettings();
    const { elo, control } = settings;
    const color = settings.color === "random" ? (Math.random() < 0.5 ? "white" : "black") : settings.color;
    const node = this.#page.position();
    const fen = $("fromhere").checked && !node.position.isEnd() ? node.fen : undefined;
    const game = newGame({ color, elo, control }, fen);
    this.#page.flip(color);
    this.#page.begin(game);
    this.#begin({ game, color, elo, control });
  }

  #begin(state) {
    this.#end = "";
    this.#kept = undefined;
    this.#play = new Play(state, this.#page.engine(), {
      moved: (node) => this.#page.goTo(node),
      ended: ({ reason }) => {
        this.#play = undefined;
        this.#end = reason;
        this.#page.left();
      },
    });
    this.#play.goOn();
    this.show();
  }

  /** Goes on with a game of the last visit, as soon as the engine is there. */
  restore(state, game) {
    if (!state?.color || game.headers.get("Result") !== "*" || outcome(game.end)) return;
    this.#kept = { ...state, game };
    this.show();
  }

  /** Lets the engine move if it is its turn. */
  goOn() {
    if (this.#kept) {
      this.#begin(this.#kept);
      this.#page.goTo(this.#play.now);
    } else {
      this.#play?.goOn();
    }
    this.show();
  }

  answer(best) {
    this.#play?.answer(best);
  }

  /** Gives up the game, if there is one, and leaves it as it is. */
  leave() {
    this.#play?.leave();
    this.#play = undefined;
    this.#kept = undefined;
    this.#end = "";
  }

  show() {
    const { isOn } = this;
    $("playcard").hidden = !isOn && this.#end === "";
    $("enginecard").hidden = isOn;
    document.body.classList.toggle("isplaying", isOn);
    for (const name of ["takeback", "resign", "leave"]) $(name).hidden = !isOn;
    $("takeback").disabled = !this.#play?.canTakeBack;
    $("play").hidden = isOn;
    $("review").hidden = isOn;
    $("playstate").textContent = this.#end || this.#state;
    clearInterval(this.#ticking);
    if (this.#play?.time.control) this.#ticking = setInterval(() => this.#tick(), TICK);
  }

  /** Shows the clocks where one of them shows another second. */
  #tick() {
    const { left } = this;
    const shown = left && [left.white, left.black].map(clockText).join();
    if (shown && shown !== this.#shown) this.#page.tick();
    this.#shown = shown;
  }

  get #state() {
    if (!this.#play) return this.#kept ? "The game goes on when the engine is loaded." : "";
    const { elo, isOurTurn, now } = this.#play;
    const turn = isOurTurn ? "Your move" : "Rejoinder is thinking";
    const away = this.#page.position() === now ? "" : " (an earlier position is shown)";
    return `${turn}${away}. It plays ${elo ? `at about ${elo} Elo` : "at full strength"}.`;
  }
}
