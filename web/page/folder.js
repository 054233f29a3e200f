// The user's files, where the engine is a program beside the browser (`rejoinder-study serve`).

import { $, element } from "./dom.js";
import { machine } from "./machine.js";

const OPENED = "rejoinder.opened";
const addressOf = (name) => new URL(`./files/${name.split("/").map(encodeURIComponent).join("/")}`, import.meta.url);

export class Folder {
  #page;
  #files = [];

  /**
   * @param {object} page
   * @param {(bytes: Uint8Array, name: string) => void} page.read takes the content of a file
   * @param {() => Promise<boolean>} page.isLarge returns whether a file has too many games to show them together
   * @param {() => void} page.list shows the list of games
   * @param {(text: string) => void} page.tell says what is wrong
   */
  constructor(page) {
    this.#page = page;
    $("library").addEventListener("click", () => this.#look());
    $("filter").addEventListener("input", () => this.#list());
  }

  /** Whether there are any. */
  get hasFiles() {
    return this.#files.length > 0;
  }

  /** Opens the file that the program was given, once in a tab. */
  async start() {
    if (!machine.isNative) return;
    $("where").textContent = "The engine is a program on this machine; nothing you enter leaves it.";
    const { open } = await this.#look();
    if (!open || sessionStorage.getItem(OPENED) === open) return;
    sessionStorage.setItem(OPENED, open);
    if (await this.#page.isLarge()) this.#page.list();
    else await this.#open(open);
  }

  /** Asks which files there are now. */
  async #look() {
    if (!machine.isNative) return {};
    try {
      const found = await (await fetch(addressOf(""))).json();
      this.#files = found.files;
      this.#list();
      return found;
    } catch {
      this.#page.tell("The program on this machine cannot be reached.");
      return {};
    }
  }

  #list() {
    $("folder").hidden = this.#files.length === 0;
    $("filter").parentElement.hidden = this.#files.length < 10;
    const wanted = $("filter").value.trim().toLowerCase();
    const row = ({ name, bytes }) => {
      const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
      const open = element("button", { type: "button", class: "entry" }, element("span", { text: name }), element("small", { text: size }));
      open.addEventListener("click", () => {
        $("shelf").close();
        this.#open(name);
      });
      return element("li", {}, open);
    };
    $("files").replaceChildren(...this.#files.filter(({ name }) => name.toLowerCase().includes(wanted)).map(row));
  }

  async #open(name) {
    const { read, tell } = this.#page;
    try {
      const answer = await fetch(addressOf(name));
      if (answer.ok) read(new Uint8Array(await answer.arrayBuffer()), name);
      else tell(`${name}: ${await answer.text()}`);
    } catch {
      tell("The program on this machine cannot be reached.");
    }
  }
}
