//! What a technique of the laboratory may change: the one interface between the default order of moves and all that
//! did not earn a place in it. Without the cargo feature `lab` only [`Plain`] stands behind it, and nothing is left of it
//! in the program.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

use super::root::{self, RootMove};
use super::{Context, Stores};
use crate::params::Params;
use crate::tt::Table;
use crate::types::{Move, Piece, Played, Score};

/// What a node is expected to be.
///
/// Source: <https://www.chessprogramming.org/Node_Types>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// On a principal variation: its window has a width.
    Pv,
    /// Expected to fail high: one good move is enough.
    Cut,
    /// Expected to fail low: all moves will be searched, whatever their order.
    All,
}

impl NodeKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pv, Self::Cut, Self::All];

    /// By what the search knows of a node.
    #[inline(always)]
    pub const fn of(pv: bool, cut_node: bool) -> Self {
        match (pv, cut_node) {
            (true, _) => Self::Pv,
            (false, true) => Self::Cut,
            (false, false) => Self::All,
        }
    }
}

/// A node whose moves are about to be searched.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    /// What it is expected to be.
    pub kind: NodeKind,
    /// Plies to be searched below it.
    pub depth: i32,
    /// Its window.
    pub window: (Score, Score),
}

/// A move that was searched.
#[derive(Clone, Copy, Debug)]
pub struct Searched {
    /// The move.
    pub mv: Move,
    /// Its full depth, plies; 0 is quiescence.
    pub depth: i32,
    /// Its score, exact or a bound.
    pub score: Score,
    /// The score is the best of its node so far.
    pub best: bool,
    /// Size of its tree.
    pub nodes: u64,
}

/// What came of a node.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// The move that raised alpha or cut; [`Move::NULL`] if none did.
    pub best: Move,
    /// The score.
    pub score: Score,
    /// Whether the score reached beta.
    pub cut: bool,
    /// Plies searched below the node.
    pub depth: i32,
    /// Quiet moves searched; the best may be among them.
    pub quiets: &'a [Move],
}

/// What the stores may learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// A quiet move cut at this ply.
    Killer,
    /// A quiet move cut after this move.
    Countermove,
    /// Butterfly history.
    History,
    /// Pawn history.
    PawnHistory,
    /// Continuation history.
    Continuation,
    /// Capture history.
    CaptureHistory,
    /// Last best reply.
    Reply,
    /// The same where no move was good enough: the one that came nearest. Not learnt by default.
    FailLowReply,
    /// The same in quiescence. Not learnt by default.
    QuiescenceReply,
}

/// A deviation from the default order. Whatever a technique does not mention stays as it is.
///
/// One technique belongs to one worker, and hears of its main search alone unless another is named. Points are those of the
/// scores they are added to.
pub trait Technique: Debug {
    /// Forgets everything: a new game.
    fn clear(&mut self) {}

    /// Gets ready for the next search of the same game, `plies_played` after the last one.
    fn new_search(&mut self, _plies_played: usize) {}

    // ---- What it hears ----

    /// A node's moves are about to be searched.
    fn enter(&mut self, _ctx: &Context, _scene: Scene) {}

    /// A move of the node was searched.
    fn searched(&mut self, _ctx: &Context, _searched: Searched) {}

    /// The node is done.
    fn learn(&mut self, _ctx: &Context, _outcome: Outcome) {}

    /// Passing at this ply was refuted by this move; [`Move::NULL`] if it is not known.
    fn pass_refuted(&mut self, _ply: usize, _refutation: Move) {}

    /// Whether the stores may learn this.
    fn allows(&self, lesson: Lesson) -> bool {
        !matches!(lesson, Lesson::FailLowReply | Lesson::QuiescenceReply)
    }

    // ---- What it says of a node's moves ----

    /// How deep a node without a TT move is searched to find one, plies; `None`: not at all.
    fn deepens(&self, _kind: NodeKind, _depth: i32) -> Option<i32> {
        None
    }

    /// The move to try before any is generated; any 16 bits. `tt_move` is that of the table.
    fn first_move(&self, _ctx: &Context, tt_move: Move) -> Move {
        tt_move
    }

    /// A move whose entry in the table proves a cut, with the score it proves. Asked at non-PV nodes.
    fn transposed(&self, _table: &Table, _ctx: &Context, _scene: Scene) -> Option<(Move, Score)> {
        None
    }

    /// Whether all moves are generated and scored at once, before the first capture is tried.
    fn generates_all(&self) -> bool {
        false
    }

    /// Added to the score of a capture or promotion; asked in quiescence, too.
    fn capture_points(&self, _p: &Params, _ctx: &Context, _capture: Played) -> i32 {
        0
    }

    /// Whether a capture or promotion is tried before the quiet moves; `None`: SEE decides.
    fn is_good_capture(&self, _p: &Params, _ctx: &Context, _capture: Move) -> Option<bool> {
        None
    }

    /// The score by which a capture or promotion stands among the quiet moves, instead of before or behind all of them.
    fn among_quiets(&self, _p: &Params, _ctx: &Context, _capture: Move) -> Option<i32> {
        None
    }

    /// Added to the score of a quiet move.
    fn quiet_points(
        &self,
        _p: &Params,
        _stores: &Stores,
        _ctx: &Context,
        _piece: Piece,
        _mv: Move,
    ) -> i32 {
        0
    }

    /// How many quiet moves of a node are sorted; the others follow as they were generated.
    fn sorted(&self, _ply: usize) -> usize {
        usize::MAX
    }

    // ---- What it says of the root ----

    /// Brings the root moves behind the best lines into order, after an iteration.
    fn order_root(&mut self, _best: &[RootMove], rest: &mut [RootMove]) {
        root::by_subtree(rest);
    }

    /// Added to the score of a root move, centipawns: it changes the move that is played.
    fn root_bonus(&self, _mv: Move) -> Score {
        0
    }
}

/// The default order.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

impl Technique for Plain {}

// As the laboratory's own: whoever asks a technique needs no `use` of the trait, in either build.
impl Deref for Plain {
    type Target = dyn Technique;

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        self
    }
}

impl DerefMut for Plain {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        self
    }
}
