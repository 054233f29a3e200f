//! The board as rows of text, and how the game has ended on it.

use anstyle::{Ansi256Color, Style};

use rejoinder::board::{FIFTY_MOVES, Game};
use rejoinder::types::{Color, Piece, PieceType, Square};

use super::row::{Canvas, PLAIN, QUIET, Row};

/// The size of a square in columns and rows, odd so that a piece stands in its middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    columns: usize,
    rows: usize,
}

impl Size {
    pub const SMALL: Self = Self {
        columns: 3,
        rows: 1,
    };
    pub const LARGE: Self = Self {
        columns: 7,
        rows: 3,
    };

    /// Returns the columns of the whole board with the numbers of its ranks.
    pub const fn width(self) -> usize {
        2 + 8 * self.columns
    }

    /// Returns the rows of the whole board with the letters of its files.
    pub const fn height(self) -> usize {
        8 * self.rows + 1
    }

    /// Returns the rank, counted from the top, of a row; `None` for that of the letters.
    pub const fn rank(self, row: usize) -> Option<usize> {
        let rank = row / self.rows;
        if rank < 8 { Some(rank) } else { None }
    }
}

pub(super) const fn ansi(code: u8) -> anstyle::Color {
    anstyle::Color::Ansi256(Ansi256Color(code))
}

/// The backgrounds of dark and light squares and of the squares of the last move. White and black
/// letters can be read on all of them.
const SQUARES: [anstyle::Color; 3] = [ansi(60), ansi(67), ansi(136)];
/// The pieces of White and of Black.
const LETTERS: [anstyle::Color; 2] = [ansi(231), ansi(16)];

/// Returns the rows of the board.
pub(super) fn rows(game: &Game, flipped: bool, canvas: Canvas, size: Size) -> Vec<Row> {
    let order = |i: u8| if flipped { i } else { 7 - i };
    let last = (game.ply() > 0).then(|| game.played(1).mv);
    let mut rows = Vec::new();
    for rank in (0..8).map(order) {
        for part in 0..size.rows {
            let is_middle = part == size.rows / 2;
            let mut row = Row::default();
            let number = (rank + 1).to_string();
            let number = if is_middle { number.as_str() } else { " " };
            row.push(format!("{number} "), QUIET);
            for file in (0..8).map(|i| 7 - order(i)) {
                let square = Square::at(file, rank);
                let touched = last.is_some_and(|mv| [mv.from(), mv.to()].contains(&square));
                let piece = game.board().piece_on(square);
                let (mut sign, style) = cell(piece, square, touched, canvas);
                if !is_middle {
                    sign.clear();
                }
                row.push(format!("{sign:^width$}", width = size.columns), style);
            }
            rows.push(row);
        }
    }
    let mut row = Row::default();
    row.push("  ", QUIET);
    for file in (0..8).map(|i| 7 - order(i)) {
        let letter = char::from(b'a' + file);
        row.push(format!("{letter:^width$}", width = size.columns), QUIET);
    }
    rows.push(row);
    rows
}

/// Returns the sign of a square and its style: without colors, a dot is an empty square, and the
/// piece that has just moved stands in brackets.
fn cell(piece: Option<Piece>, square: Square, touched: bool, canvas: Canvas) -> (String, Style) {
    let sign = piece.map(|piece| sign(piece, canvas));
    if !canvas.color {
        return match sign {
            Some(sign) if touched => (format!("[{sign}]"), PLAIN),
            _ => (sign.unwrap_or('.').to_string(), PLAIN),
        };
    }
    let is_light = (square.file() + square.rank()) % 2;
    let background = SQUARES[if touched { 2 } else { is_light as usize }];
    let ink = piece.map(|piece| LETTERS[piece.color().index()]);
    let style = Style::new().bold().bg_color(Some(background)).fg_color(ink);
    (sign.unwrap_or(' ').to_string(), style)
}

/// Returns the letter or the figurine of a piece. With colors, all figurines are those that are
/// filled, because the color tells the sides apart.
fn sign(piece: Piece, canvas: Canvas) -> char {
    if !canvas.figurines {
        return piece.letter();
    }
    let index = match piece.kind() {
        PieceType::King => 0,
        PieceType::Queen => 1,
        PieceType::Rook => 2,
        PieceType::Bishop => 3,
        PieceType::Knight => 4,
        PieceType::Pawn => 5,
    };
    let is_outline = piece.color() == Color::White && !canvas.color;
    let set = if is_outline {
        "♔♕♖♗♘♙"
    } else {
        "♚♛♜♝♞♟"
    };
    set.chars().nth(index).unwrap_or_default()
}

/// How the rules or the position end the game.
pub(super) enum Ending {
    Mate(Color),
    Stalemate,
    Draw(&'static str),
}

/// Returns how the game has ended on the board, if it has.
pub(super) fn ending(game: &Game) -> Option<Ending> {
    let board = game.board();
    if board.legal_moves().is_empty() {
        return Some(if board.in_check() {
            Ending::Mate(!board.side_to_move())
        } else {
            Ending::Stalemate
        });
    }
    game.outcome().map(|_| {
        Ending::Draw(if board.insufficient_material() {
            "insufficient material"
        } else if board.halfmove_clock() >= FIFTY_MOVES {
            "fifty moves"
        } else {
            "third repetition"
        })
    })
}

pub(super) const fn name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

impl Ending {
    /// Returns how the game has ended in words.
    pub fn text(&self) -> String {
        match self {
            Self::Mate(winner) => format!("Checkmate: {} wins", name(*winner)),
            Self::Stalemate => "Stalemate: a draw".to_owned(),
            Self::Draw(rule) => format!("Draw: {rule}"),
        }
    }
}
