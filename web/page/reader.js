// Reads PGN, by the reader of `rejoinder-study` as a small program of its own (web/reader/).

const address = new URL("./reader.wasm", import.meta.url);
const program = await WebAssembly.compile(await (await fetch(address)).arrayBuffer());
/** What the program may ask the system for, which refuses everything. */
const system = { wasi_snapshot_preview1: new Proxy({}, { get: () => () => 52 }) };

async function start() {
  const { exports } = await WebAssembly.instantiate(program, system);
  exports._initialize?.();
  return exports;
}

let reader = await start();

/** Memory in bytes that the program may keep; it never gives any back. */
const MOST_KEPT = 64 << 20;

/** Hands a text to the program. */
function put(text) {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const { memory, input } = reader;
  const place = input(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
}

/** What the program has written. */
const written = (length) => JSON.parse(new TextDecoder().decode(new Uint8Array(reader.memory.buffer, reader.output(), length)));

/**
 * Reads the games of a text.
 *
 * @param {string | Uint8Array} text
 * @returns {object[]} the games as web/reader/ describes them
 */
export function gamesOf(text) {
  put(text);
  const games = [];
  for (let length = reader.next(); length > 0; length = reader.next()) games.push(written(length));
  if (reader.memory.buffer.byteLength > MOST_KEPT) start().then((fresh) => (reader = fresh));
  return games;
}

/** Reads the exercises of a file, as web/reader/ describes them. */
export function cardsOf(text) {
  put(text);
  return written(reader.cards());
}

/**
 * Returns an exercise with one more answer; undefined if its line cannot be read.
 *
 * @param {string} line that of the exercise
 * @param {number} grade 1 (not at first) to 4
 * @param {number} now seconds since 1970
 */
export function answered(line, grade, now) {
  put(line);
  const length = reader.answer(grade, now);
  return length > 0 ? written(length) : undefined;
}

/** Returns a text that the reader gets as bytes: UTF-8, or else Windows-1252. */
export function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
