//! Standard Algebraic Notation: written exactly as the standard says, and read with some tolerance.
// Source: PGN standard, 8.2.3, https://www.saremba.de/chessgml/standards/pgn/pgn-complete.htm

use super::Board;
use crate::types::{Color, Move, Piece, PieceType, Square};

/// Writes a legal move in SAN, with `+` for check and `#` for mate, as in `Nbd7`, `exd8=Q+` or
/// `O-O`. The null move is `--`.
pub fn to_san(board: &Board, mv: Move) -> String {
    let Some(piece) = board.piece_on(mv.from()).filter(|_| !mv.is_null()) else {
        return "--".to_owned();
    };
    let mut text = match piece.kind() {
        _ if mv.is_castle() => castling(mv).to_owned(),
        PieceType::Pawn => pawn_move(mv),
        kind => piece_move(board, kind, mv),
    };
    let mut after = *board;
    after.make(mv);
    if after.in_check() {
        let mate = after.legal_moves().is_empty();
        text.push(if mate { '#' } else { '+' });
    }
    text
}

/// Writes a line of moves that begins at `board`: for each move its number, such as `1. ` (empty for
/// most moves of Black), and its SAN.
pub fn numbered(board: &Board, moves: &[Move]) -> Vec<(String, String)> {
    let mut after = *board;
    let word = |(ply, &mv): (usize, &Move)| {
        let number = match after.side_to_move() {
            Color::White => format!("{}. ", after.fullmove_number()),
            Color::Black if ply == 0 => format!("{}... ", after.fullmove_number()),
            Color::Black => String::new(),
        };
        let san = to_san(&after, mv);
        after.make(mv);
        (number, san)
    };
    moves.iter().enumerate().map(word).collect()
}

/// Writes a line of moves like [`numbered`], each move and its number as one text.
pub fn words(board: &Board, moves: &[Move]) -> Vec<String> {
    let moves = numbered(board, moves).into_iter();
    moves.map(|(number, san)| number + &san).collect()
}

/// Returns the legal move that the text stands for, if there is exactly one.
///
/// The signs `+`, `#`, `!` and `?`, the `x` of a capture and the `=` of a promotion are optional.
/// Castling may be written with zeros, and the origin of a piece may be given more precisely than
/// necessary.
pub fn parse(board: &Board, text: &str) -> Option<Move> {
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    let castles = ["O-O", "O-O-O"].contains(&text.replace('0', "O").as_str());
    let wanted = if castles {
        None
    } else {
        Some(Wanted::read(text)?)
    };
    let mut meant = board.legal_moves().into_iter().filter(|&mv| match &wanted {
        None => mv.is_castle() && castling(mv).len() == text.len(),
        Some(wanted) => wanted.fits(board, mv),
    });
    let only = meant.next()?;
    meant.next().is_none().then_some(only)
}

/// Writes castling. The target of the move is the rook's square.
fn castling(mv: Move) -> &'static str {
    if mv.to().file() > mv.from().file() {
        "O-O"
    } else {
        "O-O-O"
    }
}

fn pawn_move(mv: Move) -> String {
    let mut text = String::new();
    if mv.is_capture() {
        text.push(file_letter(mv.from()));
        text.push('x');
    }
    text += &mv.to().to_string();
    if let Some(piece) = mv.promotion() {
        text.push('=');
        text.push(piece.letter().to_ascii_uppercase());
    }
    text
}

fn piece_move(board: &Board, kind: PieceType, mv: Move) -> String {
    let mut text = kind.letter().to_ascii_uppercase().to_string();
    text += &origin(board, kind, mv);
    if mv.is_capture() {
        text.push('x');
    }
    text + &mv.to().to_string()
}

/// Returns the part of the origin that distinguishes a piece from others of its kind that can move
/// to the same square: the file if that suffices, else the rank, else both.
fn origin(board: &Board, kind: PieceType, mv: Move) -> String {
    let from = mv.from();
    let pieces = board.pieces(board.side_to_move(), kind);
    if !pieces.more_than_one() {
        return String::new();
    }
    let rivals: Vec<Square> = (board.legal_moves().into_iter())
        .filter(|other| other.to() == mv.to() && !other.is_castle())
        .map(Move::from)
        .filter(|&other| other != from && pieces.has(other))
        .collect();
    let same_file = rivals.iter().any(|other| other.file() == from.file());
    let same_rank = rivals.iter().any(|other| other.rank() == from.rank());
    match (same_file, same_rank) {
        _ if rivals.is_empty() => String::new(),
        (false, _) => file_letter(from).to_string(),
        (true, false) => (from.rank() + 1).to_string(),
        (true, true) => from.to_string(),
    }
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file())
}

/// The parts of a move's text, unless it is castling.
struct Wanted {
    piece: PieceType,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
    promotion: Option<PieceType>,
}

impl Wanted {
    /// Reads piece, file, rank, `x` or `-`, target, `=` and promotion. All but the target are
    /// optional.
    fn read(text: &str) -> Option<Self> {
        let mut rest = text.as_bytes();
        let piece = piece(rest.first()).filter(|_| rest[0].is_ascii_uppercase());
        if piece.is_some() {
            rest = &rest[1..];
        }
        let promotion = piece_at_end(rest);
        if promotion.is_some() {
            rest = &rest[..rest.len() - 1];
            rest = rest.strip_suffix(b"=").unwrap_or(rest);
        }
        let (mut from, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
        if let [front @ .., b'x' | b'-'] = from {
            from = front;
        }
        let (file, rank) = match *from {
            [] => (None, None),
            [file @ b'a'..=b'h'] => (Some(file - b'a'), None),
            [rank @ b'1'..=b'8'] => (None, Some(rank - b'1')),
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (Some(file - b'a'), Some(rank - b'1')),
            _ => return None,
        };
        Some(Self {
            piece: piece.unwrap_or(PieceType::Pawn),
            file,
            rank,
            to: Square::parse(str::from_utf8(to).ok()?)?,
            promotion,
        })
    }

    fn fits(&self, board: &Board, mv: Move) -> bool {
        let from = mv.from();
        let piece = board.piece_on(from).map(Piece::kind);
        // A pawn capture must name its file.
        let straight = (self.piece == PieceType::Pawn).then_some(self.to.file());
        piece == Some(self.piece)
            && mv.to() == self.to
            && mv.promotion() == self.promotion
            && !mv.is_castle()
            && self
                .file
                .or(straight)
                .is_none_or(|file| file == from.file())
            && self.rank.is_none_or(|rank| rank == from.rank())
    }
}

/// Returns the piece that a letter of either case stands for; pawns have no letter.
fn piece(letter: Option<&u8>) -> Option<PieceType> {
    let letter = char::from(letter?.to_ascii_lowercase());
    PieceType::ALL[1..]
        .iter()
        .copied()
        .find(|piece| piece.letter() == letter)
}

/// Returns the promotion letter after the target square.
fn piece_at_end(text: &[u8]) -> Option<PieceType> {
    let [.., before, last] = text else {
        return None;
    };
    piece(Some(last)).filter(|_| matches!(before, b'1'..=b'8' | b'='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("the test's FEN is invalid")
    }

    fn read(fen: &str, text: &str) -> String {
        let board = board(fen);
        parse(&board, text).map_or_else(String::new, |mv| to_san(&board, mv))
    }

    #[test]
    fn as_much_of_the_origin_as_is_needed() {
        // Queens on e4, h4 and h1 may all go to e1; a rook is pinned, so the other needs no file.
        let queens = "1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1";
        for text in ["Qee1", "Qh4e1", "Q1e1"] {
            assert_eq!(read(queens, text), text);
        }
        for text in ["Qe1", "Qhe1", "Q4e1"] {
            assert_eq!(read(queens, text), "", "{text} has two meanings");
        }
        let pinned = "4k3/4r3/8/8/4R3/8/8/R3K3 w - - 0 1";
        assert_eq!(read(pinned, "Ra4"), "Ra4");
    }

    #[test]
    fn the_same_move_may_be_written_in_many_ways() {
        let promotion = "3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1";
        for text in ["cxd8=Q+", "cxd8Q", "cd8=Q", "cd8q+!?", "c7xd8=Q#", "c7d8q"] {
            assert_eq!(read(promotion, text), "cxd8=Q+", "{text}");
        }
        assert_eq!(read(promotion, "c8=N"), "c8=N");
        let castling = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        for (text, meant) in [("0-0", "O-O"), ("O-O!", "O-O"), ("0-0-0+", "O-O-O")] {
            assert_eq!(read(castling, text), meant);
        }
        let knight = "4k3/8/8/3p4/8/2N5/8/4K3 w - - 0 1";
        for text in ["Nxd5", "Nd5", "Ncxd5", "N3d5", "Nc3xd5", "Nc3-d5"] {
            assert_eq!(read(knight, text), "Nxd5", "{text}");
        }
    }

    #[test]
    fn illegal_moves_are_refused() {
        let fen = "3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1";
        for text in [
            "", "+", "e", "c8", "d8=Q", "xd8=Q", "cxd8", "cxd8=K", "cxd8=P", "O-O", "0-0-0-0",
            "Kd2e", "Kéé", "é", "=Q", "Q", "K", "Ke9", "--", "c7c8qq", "Nf3", "ke2",
        ] {
            assert_eq!(read(fen, text), "", "{text}");
        }
    }

    #[test]
    fn check_mate_and_nothing() {
        let board = board("6k1/5ppp/8/8/8/8/8/R3R1K1 w - - 0 1");
        for text in ["Ra8#", "Re8#", "Rab1", "Kf1"] {
            let mv = parse(&board, text).expect(text);
            assert_eq!(to_san(&board, mv), text);
        }
        assert_eq!(to_san(&board, Move::NULL), "--");
    }
}
