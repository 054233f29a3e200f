#!/usr/bin/env bash
# fastchess, which runs most engine matches: its own test of the protocol, and a short match. FASTCHESS names the program.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/clients/common.sh

FASTCHESS=${FASTCHESS:-fastchess}
need "$FASTCHESS"
FASTCHESS=$(command -v "$FASTCHESS")
log="$OUT/fastchess.log" pgn="$OUT/fastchess.pgn"
rm -f "$pgn"

"$FASTCHESS" --compliance "$ENGINE" > "$log" 2>&1 || fail "its test of the protocol (see $log)"
if grep -iE 'fail|error' "$log"; then
    fail "its test of the protocol (see $log)"
fi
echo "  $(grep -c 'Passed' "$log") steps of its test of the protocol passed"

book="$(realpath -m "${REJOINDER_SHARED:-../shared}")/data/books/noob_3moves_10k.epd"
openings=()
if [ -e "$book" ]; then
    openings=(-openings "file=$book" format=epd order=random -srand 5)
else
    echo "  SKIPPED the book: no $book"
fi
(cd "$OUT" && "$FASTCHESS" -engine "cmd=$ENGINE" name=one option.Threads=1 -engine "cmd=$ENGINE" name=two option.Threads=2 \
    -each tc=2+0.05 option.Hash=8 "${openings[@]}" -rounds 5 -games 2 -repeat -concurrency 1 -check-mate-pvs \
    -pgnout "file=$pgn" append=false) > "$log" 2>&1 || fail "the match (see $log)"
games=$(grep -c '^\[Result "\(1-0\|0-1\|1/2-1/2\)"\]' "$pgn" || true)
[ "$games" = 10 ] || fail "$games finished games in $pgn, not 10"
trouble=$(grep -hiE 'illegal|^warning|timeout|on time|disconnect|stall|unterminated' "$log" "$pgn" | sort | uniq -c || true)
if [ -n "$trouble" ]; then
    echo "$trouble" | head -n 20
    fail "trouble in the match (see $log and $pgn)"
fi
grep -E '^(Results|Elo|Games)' "$log" | tail -n 3 | sed 's/^/  /'
echo "fastchess: 10 games, no trouble"
