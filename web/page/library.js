// The games that the browser keeps: one entry for the games that were opened together. Nothing but its
// button deletes one, so no game is lost when another is opened, here or in a second tab.

import { $, element } from "./dom.js";
import { InputError, read } from "./game.js";
import { forget, names, recall, remember } from "./settings.js";

/** The largest collection that is kept whole, in characters; of a larger one, only the games that were changed and the present one. */
const LARGEST = 1 << 20;
const PREFIX = "kept.";

/** The PGN of each game as it is, and as it was opened. */
const texts = new WeakMap();
const originals = new WeakMap();

const textOf = (game) => texts.get(game) ?? texts.set(game, game.pgn).get(game);

/** Whether nobody could miss games: there is neither a move nor a comment, and a first position of chess or Chess960. */
const isEmpty = (games) => games.every(({ root, comments }) => root.children.length === 0 && comments.length === 0 && root.fen.includes("/pppppppp/8/8/8/8/PPPPPPPP/"));

/** The name of games in the list: that of the present one, or its first moves. */
function nameOf({ games, game }) {
  const moves = game.mainLine.slice(1, 9).map((node, i) => (node.parent.position.turn === "white" || i === 0 ? `${node.number} ${node.san}` : node.san)).join(" ");
  const title = game.title || moves || "Position";
  return games.length > 1 ? `${title} (${games.length} games)` : title;
}

export class Library {
  #page;
  /** The name of the entry of the games that are shown, and the PGN that it holds as far as we know. */
  #name;
  #pgn;
  #deleted;

  /**
   * @param {object} page
   * @param {() => object} page.state what is shown: `games`, `game`, `node`, `play`, `link`, `reviews`
   * @param {(kept: object) => void} page.open shows kept games
   * @param {(pgn: string) => void} page.deleted is told the games of an entry that is deleted
   * @param {(pgn: string) => void} page.restored is told them when they come back
   * @param {(text: string) => void} page.tell says what could not be kept
   */
  constructor(page) {
    this.#page = page;
    $("library").addEventListener("click", () => this.#show());
    $("undelete").addEventListener("click", () => {
      remember(...this.#deleted);
      this.#page.restored(this.#deleted[1].pgn);
      this.#list();
      $("kept").querySelector("button")?.focus();
    });
    $("shelf").addEventListener("click", ({ target }) => target === $("shelf") && $("shelf").close());
    // The one list of an older page.
    const old = recall("game");
    if (old && remember(PREFIX + newName(), { time: Date.now(), name: "Game", ...old })) forget("game");
  }

  /** Keeps what is shown. */
  keep() {
    const { games, game, node, play, link, reviews } = this.#page.state();
    // Only the present game changes.
    texts.delete(game);
    for (const one of games) if (!originals.has(one)) originals.set(one, textOf(one));
    const isWhole = games.reduce((sum, one) => sum + textOf(one).length, 0) <= LARGEST;
    const some = isWhole ? games : games.filter((one) => one === game || textOf(one) !== originals.get(one));
    const pgn = some.map(textOf).join("\n");
    // Another tab has changed the entry, or deleted it: it stays as it is.
    if (this.#name && recall(this.#name)?.pgn !== this.#pgn) {
      if (pgn === this.#pgn) return;
      this.#name = undefined;
    }
    this.#name ??= this.#sameAs(pgn) ?? PREFIX + newName();
    const isFlipped = document.querySelector("#board.orientation-black") !== null;
    const found = some.map((one) => reviews.get(one) ?? null);
    const entry = { pgn, at: some.indexOf(game), path: node.moves, play, link, reviews: found.some(Boolean) ? found : undefined, isFlipped, name: nameOf({ games: some, game }), time: Date.now() };
    if (remember(this.#name, entry)) {
      this.#pgn = pgn;
      here(this.#name);
      remember("last", this.#name);
    } else if (!isEmpty(games)) {
      this.#page.tell("The browser keeps no more: what you do now ends with this page. Delete something in the list of kept games, or download this one.");
    }
  }

  /** Keeps what is shown for the last time, and returns its entry; undefined if it is nothing. */
  leave() {
    const isNothing = isEmpty(this.#page.state().games);
    if (!isNothing) this.keep();
    else if (this.#name) forget(this.#name);
    const name = isNothing ? undefined : this.#name;
    this.#name = this.#pgn = undefined;
    return name;
  }

  /** The games of the last visit of this tab or, if it is a new one, of the last tab. */
  get last() {
    return this.read(here() ?? recall("last"));
  }

  /** The games of an entry; undefined if it is not there or cannot be read. */
  read(name) {
    const kept = name && recall(name);
    if (!kept?.pgn) return undefined;
    try {
      const { games } = read(kept.pgn);
      const game = games[kept.at] ?? games[0];
      return { ...kept, games, game, node: game.root.follow(kept.path ?? []), entry: name };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return undefined;
    }
  }

  /** Says that the games shown are those of an entry. */
  own({ entry, pgn }) {
    this.#name = entry;
    this.#pgn = pgn;
  }

  /** The entry that holds the same games already. */
  #sameAs(pgn) {
    return names(PREFIX).find((name) => recall(name)?.pgn === pgn);
  }

  #show() {
    this.keep();
    this.#deleted = undefined;
    this.#list();
    $("shelf").showModal();
  }

  #list() {
    const entries = names(PREFIX).map((name) => ({ entry: name, ...recall(name) })).filter(({ entry }) => entry !== this.#name || !isEmpty(this.#page.state().games)).sort((a, b) => b.time - a.time);
    const row = ({ entry, name, time }) => {
      const isHere = entry === this.#name;
      const date = new Date(time).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
      const open = element("button", { type: "button", class: "entry" }, element("span", { text: name }), element("small", { text: isHere ? "shown now" : date }));
      open.addEventListener("click", () => {
        $("shelf").close();
        const kept = isHere ? undefined : this.read(entry);
        if (kept) this.#page.open(kept);
      });
      const remove = element("button", { type: "button", class: "quiet", "aria-label": `Delete ${name}`, text: "×" });
      remove.disabled = isHere;
      remove.addEventListener("click", () => {
        this.#deleted = [entry, recall(entry)];
        forget(entry);
        this.#page.deleted(this.#deleted[1].pgn);
        this.#list();
        $("undelete").focus();
      });
      return element("li", {}, open, remove);
    };
    $("kept").replaceChildren(...entries.map(row));
    const isThere = !this.#deleted || entries.some(({ entry }) => entry === this.#deleted[0]);
    $("deleted").hidden = isThere;
    $("deletedname").textContent = isThere ? "" : `${this.#deleted[1].name} is deleted.`;
    $("nothingkept").hidden = entries.length > 0;
  }
}

const newName = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;

/** The entry of this tab, over a reload. */
function here(name) {
  try {
    if (name) sessionStorage.setItem("rejoinder.kept", name);
    return sessionStorage.getItem("rejoinder.kept") ?? undefined;
  } catch {
    return undefined;
  }
}
