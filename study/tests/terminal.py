#!/usr/bin/env python3
"""Tests an analysis shown live in a real terminal: tmux plays the terminal, presses the
keys and reads the screen.

STUDY and ENGINE are the programs (./rejoinder-study and ./rejoinder if not given); the arguments are
the names of the tests to run.
Ends with 77 if there is no tmux. With --screenshot FILE.svg it draws the image of the README instead,
from what the terminal shows after five seconds.
"""

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
STUDY = Path(os.environ.get("STUDY", ROOT / "rejoinder-study")).resolve()
ENGINE = Path(os.environ.get("ENGINE", ROOT / "rejoinder")).resolve()
SKIPPED = 77
# Seconds until something must have happened, also on a machine that is busy.
PATIENCE = float(os.environ.get("PATIENCE", "20"))
SMALL = "--threads 1 --hash 8 --ascii"


class Terminal:
    """A terminal with a shell in it."""

    def __init__(self, width=80, height=24, variables=""):
        self.folder = Path(tempfile.mkdtemp(prefix="rejoinder-terminal-"))
        self.socket = str(self.folder / "tmux")
        shell = f"env -u NO_COLOR LANG=C.UTF-8 LC_ALL=C.UTF-8 PS1='$ ' {variables} sh"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, shell)
        self.expect(r"^\$")

    def tmux(self, *arguments):
        command = ["tmux", "-u", "-S", self.socket, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stderr}")
        return done.stdout

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def type(self, text):
        """Types a line and the Enter key."""
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", width, "-y", height)

    def expect(self, pattern, absent=False):
        """Waits until the screen has the pattern (or has it no more), and returns the match."""
        end = time.monotonic() + PATIENCE
        while True:
            text = self.screen()
            match = re.search(pattern, text, re.MULTILINE)
            if bool(match) != absent:
                return match
            if time.monotonic() > end:
                verb = "still" if absent else "never"
                raise AssertionError(f"{verb} on the screen: {pattern}\n{text}")
            time.sleep(0.05)

    def run(self, arguments, program=STUDY):
        """Starts a program; afterwards the shell tells how it ended and how it left the line."""
        self.type(f"clear; stty -g > {self.folder}/before; {program} {arguments}; "
                  f"echo end=$?; stty -g > {self.folder}/after")

    def expect_restored(self, code):
        """Waits for the end of the program, and checks that the terminal is as it was."""
        self.expect(rf"^end={code}$")
        time.sleep(0.2)
        before, after = ((self.folder / name).read_text() for name in ("before", "after"))
        assert before == after, f"the line was {before}, is {after}"
        state = self.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{wrap_flag}")
        assert state.split() == ["0", "1", "1"], f"screen, cursor, wrap: {state}"

    def pid(self):
        """The program that runs in this terminal."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        children = subprocess.run(["pgrep", "-P", shell, "-x", STUDY.name[:15]], capture_output=True, text=True)
        return int(children.stdout.split()[0])

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def with_terminal(width=80, height=24, variables=""):
    """Gives a test a terminal of its own."""

    def decorate(test):
        def run():
            terminal = Terminal(width, height, variables)
            try:
                test(terminal)
            finally:
                terminal.close()

        run.__name__ = test.__name__
        TESTS.append(run)
        return run

    return decorate


def plain_test(test):
    TESTS.append(test)
    return test


TESTS = []


@with_terminal()
def keys_do_what_they_say(t):
    t.run(f"analyze {SMALL}")
    t.expect(r"White to move, searching")
    t.expect(r"^8  r  n  b  q  k  b  n  r")
    t.expect(r"nodes +[\d,]+$")
    t.expect(r"^ 1 +[+-]\d+\.\d\d +\d+  1\. ")
    t.expect(r"^q quit  space stop  ")
    t.press("Space")
    t.expect(r"White to move, stopped")
    frozen = t.expect(r"nodes +([\d,]+)")[1]
    time.sleep(0.4)
    assert t.expect(r"nodes +([\d,]+)")[1] == frozen
    t.press("Space")
    t.expect(r"White to move, searching")
    # Lines.
    t.press("+", "+")
    t.expect(r"^ 3 +[+-]")
    t.press("-")
    t.expect(r"^ 3 +[+-]", absent=True)
    t.expect(r"^ 2 +[+-]\S+ +\d+  1\. (\S+)")
    t.press("s")
    # Until then, the lines may change their places.
    t.expect(r"White to move, stopped")
    second = t.expect(r"^ 2 +[+-]\S+ +\d+  1\. (\S+)")[1]
    t.press("2")
    t.expect(rf"^start \[1\. {re.escape(second)}\]$")
    t.expect(r"Black to move, stopped")
    t.press("g")
    t.expect(r"Black to move, searching")
    # A typed move, a bad one, undo.
    t.press("m")
    t.expect(r"^move: _")
    t.press("x", "y", "Enter")
    t.expect(r"^xy is not a legal move here")
    t.press("m", "N", "f", "6", "Enter")
    t.expect(r" \[Nf6\]$")
    t.press("u")
    t.expect(rf"\[1\. {re.escape(second)}\]$")
    # Steps: into the best line, and back to the start.
    t.expect(r"^ 1 +[+-]\S+ +\d+  1\.\.\. \S+ 2\. ")
    t.press("Right", "Right")
    t.expect(r"^start 1\. \S+ \S+ \[2\. \S+\]")
    t.press("Home")
    t.expect(r"^\[start\] 1\. ")
    t.press("Right")
    t.expect(rf"^start \[1\. {re.escape(second)}\] ")
    t.press("Left", "f")
    t.expect(r"^1  R  N  B  K  Q  B  N  R")
    t.press("9")
    t.expect(r"there is no line 9")
    t.press("q")
    t.expect_restored(0)
    t.expect(r"^best move: \S+")


@with_terminal()
def keys_in_a_hurry(t):
    t.run(f"analyze {SMALL}")
    t.expect("searching")
    for _ in range(5):
        t.press("1", "1", "Right", "1", "u", "2", "Right", "Right", "+", "Left", "1", "Home", "Right", "-")
    t.press("Home", "f", "f")
    t.expect(r"^8  r  n  b  q  k  b  n  r +White to move, searching")
    t.press("q")
    t.expect_restored(0)


@with_terminal()
def a_limit_closes_the_view(t):
    t.run(f"analyze {SMALL} --seconds 1")
    t.expect("searching")
    t.expect_restored(0)
    t.expect(r"White to move, finished")
    t.expect(r"^best move: \S+, expecting \S+$")
    t.run(f"analyze {SMALL} --seconds 1")
    t.expect("searching")
    t.press("f")
    t.expect("finished")
    t.expect(r"space deeper")
    t.press("g")
    t.expect("searching")
    t.press("Escape")
    t.expect_restored(0)


@with_terminal(120, 40)
def a_game_of_a_pgn_file(t):
    t.run(f"analyze {SMALL} --pgn {ROOT}/study/tests/data/pgn/mistakes.pgn")
    t.expect(r"^\[start\] 1\. ")
    t.expect(r"^\S.* - \S.* (1-0|0-1|1/2-1/2|\*)$")
    t.press("Right", "Right", "Right")
    t.expect(r"^start 1\. \S+ \S+ \[2\. \S+\] ")
    t.expect(r"score +[+-]")
    t.press("Left")
    t.expect(r"^White [1-8.]*[1-8]")
    t.press("End", "C-c")
    t.expect_restored(0)
    t.run(f"analyze {SMALL} --pgn {ROOT}/study/tests/data/pgn/mistakes.pgn --game 999")
    t.expect_restored(1)
    t.expect("not 999")


@with_terminal(100, 40)
def an_annotated_game(t):
    t.run(f"analyze {SMALL} --pgn {ROOT}/study/tests/data/pgn/annotated.pgn")
    t.expect(r"^file White: accuracy 90\.0%, 1 inaccuracy")
    t.expect(r"^White [1-8.][1-8]{4}\.[1-8]$")
    t.expect(r"n p mistakes")
    t.press("n")
    t.expect(r"^start 1\. e4 e5 \[2\. Nf3\?!\] Nc6 3\. Bb5 Ke7\?\?$")
    t.expect(r"^file -0\.70 \?! The second move was better\.$")
    t.expect(r"^  or \+0\.40 2\. d4 exd4 3\. Qxd4$")
    t.press("v")
    t.expect(r"^start 1\. e4 e5 \[2\. d4\] exd4 3\. Qxd4$")
    t.press("n")
    t.expect(r"\[Ke7\?\?\]$")
    t.expect(r"^file \+2\.50 \?\?$")
    t.press("n")
    t.expect(r"there is no mistake behind this position")
    t.press("p")
    t.expect(r"\[2\. Nf3\?!\]")
    t.press("q")
    t.expect_restored(0)


@with_terminal()
def chess960_castles(t):
    fen = "nqbbrkrn/pppppppp/8/8/8/8/PPPPPPPP/NQBBRKRN w GEge - 0 1"
    t.run(f"analyze {SMALL} '{fen}' --moves 'f3 f6 Ng3 Ng6 Nf5'")
    t.expect("Black to move, searching")
    t.press("m", "O", "-", "O", "Enter")
    t.expect(r"\[O-O\]$")
    t.expect(r"^8  n  q  b  b  r  r  k")
    t.press("q")
    t.expect_restored(0)


@with_terminal()
def ends_of_games_are_told(t):
    t.run(f"analyze {SMALL} --moves 'f3 e5 g4 Qh4'")
    t.expect("Checkmate: Black wins")
    t.press("Space", "Right", "1")
    t.expect("there is no line 1")
    t.press("Left")
    t.expect("Black to move, searching")
    t.expect(r"score +#-1")
    t.press("q")
    t.expect_restored(0)
    t.run(f"analyze {SMALL} '7k/5Q2/6K1/8/8/8/8/8 b - - 0 1'")
    t.expect("Stalemate: a draw")
    t.press("q")
    t.expect_restored(0)


@with_terminal(20, 8)
def tiny_and_resized(t):
    t.run(f"analyze {SMALL}")
    t.expect(r"^[+-]\d\.\d\d  \d+/\d+$")
    t.expect(r"^q quit  space stop$")
    t.resize(80, 24)
    t.expect(r"^8  r  n  b  q  k  b  n  r")
    t.expect(r"lines$")
    for width, height in ((30, 20), (60, 12), (3, 3), (1, 1), (200, 60), (79, 11)):
        t.resize(width, height)
        time.sleep(0.15)
    t.resize(80, 24)
    t.expect(r"^8  r  n  b  q  k  b  n  r +White to move, searching")
    t.expect(r"^q quit")
    assert t.screen().count("White to move") == 1, t.screen()
    t.press("q")
    t.expect_restored(0)


@with_terminal()
def signals_and_keys_end_it_cleanly(t):
    t.run(f"analyze {SMALL}")
    t.expect("searching")
    t.press("C-c")
    t.expect_restored(0)
    for signal, code in (("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131)):
        t.run(f"analyze {SMALL}")
        t.expect("searching")
        subprocess.run(["kill", f"-{signal}", str(t.pid())], check=True)
        if signal == "INT":
            # The shell drops the rest of its line.
            t.expect(r"^\$")
            t.type(f"stty -g > {t.folder}/after; echo end={code}")
        t.expect_restored(code)


@with_terminal()
def suspended_and_continued(t):
    t.run(f"analyze {SMALL}")
    t.expect("searching")
    t.press("C-z")
    t.expect(r"^\$|Stopped")
    assert t.tmux("display-message", "-p", "#{alternate_on}").strip() == "0"
    t.type("fg")
    t.expect("searching")
    t.press("q")
    t.expect(r"best move: ")


@with_terminal()
def a_closed_terminal_ends_it(t):
    t.run(f"analyze {SMALL}")
    t.expect("searching")
    pid = t.pid()
    t.tmux("kill-server")
    end = time.monotonic() + PATIENCE
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < end, "the program outlives its terminal"
        time.sleep(0.05)


@plain_test
def a_terminal_that_controls_nothing_is_missed_too():
    """Without a controlling terminal, no signal tells that it has gone."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    engine = subprocess.Popen([STUDY, "analyze", *SMALL.split()], stdin=slave, stdout=slave,
                              stderr=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"})
    try:
        os.close(slave)
        seen = b""
        while b"searching" not in seen:
            seen += os.read(master, 1 << 16)
        os.close(master)
        assert engine.wait(PATIENCE) != 0
    finally:
        engine.kill()
        engine.wait()


@with_terminal(120, 40)
def a_large_terminal_has_a_large_board_with_figurines(t):
    t.run("analyze --threads 1 --hash 8")
    t.expect(r"^8    ♜      ♞ ")
    t.expect(r"speed +[\d,]+/s by 1 thread$")
    t.press("q")
    t.expect_restored(0)


@with_terminal(100, 40)
def a_whole_game_is_played(t):
    """Black to move has one move, and White mates with the next."""
    pgn = f"{t.folder}/game.pgn"
    t.run(f"play {SMALL} --time 50 --pgn {pgn} --fen '7k/8/5K2/8/8/8/R7/8 w - - 0 1'")
    t.expect("You play White against full strength")
    t.expect(r"^1\. $|^1\.$")
    for line, answer in (("Ke8", "'Ke8' is not a legal move here"), ("hint", "The engine would play "),
                         ("Kg6", r"^1\.\.\. Kg8"), ("undo", r"^1\. *$"), ("1. Kg6", r"^1\.\.\. Kg8"),
                         ("Ra8", "Checkmate: White wins. 1-0")):
        t.type(line)
        t.expect(answer)
    t.expect_restored(0)
    assert "1. Kg6 Kg8 2. Ra8#" in Path(pgn).read_text()


@with_terminal(100)
def the_first_screens_say_what_there_is(t):
    t.run("", ENGINE)
    t.expect(r"^Rejoinder \S+\. Type 'help' for the commands; the program rejoinder-study ")
    t.type("1. e4 e5")
    t.expect(r"p")
    t.type("Nf3")
    t.type("Nf3")
    t.expect("unknown command 'Nf3'")
    t.type("?")
    t.expect("^go movetime 5000")
    t.type("exit")
    t.expect_restored(0)
    for word, meant in (("analize", "analyze"), ("play", "rejoinder-study"), ("benhc", "bench")):
        t.run(word, ENGINE)
        t.expect(meant)
        t.expect_restored(2)
    t.run("")
    t.expect("rejoinder-study play --elo 1500")
    t.expect_restored(0)


@with_terminal()
def the_prompt_of_the_engine_prints_lines(t):
    t.run("", ENGINE)
    t.type("position startpos moves e4 e5")
    t.type("go depth 5")
    t.expect(r"depth +score +time")
    t.expect(r"^best move: \S+")
    t.type("uci")
    t.expect("^uciok")
    t.type("go depth 2")
    t.expect(r"^bestmove \S+")
    t.type("quit")
    t.expect_restored(0)


@with_terminal(height=100, variables="TERM=dumb")
def a_dumb_terminal_gets_lines(t):
    t.run(f"analyze {SMALL} --seconds 1")
    t.expect_restored(0)
    t.expect(r"depth +score +time")
    t.expect("^best move: ")


@with_terminal(variables="NO_COLOR=1")
def no_color_is_respected(t):
    t.run(f"analyze {SMALL}")
    t.expect("searching")
    assert "\x1b[" not in t.screen("-e"), t.screen("-e")
    t.press("q")
    t.expect_restored(0)


@plain_test
def pipes_get_lines():
    done = subprocess.run([STUDY, "analyze", *SMALL.split(), "--seconds", "1", "--moves", "e4"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "\x1b" not in done.stdout, done
    assert "best move: " in done.stdout and "1... " in done.stdout, done.stdout


# The colors of the image: default text and ground, bold text, dimmed text, and the first colors
# of terminals.
INK, GROUND, BOLD, DIM = "#c9d1d9", "#0d1117", "#f0f6fc", "#7d8590"
BASIC = {1: "#ff7b72", 2: "#7ee787"}
# The width of a character and the height of a row, in pixels.
CELL, ROW = 7.8, 18


def color(number):
    """The color with this number among the 256 of terminals."""
    if number in BASIC:
        return BASIC[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    level = [0, 95, 135, 175, 215, 255]
    number -= 16
    return "#" + "".join(f"{level[part]:02x}" for part in (number // 36, number // 6 % 6, number % 6))


def styled(line):
    """Yields the pieces of a captured line: text, color, background, weight."""
    ink = ground = None
    bold = dim = False
    for part in re.split(r"(\x1b\[[\d;]*m)", line):
        if not part.startswith("\x1b["):
            if part:
                yield part, ink or (BOLD if bold else DIM if dim else INK), ground, bold
            continue
        codes = [int(code or 0) for code in part[2:-1].split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                ink = ground = None
                bold = dim = False
            elif code in (38, 48):
                value = color(codes[1])
                codes = codes[2:]
                ink, ground = (value, ground) if code == 38 else (ink, value)
            elif 30 <= code <= 37:
                ink = color(code - 30)
            elif code == 39:
                ink = None
            elif code == 49:
                ground = None
            else:
                bold, dim = bold or code == 1, dim or code == 2


def screenshot(path):
    """Draws the terminal with an analysis as an SVG."""
    terminal = Terminal(100, 19)
    try:
        terminal.type(f"clear; {STUDY} analyze --multipv 3 --moves 'e4 c5 Nf3'")
        terminal.expect("searching")
        time.sleep(5)
        lines = terminal.screen("-e").rstrip("\n").split("\n")
        terminal.press("q")
    finally:
        terminal.close()
    command = "\x1b[2m$\x1b[0m \x1b[1mrejoinder-study analyze --multipv 3 --moves \"e4 c5 Nf3\"\x1b[0m"
    lines = [command, "", *lines]
    width, height = 100 * CELL + 36, (len(lines) + 2) * ROW + 14
    label = "rejoinder-study analyze in a terminal: board, evaluation bar, numbers, three lines and the keys"
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" '
        f'height="{height}" role="img" aria-label="{label}">',
        '<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",'
        "monospace;white-space:pre}</style>",
        f'<rect width="{width:.0f}" height="{height}" rx="8" fill="{GROUND}"/>',
        '<circle cx="20" cy="18" r="5.5" fill="#ff5f56"/><circle cx="38" cy="18" r="5.5" fill="#ffbd2e"/>'
        '<circle cx="56" cy="18" r="5.5" fill="#27c93f"/>',
    ]
    for row, line in enumerate(lines):
        x, y = 18.0, 46 + row * ROW
        for text, ink, ground, bold in styled(line):
            span = len(text) * CELL
            if ground:
                out.append(f'<rect x="{x:.1f}" y="{y - 13}" width="{span:.1f}" height="{ROW}" fill="{ground}"/>')
            if set(text) <= {"█", "▄", "▀", " "} and text.strip():
                top, part = {"█": (0, 1), "▄": (0.5, 0.5), "▀": (0, 0.5)}[text[0]]
                out.append(f'<rect x="{x:.1f}" y="{y - 13 + top * ROW}" width="{span:.1f}" '
                           f'height="{part * ROW}" fill="{ink}"/>')
            elif text.strip():
                start = len(text) - len(text.lstrip())
                weight = ' font-weight="700"' if bold else ""
                body = text.strip().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                out.append(f'<text x="{x + start * CELL:.1f}" y="{y}" textLength="{len(text.strip()) * CELL:.1f}" '
                           f'fill="{ink}"{weight} xml:space="preserve">{body}</text>')
            x += span
    Path(path).write_text("\n".join([*out, "</svg>", ""]))


def main():
    if shutil.which("tmux") is None:
        print("terminal: SKIPPED: there is no tmux on this machine")
        return SKIPPED
    if sys.argv[1:2] == ["--screenshot"]:
        screenshot(sys.argv[2])
        return 0
    wanted, failed = sys.argv[1:], []
    for test in TESTS:
        if wanted and test.__name__ not in wanted:
            continue
        begin = time.monotonic()
        try:
            test()
            print(f"  {test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
        except (AssertionError, subprocess.SubprocessError, OSError, IndexError) as error:
            failed.append(test.__name__)
            print(f"  {test.__name__}: FAILED: {error}", flush=True)
    print(f"terminal: failed: {' '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
