// The part of the page about the library: the list of games, the reviews of all of them, and whose
// mistakes are learned from.

import { BrowserGames, FolderGames } from "./collection.js";
import { $, element } from "./dom.js";
import { exported, imported, players } from "./exercises.js";
import { machine } from "./machine.js";
import { gamesOf } from "./reader.js";
import { forget, recall, remember, settings } from "./settings.js";
import { download } from "./storage.js";

/** Rows that are written at a time. */
const CHUNK = 150;
/** The most games that are shown together without the list. */
export const MOST_SHOWN = 60;
/** The name of the collection whose reviews are to be gone on with. */
const WANTED = "reviewall";

const nameOf = ({ white, black }) => (white === "?" && black === "?" ? "Unknown players" : `${white} – ${black}`);
const number = (count) => count.toLocaleString("en");
const counted = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;

export class Catalog {
  #page;
  #source = new BrowserGames();
  #started;
  #rows = [];
  /** Those that the search leaves, and how many of them are written. */
  #found = [];
  #written = 0;
  /** Stops the reviews that are going on. */
  #stop;
  /** How many games are to be reviewed, how many are, and the share of the present one. */
  #total = 0;
  #done = 0;
  #share = 0;
  /** The text of each game that was added, and its id. */
  #texts = new WeakMap();
  #ids = new WeakMap();

  /**
   * @param {object} page
   * @param {() => object} page.engine
   * @param {(games: object[]) => void} page.open shows games
   * @param {(player: string, cards: object[]) => void} page.learn begins with exercises
   */
  constructor(page) {
    this.#page = page;
    $("tolibrary").addEventListener("click", () => this.show());
    $("search").addEventListener("input", () => this.#search());
    $("morerows").addEventListener("click", () => this.#more());
    $("reviewall").addEventListener("click", () => this.#ask());
    $("askingyes").addEventListener("click", () => this.#begin());
    $("askingno").addEventListener("click", () => ($("asking").hidden = true));
    $("allstop").addEventListener("click", () => this.#end());
    $("learn").addEventListener("click", () => this.#learn());
    $("who").addEventListener("change", () => remember("who", $("who").value));
    $("exportcards").addEventListener("click", async () => download(await exported(), "rejoinder-exercises.epd"));
    $("importcards").addEventListener("click", () => $("cardsfile").click());
    $("cardsfile").addEventListener("change", () => this.#import());
    $("unremove").addEventListener("click", async () => {
      await this.#source.restore();
      $("removed").hidden = true;
      await this.#look();
    });
    $("catalog").addEventListener("click", ({ target }) => target === $("catalog") && $("catalog").close());
    new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && this.#more(), { root: $("rowsbox"), rootMargin: "400px" }).observe($("morerows"));
  }

  /** Finds out where the games are, for which everything else waits. */
  start() {
    this.#started = this.#find();
  }

  async #find() {
    try {
      this.#source = (machine.isNative && (await FolderGames.find())) || this.#source;
      if (this.#source.isOwn && !recall("library")) await this.#takeKept();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Whether there are so many games that they are shown as a list, and none of them at first. */
  async isLarge() {
    await this.#started;
    const rows = await this.#source.rows().catch(() => []);
    return rows.length > MOST_SHOWN;
  }

  /** Adds the games that an older page has kept. */
  async #takeKept() {
    const kept = Object.keys(localStorage).filter((key) => key.startsWith("rejoinder.kept."));
    const texts = kept.map((key) => recall(key.slice("rejoinder.".length))?.pgn).filter(Boolean);
    await this.#source.add(texts.flatMap(gamesOf));
    remember("library", 1);
  }

  /** Goes on with the reviews of the last visit, as soon as the engine is there. */
  async goOn() {
    await this.#started;
    if (recall(WANTED) !== this.#source.name || this.#stop) return;
    await this.#look();
    this.#begin();
  }

  /** Shows the list. */
  async show() {
    $("asking").hidden = $("removed").hidden = true;
    $("catalogproblem").textContent = "";
    if (!$("catalog").open) $("catalog").showModal();
    await this.#look();
  }

  /** Adds games that the reader has found, and returns whether they have a place here. */
  async add(found) {
    await this.#started;
    if (!this.#source.isOwn) return false;
    await this.#source.add(found);
    if ($("catalog").open) await this.#look();
    return true;
  }

  /** Keeps games that are shown as they are now. */
  async keep(games) {
    await this.#started;
    if (!this.#source.isOwn) return;
    const found = [];
    const outdated = [];
    for (const game of games) {
      const text = game.pgn;
      if (this.#texts.get(game) === text) continue;
      this.#texts.set(game, text);
      const [one] = gamesOf(text);
      if (!one?.summary?.plies) continue;
      const before = this.#ids.get(game);
      if (before && before !== one.summary.id) outdated.push(before);
      this.#ids.set(game, one.summary.id);
      found.push(one);
    }
    if (found.length > 0) await this.#source.add(found, outdated).catch(() => {});
  }

  /** Forgets the games of a text. */
  async remove(text) {
    if (this.#source.isOwn) await this.#source.remove(gamesOf(text).flatMap(({ summary }) => summary?.id ?? [])).catch(() => {});
  }

  #fail(error) {
    $("catalogproblem").textContent = this.#source.isOwn ? "The browser keeps no library: it has no storage for it, or it is full." : `The files cannot be read: ${error.message}`;
  }

  async #look() {
    await this.#started;
    try {
      this.#rows = await this.#source.rows();
    } catch (error) {
      this.#fail(error);
      this.#rows = [];
    }
    await this.#fillPlayers();
    this.#search();
    this.#showReviews();
  }

  get #waiting() {
    return this.#rows.filter(({ isReviewed, plies }) => !isReviewed && plies > 0).length;
  }

  // ---- The list ----

  #search() {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = ({ white, black, result, date, opening, file }) => [white, black, result, date, opening, file].join(" ").toLowerCase();
    this.#found = words.length === 0 ? this.#rows : this.#rows.filter((row) => {
      const all = text(row);
      return words.every((word) => all.includes(word));
    });
    this.#written = 0;
    $("rows").replaceChildren();
    $("rowsbox").scrollTop = 0;
    this.#more();
    const reviewed = this.#rows.filter(({ isReviewed }) => isReviewed).length;
    $("catalogcount").textContent = words.length > 0 ? `${number(this.#found.length)} of ${counted(this.#rows.length, "game", "games")}` : `${counted(this.#rows.length, "game", "games")}, ${number(reviewed)} reviewed`;
    $("norows").hidden = this.#found.length > 0;
    $("norows").textContent = this.#rows.length > 0 ? "No game has that." : this.#source.isOwn ? "No games yet. Those that are opened or played here come here." : "There are no games in the files.";
    document.querySelector("#catalog table").hidden = this.#found.length === 0;
  }

  #more() {
    const rows = this.#found.slice(this.#written, this.#written + CHUNK);
    this.#written += rows.length;
    $("rows").append(...rows.map((row) => this.#row(row)));
    const rest = this.#found.length - this.#written;
    $("morerows").hidden = rest === 0;
    $("morerows").textContent = `${number(rest)} more`;
  }

  #row(row) {
    const name = nameOf(row);
    const open = element("button", { type: "button", text: name });
    open.addEventListener("click", () => this.#open(row));
    const accuracy = row.isReviewed ? row.accuracy.map((one) => one?.toFixed(0) ?? "–").join(" : ") : "";
    const cell = (name, text) => element("td", { class: name, text });
    const made = element(
      "tr",
      {},
      element("th", { scope: "row" }, open),
      cell("result", row.result.replaceAll("1/2", "½")),
      cell("date", row.date),
      cell("opening", row.opening),
      row.isReviewed ? cell("accuracy", accuracy) : cell("accuracy waiting", row.plies > 0 ? "not reviewed" : "no moves"),
    );
    const last = element("td", { class: "remove" });
    if (this.#source.isOwn) {
      const remove = element("button", { type: "button", class: "quiet", "aria-label": `Delete ${name}`, text: "×" });
      remove.addEventListener("click", () => this.#delete(row));
      last.append(remove);
    }
    made.append(last);
    return made;
  }

  async #open(row) {
    try {
      const games = await this.#source.open(row);
      $("catalog").close();
      games.forEach((game) => this.#ids.set(game, row.id));
      this.#page.open(games);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #delete(row) {
    await this.#source.remove([row.id]);
    await this.#look();
    $("removedname").textContent = `${nameOf(row)} is deleted.`;
    $("removed").hidden = false;
    $("unremove").focus();
  }

  // ---- The reviews of all games ----

  /** Asks before anything is written beside the user's files, or the engine works for hours. */
  #ask() {
    const what = counted(this.#waiting, "game", "games");
    const where = this.#source.isOwn ? "The reviews are kept in this browser." : "The reviews are written beside your files, as NAME.reviewed.pgn for NAME.pgn. Your files stay as they are.";
    $("askingwords").textContent = `Review ${what} with ${number(settings.effort)} nodes a move? ${where} It goes on in the background, and after a restart.`;
    $("asking").hidden = false;
    $("askingyes").focus();
  }

  async #begin() {
    $("asking").hidden = true;
    const engine = this.#page.engine();
    if (!engine || this.#stop || this.#waiting === 0) return;
    remember(WANTED, this.#source.name);
    const stop = () => {};
    this.#stop = stop;
    this.#showReviews();
    // Two tabs would review the same games.
    const isAlone = await alone();
    if (this.#stop !== stop) return;
    if (!isAlone) {
      this.#stop = undefined;
      $("catalogproblem").textContent = "Another tab reviews the games.";
      this.#showReviews();
      return;
    }
    const { effort: nodes, threads, hash } = settings;
    [this.#total, this.#done, this.#share] = [this.#waiting, 0, 0];
    this.#stop = this.#source.reviewAll(engine, { nodes, threads, hash }, {
      progress: (share) => {
        this.#share = share;
        this.#showReviews();
      },
      reviewed: () => {
        this.#done += 1;
        this.#share = 0;
        this.#showReviews();
      },
      done: (reason, isLost = false) => {
        this.#stop = undefined;
        if (!isLost) forget(WANTED);
        release();
        if (isLost) this.#showReviews();
        else this.#look();
        if (reason) $("catalogproblem").textContent = `Not all games could be reviewed: ${reason}.`;
      },
    });
    this.#showReviews();
  }

  #end() {
    this.#stop?.();
    this.#stop = undefined;
    forget(WANTED);
    release();
    this.#look();
  }

  #showReviews() {
    const isOn = this.#stop !== undefined;
    const all = this.#total;
    const share = all === 0 ? 0 : Math.min(1, (this.#done + this.#share) / all);
    $("allreviewing").hidden = !isOn;
    $("reviewall").hidden = isOn;
    $("reviewall").disabled = this.#waiting === 0 || !this.#page.engine();
    $("allprogress").value = share;
    $("allstate").textContent = `${number(this.#done)} of ${number(all)} reviewed`;
    $("tolibrary").textContent = isOn ? `Library · ${Math.floor(100 * share)}%` : "Library";
  }

  // ---- Learning ----

  async #fillPlayers() {
    const games = new Map();
    for (const row of this.#rows) {
      if (!row.isReviewed) continue;
      for (const name of [row.white, row.black]) games.set(name, (games.get(name) ?? 0) + 1);
    }
    const asked = await players().catch(() => new Set());
    $("exportcards").disabled = asked.size === 0;
    for (const name of asked) if (!games.has(name)) games.set(name, 0);
    const names = [...games].sort((a, b) => b[1] - a[1]);
    const option = ([name, count]) => element("option", { value: name, text: count > 0 ? `${name} (${counted(count, "game", "games")})` : name });
    $("who").replaceChildren(...names.map(option));
    const wanted = recall("who");
    if (games.has(wanted)) $("who").value = wanted;
    $("who").disabled = $("learn").disabled = names.length === 0;
    if (names.length === 0) $("who").append(element("option", { text: "reviewed games" }));
  }

  async #learn() {
    const player = $("who").value;
    try {
      const cards = await this.#source.cards(player);
      $("catalog").close();
      this.#page.learn(player, cards);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #import() {
    const [file] = $("cardsfile").files;
    if (!file) return;
    const count = await imported(await file.text());
    $("cardsfile").value = "";
    $("catalogproblem").textContent = count > 0 ? "" : `${file.name} holds no exercises.`;
    await this.#look();
    if (count > 0) $("catalogcount").textContent = `${counted(count, "exercise", "exercises")} imported.`;
  }
}

let release = () => {};

/** Returns whether no other tab reviews, which then has to wait. */
function alone() {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((answer) => {
    navigator.locks.request("rejoinder.reviewall", { ifAvailable: true }, (lock) => {
      answer(lock !== null);
      return lock && new Promise((done) => (release = done));
    });
  });
}
