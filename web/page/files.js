// Games in and out of the page: the field, files by button and by drop, the clipboard, downloads.

import { $ } from "./dom.js";
import { download, fileName, linkOf } from "./storage.js";

/** The largest file that is read, in bytes. */
const LARGEST = 32 << 20;

/** Share of control characters from which a file is none of text. */
const MOST_CONTROLS = 0.01;

const isText = (text) => (text.match(/[\0-\x08\x0e-\x19\x1b-\x1f]/g)?.length ?? 0) <= MOST_CONTROLS * text.length;

/** Decodes UTF-16 with its mark, UTF-8 or, if it is neither, Latin-1. */
function decode(bytes) {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  if (first + second === 0xff + 0xfe && Math.min(first, second) === 0xfe) return new TextDecoder(first === 0xff ? "utf-16le" : "utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

export class Files {
  #page;

  /**
   * @param {object} page
   * @param {() => object} page.game the present game
   * @param {() => object} page.node the present position
   * @param {(text: string, file?: string) => void} page.load takes a text, perhaps that of a file
   * @param {(text: string, isFine?: boolean) => void} page.tell says what is wrong, or fine
   */
  constructor(page) {
    const { game, node, load } = page;
    this.#page = page;
    const field = $("text");
    const copy = (text, name) => this.#copy(text, name);
    $("load").addEventListener("click", () => load(field.value));
    // What is pasted into the empty field is loaded at once.
    field.addEventListener("paste", () => {
      if (field.value.trim() === "") setTimeout(() => load(field.value));
    });
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) load(field.value);
    });
    $("copyfen").addEventListener("click", () => copy(node().fen, "FEN"));
    $("copypgn").addEventListener("click", () => copy(game().fullPgn, "PGN"));
    $("copylink").addEventListener("click", () => this.#copyLink(game()));
    $("save").addEventListener("click", () => download(game().fullPgn, fileName(game())));
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

  async #copy(text, name) {
    try {
      await navigator.clipboard.writeText(text);
      this.#page.tell(`${name} copied.`, true);
    } catch {
      $("text").value = text;
      $("text").select();
      this.#page.tell(`The browser does not allow copying; the ${name} is in the field above.`, true);
    }
  }

  async #copyLink(game) {
    const link = await linkOf(game);
    if (link === "" && game.root.children.length > 0) this.#page.tell("This game is too long for a link. Download it instead.");
    else await this.#copy(location.origin + location.pathname + link, "link");
  }

  async #read(file) {
    if (!file) return;
    const { load, tell } = this.#page;
    if (file.size > LARGEST) {
      tell(`${file.name} is larger than ${LARGEST >> 20} MB.`);
      return;
    }
    const text = decode(await file.arrayBuffer());
    if (text.trim() === "") tell(`${file.name} is empty.`);
    else if (!isText(text)) tell(`${file.name} is no text, so it holds no game.`);
    else load(text, file.name);
  }
}
