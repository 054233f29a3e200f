// The engine as a program that reads and writes lines, in Web Workers.

import { ENGINES } from "./engines.js";

const PAGE_BYTES = 65536;
// The linker is given the same sizes by build.mjs.
const INITIAL_BYTES = 32 << 20;
const MAXIMUM_BYTES = 1 << 30;

/** Whether this page may start threads that share memory. */
export const hasThreads = globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";

function worker() {
  return new Worker(new URL("./thread.js", import.meta.url), { type: "module" });
}

/** Where the browser keeps the engine, if the page may store anything. */
const STORE = "rejoinder-engine";

/**
 * Downloads and compiles the engine for this page. The browser keeps it, so that the next visit
 * downloads it only if it has changed; its name has a hash of its content.
 *
 * @param {boolean} threads whether it will run in several threads
 * @param {(done: number, all: number) => void} progress is told the bytes that are there
 * @returns {Promise<WebAssembly.Module>}
 */
export async function load(threads = hasThreads, progress = () => {}) {
  const { name, bytes } = ENGINES[threads ? "threads" : "single"];
  const address = new URL(`./${name}`, import.meta.url).href;
  const store = await globalThis.caches?.open(STORE).catch(() => undefined);
  const stored = await store?.match(address);
  const response = stored ?? (await fetch(address));
  if (!response.ok) throw new Error(`the engine cannot be downloaded: ${response.status} ${response.statusText}`);
  const parts = [];
  let done = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    done += part.value.length;
    progress(done, bytes);
  }
  const file = new Blob(parts, { type: "application/wasm" });
  // Not every server knows the type of the file, which compiling while it arrives would need.
  const module = await WebAssembly.compile(await file.arrayBuffer());
  if (store && !stored) keep(store, address, file);
  return module;
}

/** Stores the engine, and forgets those that this page does not use. */
async function keep(store, address, file) {
  try {
    const used = Object.values(ENGINES).map(({ name }) => new URL(`./${name}`, import.meta.url).href);
    for (const request of await store.keys()) if (!used.includes(request.url)) await store.delete(request);
    await store.put(address, new Response(file));
  } catch {
    // There is no room, so that the next visit downloads it again.
  }
}

/**
 * Starts the engine.
 *
 * @param {WebAssembly.Module} module
 * @param {object} to
 * @param {(line: string) => void} to.line takes each line that it prints
 * @param {(reason: string) => void} to.failed is told why the engine has ended unasked
 * @param {boolean} threads
 */
export function start(module, to, threads = hasThreads) {
  return threads ? new Threaded(module, to) : new Single(module, to);
}

/**
 * Runs the program once with arguments and a text as its input.
 *
 * @param {WebAssembly.Module} module
 * @param {string[]} args
 * @param {string} text
 * @param {object} to as for `start`, and
 * @param {() => void} to.ended is called when the program has ended well
 * @param {boolean} threads
 */
export function run(module, args, text, to, threads = hasThreads) {
  return new Threaded(module, to, { args, text, threads });
}

/** The engine with threads. Its input is a text or a ring of bytes in shared memory. */
class Threaded {
  #module;
  #to;
  #script;
  #memory;
  #input;
  #workers = new Set();
  #errors = [];
  #hasEnded = false;

  constructor(module, to, { args, text, threads = true } = {}) {
    this.#module = module;
    this.#to = to;
    this.#script = { args, text };
    if (threads) {
      this.#memory = new WebAssembly.Memory({ initial: INITIAL_BYTES / PAGE_BYTES, maximum: MAXIMUM_BYTES / PAGE_BYTES, shared: true });
      // The state: bytes written, bytes read, threads started.
      this.#input = { state: new Int32Array(new SharedArrayBuffer(12)), bytes: new Uint8Array(new SharedArrayBuffer(1 << 18)) };
    }
    this.#run();
  }

  #run(thread) {
    const own = worker();
    this.#workers.add(own);
    own.onmessage = ({ data }) => {
      if (this.#hasEnded) return;
      if (data.spawn) this.#run(data.spawn);
      data.output?.forEach(this.#to.line);
      if (data.errors) this.#errors.push(...data.errors);
      if (data.failure) this.#fail(data.failure);
      if (data.ended) {
        this.#workers.delete(own);
        if (data.ended.isThread) return;
        if (data.ended.code === 0 && this.#to.ended) {
          this.end();
          this.#to.ended();
        } else {
          this.#fail(`it ended with code ${data.ended.code}`);
        }
      }
    };
    own.onerror = (event) => this.#fail(event.message ?? "a worker cannot be started");
    own.postMessage({ module: this.#module, memory: this.#memory, input: this.#input, thread, ...this.#script });
  }

  #fail(reason) {
    if (this.#hasEnded) return;
    this.end();
    this.#to.failed([...this.#errors, reason].join(" "));
  }

  /** Sends a line to the engine. */
  send(line) {
    const [WRITTEN, READ] = [0, 1];
    const { state, bytes } = this.#input;
    const text = new TextEncoder().encode(`${line}\n`);
    const written = Atomics.load(state, WRITTEN);
    if (written + text.length - Atomics.load(state, READ) > bytes.length) throw new Error("the engine does not read");
    text.forEach((byte, i) => (bytes[(written + i) % bytes.length] = byte));
    Atomics.store(state, WRITTEN, written + text.length);
    Atomics.notify(state, WRITTEN);
  }

  /** Ends the engine without a word. */
  end() {
    this.#hasEnded = true;
    for (const own of this.#workers) own.terminate();
    this.#workers.clear();
  }
}

/**
 * The engine with one thread, which cannot hear anything while it searches. Each command that takes
 * time gets a program of its own, with the options and the position before it, and ends when that
 * program is ended.
 */
class Single {
  #module;
  #to;
  #options = new Map();
  #position = "position startpos";
  #waiting = [];
  #running = null;

  constructor(module, to) {
    this.#module = module;
    this.#to = to;
  }

  /** Sends a line to the engine. */
  send(line) {
    const [command] = line.split(" ", 1);
    if (command === "setoption") this.#options.set(line.split(" value ", 1)[0], line);
    else if (command === "position") this.#position = line;
    else if (command === "isready") this.#to.line("readyok");
    else if (command === "stop") this.#stop();
    else if (command !== "ucinewgame") {
      this.#waiting.push({ line, text: [...this.#options.values(), this.#position, line, ""].join("\n") });
      this.#next();
    }
  }

  #next() {
    if (this.#running || this.#waiting.length === 0) return;
    const { line, text } = this.#waiting.shift();
    const own = worker();
    const running = { worker: own, isSearch: line.startsWith("go"), best: "(none)", errors: [] };
    this.#running = running;
    own.onmessage = ({ data }) => {
      for (const line of data.output ?? []) {
        running.best = /^info .* multipv 1 .* pv (\S+)/.exec(line)?.[1] ?? running.best;
        this.#to.line(line);
      }
      if (data.errors) running.errors.push(...data.errors);
      if (data.failure) this.#fail(data.failure);
      if (data.ended) {
        this.#finish();
        if (data.ended.code !== 0) this.#to.failed(`it ended with code ${data.ended.code}`);
      }
    };
    own.onerror = (event) => this.#fail(event.message ?? "a worker cannot be started");
    own.postMessage({ module: this.#module, text });
  }

  #finish() {
    this.#running.worker.terminate();
    this.#running = null;
    this.#next();
  }

  #stop() {
    const isSearch = ({ line }) => line.startsWith("go");
    const unstarted = this.#waiting.filter(isSearch);
    this.#waiting = this.#waiting.filter((command) => !isSearch(command));
    unstarted.forEach(() => this.#to.line("bestmove (none)"));
    const running = this.#running;
    if (!running?.isSearch) return;
    running.worker.terminate();
    this.#running = null;
    this.#to.line(`bestmove ${running.best}`);
    this.#next();
  }

  #fail(reason) {
    const errors = this.#running?.errors ?? [];
    this.end();
    this.#to.failed([...errors, reason].join(" "));
  }

  /** Ends the engine without a word. */
  end() {
    this.#waiting = [];
    this.#running?.worker.terminate();
    this.#running = null;
  }
}
