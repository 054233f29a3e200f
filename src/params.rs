//! Every tunable number of the engine, declared once: name, default, range.
//!
//! In the default build [`Params`] is empty and each number a constant. With the cargo feature `tune` it
//! holds the numbers, so that each worker may play with its own.

macro_rules! params {
    ($($(#[doc = $doc:literal])+ $name:ident: $default:literal, $min:literal ..= $max:literal;)*) => {
        /// One set of the engine's numbers.
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

        /// One set of the engine's numbers.
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

            /// Sets one number.
            ///
            /// # Errors
            /// Says so if there is no such name or the value is out of its range.
            pub fn set(&mut self, name: &str, value: i32) -> Result<(), String> {
                match name {
                    $(stringify!($name) => {
                        if !($min..=$max).contains(&value) {
                            return Err(format!("{name} must be {} to {}", $min, $max));
                        }
                        self.$name = value;
                    })*
                    _ => return Err(format!("no parameter is called {name}")),
                }
                Ok(())
            }
        }

        /// Name, default, least and greatest value of each number.
        pub const TABLE: &[(&str, i32, i32, i32)] = &[$((stringify!($name), $default, $min, $max),)*];

        const _: () = { $(assert!($min <= $default && $default <= $max, stringify!($name));)* };
    };
}

params! {
    /// SEE value of a pawn, centipawns.
    see_pawn: 100, 50..=200;
    /// SEE value of a knight, centipawns.
    see_knight: 320, 200..=500;
    /// SEE value of a bishop, centipawns.
    see_bishop: 330, 200..=500;
    /// SEE value of a rook, centipawns.
    see_rook: 500, 350..=800;
    /// SEE value of a queen, centipawns.
    see_queen: 950, 700..=1500;

    // The clock.

    /// Share of a clock without a further control for the first move of a game, /1024.
    clock_share: 26, 10..=60;
    /// More of it for each move of the game, /1024 of 1/1024.
    clock_share_growth: 358, 0..=1024;
    /// It grows up to this move.
    clock_share_until: 90, 1..=200;
    /// What a move before a control gets, in equal shares of what is left, /1024.
    clock_control_factor: 1280, 768..=2048;
    /// Part of the increment planned with, /1024.
    clock_increment: 717, 256..=1024;
    /// Most of the clock that is held back for the overhead, /1024.
    clock_overhead_share: 512, 128..=768;
    /// Hard limit in soft limits, /1024.
    clock_hard_factor: 5120, 1024..=8192;
    /// Most of the usable clock for one move, /1024.
    clock_hard_share: 461, 128..=614;
    /// The same for the last move before a control, /1024.
    clock_last_move_share: 717, 256..=768;
    /// Soft limit in hard limits at the most, /1024; below 1024, as equal limits mean a fixed move time.
    clock_soft_cap: 768, 256..=1000;
    /// Soft limit by the best move's share of the nodes: the share at which it would be 0, /1024.
    clock_node_base: 1485, 1200..=2048;
    /// Its slope, /1024.
    clock_node_slope: 1640, 512..=3072;
    /// Soft limit for a best move that has just changed, /1024.
    clock_stability_base: 1331, 1024..=2048;
    /// Less of it for each iteration without a change, /1024.
    clock_stability_step: 72, 0..=256;
    /// But no less than this, /1024.
    clock_stability_least: 820, 512..=1024;
    /// More of the soft limit for each centipawn the score fell during the search, /1024.
    clock_trend_slope: 6, 0..=32;
    /// More of it for each centipawn the score fell since the engine's move before, /1024.
    clock_previous_slope: 4, 0..=32;
    /// More of it for each time the best move changed of late, /1024.
    clock_change: 154, 0..=1024;
    /// Soft limit for a score that rises fast, /1024.
    clock_trend_least: 768, 512..=1024;
    /// Soft limit for a score that falls fast, /1024.
    clock_trend_most: 1536, 1024..=2560;

    // Move ordering. Histories count in points of their own.

    /// No history value goes beyond this, up or down; points.
    history_limit: 16384, 4096..=32767;
    /// Butterfly history: what a cut earns the move, points a ply of depth.
    history_bonus_slope: 193, 1..=500;
    /// Butterfly history: taken off the bonus, points.
    history_bonus_offset: 63, 0..=500;
    /// Butterfly history: the largest bonus, points.
    history_bonus_max: 1454, 100..=4000;
    /// Butterfly history: what a cut costs the moves tried before it, points a ply of depth.
    history_malus_slope: 165, 1..=500;
    /// Butterfly history: taken off the malus, points.
    history_malus_offset: 75, 0..=500;
    /// Butterfly history: the largest malus, points.
    history_malus_max: 1468, 100..=4000;
    /// Continuation history: what a cut earns the move, points a ply of depth.
    continuation_bonus_slope: 202, 1..=500;
    /// Continuation history: taken off the bonus, points.
    continuation_bonus_offset: 72, 0..=500;
    /// Continuation history: the largest bonus, points.
    continuation_bonus_max: 1772, 100..=4000;
    /// Continuation history: what a cut costs the moves tried before it, points a ply of depth.
    continuation_malus_slope: 215, 1..=500;
    /// Continuation history: taken off the malus, points.
    continuation_malus_offset: 35, 0..=500;
    /// Continuation history: the largest malus, points.
    continuation_malus_max: 1553, 100..=4000;
    /// Capture history: what a cut earns the capture, points a ply of depth.
    capture_bonus_slope: 51, 1..=500;
    /// Capture history: taken off the bonus, points.
    capture_bonus_offset: 101, 0..=500;
    /// Capture history: the largest bonus, points.
    capture_bonus_max: 1196, 0..=4000;
    /// Capture history: what a cut by another move costs a tried capture, points a ply of depth.
    capture_malus_slope: 150, 1..=500;
    /// Capture history: taken off the malus, points.
    capture_malus_offset: 87, 0..=500;
    /// Capture history: the largest malus, points.
    capture_malus_max: 911, 0..=4000;
    /// Weight of what a capture takes against its history, points a centipawn.
    capture_victim_weight: 18, 1..=64;
    /// What a capturing piece one kind greater costs, points.
    capture_attacker_weight: 41, 0..=512;
    /// A good capture may lose a centipawn by SEE for so many points of its score, /1024; 0 means: nothing.
    good_capture_loss: 11, 0..=128;
    /// A good capture wins at least this by SEE, before that, centipawns.
    good_capture_offset: -2, -200..=200;
    /// Part of the butterfly history in a quiet move's score, /1024.
    quiet_butterfly: 1248, 0..=4096;
    /// Part of the pawn history in a quiet move's score, /1024.
    quiet_pawn: 848, 0..=4096;
    /// Part of the continuation history of the move before in a quiet move's score, /1024.
    quiet_continuation_one: 1286, 0..=4096;
    /// Part of the continuation history two plies back in a quiet move's score, /1024.
    quiet_continuation_two: 954, 0..=4096;
    /// Part of the continuation history four plies back in a quiet move's score, /1024.
    quiet_continuation_four: 661, 0..=4096;
    /// Part of the continuation history six plies back in a quiet move's score, /1024.
    quiet_continuation_six: 191, 0..=4096;
    /// Part of the lesson that the continuation history six plies back learns, /1024.
    learn_continuation_six: 379, 0..=2048;
    /// What saving a piece from a lesser one adds to a quiet move, points a centipawn of the piece.
    quiet_escape: 10, 0..=64;
    /// What putting a piece where a lesser one takes it costs a quiet move, points a centipawn of the piece.
    quiet_blunder: 8, 0..=64;
    /// What giving check adds to a quiet move, points.
    quiet_check: 5417, 0..=32768;
    /// What a checking quiet move may lose by SEE and still earn that, centipawns; 2000 means: anything.
    quiet_check_loss: 467, 0..=2000;
    /// What the policy network adds to a quiet move, points for a unit of the logarithm of odds; 0: it is not asked.
    policy_weight: 6000, 0..=32768;
    /// Nodes of this depth and deeper ask the policy network, plies.
    policy_depth: 2, 0..=20;
    /// A cut with a score so far above beta counts as one ply more, centipawns.
    bonus_margin: 48, 0..=500;
    /// Part of the bonus for a cut that a quiet TT move earns where the table alone cuts, /1024.
    tt_cut_bonus: 477, 0..=2048;
    /// Part of the malus that the quiet move before earns when it was among the first two and is refuted, /1024.
    refuted_malus: 306, 0..=2048;
    /// Part of the bonus that a move earns in the continuation histories when its re-search beats alpha, /1024.
    research_bonus: 272, 0..=2048;
    /// Part of the malus that it earns there when its re-search does not, /1024.
    research_malus: 283, 0..=2048;
    /// What each earlier move on the list takes off the malus of a quiet move, /1024.
    malus_fade: 25, 0..=512;
    /// History of the move before, by how far it changed the evaluation: points a centipawn.
    prior_eval_slope: 5, 0..=64;
    /// The most that it changes, points.
    prior_eval_max: 1305, 0..=4000;
    /// History of the move before a node that fails low, part of the bonus, /1024.
    prior_fail_low: 456, 0..=2048;
    /// More of it for a move that came late in its node, /1024.
    prior_fail_low_late: 178, 0..=2048;
    /// More of it where the score stays far below the static evaluation, /1024.
    prior_fail_low_eval: 157, 0..=2048;
    /// More of it where the score is far better for the mover than its own static evaluation, /1024.
    prior_fail_low_parent: 190, 0..=2048;
    /// Part of the bonus that the capture before a node that fails low earns, /1024.
    prior_capture_fail_low: 255, 0..=2048;
    /// What being the latest killer adds to a quiet move, points.
    killer_bonus: 9215, 0..=32768;
    /// What being the second killer adds to a quiet move, points.
    second_killer_bonus: 4535, 0..=32768;
    /// What being the countermove adds to a quiet move, points.
    countermove_bonus: 1329, 0..=32768;
    /// Form of the last best reply: 0 base, 1 two prior moves, 2 the move two plies ago, 3 quiet replies, 4 by colour, 5 off.
    lbr_variant: 2, 0..=5;
    /// What being the last best reply adds to a quiet move, points.
    lbr_quiet_bonus: 8909, 1..=32768;
    /// What being the last best reply adds to a capture or promotion, points.
    lbr_capture_bonus: 883, 1..=32768;

    // The search: margins in centipawns, depths in plies, reductions in 1/1024 ply.

    /// Correction history: the most one table's entry may hold, points.
    correction_limit: 1024, 256..=4096;
    /// Correction history: what an error of a centipawn teaches at a ply of depth, points /1024.
    correction_rate: 124, 16..=512;
    /// Correction by the pawns: centipawns of a full entry.
    correction_pawn: 52, 0..=256;
    /// Correction by the minor pieces: centipawns of a full entry.
    correction_minor: 54, 0..=256;
    /// Correction by each side's pieces: centipawns of a full entry.
    correction_non_pawn: 53, 0..=256;
    /// Correction by the two moves before: centipawns of a full entry.
    correction_continuation: 88, 0..=256;
    /// Halfmove clock at which an evaluation would count nothing, plies.
    fifty_horizon: 256, 100..=1000;
    /// Part of the evaluation that counts with bare kings, /1024.
    material_base: 947, 512..=1536;
    /// More of it for each centipawn of material on the board, /1024 of 1/1024.
    material_slope: 17, 0..=128;
    /// Optimism: the most that a side well ahead at the root is better off, centipawns.
    optimism: 39, 0..=200;
    /// Optimism: score at the root where half of it is reached, centipawns.
    optimism_half: 180, 20..=500;
    /// Half width of the first aspiration window, centipawns.
    aspiration_delta: 13, 4..=60;
    /// Wider for a large score: its square is divided by this, and added; 0 means: no wider.
    aspiration_square: 16018, 0..=32767;
    /// First iteration with a window, plies.
    aspiration_depth: 5, 2..=12;
    /// Growth of the window at each fail, /1024 of its width.
    aspiration_growth: 759, 128..=2048;
    /// Most plies a search is shallower after fails high, plies.
    aspiration_fail_high: 5, 0..=6;
    /// Wider by this for each further worker (of eight), centipawns.
    aspiration_worker: 1, 0..=8;
    /// Razoring up to this depth, plies.
    razoring_depth: 5, 0..=8;
    /// Razoring: margin a ply, centipawns.
    razoring_margin: 200, 100..=600;
    /// Reverse futility up to this depth, plies.
    reverse_futility_depth: 8, 0..=16;
    /// Reverse futility: margin a ply, centipawns.
    reverse_futility_margin: 86, 20..=200;
    /// Reverse futility: less of it while improving, centipawns.
    reverse_futility_improving: 56, 0..=200;
    /// Reverse futility: more of it for each centipawn of correction, /1024.
    reverse_futility_correction: 657, 0..=4096;
    /// Reverse futility: part of the way from the evaluation to beta that is returned, /1024.
    reverse_futility_blend: 318, 0..=1024;
    /// From this depth on a score of the table cuts also where the opposite was expected, plies.
    tt_cut_depth: 4, 0..=16;
    /// Null move from this depth on, plies.
    null_move_depth: 4, 1..=8;
    /// Null move: reduction at depth 0, 1/1024 ply.
    null_move_base: 3577, 1024..=6144;
    /// Null move: more of it for each ply of depth, 1/1024 ply.
    null_move_slope: 483, 0..=1024;
    /// Null move: more of it for each centipawn the evaluation is above beta, 1/1024 ply.
    null_move_eval: 4, 0..=20;
    /// Null move: most that the evaluation adds, 1/1024 ply.
    null_move_eval_max: 2881, 0..=6144;
    /// Null move: evaluation may be below beta by so much for each ply of depth, centipawns.
    null_move_margin: 5, 0..=40;
    /// Null move: but at depth 0 it must be above it by so much, centipawns.
    null_move_offset: 86, 0..=400;
    /// Null move: its success is verified from this depth on, plies.
    null_move_verify: 14, 6..=64;
    /// ProbCut from this depth on, plies.
    probcut_depth: 5, 3..=64;
    /// ProbCut: a capture must beat beta by so much, centipawns.
    probcut_margin: 140, 50..=500;
    /// ProbCut: less of it while improving, centipawns.
    probcut_improving: 50, 0..=200;
    /// ProbCut: how much shallower the capture is searched, plies.
    probcut_reduction: 3, 2..=6;
    /// Small ProbCut: an entry's lower bound must beat beta by so much, centipawns; 2000 means: never.
    small_probcut_margin: 390, 50..=2000;
    /// Small ProbCut: the entry may be so much shallower, plies.
    small_probcut_reduction: 4, 1..=6;
    /// Hindsight: reduction of the move before from which a bad evaluation for both means a ply more, 1/1024 ply.
    hindsight_deeper: 2152, 1024..=32768;
    /// Hindsight: reduction of the move before from which a good evaluation means a ply less, 1/1024 ply.
    hindsight_shallower: 3000, 1024..=32768;
    /// Hindsight: how good, centipawns.
    hindsight_margin: 88, 0..=400;
    /// Singular extension from this depth on, plies.
    singular_depth: 6, 4..=64;
    /// Singular extension: the entry may be so much shallower, plies.
    singular_entry_depth: 3, 1..=5;
    /// Singular extension: how far below the entry's score all others must stay, a ply of depth, centipawns /1024.
    singular_margin: 620, 128..=4096;
    /// Singular extension: further below by this at a node that was once PV, centipawns a ply /1024.
    singular_pv: 491, 0..=4096;
    /// Double extension: how far below that, centipawns.
    double_margin: 34, 0..=200;
    /// Triple extension: how far below that, centipawns.
    triple_margin: 84, 0..=500;
    /// Double extension at a PV node: further below by so much, centipawns; 2000 means: never.
    double_pv_margin: 198, 0..=2000;
    /// A node with a singular move is searched a ply deeper below this depth, plies.
    singular_node_depth: 8, 0..=32;
    /// Double and triple extensions in one line at the most.
    double_limit: 8, 0..=32;
    /// Plies less for a TT move that is not singular and beats beta by its entry.
    negative_extension: 1, 0..=3;
    /// Plies less for a TT move that is not singular at an expected cut node.
    negative_cut_node: 2, 0..=3;
    /// Internal iterative reduction from this depth on, plies.
    iir_depth: 4, 2..=12;
    /// And where the entry of an expected cut node is shallower by more than this, plies; 99 means: never.
    iir_entry_depth: 5, 1..=99;
    /// Late move pruning: quiet moves tried at depth 0.
    late_move_base: 5, 1..=12;
    /// Late move pruning: more of them for each ply squared, /1024.
    late_move_slope: 1236, 256..=2048;
    /// Late move pruning: part of the limit left while not improving, /1024.
    late_move_stagnant: 651, 128..=1024;
    /// Futility pruning up to this reduced depth, plies.
    futility_depth: 7, 0..=16;
    /// Futility pruning: margin at depth 0, centipawns.
    futility_base: 21, 0..=400;
    /// Futility pruning: margin a ply, centipawns.
    futility_margin: 69, 20..=250;
    /// Futility pruning: centipawns for 1024 points of history.
    futility_history: 7, 0..=64;
    /// Pruning of quiet moves: history points for a ply less or more of the reduced depth; 0 means: none.
    pruning_history: 20837, 0..=65536;
    /// SEE pruning up to this depth, plies.
    see_pruning_depth: 8, 0..=16;
    /// SEE pruning of quiet moves: what may be lost at a ply of depth, centipawns.
    see_quiet_margin: 47, 10..=200;
    /// SEE pruning of quiet moves: what may be lost besides at a reduced ply squared, centipawns.
    see_quiet_square: 5, 0..=64;
    /// SEE pruning of quiet moves: centipawns for 1024 points of history.
    see_quiet_history: 7, 0..=64;
    /// SEE pruning of captures: what may be lost at a ply of depth, centipawns.
    see_capture_margin: 125, 10..=300;
    /// History pruning up to this depth, plies.
    history_pruning_depth: 6, 0..=16;
    /// History pruning: how bad a quiet move's history must be, points a ply of depth.
    history_pruning_margin: 4773, 500..=16384;
    /// Futility pruning of captures up to this reduced depth, plies.
    capture_futility_depth: 7, 0..=16;
    /// Futility pruning of captures: margin at depth 0, centipawns.
    capture_futility_base: 261, 0..=600;
    /// Futility pruning of captures: margin a ply, centipawns.
    capture_futility_margin: 260, 20..=500;
    /// Futility pruning of captures: centipawns for 1024 points of history.
    capture_futility_history: 23, 0..=200;
    /// Depth less for the moves after one that raised alpha, plies.
    raised_alpha: 0, 0..=3;
    /// Deepest node where that is so, plies.
    raised_alpha_depth: 14, 0..=64;
    /// Quiescence: part of the way from a stand pat or cut to beta that is returned, /1024.
    quiescence_blend: 321, 0..=1024;
    /// Quiescence: captures tried at the most.
    quiescence_moves: 4, 1..=16;
    /// Quiescence: a capture must come this near to alpha with what it takes, centipawns.
    quiescence_futility: 168, 0..=500;

    // Late move reductions, 1/1024 ply.

    /// Quiet moves: reduction at the root of the formula.
    lmr_quiet_base: 1280, 0..=2048;
    /// Quiet moves: divisor of ln(depth) ln(number), /1024.
    lmr_quiet_divisor: 2503, 1024..=5120;
    /// Captures and promotions: reduction at the root of the formula.
    lmr_capture_base: 172, 0..=2048;
    /// Captures and promotions: divisor of ln(depth) ln(number), /1024.
    lmr_capture_divisor: 3830, 1024..=8192;
    /// First move number that is reduced.
    lmr_first_move: 2, 1..=5;
    /// Less for a move that gives check.
    lmr_check: 612, 0..=4096;
    /// Less for a killer.
    lmr_killer: 1569, 0..=4096;
    /// Less for the countermove.
    lmr_countermove: 491, 0..=4096;
    /// Less for the last best reply.
    lmr_reply: 399, 0..=4096;
    /// Less in a PV node.
    lmr_pv: 294, 0..=4096;
    /// Less at a node that was once a PV node.
    lmr_tt_pv: 662, 0..=4096;
    /// And less still if the table's score is above alpha.
    lmr_tt_pv_score: 265, 0..=4096;
    /// And less still if the table's entry is as deep as the node.
    lmr_tt_pv_depth: 286, 0..=4096;
    /// And less still at an expected cut node.
    lmr_tt_pv_cut_node: 260, 0..=4096;
    /// Less for a capture that holds by SEE.
    lmr_good_capture: 575, 0..=4096;
    /// History points for a ply less or more, quiet moves.
    lmr_history: 6117, 2048..=65536;
    /// History points for a ply less or more, captures.
    lmr_capture_history: 8260, 2048..=65536;
    /// Less for each centipawn of correction, to both sides.
    lmr_correction: 3, 0..=64;
    /// More at an expected cut node.
    lmr_cut_node: 1448, 0..=4096;
    /// More while not improving.
    lmr_not_improving: 578, 0..=4096;
    /// More if the TT move is a capture.
    lmr_tt_capture: 446, 0..=4096;
    /// More where the children's children are often cut.
    lmr_cutoffs: 1006, 0..=4096;
    /// More at an expected cut node without a TT move.
    lmr_no_tt_move: 369, 0..=4096;
    /// More if the table's score does not reach alpha.
    lmr_tt_low: 109, 0..=4096;
    /// More for each move that has raised alpha.
    lmr_alpha_raises: 184, 0..=4096;
    /// Less for each centipawn that the evaluation has risen, more for each that it has fallen.
    lmr_improvement: 3, 0..=16;
    /// More at expected ALL nodes: part of the reduction that is added, divided by depth and one more, /1024.
    lmr_all_node: 232, 0..=4096;
    /// Less for a window as wide as the root's, and in proportion.
    lmr_window: 255, 0..=4096;
    /// Plies that a move may be searched deeper by a negative reduction.
    lmr_extend: 0, 0..=2;
    /// Re-search a ply deeper if the reduced search beat alpha by so much, centipawns.
    lmr_deeper: 60, 0..=300;
    /// Re-search a ply shallower if it beat alpha by no more than this, centipawns.
    lmr_shallower: 8, 0..=100;
    /// More or less by worker, for all but the first.
    lmr_noise: 128, 0..=1024;
}
