// Tests of the web server, without a browser.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { serve } from "../serve.mjs";

test("addresses that no file can have are answered, and the server goes on", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rejoinder-serve-"));
  writeFileSync(join(folder, "index.html"), "<p>page</p>");
  const server = await serve(folder);
  t.after(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });
  const get = (path) => fetch(`http://127.0.0.1:${server.address().port}${path}`);
  for (const [path, status] of [
    ["/%00", 404],
    ["/index.html%00.png", 404],
    ["/%", 400],
    ["/%E0%A4%A", 400],
    [`/${"a".repeat(5000)}`, 404],
    ["/index.html/", 404],
    ["/..%2f..%2fetc/passwd", 404],
  ]) {
    assert.equal((await get(path)).status, status, path.slice(0, 40));
  }
  assert.equal(await (await get("/")).text(), "<p>page</p>");
});
