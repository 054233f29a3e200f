//! Tests what users rely on in analysis, over 200 positions each: lines in order, only the
//! requested moves, mates with all their moves.

use rejoinder::board::openings;
use rejoinder::board::{Board, Game};
use rejoinder::clock::Limits;
use rejoinder::search::{Report, Reporter, SearchRequest, Setup};
use rejoinder::shared::SearchResult;
use rejoinder::smp::Solo;
use rejoinder::tt::Bound;
use rejoinder::types::{Move, Rng, score};

const POSITIONS: usize = 200;

/// Keeps all reports.
#[derive(Default)]
struct Listener {
    /// All reports, including bounds that were searched again.
    all: Vec<Report>,
    /// The lines of each report.
    blocks: Vec<Vec<Report>>,
}

impl Reporter for Listener {
    fn report(&mut self, report: &Report) {
        self.all.push(report.clone());
    }

    fn lines(&mut self, lines: &[Report]) {
        self.all.extend_from_slice(lines);
        self.blocks.push(lines.to_vec());
    }
}

/// A search in this thread.
struct Analyst(Solo);

impl Analyst {
    fn new() -> Self {
        Self(Solo::new(Setup::default(), 4).expect("cannot map 4 MB"))
    }

    fn search(
        &mut self,
        board: Board,
        limits: Limits,
        multi_pv: usize,
    ) -> (SearchResult, Listener) {
        let job = SearchRequest {
            multi_pv,
            ..SearchRequest::new(Game::new(board), limits)
        };
        let mut heard = Listener::default();
        let answer = self.0.search(&job, &mut heard);
        for report in &heard.all {
            check_line(&board, report);
        }
        (answer, heard)
    }
}

/// Checks that every move of the line is legal and an exact mate is shown to the end.
fn check_line(board: &Board, report: &Report) {
    let mut after = *board;
    for &mv in &report.pv {
        assert!(after.is_legal(mv), "{report:?} from {}", board.fen(true));
        after.make(mv);
    }
    if report.bound == Bound::Exact && score::is_mate(report.score) {
        let plies = (score::MATE - report.score.abs()) as usize;
        let mated = after.in_check() && after.legal_moves().is_empty();
        assert!(
            mated && report.pv.len() == plies,
            "{report:?} from {}",
            board.fen(true)
        );
    }
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn positions(seed: u64) -> impl Iterator<Item = Board> {
    let mut rng = Rng::new(seed);
    std::iter::repeat_with(move || openings::random(0.25, &mut rng))
        .flatten()
        .filter(|board| !board.legal_moves().is_empty())
        .take(POSITIONS)
}

#[test]
fn lines_come_in_order_and_each_has_a_move_of_its_own() {
    let mut analyst = Analyst::new();
    for (number, board) in positions(1).enumerate() {
        let wanted = [2, 3, 5, 256][number % 4];
        let (answer, heard) = analyst.search(board, nodes(4000 + number as u64), wanted);
        let count = wanted.min(board.legal_moves().len());
        for block in &heard.blocks {
            let ranks: Vec<usize> = block.iter().map(|report| report.multi_pv).collect();
            assert!(ranks.iter().copied().eq(1..=count), "{ranks:?}");
            let mut firsts: Vec<u16> = block.iter().map(|report| report.pv[0].bits()).collect();
            firsts.sort_unstable();
            firsts.dedup();
            assert_eq!(firsts.len(), block.len(), "{block:#?}");
            assert!(block.is_sorted_by_key(|report| -report.score), "{block:#?}");
        }
        let last = heard.blocks.last().expect("there is no report");
        assert_eq!(last[0].pv, answer.pv);
    }
}

#[test]
fn only_the_moves_asked_for_are_searched() {
    let mut analyst = Analyst::new();
    let mut rng = Rng::new(2);
    for board in positions(3) {
        let mut moves: Vec<Move> = board.legal_moves().iter().copied().collect();
        rng.shuffle(&mut moves);
        moves.truncate(1 + rng.below(3));
        let limits = Limits {
            search_moves: moves.clone(),
            ..nodes(1500)
        };
        let (answer, heard) = analyst.search(board, limits, 1 + rng.below(4));
        assert!(moves.contains(&answer.pv[0]));
        assert!(heard.all.iter().all(|report| moves.contains(&report.pv[0])));
        assert!(
            heard
                .all
                .iter()
                .all(|report| report.multi_pv <= moves.len())
        );
    }
}

/// Returns a position with queen and rooks against king and pawn, where mates are near.
fn lopsided(rng: &mut Rng) -> Option<Board> {
    let mut squares: Vec<usize> = (0..64).collect();
    rng.shuffle(&mut squares);
    let pieces = ["KQRkp", "KQkp", "KRRkn", "kqrKP", "KQRRkbp"];
    let mut ranks = vec![['1'; 8]; 8];
    for (piece, square) in rng.choose(&pieces)?.chars().zip(squares) {
        ranks[square / 8][square % 8] = piece;
    }
    let ranks: Vec<String> = ranks.iter().map(|rank| rank.iter().collect()).collect();
    let board = Board::from_fen(&format!("{} w - - 0 1", ranks.join("/"))).ok()?;
    (!board.legal_moves().is_empty()).then_some(board)
}

#[test]
fn mates_are_shown_to_the_end() {
    let mut analyst = Analyst::new();
    let mut rng = Rng::new(4);
    let (mut found, mut wanted) = (0, 0);
    let boards = std::iter::repeat_with(|| lopsided(&mut rng)).flatten();
    for (number, board) in boards.take(POSITIONS).enumerate() {
        // Half of the searches look for a mate in this many moves, some with MultiPV.
        let moves = 3 + number as i32 % 3;
        let limits = Limits {
            mate: (number % 2 == 0).then_some(moves),
            ..nodes(20_000)
        };
        let (answer, _) = analyst.search(board, limits, 1 + number % 3);
        let mate = score::mate_distance(answer.score);
        found += usize::from(mate.is_some());
        wanted += usize::from(number % 2 == 0 && mate.is_some_and(|n| n > 0 && n <= moves));
    }
    assert!(found > POSITIONS / 4, "only {found} mates were found");
    assert!(wanted > POSITIONS / 16, "only {wanted} mates were near");
}

#[test]
fn a_number_of_nodes_is_kept_and_gives_the_same_answer_again() {
    let mut analyst = Analyst::new();
    for (number, board) in positions(5).take(40).enumerate() {
        let limit = 500 + 97 * number as u64;
        let mut run = || {
            analyst.0.forget();
            let (answer, _) = analyst.search(board, nodes(limit), 1);
            (answer, analyst.0.stats().nodes)
        };
        let (first, second) = (run(), run());
        assert_eq!(first, second);
        // A few more nodes are entered on the way back.
        assert!(first.1 <= limit + 10, "{} of {limit}", first.1);
    }
}
