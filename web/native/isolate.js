// In the place of ../page/isolate.js: the program serves the page isolated, and is there whenever the
// page is.

export const isolate = async () => false;
export const workOffline = async () => {};
