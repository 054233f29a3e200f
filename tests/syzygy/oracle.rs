//! The oracle: the same tables, read only by the crate, the rules by shakmaty, and positions for
//! tests.

use std::path::Path;

use rejoinder::types::Rng;
use shakmaty::fen::Fen;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, FromSetup as _, Move, Position, Role, Square,
};
use shakmaty_syzygy::Tablebase;

/// The tables, read by the crate.
pub struct Oracle(Tablebase<Chess>);

impl Oracle {
    pub fn new(folder: &Path) -> Self {
        let mut tables = Tablebase::new();
        tables
            .add_directory(folder.join("3-4-man"))
            .expect("cannot open the tables");
        Self(tables)
    }

    /// Returns the result for the side to move.
    pub fn wdl(&self, position: &Chess) -> i32 {
        self.0
            .probe_wdl_after_zeroing(position)
            .expect("no table has the position") as i32
    }

    pub fn dtz(&self, position: &Chess) -> i32 {
        self.0
            .probe_dtz(position)
            .expect("no table has the position")
            .ignore_rounding()
            .0
    }
}

pub fn position(fen: &str) -> Chess {
    let fen: Fen = fen.parse().expect("the FEN is invalid");
    fen.into_position(CastlingMode::Chess960)
        .expect("the position is illegal")
}

pub fn is_drawn(position: &Chess, before: &[Chess]) -> bool {
    !position.is_checkmate()
        && (position.halfmoves() >= 100
            || position.is_stalemate()
            || position.is_insufficient_material()
            || before.iter().filter(|earlier| *earlier == position).count() >= 2)
}

/// Returns a random position with four pieces.
pub fn random_position(rng: &mut Rng) -> Option<Chess> {
    const KINDS: [Role; 5] = [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ];
    let mut setup = shakmaty::Setup::empty();
    setup.turn = Color::from_white(rng.chance(0.5));
    let first = KINDS[rng.below(5)].of(Color::White);
    let second = KINDS[rng.below(5)].of(Color::from_white(rng.chance(0.5)));
    for piece in [Color::White.king(), Color::Black.king(), first, second] {
        let square = Square::new(rng.below(64) as u32);
        let edge = [shakmaty::Rank::First, shakmaty::Rank::Eighth].contains(&square.rank());
        if setup.board.piece_at(square).is_some() || edge && piece.role == Role::Pawn {
            return None;
        }
        setup.board.set_piece_at(square, piece);
    }
    Chess::from_setup(setup, CastlingMode::Chess960).ok()
}

pub fn fen_of(position: &Chess, clock: i32) -> String {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    setup.halfmoves = clock as u32;
    Fen::try_from(setup)
        .expect("the FEN is invalid")
        .to_string()
}

/// Positions that the side to move wins. In every third one, the halfmove clock leaves exactly as
/// much time as the table needs.
pub fn won_positions(oracle: &Oracle, count: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut fens = Vec::new();
    while fens.len() < count {
        let Some(position) = random_position(&mut rng) else {
            continue;
        };
        if oracle.wdl(&position) != 2 {
            continue;
        }
        let way = oracle.dtz(&position);
        let is_tight = fens.len() % 3 == 2;
        if way < 10 && (is_tight || rng.chance(0.9)) {
            continue;
        }
        fens.push(fen_of(&position, if is_tight { 99 - way } else { 0 }));
    }
    fens
}

/// Drawn positions in which the side to move can go wrong.
pub fn drawn_positions(oracle: &Oracle, count: usize, seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let mut fens = Vec::new();
    while fens.len() < count {
        let Some(position) = random_position(&mut rng) else {
            continue;
        };
        let loses = |mv: &Move| {
            let mut after = position.clone();
            after.play_unchecked(*mv);
            oracle.wdl(&after) == 2
        };
        if oracle.wdl(&position) == 0 && position.legal_moves().iter().any(loses) {
            fens.push(fen_of(&position, 0));
        }
    }
    fens
}
