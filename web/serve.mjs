// A web server for one folder on this machine.
// Usage: node serve.mjs FOLDER [PORT] [--plain]; --plain leaves out the headers that allow threads.

import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/** Serves a folder and returns the server, once it listens. */
export function serve(folder, { port = 0, isPlain = false } = {}) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    let file = join(resolve(folder), normalize(path));
    if (path.endsWith("/")) file = join(file, "index.html");
    const size = statSync(file, { throwIfNoEntry: false });
    if (!size?.isFile()) {
      response.writeHead(404).end("There is no such file.");
      return;
    }
    response.writeHead(200, {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Content-Length": size.size,
      "Cache-Control": "no-cache",
      ...(isPlain ? {} : { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" }),
    });
    createReadStream(file).pipe(response);
  });
  return new Promise((done) => server.listen(port, "127.0.0.1", () => done(server)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder = "target/web", port = "8000"] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const server = await serve(folder, { port: Number(port), isPlain: process.argv.includes("--plain") });
  console.log(`http://localhost:${server.address().port}/ shows ${folder}; Ctrl-C ends it.`);
}
