#!/usr/bin/env python3
"""Packs the programs that `make dist` has built: `make archives`.

For each platform that dist/ has programs for, an archive with engine, study, README, changelog and
license is written beside them, a ZIP file for Windows and a tar.gz file for the others, and
dist/SHA256SUMS gets their checksums. The same programs give the same bytes: every file in an archive
has the time of the commit.
"""
import gzip
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
TEXTS = ["README.md", "CHANGELOG.md", "LICENSE"]


def date():
    """Returns the time of the commit in seconds since 1970, or what SOURCE_DATE_EPOCH says.

    Without a repository, as in a source archive, it is the time of Cargo.toml.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given and (ROOT / ".git").exists():
        given = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT)
    return int(given or (ROOT / "Cargo.toml").stat().st_mtime)


def write_zip(path, files, when):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in files:
            info = zipfile.ZipInfo(name, time.gmtime(when)[:6])
            info.external_attr = mode << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)


def write_tar(path, files, when):
    with gzip.GzipFile(path, "wb", mtime=when) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content, mode in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.mode = len(content), when, mode
            archive.addfile(info, io.BytesIO(content))


def main():
    # Python 3.10 has no reader of TOML.
    version = re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE).group(1)
    prefix = f"rejoinder-{version}-"
    programs = [path for path in sorted(DIST.glob(prefix + "*")) if path.suffix not in (".gz", ".zip")]
    if not programs:
        sys.exit(f"dist/ has no programs of version {version}: run `make dist` first")
    when, sums = date(), []
    for engine in programs:
        study = engine.with_name(engine.name.replace("rejoinder-", "rejoinder-study-", 1))
        if not study.exists():
            sys.exit(f"dist/{study.name} is missing: run `make dist` again")
        folder = engine.name.removesuffix(".exe")
        files = [(f"{folder}/{path.name}", path.read_bytes(), 0o755) for path in (engine, study)]
        files += [(f"{folder}/{text}", (ROOT / text).read_bytes(), 0o644) for text in TEXTS]
        windows = engine.suffix == ".exe"
        archive = DIST / (folder + (".zip" if windows else ".tar.gz"))
        (write_zip if windows else write_tar)(archive, files, when)
        sums.append(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n")
        print(f"dist/{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
    (DIST / "SHA256SUMS").write_text("".join(sums))


if __name__ == "__main__":
    main()
