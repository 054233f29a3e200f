// Builds the page: the program, and the files beside it, in one folder that any web server can serve.
// Usage: node build.mjs FOLDER

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const folder = resolve(process.argv[2] ?? join(root, "target/web"));

// Keep the sizes as in page/program.js.
const LINKER = ["--initial-memory=33554432", "--max-memory=1073741824", "-zstack-size=8388608"];
const FLAGS = ["-C", "target-feature=+simd128", ...LINKER.flatMap((flag) => ["-C", `link-arg=${flag}`])];

/** Builds a package for a target and returns the path of its program. */
function program(name, file, target) {
  const result = spawnSync(
    "cargo",
    ["build", "--release", "--locked", "--package", name, "--target", target, "--target-dir", join(root, "target/web-build")],
    { cwd: root, stdio: "inherit", env: { ...process.env, RUSTFLAGS: FLAGS.join(" "), CARGO_PROFILE_RELEASE_STRIP: "true" } },
  );
  if (result.status !== 0) process.exit(1);
  return join(root, "target/web-build", target, "release", file);
}

/** A short hash of bytes or a text. */
const hash = (content) => createHash("sha256").update(content).digest("hex").slice(0, 12);

/** Copies a program under a name that tells its content, and returns that name and its size. */
function engine(path, name) {
  const bytes = readFileSync(path);
  const file = `${name}.${hash(bytes)}.wasm`;
  writeFileSync(join(folder, file), bytes);
  return { name: file, bytes: bytes.length };
}

/** The files of the folder, as addresses relative to it. */
const all = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)).replaceAll("\\", "/"))
    .sort();

const [threads, single] = ["wasm32-wasip1-threads", "wasm32-wasip1"].map((target) => program("rejoinder-web", "rejoinder-web.wasm", target));
const collected = spawnSync("python3", [join(here, "collect.py"), folder], { stdio: "inherit" });
if (collected.status !== 0) process.exit(1);

const engines = { threads: engine(threads, "rejoinder-threads"), single: engine(single, "rejoinder-single") };
writeFileSync(join(folder, "engines.js"), `// The program of the page: its files and their sizes in bytes.\nexport const ENGINES = ${JSON.stringify(engines)};\n`);

// The service worker stores everything except itself and the engine, which the page stores.
const stored = all().filter((file) => !/^rejoinder-.*\.wasm$|^sw\.js$/.test(file));
const version = hash(stored.map((file) => hash(readFileSync(join(folder, file)))).join());
const worker = readFileSync(join(folder, "sw.js"), "utf8")
  .replace('const VERSION = "";', `const VERSION = ${JSON.stringify(version)};`)
  .replace("const FILES = [];", `const FILES = ${JSON.stringify(["./", ...stored])};`);
if (!worker.includes(version) || !worker.includes("main.js")) throw new Error("sw.js has no place for the version and the files");
writeFileSync(join(folder, "sw.js"), worker);

// Servers can send these instead.
const total = { plain: 0, gzip: 0, brotli: 0 };
for (const file of all()) {
  if (/\.png$/.test(file)) continue;
  const bytes = readFileSync(join(folder, file));
  const isEngine = /^rejoinder-.*\.wasm$/.test(file);
  const gzip = gzipSync(bytes, { level: 9 });
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: isEngine ? 9 : 11, [constants.BROTLI_PARAM_LGWIN]: 24 } });
  writeFileSync(join(folder, `${file}.gz`), gzip);
  writeFileSync(join(folder, `${file}.br`), brotli);
  const sizes = { plain: bytes.length, gzip: gzip.length, brotli: brotli.length };
  if (isEngine) console.log(`${file}: ${describe(sizes)}`);
  else for (const name of Object.keys(total)) total[name] += sizes[name];
}
console.log(`everything else: ${describe(total)}`);
console.log(`The page is in ${folder}`);

function describe({ plain, gzip, brotli }) {
  const megabytes = (count) => `${(count / 1e6).toFixed(2)} MB`;
  return `${megabytes(plain)}, ${megabytes(gzip)} with gzip, ${megabytes(brotli)} with brotli`;
}
