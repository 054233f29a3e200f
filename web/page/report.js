// The report: what the reviews of many games say together, as a page of its own. It is about the user's
// files, where a program serves them, else about the games that are open.

import { $ } from "./dom.js";
import { run } from "./program.js";

export class Report {
  #page;

  /**
   * @param {object} page
   * @param {() => object | undefined} page.engine
   * @param {() => object[]} page.games the games that are open
   * @param {() => boolean} page.hasFiles whether a program serves files
   * @param {(text: string) => void} page.tell says what is wrong
   */
  constructor(page) {
    this.#page = page;
    $("report").addEventListener("click", () => this.#open());
  }

  #open() {
    const { engine, games, hasFiles, tell } = this.#page;
    if (hasFiles()) {
      show(new URL("./report/", import.meta.url));
      return;
    }
    const program = engine();
    if (!program) {
      tell("The engine is still loading.");
      return;
    }
    const lines = [];
    const ended = () => show(URL.createObjectURL(new Blob([lines.join("\n")], { type: "text/html" })));
    const failed = (reason) => tell(`The report has failed: ${reason}.`);
    const text = games().map((game) => game.fullPgn).join("\n\n");
    run(program.module, ["report", "-", "--html", "-"], text, { line: (line) => lines.push(line), ended, failed }, program.hasThreads);
  }
}

/** Opens a page beside this one. */
function show(address) {
  const link = document.createElement("a");
  Object.assign(link, { href: address, target: "_blank", rel: "noopener" });
  link.click();
}
