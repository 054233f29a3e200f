//! The default without one of its own techniques, or with another form of it. A history that is
//! switched off in this way affects neither the order nor reductions and pruning.

use super::experiment::{Experiment, Variant, captures, good_captures};
use rejoinder::ordering::captures::{is_underpromotion, mvv_lva};
use rejoinder::ordering::{Context, Histories, OrderingHook};
use rejoinder::params::Params;
use rejoinder::types::Move;

/// The experiments, in the order in which the picker uses the techniques.
pub const ENTRIES: [Experiment; 14] = [
    Experiment {
        name: "tt-move",
        what: "The TT move is tried before any move is generated.",
        source: "https://www.chessprogramming.org/Hash_Move; https://rustic-chess.org/search/ordering/tt_move.html",
        in_default: true,
        variants: &[Variant::new("off", || Box::new(NoTtMove))],
    },
    Experiment {
        name: "mvv-lva",
        what: "Captures are sorted by the most valuable victim and then by the least valuable \
               attacker. Without it, their history alone sorts them.",
        source: "https://www.chessprogramming.org/MVV-LVA",
        in_default: true,
        variants: &[Variant::new("off", || {
            captures(|p, _, capture| {
                if is_underpromotion(capture.mv) {
                    0
                } else {
                    -mvv_lva(p, capture)
                }
            })
        })],
    },
    Experiment {
        name: "see",
        what: "Captures that lose material by SEE come last. Without it, all captures come before \
               the quiet moves, but quiescence search and pruning still use SEE.",
        source: "https://www.chessprogramming.org/Static_Exchange_Evaluation",
        in_default: true,
        variants: &[Variant::new("off", || {
            good_captures(|_, _, capture| Some(!is_underpromotion(capture)))
        })],
    },
    Experiment {
        name: "capture-history",
        what: "Captures gain points by their earlier success, indexed by piece, target square and \
               victim.",
        source: "https://www.chessprogramming.org/History_Heuristic#Capture_History",
        in_default: true,
        variants: &[Variant::of_params(
            "off",
            &[("capture_bonus_max", 0), ("capture_malus_max", 0)],
        )],
    },
    Experiment {
        name: "killers",
        what: "The two quiet moves that last caused a cutoff at the same ply get a bonus.",
        source: "https://www.chessprogramming.org/Killer_Heuristic",
        in_default: true,
        variants: &[
            Variant::of_params(
                "off",
                &[
                    ("killer_bonus", 0),
                    ("second_killer_bonus", 0),
                    ("lmr_killer", 0),
                ],
            ),
            Variant::of_params(
                "large",
                &[("killer_bonus", 32768), ("second_killer_bonus", 32767)],
            ),
        ],
    },
    Experiment {
        name: "history",
        what: "Butterfly history: quiet moves gain points by their earlier success, indexed by \
               side, origin and target square and whether these squares are attacked.",
        source: "J. Schaeffer, \"The History Heuristic\", ICCA Journal 6(3), 1983; https://www.chessprogramming.org/History_Heuristic",
        in_default: true,
        variants: &[Variant::of_params("off", &[("quiet_butterfly", 0)])],
    },
    Experiment {
        name: "countermove",
        what: "The quiet move that last refuted the opponent's move gets a bonus; the table is \
               indexed by that move's piece and target square.",
        source: "J. Uiterwijk, \"The Countermove Heuristic\", ICCA Journal 15(1), 1992",
        in_default: true,
        variants: &[
            Variant::of_params("off", &[("countermove_bonus", 0), ("lmr_countermove", 0)]),
            Variant::of_params("large", &[("countermove_bonus", 9000)]),
        ],
    },
    Experiment {
        name: "lbr",
        what: "Last Best Reply: the best move that was found after an earlier move at the same \
               ply. The default is variant 2, where the earlier move is our own last one.",
        source: "S. Edwards, \"Last Best Reply\", Computer Chess Club, 2011; https://www.chessprogramming.org/Last_Best_Reply",
        in_default: true,
        variants: &[
            Variant::of_params("off", &[("lbr_variant", 5)]),
            Variant::of_params("base", &[("lbr_variant", 0)]),
            Variant::of_params("two-moves", &[("lbr_variant", 1)]),
            Variant::of_params("quiet-replies", &[("lbr_variant", 3)]),
            Variant::of_params("by-color", &[("lbr_variant", 4)]),
        ],
    },
    Experiment {
        name: "continuation",
        what: "Continuation history: quiet moves gain points by their earlier success after the \
               moves one, two and four plies before. The distances are also left out one by one.",
        source: "https://www.chessprogramming.org/History_Heuristic#Continuation_History",
        in_default: true,
        variants: &[
            Variant::of_params(
                "off",
                &[
                    ("quiet_continuation_one", 0),
                    ("quiet_continuation_two", 0),
                    ("quiet_continuation_four", 0),
                ],
            ),
            Variant::of_params("without-one", &[("quiet_continuation_one", 0)]),
            Variant::of_params("without-two", &[("quiet_continuation_two", 0)]),
            Variant::of_params("without-four", &[("quiet_continuation_four", 0)]),
        ],
    },
    Experiment {
        name: "pawn-history",
        what: "Pawn history: quiet moves gain points by their earlier success in positions with \
               the same pawn structure.",
        source: "https://www.chessprogramming.org/History_Heuristic#Pawn_History",
        in_default: true,
        variants: &[Variant::of_params("off", &[("quiet_pawn", 0)])],
    },
    Experiment {
        name: "low-ply",
        what: "Low-ply history: each of the first five plies has a butterfly history of its own, \
               which is cleared before each search. Its weight falls with the ply.",
        source: "Stockfish",
        in_default: true,
        variants: &[Variant::of_params("off", &[("low_ply_weight", 0)])],
    },
    Experiment {
        name: "checks",
        what: "Quiet moves that give check get a bonus.",
        source: "https://www.chessprogramming.org/Move_Ordering",
        in_default: true,
        variants: &[Variant::of_params("off", &[("quiet_check", 0)])],
    },
    Experiment {
        name: "escapes",
        what: "Quiet moves gain points if they save a piece from the attack of a less valuable \
               one, and lose points if their target square is attacked by a less valuable piece.",
        source: "Stockfish",
        in_default: true,
        variants: &[Variant::of_params(
            "off",
            &[("quiet_escape", 0), ("quiet_blunder", 0)],
        )],
    },
    Experiment {
        name: "policy",
        what: "Policy network: a small network, trained on games of the engine, estimates how \
               likely each quiet move is the best one. Nodes below depth 2 do not use it.",
        source: "L. Kocsis, J. Uiterwijk, E. Postma, J. van den Herik, \"The Neural MoveMap Heuristic in Chess\", Computers and Games 2002",
        in_default: true,
        variants: &[
            Variant::of_params("off", &[("policy_weight", 0)]),
            Variant::of_params("half", &[("policy_weight", 3000)]),
            Variant::of_params("everywhere", &[("policy_depth", 0)]),
        ],
    },
];

#[derive(Debug)]
struct NoTtMove;

impl OrderingHook for NoTtMove {
    fn first_move(&self, _: &Params, _: &Histories, _: &Context, _: Move) -> Move {
        Move::NULL
    }
}
