#!/usr/bin/env python3
"""Measures what README and docs say of the engine, and writes it between their markers.

    make pgo pgo-tools lab && pip install chess
    tools/report.py --list
    tools/report.py kernels suites scaling
    tools/report.py ladder threads --fastchess PATH --engines engines.toml

A part is a block of a page between `<!-- NAME -->` and `<!-- /NAME -->`. It gets a table and a
caption with the commit, its signature, the date, the CPU and the command, so that a reader can tell
of which engine a figure is. `tests/sources/docs.rs` fails if a caption has another signature than
the engine and does not say so.

What was measured is kept in target/report until its table is written. A part that was stopped goes
on from there, as long as the signature stays the same. Games are played by fastchess with as many
at a time as there are cores, so nothing else may run beside them. The opponents come from a TOML
file:

    [[engine]]
    name = "Stockfish 15.1, Debian"
    cmd = "/usr/games/stockfish"
    rating = 3622        # on the ladder; without it the rating is not fitted to this opponent
"""
import argparse
import csv
import datetime
import json
import math
import os
import re
import subprocess
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / "target/report"
SHARED = Path(os.environ.get("REJOINDER_SHARED", ROOT / "../shared"))
BOOK = SHARED / "data/books/UHO_4060_v4_20k.epd"
EVEN_BOOK = SHARED / "data/books/noob_3moves_10k.epd"
SUITES = {"WAC": "wac300.epd", "BT2630": "bt2630.epd", "Kaufman": "kaufman.epd"}
SUITE_NODES = 100_000
ELO = 400 / math.log(10)
# Games of a call of fastchess; what they gave is kept before the next call.
CHUNK = 20


def output(*command, **options):
    """Returns what a command prints."""
    return subprocess.run(command, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def check_program(path, exe):
    """Checks that a program is of the same commit as the engine, whose signature was measured."""
    versions = [output(program, "--version").split()[-1] for program in (path, exe)]
    if versions[0] != versions[1]:
        raise SystemExit(f"{path} is of version {versions[0]}, the engine of {versions[1]}: build both again")


def cpu():
    """Names the CPU and its number of cores."""
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", text)[1]
    widest = "AVX-512" if " avx512f" in text else "AVX2" if " avx2" in text else "no AVX2"
    return f"{name} ({widest}), {os.cpu_count()} cores"


class Part:
    """A block of a page, and what was measured of it so far."""

    def __init__(self, name, page, signature):
        self.name, self.page = name, ROOT / page
        self.file = STATE / f"{name}.json"
        known = json.loads(self.file.read_text()) if self.file.exists() else {}
        if known.get("signature") != signature:
            known = {"signature": signature, "results": {}, "seconds": 0.0, "took": known.get("took")}
        self.data = known

    @property
    def results(self):
        return self.data["results"]

    def save(self):
        STATE.mkdir(parents=True, exist_ok=True)
        new = self.file.with_suffix(".tmp")
        new.write_text(json.dumps(self.data, indent=1))
        new.replace(self.file)

    def measure(self, key, what):
        """Adds a result, unless it is there already."""
        if key not in self.results:
            start = time.monotonic()
            self.results[key] = what()
            self.data["seconds"] += time.monotonic() - start
            self.save()
        return self.results[key]

    def write(self, table, command):
        """Puts the table and its caption between the markers of the page."""
        commit = output("git", "rev-parse", "--short", "HEAD").strip()
        date = datetime.date.today().isoformat()
        caption = f"Commit {commit} (signature {self.data['signature']}), {date}, {cpu()}: `{command}`."
        before, after = self.around()
        self.page.write_text(f"{before}\n{table.strip()}\n\n{caption}\n{after}")
        print(f"{self.name}: {self.data['seconds'] / 60:.1f} minutes, written to {self.page.relative_to(ROOT)}")
        self.data.update(results={}, took=self.data["seconds"], seconds=0.0)
        self.save()

    def around(self):
        """Returns the text of the page before and after what the block contains."""
        begin, end = f"<!-- {self.name} -->", f"<!-- /{self.name} -->"
        text = self.page.read_text()
        if not 0 <= text.find(begin) < text.find(end):
            raise SystemExit(f"{self.page} has no block {begin}")
        return text[: text.index(begin) + len(begin)], text[text.index(end) :]


def table(heading, rows):
    """Returns a Markdown table."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def kernels(part, args):
    text = part.measure("kernels", lambda: output(args.exe, "kernels"))
    network, _, *lines = text.splitlines()
    rows = [line.split() for line in lines]
    part.write(f"{network.partition(';')[0]}:\n\n" + table(["Kernel", "Fresh, ns", "Incremental, ns"], rows), "rejoinder kernels")


def scaling(part, args):
    command = "rejoinder-tools scaling --threads 1,2,4,8,16 --positions 25 --depth 17 --rounds 2 --tries 300 --svg docs/smp.svg"
    check_program("./rejoinder-tools", args.exe)
    text = part.measure("scaling", lambda: output(f"./{command.split()[0]}", *command.split()[1:]))
    part.write(text, command)


def solved(command, suite):
    """Returns how many positions of a suite an engine solves, and how many there are."""
    import chess
    import chess.engine

    lines = [line for line in (SHARED / "data/suites" / suite).read_text().splitlines() if line.strip()]
    found = 0
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        engine.configure({"Hash": 64})
        for line in lines:
            board, tests = chess.Board.from_epd(line)
            move = engine.play(board, chess.engine.Limit(nodes=SUITE_NODES), game=object()).move
            found += move in tests["bm"] if "bm" in tests else move not in tests["am"]
    return [found, len(lines)]


def suites(part, args):
    rows = []
    for engine in [{"name": "Rejoinder", "cmd": args.exe}, *args.opponents]:
        name, command = engine["name"], engine["cmd"]
        solves = [part.measure(f"{name}: {suite}", lambda: solved(command, file)) for suite, file in SUITES.items()]
        rows.append([name, *(f"{found} of {positions}" for found, positions in solves)])
    part.write(table(["Engine", *SUITES], rows), f"tools/report.py suites, {SUITE_NODES} nodes a move, 64 MB, one thread")


def games(part, args, one, two, clock, count, threads=1, book=BOOK):
    """Plays games between two engines, one of which needs this many threads. A side with a clock of its
    own does not use the common one. Returns the first one's wins, draws and losses, and its pairs by
    points."""
    concurrency = max(1, args.concurrency // threads)
    total = {"wdl": [0, 0, 0], "pairs": [0] * 5}
    for start in range(0, count, CHUNK):
        number = min(CHUNK, count - start)
        engines = [
            [f"cmd={side['cmd']}", f"name={name}", f"tc={side.get('clock', clock)}", *side.get("options", [])]
            for side, name in ((one, "one"), (two, "two"))
        ]

        def play():
            text = output(
                args.fastchess, "-engine", *engines[0], "-engine", *engines[1], "-each", "proto=uci",
                "-openings", f"file={book}", "format=epd", "order=random", f"start={start // 2 + 1}", "-srand", "1",
                "-rounds", str(number // 2), "-games", "2", "-repeat", "-concurrency", str(concurrency), "-report", "penta=true",
            )
            if "loses on time" in text or "illegal" in text or "disconnect" in text:
                raise SystemExit(f"{two['name']}: a game was lost by other means than chess:\n{text}")
            wins, losses, draws = re.findall(r"Wins: (\d+), Losses: (\d+), Draws: (\d+)", text)[-1]
            pairs = re.findall(r"Ptnml\(0-2\): \[([\d, ]+)\]", text)[-1]
            return {"wdl": [int(wins), int(draws), int(losses)], "pairs": [int(pair) for pair in pairs.split(",")]}

        result = part.measure(f"{two['name']} {two.get('clock', clock)} {start} {number}", play)
        for key, sums in total.items():
            total[key] = [a + b for a, b in zip(sums, result[key])]
        print(f"{part.name}: {two['name']} {total['wdl']}")
    return total


def difference(pairs):
    """Returns the Elo of a match and its 95% interval, for which pairs are the units."""
    count = sum(pairs)
    mean = sum(points * pair for points, pair in enumerate(pairs)) / 4 / count
    variance = sum((points / 4 - mean) ** 2 * pair for points, pair in enumerate(pairs)) / count
    if not 0 < mean < 1:
        return ("above " if mean else "below ") + f"{math.copysign(400, mean - 0.5):+.0f}"
    elo = ELO * math.log(mean / (1 - mean))
    return f"{elo:+.0f} ± {1.96 * math.sqrt(variance / count) * ELO / (mean * (1 - mean)):.0f}"


def marked(elo):
    """Puts an Elo difference into bold type if its interval excludes zero, or if it has none."""
    value, *error = map(float, re.findall(r"[-+]?[\d.]+", elo))
    return elo if error and abs(value) <= error[0] else f"**{elo}**"


def rating(results):
    """Returns the rating that these (rating, wins-draws-losses) foretell, and its 95% interval."""
    expect = lambda own, other: 1 / (1 + math.exp((other - own) / ELO))
    low, high = 0.0, 6000.0
    while high - low > 0.01:
        middle = (low + high) / 2
        surplus = sum(wins + draws / 2 - (wins + draws + losses) * expect(middle, other) for other, (wins, draws, losses) in results)
        low, high = (middle, high) if surplus > 0 else (low, middle)
    variance = slope = 0.0
    for other, (wins, draws, losses) in results:
        count, mean = wins + draws + losses, expect(low, other)
        slope += count * mean * (1 - mean)
        variance += wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2
    return low, 1.96 * ELO * math.sqrt(variance) / slope


def ladder(part, args):
    options, clock, count = ["option.Hash=16", "option.Threads=1"], "1+0.02", args.games or 50
    own = {"name": "Rejoinder", "cmd": args.exe, "options": options}
    results = []
    for engine in args.opponents:
        result = games(part, args, own, {**engine, "options": options}, clock, count)
        results.append((engine.get("rating"), engine["name"], result["wdl"]))
    fitted, error = rating([(known, wdl) for known, _, wdl in results if known])
    rows = [(known or 0, [name, known or "", "-".join(map(str, wdl))]) for known, name, wdl in results]
    rows.append((fitted, ["**Rejoinder**", f"**{fitted:.0f} ± {error:.0f}**", ""]))
    rows.sort(key=lambda row: -row[0])
    command = f"tools/report.py ladder, {clock} s, 16 MB, one thread, {BOOK.name}"
    part.write(table(["Engine", "Elo", "Rejoinder won-drawn-lost"], [row for _, row in rows]), command)


def threads(part, args):
    clock, count = "2+0.02", args.games or 300
    side = lambda number: {"name": f"{number} threads", "cmd": args.exe, "options": [f"option.Threads={number}", "option.Hash=64"]}
    result = games(part, args, side(2), side(1), clock, count, threads=2)
    wins, draws, losses = result["wdl"]
    text = f"**{difference(result['pairs'])} Elo** ({count} games: {wins} won, {draws} drawn, {losses} lost)."
    part.write(text, f"tools/report.py threads, {clock} s, 64 MB, {BOOK.name}")


def opponents(part, args):
    options, clock, count = ["option.Hash=64", "option.Threads=1"], "2+0.02", args.games or 200
    rows = []
    for engine in args.opponents:
        result = games(part, args, {"name": "Rejoinder", "cmd": args.exe, "options": options}, {**engine, "options": options}, clock, count)
        rows.append([engine["name"], difference(result["pairs"]), "-".join(map(str, result["wdl"]))])
    part.write(table(["Opponent", "Elo against it", "Won-drawn-lost"], rows), f"tools/report.py opponents, {clock} s, 64 MB, one thread, {BOOK.name}")


# What UCI_Elo is set to, and the opponent with its own and its clock. The scale is that of Stockfish
# 15.1, which ends at 2850; the highest levels play against the one below them. Rejoinder's levels are
# limited by depth, and OWN_CLOCK leaves them the time for it. From 2300 on, Stockfish needs more time too.
OWN_CLOCK, QUICK, SLOW = "4+0.1", "1+0.02", "10+0.1"
LEVELS = {
    1150: ("Stockfish", 1350, QUICK), 1500: ("Stockfish", 1450, QUICK), 1800: ("Stockfish", 1800, QUICK), 2010: ("Stockfish", 2000, QUICK),
    2300: ("Stockfish", 2300, SLOW), 2750: ("Stockfish", 2750, SLOW), 2820: ("Stockfish", 2850, SLOW), 3070: ("Stockfish", 2850, SLOW),
    3180: ("Rejoinder", 3070, OWN_CLOCK), 3300: ("Rejoinder", 3180, OWN_CLOCK),
}  # fmt: skip


def levels(part, args):
    stockfish = next((engine["cmd"] for engine in args.opponents if engine["name"].startswith("Stockfish 15.1")), None)
    if not stockfish:
        raise SystemExit("--engines has no Stockfish 15.1")
    programs = {"Rejoinder": args.exe, "Stockfish": stockfish}

    def side(engine, elo, clock):
        options = ["option.UCI_LimitStrength=true", f"option.UCI_Elo={elo}", "option.Hash=16"]
        return {"name": f"{engine} {elo} against {own}", "cmd": programs[engine], "clock": clock, "options": options}

    rows = []
    for own, (engine, elo, clock) in LEVELS.items():
        count = args.games or (40 if clock == SLOW else 60)
        result = games(part, args, side("Rejoinder", own, OWN_CLOCK), side(engine, elo, clock), None, count, book=EVEN_BOOK)
        wins, draws, losses = result["wdl"]
        rows.append([own, f"{engine} {elo}", clock, f"{wins}-{draws}-{losses}", difference(result["pairs"])])
    command = f"tools/report.py levels, Rejoinder {OWN_CLOCK} s, 16 MB, one thread, {EVEN_BOOK.name}"
    part.write(table(["UCI_Elo", "Opponent", "its clock", "Won-drawn-lost", "Elo difference"], rows), command)


# The rows of the laboratory that play games, and what they are.
TECHNIQUES = {
    "policy/off": "policy network: a small network scores quiet moves",
    "tt-move/off": "move of the transposition table first",
    "history/off": "butterfly history with malus, bound and threats",
    "continuation/off": "continuation history of one, two and four plies",
    "pawn-history/off": "pawn history",
    "capture-history/off": "capture history",
    "see/off": "captures that lose by SEE come last",
    "mvv-lva/off": "MVV-LVA",
    "killers/off": "killers",
    "countermove/off": "countermove",
    "lbr/off": "Last Best Reply",
    "checks/off": "bonus for quiet checks",
    "quiet-see/small": "quiet moves that lose by SEE come later",
}
ORDERING_CSV = ROOT / "docs/ordering.csv"


def ordering(part, args):
    trees, nodes, count = ["--depth", "12", "--positions", "500", "--csv", str(ORDERING_CSV)], 10_000, args.games or 800

    def laboratory(*words):
        """Leaves its results in the file, and returns none."""
        output("./rejoinder-lab", "ordering", *words)

    check_program("./rejoinder-lab", args.exe)
    part.measure("trees", lambda: laboratory(*trees))
    match = ["--games", str(count), "--nodes", str(nodes), "--match-book", str(BOOK)]
    for name in TECHNIQUES:
        part.measure(name, lambda: laboratory(*trees, *match, "--only", name))
        print(f"{part.name}: {name}")
    laboratory("--csv", str(ORDERING_CSV), "--svg", "docs/ordering.svg", "--doc", "docs/ordering-table.md", "--render")
    with ORDERING_CSV.open() as file:
        known = {f"{row['name']}/{row['variant']}": row for row in csv.DictReader(file)}
    rows = []
    for name, what in TECHNIQUES.items():
        against = "without" if known[name]["in_default"] == "true" else "with"
        row = {key: float(known[name][key]) for key in ("mean_percent", "mean_low", "mean_high", "elo", "elo_error")}
        tree = f"{row['mean_percent']:+.1f}% [{row['mean_low']:+.1f}, {row['mean_high']:+.1f}]"
        elo = f"{row['elo']:+.1f} ± {row['elo_error']:.1f}"
        rows.append((row["elo"], [what, against, tree, marked(elo)]))
    rows.sort(key=lambda row: row[0])
    command = f"tools/report.py ordering, trees of 500 positions, {count} games a row at {nodes} nodes a move, {BOOK.name}"
    part.write(table(["Technique", "Against the default", "Nodes to depth 12", "Elo"], [row for _, row in rows]), command)


# Parts of the search: what and where they are, their source, and the parameters that switch them off,
# or a function that names these.
LMR_BASE = {f"lmr_{name}" for name in "quiet_base quiet_divisor capture_base capture_divisor first_move deeper shallower noise".split()}


def adjustments(args):
    """Switches off every row of the engine's parameters that adjusts a reduction. Divisors become large."""
    rows = [row.split(", ") for row in output(args.exe, "params").splitlines()]
    off = {name: most if int(least) > 0 else 0 for name, _, _, least, most, *_ in rows if name.startswith("lmr_") and name not in LMR_BASE}
    return ",".join(f"{name}={value}" for name, value in off.items())


SEARCH_PARTS = [
    (
        "correction histories by pawns, minor pieces, each side's pieces and the last moves",
        "`correction.rs`", "[wiki](https://www.chessprogramming.org/Static_Evaluation_Correction_History)",
        "correction_pawn=0,correction_minor=0,correction_non_pawn=0,correction_continuation=0,correction_continuation_four=0",
    ),
    ("the previous move learns from how far it changed the evaluation", "`learn.rs`", "Stockfish", "prior_eval_slope=0"),
    (
        "a bonus for the move that led to a node that failed low", "`learn.rs`", "Stockfish",
        "prior_fail_low=0",
    ),
    ("aspiration windows", "`deepening.rs`", "[wiki](https://www.chessprogramming.org/Aspiration_Windows)", "aspiration_depth=64"),
    (
        "reverse futility pruning", "`pruning/reverse_futility.rs`", "[wiki](https://www.chessprogramming.org/Reverse_Futility_Pruning)",
        "reverse_futility_depth=0",
    ),
    ("razoring", "`pruning/razoring.rs`", "[wiki](https://www.chessprogramming.org/Razoring)", "razoring_depth=0"),
    (
        "null move pruning, verified at great depth", "`pruning/null_move.rs`", "[wiki](https://www.chessprogramming.org/Null_Move_Pruning)",
        "null_move_depth=64",
    ),
    ("ProbCut", "`pruning/probcut.rs`", "M. Buro 1995", "probcut_depth=64"),
    (
        "late move pruning", "`pruning/move_pruning.rs`", "[wiki](https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning)",
        "late_move_base=256",
    ),
    ("futility pruning of quiet moves", "`pruning/move_pruning.rs`", "[wiki](https://www.chessprogramming.org/Futility_Pruning)", "futility_depth=0"),
    (
        "SEE pruning of moves", "`pruning/move_pruning.rs`", "[wiki](https://www.chessprogramming.org/Static_Exchange_Evaluation)",
        "see_pruning_depth=0",
    ),
    (
        "history pruning, futility of captures", "`pruning/move_pruning.rs`", "[wiki](https://www.chessprogramming.org/Futility_Pruning)",
        "history_pruning_depth=0,capture_futility_depth=0",
    ),
    (
        "singular extensions up to three plies, negative extensions, multi-cut", "`singular.rs`", "Anantharaman and others 1988",
        "singular_depth=64,low_singular_depth=0",
    ),
    (
        "internal iterative reductions", "`node.rs`", "[wiki](https://www.chessprogramming.org/Internal_Iterative_Reductions)", "iir_depth=64",
    ),
    (
        "hindsight: depth by the reduction that led here and both sides' evaluations", "`node.rs`", "Stockfish",
        "hindsight_deeper=32768,hindsight_shallower=32768",
    ),
    ("late move reductions", "`lmr.rs`", "[wiki](https://www.chessprogramming.org/Late_Move_Reductions)", "lmr_first_move=256"),
    (
        "adjustments of the reductions, with the same base", "`lmr.rs`", "[below](#late-move-reductions)",
        adjustments,
    ),
    ("deeper or shallower re-search", "`pvs.rs`", "Stockfish", "lmr_deeper=300,lmr_shallower=0"),
]  # fmt: skip


def search_parts(part, args):
    nodes, count, step = 60_000, args.games or 200, 50
    check_program("./rejoinder-tools", args.exe)
    rows = []
    for what, file, source, off in SEARCH_PARTS:
        off = off(args) if callable(off) else off
        total = [0] * 5
        for start in range(0, count, step):
            number = min(step, count - start)
            match = ["match", "--games", str(number), "--nodes", str(nodes), "--book", str(BOOK), "--seed", str(start // step + 1), "--b", off]

            def play():
                text = output("./rejoinder-tools", *match)
                return [int(pair) for pair in re.search(r"pairs  \[([\d, ]+)\]", text)[1].split(",")]

            pairs = part.measure(f"{off} {nodes} {start} {number}", play)
            total = [a + b for a, b in zip(total, pairs)]
        elo = difference(total)
        print(f"{part.name}: {what}: {elo}")
        rows.append((sum(points * pair for points, pair in enumerate(total)), [what, file, source, marked(elo)]))
    rows.sort(key=lambda row: -row[0])
    command = f"tools/report.py search-parts, {count} games a row at {nodes} nodes a move, {BOOK.name}"
    part.write(table(["Part", "File", "Source", "Elo"], [row for _, row in rows]), command)


# The page of each part, the function that measures it, and what to expect of it on two cores.
PARTS = {
    "kernels": ("docs/network.md", kernels, "1 minute"),
    "suites": ("docs/search.md", suites, "2 minutes for each engine"),
    "scaling": ("docs/smp.md", scaling, "10 minutes"),
    "threads": ("docs/smp.md", threads, "40 minutes"),
    "ladder": ("README.md", ladder, "2 minutes for each opponent"),
    "opponents": ("docs/search.md", opponents, "20 minutes for each opponent"),
    "levels": ("docs/analysis.md", levels, "90 minutes"),
    "ordering": ("docs/ordering.md", ordering, "5 hours"),
    "search-parts": ("docs/search.md", search_parts, "7 hours, with `make tools FEATURES=tune`"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts to measure: " + ", ".join(PARTS))
    parser.add_argument("--list", action="store_true", help="show the parts, what is known of them and how long they take")
    parser.add_argument("--exe", default="./rejoinder", help="the engine (default: %(default)s, as `make pgo` leaves it)")
    parser.add_argument("--fastchess", default="fastchess", help="fastchess (default: %(default)s)")
    parser.add_argument("--engines", type=Path, help="TOML file with the opponents")
    parser.add_argument("--games", type=int, help="number of games against each opponent")
    parser.add_argument("--concurrency", type=int, default=os.cpu_count(), help="games at a time (default: %(default)s)")
    args = parser.parse_args()
    for unknown in set(args.parts) - set(PARTS):
        parser.error(f"there is no part {unknown}")
    if args.games and args.games % 2:
        parser.error("--games must be even: each opening is played with both colors")
    signature = (ROOT / "tests/data/signature").read_text().strip()
    if args.list or not args.parts:
        for name, (page, _, usual) in PARTS.items():
            part = Part(name, page, signature)
            if part.results:
                known = f"stopped after {len(part.results)} results, {part.data['seconds'] / 60:.1f} minutes"
            elif part.data["took"] is not None:
                known = f"took {part.data['took'] / 60:.1f} minutes the last time"
            else:
                known = f"takes {usual}"
            print(f"{name:<12} {page:<16} {known}")
        return
    args.opponents = tomllib.loads(args.engines.read_text())["engine"] if args.engines else []
    if not args.opponents and {"ladder", "opponents", "levels"} & set(args.parts):
        parser.error("--engines is needed for games against others")
    found = re.search(r"(\d+) nodes \d+ nps", output(args.exe, "bench"))
    if not found or found[1] != signature:
        raise SystemExit(f"{args.exe} has the signature {found and found[1]}, not {signature} of tests/data/signature")
    args.exe = str((ROOT / args.exe).resolve())
    for name in args.parts:
        page, measure, _ = PARTS[name]
        part = Part(name, page, signature)
        part.around()  # Rather now than after hours of games.
        measure(part, args)


if __name__ == "__main__":
    main()
