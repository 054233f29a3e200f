// Games in and out of the page: the field, files by button and by drop, the clipboard, downloads.

import { $ } from "./dom.js";
import { download, fileName, linkOf } from "./storage.js";

/** The largest file that is read, in bytes. */
const LARGEST = 32 << 20;

/** Decodes a file in UTF-16 with its mark; any other one is for the reader. */
function opened(bytes) {
  const mark = (bytes[0] << 8) | bytes[1];
  if (mark === 0xfffe) return new TextDecoder("utf-16le").decode(bytes);
  return mark === 0xfeff ? new TextDecoder("utf-16be").decode(bytes) : bytes;
}

export class Files {
  #page;

  /**
   * @param {object} page
   * @param {() => object} page.game the present game
   * @param {() => object} page.node the present position
   * @param {(text: string | Uint8Array, file?: string) => void} page.load takes a text, perhaps that of a file
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
    const { tell } = this.#page;
    if (file.size > LARGEST) {
      tell(`${file.name} is larger than ${LARGEST >> 20} MB.`);
      return;
    }
    this.take(new Uint8Array(await file.arrayBuffer()), file.name);
  }

  /** Loads the content of a file. */
  take(bytes, name) {
    const { load, tell } = this.#page;
    if (bytes.every((byte) => byte <= 32)) tell(`${name} is empty.`);
    else load(opened(bytes), name);
  }
}
