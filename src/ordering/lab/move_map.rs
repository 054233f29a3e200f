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
    use crate::ordering::lab::mirrored;

    #[test]
    fn colours_make_no_difference() {
        mirrored::assert_alike(&MoveMap::new(1000));
    }

    #[test]
    fn another_node_gets_other_points() {
        let technique = MoveMap::new(1000);
        let hidden = mirrored::POSITIONS.map(|[fen, _]| {
            let board = Board::from_fen(fen).expect("a position");
            let hidden = technique.hidden(&board);
            assert_eq!(hidden, technique.hidden(&board));
            assert_eq!(hidden, NETWORK.hidden(inputs(&board)));
            hidden
        });
        assert_ne!(hidden[0], hidden[1]);
    }
}
