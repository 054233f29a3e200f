// A web server for one folder on this machine.
// Usage: node serve.mjs FOLDER [PORT] [--plain]; --plain leaves out the headers that allow threads.

import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".tsv": "text/tab-separated-values; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};
/** The compressed forms that build.mjs leaves beside a file, the smaller one first. */
const ENCODINGS = [["br", ".br"], ["gzip", ".gz"]];

/** Whether a name tells the content, so that the file under it never changes. */
const isFixed = (file) => /\.[0-9a-f]{12}\.wasm$/.test(file);

function isFile(file) {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // No file can have such a name, which may be too long or hold a zero byte.
    return false;
  }
}

/** Serves a folder and returns the server, once it listens. */
export function serve(folder, { port = 0, isPlain = false } = {}) {
  const server = createServer((request, response) => {
    let path;
    try {
      path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    } catch {
      response.writeHead(400).end("This is not the address of a file.");
      return;
    }
    let file = join(resolve(folder), normalize(path));
    if (path.endsWith("/")) file = join(file, "index.html");
    if (!isFile(file)) {
      response.writeHead(404).end("There is no such file.");
      return;
    }
    const accepted = (request.headers["accept-encoding"] ?? "").split(/\s*,\s*/);
    const [encoding, ending] = ENCODINGS.find(([name, ending]) => accepted.includes(name) && isFile(file + ending)) ?? [];
    const bytes = readFileSync(file + (ending ?? ""));
    const tag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}"`;
    const headers = {
      ETag: tag,
      Vary: "Accept-Encoding",
      "Cache-Control": isFixed(file) ? "public, max-age=31536000, immutable" : "no-cache",
      ...(isPlain ? {} : { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" }),
    };
    if (request.headers["if-none-match"] === tag) {
      response.writeHead(304, headers).end();
      return;
    }
    response.writeHead(200, {
      ...headers,
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Content-Length": bytes.length,
      ...(encoding && { "Content-Encoding": encoding }),
    });
    response.end(request.method === "HEAD" ? undefined : bytes);
  });
  return new Promise((done) => server.listen(port, "127.0.0.1", () => done(server)));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder = "target/web", port = "8000"] = process.argv.slice(2).filter((word) => !word.startsWith("--"));
  const server = await serve(folder, { port: Number(port), isPlain: process.argv.includes("--plain") });
  console.log(`http://localhost:${server.address().port}/ shows ${folder}; Ctrl-C ends it.`);
}
