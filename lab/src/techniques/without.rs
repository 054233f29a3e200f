//! The default without one of its own heuristics, or with another form of it. What its histories do not learn, they do not say:
//! neither to the order nor to reductions and pruning.

use super::{Experiment, Variant};
use rejoinder::ordering::{Context, OrderingHook, captures};
use rejoinder::params::Params;
use rejoinder::types::{Move, Played};

/// All of them, in the order of the picker.
pub const ENTRIES: [Experiment; 13] = [
    Experiment {
        name: "tt-move",
        what: "The move of the transposition table is tried before anything is generated.",
        source: "https://www.chessprogramming.org/Hash_Move; https://rustic-chess.org/search/ordering/tt_move.html",
        in_default: true,
        variants: &[Variant::new("off", || Box::new(NoTtMove))],
    },
    Experiment {
        name: "mvv-lva",
        what: "Captures by the most valuable victim, then the least valuable attacker; without it by their history alone.",
        source: "https://www.chessprogramming.org/MVV-LVA",
        in_default: true,
        variants: &[Variant::new("off", || Box::new(NoMvvLva))],
    },
    Experiment {
        name: "see",
        what: "Captures that lose material by SEE come last; without it all captures come before the quiet moves. Quiescence and pruning ask SEE all the same.",
        source: "https://www.chessprogramming.org/Static_Exchange_Evaluation",
        in_default: true,
        variants: &[Variant::new("off", || Box::new(NoSee))],
    },
    Experiment {
        name: "capture-history",
        what: "How captures fared before, by piece, target and victim.",
        source: "https://www.chessprogramming.org/History_Heuristic#Capture_History",
        in_default: true,
        variants: &[Variant::of_params(
            "off",
            &[("capture_bonus_max", 0), ("capture_malus_max", 0)],
        )],
    },
    Experiment {
        name: "killers",
        what: "The two quiet moves that last cut at the same ply, as a bonus among the quiet moves.",
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
        what: "Butterfly history: how quiet moves fared before, by side, from, to and whether these squares are attacked.",
        source: "J. Schaeffer, \"The History Heuristic\", ICCA Journal 6(3), 1983; https://www.chessprogramming.org/History_Heuristic",
        in_default: true,
        variants: &[Variant::of_params("off", &[("quiet_butterfly", 0)])],
    },
    Experiment {
        name: "countermove",
        what: "The quiet move that last refuted the move before, by its piece and square.",
        source: "J. Uiterwijk, \"The Countermove Heuristic\", ICCA Journal 15(1), 1992",
        in_default: true,
        variants: &[
            Variant::of_params("off", &[("countermove_bonus", 0), ("lmr_countermove", 0)]),
            Variant::of_params("large", &[("countermove_bonus", 9000)]),
        ],
    },
    Experiment {
        name: "lbr",
        what: "Last Best Reply: the best move found after a prior move, by ply; the default is variant 2, where the prior move is our own last one.",
        source: "S. Edwards, \"Last Best Reply\", Computer Chess Club, 2011; https://www.chessprogramming.org/Last_Best_Reply",
        in_default: true,
        variants: &[
            Variant::of_params("off", &[("lbr_variant", 5)]),
            Variant::of_params("base", &[("lbr_variant", 0)]),
            Variant::of_params("two-moves", &[("lbr_variant", 1)]),
            Variant::of_params("quiet-replies", &[("lbr_variant", 3)]),
            Variant::of_params("by-colour", &[("lbr_variant", 4)]),
        ],
    },
    Experiment {
        name: "continuation",
        what: "Continuation history: how a quiet move fared after the moves one, two and four plies before. The distances are also left out one by one.",
        source: "https://www.chessprogramming.org/History_Heuristic#Continuation_History",
        in_default: true,
        variants: &[
            Variant::of_params(
                "off",
                &[
                    ("quiet_continuation_one", 0),
                    ("quiet_continuation_two", 0),
                    ("quiet_continuation_four", 0),
                    ("quiet_continuation_six", 0),
                ],
            ),
            Variant::of_params("without-one", &[("quiet_continuation_one", 0)]),
            Variant::of_params("without-two", &[("quiet_continuation_two", 0)]),
            Variant::of_params("without-four", &[("quiet_continuation_four", 0)]),
        ],
    },
    Experiment {
        name: "pawn-history",
        what: "How a quiet move fared in positions with the same pawns.",
        source: "https://www.chessprogramming.org/History_Heuristic#Pawn_History",
        in_default: true,
        variants: &[Variant::of_params("off", &[("quiet_pawn", 0)])],
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
        what: "Quiet moves gain by saving a piece from a lesser one, and lose by putting it where a lesser one takes it.",
        source: "Stockfish's idea",
        in_default: true,
        variants: &[Variant::of_params(
            "off",
            &[("quiet_escape", 0), ("quiet_blunder", 0)],
        )],
    },
    Experiment {
        name: "policy",
        what: "A small network, trained on own games, says how likely each quiet move is the best of its node; nodes of the last ply do not ask it.",
        source: "Kocsis, Uiterwijk, Postma, van den Herik, The Neural MoveMap heuristic in chess, Computers and Games 2002",
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
    fn first_move(&self, _: &Context, _: Move) -> Move {
        Move::NULL
    }
}

#[derive(Debug)]
struct NoMvvLva;

impl OrderingHook for NoMvvLva {
    fn capture_points(&self, p: &Params, _: &Context, capture: Played) -> i32 {
        if captures::is_underpromotion(capture.mv) {
            0
        } else {
            -captures::mvv_lva(p, capture)
        }
    }
}

#[derive(Debug)]
struct NoSee;

impl OrderingHook for NoSee {
    fn is_good_capture(&self, _: &Params, _: &Context, capture: Move) -> Option<bool> {
        Some(!captures::is_underpromotion(capture))
    }
}
