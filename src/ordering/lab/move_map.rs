//! Neural MoveMap: a small network sees the men on their squares and says how likely each kind of man's quiet move to
//! each square is the best. Its word counts beside the histories, by a weight.
// Source: Kocsis, Uiterwijk, Postma, van den Herik, "The Neural MoveMap heuristic in chess", Computers and Games 2002.

use std::cell::Cell;
use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::small_net::{Row, Shape, SmallNet};
use super::{Entry, Lab, Variant};
use crate::board::Board;
use crate::ordering::{Context, Stores, Technique};
use crate::params::Params;
use crate::types::{Move, Piece, PieceType, Square};

/// Own men by kind and square, then the opponent's; an output for each kind and target.
pub const SHAPE: Shape = Shape {
    inputs: 2 * PieceType::COUNT * Square::COUNT,
    outputs: PieceType::COUNT * Square::COUNT,
};

static NETWORK: LazyLock<SmallNet> = LazyLock::new(|| {
    SmallNet::read(include_bytes!("../../../networks/moves.rjm"), SHAPE)
        .expect("the embedded file has been tested")
});

/// The technique.
pub const ENTRY: Entry = Entry {
    name: "neural-move-map",
    what: "A small network, trained on own games, adds how likely a man's quiet move to a square is the best.",
    source: "Kocsis, Uiterwijk, Postma, van den Herik, The Neural MoveMap heuristic in chess, Computers and Games 2002",
    in_default: false,
    variants: &[
        Variant::new("4000", || Lab::new(MoveMap::new(4000))),
        Variant::new("1000", || Lab::new(MoveMap::new(1000))),
    ],
};

/// What the network sees of a position: the board is turned for Black.
pub fn inputs(board: &Board) -> ArrayVec<u16, 64> {
    let us = board.side_to_move();
    let input = |square: Square| {
        let man = board.piece_on(square)?;
        let kind = man.kind().index() + PieceType::COUNT * usize::from(man.color() != us);
        Some((kind * Square::COUNT + square.relative(us).index()) as u16)
    };
    board.occupied().into_iter().filter_map(input).collect()
}

/// The output that judges a man's move.
pub fn output(piece: Piece, mv: Move) -> usize {
    piece.kind().index() * Square::COUNT + mv.to().relative(piece.color()).index()
}

#[derive(Debug)]
struct MoveMap {
    /// Points for one unit of the logarithm of odds.
    weight: i32,
    /// The last node by its key, and what the hidden layer makes of it.
    node: Cell<Option<(u64, Row)>>,
}

impl MoveMap {
    const fn new(weight: i32) -> Self {
        let node = Cell::new(None);
        Self { weight, node }
    }

    fn hidden(&self, board: &Board) -> Row {
        match self.node.get() {
            Some((key, hidden)) if key == board.key() => hidden,
            _ => {
                let hidden = NETWORK.hidden(inputs(board));
                self.node.set(Some((board.key(), hidden)));
                hidden
            }
        }
    }
}

impl Technique for MoveMap {
    fn quiet_points(&self, _: &Params, _: &Stores, ctx: &Context, piece: Piece, mv: Move) -> i32 {
        // It has learnt nothing of evasions.
        if ctx.board.in_check() {
            return 0;
        }
        let output = NETWORK.output(&self.hidden(ctx.board), output(piece, mv));
        SmallNet::points(output, self.weight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::PRIOR;
    use crate::types::Played;

    /// A position and the same with the colours changed.
    const MIRRORED: [[&str; 2]; 2] = [
        [
            "r1bq1rk1/pp2ppbp/2np1np1/8/3NP3/2N1BP2/PPPQ2PP/R3KB1R w KQ - 3 9",
            "r3kb1r/pppq2pp/2n1bp2/3np3/8/2NP1NP1/PP2PPBP/R1BQ1RK1 b kq - 3 9",
        ],
        [
            "8/5pk1/4p1p1/3pP2p/1r1P1P1P/4K1P1/R7/8 w - - 0 40",
            "8/r7/4k1p1/1R1p1p1p/3Pp2P/4P1P1/5PK1/8 b - - 0 40",
        ],
    ];

    /// The points of all quiet moves, by their squares as the mover sees them.
    fn points(fen: &str) -> Vec<(usize, usize, i32)> {
        let board = Board::from_fen(fen).expect("a position");
        let ctx = Context::new(&board, 0, [Played::NONE; PRIOR]);
        let (stores, us) = (Stores::new(Lab::default()), board.side_to_move());
        let technique = MoveMap::new(1000);
        let points = |mv: Move| {
            let piece = board.describe(mv).piece;
            let points = technique.quiet_points(&Params::default(), &stores, &ctx, piece, mv);
            let [from, to] = [mv.from(), mv.to()].map(|square| square.relative(us).index());
            (from, to, points)
        };
        let mut all: Vec<_> = board.quiets().into_iter().map(points).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn colours_make_no_difference() {
        for [one, other] in MIRRORED {
            let points = points(one);
            assert_eq!(points, self::points(other));
            let (lowest, highest) = (
                points.iter().map(|p| p.2).min(),
                points.iter().map(|p| p.2).max(),
            );
            assert!(lowest < highest, "{points:?}");
        }
    }

    #[test]
    fn another_node_gets_other_points() {
        let technique = MoveMap::new(1000);
        let hidden = MIRRORED.map(|[fen, _]| {
            let board = Board::from_fen(fen).expect("a position");
            let hidden = technique.hidden(&board);
            assert_eq!(hidden, technique.hidden(&board));
            assert_eq!(hidden, NETWORK.hidden(inputs(&board)));
            hidden
        });
        assert_ne!(hidden[0], hidden[1]);
    }
}
