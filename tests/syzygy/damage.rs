//! Damaged files do no harm.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rejoinder::board::Board;
use rejoinder::tablebase::Tablebases;
use rejoinder::types::Rng;

use crate::oracle::{Oracle, fen_of, random_position};
use crate::{board, copy, scratch, syzygy, vectors};

/// Damages one table after the other at random, and probes it for all its known values. Returns how
/// often the damage was noticed.
fn damage(folder: &Path, rounds: u32, seed: u64) -> u32 {
    let mut by_pieces: BTreeMap<String, Vec<Board>> = BTreeMap::new();
    for (fen, ..) in vectors(folder) {
        let board = board(&fen);
        by_pieces.entry(pieces(&fen)).or_default().push(board);
    }
    let scratch = scratch("tables-damaged");
    let mut names = Vec::new();
    for entry in fs::read_dir(folder.join("3-4-man")).expect("cannot open the tables") {
        let path = entry.expect("cannot read an entry of the folder").path();
        let name = path
            .file_name()
            .expect("the file has no name")
            .to_string_lossy()
            .into_owned();
        copy(&path, &scratch.join(&name));
        names.push(name);
    }
    names.sort();
    let mut rng = Rng::new(seed);
    let mut noticed = 0;
    for _ in 0..rounds {
        let name = &names[rng.below(names.len())];
        let pieces = name
            .split('.')
            .next()
            .expect("there are no pieces in the name");
        let path = scratch.join(name);
        let whole = fs::read(&path).expect("cannot read the table");
        fs::write(&path, damaged(whole.clone(), &mut rng)).expect("cannot write a file");
        let (tables, faults) = Tablebases::open(&scratch.to_string_lossy());
        for board in &by_pieces[pieces] {
            tables.wdl(board);
            tables.dtz(board);
        }
        let found = tables.take_faults();
        // A wrong WDL value may make the DTZ table of the same pieces look damaged.
        assert!(found.len() <= 2, "each is reported once: {found:?}");
        assert!(
            found.iter().all(|fault| fault.contains(pieces)),
            "{found:?}"
        );
        noticed += u32::from(faults.len() + found.len() > 0);
        drop(tables);
        fs::write(&path, whole).expect("cannot write a file");
    }
    noticed
}

/// Returns the name of the table for a position.
fn pieces(fen: &str) -> String {
    let pieces = fen
        .split(' ')
        .next()
        .expect("there are no pieces in the name");
    let side = |is_own: fn(&char) -> bool| {
        let own = pieces.chars().filter(is_own);
        let mut pieces: Vec<char> = own.map(|piece| piece.to_ascii_uppercase()).collect();
        pieces.sort_by_key(|piece| "KQRBNP".find(*piece));
        pieces
    };
    let mut sides = [
        side(char::is_ascii_uppercase),
        side(char::is_ascii_lowercase),
    ];
    let worth = |side: &Vec<char>| {
        let order: Vec<_> = side.iter().map(|piece| "PNBRQK".find(*piece)).collect();
        (side.len(), order)
    };
    sides.sort_by_key(|side| std::cmp::Reverse(worth(side)));
    sides
        .map(|side| side.into_iter().collect::<String>())
        .join("v")
}

fn damaged(mut bytes: Vec<u8>, rng: &mut Rng) -> Vec<u8> {
    let header = 300.min(bytes.len());
    match rng.below(8) {
        // The file is cut to a size that tables can have, or to any other.
        0 => bytes.truncate(16 + 64 * rng.below(bytes.len() / 64)),
        1 => bytes.truncate(rng.below(bytes.len())),
        2 => bytes[16..].fill(0),
        3 => {
            let at = rng.below(bytes.len());
            bytes[at..].fill(rng.below(256) as u8);
        }
        kind => {
            for _ in 0..=rng.below(1 << (kind - 3)) {
                let reach = if kind < 6 { header } else { bytes.len() };
                let at = rng.below(reach);
                if rng.below(2) == 0 {
                    bytes[at] ^= 1 << rng.below(8);
                } else {
                    bytes[at] = rng.below(256) as u8;
                }
            }
        }
    }
    bytes
}

#[test]
fn damaged_files_do_no_harm() {
    let Some(folder) = syzygy() else { return };
    let noticed = damage(&folder, 150, 1);
    assert!(noticed >= 40, "only {noticed} were noticed");
}

/// A table with pawns and the same pieces on both sides serves both sides to move. One that claims
/// to be for Black would make a probe recurse without end.
#[test]
fn a_table_that_leads_in_a_circle_is_refused() {
    let Some(folder) = syzygy() else { return };
    let scratch = scratch("tables-circle");
    for name in ["KPvKP.rtbw", "KPvKP.rtbz"] {
        let mut bytes = fs::read(folder.join("3-4-man").join(name)).expect("cannot read the table");
        // The offsets of the flags for the four files of the board.
        for at in [30, 1052, 2590, 3924] {
            bytes[at] |= u8::from(name.ends_with('z'));
        }
        fs::write(scratch.join(name), bytes).expect("cannot write a file");
    }
    let (tables, _) = Tablebases::open(&scratch.to_string_lossy());
    let oracle = Oracle::new(&folder);
    let mut rng = Rng::new(4);
    let mut asked = 0;
    while asked < 40 {
        let Some(position) = random_position(&mut rng) else {
            continue;
        };
        let fen = fen_of(&position, 0);
        // The distance is too long to be explained by pawn moves alone.
        if pieces(&fen) == "KPvKP" && oracle.dtz(&position).abs() > 4 {
            assert!(tables.dtz(&board(&fen)).is_none(), "{fen}");
            asked += 1;
        }
    }
    let faults = tables.take_faults();
    assert!(
        faults.len() == 1 && faults[0].contains("KPvKP.rtbz: the table is damaged"),
        "{faults:?}"
    );
}

#[test]
#[ignore = "a minute: `make endings`"]
fn many_damaged_files_do_no_harm() {
    let Some(folder) = syzygy() else { return };
    let rounds = 20_000;
    let noticed = damage(&folder, rounds, 2);
    println!("{rounds} damaged files, {noticed} noticed, no crash");
}
