"""What python-chess, a client that many programs are built on, sees of the engine.

    ENGINE=./rejoinder REJOINDER_SHARED=../shared python python_chess.py

Everything it reads is checked: legal lines, MultiPV in order, root moves, mates, pondering, Chess960, games, options.
"""

import logging
import os
import random
import sys
import time
from pathlib import Path

import chess
import chess.engine
import chess.pgn

ENGINE = os.environ.get("ENGINE", "./rejoinder")
SHARED = Path(os.environ.get("REJOINDER_SHARED", "../shared")) / "data"
POSITIONS = int(os.environ.get("POSITIONS", "200"))
LINES = 5
NODES = 20_000

findings = []


def check(holds, what):
    """Notes a finding if it does not hold."""
    if not holds:
        findings.append(what)
        print(f"  FINDING {what}", flush=True)
    return holds


class Complaints(logging.Handler):
    """python-chess reads on past a line it cannot make sense of, and only logs it."""

    def emit(self, record):
        check(False, f"python-chess: {record.getMessage()} {record.exc_info[1] if record.exc_info else ''}")


def start(**options):
    engine = chess.engine.SimpleEngine.popen_uci(ENGINE, timeout=60)
    engine.configure(options)
    return engine


def random_position(rng, board, plies):
    """Some random plies on; a position with at least one move."""
    for _ in range(plies):
        after = board.copy(stack=False)
        after.push(rng.choice(list(board.legal_moves)))
        if after.is_game_over():
            break
        board = after
    return board


def positions(count):
    """From the book if it is there: every second one some random plies on, where lines are wilder."""
    rng = random.Random(5)
    book = SHARED / "books/noob_3moves_10k.epd"
    if book.exists():
        lines = book.read_text().splitlines()
        starts = [chess.Board(line.split(";")[0].strip()) for line in lines[:: max(1, len(lines) // count)]]
    else:
        print(f"  SKIPPED the book: no {book}; random positions instead")
        starts = [random_position(rng, chess.Board(), 6) for _ in range(count)]
    return [random_position(rng, board, rng.randrange(60) if number % 2 else 0) for number, board in enumerate(starts[:count])]


def legal_line(board, line, what):
    """Whether every move of a line can be played; the position it ends in."""
    board = board.copy()
    for move in line:
        if not check(move in board.legal_moves, f"{what}: {move} is not legal in {board.fen()}"):
            return None
        board.push(move)
    return board


def relative(info):
    return info["score"].relative.score(mate_score=100_000)


def multi_pv(engine):
    """All lines of all positions: ranks, legal moves, different first moves, scores that do not rise."""
    engine.configure({"Hash": 16, "UCI_ShowWDL": True})
    lines = 0
    for board in positions(POSITIONS):
        fen = board.fen()
        infos = engine.analyse(board, chess.engine.Limit(nodes=NODES), multipv=LINES, game=fen)
        wanted = min(LINES, board.legal_moves.count())
        check(len(infos) == wanted, f"{fen}: {len(infos)} lines, not {wanted}")
        check([info.get("multipv") for info in infos] == list(range(1, len(infos) + 1)), f"{fen}: ranks")
        firsts = [info["pv"][0] for info in infos if info.get("pv")]
        check(len(set(firsts)) == len(infos), f"{fen}: first moves {firsts}")
        scores = [relative(info) for info in infos]
        check(scores == sorted(scores, reverse=True), f"{fen}: scores {scores}")
        for info in infos:
            lines += 1
            legal_line(board, info.get("pv", []), f"{fen} line {info.get('multipv')}")
            check("wdl" in info and info["wdl"].relative.total() == 1000, f"{fen}: wdl {info.get('wdl')}")
    return f"{POSITIONS} positions, {lines} lines"


def stream(engine):
    """Every `info` as it comes: within an iteration the ranks go 1, 2, 3, …, and all the lines are different."""
    seen = 0
    for board in positions(POSITIONS)[::8]:
        ranks, firsts, depth = 0, set(), 0
        with engine.analysis(board, chess.engine.Limit(nodes=NODES), multipv=LINES, game=board.fen()) as analysis:
            for info in analysis:
                # A line of a list may be known by a bound only; other bounds come from searches that go on.
                is_bound = info.get("lowerbound") or info.get("upperbound")
                if not info.get("pv") or is_bound and info["multipv"] != ranks + 1:
                    continue
                seen += 1
                if info["multipv"] == 1:
                    check(info["depth"] >= depth, f"{board.fen()}: depth {info['depth']} after {depth}")
                    ranks, firsts, depth = 0, set(), info["depth"]
                check(info["multipv"] == ranks + 1, f"{board.fen()}: rank {info['multipv']} after {ranks}")
                check(info["pv"][0] not in firsts, f"{board.fen()}: {info['pv'][0]} has two lines at depth {depth}")
                ranks, _ = info["multipv"], firsts.add(info["pv"][0])
                legal_line(board, info["pv"], board.fen())
    return f"{seen} lines in order"


def root_moves(engine):
    """Only the moves that were asked for are searched and played."""
    rng = random.Random(6)
    boards = positions(POSITIONS)
    for board in boards:
        wanted = rng.sample(list(board.legal_moves), min(3, board.legal_moves.count()))
        infos = engine.analyse(board, chess.engine.Limit(nodes=2000), multipv=LINES, root_moves=wanted, game=board.fen())
        firsts = [info["pv"][0] for info in infos if info.get("pv")]
        check(sorted(map(str, firsts)) == sorted(map(str, wanted)), f"{board.fen()}: {firsts}, not {wanted}")
        result = engine.play(board, chess.engine.Limit(nodes=500), root_moves=wanted, game=board.fen())
        check(result.move in wanted, f"{board.fen()}: played {result.move}, not one of {wanted}")
    return f"{len(boards)} positions"


def mates(engine):
    """`go mate N`: all short ones found, none better than it is known to be, and with a line that mates in exactly so many moves."""
    suite = SHARED / "suites/mate_in_1to8.epd"
    if not suite.exists():
        return f"SKIPPED: no {suite}"
    by_length = {}
    for line in suite.read_text().splitlines():
        board, operations = chess.Board.from_epd(line)
        by_length.setdefault(operations["dm"], []).append(board)
    counts = []
    for moves, boards in sorted(by_length.items()):
        missed, chosen = [], boards[:: max(1, len(boards) // 10)][:10]
        for board in chosen:
            limit = chess.engine.Limit(mate=moves, time=5)
            info = engine.analyse(board, limit, game=board.fen())
            score = info["score"].relative
            if score.mate() != moves:
                missed.append(board.fen())
            if not score.is_mate():
                continue
            what = f"{board.fen()}: mate {score.mate()}, known {moves}"
            check(score.mate() >= moves, what)
            end = legal_line(board, info["pv"], what)
            if score.mate() > 0 and end:
                check(len(info["pv"]) == 2 * score.mate() - 1 and end.is_checkmate(), f"{what}: line {info['pv']}")
        check(moves > 4 or not missed, f"mates in {moves} not found in 5 s: {'; '.join(missed)}")
        counts.append(f"{moves}: {len(chosen) - len(missed)}/{len(chosen)}")
    return ", ".join(counts)


def ponder(engine):
    """A game in which the reply is the expected one every second time, and thought on either way."""
    rng = random.Random(7)
    board, hits, misses, game = chess.Board(), 0, 0, object()
    while not board.is_game_over(claim_draw=True) and board.ply() < 80:
        result = engine.play(board, chess.engine.Limit(white_clock=20, black_clock=20, white_inc=0.1, black_inc=0.1), ponder=True, game=game)
        check(result.move in board.legal_moves, f"{board.fen()}: {result.move}")
        board.push(result.move)
        if board.is_game_over(claim_draw=True):
            break
        time.sleep(0.02)
        expected = result.ponder if result.ponder in board.legal_moves else None
        check(result.ponder is None or expected, f"{board.fen()}: expects {result.ponder}")
        if expected and rng.random() < 0.5:
            board.push(expected)
            hits += 1
        else:
            board.push(rng.choice(list(board.legal_moves)))
            misses += 1
    check(hits > 0 and misses > 0, f"{hits} hits, {misses} misses")
    return f"{hits} hits, {misses} misses"


def chess960(engine):
    """Games from Chess960 starts; whatever is played is legal, castling too."""
    rng = random.Random(8)
    plies = castlings = 0
    for _ in range(10):
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        game = object()
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            result = engine.play(board, chess.engine.Limit(nodes=1500), game=game, info=chess.engine.INFO_PV)
            legal_line(board, result.info.get("pv", []), board.fen())
            castlings += board.is_castling(result.move)
            board.push(result.move)
            plies += 1
    check(castlings > 0, "nobody castled")
    return f"10 games, {plies} plies, {castlings} castlings"


def games():
    """Games of two engines to their end."""
    players = [start(Threads=1, Hash=4), start(Threads=2, Hash=4)]
    results = []
    for number in range(4):
        board, game = chess.Board(), object()
        while not board.is_game_over(claim_draw=True) and board.ply() < 400:
            player = players[(board.ply() + number) % 2]
            board.push(player.play(board, chess.engine.Limit(time=0.01), game=game).move)
        results.append(f"{board.result(claim_draw=True)} in {board.ply()} plies")
    for player in players:
        player.quit()
    return ", ".join(results)


def stops(engine):
    """An analysis without an end is stopped and answers at once; no move where the game is over."""
    slowest = 0
    for board in positions(POSITIONS)[::10]:
        with engine.analysis(board, game=board.fen()) as analysis:
            analysis.get()
            before = time.perf_counter()
            analysis.stop()
            best = analysis.wait()
            slowest = max(slowest, time.perf_counter() - before)
            check(best.move in board.legal_moves, f"{board.fen()}: {best.move} after a stop")
    for fen in ["7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]:
        check(engine.play(chess.Board(fen), chess.engine.Limit(depth=3)).move is None, f"{fen}: a move")
    return f"slowest stop {1000 * slowest:.1f} ms"


def options(engine):
    """Every option can be set to what it says of itself."""
    engine.ping()
    for name, option in engine.options.items():
        if option.is_managed() or option.type in ("button", "string"):
            continue
        # A table of the largest size would not fit, and is refused.
        values = [option.default] if name == "Hash" else [option.min, option.max, option.default]
        for value in [True, False, option.default] if option.type == "check" else values:
            if name == "Threads" and value == option.max:
                value = 8
            engine.configure({name: value})
        engine.ping()
    board = chess.Board()
    check(engine.play(board, chess.engine.Limit(depth=4)).move in board.legal_moves, "no move after all the options")
    return f"{len(engine.options)} options"


def main():
    logging.getLogger("chess.engine").addHandler(Complaints(logging.WARNING))
    engine = start(Threads=1)
    print(f"python-chess {chess.__version__}: {engine.id.get('name')}", flush=True)
    parts = [multi_pv, stream, root_moves, mates, ponder, chess960, stops, options]
    wanted = sys.argv[1:]
    for part in parts:
        if not wanted or part.__name__ in wanted:
            begun = time.perf_counter()
            outcome = part(engine)
            print(f"  {part.__name__:<10} {outcome} ({time.perf_counter() - begun:.1f} s)", flush=True)
    engine.quit()
    if not wanted or "games" in wanted:
        print(f"  games      {games()}")
    print(f"python-chess: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
