#!/bin/sh
# The hook for experiments in move ordering costs the default build nothing: the program contains no function of it, although it has
# symbols of everything that was not inlined. Only `no_hook` is left, to which the configuration of a worker points. A build with the
# feature `hook` does contain others, so the search for them works.
set -eu
cd "$(dirname "$0")/.."

symbols() {
    RUSTFLAGS="-C symbol-mangling-version=v0" cargo build --quiet --release --locked --target-dir target/lab-cost "$@"
    nm target/lab-cost/release/rejoinder | grep -v 'no_hook$' | grep -c 'ordering4hook' || true
}

without=$(symbols)
with=$(symbols --features hook)
echo "functions of ordering::hook: $without in the default build, $with with the feature hook"
test "$without" -eq 0
test "$with" -gt 0
