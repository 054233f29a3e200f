//! Compares the rules with those of shakmaty in random games of standard chess, Chess960 and double
//! Chess960.

use proptest::prelude::*;
use rejoinder::board::repetition::{can_repeat, is_repetition};
use rejoinder::board::{Board, Game, Outcome, san};
use rejoinder::params::Params;
use rejoinder::types::{Bitboard, Color, Move, MoveKind, PieceType, Square};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, PositionError, Role};

// ---- Conversions between the libraries --------------------------------------

fn parse(fen: &str) -> Option<Chess> {
    let fen: Fen = fen.parse().expect("shakmaty cannot read the FEN");
    fen.into_position(CastlingMode::Chess960)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

fn fen_of(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

fn square(square: shakmaty::Square) -> Square {
    Square::new(square as u8)
}

fn kind(role: Role) -> PieceType {
    match role {
        Role::Pawn => PieceType::Pawn,
        Role::Knight => PieceType::Knight,
        Role::Bishop => PieceType::Bishop,
        Role::Rook => PieceType::Rook,
        Role::Queen => PieceType::Queen,
        Role::King => PieceType::King,
    }
}

fn translate(mv: shakmaty::Move) -> Move {
    let from = square(mv.from().expect("the move is a drop"));
    let to = square(mv.to());
    let two_steps = mv.role() == Role::Pawn && from.rank().abs_diff(to.rank()) == 2;
    let how = match (mv, mv.promotion()) {
        (shakmaty::Move::EnPassant { .. }, _) => MoveKind::EnPassant,
        (shakmaty::Move::Castle { .. }, _) => MoveKind::Castle,
        (_, Some(role)) if mv.is_capture() => MoveKind::CapturePromotion(kind(role)),
        (_, Some(role)) => MoveKind::Promotion(kind(role)),
        _ if mv.is_capture() => MoveKind::Capture,
        _ if two_steps => MoveKind::DoublePush,
        _ => MoveKind::Quiet,
    };
    Move::new(from, to, how)
}

fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<u16> {
    let mut codes: Vec<_> = moves.into_iter().map(Move::bits).collect();
    codes.sort_unstable();
    codes
}

// ---- Games ------------------------------------------------------------------

/// Returns the back rank of the Chess960 start position `number`, 0 to 959, in lower case.
// Source: https://www.chessprogramming.org/Reinhard_Scharnagl
fn back_rank(number: usize) -> String {
    fn put(row: &mut [char; 8], letter: char, gap: usize) {
        let free: Vec<_> = (0..8).filter(|&file| row[file] == '-').collect();
        row[free[gap]] = letter;
    }
    const KNIGHTS: [(usize, usize); 10] = [
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
        (3, 4),
    ];
    let mut row = ['-'; 8];
    row[number % 4 * 2 + 1] = 'b';
    row[number / 4 % 4 * 2] = 'b';
    put(&mut row, 'q', number / 16 % 6);
    let (first, second) = KNIGHTS[number / 96];
    put(&mut row, 'n', second);
    put(&mut row, 'n', first);
    for letter in ['r', 'k', 'r'] {
        put(&mut row, letter, 0);
    }
    row.iter().collect()
}

fn start(white: usize, black: usize) -> String {
    let (white, black) = (back_rank(white).to_ascii_uppercase(), back_rank(black));
    let rooks = |row: &str, rook| -> String {
        let files = row
            .match_indices(rook)
            .map(|(file, _)| (b'a' + file as u8) as char);
        files.rev().collect()
    };
    let rights = rooks(&white, 'R').to_ascii_uppercase() + &rooks(&black, 'r');
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w {rights} - 0 1")
}

/// FENs of start positions of standard chess, Chess960 and double Chess960 in equal parts.
fn starts() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(start(518, 518)),
        (0..960_usize).prop_map(|number| start(number, number)),
        (0..960_usize, 0..960_usize).prop_map(|(white, black)| start(white, black)),
    ]
}

/// Returns a start position, and numbers that each pick a move.
fn games(longest: usize) -> impl Strategy<Value = (String, Vec<u16>)> {
    (starts(), prop::collection::vec(any::<u16>(), 1..longest))
}

/// Plays a game in both libraries until it is over or the picks run out, and calls `visit` with
/// every position.
fn walk(start: &str, picks: &[u16], mut visit: impl FnMut(&Board, &Chess)) {
    let mut position = parse(start).expect("the start position is invalid");
    let mut board = Board::from_fen(start).expect("the start position is invalid");
    for &pick in picks {
        visit(&board, &position);
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        let mv = moves[pick as usize % moves.len()];
        position.play_unchecked(mv);
        board.make(translate(mv));
    }
    visit(&board, &position);
}

fn keys(board: &Board) -> [u64; 4] {
    let [white, black] = Color::ALL.map(|color| board.non_pawn_key(color));
    [board.key(), board.pawn_key(), white, black]
}

// ---- Properties of every position -------------------------------------------

fn same_position(board: &Board, position: &Chess) {
    let fen = fen_of(position);
    assert_eq!(board.fen(false), fen);
    assert_eq!(Bitboard(position.checkers().0), board.checkers(), "{fen}");
    assert_eq!(
        position.is_insufficient_material(),
        board.insufficient_material(),
        "{fen}"
    );
    // Incrementally updated keys equal those of the position read from either kind of FEN.
    for text in [fen.clone(), board.fen(true)] {
        let again = Board::from_fen(&text).expect(&text);
        assert_eq!(keys(&again), keys(board), "{text}");
        assert_eq!(again.fen(false), fen);
        assert_eq!(again.fen(true), board.fen(true));
    }
}

fn same_moves(board: &Board, position: &Chess) {
    let fen = fen_of(position);
    let legal = sorted(board.legal_moves());
    assert_eq!(
        legal,
        sorted(position.legal_moves().into_iter().map(translate)),
        "{fen}"
    );

    let (captures, quiets) = (board.captures(), board.quiets());
    assert!(
        captures.iter().all(|mv| !mv.is_quiet()),
        "{fen}: {captures:?}"
    );
    assert!(quiets.iter().all(|mv| mv.is_quiet()), "{fen}: {quiets:?}");
    assert_eq!(sorted(captures.into_iter().chain(quiets)), legal, "{fen}");
}

fn same_effects(board: &Board, position: &Chess) {
    for theirs in position.legal_moves() {
        let mv = translate(theirs);
        let (mut after, mut expected) = (*board, position.clone());
        after.make(mv);
        expected.play_unchecked(theirs);
        assert_eq!(after.fen(false), fen_of(&expected), "{board:?} {mv:?}");
        assert_eq!(after.in_check(), expected.is_check(), "{board:?} {mv:?}");
        assert_eq!(
            board.gives_check(mv),
            expected.is_check(),
            "{board:?} {mv:?}"
        );
        let played = board.describe(mv);
        assert_eq!(played.mv, mv);
        assert_eq!(played.piece.kind(), kind(theirs.role()), "{board:?} {mv:?}");
        assert_eq!(played.piece.color(), board.side_to_move());
        assert_eq!(
            played.captured,
            theirs.capture().map(kind),
            "{board:?} {mv:?}"
        );
    }
}

/// SAN is written as shakmaty writes it, and can be read back.
fn same_notation(board: &Board, position: &Chess) {
    for theirs in position.legal_moves() {
        let mv = translate(theirs);
        let text = san::to_san(board, mv);
        let expected = SanPlus::from_move(position.clone(), theirs);
        assert_eq!(text, expected.to_string(), "{board:?}");
        assert_eq!(san::parse(board, &text), Some(mv), "{board:?} {text}");
    }
}

/// Of all 65,536 codes, exactly the generated moves are legal.
fn same_legality(board: &Board) {
    let legal = (0..=u16::MAX).filter(|&code| board.is_legal(Move::from_bits(code)));
    assert_eq!(
        legal.collect::<Vec<_>>(),
        sorted(board.legal_moves()),
        "{board:?}"
    );
}

fn null_move_keeps_the_keys(board: &Board) {
    if board.in_check() {
        return;
    }
    let mut passed = *board;
    passed.make_null();
    let again = Board::from_fen(&passed.fen(true)).expect("the FEN is invalid");
    assert_eq!(keys(&passed), keys(&again), "{board:?}");
    assert_eq!(passed.side_to_move(), !board.side_to_move());
}

// ---- Exchanges --------------------------------------------------------------

fn value(role: Role) -> i32 {
    let p = Params::default();
    match role {
        Role::Pawn => p.see_pawn(),
        Role::Knight => p.see_knight(),
        Role::Bishop => p.see_bishop(),
        Role::Rook => p.see_rook(),
        Role::Queen => p.see_queen(),
        Role::King => 0,
    }
}

/// Returns the gain in centipawns of the side to capture on a square with a piece worth `exposed`,
/// if it may stop at any time. The least valuable piece captures first, pins are ignored, and a
/// king captures only undefended pieces.
fn best_reply(
    board: &shakmaty::Board,
    square: shakmaty::Square,
    side: shakmaty::Color,
    exposed: i32,
    occupied: shakmaty::Bitboard,
) -> i32 {
    let takers = board.attacks_to(square, side, occupied) & occupied;
    for role in Role::ALL {
        let Some(from) = (takers & board.by_role(role)).first() else {
            continue;
        };
        let left = occupied.without(from);
        if role == Role::King && (board.attacks_to(square, !side, left) & left).any() {
            return 0;
        }
        return (exposed - best_reply(board, square, !side, value(role), left)).max(0);
    }
    0
}

fn exchange(position: &Chess, mv: shakmaty::Move) -> i32 {
    if mv.is_castle() {
        return 0;
    }
    let (from, to) = (mv.from().expect("the move is a drop"), mv.to());
    let mut occupied = position.board().occupied().without(from).with(to);
    if mv.is_en_passant() {
        occupied = occupied.without(shakmaty::Square::from_coords(to.file(), from.rank()));
    }
    let mut gain = mv.capture().map_or(0, value);
    let mut exposed = value(mv.role());
    if let Some(role) = mv.promotion() {
        gain += value(role) - value(Role::Pawn);
        exposed = value(role);
    }
    gain - best_reply(position.board(), to, !position.turn(), exposed, occupied)
}

fn same_exchanges(board: &Board, position: &Chess) {
    let p = Params::default();
    for theirs in position.legal_moves() {
        let (mv, worth) = (translate(theirs), exchange(position, theirs));
        for threshold in [worth - 300, worth - 1, worth, worth + 1, worth + 300, 0] {
            assert_eq!(
                board.see_ge(&p, mv, threshold),
                worth >= threshold,
                "{board:?} {mv:?} is worth {worth}, threshold {threshold}"
            );
        }
    }
}

fn same_in_all(board: &Board, position: &Chess) {
    same_position(board, position);
    same_moves(board, position);
    same_effects(board, position);
    same_exchanges(board, position);
    same_legality(board);
    same_notation(board, position);
}

/// One earlier occurrence counts after the root and two up to it, and upcoming repetitions are seen
/// one ply before.
fn same_repetitions(game: &Game, position: &Chess, seen: &[Chess], before: usize) {
    let (board, keys) = (game.board(), game.keys());
    let last = seen.iter().rposition(|earlier| earlier == position);
    for ply in [0, 4, 5, seen.len() + 1] {
        let after_root = last.is_some_and(|last| seen.len() - last < ply);
        assert_eq!(
            is_repetition(board, keys, ply),
            after_root || before >= 2,
            "{board:?} {ply}"
        );
    }
    let repeats = position.legal_moves().into_iter().any(|mv| {
        let mut next = position.clone();
        next.play_unchecked(mv);
        seen.contains(&next)
    });
    if repeats {
        assert!(can_repeat(board, keys, seen.len() + 1), "{board:?}");
    }
}

/// Runs this many cases, or as many as `PROPTEST_CASES` says.
fn config(cases: u32) -> ProptestConfig {
    let given = std::env::var_os("PROPTEST_CASES").is_some();
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: if given { default.cases } else { cases },
        failure_persistence: None,
        ..default
    }
}

// ---- Tests ------------------------------------------------------------------

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn games_agree((start, picks) in games(150)) {
        walk(&start, &picks, |board, position| {
            same_position(board, position);
            same_moves(board, position);
            same_effects(board, position);
            null_move_keeps_the_keys(board);
        });
    }

    #[test]
    fn notation_agrees((start, picks) in games(120)) {
        walk(&start, &picks, same_notation);
    }

    #[test]
    fn exchanges_agree((start, picks) in games(120)) {
        walk(&start, &picks, same_exchanges);
    }

    #[test]
    fn any_16_bits_are_judged((start, picks) in games(100), every in 5..20_usize) {
        let mut count = 0;
        walk(&start, &picks, |board, _| {
            count += 1;
            if count % every == 0 {
                same_legality(board);
            }
        });
    }

    /// Half of the moves undo the side's last one, so that positions repeat.
    #[test]
    fn draws_agree((start, picks) in games(200)) {
        let mut position = parse(&start).expect("the start position is invalid");
        let mut game = Game::new(Board::from_fen(&start).expect("the start position is invalid"));
        let mut seen = vec![position.clone()];
        let mut played: Vec<shakmaty::Move> = Vec::new();
        for pick in picks {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let back = played.iter().rev().nth(1).and_then(|last| {
                moves.iter().find(|mv| mv.from() == Some(last.to()) && Some(mv.to()) == last.from())
            });
            let mv = match back {
                Some(&back) if pick % 8 != 0 => back,
                _ => moves[pick as usize % moves.len()],
            };
            position.play_unchecked(mv);
            game.play(translate(mv));
            played.push(mv);
            let before = seen.iter().filter(|earlier| **earlier == position).count();
            let repeated = before >= 2;
            let fifty = position.halfmoves() >= 100 && !position.is_checkmate();
            let drawn = repeated || fifty || position.is_insufficient_material();
            let outcome = if position.is_checkmate() {
                Some(Outcome::win(!game.board().side_to_move()))
            } else {
                (drawn || position.is_stalemate()).then_some(Outcome::Draw)
            };
            prop_assert_eq!(game.outcome(), outcome, "{} {:?}", start, played);
            prop_assert_eq!(game.ply(), played.len());
            prop_assert_eq!(game.played(1).mv, translate(mv));
            same_repetitions(&game, &position, &seen, before);
            seen.push(position.clone());
        }
    }
}

/// FENs with one king per side and up to 24 other pieces anywhere. Depending on `extras`, a king on
/// its back rank may castle with the rooks beside it, and a pawn that could have advanced two
/// squares has just done so.
fn scattered_pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select("PPPPNBRRQppppnbrrq".chars().collect::<Vec<_>>());
    let pieces = prop::collection::vec((0..64_usize, piece), 0..24);
    let kings = (
        prop_oneof![0..64_usize, 56..64_usize],
        prop_oneof![0..64_usize, 0..8_usize],
    );
    (pieces, kings, any::<bool>(), any::<bool>()).prop_map(
        |(pieces, (white, black), white_moves, extras)| {
            // Squares are in the order of a FEN: index 0 is a8.
            let mut board = ['1'; 64];
            for (at, piece) in pieces {
                if !(piece.eq_ignore_ascii_case(&'p') && matches!(at / 8, 0 | 7)) {
                    board[at] = piece;
                }
            }
            board[white] = 'K';
            board[black] = 'k';
            let rows: Vec<String> = board.chunks(8).map(|row| row.iter().collect()).collect();
            let mut rights = String::new();
            let mut skipped = "-".to_owned();
            if extras {
                rights += &castling_letters(&rows[7], 'K', 'R').to_ascii_uppercase();
                rights += &castling_letters(&rows[0], 'k', 'r');
                let (pawn, row, back) = if white_moves {
                    ('p', 3, -8)
                } else {
                    ('P', 4, 8)
                };
                let jumped = (row * 8..row * 8 + 8).find(|&at: &i32| {
                    let [to, over, from] =
                        [at, at + back, at + 2 * back].map(|at| board[at as usize]);
                    (to, over, from) == (pawn, '1', '1')
                });
                if let Some(at) = jumped {
                    skipped = Square::at((at % 8) as u8, 7 - ((at + back) / 8) as u8).to_string();
                }
            }
            if rights.is_empty() {
                rights.push('-');
            }
            let side = if white_moves { 'w' } else { 'b' };
            format!("{} {side} {rights} {skipped} 0 1", rows.join("/"))
        },
    )
}

/// Returns the files of the rooks with which a king on this row may castle, the farthest on either
/// side.
fn castling_letters(row: &str, king: char, rook: char) -> String {
    let Some(king) = row.find(king) else {
        return String::new();
    };
    let farthest = [
        row.rfind(rook).filter(|&at| at > king),
        row.find(rook).filter(|&at| at < king),
    ];
    farthest
        .into_iter()
        .flatten()
        .map(|file| (b'a' + file as u8) as char)
        .collect()
}

/// Valid FENs with some letters changed, dropped, doubled or cut off.
fn spoilt_fens() -> impl Strategy<Value = String> {
    let letters = " /-0123456789abcdefghKQkqNBRPpnbrwx\té€"
        .chars()
        .collect::<Vec<_>>();
    let edit = (
        any::<prop::sample::Index>(),
        0..5,
        prop::sample::select(letters),
    );
    (games(60), prop::collection::vec(edit, 1..5)).prop_map(|((start, picks), edits)| {
        let mut fen = start.clone();
        walk(&start, &picks, |board, _| fen = board.fen(false));
        let mut letters: Vec<char> = fen.chars().collect();
        for (index, edit, letter) in edits {
            let (at, middle) = (index.index(letters.len() + 1), letters.len() / 2);
            match edit {
                1 if at < letters.len() => letters[at] = letter,
                2 if at < letters.len() => drop(letters.remove(at)),
                3 if at < letters.len() => letters.swap(at, middle),
                4 if at > 20 => letters.truncate(at),
                _ => letters.insert(at, letter),
            }
        }
        letters.into_iter().collect()
    })
}

/// From every accepted position the game can go on.
fn accepted_is_playable(text: &str) {
    let Ok(board) = Board::from_fen(text) else {
        return;
    };
    let moves = board.legal_moves();
    for &mv in &moves {
        let mut after = board;
        after.make(mv);
        assert!(after.legal_moves().len() <= 256);
        assert!(board.is_legal(mv), "{text}: {mv:?}");
    }
    let again = Board::from_fen(&board.fen(true)).expect(text);
    assert_eq!(keys(&again), keys(&board), "{text}");
    assert_eq!(again.fen(true), board.fen(true));
}

proptest! {
    #![proptest_config(config(2000))]

    /// Positions with pieces anywhere on the board have the same moves if both libraries accept
    /// them.
    #[test]
    fn odd_positions_agree(board in scattered_pieces()) {
        if let (Ok(board), Some(position)) = (Board::from_fen(&board), parse(&board)) {
            same_in_all(&board, &position);
        }
    }

    #[test]
    fn spoilt_fens_do_no_harm(text in spoilt_fens()) {
        accepted_is_playable(&text);
    }

    #[test]
    fn any_text_does_no_harm(text in "\\PC{0,90}", fields in "[pnbrqkPNBRQK1-8/]{0,72} [wb] [KQkqA-Ha-h-]{0,5} [a-h1-8-]{0,3}") {
        accepted_is_playable(&text);
        accepted_is_playable(&fields);
    }
}

#[test]
fn the_start_position_is_number_518() {
    assert_eq!(
        Board::from_fen(&start(518, 518))
            .expect("the FEN is invalid")
            .fen(false),
        Board::startpos().fen(false)
    );
}

/// The position with the most known legal moves is accepted, but one with more pieces than
/// promotions allow is not.
#[test]
fn no_accepted_position_overflows_a_move_list() {
    let most = Board::from_fen("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
        .expect("the FEN is invalid");
    assert_eq!(most.legal_moves().len(), 218);
    let crowd = "QQQQQQQQ/QQQQQQQQ/8/8/8/QQQQQQQQ/QQQQQQQQ/K6k b - - 0 1";
    assert!(Board::from_fen(crowd).is_err());
}

/// Covers situations that rarely occur in random games.
#[test]
fn rare_positions_agree() {
    for fen in [
        // The castling rook shields its king from a check along the rank.
        "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1",
        "1k1R3r/8/8/8/8/8/8/4K3 b h - 0 1",
        // The king castles without moving, or exchanges places with the rook.
        "4k3/8/8/8/8/8/8/R4KR1 w GA - 0 1",
        "1rk5/8/8/8/8/8/8/4K1R1 b b - 0 1",
        "5k2/8/8/8/8/8/8/RK4R1 w GA - 0 1",
        // En passant captures: pinned along the rank, a diagonal or the file; as an answer to
        // check; giving check.
        "8/8/8/8/k2Pp2Q/8/8/4K3 b - d3 0 1",
        "7k/8/8/8/3Pp3/8/2B5/1K6 b - d3 0 1",
        "4k3/8/8/4r3/3pP3/8/8/4K3 b - e3 0 1",
        "4k3/8/4r3/3pP3/8/8/8/4K3 w - d6 0 1",
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
        "8/8/3k4/8/3Pp3/8/4K3/8 b - d3 0 1",
        // Promotions that give check, capture, or answer a check; a double check; a stalemate.
        "2r1k3/1P6/8/8/8/8/8/4K3 w - - 0 1",
        "3rk3/2P5/8/8/8/8/3K4/8 w - - 0 1",
        "4k3/8/8/8/8/5n2/8/4RK2 b - - 0 1",
        "4k3/8/8/7b/8/8/4r3/3K4 w - - 0 1",
        "k7/2Q5/8/8/8/8/8/4K3 b - - 0 1",
    ] {
        let board = Board::from_fen(fen).expect(fen);
        let position = parse(fen).expect(fen);
        same_in_all(&board, &position);
    }
}

#[test]
fn mate_comes_before_the_fifty_moves() {
    let board = Board::from_fen("7k/8/6K1/8/8/8/8/R7 w - - 99 80").expect("the FEN is invalid");
    for mv in board.quiets() {
        let mut game = Game::new(board);
        game.play(mv);
        let mate = mv.to() == Square::at(0, 7);
        let outcome = if mate {
            Outcome::WhiteWin
        } else {
            Outcome::Draw
        };
        assert_eq!(game.outcome(), Some(outcome), "{mv:?}");
    }
}

#[test]
fn both_letters_of_a_castling_right_mean_the_same() {
    for (shredder, plain) in [
        (
            "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
        ),
        (
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b GBgb - 0 1",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b KQkq - 0 1",
        ),
        (
            "4k3/8/8/8/8/8/8/1R2KRR1 w F - 0 1",
            "4k3/8/8/8/8/8/8/1R2KRR1 w F - 0 1",
        ),
    ] {
        for text in [shredder, plain] {
            let board = Board::from_fen(text).expect(text);
            assert_eq!(board.fen(true), shredder);
            assert_eq!(board.fen(false), plain);
        }
    }
}
