//! Explains an evaluation to the user: the value of each piece on its square, and the score of each
//! output bucket.

use std::fmt::Write as _;

use crate::board::Board;
use crate::types::{Color, Piece, PieceType, Score, Square};

use super::features::{self, View};
use super::kernels::{Kernel, Scratch};
use super::network::{Block, Network};
use super::win_rate;

/// Shows the board with the value of each piece, the output buckets, and the evaluation, in pawns
/// from White's point of view.
///
/// The value of a piece is how much the evaluation changes when it is taken off the board.
pub fn explain(network: &Network, kernel: Kernel, board: &Board) -> String {
    let hidden = Color::ALL.map(|side| hidden(network, kernel, board, side));
    let here = features::output_bucket(board.occupied().count());
    let material = win_rate::material(board);
    let pawns = |score: Score| {
        let centipawns = network.win_rate().centipawns(score, material);
        f64::from(centipawns) / 100.0
    };
    let of_white = |hidden: &[Vec<Block>; 2], bucket| {
        let us = board.side_to_move();
        let sides = [us, !us].map(|side| hidden[side.index()].as_slice());
        let mut scratch = Scratch::new(network);
        let score = network.score(kernel.output(network.head(), bucket, sides, &mut scratch));
        match us {
            Color::White => score,
            Color::Black => -score,
        }
    };
    let whole = of_white(&hidden, here);
    let value = |piece: Piece, square: Square| {
        let mut hidden = hidden.clone();
        for side in Color::ALL {
            let input = view(network, board, side).input(piece, square);
            kernel.follow(&mut hidden[side.index()], &[], &[network.feature(input)]);
        }
        pawns(whole - of_white(&hidden, here))
    };

    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut letters = format!("{} ", rank + 1);
        let mut values = String::from("  ");
        for square in (0..8).map(|file| Square::at(file, rank)) {
            let piece = board.piece_on(square);
            let _ = write!(letters, "{:^7}", piece.map_or('.', Piece::letter));
            let _ = match piece.filter(|piece| piece.kind() != PieceType::King) {
                Some(piece) => write!(values, "{:^+7.2}", value(piece, square)),
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
    text
}

/// Returns a side's view of a board.
fn view(network: &Network, board: &Board, side: Color) -> View {
    View::new(side, board.king(side), network.king_buckets())
}

/// Returns a side's sums for a board, computed from scratch.
fn hidden(network: &Network, kernel: Kernel, board: &Board, side: Color) -> Vec<Block> {
    let mut sums = network.feature_biases().to_vec();
    let view = view(network, board, side);
    for square in board.occupied() {
        if let Some(piece) = board.piece_on(square) {
            kernel.follow(
                &mut sums,
                &[network.feature(view.input(piece, square))],
                &[],
            );
        }
    }
    sums
}
