//! An evaluation taken apart for people: what each man is worth where it stands, and what each bucket would say.

use std::fmt::Write as _;

use crate::board::Board;
use crate::types::{Color, Piece, PieceType, Score, Square};

use super::features::{self, index, is_mirrored};
use super::kernels::Kernel;
use super::network::{Block, Network};
use super::win_rate;

/// The board with the value of each man, the buckets, and the evaluation, from White's view in pawns.
///
/// A man's value is what the evaluation loses when it is taken off the board and nothing else changes.
pub fn explain(network: &Network, kernel: Kernel, board: &Board) -> String {
    let hidden = Color::ALL.map(|side| hidden(network, kernel, board, side));
    let men = board.occupied().count();
    let here = features::bucket(men);
    let material = win_rate::material(board);
    let pawns = |score: Score| {
        let centipawns = network.win_rate().centipawns(score, material);
        f64::from(centipawns) / 100.0
    };
    let of_white = |hidden: &[Vec<Block>; 2], bucket| {
        let us = board.side_to_move();
        let sides = [us, !us].map(|side| hidden[side.index()].as_slice());
        let score = network.score(bucket, kernel.output(sides, network.output_weights(bucket)));
        match us {
            Color::White => score,
            Color::Black => -score,
        }
    };
    let whole = of_white(&hidden, here);
    let value = |man: Piece, square: Square| {
        let mut hidden = hidden.clone();
        for side in Color::ALL {
            let input = index(side, is_mirrored(board.king(side)), man, square);
            kernel.remove(&mut hidden[side.index()], network.feature(input));
        }
        pawns(whole - of_white(&hidden, here))
    };

    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut letters = format!("{} ", rank + 1);
        let mut values = String::from("  ");
        for square in (0..8).map(|file| Square::at(file, rank)) {
            let man = board.piece_on(square);
            let _ = write!(letters, "{:^7}", man.map_or('.', Piece::letter));
            let _ = match man.filter(|man| man.kind() != PieceType::King) {
                Some(man) => write!(values, "{:^+7.2}", value(man, square)),
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
    for bucket in 0..features::BUCKETS {
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
        "White's view | {:+.2} pawns, {whole:+} inside",
        pawns(whole)
    );
    let _ = write!(
        text,
        "Chances      | White wins {win}, draw {draw}, Black wins {loss} of 1000"
    );
    text
}

/// A side's sums for a board, from nothing.
fn hidden(network: &Network, kernel: Kernel, board: &Board, side: Color) -> Vec<Block> {
    let mut sums = network.feature_biases().to_vec();
    let mirrored = is_mirrored(board.king(side));
    for square in board.occupied() {
        if let Some(man) = board.piece_on(square) {
            kernel.add(
                &mut sums,
                network.feature(index(side, mirrored, man, square)),
            );
        }
    }
    sums
}
