// Games in and out of the page: the field, files by button and by drop, the clipboard, downloads.

import { $ } from "./dom.js";
import { download, fileName, linkOf } from "./storage.js";

/** The largest file that is read, in bytes. */
const LARGEST = 32 << 20;

function tell(text, isFine = false) {
  $("problem").textContent = text;
  $("problem").classList.toggle("fine", isFine);
}

async function copy(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    tell(`${name} copied.`, true);
  } catch {
    $("text").value = text;
    $("text").select();
    tell(`The browser does not allow copying; the ${name} is in the field above.`, true);
  }
}

export class Files {
  #load;

  /**
   * @param {object} page
   * @param {() => object} page.game the present game
   * @param {() => object} page.node the present position
   * @param {(text: string) => void} page.load takes a FEN or PGN text
   */
  constructor({ game, node, load }) {
    this.#load = load;
    const field = $("text");
    $("load").addEventListener("click", () => load(field.value));
    // What is pasted into the empty field is loaded at once.
    field.addEventListener("paste", () => {
      if (field.value.trim() === "") setTimeout(() => load(field.value));
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) load(field.value);
    });
    $("copyfen").addEventListener("click", () => copy(node().fen, "FEN"));
    $("copypgn").addEventListener("click", () => copy(game().pgn, "PGN"));
    $("copylink").addEventListener("click", () => this.#copyLink(game()));
    $("save").addEventListener("click", () => download(game().pgn, fileName(game())));
    $("open").addEventListener("click", () => $("file").click());
    $("file").addEventListener("change", () => {
      this.#read($("file").files[0]);
      $("file").value = "";
    });
    addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.some((type) => type === "Files" || type === "text/plain")) return;
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    addEventListener("dragleave", (event) => !event.relatedTarget && document.body.classList.remove("dropping"));
    addEventListener("drop", (event) => {
      document.body.classList.remove("dropping");
      const [file] = event.dataTransfer.files;
      const text = event.dataTransfer.getData("text/plain");
      if (!file && (!text || event.target === field)) return;
      event.preventDefault();
      if (file) this.#read(file);
      else load(text);
    });
  }

  async #copyLink(game) {
    const link = await linkOf(game);
    if (link === "" && game.root.children.length > 0) tell("This game is too long for a link. Download it instead.");
    else await copy(location.origin + location.pathname + link, "link");
  }

  /** Reads a file in UTF-8 or, if it is not that, in Latin-1. */
  async #read(file) {
    if (!file) return;
    if (file.size > LARGEST) {
      tell(`${file.name} is larger than ${LARGEST >> 20} MB.`);
      return;
    }
    const bytes = await file.arrayBuffer();
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      text = new TextDecoder("latin1").decode(bytes);
    }
    this.#load(text);
  }
}
