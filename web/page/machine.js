// What the page knows about the machine. `rejoinder-study serve` has a script of its own in this place.

const MOST_THREADS = 32;

export const machine = {
  /** Number of threads, as far as they are used. */
  cores: Math.min(navigator.hardwareConcurrency || 1, MOST_THREADS),
  /** The largest hash in MB: the memory of a page ends at 1 GB. */
  largestHash: 512,
  /** Whether the engine is a program beside the browser, which also has files. */
  isNative: false,
};
