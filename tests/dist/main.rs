//! Tests the programs that `make dist` builds, each on the CPU that it is for or an emulator of it.
//! Run by `make check-dist`.
//!
//! Each program must depend only on libraries of the system, have its version in its name, and say
//! so if the CPU is too old. The engine must give the signature and play a game, the program for
//! study must analyze. Programs that cannot be run here are named and skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;
use std::{env, fs};

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Position};

#[path = "../conversation/session.rs"]
#[expect(dead_code, reason = "only a game is played here")]
mod session;
use session::{Session, after, check_answer};

use rejoinder::board::Board;

/// The length of a game in plies.
const PLIES: usize = 60;
/// The number of nodes per move; small, because emulators are slow.
const NODES: u64 = 3000;
/// The libraries that every Windows since version 10 has.
const WINDOWS_LIBRARIES: [&str; 8] = [
    "advapi32.dll",
    "api-ms-win-core-synch-l1-2-0.dll",
    "bcryptprimitives.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ntdll.dll",
    "user32.dll",
    "ws2_32.dll",
];

/// A way to run one of the programs.
struct Run {
    /// The end of the file's name, without `.exe`.
    platform: &'static str,
    /// The command that starts the program, with its arguments; empty if it runs on this machine
    /// itself.
    runner: &'static [&'static str],
    /// True if this machine itself can run it.
    fits: fn() -> bool,
    /// A command that starts the program on a CPU that lacks what it needs.
    too_old: Option<&'static [&'static str]>,
}

const RUNS: [Run; 8] = [
    Run {
        platform: "linux-x86-64-v2",
        runner: &[],
        fits: || level() >= 2,
        too_old: Some(&["qemu-x86_64", "-cpu", "core2duo"]),
    },
    Run {
        platform: "linux-x86-64-v2",
        runner: &["qemu-x86_64", "-cpu", "Nehalem"],
        fits: || true,
        too_old: None,
    },
    Run {
        platform: "linux-x86-64-v3",
        runner: &[],
        fits: || level() >= 3,
        too_old: Some(&["qemu-x86_64", "-cpu", "Nehalem"]),
    },
    Run {
        platform: "linux-x86-64-v3",
        runner: &["qemu-x86_64", "-cpu", "Haswell"],
        fits: || true,
        too_old: None,
    },
    Run {
        platform: "linux-x86-64-v4",
        runner: &[],
        fits: || level() >= 4,
        too_old: Some(&["qemu-x86_64", "-cpu", "Haswell"]),
    },
    Run {
        platform: "linux-aarch64",
        runner: &["qemu-aarch64", "-cpu", "cortex-a53"],
        fits: || true,
        too_old: None,
    },
    Run {
        platform: "windows-x86-64-v2",
        runner: &["wine"],
        fits: || level() >= 2,
        too_old: None,
    },
    Run {
        platform: "windows-x86-64-v3",
        runner: &["wine"],
        fits: || level() >= 3,
        too_old: None,
    },
];

/// Returns the x86-64 level of this machine; 0 on other architectures.
fn level() -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let levels = [
            is_x86_feature_detected!("popcnt"),
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2"),
            is_x86_feature_detected!("avx512vl"),
        ];
        1 + levels.into_iter().take_while(|fits| *fits).count() as u32
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

impl Run {
    /// Returns the path of this program for the platform; `None` if it was not built.
    fn file(&self, program: &str) -> Option<PathBuf> {
        let end = if self.platform.starts_with("windows") {
            ".exe"
        } else {
            ""
        };
        let name = format!(
            "{program}-{}-{}{end}",
            env!("CARGO_PKG_VERSION"),
            self.platform
        );
        Some(root().join("dist").join(name)).filter(|path| path.is_file())
    }

    /// Returns the path of this program, or why it cannot be run.
    fn prepare(&self, program: &str) -> Result<PathBuf, String> {
        let file = self.file(program).ok_or("not built")?;
        if let Some(runner) = self.runner.first() {
            installed(runner)?;
        }
        if !(self.fits)() {
            return Err("this CPU is too old".to_owned());
        }
        Ok(file)
    }

    fn name(&self) -> String {
        if self.runner.is_empty() {
            "this CPU".to_owned()
        } else {
            self.runner.join(" ").replace(" -cpu", "")
        }
    }
}

/// Checks that a program is in the path.
fn installed(program: &str) -> Result<(), String> {
    let folders = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&folders).any(|folder| folder.join(program).is_file());
    found
        .then_some(())
        .ok_or_else(|| format!("no {program} here"))
}

/// Returns the command that starts the program with this runner.
fn command(runner: &[&str], file: &Path) -> Command {
    let mut words = runner
        .iter()
        .copied()
        .map(AsRef::as_ref)
        .chain([file.as_os_str()]);
    let mut command = Command::new(words.next().expect("there is no program"));
    command.args(words);
    if runner == ["wine"] {
        // Wine gets a folder of its own, with the library that wine 8 lacks.
        let folder = root().join("target/wine");
        command.env("WINEPREFIX", folder.join("prefix"));
        command.env("WINEPATH", format!("Z:{}", folder.display()));
        command.env("WINEDEBUG", "-all");
    }
    command
}

/// Returns the output of the program for these arguments, without carriage returns.
fn output(mut command: Command, arguments: &[&str]) -> (Output, String) {
    let output = command
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .expect("cannot start the program");
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    (output, text)
}

/// Builds a replacement for a library that wine 8 lacks, if there is a compiler.
fn build_stand_in() {
    static ONCE: Once = Once::new();
    ONCE.call_once(compile_stand_in);
}

fn compile_stand_in() {
    let folder = root().join("target/wine");
    fs::create_dir_all(&folder).expect("cannot create a folder");
    if let Err(reason) = installed("x86_64-w64-mingw32-gcc") {
        println!("SKIPPED: the stand-in for bcryptprimitives.dll ({reason})");
        return;
    }
    let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
    compiler.args(["-O1", "-shared", "-o"]);
    compiler.arg(folder.join("bcryptprimitives.dll"));
    compiler.arg(root().join("tests/wine/bcryptprimitives.c"));
    let (output, _) = output(compiler, &["-ladvapi32"]);
    assert!(output.status.success(), "{output:?}");
}

/// Returns the libraries that the program depends on, as binutils list them.
fn libraries(platform: &str, file: &Path) -> Result<Vec<String>, String> {
    let (program, argument, label) = if platform.starts_with("windows") {
        ("x86_64-w64-mingw32-objdump", "-p", "DLL Name: ")
    } else {
        ("readelf", "-d", "(NEEDED)")
    };
    installed(program)?;
    let mut lister = Command::new(program);
    lister.arg(argument).arg(file);
    let (output, text) = output(lister, &[]);
    assert!(output.status.success(), "{output:?}");
    let names = text.lines().filter_map(|line| line.split_once(label));
    Ok(names.map(|(_, name)| name.trim().to_lowercase()).collect())
}

/// Checks that the program needs no library but those of the system.
fn check_libraries(platform: &str, file: &Path) {
    match libraries(platform, file) {
        Ok(names) => assert!(
            names
                .iter()
                .all(|name| WINDOWS_LIBRARIES.contains(&name.as_str())),
            "{} asks for {names:?}",
            file.display()
        ),
        Err(reason) => println!("SKIPPED: the libraries of {platform} ({reason})"),
    }
}

/// Plays a game of the program against itself, checks every move and line, and returns its length
/// in plies.
fn game(mut command: Command) -> usize {
    // Emulators print warnings about unsupported CPU features.
    command.stderr(Stdio::null());
    let mut session = Session::of(&mut command);
    let hello = session.ask("uci", "uciok");
    // A commit may follow.
    let name = concat!("id name Rejoinder ", env!("CARGO_PKG_VERSION"));
    let is_name = |line: &String| line.split('+').next() == Some(name);
    assert!(hello.iter().any(is_name), "{hello:#?}");
    for line in [
        "setoption name Hash value 64",
        "setoption name Threads value 2",
        "ucinewgame",
    ] {
        session.send(line);
    }
    let (mut position, mut moves) = (Chess::default(), Vec::<String>::new());
    while moves.len() < PLIES && !position.is_game_over() {
        let line = match moves.len() {
            0 => "position startpos".to_owned(),
            _ => format!("position startpos moves {}", moves.join(" ")),
        };
        session.send(&line);
        let board = board_after(&moves);
        let best = check_answer(
            &board,
            &session.ask(&format!("go nodes {NODES}"), "bestmove"),
        );
        let uci: UciMove = best.parse().expect("not a move in UCI notation");
        let mv = uci
            .to_move(&position)
            .unwrap_or_else(|_| panic!("{best} is illegal: {line}"));
        position.play_unchecked(mv);
        moves.push(best);
    }
    session.send("go infinite");
    let last = session.ask("stop", "bestmove");
    assert!(after(last.last().expect("there is no line"), "bestmove").is_some());
    session.quit();
    moves.len()
}

fn board_after(moves: &[String]) -> Board {
    let mut game = rejoinder::board::Game::new(Board::startpos());
    for text in moves {
        let mv = rejoinder::board::coordinates::parse_move(game.board(), text);
        game.play(mv.expect("the move is illegal"));
    }
    *game.board()
}

/// Returns the output of the program on a CPU that is too old for it.
fn refusal(runner: &[&str], file: &Path) -> Result<(), String> {
    installed(runner[0])?;
    let (output, text) = output(command(runner, file), &["uci", "quit"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{runner:?}: {text} {error}");
    assert!(
        error.contains("which this CPU does not support"),
        "{runner:?}: {error}"
    );
    Ok(())
}

#[test]
#[ignore = "needs `make dist`; run by `make check-dist`"]
fn every_program_gives_the_signature_and_plays() {
    let wanted = include_str!("../data/signature").trim();
    build_stand_in();
    let (mut checked, mut skipped, mut wrong) = (0, 0, Vec::new());
    println!(
        "{:<18} {:<24} {:>9} {:>9} {:>6}  too old a CPU",
        "program", "on", "signature", "nps", "plies"
    );
    for run in &RUNS {
        let (platform, on) = (run.platform, run.name());
        let file = match run.prepare("rejoinder") {
            Ok(file) => file,
            Err(reason) => {
                println!("{platform:<18} {on:<24} SKIPPED: {reason}");
                skipped += 1;
                continue;
            }
        };
        check_libraries(platform, &file);
        let (bench, text) = output(command(run.runner, &file), &["bench"]);
        let last: Vec<_> = text.lines().last().unwrap_or_default().split(' ').collect();
        let &[nodes, "nodes", nps, "nps"] = last.as_slice() else {
            panic!("{platform} on {on}: {bench:?}");
        };
        if nodes != wanted {
            wrong.push(format!("{platform} on {on}: {nodes}"));
        }
        let plies = game(command(run.runner, &file));
        let old = match run.too_old.map(|runner| (runner, refusal(runner, &file))) {
            None => "-".to_owned(),
            Some((runner, Ok(()))) => format!("{} is refused", runner[runner.len() - 1]),
            Some((_, Err(reason))) => format!("SKIPPED: {reason}"),
        };
        println!("{platform:<18} {on:<24} {nodes:>9} {nps:>9} {plies:>6}  {old}");
        checked += 1;
    }
    println!("{checked} checked, {skipped} skipped");
    assert!(
        wrong.is_empty(),
        "the signature is {wanted}, but: {wrong:#?}"
    );
    assert!(
        checked > 0,
        "nothing was checked; `make dist` builds the programs"
    );
}

#[test]
#[ignore = "needs `make dist`; run by `make check-dist`"]
fn every_study_program_analyzes() {
    build_stand_in();
    let mut checked = 0;
    for run in &RUNS {
        let (platform, on) = (run.platform, run.name());
        let file = match run.prepare("rejoinder-study") {
            Ok(file) => file,
            Err(reason) => {
                println!("rejoinder-study {platform} on {on}: SKIPPED: {reason}");
                continue;
            }
        };
        check_libraries(platform, &file);
        let options = ["analyze", "--seconds", "1", "--threads", "1", "--hash", "8"];
        let arguments = [&options[..], &["--moves", "f3 e5 g4"]].concat();
        let (analysis, text) = output(command(run.runner, &file), &arguments);
        assert!(
            text.contains("best move: Qh4#"),
            "{platform} on {on}: {analysis:?}"
        );
        if let Some(runner) = run.too_old
            && let Err(reason) = refusal(runner, &file)
        {
            println!("rejoinder-study {platform}: SKIPPED: too old a CPU ({reason})");
        }
        checked += 1;
    }
    assert!(
        checked > 0,
        "nothing was checked; `make dist` builds the programs"
    );
}
