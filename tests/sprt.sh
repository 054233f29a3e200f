#!/bin/sh
# Plays the engine of the working tree against that of another commit, until a sequential
# probability ratio test (SPRT) decides whether it is stronger.
#
#   BASE         the other commit                               (main)
#   ELO          the Elo of the two hypotheses                  ("0 3")
#   TC           seconds for the game and for each move         (8+0.08)
#   THREADS      threads of each engine                         (1)
#   CONCURRENCY  games at a time                                (the cores divided by THREADS)
#   GAMES        the most games                                 (40000)
#   FASTCHESS    fastchess                                      (fastchess)
#   BOOK         openings, EPD                                  (the engine's own, made once)
set -eu
BASE=${BASE:-main}
ELO=${ELO:-0 3}
TC=${TC:-8+0.08}
THREADS=${THREADS:-1}
CONCURRENCY=${CONCURRENCY:-$(($(nproc) / THREADS))}
[ "$CONCURRENCY" -gt 0 ] || CONCURRENCY=1
GAMES=${GAMES:-40000}
FASTCHESS=${FASTCHESS:-fastchess}
FOLDER=$PWD/target/sprt

command -v "$FASTCHESS" > /dev/null || {
    echo "make sprt needs fastchess (https://github.com/Disservin/fastchess); FASTCHESS=path names it" >&2
    exit 1
}
commit=$(git rev-parse --verify --quiet --short "$BASE^{commit}") || {
    echo "there is no commit '$BASE'" >&2
    exit 1
}
# Both are built in the same way: with a profile if the tool for that is there.
target=build
[ -z "$(find "$(rustc --print sysroot)" -name 'llvm-profdata*' | head -n 1)" ] || target=pgo

base=$FOLDER/rejoinder-$commit-$target
if [ ! -x "$base" ]; then
    echo "== building $BASE ($commit)"
    rm -rf "$FOLDER/source"
    mkdir -p "$FOLDER/source"
    git archive "$commit" | tar -x -C "$FOLDER/source"
    make -C "$FOLDER/source" "$target" EXE="$base" > "$FOLDER/base.log" 2>&1 || {
        tail -20 "$FOLDER/base.log" >&2
        exit 1
    }
    rm -rf "$FOLDER/source"
fi
echo "== building the working tree"
new=$FOLDER/rejoinder-new
make "$target" EXE="$new" > "$FOLDER/new.log" 2>&1 || {
    tail -20 "$FOLDER/new.log" >&2
    exit 1
}
echo "signatures: $("$base" bench | sed -n '$s/ nodes.*//p') of $BASE, $("$new" bench | sed -n '$s/ nodes.*//p') of the working tree"

if [ -z "${BOOK:-}" ]; then
    BOOK=$FOLDER/openings.epd
    if [ ! -s "$BOOK" ]; then
        echo "== making 2,000 openings"
        "$new" "genfens 2000 seed 1 book None" | sed -n 's/^info string genfens //p' > "$BOOK.part"
        mv "$BOOK.part" "$BOOK"
    fi
fi

echo "== SPRT [$ELO] at $TC with $THREADS threads, $CONCURRENCY games at a time; Ctrl-C ends it"
"$FASTCHESS" -engine cmd="$new" name=new -engine cmd="$base" name="$BASE" \
    -each proto=uci tc="$TC" option.Hash=$((16 * THREADS)) option.Threads="$THREADS" \
    -openings file="$BOOK" format=epd order=random -rounds $((GAMES / 2)) -games 2 -repeat -concurrency "$CONCURRENCY" \
    -sprt elo0="${ELO% *}" elo1="${ELO#* }" alpha=0.05 beta=0.05 -report penta=true -ratinginterval 20 \
    -pgnout file="$FOLDER/games.pgn" > "$FOLDER/games.log" 2>&1 &
games=$!
trap 'kill -INT $games 2> /dev/null' INT TERM
tail -n +1 -f "$FOLDER/games.log" --pid=$games | grep --line-buffered -E '^(Results|Elo|LLR|Games|SPRT|Ptnml)' || true
wait $games || true
case $(grep -o 'H[01] was accepted' "$FOLDER/games.log" | tail -n 1) in
'H1 was accepted') echo "verdict: the working tree is stronger" ;;
'H0 was accepted') echo "verdict: the working tree is not stronger" && exit 1 ;;
*) echo "verdict: undecided" && exit 2 ;;
esac
