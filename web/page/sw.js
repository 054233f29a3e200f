// A service worker for servers that do not send the two headers which allow shared memory: it adds
// them to everything that the page loads. It keeps no copies.

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (new URL(request.url).origin !== self.location.origin) return;
  // Such a request must not be passed on; see https://bugs.chromium.org/p/chromium/issues/detail?id=823392
  if (request.cache === "only-if-cached" && request.mode !== "same-origin") return;
  event.respondWith(
    (async () => {
      const response = await fetch(request);
      if (response.type === "opaqueredirect" || response.status === 0) return response;
      const headers = new Headers(response.headers);
      for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
      return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
    })(),
  );
});
