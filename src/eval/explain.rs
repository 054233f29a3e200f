//! Explains an evaluation to the user: the value of each piece on its square, and the score of each
//! output bucket.

use std::fmt::Write as _;

use crate::board::Board;
use crate::types::{Bitboard, Color, Piece, PieceType, Score, Square};

use super::changes::Changes;
use super::features::{self, Perspective};
use super::kernels::Kernel;
use super::mop_up;
use super::network::{Block, Network};
use super::snapshot::Snapshot;
use super::win_rate;

/// Shows the board with the value of each piece, the output buckets, and the evaluation, in pawns
/// from White's point of view.
///
/// The value of a piece is how much the evaluation changes when it is taken off the board.
pub fn explain(network: &Network, kernel: Kernel, board: &Board) -> String {
    let hidden = hidden(network, kernel, board, None);
    let here = features::output_bucket(board.occupied().count());
    let material = win_rate::material(board);
    let pawns = |score: Score| {
        let centipawns = network.win_rate().centipawns(score, material);
        f64::from(centipawns) / 100.0
    };
    let of_white = |hidden: &[Vec<Block>; 2], bucket| {
        let us = board.side_to_move();
        let sides = [us, !us].map(|side| hidden[side.index()].as_slice());
        let score = network.score(kernel.output(network.output(bucket), sides));
        match us {
            Color::White => score,
            Color::Black => -score,
        }
    };
    let whole = of_white(&hidden, here);
    let value = |square: Square| {
        let without = self::hidden(network, kernel, board, Some(square));
        pawns(whole - of_white(&without, here))
    };

    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut letters = format!("{} ", rank + 1);
        let mut values = String::from("  ");
        for square in (0..8).map(|file| Square::at(file, rank)) {
            let piece = board.piece_on(square);
            let _ = write!(letters, "{:^7}", piece.map_or('.', Piece::letter));
            let _ = match piece.filter(|piece| piece.kind() != PieceType::King) {
                Some(_) => write!(values, "{:^+7.2}", value(square)),
                None => write!(values, "{:7}", ""),
            };
        }
        let _ = writeln!(text, "{}\n{}", letters.trim_end(), values.trim_end());
    }
    let _ = writeln!(
        text,
        "     {}\n",
        ["a", "b", "c", "d", "e", "f", "g", "h"].join("      ")
    );
    for bucket in 0..features::OUTPUT_BUCKETS {
        let mark = if bucket == here {
            "  <- this board"
        } else {
            ""
        };
        let score = pawns(of_white(&hidden, bucket));
        let _ = writeln!(text, "Bucket {bucket}     | {score:+.2}{mark}");
    }
    let [win, draw, loss] = network.win_rate().chances(whole, material);
    let _ = writeln!(
        text,
        "Evaluation   | {:+.2} pawns for White ({whole:+} internal)",
        pawns(whole)
    );
    let _ = write!(
        text,
        "Chances      | White wins {win}, draw {draw}, Black wins {loss} per mille"
    );
    if mop_up::evaluate(board).is_some() {
        text.push_str("\nA lone king  | the search uses a rule here instead of the network");
    }
    text
}

/// Returns the accumulators of both sides, White's first, for a board without the piece on a square.
fn hidden(
    network: &Network,
    kernel: Kernel,
    board: &Board,
    without: Option<Square>,
) -> [Vec<Block>; 2] {
    let kept = !without.map_or(Bitboard::EMPTY, Square::bitboard);
    let snapshot = Snapshot::of_sets(
        Color::ALL.map(|color| board.color(color) & kept),
        PieceType::ALL.map(|kind| board.kind(kind) & kept),
        network.relations(),
    );
    Color::ALL.map(|side| {
        let perspective = Perspective::new(side, board.king(side), network.king_buckets());
        let changes = Changes {
            added: snapshot.features(),
            ..Changes::default()
        };
        let biases = network.feature_biases();
        let mut values = biases.to_vec();
        kernel.update(network.rows(perspective), &mut values, biases, &changes);
        values
    })
}
