use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::*;
use crate::terminal::study::move_of;
use rejoinder::tt::Bound;
use rejoinder::types::score::{mate_in, mated_in};

/// A scene to draw.
struct Scene {
    start: Board,
    moves: Vec<Move>,
    at: usize,
    game: Game,
    title: String,
    notes: Notes,
    shares: HashMap<u64, u32>,
    lines: Vec<Report>,
    wanted: usize,
    state: State,
    flipped: bool,
    footer: Footer,
}

fn read(board: &Board, text: &str) -> Vec<Move> {
    let mut after = *board;
    let read = |word| {
        let mv = move_of(&after, word).unwrap_or_else(|| panic!("{word} is illegal"));
        after.make(mv);
        mv
    };
    text.split_whitespace().map(read).collect()
}

impl Scene {
    fn new(fen: &str, moves: &str, back: usize) -> Self {
        let start = match fen {
            "" => Board::startpos(),
            fen => Board::from_fen(fen).expect("the test's FEN is invalid"),
        };
        let moves = read(&start, moves);
        let at = moves.len() - back;
        let mut game = Game::new(start);
        moves[..at].iter().for_each(|&mv| game.play(mv));
        Self {
            start,
            moves,
            at,
            game,
            title: String::new(),
            notes: Notes::default(),
            shares: HashMap::new(),
            lines: Vec::new(),
            wanted: 1,
            state: State::Searching,
            flipped: false,
            footer: Footer::Keys,
        }
    }

    /// Adds a line with a score in internal centipawns from the side to move.
    fn line(mut self, score: Score, pv: &str) -> Self {
        let rank = self.lines.len() + 1;
        self.lines.push(Report {
            depth: 25,
            seldepth: 43,
            multi_pv: rank,
            score,
            bound: Bound::Exact,
            nodes: 0,
            elapsed: Duration::ZERO,
            hashfull: 0,
            tb_hits: 0,
            pv: read(self.game.board(), pv),
            lengthened: None,
        });
        self.wanted = rank;
        self
    }

    fn draw(&self, canvas: Canvas) -> Vec<String> {
        draw(&self.view(), canvas)
    }

    fn view(&self) -> View<'_> {
        View {
            game: &self.game,
            title: &self.title,
            notes: &self.notes,
            shares: &self.shares,
            threads: 2,
            start: &self.start,
            moves: &self.moves,
            at: self.at,
            lines: &self.lines,
            wanted: self.wanted,
            win_rate: WinRate::DEFAULT,
            state: self.state,
            elapsed: Duration::from_millis(2760),
            nodes: 6_326_086,
            hashfull: 234,
            tb_hits: 0,
            flipped: self.flipped,
            footer: self.footer.clone(),
        }
    }
}

const CANVAS: Canvas = Canvas {
    width: 80,
    height: 24,
    color: false,
    unicode: true,
    figurines: false,
};

fn sized(width: usize, height: usize) -> Canvas {
    Canvas {
        width,
        height,
        ..CANVAS
    }
}

/// A game whose positions were searched up to the third.
fn game() -> Scene {
    let mut scene = Scene::new("", "e4 e5 Nf3 Nc6 Bb5 a6", 3).line(-30, "Nc6 Bb5");
    scene.title = "Ruy, L - Player 1-0".to_owned();
    let mut board = scene.start;
    for (share, mv) in [540, 560, 300, 990].into_iter().zip(&scene.moves) {
        scene.shares.insert(board.key(), share);
        board.make(*mv);
    }
    scene
}

/// The same game as `annotate` writes it, at its third move.
fn annotated() -> Scene {
    let mut scene = game();
    let text = "{ White: accuracy 90.0%, 1 inaccuracy, 0 mistakes, 0 blunders. Black: accuracy 97.5%, 0 inaccuracies, 0 mistakes, 0 blunders. Rejoinder 0.1.0, 300 nodes a position. } 1. e4 { [%eval 0.3] } e5 2. Nf3 $6 { [%eval -0.7] The second move was better. } ( 2. d4 { [%eval 0.4] } 2... exd4 3. Qxd4 ) ( 2. Bc4 ) 2... Nc6 3. Bb5 $7 a6 *";
    scene.notes = crate::annotate::notes_of(text);
    scene.shares.clear();
    for (board, chance) in scene.notes.chances(&scene.start) {
        scene.shares.insert(board.key(), per_mille(chance));
    }
    scene
}

fn annotated_start() -> Scene {
    let mut scene = annotated();
    (scene.at, scene.game) = (0, Game::new(scene.start));
    scene.lines.clear();
    scene.line(30, "e4 e5")
}

fn opening() -> Scene {
    Scene::new("", "", 0).line(
        114,
        "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7 Nbd2 cxd4 cxd4 Nc6 Nb3 a5 Be3 a4 Nbd2 Bd7 Rc1 Qb7 Nf1 Rfe8",
    )
}

fn sicilian() -> Scene {
    Scene::new("", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", 7)
        .line(-60, "d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3 e5 Nb3 Be6 f3 h5 Nd5")
        .line(-75, "Nc6 Bb5 g6 O-O Bg7")
        .line(20, "e6")
}

fn castling() -> Scene {
    let fen = "nqbbrkrn/pppppppp/8/8/8/8/PPPPPPPP/NQBBRKRN w GEge - 0 1";
    Scene::new(fen, "f3 f6 Ng3 Ng6 Nf5 O-O", 0).line(35, "O-O e6 Ng3 d5")
}

fn scenes() -> Vec<(&'static str, Scene, Canvas)> {
    let ascii = Canvas {
        unicode: false,
        ..CANVAS
    };
    let stopped = |scene: Scene| Scene {
        state: State::Stopped,
        flipped: true,
        ..scene
    };
    let with = |scene: Scene, footer| Scene { footer, ..scene };
    let mate = "r5k1/5ppp/8/8/8/8/5PPP/R5K1 b - - 0 1";
    vec![
        ("the start position", opening(), CANVAS),
        ("60 columns", opening(), sized(60, 24)),
        ("120 columns", opening(), sized(120, 24)),
        ("the past, the future and three lines", sicilian(), CANVAS),
        ("the same in 60 columns", sicilian(), sized(60, 24)),
        ("the same in 120 columns", sicilian(), sized(120, 30)),
        ("stopped, from Black's side", stopped(sicilian()), CANVAS),
        ("ASCII", stopped(sicilian()), ascii),
        ("nothing is known yet", Scene::new("", "", 0), CANVAS),
        ("Chess960", castling(), CANVAS),
        (
            "Black mates",
            Scene::new(mate, "", 0).line(mate_in(1), "Rxa1"),
            sized(60, 14),
        ),
        (
            "Black is mated",
            Scene::new("4k3/R7/8/8/8/8/8/1R4K1 b - - 0 1", "", 0).line(mated_in(2), "Kd8 Rb8"),
            sized(60, 14),
        ),
        ("checkmate", Scene::new("", "f3 e5 g4 Qh4", 0), CANVAS),
        (
            "stalemate",
            Scene::new("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "Qf7", 0),
            sized(60, 14),
        ),
        (
            "drawn by repetition",
            Scene::new("", "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", 0).line(0, "Nf3"),
            sized(60, 16),
        ),
        (
            "a move is typed",
            with(opening(), Footer::Input("Nf".to_owned())),
            sized(60, 12),
        ),
        (
            "a message",
            with(opening(), Footer::Note("there is no line 3".to_owned())),
            sized(60, 12),
        ),
        (
            "the view that stays",
            with(sicilian(), Footer::None),
            CANVAS,
        ),
        ("narrow", sicilian(), sized(40, 18)),
        ("very narrow", sicilian(), sized(28, 18)),
        ("flat", sicilian(), sized(80, 8)),
        ("tiny", sicilian(), sized(20, 8)),
        ("two rows", sicilian(), sized(20, 2)),
        ("a game of a file", game(), sized(70, 20)),
        ("an annotated game", annotated(), CANVAS),
        ("its beginning", annotated_start(), CANVAS),
        (
            "the same in ASCII",
            annotated(),
            Canvas {
                height: 18,
                ..ascii
            },
        ),
        (
            "a large terminal with figurines",
            game(),
            Canvas {
                figurines: true,
                ..sized(110, 36)
            },
        ),
    ]
}

#[test]
fn the_bar_measures_as_marks_do() {
    let after_e4 = || Scene::new("", "e2e4", 0);
    let share = |scene: Scene| scene.view().white_share();
    assert_eq!(share(after_e4()), None);
    assert_eq!(share(after_e4().line(0, "e7e5")), Some(500));
    // The side to move is Black, and no score fills the bar but a mate on the board.
    assert_eq!(share(after_e4().line(mate_in(3), "e7e5")), Some(25));
    assert_eq!(share(after_e4().line(mated_in(4), "e7e5")), Some(975));
    let shares = [-300, -40, 40, 300].map(|score| share(after_e4().line(score, "e7e5")));
    assert!(shares.is_sorted_by(|more, less| more > less), "{shares:?}");
}

/// The views of all scenes are in a file, to be looked at. If they change on purpose, the test
/// prints them as they are now.
#[test]
fn screens_are_exactly_these() {
    let mut drawn = String::new();
    for (name, scene, canvas) in scenes() {
        let Canvas { width, height, .. } = canvas;
        writeln!(drawn, "=== {name}, {width}x{height}").expect("a string takes all");
        for row in scene.draw(canvas) {
            writeln!(drawn, "{row}").expect("a string takes all");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/screens.txt");
    let known = fs::read_to_string(path).unwrap_or_default();
    assert!(
        drawn == known.replace("\r\n", "\n"),
        "now they are:\n{drawn}"
    );
}

/// Sizes of terminals, with all of the small ones.
fn sizes() -> impl Iterator<Item = (usize, usize)> {
    let widths = (0..12).chain((12..130).step_by(7));
    let small = widths.flat_map(|width| (0..30).map(move |height| (width, height)));
    small.chain([(106, 34), (107, 33), (120, 40), (200, 60)])
}

#[test]
fn nothing_is_larger_than_the_canvas() {
    let scenes = [
        opening(),
        sicilian(),
        castling(),
        game(),
        annotated(),
        annotated_start(),
        Scene::new("", "", 0),
    ];
    for scene in &scenes {
        for (width, height) in sizes() {
            for color in [false, true] {
                let canvas = Canvas {
                    color,
                    ..sized(width, height)
                };
                let rows = scene.draw(canvas);
                assert!(rows.len() <= height, "{width}x{height}");
                for row in rows {
                    let text = anstream::adapter::strip_str(&row).to_string();
                    assert!(text.chars().count() <= width, "{width}x{height}: {text}");
                }
            }
        }
    }
}

#[test]
fn colors_are_an_offer() {
    let scene = sicilian();
    let plain = scene.draw(CANVAS).join("\n");
    assert!(!plain.contains('\u{1b}'));
    let colored = scene.draw(Canvas {
        color: true,
        ..CANVAS
    });
    assert!(colored.join("\n").contains('\u{1b}'));
    let ascii = Canvas {
        unicode: false,
        ..CANVAS
    };
    assert!(scene.draw(ascii).iter().all(|row| row.is_ascii()));
}

#[test]
fn the_bar_belongs_to_the_side_that_stands_better() {
    let count = |score, flipped| {
        let scene = Scene {
            flipped,
            ..Scene::new("", "e4", 0).line(score, "e5")
        };
        let rows = scene.draw(CANVAS);
        let white = rows.iter().take(8).map(|row| row.contains('█'));
        white.collect::<Vec<_>>()
    };
    // It is Black's move: a score above zero is good for Black.
    assert_eq!(count(mate_in(3), false), [false; 8]);
    assert_eq!(count(mated_in(2), false), [true; 8]);
    let even = count(0, false);
    assert_eq!(even, [false, false, false, false, true, true, true, true]);
    let from_black = count(0, true);
    assert_eq!(from_black, even.iter().rev().copied().collect::<Vec<_>>());
}
