// Games in the address of the page, and in files.

import { Game, InputError, read } from "./game.js";

/** From this length on, in characters, a game is compressed in the address. */
const LONG = 1500;
/** The longest address that programs pass on, in characters. */
const LONGEST = 16000;
const toText = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/**
 * Returns the part of the address that holds a game: `#fen=` for a position without moves, `#pgn=`,
 * or `#pgnz=` with the PGN compressed. It is empty for the start position, and for games that are too
 * long.
 */
export async function linkOf(game) {
  const isBare = game.root.children.length === 0;
  if (isBare && game.headers.size === 0) {
    const { fen } = game.root;
    return fen === Game.fromFen().root.fen ? "" : `#fen=${encodeURIComponent(fen).replaceAll("%20", "_").replaceAll("%2F", "/")}`;
  }
  const { pgn } = game;
  const plain = `#pgn=${encodeURIComponent(pgn.trim())}`;
  if (plain.length <= LONG || typeof CompressionStream !== "function") return plain.length <= LONGEST ? plain : "";
  const packed = `#pgnz=${toText(await through(new TextEncoder().encode(pgn), new CompressionStream("deflate-raw")))}`;
  return packed.length <= LONGEST ? packed : "";
}

/**
 * Reads the games of an address.
 *
 * @returns {Promise<{games: Game[], faults: string[]} | undefined>} undefined if there are none
 * @throws {InputError}
 */
export async function readLink(hash) {
  const [, name, value] = /^#(fen|pgn|pgnz)=(.*)$/.exec(hash) ?? [];
  if (!name) return undefined;
  let text;
  try {
    if (name === "pgnz") text = new TextDecoder().decode(await through(toBytes(value), new DecompressionStream("deflate-raw")));
    else text = decodeURIComponent(name === "fen" ? value.replaceAll("_", " ") : value.replaceAll("+", " "));
  } catch {
    throw new InputError("The address of the page holds a game that cannot be read.");
  }
  return read(text);
}

/** Offers a text as a file. */
export function download(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-chess-pgn" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A name for the file of a game. */
export function fileName(game) {
  const player = (name) => (game.headers.get(name) ?? "").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  const players = [player("White"), player("Black")].filter(Boolean);
  return `${players.length > 0 ? players.join("-vs-") : "game"}.pgn`;
}
