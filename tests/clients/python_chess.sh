#!/usr/bin/env bash
# python-chess, in a Python environment of its own; see python_chess.py.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/clients/common.sh

need python3
venv="$OUT/venv"
if ! "$venv/bin/python" -c 'import chess.engine' 2> /dev/null; then
    python3 -m venv "$venv" 2> /dev/null || skip "this Python makes no environments (Debian: python3-venv)"
    "$venv/bin/pip" install --quiet chess==1.11.2 || skip "python-chess cannot be downloaded"
fi
ENGINE=$ENGINE "$venv/bin/python" tests/clients/python_chess.py "$@"
