#!/usr/bin/env bash
# Every client that this machine has, one after the other. ENGINE is the program they play with (./rejoinder if not given), the files they
# leave are in target/clients. Fails if one of them found something wrong; says what was left out.
set -uo pipefail
cd "$(dirname "$0")/../.."

failed=() skipped=()
for client in python_chess fastchess xboard gnome_chess; do
    echo "== $client"
    "tests/clients/$client.sh"
    case $? in
        0) ;;
        77) skipped+=("$client") ;;
        *) failed+=("$client") ;;
    esac
done
echo "== clients: skipped: ${skipped[*]:-none}; failed: ${failed[*]:-none}"
[ ${#failed[@]} = 0 ]
