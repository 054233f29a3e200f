//! What a line wins for the side that begins it, and which pieces are taken in it.

use rejoinder::board::Board;
use rejoinder::types::{Color, Move, PieceType, Square};

use super::material::{balance, captures_to_rest};

/// Plies of a line that are believed at most: its end is searched little.
const BELIEVED: usize = 8;
/// Plies that a line must have if it begins quietly: a shorter one is of a search that has seen little of
/// what the other side can do.
const SHORTEST: usize = 5;

/// A line of play, with the captures that bring it to rest.
pub struct Story {
    /// The position before each move, and the last one.
    pub boards: Vec<Board>,
    pub moves: Vec<Move>,
    /// Number of moves that the engine has found; captures follow.
    pub found: usize,
    /// The pieces of the other side that are taken, in order.
    pub taken: Vec<Taken>,
    /// Points that the side that begins wins, from a given balance on.
    pub gain: i32,
}

/// A piece that is taken.
pub struct Taken {
    /// Number of moves before the capture.
    pub ply: usize,
    pub kind: PieceType,
    /// Where it stands before the line begins.
    pub origin: Square,
}

impl Story {
    /// Follows a line, and counts its gain from a balance of the side that begins. The line must show
    /// it after so many plies and at every later one; the story ends where it is the least. `None` if
    /// a position does not come to rest, or the line is too short to tell.
    pub fn of(start: &Board, line: &[Move], from: i32, plies: usize) -> Option<Self> {
        let is_quiet = line.first().is_none_or(|mv| mv.is_quiet());
        if is_quiet && line.len() < SHORTEST {
            return None;
        }
        let line = &line[..line.len().min(BELIEVED)];
        let first = plies.min(line.len());
        let stories = (first..=line.len()).map(|end| Self::ending(start, &line[..end], from));
        let stories = stories.collect::<Option<Vec<_>>>()?;
        stories.into_iter().min_by_key(|story| story.gain)
    }

    fn ending(start: &Board, line: &[Move], from: i32) -> Option<Self> {
        let us = start.side_to_move();
        let mut story = Self {
            boards: vec![*start],
            moves: Vec::new(),
            found: line.len(),
            taken: Vec::new(),
            gain: 0,
        };
        let mut origins: Vec<Square> = Square::all().collect();
        for &mv in line {
            story.make(mv, us, &mut origins);
        }
        for mv in captures_to_rest(story.last())? {
            story.make(mv, us, &mut origins);
        }
        story.gain = balance(story.last(), us) - from;
        Some(story)
    }

    fn make(&mut self, mv: Move, us: Color, origins: &mut [Square]) {
        let mut board = *self.last();
        let is_ours = board.side_to_move() == us;
        if is_ours && let Some(kind) = board.captured(mv) {
            let at = if mv.is_en_passant() {
                Square::at(mv.to().file(), mv.from().rank())
            } else {
                mv.to()
            };
            self.taken.push(Taken {
                ply: self.moves.len(),
                kind,
                origin: origins[at.index()],
            });
        }
        let origin = origins[mv.from().index()];
        // A king that castles, and its rook, are hardly taken in the same line.
        board.make(mv);
        if !mv.is_castle() {
            origins[mv.to().index()] = origin;
        }
        self.moves.push(mv);
        self.boards.push(board);
    }

    pub fn last(&self) -> &Board {
        self.boards.last().expect("the position at the start")
    }

    /// The side that begins.
    pub fn us(&self) -> Color {
        self.boards[0].side_to_move()
    }
}
