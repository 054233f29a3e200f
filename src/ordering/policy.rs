//! A small network of its own judges quiet moves: how likely each of them is the best of its node. It sees the pieces on
//! their squares, which of its own are attacked and what moved last, and speaks of each move by the piece and the squares it leaves and
//! goes to.
//!
//! A node asks it when its quiet moves are scored, and not before: most nodes are cut by the TT move or a capture. So there is nothing to
//! carry along the line, and its hidden layer is computed afresh: some 35 rows of 64 numbers.
// Source: Kocsis, Uiterwijk, Postma, van den Herik, "The Neural MoveMap heuristic in chess", Computers and Games 2002: the
// idea to order moves by a network.

use std::sync::LazyLock;

use super::Context;
use super::small_net::{Row, Shape, SmallNet};
use crate::board::{Board, CheckInfo, Threats};
use crate::types::{Color, Move, Piece, PieceType, Played, Square};

/// Width of the hidden layer.
pub const HIDDEN: usize = 64;

/// A piece of one of six kinds on one of 64 squares.
const PLACES: usize = PieceType::COUNT * Square::COUNT;
/// A square is not attacked, by no lesser piece, or by a lesser one.
const DANGERS: usize = 3;

/// Inputs: own pieces, the opponent's, own pieces that are attacked, and what the opponent moved last where it stands now.
/// Outputs: for each degree of danger a piece on the square that it goes to, then the same for the square that it leaves, then a check
/// by each kind of piece.
pub const SHAPE: Shape = Shape {
    inputs: 4 * PLACES,
    outputs: 2 * DANGERS * PLACES + PieceType::COUNT,
};
/// Outputs whose sum judges a move, at most.
pub const OUTPUTS_A_MOVE: usize = 3;

static NETWORK: LazyLock<SmallNet<HIDDEN>> = LazyLock::new(|| {
    SmallNet::read(include_bytes!("../../networks/policy.rjm"), SHAPE)
        .expect("the embedded file has been tested")
});

/// How the network sees one node: turned for Black, and mirrored so that the own king stands on the files e to h.
#[derive(Clone, Copy, Debug)]
pub struct View {
    us: Color,
    /// What squares are combined with by exclusive or.
    flip: usize,
    threats: Threats,
    checks: CheckInfo,
}

impl View {
    /// That of the side to move.
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

    /// Calls `each` with every input that is there. `last` is the move before.
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
        let lesser = self.threats.by_lesser(kind).has(square);
        usize::from(lesser) + usize::from(self.threats.all.has(square))
    }

    /// The output for a piece that leaves a square.
    #[inline(always)]
    pub fn from(&self, kind: PieceType, square: Square) -> usize {
        (DANGERS + self.danger(kind, square)) * PLACES + self.place(kind, square)
    }

    /// The output for a piece that goes to a square.
    #[inline(always)]
    pub fn to(&self, kind: PieceType, square: Square) -> usize {
        self.danger(kind, square) * PLACES + self.place(kind, square)
    }

    /// The output for a check, if a piece of this kind gives one from there.
    #[inline(always)]
    pub fn check(&self, kind: PieceType, square: Square) -> Option<usize> {
        let checks = self.checks.squares(kind).has(square);
        checks.then_some(2 * DANGERS * PLACES + kind.index())
    }
}

/// Inputs that are there at most: 32 pieces, 16 of which may be attacked, and a move.
const MOST: usize = 49;

/// What the network has made of a node.
#[derive(Clone, Copy, Debug)]
pub struct Judge {
    view: View,
    hidden: Row<HIDDEN>,
    /// The piece whose square to leave was judged last, and the output.
    from: (Square, i32),
}

impl Judge {
    /// Looks at a node.
    #[inline(never)]
    pub fn new(ctx: &Context) -> Self {
        let view = View::new(ctx.board, ctx.threats, ctx.checks);
        let mut inputs = [0; MOST];
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

    /// What it says of a piece's quiet move: a logarithm of odds, in parts of [`ONE`](super::small_net::ONE) * [`ONE`](super::small_net::ONE).
    #[inline(always)]
    pub fn of(&mut self, piece: Piece, mv: Move) -> i32 {
        let (kind, to) = (piece.kind(), mv.to());
        if self.from.0 != mv.from() {
            let from = self.view.from(kind, mv.from());
            self.from = (mv.from(), NETWORK.output(&self.hidden, from));
        }
        let to_square = NETWORK.output(&self.hidden, self.view.to(kind, to));
        // Of a trained network no sum comes near the limits.
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
        // A position, and the same with colours changed.
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

    fn judged(fen: &str) -> Vec<i32> {
        let board = Board::from_fen(fen).expect("a position");
        let ctx = Context::new(&board, 0, [Played::NONE; PRIOR]);
        let mut judge = Judge::new(&ctx);
        let moves = board.quiets();
        let mut odds: Vec<i32> = moves
            .iter()
            .map(|&mv| judge.of(board.describe(mv).piece, mv))
            .collect();
        odds.sort_unstable();
        odds
    }

    #[test]
    fn colours_make_no_difference() {
        for [white, black] in POSITIONS {
            let odds = judged(white);
            assert_eq!(odds, judged(black), "{white}");
            assert!(odds.iter().any(|&one| one != odds[0]), "{white}");
        }
    }

    #[test]
    fn the_boards_sides_make_no_difference() {
        let odds = judged("4k3/8/8/8/3n4/8/1P6/R5K1 w - - 0 1");
        assert_eq!(odds, judged("3k4/8/8/8/4n3/8/6P1/1K5R w - - 0 1"));
    }

    #[test]
    fn the_order_in_which_moves_are_asked_about_makes_no_difference() {
        for fen in POSITIONS.as_flattened() {
            let board = Board::from_fen(fen).expect("a position");
            let ctx = Context::new(&board, 0, [Played::NONE; PRIOR]);
            let mut one = Judge::new(&ctx);
            let quiets = board.quiets();
            let odds = |judge: &mut Judge, mv| judge.of(board.describe(mv).piece, mv);
            let forth: Vec<_> = quiets.iter().map(|&mv| odds(&mut one, mv)).collect();
            let back = quiets.iter().rev().map(|&mv| odds(&mut one, mv));
            assert!(back.eq(forth.iter().rev().copied()), "{fen}");
        }
    }
}
