// What the engine asks of its system: the part of WASI (preview 1) that a program without files
// needs. https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md

const OK = 0;
const BAD_FILE = 8;
const NOT_SUPPORTED = 58;

const [INPUT, OUTPUT, ERRORS] = [0, 1, 2];
const STREAM = 6;
const REALTIME = 0;

/** Thrown through the program to end it. */
export class Exit extends Error {
  /** @param {number} code the exit code; 0 is success */
  constructor(code) {
    super(`the program ended with code ${code}`);
    this.code = code;
  }
}

/**
 * Returns the functions that a module imports.
 *
 * @param {WebAssembly.Module} module
 * @param {object} system
 * @param {() => WebAssembly.Memory} system.memory the memory of the program
 * @param {string[]} system.args its arguments, the first of which is its name
 * @param {(most: number) => Uint8Array} system.read waits for input and returns at most so many
 *   bytes of it; none at the end of the input
 * @param {(bytes: Uint8Array, isError: boolean) => void} system.write takes what it prints
 * @param {(start: number) => number} [system.spawn] starts a thread and returns its number, or a
 *   negative number
 */
export function imports(module, system) {
  const view = () => new DataView(system.memory().buffer);
  const bytes = (at, length) => new Uint8Array(system.memory().buffer, at, length);
  const encoder = new TextEncoder();
  const args = system.args.map((text) => encoder.encode(`${text}\0`));

  /** Calls `use` with each buffer of a list until it returns false. */
  const each = (list, count, use) => {
    for (let i = 0; i < count; i++) {
      const buffer = bytes(view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true));
      if (!use(buffer)) return;
    }
  };

  const wasi = {
    args_sizes_get(count, size) {
      view().setUint32(count, args.length, true);
      view().setUint32(size, args.reduce((sum, text) => sum + text.length, 0), true);
      return OK;
    },
    args_get(list, texts) {
      for (const text of args) {
        view().setUint32(list, texts, true);
        bytes(texts, text.length).set(text);
        [list, texts] = [list + 4, texts + text.length];
      }
      return OK;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return OK;
    },
    environ_get: () => OK,
    clock_res_get(_clock, result) {
      view().setBigUint64(result, 1000n, true);
      return OK;
    },
    clock_time_get(clock, _precision, result) {
      // Both clocks are the same in every worker, so threads can compare their times.
      const now = clock === REALTIME ? Date.now() : performance.timeOrigin + performance.now();
      view().setBigUint64(result, BigInt(Math.round(now * 1e3)) * 1000n, true);
      return OK;
    },
    random_get(at, length) {
      // Random bytes cannot be written to shared memory directly, and only 64 KB at a time.
      for (let done = 0; done < length; done += 65536) {
        const part = new Uint8Array(Math.min(65536, length - done));
        bytes(at + done, part.length).set(crypto.getRandomValues(part));
      }
      return OK;
    },
    sched_yield: () => OK,
    proc_exit(code) {
      throw new Exit(code);
    },
    fd_read(file, list, count, result) {
      if (file !== INPUT) return BAD_FILE;
      let total = 0;
      each(list, count, (buffer) => {
        if (buffer.length === 0) return true;
        const read = system.read(buffer.length);
        buffer.set(read);
        total += read.length;
        return false;
      });
      view().setUint32(result, total, true);
      return OK;
    },
    fd_write(file, list, count, result) {
      if (file !== OUTPUT && file !== ERRORS) return BAD_FILE;
      let total = 0;
      each(list, count, (buffer) => {
        system.write(buffer.slice(), file === ERRORS);
        total += buffer.length;
        return true;
      });
      view().setUint32(result, total, true);
      return OK;
    },
    fd_fdstat_get(file, result) {
      if (file > ERRORS) return BAD_FILE;
      bytes(result, 24).fill(0);
      view().setUint8(result, STREAM);
      view().setBigUint64(result + 8, ~0n & 0xffffffffn, true);
      return OK;
    },
    // There are no folders.
    fd_prestat_get: () => BAD_FILE,
    poll_oneoff(subscriptions, events, count, result) {
      // Only clocks are waited for: this is how a thread sleeps.
      const SIZE = 48;
      let shortest = Infinity;
      let first = subscriptions;
      for (let at = subscriptions; at < subscriptions + count * SIZE; at += SIZE) {
        if (view().getUint8(at + 8) !== 0) return NOT_SUPPORTED;
        let wait = Number(view().getBigUint64(at + 24, true)) / 1e6;
        if (view().getUint16(at + 40, true) & 1) wait -= performance.timeOrigin + performance.now();
        if (wait < shortest) [shortest, first] = [wait, at];
      }
      const end = performance.now() + shortest;
      if (typeof SharedArrayBuffer === "function") {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, shortest));
      }
      while (performance.now() < end);
      bytes(events, 32).fill(0);
      view().setBigUint64(events, view().getBigUint64(first, true), true);
      view().setUint32(result, 1, true);
      return OK;
    },
  };

  const all = { wasi_snapshot_preview1: wasi, wasi: { "thread-spawn": system.spawn } };
  // Everything else concerns files, which do not exist here.
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1" && kind === "function") wasi[name] ??= () => NOT_SUPPORTED;
  }
  return all;
}
