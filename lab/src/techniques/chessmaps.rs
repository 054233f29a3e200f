//! Chessmaps: a small network estimates the importance of each square from the squares that each
//! side controls and the places of the kings. The points of a quiet move are the sum over the
//! squares that it newly influences.
//!
//! The paper divides the board into sectors. Here each square is a sector of its own, except that
//! the kings are located by sectors of two by two squares.
// Source: Greer, Ojha, Bell, "A pattern-oriented approach to move ordering: the Chessmaps
// heuristic", ICCA Journal 22(1), 1999; Greer, "Computer chess move-ordering schemes using move
// influence", Artificial Intelligence 120, 2000.

use std::cell::Cell;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::experiment::{Experiment, Variant};
use rejoinder::board::{
    Board, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use rejoinder::ordering::small_net::{self, Shape, SmallNet};
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Bitboard, CastlingSide, Color, Move, Piece, PieceType, Square};

/// Number of sectors of two by two squares.
const SECTORS: usize = Square::COUNT / 4;
/// The inputs are the squares that we control, the squares that they control, the sector of our
/// king and that of theirs; each square has an output.
pub const SHAPE: Shape = Shape {
    inputs: 2 * Square::COUNT + 2 * SECTORS,
    outputs: Square::COUNT,
};
/// Size of the hidden layer.
pub const HIDDEN: usize = 32;
/// Weight of an attacker of each kind in the control of a square; the least valuable piece has the
/// largest weight.
const ATTACKERS: [i8; PieceType::COUNT] = [6, 3, 3, 2, 1, 1];

static NETWORK: LazyLock<SmallNet<HIDDEN>> = LazyLock::new(|| {
    SmallNet::read(include_bytes!("../../networks/chessmaps.rjm"), SHAPE)
        .expect("the embedded file is valid")
});

pub const ENTRY: Experiment = Experiment {
    name: "chessmaps",
    what: "The points of a quiet move are the importance of the squares that it newly influences. \
           A small network, trained on games of the engine, estimates the importance from the \
           control of the board.",
    source: "https://www.chessprogramming.org/Chessmaps_Heuristic",
    in_default: false,
    variants: &[
        Variant::new("2000", || Box::new(Chessmaps::new(2000))),
        Variant::new("500", || Box::new(Chessmaps::new(500))),
    ],
};

/// Returns the active inputs of a position; the board is turned for Black.
pub fn inputs(board: &Board) -> ArrayVec<u16, 66> {
    let us = board.side_to_move();
    let mut control = [0_i8; Square::COUNT];
    for from in board.occupied() {
        let Some(piece) = board.piece_on(from) else {
            continue;
        };
        let own = piece.color() == us;
        let counts = ATTACKERS[piece.kind().index()] * if own { 1 } else { -1 };
        for to in attacks(piece, from, board.occupied()) {
            control[to.relative(us).index()] += counts;
        }
    }
    let mut inputs = ArrayVec::new();
    for (square, control) in (0..).zip(control) {
        match control {
            1.. => inputs.push(square),
            0 => {}
            _ => inputs.push(Square::COUNT as u16 + square),
        }
    }
    for side in [us, !us] {
        let king = board.king(side).relative(us);
        let sector = usize::from(king.rank() / 2 * 4 + king.file() / 2);
        let first = 2 * Square::COUNT + usize::from(side != us) * SECTORS;
        inputs.push((first + sector) as u16);
    }
    inputs
}

/// Returns the squares that a piece influences only after its quiet move, and its target square;
/// turned for Black.
pub fn influence(board: &Board, piece: Piece, mv: Move) -> Bitboard {
    let occupied = board.occupied();
    let (from, to) = (mv.from(), mv.to());
    let lifted = Bitboard(occupied.0 & !from.bitboard().0);
    let new = if mv.is_castle() {
        let side = if to.file() > from.file() {
            CastlingSide::King
        } else {
            CastlingSide::Queen
        };
        let rook = Piece::new(piece.color(), PieceType::Rook);
        let [king_to, rook_to] =
            [side.king_file(), side.rook_file()].map(|file| Square::at(file, from.rank()));
        let both = king_to.bitboard() | rook_to.bitboard();
        let after = Bitboard(lifted.0 & !to.bitboard().0) | both;
        let reached = attacks(piece, king_to, after) | attacks(rook, rook_to, after);
        reached & !(attacks(piece, from, occupied) | attacks(rook, to, occupied)) | both
    } else {
        let after = lifted | to.bitboard();
        attacks(piece, to, after) & !attacks(piece, from, occupied) | to.bitboard()
    };
    match piece.color() {
        Color::White => new,
        Color::Black => Bitboard(new.0.swap_bytes()),
    }
}

fn attacks(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    match piece.kind() {
        PieceType::Pawn => pawn_attacks(piece.color(), from),
        PieceType::Knight => knight_attacks(from),
        PieceType::Bishop => bishop_attacks(from, occupied),
        PieceType::Rook => rook_attacks(from, occupied),
        PieceType::Queen => queen_attacks(from, occupied),
        PieceType::King => king_attacks(from),
    }
}

#[derive(Debug)]
struct Chessmaps {
    /// Points for one unit of the logarithm of the odds.
    weight: i32,
    /// Key of the last position.
    key: Cell<Option<u64>>,
    /// Importance of each square in that position.
    importance: [Cell<i32>; Square::COUNT],
}

impl Chessmaps {
    fn new(weight: i32) -> Self {
        Self {
            weight,
            key: Cell::new(None),
            importance: std::array::from_fn(|_| Cell::new(0)),
        }
    }

    fn look_at(&self, board: &Board) {
        if self.key.replace(Some(board.key())) != Some(board.key()) {
            for (cell, important) in self.importance.iter().zip(importance(board)) {
                cell.set(important);
            }
        }
    }
}

/// Returns the importance of each square.
fn importance(board: &Board) -> [i32; Square::COUNT] {
    let hidden = NETWORK.hidden(&inputs(board));
    std::array::from_fn(|square| NETWORK.output(&hidden, square))
}

impl OrderingHook for Chessmaps {
    fn quiet_points(
        &self,
        _: &Params,
        _: &Histories,
        ctx: &Context,
        piece: Piece,
        mv: Move,
    ) -> i32 {
        // The network was not trained on evasions.
        if ctx.board.in_check() {
            return 0;
        }
        self.look_at(ctx.board);
        let squares = influence(ctx.board, piece, mv).into_iter();
        let sum: i32 = squares
            .map(|square| self.importance[square.index()].get())
            .sum();
        small_net::points(sum, self.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::techniques::mirrored;

    #[test]
    fn both_colors_are_treated_alike() {
        mirrored::assert_alike(&Chessmaps::new(1000));
    }

    fn set(names: &str) -> Bitboard {
        let squares = names
            .split(' ')
            .map(|name| Square::parse(name).expect("a square"));
        squares.fold(Bitboard::EMPTY, |all, square| all | square.bitboard())
    }

    #[test]
    fn influence_is_what_a_move_adds() {
        let fen = "4k3/8/8/8/8/8/P3P3/R3K1N1 w Q - 0 1";
        let board = Board::from_fen(fen).expect("a position");
        let of = |name: &str| {
            let mut moves = board.quiets().into_iter();
            let mv = moves
                .find(|mv| format!("{mv:?}") == name)
                .expect("a quiet move");
            influence(&board, board.describe(mv).piece, mv)
        };
        assert_eq!(of("g1f3"), set("f3 e1 g1 d2 d4 e5 g5 h4 h2"));
        assert_eq!(of("e2e3"), set("e3 d4 f4"));
        // Along its line a rook gains only the squares that it did not attack before.
        assert_eq!(of("a1c1"), set("c1 a1 c2 c3 c4 c5 c6 c7 c8"));
        assert_eq!(of("e1a1"), set("c1 d1 b2 c2 g1 d3 d4 d5 d6 d7 d8"));
    }

    #[test]
    fn control_goes_to_the_least_valuable_attacker() {
        let board = Board::from_fen("4k3/8/8/2p5/8/8/3Q4/3RK3 w - - 0 1").expect("a position");
        let inputs = inputs(&board);
        let square = |name| Square::parse(name).expect("a square").index() as u16;
        // On d4 a pawn outweighs a queen, and on d6 the queen is the only attacker.
        assert!(inputs.contains(&(64 + square("d4"))) && !inputs.contains(&square("d4")));
        assert!(inputs.contains(&square("d6")));
        assert_eq!(inputs[inputs.len() - 2..], [128 + 2, 144 + 14]);
    }
}
