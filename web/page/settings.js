// The settings that the browser remembers.

import { machine } from "./machine.js";

const LEAST_HASH = 16;
/** The sizes of the hash in MB: each twice the one before. */
export const HASH_SIZES = Array.from({ length: Math.floor(Math.log2(machine.largestHash / LEAST_HASH)) + 1 }, (_, i) => LEAST_HASH << i);

/** Number of threads that this machine has, as far as they are used. */
export const { cores } = machine;

export const settings = {
  multipv: 3,
  threads: Math.max(1, cores - 1),
  hash: 64,
  arrows: true,
  /** Nodes a move in a review. */
  effort: 100000,
  /**
   * The last game against the engine: the rating of the engine, 0 for full strength, the color, and the
   * time control, empty without a clock.
   */
  elo: 1500,
  color: "white",
  control: "",
};

/** Reads what the browser keeps under a name; undefined if there is nothing. */
export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(`rejoinder.${name}`) ?? "null") ?? undefined;
  } catch {
    // There is no storage, or somebody else wrote there.
    return undefined;
  }
}

/** Lets the browser keep a value under a name, and returns whether it does. */
export function remember(name, value) {
  try {
    localStorage.setItem(`rejoinder.${name}`, JSON.stringify(value));
    return true;
  } catch {
    // There is no storage, or it is full: the value is forgotten with the page.
    return false;
  }
}

/** Lets the browser forget what it keeps under a name. */
export function forget(name) {
  try {
    localStorage.removeItem(`rejoinder.${name}`);
  } catch {
    // There is no storage.
  }
}

/** The names with a beginning under which the browser keeps something. */
export function names(beginning) {
  const before = "rejoinder.";
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(before + beginning)).map((key) => key.slice(before.length));
  } catch {
    return [];
  }
}

Object.assign(settings, recall("settings"));
settings.threads = Math.min(settings.threads, cores);

/** Keeps the settings as they are now. */
export const keepSettings = () => remember("settings", settings);
