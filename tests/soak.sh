#!/bin/sh
# Games of the engine against itself through fastchess, and a verdict on each match: nothing lost on time, nothing illegal,
# no crash, no warning about a line.
#
#   EXE        the engine                                  (./rejoinder)
#   FASTCHESS  fastchess                                   (fastchess)
#   BOOK       openings, EPD                               (../shared/data/books/UHO_4060_v4_20k.epd)
#   GAMES      hyper-bullet games                          (5000)
#   LONG       games at 40 moves in 300 s with 2 threads   (4)
#   OUT        folder for games and logs                   (soak)
set -eu
EXE=${EXE:-./rejoinder}
FASTCHESS=${FASTCHESS:-fastchess}
BOOK=${BOOK:-${REJOINDER_SHARED:-../shared}/data/books/UHO_4060_v4_20k.epd}
GAMES=${GAMES:-5000}
LONG=${LONG:-4}
OUT=${OUT:-soak}
BAD='loses on time|time forfeit|illegal|disconnect|stall|crash|abandoned|warning'
mkdir -p "$OUT"
verdict=0

# match NAME GAMES CONCURRENCY, then options of both engines
match() {
    name=$1
    games=$2
    concurrency=$3
    shift 3
    [ "$games" -gt 0 ] || return 0
    echo "== $name: $games games, $(date)"
    rm -f "$OUT/$name.pgn" "$OUT/$name.log"
    "$FASTCHESS" -engine cmd="$EXE" name=one -engine cmd="$EXE" name=two -each proto=uci "$@" \
        -openings file="$BOOK" format=epd order=random -srand 5 -rounds $((games / 2)) -repeat -concurrency "$concurrency" \
        -pgnout file="$OUT/$name.pgn" nodes=true seldepth=true -log file="$OUT/$name.log" level=warn \
        > "$OUT/$name.out" 2>&1 || echo "fastchess ended with $?" >> "$OUT/$name.out"
    # Every game counts once in the output, and its end in the file of the games.
    finished=$(grep -c '^Finished game' "$OUT/$name.out" || true)
    # The summary has lines like `Crashed: 0`.
    grep -EiH "$BAD" "$OUT/$name.out" "$OUT/$name.log" "$OUT/$name.pgn" | grep -v ': 0$' > "$OUT/$name.bad" || true
    bad=$(grep -c '' "$OUT/$name.bad" || true)
    echo "$name: $finished of $games games finished, $bad lines about a time loss, an illegal move or line, a crash or a disconnect"
    if [ "$finished" -ne "$games" ] || [ "$bad" -ne 0 ]; then
        head -20 "$OUT/$name.bad"
        verdict=1
    fi
}

match hyper "$GAMES" 2 tc=0.1+0.002 timemargin=5 option.Hash=16
match long "$LONG" 1 tc=40/300 option.Hash=64 option.Threads=2
[ "$verdict" -eq 0 ] && echo "soak: all well" || echo "soak: SOMETHING IS WRONG"
exit "$verdict"
