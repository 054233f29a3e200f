// Builds the page: the engine, and the files beside it, in one folder that any web server can serve.
// Usage: node build.mjs FOLDER

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const folder = resolve(process.argv[2] ?? join(root, "target/web"));

// Keep the sizes as in page/program.js.
const LINKER = ["--initial-memory=33554432", "--max-memory=1073741824", "-zstack-size=8388608"];
const FLAGS = ["-C", "target-feature=+simd128", ...LINKER.flatMap((flag) => ["-C", `link-arg=${flag}`])];

/** Builds the engine for a target and returns the path of the program. */
function engine(target) {
  const result = spawnSync(
    "cargo",
    ["build", "--release", "--locked", "--bin", "rejoinder", "--target", target, "--target-dir", join(root, "target/web-build")],
    { cwd: root, stdio: "inherit", env: { ...process.env, RUSTFLAGS: FLAGS.join(" "), CARGO_PROFILE_RELEASE_STRIP: "true" } },
  );
  if (result.status !== 0) process.exit(1);
  return join(root, "target/web-build", target, "release/rejoinder.wasm");
}

/** Copies the scripts of a library, without maps and types. */
function library(from, name) {
  const to = join(folder, "libraries", name);
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(from)) {
    if (!/(?<!\.min)\.m?js$/.test(file)) continue;
    const text = readFileSync(join(from, file), "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, "");
    writeFileSync(join(to, file), text);
  }
}

const threads = engine("wasm32-wasip1-threads");
const single = engine("wasm32-wasip1");

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
cpSync(join(here, "page"), folder, { recursive: true });
cpSync(threads, join(folder, "rejoinder-threads.wasm"));
cpSync(single, join(folder, "rejoinder-single.wasm"));
const modules = join(here, "node_modules");
library(join(modules, "@lichess-org/chessground/dist"), "chessground");
library(join(modules, "chessops/dist/esm"), "chessops");
library(join(modules, "@badrap/result/dist/mjs"), "result");
for (const style of ["base", "cburnett"]) {
  cpSync(join(modules, `@lichess-org/chessground/assets/chessground.${style}.css`), join(folder, `libraries/chessground/${style}.css`));
}
cpSync(join(root, "LICENSE"), join(folder, "LICENSE.txt"));
for (const name of ["@lichess-org/chessground", "chessops", "@badrap/result"]) {
  const file = readdirSync(join(modules, name)).find((file) => /^licen[cs]e/i.test(file));
  if (file) cpSync(join(modules, name, file), join(folder, "libraries", name.split("/").pop(), "LICENSE.txt"));
}

for (const file of ["rejoinder-threads.wasm", "rejoinder-single.wasm"]) {
  const bytes = readFileSync(join(folder, file));
  const megabytes = (count) => (count / 1e6).toFixed(2);
  console.log(`${file}: ${megabytes(bytes.length)} MB, ${megabytes(gzipSync(bytes, { level: 9 }).length)} MB with gzip`);
}
console.log(`The page is in ${folder}`);
