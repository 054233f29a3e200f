//! Suites of test positions made of bytes of unknown origin.

use std::path::Path;

use rejoinder::board::Board;
use rejoinder_study::epd::{record::Record, suite};

/// A suite: positions with their operations.
pub fn epd(bytes: &[u8]) {
    if let Err(error) = suite::parse(Path::new("suite.epd"), bytes) {
        assert!(error.to_string().contains("suite.epd"));
    }
    for line in String::from_utf8_lossy(bytes).lines() {
        let Ok(record) = Record::read(line) else {
            continue;
        };
        let fen = record.board.fen(true);
        let again = Board::from_fen(&fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(again.key(), record.board.key(), "{fen}");
        let points = record.points.iter().map(|(mv, _)| mv);
        for &mv in record.best.iter().chain(&record.avoid).chain(points) {
            assert!(record.board.is_legal(mv), "{mv:?} of {line}");
        }
    }
}
