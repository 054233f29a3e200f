// The service worker, seen from the page: it makes the page cross-origin isolated, which several
// threads need, and lets it work offline.

const TRIED = "rejoinder.isolation";

const register = () => navigator.serviceWorker.register(new URL("./sw.js", import.meta.url), { updateViaCache: "none" });

/**
 * Installs the service worker and loads the page again, once, if that may help to isolate it.
 *
 * @returns {Promise<boolean>} whether the page is about to be loaded again
 */
export async function isolate() {
  if (globalThis.crossOriginIsolated || !globalThis.isSecureContext || !navigator.serviceWorker) return false;
  try {
    if (sessionStorage.getItem(TRIED)) return false;
    sessionStorage.setItem(TRIED, "yes");
    const registration = await register();
    const worker = registration.active ?? registration.waiting ?? registration.installing;
    await new Promise((resolve, reject) => {
      const look = () => {
        if (worker.state === "activated") resolve();
        if (worker.state === "redundant") reject(new Error("the service worker cannot be installed"));
      };
      worker.addEventListener("statechange", look);
      look();
    });
    location.reload();
    return true;
  } catch {
    // Then there is one thread.
    return false;
  }
}

/**
 * Lets the page work offline from now on.
 *
 * @param {(load: () => void) => void} renewed is told when there is a newer page, and gets a
 *   function that loads it
 */
export async function workOffline(renewed) {
  if (!globalThis.isSecureContext || !navigator.serviceWorker) return;
  try {
    const registration = await register();
    const look = () => {
      const { waiting } = registration;
      if (!waiting || !navigator.serviceWorker.controller) return;
      renewed(() => {
        navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
        waiting.postMessage("take over");
      });
    };
    registration.addEventListener("updatefound", () => {
      registration.installing?.addEventListener("statechange", look);
    });
    look();
  } catch {
    // Then the page needs its server.
  }
}
