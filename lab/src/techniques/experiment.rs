//! An experiment and its variants, and the forms that most of them have.

use rejoinder::ordering::hook::{Hook, no_hook};
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::{Move, Piece, Played};

/// A technique of move ordering, and the variants by which it is measured.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Name in words joined by hyphens.
    pub name: &'static str,
    /// Description in one or two sentences.
    pub what: &'static str,
    /// Sources, separated by semicolons; an address begins with `https`.
    pub source: &'static str,
    /// True if the default has the technique. Its variants then leave it out or change it;
    /// otherwise they add it.
    pub in_default: bool,
    /// The variants that are measured against the default.
    pub variants: &'static [Variant],
}

/// One change of the default.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Name of the variant; empty if the experiment has only one.
    pub name: &'static str,
    /// Parameters of `params.rs` that differ from the default, with their values.
    pub params: &'static [(&'static str, i32)],
    /// The hook that is plugged into the engine.
    pub hook: fn() -> Hook,
}

impl Variant {
    /// Creates a variant with a hook and the default parameters.
    pub(super) const fn new(name: &'static str, hook: fn() -> Hook) -> Self {
        Self {
            name,
            params: &[],
            hook,
        }
    }

    /// Creates a variant that only changes parameters.
    pub(super) const fn of_params(
        name: &'static str,
        params: &'static [(&'static str, i32)],
    ) -> Self {
        Self {
            name,
            params,
            hook: no_hook,
        }
    }
}

/// A quiet move at its node.
pub struct Quiet<'a> {
    pub p: &'a Params,
    pub histories: &'a Histories,
    pub ctx: &'a Context<'a>,
    pub piece: Piece,
    pub mv: Move,
}

#[derive(Debug)]
struct QuietPoints(fn(&Quiet) -> i32);

impl OrderingHook for QuietPoints {
    fn quiet_points(
        &self,
        p: &Params,
        histories: &Histories,
        ctx: &Context,
        piece: Piece,
        mv: Move,
    ) -> i32 {
        self.0(&Quiet {
            p,
            histories,
            ctx,
            piece,
            mv,
        })
    }
}

/// Creates a hook that adds these points to quiet moves and learns nothing.
pub fn quiets(points: fn(&Quiet) -> i32) -> Hook {
    Box::new(QuietPoints(points))
}

#[derive(Debug)]
struct CapturePoints(fn(&Params, &Context, Played) -> i32);

impl OrderingHook for CapturePoints {
    fn capture_points(&self, p: &Params, ctx: &Context, capture: Played) -> i32 {
        self.0(p, ctx, capture)
    }
}

/// Creates a hook that adds these points to captures and promotions.
pub fn captures(points: fn(&Params, &Context, Played) -> i32) -> Hook {
    Box::new(CapturePoints(points))
}

#[derive(Debug)]
struct GoodCaptures(fn(&Params, &Context, Move) -> Option<bool>);

impl OrderingHook for GoodCaptures {
    fn is_good_capture(&self, p: &Params, ctx: &Context, capture: Move) -> Option<bool> {
        self.0(p, ctx, capture)
    }
}

/// Creates a hook that decides which captures are tried before the quiet moves; `None` leaves the
/// decision to SEE.
pub fn good_captures(is_good: fn(&Params, &Context, Move) -> Option<bool>) -> Hook {
    Box::new(GoodCaptures(is_good))
}
