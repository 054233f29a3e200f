// Tries to make the page cross-origin isolated, which several threads need.

const TRIED = "rejoinder.isolation";

/**
 * Installs the service worker and loads the page again, once, if that may help.
 *
 * @returns {Promise<boolean>} whether the page is about to be loaded again
 */
export async function isolate() {
  if (globalThis.crossOriginIsolated || !globalThis.isSecureContext || !navigator.serviceWorker) return false;
  try {
    if (sessionStorage.getItem(TRIED)) return false;
    sessionStorage.setItem(TRIED, "yes");
    const registration = await navigator.serviceWorker.register(new URL("./sw.js", import.meta.url));
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
