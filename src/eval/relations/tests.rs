use super::*;
use crate::board::Board;
use crate::types::Rng;

fn relations(board: &Board) -> RelationSets {
    find(
        COUNTS[2],
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
    let found = ATTACKERS.iter().zip(&sets[OF_PIECES..]);
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
                assert_eq!(sets[LOOSE].has(square), !defended && !king);
                let by_pawn = (attackers & board.pieces(us, PieceType::Pawn)).any();
                assert_eq!(sets[DEFENDED_BY_PAWN].has(square), by_pawn);

                // Without a pinned piece, one more piece would attack the king.
                let others = board.occupied() & !square.bitboard();
                let attackers = |occupied| board.attackers(board.king(us), occupied).0;
                let revealed = attackers(others) & !attackers(board.occupied());
                let exposed = (Bitboard(revealed) & board.color(them)).any();
                assert_eq!(sets[PINNED].has(square), exposed && !king, "{board:?}");
            }
            let moves = board.legal_moves();
            let Some(mv) = rng.choose(&moves) else { break };
            board.make(mv);
        }
    }
}

#[test]
fn files_without_pawns_are_found() {
    // White has an isolated pawn on a4; the king stands on White's own half-open file.
    let fen = "4r1k1/1pp2p2/8/8/P2N4/8/5P2/3RK3 w - - 0 1";
    assert_eq!(squares(fen, NO_OWN_PAWNS), "d1 e1 f2 a4, f7 e8 g8");
    // b7 attacks a6, in front of the pawn on a4; c7 may advance to attack d4.
    assert_eq!(squares(fen, NO_ENEMY_PAWNS), "d1 e1, c7 e8 g8");
    let advanced = "4k3/p1p5/1P1N4/3p4/1N6/8/8/4K3 b - - 0 1";
    assert_eq!(squares(advanced, NO_ENEMY_PAWNS), "e1, d5 e8");
}

#[test]
fn a_king_is_attacked_from_near_and_far() {
    let fen = "6k1/8/8/8/6n1/8/5PPP/3r2K1 w - - 0 1";
    assert_eq!(squares(fen, NEAR_KING), "BlackKnight f2 h2, BlackRook f1");
    // f3 and h3 belong to the pawns; e2 is safe for the knight, but it does not get there.
    assert_eq!(squares(fen, SAFE_CHECK), "BlackRook e1");
    let open = "6k1/8/8/8/2q5/8/8/K7 b - - 0 1";
    // The king itself guards a2.
    assert_eq!(squares(open, SAFE_CHECK), "BlackQueen c1 f1 c3 a4 d4 a6");
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
    let crowded = find(COUNTS[2], colors, kinds);
    for sets in [crowded, relations(&Board::startpos())] {
        let count: u32 = sets.iter().map(|set| set.count()).sum();
        assert!(count as usize <= MAX_RELATIONS);
    }
}
