#!/usr/bin/env python3
"""What OpenBench's client does with an engine, from the archive to SPSA: `make openbench`.

The contract is that of Client/utils.py, Client/bench.py and Client/genfens.py in https://github.com/AndyGrant/OpenBench.
Needs git, make, cargo and Python; builds twice, in a folder of its own that is removed afterwards.
"""

import concurrent.futures
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = "Rejoinder-0123ABCD"
BENCHES = 16
BENCH_SECONDS = 60
SILENCE_SECONDS = 15
OPENINGS = 10


def check(condition, text):
    """Ends the test with this text unless the condition holds."""
    if not condition:
        sys.exit(f"openbench: {text}")


def run(command, folder=None):
    """Output and errors of a command, together and as text, as the client reads them."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check(done.returncode == 0, f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def read_config():
    """The engine's JSON, with what the server asserts of it."""
    with open(os.path.join(ROOT, "openbench", "Rejoinder.json"), encoding="utf-8") as file:
        config = json.load(file)
    check(isinstance(config["private"], bool) and not config["private"], "private must be false")
    check(isinstance(config["nps"], int) and config["nps"] > 0, "nps must be a whole number")
    check(isinstance(config["source"], str), "source must be a text")
    build = config["build"]
    check(isinstance(build["path"], str), "path must be a text")
    for key in ("cpuflags", "compilers", "systems"):
        check(all(isinstance(word, str) for word in build[key]), f"{key} must be texts")
    for presets in ("test_presets", "tune_presets", "datagen_presets"):
        check("default" in config[presets], f"{presets} need a default")
    return config


def check_compiler(config):
    """The compiler is here, and as new as the JSON and Cargo.toml ask for."""
    name, wanted = config["build"]["compilers"][0].split(">=")
    found = re.search(r"\d+\.\d+(\.\d+)?", run([name, "--version"])).group()
    number = lambda text: tuple(map(int, text.split(".")))
    check(number(found) >= number(wanted), f"{name} {found} is older than {wanted}")
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as file:
        stated = re.search(r'rust-version = "([\d.]+)"', file.read()).group(1)
    check(wanted.startswith(stated), f"the JSON says {wanted}, Cargo.toml {stated}")
    print(f"compiler   {name} {found}, {wanted} is enough")


def build(make_path, *variables):
    """Builds as the client does, and gives the seconds."""
    start = time.time()
    run(["make", "-j", f"EXE={NAME}", *variables], make_path)
    binary = os.path.join(make_path, NAME)
    # Under Windows the client takes either name.
    binary = binary if os.path.isfile(binary) else binary + ".exe"
    check(os.path.isfile(binary), f"make left no {NAME} beside its makefile")
    return binary, time.time() - start


def parse_bench(text):
    """Nodes and speed, searched for as the client does: from the last line, first match of each."""
    nodes = nps = None
    for line in reversed(text.strip().split("\n")):
        line = re.sub(r"[^a-zA-Z0-9 ]+", " ", line)
        speed = re.search(r"(\d+\s+nps)|(nps\s+\d+)|(nodes second\s+\d+)", line, re.IGNORECASE)
        count = re.search(r"(\d+\s+nodes)|(nodes\s+\d+)|(nodes searched\s+\d+)", line, re.IGNORECASE)
        nps = nps or (speed and speed.group())
        nodes = nodes or (count and count.group())
    check(nodes and nps, f"no nodes and nps in:\n{text}")
    return int(re.search(r"\d+", nodes).group()), int(re.search(r"\d+", nps).group())


def check_benches(binary):
    """Benches with one copy per core at a time, as a worker runs them: equal, expected, and in time."""
    def bench(_):
        start = time.time()
        return (*parse_bench(run([binary, "bench"])), time.time() - start)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(bench, range(BENCHES)))
    nodes, speeds, seconds = zip(*results)
    with open(os.path.join(ROOT, "tests", "data", "signature"), encoding="utf-8") as file:
        expected = int(file.read())
    check(len(set(nodes)) == 1, f"benches differ: {nodes}")
    check(nodes[0] == expected, f"the bench is {nodes[0]}, expected {expected}")
    check(max(seconds) < BENCH_SECONDS, f"the slowest bench took {max(seconds):.0f} s")
    print(
        f"bench      {BENCHES}, one on each of {os.cpu_count()} cores at a time: {nodes[0]} nodes from each, "
        f"{sum(speeds) // len(speeds)} nps on average, the slowest took {max(seconds):.1f} s of {BENCH_SECONDS}"
    )


def genfens(binary, book, seed, extra=""):
    """Openings, and the longest silence between two of them in seconds."""
    command = [binary, f"genfens {OPENINGS} seed {seed} book {book} {extra}", "quit"]
    openings, silence, last = [], 0.0, time.time()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout:
            if line.startswith("info string genfens "):
                silence, last = max(silence, time.time() - last), time.time()
                openings.append(line.split("genfens ")[1].rstrip())
    check(process.returncode == 0, f"genfens ended with {process.returncode}")
    check(len(openings) == OPENINGS, f"{len(openings)} openings instead of {OPENINGS}: {openings}")
    for fen in openings:
        # The client makes an EPD of it, with both counters.
        halfmove, fullmove = fen.split()[4:]
        check(int(halfmove) >= 0 and int(fullmove) > 0, f"no counters: {fen}")
    check(silence < SILENCE_SECONDS, f"{silence:.0f} s of silence")
    return openings, silence


def check_genfens(binary, folder):
    """With and without a book; the seed, and nothing else, tells the openings."""
    first, silence = genfens(binary, "None", 1)
    again, _ = genfens(binary, "None", 1)
    other, _ = genfens(binary, "None", 2)
    check(first == again, "the same seed gave other openings")
    check(not set(first) & set(other), "another seed gave the same openings")
    book = os.path.join(folder, "book.epd")
    with open(book, "w", encoding="utf-8") as file:
        file.writelines(" ".join(fen.split()[:4]) + " hmvc 0; fmvn 3;\n" for fen in first)
    _, silence_with_book = genfens(binary, book, 3)
    genfens(binary, "None", 4, "chess960 1.0")
    print(
        f"genfens    {OPENINGS} openings from nothing, from a book and from Chess960; "
        f"longest silence {max(silence, silence_with_book):.2f} s of {SILENCE_SECONDS}"
    )


def check_options(binary):
    """What the client sets."""
    text = run([binary, "uci", "quit"])
    for name in ("Hash", "Threads", "UCI_Chess960"):
        check(f"option name {name} type " in text, f"no option {name}")
    return re.findall(r"^option name (\S+) type spin default (\S+) min (\S+) max (\S+)", text, re.MULTILINE)


def check_spsa(binary):
    """Every line of the SPSA input is sound, and a spin option of the same name, default and range."""
    options = {name: tuple(map(int, numbers)) for name, *numbers in check_options(binary)}
    lines = run([binary, "params"]).strip().split("\n")
    for line in lines:
        name, kind, value, least, most, c, r = (word.strip() for word in line.split(","))
        check(kind in ("int", "float"), f"{kind}: {line}")
        check(float(least) <= float(value) <= float(most), f"out of range: {line}")
        check(float(c) > 0 and float(r) > 0, f"no step: {line}")
        check(options.get(name) == (int(value), int(least), int(most)), f"no such spin option: {line}")
    print(f"SPSA       {len(lines)} numbers, each a spin option of the same name and range")


def main():
    """All steps in their order."""
    config = read_config()
    check_compiler(config)
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "archive", "--prefix=Rejoinder-tmp/", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            # Python 3.11 of Debian 12 does not know the filter.
            tar.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        source = os.path.join(folder, "Rejoinder-tmp")
        make_path = os.path.join(source, config["build"]["path"])

        tree = ["cargo", "tree", "--locked", "--package", "rejoinder", "--edges", "normal,build", "--prefix", "none"]
        crates = {line.split()[0] for line in run(tree, source).splitlines()}
        check(not crates & {"cc", "cmake", "bindgen", "plotters", "zstd", "serde", "indicatif", "csv"}, f"not light: {crates}")

        binary, seconds = build(make_path)
        size = os.path.getsize(binary) / 2**20
        print(f"build      {len(crates)} crates, no C among them, in {seconds:.0f} s; {size:.1f} MiB")
        binary = shutil.move(binary, os.path.join(folder, NAME))
        check_options(binary)
        check_benches(binary)
        check_genfens(binary, folder)

        network = shutil.copy(os.path.join(ROOT, "networks", "rejoinder.rjn"), os.path.join(folder, "0123ABCD"))
        binary, seconds = build(make_path, f"EVALFILE={network}", "FEATURES=tune")
        print(f"build      with EVALFILE and for SPSA in {seconds:.0f} s more")
        nodes, _ = parse_bench(run([binary, "bench"]))
        print(f"bench      {nodes} nodes")
        check_spsa(binary)
    print("openbench: all is well")


if __name__ == "__main__":
    main()
