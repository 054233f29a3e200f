// Positions and moves in words, for people who hear the page.

import { makeSquare } from "chessops/util";

const ROLES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const ORDER = ["king", "queen", "rook", "bishop", "knight", "pawn"];

/** Says a move in SAN: “knight takes f3, check”. */
export function sayMove(san) {
  const end = san.endsWith("#") ? ", mate" : san.endsWith("+") ? ", check" : "";
  const plain = san.replace(/[+#]$/, "");
  if (plain === "O-O") return `castles kingside${end}`;
  if (plain === "O-O-O") return `castles queenside${end}`;
  const [move, promotion] = plain.split("=");
  const role = /^[KQRBN]/.test(move) ? `${ROLES[move[0].toLowerCase()]} ` : "";
  const rest = (role ? move.slice(1) : move).replace("x", " takes ").replace(/([a-h])([a-h][1-8])$/, "$1 $2");
  return `${role}${rest.trim()}${promotion ? ` becomes a ${ROLES[promotion.toLowerCase()]}` : ""}${end}`;
}

/** Says what stands on a square: “white knight”, “empty”. */
export function sayPiece(piece) {
  return piece ? `${piece.color} ${piece.role}` : "empty";
}

/** Says where all pieces of a position are and whose turn it is. */
export function sayPosition(position) {
  const side = (color) => {
    const parts = ORDER.flatMap((role) => {
      const squares = [...position.board.pieces(color, role)].map(makeSquare);
      if (squares.length === 0) return [];
      return `${role}${squares.length > 1 ? "s" : ""} ${squares.join(", ")}`;
    });
    return `${color === "white" ? "White" : "Black"}: ${parts.join("; ")}.`;
  };
  const check = position.isCheck() ? ", in check" : "";
  return `${side("white")} ${side("black")} ${position.turn === "white" ? "White" : "Black"} to move${check}.`;
}
