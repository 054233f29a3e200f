// The service worker. It keeps the files of the page, so that it works offline, and adds to all of
// them the two headers that allow shared memory, for servers that do not send them. The engine is
// kept by program.js.

// build.mjs writes the files of the page here, and a hash of all of them.
const VERSION = "";
const FILES = [];

const STORE = `rejoinder-page-${VERSION}`;
const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

const address = (file) => new URL(file, self.registration.scope).href;

self.addEventListener("install", (event) => {
  // A page that is open goes on with the files that it began with, until it asks for the new ones.
  if (!self.registration.active) self.skipWaiting();
  event.waitUntil(
    (async () => {
      const store = await caches.open(STORE);
      await store.addAll(FILES.map((file) => new Request(address(file), { cache: "no-cache" })));
    })(),
  );
});

self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());

self.addEventListener("activate", (event) => {
  event.waitUntil(
    (async () => {
      const names = await caches.keys();
      await Promise.all(names.filter((name) => name.startsWith("rejoinder-page-") && name !== STORE).map((name) => caches.delete(name)));
      await self.clients.claim();
    })(),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== self.location.origin) return;
  // Such a request must not be passed on; see https://bugs.chromium.org/p/chromium/issues/detail?id=823392
  if (request.cache === "only-if-cached" && request.mode !== "same-origin") return;
  event.respondWith(
    (async () => {
      const store = await caches.open(STORE);
      const response = (await store.match(request, { ignoreSearch: true, ignoreVary: true })) ?? (await fetch(request));
      if (response.type === "opaqueredirect" || response.status === 0 || response.status === 304) return response;
      const headers = new Headers(response.headers);
      for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
      return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
    })(),
  );
});
