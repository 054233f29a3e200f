// Lets the scripts of the page load the reader without a browser. WEB names the folder with the page.

import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = process.env.WEB ?? join(root, "target/web");

const { fetch } = globalThis;
globalThis.fetch = async (address, ...rest) => {
  const { protocol, pathname } = new URL(address);
  return protocol === "file:" ? new Response(await readFile(join(folder, pathname.split("/").at(-1)))) : fetch(address, ...rest);
};
