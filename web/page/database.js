// The browser's database: what is too much for its other storage.

const VERSION = 1;
/** The stores: games of the library in lines, whole, and as exercises, by their ids; and exercises that
 * were asked, by their keys. */
const STORES = { rows: "id", games: "id", cards: "id", answers: "key" };

const asked = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let opened;

/** The database; without one, whatever is asked fails. */
function database() {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("rejoinder", VERSION);
    request.onupgradeneeded = () => Object.entries(STORES).forEach(([name, keyPath]) => request.result.createObjectStore(name, { keyPath }));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

const read = async (name, ask) => asked(ask((await database()).transaction(name).objectStore(name)));

/** Returns what a store holds under a key; undefined if that is nothing. */
export const get = (name, key) => read(name, (store) => store.get(key));

/** Returns all that a store holds. */
export const all = (name) => read(name, (store) => store.getAll());

/**
 * Changes stores, all or nothing.
 *
 * @param {Record<string, object[]>} put what to keep, by the names of the stores
 * @param {Record<string, string[]>} remove the keys of what to forget
 */
export async function change(put, remove = {}) {
  const names = [...new Set([...Object.keys(put), ...Object.keys(remove)])];
  const transaction = (await database()).transaction(names, "readwrite");
  for (const [name, values] of Object.entries(put)) for (const value of values) transaction.objectStore(name).put(value);
  for (const [name, keys] of Object.entries(remove)) for (const key of keys) transaction.objectStore(name).delete(key);
  await new Promise((resolve, reject) => {
    transaction.oncomplete = resolve;
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}
