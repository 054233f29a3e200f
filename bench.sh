#!/bin/sh
# Compares the bench signature (the node count) with a reference.
#   bench.sh           the reference is tests/data/signature
#   bench.sh N         the reference is N
#   bench.sh --update  the signature becomes the reference
# EXE names the engine; without it ./rejoinder is built first. RUNNER names an emulator for it, if it needs one.
set -eu

here=$(dirname "$0")
reference_file=$here/tests/data/signature
if [ -z "${EXE:-}" ]; then
    make -s -C "$here" >&2
    EXE=$here/rejoinder
fi

# shellcheck disable=SC2086 # an emulator may have arguments
output=$(${RUNNER:-} "$EXE" bench) || { echo "bench.sh: $EXE bench failed" >&2; exit 1; }
output=$(printf '%s\n' "$output" | tr -d '\r')
printf '%s\n' "$output"
last=$(printf '%s\n' "$output" | tail -n 1)
signature=$(printf '%s\n' "$last" | sed -n 's/^\([0-9][0-9]*\) nodes [0-9][0-9]* nps$/\1/p')
if [ -z "$signature" ]; then
    echo "bench.sh: the last line is not 'N nodes M nps': $last" >&2
    exit 1
fi

if [ "${1:-}" = --update ]; then
    echo "$signature" > "$reference_file"
    echo "Bench: $signature"
    exit 0
fi

reference=${1:-$(tr -d '\r' < "$reference_file")}
if [ "$signature" != "$reference" ]; then
    echo "bench.sh: the signature is $signature, expected $reference" >&2
    exit 1
fi
echo "bench.sh: the signature is $signature, as expected"
