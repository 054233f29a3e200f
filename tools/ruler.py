#!/usr/bin/env python3
"""How far the evaluations of networks are from the truth, with error bars.

    rejoinder-tools match --nodes 10000 --games 1200 --network-a NEW --pgn games.pgn
    tools/ruler.py make ruler.csv games.pgn --engine stockfish
    tools/ruler.py compare ruler.csv OLD NEW... --engine ./rejoinder

`make` takes quiet positions from games and notes the expected score that another engine gives White
after many nodes. `compare` asks Rejoinder for the static evaluation of each position by each
network, turns it into an expected score by the logistic curve that fits best (its slope linear in
the material, so that scales do not matter), and prints the root mean square errors. The differences
from the first network have 95% intervals, for which games, not positions, are the independent
units.

A ruler measures networks. It never teaches one: Rejoinder learns from its own games only, so these
files stay out of the repository and of every training. Needs the packages chess and numpy.
"""
import argparse
import csv
import os
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import chess
import chess.pgn
import numpy as np

TRUTH_NODES = 15_000
POSITIONS_A_GAME = 10
FIRST_PLY = 16
POINTS = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}


class Engine:
    """A UCI engine as a process."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen([command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.send("uci", *(f"setoption name {name} value {value}" for name, value in options.items()))

    def send(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def until(self, beginning):
        """Returns the lines up to the one with this beginning."""
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the engine ended before it said {beginning!r}")
            lines.append(line)
            if line.startswith(beginning):
                return lines

    def expected(self, board):
        """Returns White's expected score after a search."""
        self.send("ucinewgame", f"position fen {board.fen()}", f"go nodes {TRUTH_NODES}")
        found = [found for line in self.until("bestmove") if (found := re.search(r" wdl (\d+) (\d+) (\d+)", line))]
        if not found:
            raise SystemExit("the engine has no UCI_ShowWDL")
        wins, draws, _ = map(int, found[-1].groups())
        expected = (wins + draws / 2) / 1000
        return expected if board.turn else 1 - expected

    def evaluate(self, fen):
        """Returns White's static evaluation in internal centipawns."""
        self.send(f"position fen {fen}", "eval", "isready")
        return float(re.search(r"\(([+-]?\d+) internal\)", "".join(self.until("readyok")))[1])


def quiet_positions(game):
    """Returns the quiet positions of a game with more than seven pieces."""
    positions, board = [], game.board()
    for move in game.mainline_moves():
        is_quiet = not (board.is_check() or board.is_capture(move) or move.promotion)
        if is_quiet and board.ply() >= FIRST_PLY and len(board.piece_map()) > 7:
            positions.append(board.copy(stack=False))
        board.push(move)
    return positions


def games(paths):
    """Yields the games of PGN files."""
    for path in paths:
        with open(path) as file:
            while game := chess.pgn.read_game(file):
                yield game


def make(args):
    def judge(numbered):
        number, game = numbered
        positions = quiet_positions(game)
        chosen = random.Random(number).sample(positions, min(POSITIONS_A_GAME, len(positions)))
        engine = Engine(args.engine, UCI_ShowWDL="true", UCI_Chess960="true", Hash=16)
        rows = [[number, board.fen(), round(engine.expected(board), 4)] for board in chosen]
        engine.send("quit")
        return rows

    with open(args.file, "w", newline="") as file, ThreadPoolExecutor(args.threads) as pool:
        out = csv.writer(file)
        out.writerow(["game", "fen", "expected"])
        for rows in pool.map(judge, enumerate(games(args.pgn))):
            out.writerows(rows)


def fit(evaluations, material, truth):
    """Returns the expected scores by the logistic curve that fits best, found by Newton's method."""
    inputs = np.stack([evaluations, evaluations * material])
    factors = np.array([1 / np.sqrt(np.mean(evaluations**2)), 0.0])
    for _ in range(200):
        expected = 1 / (1 + np.exp(-np.clip(factors @ inputs, -30, 30)))
        weights = inputs * expected * (1 - expected)
        step = np.linalg.solve(weights @ weights.T + 1e-9 * np.eye(2), weights @ (expected - truth))
        factors = factors - step / 2
        if np.all(np.abs(step) < 1e-6 * np.abs(factors[0])):
            break
    return expected


def compare(args):
    rows = list(csv.DictReader(open(args.file)))
    fens, truth = [row["fen"] for row in rows], np.array([float(row["expected"]) for row in rows])
    game_of = np.unique([row["game"] for row in rows], return_inverse=True)[1]
    material = np.array([sum(POINTS.get(letter.lower(), 0) for letter in fen.split()[0]) / 78 for fen in fens])

    def ask(network, part):
        if not os.path.isfile(network):
            raise SystemExit(f"there is no network {network}")
        engine = Engine(args.engine, UCI_Chess960="true", EvalFile=os.path.abspath(network))
        evaluations = [engine.evaluate(fen) for fen in part]
        engine.send("quit")
        return evaluations

    subsets = {"all": np.full(len(truth), True), "near balance": (truth > 0.1) & (truth < 0.9)}
    first = None
    for network in args.networks:
        with ThreadPoolExecutor(args.threads) as pool:
            parts = [fens[at :: args.threads] for at in range(args.threads)]
            evaluations = np.empty(len(fens))
            for at, part in enumerate(pool.map(lambda part: ask(network, part), parts)):
                evaluations[at :: args.threads] = part
        errors = (fit(evaluations, material, truth) - truth) ** 2
        first = errors if first is None else first
        line = [f"{os.path.basename(network):24}"]
        for name, chosen in subsets.items():
            error, change = np.sqrt(errors[chosen].mean()), (errors - first)[chosen]
            sums = np.bincount(game_of[chosen], change - change.mean())
            interval = 1.96 * np.sqrt(np.sum(sums**2)) / chosen.sum() / (2 * error)
            by = error - np.sqrt(first[chosen].mean())
            line.append(f"{name} ({chosen.sum()}) {error:.4f} ({by:+.4f} ± {interval:.4f})")
        print("  ".join(line), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    commands = parser.add_subparsers(required=True)
    maker = commands.add_parser("make", help="make a ruler")
    maker.add_argument("file")
    maker.add_argument("pgn", nargs="+")
    maker.add_argument("--engine", required=True)
    maker.set_defaults(run=make)
    comparer = commands.add_parser("compare", help="compare networks by a ruler")
    comparer.add_argument("file")
    comparer.add_argument("--engine", required=True)
    comparer.add_argument("networks", nargs="+")
    comparer.set_defaults(run=compare)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
