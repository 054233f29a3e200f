//! A move of a line that may explain what the line wins, with the position behind it.

use rejoinder::board::{
    Board, bishop_attacks, king_attacks, knight_attacks, pawn_attacks, queen_attacks, rook_attacks,
};
use rejoinder::eval::win_rate::points;
use rejoinder::types::{Bitboard, Color, Move, Piece, PieceType, Square};

use super::story::Story;
use super::thing::{Thing, name};

/// A move of the side that wins material, and what it wins in the end.
pub struct Scene<'a> {
    pub story: &'a Story,
    pub thing: &'a Thing,
    /// Number of moves of the story before the move.
    pub ply: usize,
    pub mv: Move,
    pub us: Color,
    pub before: &'a Board,
    pub after: &'a Board,
}

/// What explains that the line wins material.
#[derive(Default)]
pub struct Shown {
    /// Words behind the move, such as ` forks king and queen`.
    pub words: String,
    /// Arrows from square to square beside that of the move.
    pub arrows: Vec<[Square; 2]>,
}

impl<'a> Scene<'a> {
    /// `None` where the story has no such move, or castling.
    pub fn new(story: &'a Story, thing: &'a Thing, ply: usize) -> Option<Self> {
        let mv = *story.moves[..story.found].get(ply)?;
        let (before, after) = (&story.boards[ply], &story.boards[ply + 1]);
        (!mv.is_castle()).then_some(Self {
            story,
            thing,
            ply,
            mv,
            us: story.us(),
            before,
            after,
        })
    }

    /// Where the piece that moved stands.
    pub fn at(&self) -> Square {
        self.mv.to()
    }

    /// The pieces of the other side, behind the move.
    pub fn theirs(&self) -> Bitboard {
        self.after.color(!self.us)
    }

    /// The squares that the piece that moved attacks.
    pub fn attacks(&self) -> Bitboard {
        attacks(self.after, self.at(), self.after.occupied())
    }

    pub fn kind_at(&self, square: Square) -> PieceType {
        let piece = self.after.piece_on(square);
        piece.map_or(PieceType::Pawn, Piece::kind)
    }

    /// Returns whether a piece that stands there behind the move is one of those that the line wins.
    pub fn is_won(&self, square: Square) -> bool {
        self.origin(square).is_some_and(|origin| {
            self.thing.origins.contains(&origin) && self.kind_at(square) == self.thing.kind
        })
    }

    /// Returns where a piece of the other side stood before the story began; `None` if it castled.
    fn origin(&self, mut square: Square) -> Option<Square> {
        for mv in self.story.moves[..self.ply].iter().skip(1).step_by(2).rev() {
            if mv.is_castle() {
                return None;
            }
            if mv.to() == square {
                square = mv.from();
            }
        }
        Some(square)
    }

    /// Returns the ply of the capture, behind the move, of a piece that stands there and is won.
    pub fn capture_of(&self, square: Square) -> Option<usize> {
        let origin = self.origin(square).filter(|_| self.is_won(square))?;
        let mut taken = self.story.taken.iter();
        let taken = taken.find(|taken| taken.origin == origin && taken.ply > self.ply);
        taken.map(|taken| taken.ply)
    }

    /// Returns whether the piece that moved, without moving again, takes a piece that stands there.
    pub fn takes(&self, square: Square) -> bool {
        let Some(ply) = self.capture_of(square) else {
            return false;
        };
        let between = self.story.moves[self.ply + 1..ply].iter();
        let stays = between
            .clone()
            .all(|mv| mv.to() != self.at() && mv.from() != self.at());
        let waits = between.into_iter().all(|mv| mv.from() != square);
        let capture = self.story.moves[ply];
        stays && waits && capture.from() == self.at() && capture.to() == square
    }

    /// Returns whether a piece at `from` would win one at `to`, which it attacks, if it took it: it is
    /// worth more or not defended.
    pub fn would_win(&self, from: Square, to: Square) -> bool {
        let kind = self.kind_at(to);
        let without = self.after.occupied() ^ from.bitboard();
        let defenders = self.after.attackers(to, without) & self.theirs() & !to.bitboard();
        kind == PieceType::King || points(kind) > points(self.kind_at(from)) || defenders.is_empty()
    }

    /// Names a piece: `it`, if the sentence has named it, else with its square.
    pub fn it(&self, square: Square) -> String {
        if self.thing.names_one && self.is_won(square) {
            "it".to_owned()
        } else {
            format!("the {} on {square}", name(self.kind_at(square)))
        }
    }
}

/// Returns the squares that the piece on a square attacks, with these squares occupied.
pub fn attacks(board: &Board, square: Square, occupied: Bitboard) -> Bitboard {
    let Some(piece) = board.piece_on(square) else {
        return Bitboard::EMPTY;
    };
    match piece.kind() {
        PieceType::Pawn => pawn_attacks(piece.color(), square),
        PieceType::Knight => knight_attacks(square),
        PieceType::Bishop => bishop_attacks(square, occupied),
        PieceType::Rook => rook_attacks(square, occupied),
        PieceType::Queen => queen_attacks(square, occupied),
        PieceType::King => king_attacks(square),
    }
}

/// Returns the first two pieces of the other side on each line of a bishop, rook or queen, the nearer one
/// first.
pub fn lined_up(board: &Board, slider: Square) -> Vec<[Square; 2]> {
    let Some(piece) = board.piece_on(slider) else {
        return Vec::new();
    };
    if matches!(
        piece.kind(),
        PieceType::Pawn | PieceType::Knight | PieceType::King
    ) {
        return Vec::new();
    }
    let theirs = board.color(!piece.color());
    let direct = attacks(board, slider, board.occupied());
    let mut pairs = Vec::new();
    for front in direct & theirs {
        let behind = attacks(board, slider, board.occupied() ^ front.bitboard());
        pairs.extend(
            (behind & !direct & theirs)
                .into_iter()
                .map(|back| [front, back]),
        );
    }
    pairs
}

/// Returns the piece to which a piece of the other side than `by` is pinned, with the one that pins it:
/// it cannot move from the line without losing its king or a more valuable piece.
pub fn pinned(board: &Board, by: Color, square: Square) -> Option<[Square; 2]> {
    let worth = |square: Square| {
        let kind = board.piece_on(square).map(Piece::kind);
        match kind {
            Some(PieceType::King) => 100,
            kind => kind.map_or(0, points),
        }
    };
    let sliders =
        board.kind(PieceType::Bishop) | board.kind(PieceType::Rook) | board.kind(PieceType::Queen);
    (sliders & board.color(by)).into_iter().find_map(|slider| {
        let pairs = lined_up(board, slider).into_iter();
        let mut pairs = pairs.filter(|[front, back]| {
            let loses = worth(*back) > worth(slider)
                || (board.attackers(*back, board.occupied()) & board.color(!by)).is_empty();
            *front == square && worth(*back) > worth(*front) && loses
        });
        pairs.next().map(|[_, back]| [slider, back])
    })
}
