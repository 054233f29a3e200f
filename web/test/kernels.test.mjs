// Compiles and runs kernels.rs, which compares the kernels.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { Exit, imports } from "../page/wasi.js";

test("the kernels for WebAssembly compute the same integers", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rejoinder-kernels-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = join(folder, "kernels.wasm");
  const source = fileURLToPath(new URL("kernels.rs", import.meta.url));
  const flags = ["--edition", "2024", "-O", "--target", "wasm32-wasip1", "-C", "target-feature=+simd128"];
  const compiled = spawnSync("rustc", [...flags, source, "-o", program], { encoding: "utf8" });
  assert.equal(compiled.status, 0, compiled.stderr);
  const module = await WebAssembly.compile(readFileSync(program));
  let output = "";
  let instance;
  const functions = imports(module, {
    memory: () => instance.exports.memory,
    args: ["kernels"],
    read: () => new Uint8Array(),
    write: (bytes) => (output += new TextDecoder().decode(bytes)),
  });
  instance = await WebAssembly.instantiate(module, functions);
  try {
    instance.exports._start();
  } catch (error) {
    assert.ok(error instanceof Exit && error.code === 0, `${error} ${output}`);
  }
  assert.equal(output, "the kernels are equal\n");
});
