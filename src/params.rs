//! The tunable parameters of the engine, each declared once with its name, default, range,
//! and the step with which it is tuned.
//!
//! In the default build [`Params`] is empty and each parameter is a constant. With the cargo
//! feature `tune` it holds the values, so that each worker may play with its own.

pub mod overrides;

/// The declaration of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunable {
    /// Name of the parameter.
    pub name: &'static str,
    /// Default value.
    pub default: i32,
    /// Least value.
    pub min: i32,
    /// Greatest value.
    pub max: i32,
    /// Change that should be worth a few Elo; SPSA begins with twice this and ends with it.
    pub step: i32,
}

impl Tunable {
    /// The usual learning rate at the end of a run of SPSA, in units of the step for each game won.
    pub const R_END: f64 = 0.002;
}

macro_rules! params {
    ($($(#[doc = $doc:literal])+ $name:ident: $default:literal, $min:literal ..= $max:literal,
        $step:literal;)*) => {
        /// The values of all parameters.
        #[cfg(not(feature = "tune"))]
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Params {}

        #[cfg(not(feature = "tune"))]
        impl Params {
            $(
                $(#[doc = $doc])+
                #[inline(always)]
                pub const fn $name(&self) -> i32 { $default }
            )*
        }

        /// The values of all parameters.
        #[cfg(feature = "tune")]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params { $($name: i32,)* }

        #[cfg(feature = "tune")]
        impl Default for Params {
            fn default() -> Self { Self { $($name: $default,)* } }
        }

        #[cfg(feature = "tune")]
        impl Params {
            $(
                $(#[doc = $doc])+
                #[inline(always)]
                pub const fn $name(&self) -> i32 { self.$name }
            )*

            /// Sets a parameter.
            ///
            /// # Errors
            /// If there is no parameter with this name, or the value is out of its range.
            pub fn set(&mut self, name: &str, value: i32) -> Result<(), String> {
                match name {
                    $(stringify!($name) => {
                        if !($min..=$max).contains(&value) {
                            return Err(format!("{name} must be from {} to {}", $min, $max));
                        }
                        self.$name = value;
                    })*
                    _ => return Err(format!("no parameter is called {name}")),
                }
                Ok(())
            }
        }

        /// All parameters, in their order in this file.
        pub const TABLE: &[Tunable] = &[$(Tunable {
            name: stringify!($name),
            default: $default,
            min: $min,
            max: $max,
            step: $step,
        },)*];

        const _: () = {
            $(assert!($min <= $default && $default <= $max && $step > 0, stringify!($name));)*
        };
    };
}

params! {
    /// A pawn counts this many centipawns in static exchange evaluation.
    see_pawn: 100, 50..=200, 10;
    /// A knight counts this many centipawns in static exchange evaluation.
    see_knight: 320, 200..=500, 30;
    /// A bishop counts this many centipawns in static exchange evaluation.
    see_bishop: 330, 200..=500, 35;
    /// A rook counts this many centipawns in static exchange evaluation.
    see_rook: 500, 350..=800, 50;
    /// A queen counts this many centipawns in static exchange evaluation.
    see_queen: 950, 700..=1500, 95;

    // Time management.

    /// Without `movestogo`, a move at the start of the game gets this share of the clock, in
    /// 1/1024.
    clock_share: 44, 10..=100, 4;
    /// Without `movestogo`, the share of the clock per move grows by this much with each move of
    /// the game, in 1/1024 of 1/1024.
    clock_share_growth: 97, 0..=1024, 50;
    /// Without `movestogo`, the share of the clock per move grows up to this move number.
    clock_share_until: 82, 1..=200, 12;
    /// With `movestogo`, the soft limit is an equal share of the remaining time multiplied by this,
    /// in 1/1024.
    clock_control_factor: 1304, 768..=2048, 130;
    /// The soft limit includes this part of the increment, in 1/1024.
    clock_increment: 818, 256..=1024, 80;
    /// The move overhead of this and later moves takes at most this part of the clock, in 1/1024.
    clock_overhead_share: 960, 128..=1016, 50;
    /// The hard limit is at most this multiple of the soft limit, in 1/1024.
    clock_hard_factor: 5270, 1024..=8192, 600;
    /// The hard limit is at most this part of the usable clock, in 1/1024.
    clock_hard_share: 528, 128..=614, 45;
    /// The hard limit of the last move before a time control is at most this part of the usable
    /// clock, in 1/1024.
    clock_last_move_share: 709, 256..=768, 70;
    /// The soft limit is at most this part of the hard limit, in 1/1024; it is less than 1024
    /// because equal limits mean a fixed time per move.
    clock_soft_cap: 869, 256..=1000, 70;
    /// The best move's share of the nodes counts each iteration by this part of the next one, in
    /// 1/1024.
    clock_share_memory: 492, 0..=1024, 200;
    /// The soft limit would be zero if the best move took this share of the nodes, in 1/1024.
    clock_node_base: 1361, 1200..=2048, 100;
    /// The soft limit depends on the best move's share of the nodes with this slope, in 1/1024.
    clock_node_slope: 1614, 512..=3072, 150;
    /// The soft limit is multiplied by this when the best move has just changed, in 1/1024.
    clock_stability_base: 1351, 1024..=2048, 120;
    /// The factor of the soft limit falls by this much with each iteration that keeps the best
    /// move, in 1/1024.
    clock_stability_step: 98, 0..=256, 16;
    /// The factor of the soft limit for a stable best move is at least this, in 1/1024.
    clock_stability_least: 859, 512..=1024, 70;
    /// The factor of the soft limit grows by this much for each centipawn that the score fell in
    /// the last four iterations, in 1/1024.
    clock_trend_slope: 8, 0..=32, 2;
    /// The factor of the soft limit grows by this much for each centipawn that the score fell since
    /// the engine's previous move, in 1/1024.
    clock_previous_slope: 7, 0..=32, 2;
    /// The factor of the soft limit grows by this much for each recent change of the best move, in
    /// 1/1024.
    clock_change: 84, 0..=1024, 45;
    /// The factor of the soft limit falls by this much with each iteration that hardly changes the
    /// score, in 1/1024.
    clock_calm_step: 30, 0..=128, 10;
    /// A rising score multiplies the soft limit by at least this, in 1/1024.
    clock_trend_least: 772, 512..=1024, 70;
    /// A falling score multiplies the soft limit by at most this, in 1/1024.
    clock_trend_most: 1570, 1024..=2560, 150;

    // Move ordering. Histories are in points, a unit of their own.

    /// Every history entry stays within plus and minus this many points.
    history_limit: 12_512, 4096..=32767, 1650;
    /// The butterfly history keeps this part of itself from search to search, in 1/1024.
    history_keep: 866, 0..=1024, 50;
    /// The bonus of a cutoff in the butterfly, pawn and low-ply histories grows by this many points
    /// per ply of depth.
    history_bonus_slope: 199, 1..=500, 19;
    /// The bonus of a cutoff in the butterfly, pawn and low-ply histories is lowered by this many
    /// points.
    history_bonus_offset: 62, 0..=500, 8;
    /// The bonus of a cutoff in the butterfly, pawn and low-ply histories is at most this many
    /// points.
    history_bonus_max: 1574, 100..=4000, 145;
    /// The malus in the butterfly, pawn and low-ply histories for quiet moves tried before a cutoff
    /// grows by this many points per ply of depth.
    history_malus_slope: 168, 1..=500, 16;
    /// The malus in the butterfly, pawn and low-ply histories for quiet moves tried before a cutoff
    /// is lowered by this many points.
    history_malus_offset: 77, 0..=500, 8;
    /// The malus in the butterfly, pawn and low-ply histories for quiet moves tried before a cutoff
    /// is at most this many points.
    history_malus_max: 1409, 100..=4000, 145;
    /// The bonus of a cutoff in the continuation histories grows by this many points per ply of
    /// depth.
    continuation_bonus_slope: 189, 1..=500, 20;
    /// The bonus of a cutoff in the continuation histories is lowered by this many points.
    continuation_bonus_offset: 72, 0..=500, 8;
    /// The bonus of a cutoff in the continuation histories is at most this many points.
    continuation_bonus_max: 1823, 100..=4000, 175;
    /// The malus in the continuation histories for quiet moves tried before a cutoff grows by this
    /// many points per ply of depth.
    continuation_malus_slope: 223, 1..=500, 20;
    /// The malus in the continuation histories for quiet moves tried before a cutoff is lowered by
    /// this many points.
    continuation_malus_offset: 36, 0..=500, 8;
    /// The malus in the continuation histories for quiet moves tried before a cutoff is at most
    /// this many points.
    continuation_malus_max: 1629, 100..=4000, 155;
    /// The bonus of a cutoff in the capture history grows by this many points per ply of depth.
    capture_bonus_slope: 56, 1..=500, 8;
    /// The bonus of a cutoff in the capture history is lowered by this many points.
    capture_bonus_offset: 90, 0..=500, 10;
    /// The bonus of a cutoff in the capture history is at most this many points.
    capture_bonus_max: 1127, 0..=4000, 120;
    /// The malus in the capture history for captures tried before a cutoff grows by this many
    /// points per ply of depth.
    capture_malus_slope: 148, 1..=500, 15;
    /// The malus in the capture history for captures tried before a cutoff is lowered by this many
    /// points.
    capture_malus_offset: 83, 0..=500, 9;
    /// The malus in the capture history for captures tried before a cutoff is at most this many
    /// points.
    capture_malus_max: 845, 0..=4000, 90;
    /// Each centipawn that a capture or promotion gains adds this many points to its ordering
    /// score.
    capture_victim_weight: 17, 1..=64, 2;
    /// Each step from pawn to king in the kind of the capturing piece takes this many points off
    /// its ordering score.
    capture_attacker_weight: 54, 0..=512, 12;
    /// A capture is still good if it loses this much by SEE for each point of its ordering score,
    /// in 1/1024 centipawns.
    good_capture_loss: 17, 0..=128, 7;
    /// A capture with an ordering score of 0 is good if it wins at least this many centipawns by
    /// SEE.
    good_capture_offset: -29, -200..=200, 30;
    /// The butterfly history enters a quiet move's ordering score with this weight, in 1/1024.
    quiet_butterfly: 941, 0..=4096, 125;
    /// The pawn history enters a quiet move's ordering score with this weight, in 1/1024.
    quiet_pawn: 825, 0..=4096, 85;
    /// The low-ply history of the root's children enters a quiet move's ordering score with half of
    /// this weight, that of their children with a third of it, and so on, in 1/1024.
    low_ply_weight: 1800, 0..=8192, 400;
    /// The continuation history of the previous move enters a quiet move's ordering score with this
    /// weight, in 1/1024.
    quiet_continuation_one: 1302, 0..=4096, 130;
    /// The continuation history two plies back enters a quiet move's ordering score with this
    /// weight, in 1/1024.
    quiet_continuation_two: 852, 0..=4096, 95;
    /// The continuation history four plies back enters a quiet move's ordering score with this
    /// weight, in 1/1024.
    quiet_continuation_four: 583, 0..=4096, 70;
    /// A quiet move from a square that a less valuable piece attacks earns this many points per
    /// centipawn of the moving piece.
    quiet_escape: 9, 0..=64, 1;
    /// A quiet move to a square that a less valuable piece attacks loses this many points per
    /// centipawn of the moving piece.
    quiet_blunder: 7, 0..=64, 1;
    /// A quiet move that gives check, and does not lose too much by SEE, earns this many points.
    quiet_check: 5639, 0..=32768, 550;
    /// A quiet check earns its points if it loses at most this many centipawns by SEE.
    quiet_check_loss: 414, 0..=2000, 200;
    /// The policy network adds this many points per unit of its logit to a quiet move's ordering
    /// score.
    policy_weight: 6071, 0..=32768, 600;
    /// The policy network orders the quiet moves of nodes with at least this remaining depth, in
    /// plies.
    policy_depth: 2, 0..=20, 1;
    /// A cutoff with a score more than this many centipawns above beta teaches the histories as if
    /// it were one ply deeper.
    bonus_margin: 36, 0..=500, 8;
    /// A quiet TT move that causes a cutoff without a search earns this part of the usual bonus, in
    /// 1/1024.
    tt_cut_bonus: 430, 0..=2048, 250;
    /// A quiet move that was tried first or second and is answered by a cutoff receives this part
    /// of the usual malus, in 1/1024.
    refuted_malus: 347, 0..=2048, 160;
    /// A quiet move whose re-search beats alpha earns this part of the usual bonus in the
    /// continuation histories, in 1/1024.
    research_bonus: 276, 0..=2048, 160;
    /// A quiet move whose re-search does not beat alpha receives this part of the usual malus in
    /// the continuation histories, in 1/1024.
    research_malus: 303, 0..=2048, 160;
    /// The malus of a quiet move is divided by 1 plus this value for each quiet move tried before
    /// it, in 1/1024.
    malus_fade: 15, 0..=512, 14;
    /// The butterfly history of the previous quiet move changes by this many points per centipawn
    /// by which that move changed the evaluation in its side's favor.
    prior_eval_slope: 5, 0..=64, 1;
    /// The butterfly history of the previous quiet move changes by at most this many points because
    /// of the evaluation.
    prior_eval_max: 1252, 0..=4000, 130;
    /// The move before a node that fails low earns a bonus from this depth of the node on, in plies.
    fail_low_depth: 3, 1..=8, 1;
    /// The quiet move before a node that fails low earns this part of the usual bonus, in 1/1024.
    prior_fail_low: 398, 0..=2048, 110;
    /// The latest killer of the ply gets this many points on top of its ordering score.
    killer_bonus: 9616, 0..=32768, 900;
    /// The second killer of the ply gets this many points on top of its ordering score.
    second_killer_bonus: 4716, 0..=32768, 550;
    /// The countermove gets this many points on top of its ordering score.
    countermove_bonus: 1183, 0..=32768, 550;
    /// The last best reply takes this form: 0 base, 1 two prior moves, 2 the move two plies ago, 3
    /// quiet replies only, 4 one store per color, 5 off.
    lbr_variant: 2, 0..=5, 1;
    /// A last best reply that is a quiet move gets this many points on top of its ordering score.
    lbr_quiet_bonus: 8752, 1..=32768, 900;
    /// A last best reply that is a capture or promotion gets this many points on top of its
    /// ordering score.
    lbr_capture_bonus: 724, 1..=32768, 550;

    // The search: margins in centipawns, depths in plies, reductions in 1/1024 ply.

    /// Every entry of a correction history stays within plus and minus this many points.
    correction_limit: 930, 256..=4096, 90;
    /// A correction history learns this many points per centipawn of error and ply of depth, in
    /// 1/1024.
    correction_rate: 175, 16..=512, 18;
    /// A full entry of the pawn correction history corrects the evaluation by this many centipawns.
    correction_pawn: 46, 0..=256, 8;
    /// A full entry of the minor-piece correction history corrects the evaluation by this many
    /// centipawns.
    correction_minor: 55, 0..=256, 8;
    /// A full entry of one side's non-pawn correction history corrects the evaluation by this many
    /// centipawns.
    correction_non_pawn: 51, 0..=256, 8;
    /// A full entry of the correction history of the two previous moves corrects the evaluation by
    /// this many centipawns.
    correction_continuation: 92, 0..=256, 12;
    /// A full entry of the correction history of the last move and the one three plies before it
    /// corrects the evaluation by this many centipawns.
    correction_continuation_four: 69, 0..=256, 16;
    /// The evaluation falls in proportion to the halfmove clock and would be zero at this many
    /// plies.
    fifty_horizon: 239, 100..=1000, 40;
    /// The network's output is multiplied by this when only the kings are left, in 1/1024.
    material_base: 998, 512..=1536, 40;
    /// The factor of the network's output grows by this much for each centipawn of material on the
    /// board, in 1/1024 of 1/1024.
    material_slope: 29, 0..=128, 11;
    /// The first aspiration window reaches at least this many centipawns to either side of its
    /// center.
    aspiration_delta: 9, 4..=60, 2;
    /// The half width of the first aspiration window grows by the square of the score divided by
    /// this, in centipawns.
    aspiration_square: 9363, 1000..=32767, 6000;
    /// The first aspiration window's center lies this part of the way from the last score to the
    /// running average of the scores, in 1/1024.
    aspiration_average: 477, 0..=1024, 200;
    /// Aspiration windows are used from this iteration on, in plies.
    aspiration_depth: 4, 2..=64, 1;
    /// The half width of the aspiration window grows by this part of itself after each fail, in
    /// 1/1024.
    aspiration_growth: 630, 128..=2048, 60;
    /// Repeated fails high at the root make the search shallower by at most this many plies.
    aspiration_fail_high: 5, 0..=6, 1;
    /// The half width of the first aspiration window grows by this many centipawns from each worker
    /// to the next, up to the eighth.
    aspiration_worker: 1, 0..=8, 1;
    /// Razoring is tried up to this depth, in plies.
    razoring_depth: 6, 0..=8, 1;
    /// The razoring margin grows by this many centipawns per ply of depth.
    razoring_margin: 350, 100..=600, 25;
    /// Reverse futility pruning is tried up to this depth, in plies.
    reverse_futility_depth: 8, 0..=16, 1;
    /// The reverse futility margin grows by this many centipawns per ply of depth.
    reverse_futility_margin: 48, 20..=200, 6;
    /// The reverse futility margin is this many centipawns smaller while the evaluation is
    /// improving.
    reverse_futility_improving: 57, 0..=200, 8;
    /// The reverse futility margin is this many centipawns smaller if the evaluation fell for the
    /// opponent with its last move.
    reverse_futility_worsening: 7, 0..=100, 3;
    /// The reverse futility margin grows by this much per centipawn by which the evaluation was
    /// corrected, in 1/1024 centipawns.
    reverse_futility_correction: 675, 0..=4096, 70;
    /// Reverse futility pruning returns a score that lies this part of the way from the evaluation
    /// to beta, in 1/1024.
    reverse_futility_toward_beta: 218, 0..=1024, 150;
    /// Nodes up to this depth, in plies, accept a TT cutoff only if it agrees with the expected
    /// type of the node.
    tt_cut_depth: 0, 0..=16, 1;
    /// Null moves are tried from this depth on, in plies.
    null_move_depth: 2, 1..=64, 1;
    /// The reduction of a null move at depth 0 is this much, in 1/1024 plies.
    null_move_base: 3488, 1024..=6144, 200;
    /// The reduction of a null move grows by this much per ply of depth, in 1/1024 plies.
    null_move_slope: 534, 0..=1024, 40;
    /// The reduction of a null move grows by this much per centipawn that the evaluation exceeds
    /// beta, in 1/1024 plies.
    null_move_eval: 6, 0..=20, 2;
    /// The evaluation adds at most this much to the reduction of a null move, in 1/1024 plies.
    null_move_eval_max: 3340, 0..=6144, 300;
    /// The static evaluation required for a null move falls by this many centipawns per ply of
    /// depth.
    null_move_margin: 14, 0..=40, 2;
    /// The static evaluation required for a null move at depth 0 is this many centipawns above
    /// beta.
    null_move_offset: 33, 0..=400, 12;
    /// The success of a null move is verified from this depth on, in plies.
    null_move_verify: 13, 6..=64, 2;
    /// ProbCut is tried from this depth on, in plies.
    probcut_depth: 4, 3..=64, 1;
    /// A ProbCut capture must beat beta by this many centipawns.
    probcut_margin: 111, 50..=500, 12;
    /// The ProbCut margin is this many centipawns smaller while the evaluation is improving.
    probcut_improving: 33, 0..=200, 6;
    /// ProbCut searches a capture this many plies shallower than the node.
    probcut_reduction: 3, 2..=6, 1;
    /// A node reached by a reduction of at least this, in 1/1024 plies, is searched one ply deeper
    /// if the static evaluations of both sides add up to less than zero.
    hindsight_deeper: 1749, 1024..=32768, 250;
    /// A node reached by a reduction of at least this, in 1/1024 plies, is searched one ply
    /// shallower if the static evaluations of both sides add up to more than `hindsight_margin`.
    hindsight_shallower: 2098, 1024..=32768, 300;
    /// The static evaluations of both sides must add up to more than this many centipawns for a
    /// reduced node to lose a ply in hindsight.
    hindsight_margin: 73, 0..=400, 12;
    /// Singular extensions are tried from this depth on, in plies.
    singular_depth: 6, 4..=64, 1;
    /// Singular extensions accept a TT entry that is up to this many plies shallower than the node.
    singular_entry_depth: 3, 1..=5, 1;
    /// The TT move is singular if all other moves stay below its TT score by this much per ply of
    /// depth, in 1/1024 centipawns.
    singular_margin: 471, 128..=4096, 70;
    /// The singular margin is larger by this much per ply of depth at a non-PV node that was once a
    /// PV node, in 1/1024 centipawns.
    singular_pv: 411, 0..=4096, 60;
    /// A singular move is extended by two plies if the other moves miss the singular bound by more
    /// than this many centipawns.
    double_margin: 14, 0..=200, 8;
    /// The margin for extending a singular move by two plies is this many centipawns smaller if it is
    /// quiet.
    double_quiet: 11, 0..=200, 6;
    /// A quiet singular move is extended by three plies if the other moves miss the bound for two
    /// plies by more than this many centipawns.
    triple_margin: 44, 0..=500, 12;
    /// The margin for extending a singular move by two plies is this many centipawns larger at a PV
    /// node.
    double_pv_margin: 80, 0..=2000, 18;
    /// A line contains at most this many extensions of two or three plies.
    double_limit: 11, 0..=32, 2;
    /// A TT move that is not singular is searched this many plies shallower if its TT score reaches
    /// beta.
    negative_extension: 2, 0..=3, 1;
    /// A TT move that is not singular is searched this many plies shallower at an expected cut node
    /// if its TT score is below beta.
    negative_cut_node: 2, 0..=3, 1;
    /// Up to this depth, in plies, the TT move of an expected cut node is extended without a
    /// singular search if its entry failed high and the static evaluation is below alpha.
    low_singular_depth: 2, 0..=8, 1;
    /// The static evaluation must be at least this many centipawns below alpha for an extension
    /// without a singular search.
    low_singular_margin: 11, 0..=100, 5;
    /// Internal iterative reduction is used from this depth on, in plies.
    iir_depth: 5, 2..=64, 1;
    /// Internal iterative reduction also applies to an expected cut node whose TT entry is more
    /// than this many plies shallower.
    iir_entry_depth: 5, 1..=16, 1;
    /// Late move pruning allows this many moves at depth 0 before it skips quiet moves.
    late_move_base: 5, 1..=256, 1;
    /// The number of moves that late move pruning allows grows by this much times the square of the
    /// depth in plies, in 1/1024 moves.
    late_move_slope: 975, 256..=2048, 110;
    /// Late move pruning allows this part of its usual number of moves while the evaluation is not
    /// improving, in 1/1024.
    late_move_stagnant: 561, 128..=1024, 60;
    /// Late move pruning allows this part more of its usual number of moves at the first quiet move,
    /// and as much less where the best one is certainly among those searched, in 1/1024.
    late_move_mass: 332, 0..=1024, 120;
    /// Futility pruning of quiet moves is tried up to this reduced depth, in plies.
    futility_depth: 7, 0..=16, 1;
    /// The futility margin of quiet moves at reduced depth 0 is this many centipawns.
    futility_base: 23, 0..=400, 7;
    /// The futility margin of quiet moves grows by this many centipawns per ply of reduced depth.
    futility_margin: 55, 20..=250, 6;
    /// The futility margin of quiet moves grows by this many centipawns per 1,024 points of
    /// history.
    futility_history: 8, 0..=64, 4;
    /// SEE pruning is tried up to this depth, in plies.
    see_pruning_depth: 9, 0..=16, 1;
    /// SEE pruning allows a quiet move to lose this many centipawns per ply of depth.
    see_quiet_margin: 58, 10..=200, 7;
    /// SEE pruning allows a quiet move to lose additionally this many centipawns times the square
    /// of its reduced depth in plies.
    see_quiet_square: 7, 0..=64, 2;
    /// SEE pruning allows a quiet move to lose additionally this many centipawns per 1,024 points
    /// of history.
    see_quiet_history: 7, 0..=64, 4;
    /// SEE pruning allows a capture to lose this many centipawns per ply of depth.
    see_capture_margin: 108, 10..=300, 10;
    /// History pruning is tried up to this depth, in plies.
    history_pruning_depth: 7, 0..=16, 1;
    /// History pruning skips quiet moves with a history below minus this many points per ply of
    /// depth.
    history_pruning_margin: 4919, 500..=16384, 550;
    /// Futility pruning of captures is tried up to this reduced depth, in plies.
    capture_futility_depth: 7, 0..=16, 1;
    /// The futility margin of captures at reduced depth 0 is this many centipawns.
    capture_futility_base: 222, 0..=600, 34;
    /// The futility margin of captures grows by this many centipawns per ply of reduced depth.
    capture_futility_margin: 216, 20..=500, 38;
    /// The futility margin of captures grows by this many centipawns per 1,024 points of history.
    capture_futility_history: 19, 0..=200, 11;
    /// Quiescence search moves the score of a stand pat or a cutoff this part of the way to beta,
    /// in 1/1024.
    quiescence_toward_beta: 360, 0..=1024, 150;
    /// Quiescence search tries captures that lose at most this many centipawns by SEE.
    quiescence_loss: 39, 0..=300, 14;
    /// Quiescence search tries at most this many captures per node outside check.
    quiescence_moves: 3, 1..=16, 1;
    /// Quiescence search skips captures that win nothing by SEE if the stand-pat score plus this
    /// many centipawns does not exceed alpha.
    quiescence_futility: 77, 0..=500, 16;

    // Late move reductions, 1/1024 ply.

    /// The reduction of a quiet move starts from this value, in 1/1024 plies.
    lmr_quiet_base: 1249, 0..=2048, 110;
    /// The product ln(depth) ln(move number) is divided by this to get the reduction of a quiet
    /// move, in 1/1024.
    lmr_quiet_divisor: 2232, 1024..=5120, 160;
    /// The reduction of a capture or promotion starts from this value, in 1/1024 plies.
    lmr_capture_base: 252, 0..=2048, 110;
    /// The product ln(depth) ln(move number) is divided by this to get the reduction of a capture
    /// or promotion, in 1/1024.
    lmr_capture_divisor: 3986, 1024..=8192, 400;
    /// This many moves are searched without a reduction at a PV node, and one fewer at any other
    /// node.
    lmr_first_move: 2, 1..=256, 1;
    /// A move that gives check is reduced by this much less, in 1/1024 plies.
    lmr_check: 606, 0..=4096, 80;
    /// A killer is reduced by this much less, in 1/1024 plies.
    lmr_killer: 1352, 0..=4096, 155;
    /// The countermove is reduced by this much less, in 1/1024 plies.
    lmr_countermove: 534, 0..=4096, 70;
    /// The last best reply is reduced by this much less, in 1/1024 plies.
    lmr_reply: 444, 0..=4096, 70;
    /// Moves of a PV node are reduced by this much less, in 1/1024 plies.
    lmr_pv: 629, 0..=4096, 150;
    /// Moves of a node that is or once was a PV node are reduced by this much less, in 1/1024
    /// plies.
    lmr_tt_pv: 715, 0..=4096, 120;
    /// A capture that the move picker considers good is reduced by this much less, in 1/1024 plies.
    lmr_good_capture: 660, 0..=4096, 80;
    /// This many points of history change the reduction of a quiet move by one ply.
    lmr_history: 7509, 2048..=65536, 700;
    /// This many points of history change the reduction of a capture or promotion by one ply.
    lmr_capture_history: 9304, 2048..=65536, 900;
    /// Moves are reduced by this much less per centipawn by which the evaluation was corrected in
    /// either direction, in 1/1024 plies.
    lmr_correction: 12, 0..=64, 2;
    /// Moves of an expected cut node are reduced by this much more, in 1/1024 plies.
    lmr_cut_node: 1725, 0..=4096, 180;
    /// Moves are reduced by this much more while the evaluation is not improving, in 1/1024 plies.
    lmr_not_improving: 580, 0..=4096, 80;
    /// Moves are reduced by this much more if the TT move is a capture or promotion, in 1/1024
    /// plies.
    lmr_tt_capture: 660, 0..=4096, 100;
    /// Moves are reduced by this much more if several children of the node or its siblings have
    /// failed high, in 1/1024 plies.
    lmr_cutoffs: 735, 0..=4096, 150;
    /// Moves of an expected cut node without a TT move are reduced by this much more, in 1/1024
    /// plies.
    lmr_no_tt_move: 610, 0..=4096, 150;
    /// Moves are reduced by this much more if the TT score does not exceed alpha, in 1/1024 plies.
    lmr_tt_low: 214, 0..=4096, 100;
    /// Moves are reduced by this much less per centipawn that the evaluation has risen since the
    /// side's last move, and more if it has fallen, in 1/1024 plies.
    lmr_improvement: 6, 0..=16, 1;
    /// A move whose reduced search beats alpha, and the best score so far by more than this many
    /// centipawns, is searched again one ply deeper.
    lmr_deeper: 32, 0..=300, 8;
    /// A move whose reduced search beats alpha, but the best score so far by at most this many
    /// centipawns, is searched again one ply shallower.
    lmr_shallower: 8, 0..=100, 2;
    /// The reductions of all workers but the first vary at random within a range of this width, in
    /// 1/1024 plies.
    lmr_noise: 128, 0..=1024, 17;
}
