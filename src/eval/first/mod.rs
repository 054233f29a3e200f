//! Position to score: a first evaluation of plain, round numbers. Its job is to start the first training games.
//!
//! Every term is a middlegame and an endgame value, [tapered] by the men that are left.
//!
//! [tapered]: https://www.chessprogramming.org/Tapered_Eval

mod tables;

use std::fmt::Write as _;

use crate::board::{
    Board, bishop_attacks, king_attacks, knight_attacks, queen_attacks, rook_attacks,
};
use crate::types::{Bitboard, Color, PieceType, Score, Square, score};

use tables::{MATERIAL, PASSED_PAWN, Phased, SQUARES, phased};

/// For having two bishops.
const BISHOP_PAIR: Phased = phased(30, 50);
/// For each square a piece attacks that neither an own man holds nor an enemy pawn guards, pawn to king.
const MOBILITY: [Phased; PieceType::COUNT] = [
    Phased::ZERO,
    phased(5, 5),
    phased(5, 6),
    phased(3, 5),
    phased(2, 4),
    Phased::ZERO,
];
/// For each of those squares next to the enemy king.
const PRESSURE: Phased = phased(12, 2);
/// For a pawn without own pawns on the files beside it.
const ISOLATED: Phased = phased(-10, -10);
/// For a pawn with an own pawn right behind it on its file.
const DOUBLED: Phased = phased(-5, -20);
/// For a rook on a file without own pawns.
const OPEN_FILE: Phased = phased(20, 5);
/// For each step the enemy king is away from the square before a passed pawn.
const ENEMY_KING_AWAY: Phased = phased(0, 10);
/// For each step the own king is away from it.
const OWN_KING_AWAY: Phased = phased(0, -5);
/// The material lead, in endgame centipawns, that mates without pawns.
const MATING_LEAD: Score = 400;
/// In a mop-up: for each step the losing king is away from the centre.
const DRIVEN_OUT: Phased = phased(0, 10);
/// In a mop-up: for each step the kings are nearer than the whole board.
const KINGS_TOGETHER: Phased = phased(0, 10);
/// For having the move, whatever the phase.
const TEMPO: Score = 10;

/// The phase of a full board; 0 is a board of pawns and kings.
const FULL_PHASE: Score = 24;

/// Centipawns for the side to move, within the evaluation band.
pub fn evaluate(board: &Board) -> Score {
    let balance = balance(board);
    let score = match board.side_to_move() {
        Color::White => balance,
        Color::Black => -balance,
    };
    score::clamp_eval(score + TEMPO)
}

/// A table of the terms in centipawns, White's and Black's share, for people.
pub fn explain(board: &Board) -> String {
    let mut text = String::from("Term         | White mg    eg | Black mg    eg\n");
    for (name, term) in TERMS {
        let [white, black] = Color::ALL.map(|color| term(board, color));
        let _ = writeln!(
            text,
            "{name:<12} | {:>8} {:>5} | {:>8} {:>5}",
            white.middlegame(),
            white.endgame(),
            black.middlegame(),
            black.endgame()
        );
    }
    let _ = writeln!(text, "Phase        | {} of {FULL_PHASE}", phase(board));
    let _ = writeln!(text, "White's view | {:+}", balance(board));
    let _ = write!(text, "Side to move | {:+}, tempo included", evaluate(board));
    text
}

/// A term: what one side has, the other side's share not yet taken away.
type Term = fn(&Board, Color) -> Phased;

const TERMS: [(&str, Term); 7] = [
    ("Material", material),
    ("Squares", squares),
    ("Mobility", mobility),
    ("Pawns", pawns),
    ("Passed pawns", passed_pawns),
    ("Bishop pair", bishop_pair),
    ("Mop-up", mop_up),
];

/// All terms of one side; written out, for speed.
fn total(board: &Board, color: Color) -> Phased {
    material(board, color)
        + squares(board, color)
        + mobility(board, color)
        + pawns(board, color)
        + passed_pawns(board, color)
        + bishop_pair(board, color)
        + mop_up(board, color)
}

/// Centipawns from White's view, without the tempo.
fn balance(board: &Board) -> Score {
    let total = total(board, Color::White) - total(board, Color::Black);
    let phase = phase(board);
    (total.middlegame() * phase + total.endgame() * (FULL_PHASE - phase)) / FULL_PHASE
}

/// How much of the middlegame is left, 0..=[`FULL_PHASE`].
fn phase(board: &Board) -> Score {
    let minors = board.kind(PieceType::Knight) | board.kind(PieceType::Bishop);
    let rooks = board.kind(PieceType::Rook).count();
    let queens = board.kind(PieceType::Queen).count();
    FULL_PHASE.min((minors.count() + 2 * rooks + 4 * queens) as Score)
}

/// What the men are worth wherever they stand.
fn material(board: &Board, color: Color) -> Phased {
    PieceType::ALL.into_iter().fold(Phased::ZERO, |sum, kind| {
        sum + MATERIAL[kind.index()] * board.pieces(color, kind).count() as Score
    })
}

/// What the men gain by standing where they do.
fn squares(board: &Board, color: Color) -> Phased {
    let mut sum = Phased::ZERO;
    for kind in PieceType::ALL {
        for square in board.pieces(color, kind) {
            sum = sum + SQUARES[kind.index()][square.relative(color).index()];
        }
    }
    sum
}

/// Where the pieces can go, and how much of it is next to the enemy king.
fn mobility(board: &Board, color: Color) -> Phased {
    let occupied = board.occupied();
    let guarded = board.pieces(!color, PieceType::Pawn).pawn_attacks(!color);
    let open = !(board.color(color) | guarded);
    let around_king = king_attacks(board.king(!color));
    let mut sum = Phased::ZERO;
    for kind in [
        PieceType::Knight,
        PieceType::Bishop,
        PieceType::Rook,
        PieceType::Queen,
    ] {
        for square in board.pieces(color, kind) {
            let attacks = match kind {
                PieceType::Knight => knight_attacks(square),
                PieceType::Bishop => bishop_attacks(square, occupied),
                PieceType::Rook => rook_attacks(square, occupied),
                _ => queen_attacks(square, occupied),
            } & open;
            sum = sum
                + MOBILITY[kind.index()] * attacks.count() as Score
                + PRESSURE * (attacks & around_king).count() as Score;
        }
    }
    sum
}

/// Weak pawns, and files they leave open to the rooks.
fn pawns(board: &Board, color: Color) -> Phased {
    let pawns = board.pieces(color, PieceType::Pawn);
    let files = front_fill(pawns, Color::White) | front_fill(pawns, Color::Black);
    let beside = (files & !Bitboard::FILE_A).shift(-1) | (files & !Bitboard::FILE_H).shift(1);
    ISOLATED * (pawns & !beside).count() as Score
        + DOUBLED * (pawns & pawns.forward(color)).count() as Score
        + OPEN_FILE * (board.pieces(color, PieceType::Rook) & !files).count() as Score
}

/// Pawns that no enemy pawn can stop or take, by rank and by the kings' distances.
fn passed_pawns(board: &Board, color: Color) -> Phased {
    let guards = board.pieces(!color, PieceType::Pawn);
    let stopped = front_fill(guards.forward(!color) | guards.pawn_attacks(!color), !color);
    let mut sum = Phased::ZERO;
    for pawn in board.pieces(color, PieceType::Pawn) & !stopped {
        let stop = pawn.bitboard().forward(color).lowest();
        sum = sum
            + PASSED_PAWN[pawn.relative_rank(color) as usize]
            + ENEMY_KING_AWAY * steps(board.king(!color), stop)
            + OWN_KING_AWAY * steps(board.king(color), stop);
    }
    sum
}

fn bishop_pair(board: &Board, color: Color) -> Phased {
    if board.pieces(color, PieceType::Bishop).several() {
        BISHOP_PAIR
    } else {
        Phased::ZERO
    }
}

/// Against a side without pawns, a lead large enough to mate drives its king out and brings the kings together.
fn mop_up(board: &Board, color: Color) -> Phased {
    if board.pieces(!color, PieceType::Pawn).any() {
        return Phased::ZERO;
    }
    let lead = material(board, color) - material(board, !color);
    if lead.endgame() < MATING_LEAD {
        return Phased::ZERO;
    }
    let hunted = board.king(!color);
    DRIVEN_OUT * tables::steps_from_centre(hunted)
        + KINGS_TOGETHER * (7 - steps(board.king(color), hunted))
}

/// The set with everything before it, as this side moves.
fn front_fill(set: Bitboard, color: Color) -> Bitboard {
    match color {
        Color::White => {
            let set = set | set.shift(8);
            let set = set | set.shift(16);
            set | set.shift(32)
        }
        Color::Black => {
            let set = set | set.shift(-8);
            let set = set | set.shift(-16);
            set | set.shift(-32)
        }
    }
}

fn steps(from: Square, to: Square) -> Score {
    from.distance(to) as Score
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIONS: [&str; 2] = [
        include_str!("../../../tests/data/perft_standard.epd"),
        include_str!("../../../tests/data/perft_dfrc.epd"),
    ];

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect(fen)
    }

    /// The same position with the colours exchanged, rights and en passant left out.
    fn flipped(fen: &str) -> String {
        let mut fields = fen.split_whitespace();
        let (men, side) = (fields.next().unwrap(), fields.next().unwrap());
        let ranks: Vec<_> = men.split('/').rev().collect();
        let swap = |letter: char| {
            if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        };
        let men: String = ranks.join("/").chars().map(swap).collect();
        format!("{men} {} - - 0 1", if side == "w" { "b" } else { "w" })
    }

    #[test]
    fn colours_are_equal() {
        for line in POSITIONS.iter().flat_map(|file| file.lines()) {
            let fen = line.split(" ;").next().unwrap();
            assert_eq!(
                evaluate(&board(fen)),
                evaluate(&board(&flipped(fen))),
                "{fen}"
            );
        }
    }

    #[test]
    fn the_start_is_even() {
        assert_eq!(evaluate(&Board::startpos()), TEMPO);
    }

    #[test]
    fn the_terms_explained_are_the_terms_added() {
        for line in POSITIONS.iter().flat_map(|file| file.lines()) {
            let board = board(line.split(" ;").next().unwrap());
            for color in Color::ALL {
                let sum = TERMS
                    .iter()
                    .fold(Phased::ZERO, |sum, (_, term)| sum + term(&board, color));
                assert_eq!(sum, total(&board, color), "{line}");
            }
        }
    }

    #[test]
    fn a_passed_pawn_is_seen() {
        let passed = |fen| passed_pawns(&board(fen), Color::White) != Phased::ZERO;
        assert!(passed("4k3/8/8/8/3P4/8/8/4K3 w - - 0 1"));
        assert!(passed("4k3/8/8/2pP4/8/8/8/4K3 w - - 0 1"));
        assert!(!passed("4k3/2p5/8/3P4/8/8/8/4K3 w - - 0 1"));
        assert!(!passed("4k3/3p4/8/3P4/8/8/8/4K3 w - - 0 1"));
    }

    #[test]
    fn a_lone_king_is_driven_out() {
        let near = evaluate(&board("8/8/8/4k3/8/8/8/R3K3 w - - 0 1"));
        let far = evaluate(&board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1"));
        let far_and_close = evaluate(&board("4k3/8/4K3/8/8/8/8/R7 w - - 0 1"));
        assert!(near < far && far < far_and_close);
    }
}
