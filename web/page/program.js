// The engine as a program that reads and writes lines, in Web Workers.

const PAGE_BYTES = 65536;
// The linker is given the same sizes by build.mjs.
const INITIAL_BYTES = 32 << 20;
const MAXIMUM_BYTES = 1 << 30;

/** Whether this page may start threads that share memory. */
export const hasThreads = globalThis.crossOriginIsolated === true && typeof SharedArrayBuffer === "function";

function worker() {
  return new Worker(new URL("./thread.js", import.meta.url), { type: "module" });
}

/**
 * Downloads and compiles the engine for this page.
 *
 * @param {boolean} threads whether it will run in several threads
 * @returns {Promise<WebAssembly.Module>}
 */
export async function load(threads = hasThreads) {
  const address = new URL(threads ? "./rejoinder-threads.wasm" : "./rejoinder-single.wasm", import.meta.url);
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the engine cannot be downloaded: ${response.status} ${response.statusText}`);
  // Not every server knows the type of the file, which compiling while it arrives would need.
  return WebAssembly.compile(await response.arrayBuffer());
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

/** The engine with threads. Its input is a ring of bytes in shared memory. */
class Threaded {
  #module;
  #to;
  #memory = new WebAssembly.Memory({
    initial: INITIAL_BYTES / PAGE_BYTES,
    maximum: MAXIMUM_BYTES / PAGE_BYTES,
    shared: true,
  });
  // The state: bytes written, bytes read, threads started.
  #input = { state: new Int32Array(new SharedArrayBuffer(12)), bytes: new Uint8Array(new SharedArrayBuffer(1 << 18)) };
  #workers = new Set();
  #errors = [];

  constructor(module, to) {
    this.#module = module;
    this.#to = to;
    this.#run();
  }

  #run(thread) {
    const own = worker();
    this.#workers.add(own);
    own.onmessage = ({ data }) => {
      if (data.spawn) this.#run(data.spawn);
      data.output?.forEach(this.#to.line);
      if (data.errors) this.#errors.push(...data.errors);
      if (data.failure) this.#fail(data.failure);
      if (data.ended) {
        this.#workers.delete(own);
        if (!data.ended.isThread) this.#fail(`it ended with code ${data.ended.code}`);
      }
    };
    own.onerror = (event) => this.#fail(event.message ?? "a worker cannot be started");
    own.postMessage({ module: this.#module, memory: this.#memory, input: this.#input, thread });
  }

  #fail(reason) {
    if (this.#workers.size === 0) return;
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
