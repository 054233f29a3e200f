//! Tests of reading and writing network files.

use super::super::{Block, LANES, Network, QA_SQUARED};
use super::*;
use crate::eval::features::{Feature, KingBuckets, Perspective};
use crate::types::{Color, Piece, Square};

fn weights(relations: usize) -> Weights {
    let numbers = |count: usize| (0..count).map(|i| (i * 37 % 201) as i16 - 100).collect();
    let wide = |count: usize| (0..count).map(|i| i as i32 * 37 - 5).collect();
    let architecture = Architecture {
        king_buckets: 4,
        relations,
        hidden: 2 * LANES,
    };
    Weights {
        architecture,
        feature_weights: numbers(architecture.piece_inputs() * 64),
        relation_weights: (0..architecture.relation_inputs() * 64)
            .map(|i| (i * 37) as i8)
            .collect(),
        feature_biases: numbers(64),
        output_weights: numbers(OUTPUT_BUCKETS * 2 * 64),
        output_biases: wide(OUTPUT_BUCKETS),
        scale: 400,
        win_rate: WinRate::DEFAULT,
    }
}

#[test]
fn a_file_gives_back_what_was_written() {
    for relations in COUNTS {
        let weights = weights(relations);
        assert_eq!(
            Weights::from_bytes(&weights.to_bytes()),
            Ok(weights.clone())
        );
        let network = Network::new(&weights).expect("the test's weights do not make a network");
        assert_eq!(network.architecture(), weights.architecture);
        let row = |row: &[Block]| row.iter().flat_map(|block| block.0).collect::<Vec<_>>();
        let perspective = Perspective::new(Color::White, Square::at(1, 4), network.king_buckets());
        let (piece, square) = (Piece::BlackRook, Square::at(5, 6));
        let rows = network.rows(perspective);
        let feature = Feature::piece(piece, square);
        let input = perspective.input(feature);
        assert!(input > 3 * 768);
        let expected = &weights.feature_weights[input * 64..][..64];
        assert_eq!(row(rows.piece(feature)), expected);
        if weights.architecture.relations > 0 {
            let feature = Feature::relation(3, piece, square);
            let found = rows.relation(feature).iter().flat_map(|block| block.0);
            let input = perspective.input(feature) - 4 * 768;
            let expected = &weights.relation_weights[input * 64..][..64];
            assert_eq!(found.collect::<Vec<_>>(), expected);
        }
        assert_eq!(row(network.feature_biases()), weights.feature_biases);
        let (output, bias) = network.output(3);
        assert_eq!(row(output), weights.output_weights[3 * 128..4 * 128]);
        assert_eq!(*bias, weights.output_biases[3]);
        assert_eq!(network.score(i64::from(QA_SQUARED * QB)), 400);
        assert_eq!(network.win_rate(), WinRate::DEFAULT);
    }
}

#[test]
fn no_file_is_larger_than_the_largest() {
    for king_buckets in KingBuckets::counts() {
        for relations in COUNTS {
            let architecture = Architecture {
                king_buckets,
                relations,
                hidden: MAX_HIDDEN,
            };
            assert_eq!(architecture.check(), Ok(()));
            assert!(size(architecture) <= LARGEST, "{architecture}");
        }
    }
}

#[test]
fn invalid_networks_are_refused() {
    let good = weights(0).to_bytes();
    let error = |bytes: &[u8]| Network::from_bytes(bytes).expect_err("no network");
    assert_eq!(error(b""), NetworkError::Magic);
    assert_eq!(error(b"PK and so on"), NetworkError::Magic);
    for length in [8, 63, 64, good.len() - 1] {
        assert!(matches!(error(&good[..length]), NetworkError::Size { .. }));
    }
    let longer = [good.as_slice(), &[0]].concat();
    assert!(matches!(error(&longer), NetworkError::Size { .. }));
    for at in [100, good.len() - 1, 60] {
        let mut damaged = good.clone();
        damaged[at] ^= 1;
        assert_eq!(error(&damaged), NetworkError::Checksum);
    }
    let with = |at: usize, value: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        error(&bytes)
    };
    assert_eq!(with(8, 2), NetworkError::Version(2));
    for (at, value) in [(12, 0), (12, 3), (16, 0), (16, 33), (16, 1 << 20)] {
        assert!(
            matches!(with(at, value), NetworkError::Architecture(_)),
            "{at}"
        );
    }
    for (at, value) in [
        (20, 1),
        (24, 255),
        (28, 64),
        (32, 0),
        (32, u32::MAX),
        (36, 0),
        (48, 0),
        (52, 1),
        (52, 6),
    ] {
        assert!(
            matches!(with(at, value), NetworkError::Constant { .. }),
            "{at}"
        );
    }
    // Relations need another size.
    assert!(matches!(with(52, 4), NetworkError::Size { .. }));
    let loud = |change: fn(&mut Weights)| {
        let mut weights = weights(17);
        change(&mut weights);
        Network::new(&weights).is_err()
    };
    assert!(!loud(
        |weights| weights.feature_weights[5] = MAX_FEATURE_WEIGHT
    ));
    assert!(loud(
        |weights| weights.feature_weights[5] = MAX_FEATURE_WEIGHT + 1
    ));
    assert!(loud(
        |weights| weights.feature_biases[5] = -MAX_FEATURE_WEIGHT - 1
    ));
}
