// What is on the page: games, the one that is shown, and a position of it. Whatever changes the games
// does it here, so that nothing goes on that belonged to the games before.

import { Game } from "./game.js";

/** Time between two moves of a line that is played out, in milliseconds. */
const DELAY = 900;

export class Session {
  games = [Game.fromFen()];
  game = this.games[0];
  node = this.game.root;
  #on;
  #timer;

  /**
   * @param {object} on
   * @param {(isNew: boolean) => void} on.leaving is called before another game is shown, and told
   *   whether the games are others, too
   * @param {() => void} on.opened is called when another game is shown
   * @param {() => void} on.moved is called when a position is to be shown, perhaps the same one
   */
  constructor(on) {
    this.#on = on;
  }

  /** Shows a game, which may be one of other games, at its first or another position. */
  open(games, game = games[0], node = game.root) {
    clearTimeout(this.#timer);
    this.#on.leaving(games !== this.games);
    Object.assign(this, { games, game, node });
    this.#on.opened();
  }

  /** Shows a position. A line that is being played out ends. */
  goTo(node) {
    clearTimeout(this.#timer);
    this.node = node;
    this.#on.moved();
  }

  /** Plays out the line that begins with the move to a position. */
  playOut(node) {
    this.goTo(node);
    const [next] = node.children;
    if (next) this.#timer = setTimeout(() => this.playOut(next), DELAY);
  }
}
