// A Web Worker that runs one thread of the engine, or all of it where there is only one.

import { Exit, imports } from "./wasi.js";

const encoder = new TextEncoder();

/** Joins what is printed into lines and sends them to the page. */
function printer(kind) {
  const decoder = new TextDecoder();
  let rest = "";
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop();
    if (lines.length > 0) postMessage({ [kind]: lines });
  };
}

/** Returns a reader of the page's ring of bytes (see program.js), which waits for input. */
function ring({ state, bytes }) {
  const [WRITTEN, READ] = [0, 1];
  return (most) => {
    const read = Atomics.load(state, READ);
    let written = Atomics.load(state, WRITTEN);
    while (written === read) {
      Atomics.wait(state, WRITTEN, written);
      written = Atomics.load(state, WRITTEN);
    }
    const start = read % bytes.length;
    const count = Math.min(written - read, most, bytes.length - start);
    const part = bytes.slice(start, start + count);
    Atomics.store(state, READ, read + count);
    return part;
  };
}

/** Returns a reader of a text, after which the input ends. */
function script(text) {
  let left = encoder.encode(text);
  return (most) => {
    const part = left.slice(0, most);
    left = left.slice(part.length);
    return part;
  };
}

/** Returns a function that asks the page for a thread, whose number is the next one. */
function spawner({ state }) {
  const THREADS = 2;
  return (start) => {
    const number = Atomics.add(state, THREADS, 1) + 1;
    postMessage({ spawn: { number, start } });
    return number;
  };
}

onmessage = async ({ data: { module, memory, input, text, thread, args = [] } }) => {
  let own = memory;
  const print = printer("output");
  const complain = printer("errors");
  const functions = imports(module, {
    memory: () => own,
    args: ["rejoinder", ...args],
    read: text === undefined ? ring(input) : script(text),
    write: (bytes, isError) => (isError ? complain : print)(bytes),
    spawn: input && spawner(input),
  });
  let code = 0;
  try {
    const instance = await WebAssembly.instantiate(module, { ...functions, ...(memory && { env: { memory } }) });
    own ??= instance.exports.memory;
    if (thread) instance.exports.wasi_thread_start(thread.number, thread.start);
    else instance.exports._start();
  } catch (error) {
    if (!(error instanceof Exit)) {
      postMessage({ failure: String(error) });
      return;
    }
    code = error.code;
  }
  postMessage({ ended: { code, isThread: thread !== undefined } });
  if (thread) close();
};
