#!/usr/bin/env python3
"""Collects the files of the analysis page in a folder: those of page/ and native/, the reader of games,
and the libraries of package-lock.json, which are downloaded once and compared with their checksums.

Usage: collect.py FOLDER [--native]    --native: for `rejoinder-study serve`
"""

import base64
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

WEB = Path(__file__).resolve().parent
ROOT = WEB.parent
# The name of a library in the page, and the folder of its scripts.
LIBRARIES = {"@lichess-org/chessground": ("chessground", "dist"), "chessops": ("chessops", "dist/esm"), "@badrap/result": ("result", "dist/mjs")}
STYLES = {"assets/chessground.base.css": "chessground/base.css", "assets/chessground.cburnett.css": "chessground/cburnett.css"}
REGISTRY = os.environ.get("npm_config_registry", "https://registry.npmjs.org").rstrip("/")
# The reader in bytes: a part of the engine's source without its networks.
LARGEST_READER = 450_000
# Files of page/ that only the page of the web needs.
WEB_ONLY = {"sw.js", "thread.js", "wasi.js", "machine.js", "manifest.webmanifest"}


def package(name, lock):
    """Returns the files of a package by their paths."""
    entry = lock["packages"][f"node_modules/{name}"]
    algorithm, expected = entry["integrity"].split("-", 1)
    file = f"{name.split('/')[-1]}-{entry['version']}.tgz"
    address = f"{REGISTRY}/{name}/-/{file}"
    store = ROOT / "target/web-libraries" / file
    if not store.exists():
        store.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(address, timeout=60) as answer:
            part = store.with_suffix(".part")
            part.write_bytes(answer.read())
            part.replace(store)
    data = store.read_bytes()
    if base64.b64encode(hashlib.new(algorithm, data).digest()).decode() != expected:
        store.unlink()
        sys.exit(f"{address} is not the file that package-lock.json names")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = (member for member in archive if member.isfile())
        return {member.name.split("/", 1)[1]: archive.extractfile(member).read() for member in members}


def reader():
    """Builds the reader of games and returns its bytes."""
    linker = ["--initial-memory=33554432", "--max-memory=1073741824", "-zstack-size=8388608"]
    flags = ["-C", "target-feature=+simd128"] + [word for flag in linker for word in ("-C", f"link-arg={flag}")]
    target = ROOT / "target/web-build"
    command = ["cargo", "build", "--profile", "reader", "--locked", "--package", "rejoinder-reader", "--target", "wasm32-wasip1", "--target-dir", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, env={**os.environ, "RUSTFLAGS": " ".join(flags), "REJOINDER_SMALL": "1"})
    data = (target / "wasm32-wasip1/reader/rejoinder_reader.wasm").read_bytes()
    if len(data) > LARGEST_READER:
        sys.exit("the reader holds more than what reads games: perhaps a network")
    return data


def main():
    folder, is_native = Path(sys.argv[1]), "--native" in sys.argv[2:]
    files = {path.name: path.read_bytes() for path in sorted((WEB / "page").iterdir())}
    if is_native:
        files = {name: data for name, data in files.items() if name not in WEB_ONLY}
        files |= {path.name: path.read_bytes() for path in sorted((WEB / "native").iterdir())}
        page = files["index.html"].decode()
        files["index.html"] = re.sub(r'\n *<link rel="manifest".*', "", page).encode()
    files["reader.wasm"] = reader()
    files["openings.tsv"] = (ROOT / "study/data/openings.tsv").read_bytes()
    files["LICENSE.txt"] = (ROOT / "LICENSE").read_bytes()
    lock = json.loads((WEB / "package-lock.json").read_text())
    for name, (short, scripts) in LIBRARIES.items():
        for path, data in package(name, lock).items():
            if (match := re.fullmatch(rf"{scripts}/([^/]+(?<!\.min)\.m?js)", path)):
                # Maps of the sources are left out.
                files[f"libraries/{short}/{match[1]}"] = re.sub(rb"(?m)^//# sourceMappingURL=.*\n?", b"", data)
            elif re.fullmatch(r"(?i)licen[cs]e[^/]*", path):
                files[f"libraries/{short}/LICENSE.txt"] = data
            elif path in STYLES:
                files[f"libraries/{STYLES[path]}"] = data
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    print(f"{len(files)} files, {sum(map(len, files.values())) / 1e6:.2f} MB in {folder}")


main()
