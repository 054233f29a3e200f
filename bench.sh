#!/usr/bin/env bash
# Compares the bench signature (the node count) with a reference.
#   bench.sh           the reference is tests/data/signature
#   bench.sh N         the reference is N
#   bench.sh --update  the signature becomes the reference
# EXE names the engine; without it ./rejoinder is built first.
set -euo pipefail

reference_file="$(dirname "$0")/tests/data/signature"
if [[ -z "${EXE:-}" ]]; then
    make -s -C "$(dirname "$0")" >&2
    EXE="$(dirname "$0")/rejoinder"
fi

output=$("$EXE" bench | tr -d '\r')
printf '%s\n' "$output"
last=${output##*$'\n'}
if [[ ! "$last" =~ ^([0-9]+)\ nodes\ ([0-9]+)\ nps$ ]]; then
    echo "bench.sh: the last line is no 'N nodes M nps': $last" >&2
    exit 1
fi
signature=${BASH_REMATCH[1]}

if [[ "${1:-}" == --update ]]; then
    echo "$signature" > "$reference_file"
    echo "Bench: $signature"
    exit 0
fi

reference=${1:-$(tr -d '\r' < "$reference_file")}
if [[ "$signature" != "$reference" ]]; then
    echo "bench.sh: the signature is $signature, expected $reference" >&2
    exit 1
fi
echo "bench.sh: the signature is $signature, as expected"
