use super::*;
use crate::board::Board;
use crate::types::{Color, Rng};
use std::ops::BitOr;

fn all(colors: [Bitboard; 2], kinds: [Bitboard; PieceType::COUNT]) -> RelationSets {
    let mut sets = NONE;
    find(COUNTS[2], &colors, &kinds, &mut sets);
    sets
}

fn relations(board: &Board) -> RelationSets {
    all(
        Color::ALL.map(|color| board.color(color)),
        PieceType::ALL.map(|kind| board.kind(kind)),
    )
}

/// Returns the squares of a relation, in the order of the board: those of white pieces first.
fn squares(fen: &str, relation: usize) -> String {
    let board = Board::from_fen(fen).expect(fen);
    let sets = relations(&board);
    let names = |set: Bitboard| set.into_iter().map(|square| square.to_string());
    if relation < OF_PIECES {
        let of = |color| names(sets[relation] & board.color(color)).collect::<Vec<_>>();
        return Color::ALL.map(|color| of(color).join(" ")).join(", ");
    }
    let found = ATTACKERS.iter().zip(&sets[FIRST_OF_ATTACKERS..]);
    let found = found.filter(|((of, _), set)| *of == relation && set.any());
    let found = found.map(|(&(_, piece), &set)| {
        let squares: Vec<_> = names(set).collect();
        format!("{piece:?} {}", squares.join(" "))
    });
    found.collect::<Vec<_>>().join(", ")
}

#[test]
fn every_attack_on_a_piece_is_found() {
    let mut rng = Rng::new(5);
    for _ in 0..40 {
        let mut board = Board::startpos();
        for _ in 0..60 {
            let sets = relations(&board);
            for square in board.occupied() {
                let piece = board.piece_on(square).expect("the square is empty");
                let (us, them) = (piece.color(), !piece.color());
                let attackers = board.attackers(square, board.occupied());
                for kind in PieceType::ALL {
                    let attacked = (attackers & board.pieces(them, kind)).any();
                    assert_eq!(sets[kind.index()].has(square), attacked);
                }
                let (attacked, defended) = (
                    (attackers & board.color(them)).any(),
                    (attackers & board.color(us)).any(),
                );
                let king = piece.kind() == PieceType::King;
                assert_eq!(sets[HANGING].has(square), attacked && !defended);

                // Without the piece, one more piece would attack a king.
                let others = board.occupied() & !square.bitboard();
                let revealed = |side: Color| {
                    let attackers = |occupied| board.attackers(board.king(side), occupied);
                    let more = attackers(others) & !attackers(board.occupied());
                    (more & board.color(!side)).any()
                };
                let pinned = !king && revealed(us);
                assert_eq!(sets[PINNED].has(square), pinned, "{board:?}");
                assert_eq!(sets[DISCOVERER].has(square), revealed(them), "{board:?}");
            }
            let moves = board.legal_moves();
            let Some(mv) = rng.choose(&moves) else { break };
            board.make(mv);
        }
    }
}

#[test]
fn pawns_attack_by_advancing() {
    let forked = "d6 f6";
    for (fen, found) in [
        ("4k3/8/3n1n2/8/4P3/8/8/4K3 w - - 0 1", forked),
        // The rook guards e5, and nothing supports a pawn there.
        ("2k1r3/8/3n1n2/8/4P3/8/8/4K3 w - - 0 1", ""),
        ("2k1r3/8/3n1n2/8/4P3/6B1/8/4K3 w - - 0 1", forked),
        // A pawn guards e5.
        ("4k3/8/3n1p2/8/4P3/6B1/8/4K3 w - - 0 1", ""),
        // Two ranks are one advance.
        ("4k3/8/8/8/3n1n2/8/4P3/4K3 w - - 0 1", "d4 f4"),
        ("4k3/8/8/3n1n2/8/8/4P3/4K3 w - - 0 1", "d5 f5"),
        ("4k3/8/8/3n1n2/8/4b3/4P3/4K3 w - - 0 1", ""),
    ] {
        assert_eq!(squares(fen, PAWN_TARGET), format!(", {found}"), "{fen}");
    }
}

#[test]
fn the_structure_of_pawns_is_found() {
    let fen = "4r1k1/1pp2p2/8/8/P2N4/8/5P2/3RK3 w - - 0 1";
    assert_eq!(squares(fen, ISOLATED), "f2 a4, f7");
    // b7 attacks a6, in front of the pawn on a4; c7 may advance to attack d4.
    assert_eq!(squares(fen, PAST_PAWNS), ", c7");
    let advanced = "4k3/p1p5/1P1N4/3p4/1N6/8/8/4K3 b - - 0 1";
    assert_eq!(squares(advanced, PAST_PAWNS), ", d5");
}

#[test]
fn passed_pawns_are_free_or_held() {
    for (fen, free, held) in [
        ("8/k7/4P3/8/8/8/8/K7 w - - 0 1", "e6", ""),
        // The king attacks e7, and then White's king defends it.
        ("4k3/8/4P3/8/8/8/8/K7 w - - 0 1", "", "e6"),
        ("4k3/8/3KP3/8/8/8/8/8 w - - 0 1", "", ""),
        ("8/k3n3/4P3/8/8/8/8/K7 w - - 0 1", "", "e6"),
        // The rook waits on e8.
        ("4r3/8/4P3/8/8/8/8/K1k5 w - - 0 1", "", "e6"),
        ("r7/8/4P3/8/8/8/8/K1k5 w - - 0 1", "", ""),
    ] {
        assert_eq!(squares(fen, FREE_PASSER), format!("{free}, "), "{fen}");
        assert_eq!(squares(fen, HELD_PASSER), format!("{held}, "), "{fen}");
    }
}

#[test]
fn safe_checks_are_found() {
    let fen = "6k1/8/8/8/6n1/8/5PPP/3r2K1 w - - 0 1";
    // f3 and h3 belong to the pawns; e2 is safe for the knight, but it does not get there.
    assert_eq!(squares(fen, SAFE_CHECK), "BlackRook e1");
    let open = "6k1/8/8/8/2q5/8/8/K7 b - - 0 1";
    // The king itself guards a2.
    assert_eq!(squares(open, SAFE_CHECK), "BlackQueen c1 f1 c3 a4 d4 a6");
}

#[test]
fn contact_checks_need_support() {
    let fen = "6k1/8/8/8/8/5p1q/8/6K1 b - - 0 1";
    // The pawn supports the queen on g2.
    assert_eq!(squares(fen, CONTACT_CHECK), "BlackQueen g2");
    let guarded = "6k1/8/8/8/8/5p1q/R7/6K1 b - - 0 1";
    assert_eq!(squares(guarded, CONTACT_CHECK), "");
}

#[test]
fn safe_attacks_on_valuable_pieces_are_found() {
    // The knight comes to b3 and c2 to attack the rook, and the king guards c2; the bishop attacks
    // the other rook by capturing the pawn.
    let fen = "3r3k/4p3/8/8/3n4/B7/3K4/R7 b - - 0 1";
    assert_eq!(squares(fen, SAFE_ATTACK), "WhiteBishop e7, BlackKnight b3");
    // On d4 the knight forks rook and queen; the rook guards c5.
    let fen = "4k3/8/4q3/1r6/8/1N2N3/8/4K3 w - - 0 1";
    assert_eq!(squares(fen, SAFE_ATTACK), "WhiteKnight d4");
}

#[test]
fn no_board_has_more_relations_than_fit() {
    // A board full of attackers, which no game reaches and no FEN may describe.
    let mut colors = [Bitboard::EMPTY; 2];
    let mut kinds = [Bitboard::EMPTY; PieceType::COUNT];
    let queens = [0, 1, 6, 7].map(Bitboard::rank);
    kinds[PieceType::Queen.index()] = queens.into_iter().fold(Bitboard::EMPTY, BitOr::bitor);
    for square in kinds[PieceType::Queen.index()] {
        colors[usize::from(square.file() % 2)] |= square.bitboard();
    }
    for (color, king) in colors.iter_mut().zip([Square::at(3, 2), Square::at(3, 4)]) {
        *color |= king.bitboard();
        kinds[PieceType::King.index()] |= king.bitboard();
    }
    let crowded = all(colors, kinds);
    for sets in [crowded, relations(&Board::startpos())] {
        let count: u32 = sets.iter().map(|set| set.count()).sum();
        assert!(count as usize <= MAX_RELATIONS);
    }
}
