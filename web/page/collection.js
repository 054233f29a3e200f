// The games of the library, from where they are: in the browser, or in the user's files
// (`rejoinder-study serve` with a file or folder). Both have the same functions.

import { all, change, get } from "./database.js";
import { gameOf, read } from "./game.js";
import { run } from "./program.js";
import { gamesOf } from "./reader.js";
import { Review } from "./review.js";

/**
 * A game in a line of the list.
 *
 * @typedef {object} Row
 * @property {string} id
 * @property {string} white
 * @property {string} black
 * @property {string} result
 * @property {string} date
 * @property {string} opening
 * @property {number} plies
 * @property {boolean} isReviewed
 * @property {(number | null)[]} accuracy
 */

/** So many games are looked up one by one. */
const FEW = 20;

const isWaiting = ({ isReviewed, plies }) => !isReviewed && plies > 0;

/** The player who made a mistake. */
export const playerOf = ({ fen, white, black }) => (fen.split(" ")[1] === "w" ? white : black);

/** The games that the browser keeps. */
export class BrowserGames {
  /** Whether games can be added and deleted. */
  isOwn = true;
  name = "browser";
  /** The records of deleted games, for a change of mind. */
  #deleted;

  /** @returns {Promise<Row[]>} the newest first */
  async rows() {
    return (await all("rows")).sort((a, b) => b.added - a.added || a.place - b.place);
  }

  /** Returns the games to show for a row. */
  async open({ id }) {
    return [gameOf(await get("games", id))];
  }

  /** Returns the mistakes of a player as exercises. */
  async cards(player) {
    return (await all("cards")).flatMap(({ cards }) => cards).filter((card) => playerOf(card) === player);
  }

  /**
   * Adds games, as the reader has found them, and forgets others. A game that is reviewed already keeps
   * its review.
   */
  async add(found, outdated = []) {
    const ids = found.map(({ summary }) => summary?.id ?? "");
    const rows = found.length > FEW ? await all("rows") : await Promise.all(ids.map((id) => get("rows", id)));
    const known = new Map(rows.filter(Boolean).map((row) => [row.id, row]));
    const put = { rows: [], games: [], cards: [] };
    const added = Date.now();
    found.forEach(({ summary, cards, ...game }, place) => {
      if (!summary || summary.plies === 0) return;
      const { id, isReviewed } = summary;
      const before = known.get(id);
      if (before?.isReviewed && !isReviewed) return;
      put.rows.push({ added, place, ...(before && { added: before.added, place: before.place }), ...summary });
      put.games.push({ id, ...game });
      put.cards.push({ id, cards });
    });
    await change(put, { rows: outdated, games: outdated, cards: outdated });
  }

  /** Deletes games. */
  async remove(ids) {
    const stores = ["rows", "games", "cards"];
    const records = await Promise.all(stores.map((store) => Promise.all(ids.map((id) => get(store, id)))));
    this.#deleted = Object.fromEntries(stores.map((store, i) => [store, records[i].filter(Boolean)]));
    await change({}, Object.fromEntries(stores.map((store) => [store, ids])));
  }

  /** Brings back what was deleted last. */
  async restore() {
    await change(this.#deleted);
  }

  /**
   * Reviews all games, one after the other.
   *
   * @param {object} engine the engine
   * @param {object} effort nodes, threads and hash of a review
   * @param {object} on
   * @param {(share: number) => void} on.progress is told how much of the present game is done, 0 to 1
   * @param {() => void} on.reviewed is called after each game
   * @param {(reason?: string, isLost?: boolean) => void} on.done is called at the end, with what went
   *   wrong, and whether it can go on later
   * @returns {() => void} stops it
   */
  reviewAll(engine, effort, on) {
    let review;
    let isStopped = false;
    const failed = new Set();
    let reason;
    const next = async () => {
      const row = (await this.rows()).find((row) => isWaiting(row) && !failed.has(row.id));
      if (isStopped) return;
      if (!row) {
        on.done(reason);
        return;
      }
      const [game] = await this.open(row);
      review = new Review(game, effort, [], {
        progress: () => on.progress(review.share),
        done: async () => {
          // The review has given the game its opening and its marks.
          await this.add(gamesOf(game.pgn));
          if (!(await get("rows", row.id))?.isReviewed) failed.add(row.id);
          on.reviewed();
          next();
        },
        failed: (why) => {
          reason = why;
          failed.add(row.id);
          next();
        },
      });
      if (!isStopped) review.start(engine.module, engine.hasThreads);
    };
    next();
    return () => {
      isStopped = true;
      review?.stop();
    };
  }
}

/** The games of the user's files. Their reviews lie beside them. */
export class FolderGames {
  isOwn = false;
  /** The list that was asked for first, for whoever asks next. */
  #list;

  constructor(list) {
    this.name = list.name;
    this.#list = list;
  }

  /** Returns the folder that the program was given; undefined if there is none. */
  static async find() {
    const list = await ask("library");
    return list ? new FolderGames(list) : undefined;
  }

  async rows() {
    const { games } = this.#list ?? (await ask("library"));
    this.#list = undefined;
    return games;
  }

  async open({ file, number }) {
    return read(new Uint8Array(await (await answerOf(`game/${number}/${encoded(file)}`)).arrayBuffer())).games;
  }

  async cards(player) {
    return ask(`mistakes/${encoded(player)}`);
  }

  reviewAll(engine, { nodes, threads, hash }, on) {
    let program;
    let isStopped = false;
    let reason;
    const tried = new Set();
    const next = async () => {
      let rows;
      try {
        rows = await this.rows();
      } catch {
        if (!isStopped) on.done("the program on this machine cannot be reached", true);
        return;
      }
      const file = rows.find((row) => isWaiting(row) && !tried.has(row.file))?.file;
      if (isStopped) return;
      if (file === undefined) {
        on.done(reason);
        return;
      }
      tried.add(file);
      const line = (line) => {
        if (/^\d+: /.test(line)) on.reviewed();
        const [, why] = /^failed: (.*)/.exec(line) ?? [];
        if (why) reason = why;
      };
      const failed = (why) => {
        reason ??= why;
        next();
      };
      const args = ["reviews", file, "--nodes", nodes, "--hash", hash, "--threads", threads].map(String);
      program = run(engine.module, args, "", { line, ended: next, failed }, engine.hasThreads);
    };
    next();
    return () => {
      isStopped = true;
      program?.end();
    };
  }
}

const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");

async function answerOf(place) {
  const answer = await fetch(new URL(`./${place}`, import.meta.url));
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

const ask = async (place) => (await answerOf(place)).json();
