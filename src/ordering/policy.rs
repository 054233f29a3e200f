//! The policy network: a small network that scores quiet moves by how likely each is the best move
//! of its node. Its inputs are the pieces on their squares, the attacked pieces of the side to move
//! and the last move. A move is scored by the moving piece, its from square and its to square.
//!
//! It is evaluated when the quiet moves of a node are scored. The TT move or a capture makes most
//! nodes fail high before that, so nothing is updated incrementally: the hidden layer is computed
//! anew from about 35 rows of 64 numbers.
// Source: Kocsis, Uiterwijk, Postma, van den Herik, "The Neural MoveMap heuristic in chess",
// Computers and Games 2002: the idea to order moves by a network.

use std::sync::LazyLock;

use super::Context;
use super::small_net::{Row, Shape, SmallNet};
use crate::board::{Board, CheckInfo, Threats};
use crate::types::{Color, Move, Piece, PieceType, Played, Square};

/// Number of hidden units.
pub const HIDDEN: usize = 64;

/// Number of combinations of one of six piece types with one of 64 squares.
const PLACES: usize = PieceType::COUNT * Square::COUNT;
/// Number of degrees of danger: a square is not attacked, attacked, or attacked by a less valuable
/// piece.
const DANGERS: usize = 3;

/// Shape of the network.
///
/// The inputs are four groups of places: own pieces, pieces of the opponent, own pieces that are
/// attacked, and the piece that the opponent moved last on its new square. The outputs are, for
/// each degree of danger, the places to which a piece moves, then the same for the places that it
/// leaves, then one output for each piece type that gives check.
pub const SHAPE: Shape = Shape {
    inputs: 4 * PLACES,
    outputs: 2 * DANGERS * PLACES + PieceType::COUNT,
};
/// The most outputs whose sum scores one move.
pub const OUTPUTS_A_MOVE: usize = 3;

static NETWORK: LazyLock<SmallNet<HIDDEN>> = LazyLock::new(|| {
    SmallNet::read(include_bytes!("../../networks/policy.rjm"), SHAPE)
        .expect("the embedded policy network is valid")
});

/// A node from the network's point of view: turned for Black, and mirrored so that the own king
/// stands on one of the files e to h.
#[derive(Clone, Copy, Debug)]
pub struct View {
    us: Color,
    /// The square indices are combined with this number by exclusive or.
    flip: usize,
    threats: Threats,
    checks: CheckInfo,
}

impl View {
    /// Creates the view of the side to move.
    #[inline(always)]
    pub fn new(board: &Board, threats: Threats, checks: CheckInfo) -> Self {
        let us = board.side_to_move();
        let king = board.king(us);
        let turn = king.index() ^ king.relative(us).index();
        let flip = turn ^ if king.file() < 4 { 7 } else { 0 };
        Self {
            us,
            flip,
            threats,
            checks,
        }
    }

    #[inline(always)]
    fn place(&self, kind: PieceType, square: Square) -> usize {
        kind.index() * Square::COUNT + (square.index() ^ self.flip)
    }

    /// Calls `each` with every active input. `last` is the move before the node.
    #[inline(always)]
    pub fn inputs(&self, board: &Board, last: Played, mut each: impl FnMut(u16)) {
        for square in board.occupied() {
            if let Some(piece) = board.piece_on(square) {
                let theirs = usize::from(piece.color() != self.us);
                each((theirs * PLACES + self.place(piece.kind(), square)) as u16);
            }
        }
        for square in board.color(self.us) & self.threats.all {
            if let Some(piece) = board.piece_on(square) {
                each((2 * PLACES + self.place(piece.kind(), square)) as u16);
            }
        }
        if !last.is_none() {
            each((3 * PLACES + self.place(last.piece.kind(), last.mv.to())) as u16);
        }
    }

    #[inline(always)]
    fn danger(&self, kind: PieceType, square: Square) -> usize {
        let by_lesser = self.threats.by_lesser[kind.index()].has(square);
        usize::from(by_lesser) + usize::from(self.threats.all.has(square))
    }

    /// Returns the index of the output for a piece that leaves a square.
    #[inline(always)]
    pub fn from(&self, kind: PieceType, square: Square) -> usize {
        (DANGERS + self.danger(kind, square)) * PLACES + self.place(kind, square)
    }

    /// Returns the index of the output for a piece that moves to a square.
    #[inline(always)]
    pub fn to(&self, kind: PieceType, square: Square) -> usize {
        self.danger(kind, square) * PLACES + self.place(kind, square)
    }

    /// Returns the index of the output for a check; `None` if a piece of this type gives no check
    /// from the square.
    #[inline(always)]
    pub fn check(&self, kind: PieceType, square: Square) -> Option<usize> {
        let checks = self.checks.squares(kind).has(square);
        checks.then_some(2 * DANGERS * PLACES + kind.index())
    }
}

/// The most inputs that are active at once: 32 pieces, of which 16 may be attacked, and a move.
const MAX_INPUTS: usize = 49;

/// The policy network's evaluation of one node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PolicyNode {
    view: View,
    hidden: Row<HIDDEN>,
    /// The from square of the move scored last, and its output.
    from: (Square, i32),
}

impl PolicyNode {
    /// Computes the hidden layer for a node.
    #[inline(never)]
    pub fn new(ctx: &Context) -> Self {
        let view = View::new(ctx.board, ctx.threats, ctx.checks);
        let mut inputs = [0; MAX_INPUTS];
        let mut count = 0;
        view.inputs(ctx.board, ctx.prior[0], |input| {
            inputs[count] = input;
            count += 1;
        });
        let hidden = NETWORK.hidden(&inputs[..count]);
        let king = ctx.board.king(view.us);
        let from = NETWORK.output(&hidden, view.from(PieceType::King, king));
        Self {
            view,
            hidden,
            from: (king, from),
        }
    }

    /// Returns the logit of a piece's quiet move, in units of 1 / [`ONE`](super::small_net::ONE)².
    #[inline(always)]
    pub fn logit(&mut self, piece: Piece, mv: Move) -> i32 {
        let (kind, to) = (piece.kind(), mv.to());
        if self.from.0 != mv.from() {
            let from = self.view.from(kind, mv.from());
            self.from = (mv.from(), NETWORK.output(&self.hidden, from));
        }
        let to_square = NETWORK.output(&self.hidden, self.view.to(kind, to));
        // The sums of a trained network are far from an overflow.
        let mut sum = self.from.1.wrapping_add(to_square);
        if let Some(check) = self.view.check(kind, to) {
            sum = sum.wrapping_add(NETWORK.output(&self.hidden, check));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::PRIOR;

    const POSITIONS: [[&str; 2]; 3] = [
        // Each pair is a position and the same position with the colors swapped.
        [
            "r3k2r/pp1n1ppp/2p1pn2/q2p4/1bPP4/2N1PN2/PPQ1BPPP/R3K2R w KQkq - 4 9",
            "r3k2r/ppq1bppp/2n1pn2/1Bpp4/Q2P4/2P1PN2/PP1N1PPP/R3K2R b KQkq - 4 9",
        ],
        [
            "8/5pk1/6p1/3Q4/7P/2q3P1/5PK1/8 w - - 0 40",
            "8/5pk1/2Q3p1/7p/3q4/6P1/5PK1/8 b - - 0 40",
        ],
        [
            "1k6/8/2n5/8/3r4/8/3R4/2K5 w - - 0 60",
            "2k5/3r4/8/3R4/8/2N5/8/1K6 b - - 0 60",
        ],
    ];

    fn sorted_logits(fen: &str) -> Vec<i32> {
        let board = Board::from_fen(fen).expect("a valid FEN");
        let ctx = Context::new(&board, 0, [Played::NONE; PRIOR]);
        let mut policy = PolicyNode::new(&ctx);
        let moves = board.quiets();
        let mut logits: Vec<i32> = moves
            .iter()
            .map(|&mv| policy.logit(board.describe(mv).piece, mv))
            .collect();
        logits.sort_unstable();
        logits
    }

    #[test]
    fn colors_make_no_difference() {
        for [white, black] in POSITIONS {
            let logits = sorted_logits(white);
            assert_eq!(logits, sorted_logits(black), "{white}");
            assert!(logits.iter().any(|&logit| logit != logits[0]), "{white}");
        }
    }

    #[test]
    fn the_boards_sides_make_no_difference() {
        let logits = sorted_logits("4k3/8/8/8/3n4/8/1P6/R5K1 w - - 0 1");
        assert_eq!(logits, sorted_logits("3k4/8/8/8/4n3/8/6P1/1K5R w - - 0 1"));
    }

    #[test]
    fn the_order_in_which_moves_are_asked_about_makes_no_difference() {
        for fen in POSITIONS.as_flattened() {
            let board = Board::from_fen(fen).expect("a valid FEN");
            let ctx = Context::new(&board, 0, [Played::NONE; PRIOR]);
            let mut policy = PolicyNode::new(&ctx);
            let quiets = board.quiets();
            let logits = |policy: &mut PolicyNode, mv| policy.logit(board.describe(mv).piece, mv);
            let forth: Vec<_> = quiets.iter().map(|&mv| logits(&mut policy, mv)).collect();
            let back = quiets.iter().rev().map(|&mv| logits(&mut policy, mv));
            assert!(back.eq(forth.iter().rev().copied()), "{fen}");
        }
    }
}
