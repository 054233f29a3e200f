//! The order of the root moves within an iteration and between iterations.

use super::*;

/// Root moves with the bits 1, 2, 3, … in this order. Their legality does not matter here.
fn roots(count: u16) -> RootMoves {
    RootMoves {
        moves: (1..=count)
            .map(|bits| RootMove::new(Move::from_bits(bits)))
            .collect(),
    }
}

fn settle(roots: &mut RootMoves, index: usize, score: Score, tail: &[Move]) {
    roots.settle(index, 1, 1, score, tail);
}

fn order(roots: &RootMoves) -> Vec<u16> {
    roots.iter().map(|root| root.mv.bits()).collect()
}

#[test]
fn best_first_then_by_subtree() {
    let mut roots = roots(5);
    roots.start_iteration(0);
    for (index, nodes) in [100, 30, 50, 30, 80].into_iter().enumerate() {
        roots.add_nodes(index, nodes);
    }
    settle(&mut roots, 0, 10, &[]);
    settle(&mut roots, 2, 25, &[Move::from_bits(9)]);
    roots.sort_line(0);
    assert_eq!(order(&roots), [3, 1, 2, 4, 5]);
    roots.sort_rest(1);
    assert_eq!(order(&roots), [3, 1, 5, 2, 4]);
    let line = [Move::from_bits(3), Move::from_bits(9)];
    assert_eq!(roots[0].found.pv, line);
    assert_eq!(roots.best_node_share_1024(), 50 * 1024 / 290);
}

#[test]
fn nodes_of_earlier_iterations_count_less() {
    let mut roots = roots(2);
    let mut iteration = |memory_1024, nodes: [u64; 2]| {
        roots.start_iteration(memory_1024);
        for (index, nodes) in nodes.into_iter().enumerate() {
            roots.add_nodes(index, nodes);
        }
        roots.best_node_share_1024()
    };
    assert_eq!(iteration(512, [100, 300]), 256);
    assert_eq!(iteration(512, [300, 100]), 350 * 1024 / 600);
    assert_eq!(iteration(0, [300, 100]), 768);
}

#[test]
fn lines_are_sorted_by_score() {
    let mut roots = roots(4);
    roots.start_iteration(0);
    settle(&mut roots, 0, 10, &[]);
    roots.sort_line(0);
    // The second line turns out to be better than the first.
    settle(&mut roots, 1, 5, &[]);
    settle(&mut roots, 3, 20, &[]);
    roots.sort_line(1);
    assert_eq!(order(&roots), [1, 4, 2, 3]);
    roots.sort_lines(1);
    assert_eq!(order(&roots), [4, 1, 2, 3]);
    roots.sort_rest(9);
    assert_eq!(order(&roots), [4, 1, 2, 3]);
}

#[test]
fn an_aborted_iteration_changes_only_what_it_settled() {
    let mut roots = roots(3);
    roots.start_iteration(0);
    settle(&mut roots, 1, 40, &[Move::from_bits(7)]);
    roots.sort_line(0);
    roots.start_iteration(0);
    roots.sort_line(0);
    assert_eq!(order(&roots), [2, 1, 3]);
    let best = roots.best().expect("moves");
    assert_eq!((best.found.score, best.found.pv.len()), (40, 2));
    // A better move is found before the iteration is aborted.
    settle(&mut roots, 0, 30, &[]);
    settle(&mut roots, 2, 35, &[]);
    roots.sort_line(0);
    assert_eq!(order(&roots), [3, 2, 1]);
    assert!(roots[0].is_known() && !roots[2].is_known());
}

#[test]
fn only_an_exact_score_changes_what_was_found() {
    let mut roots = roots(3);
    roots.start_iteration(0);
    settle(&mut roots, 0, 10, &[Move::from_bits(7)]);
    roots.fail_high(1, 20);
    roots.sort_line(0);
    assert_eq!(order(&roots), [2, 1, 3]);
    assert!(!roots[0].is_known());
    // The search with a wider window refutes the fail high.
    roots.reject(0);
    settle(&mut roots, 1, 15, &[]);
    roots.sort_line(0);
    assert_eq!(order(&roots), [1, 2, 3]);
    roots.fail_high(0, 90);
    assert_eq!((roots[0].score, roots[0].found.score), (90, 15));
    roots.promote(Move::from_bits(3));
    assert_eq!(order(&roots), [3, 1, 2]);
}

#[test]
fn tablebases_rank_before_the_search() {
    let mut roots = roots(4);
    let ranked = |bits, rank, score| Ranked {
        mv: Move::from_bits(bits),
        rank,
        score,
    };
    roots.rank(&[
        ranked(1, 0, 0),
        ranked(2, 9, score::TB_WIN),
        ranked(3, 9, score::TB_WIN),
        ranked(4, 0, 0),
    ]);
    assert_eq!(order(&roots), [2, 3, 1, 4]);
    assert_eq!(
        (roots.candidates(0).len(), roots.candidates(1).len()),
        (2, 1)
    );
    assert_eq!(
        (roots.candidate(1, 1), roots.candidate(1, 2)),
        (Some(Move::from_bits(3)), None)
    );
    settle(&mut roots, 0, 10, &[]);
    settle(&mut roots, 1, 20, &[]);
    roots.sort_line(0);
    roots.sort_lines(1);
    // The third line scores higher than the first but has a lower rank.
    settle(&mut roots, 3, 500, &[]);
    roots.sort_line(2);
    roots.sort_lines(2);
    roots.sort_rest(3);
    assert_eq!(order(&roots), [3, 2, 4, 1]);
    settle(&mut roots, 0, 20, &[]);
    assert_eq!(roots[0].shown().score, score::TB_WIN);
    settle(&mut roots, 0, score::mate_in(3), &[]);
    assert_eq!(roots[0].shown().score, score::mate_in(3));
}

#[test]
fn a_proven_mate_stays_until_a_shorter_one_is_proven() {
    let mut roots = roots(3);
    let line = [Move::from_bits(9)];
    settle(&mut roots, 1, score::mate_in(7), &line);
    // A later iteration sees no mate any more, and another move seems to be better.
    settle(&mut roots, 1, 900, &[]);
    settle(&mut roots, 2, 1200, &[]);
    roots.sort_line(0);
    assert_eq!(order(&roots), [3, 1, 2]);
    roots.recall_mate();
    assert_eq!(order(&roots), [2, 3, 1]);
    assert_eq!(roots[0].found.score, score::mate_in(7));
    assert_eq!(roots[0].found.pv[1..], line);
    settle(&mut roots, 0, score::mate_in(5), &[]);
    assert_eq!(roots[0].found.score, score::mate_in(5));
    assert_eq!(roots[0].found.pv.len(), 1);
    settle(&mut roots, 1, score::mate_in(3), &[]);
    roots.recall_mate();
    assert_eq!(order(&roots), [3, 2, 1]);
    // A proven loss may turn out to be none.
    settle(&mut roots, 2, score::mated_in(4), &[]);
    settle(&mut roots, 2, 10, &[]);
    assert_eq!(roots[2].found.score, 10);
}

#[test]
fn search_moves_restrict_unless_none_is_legal() {
    let board = Board::startpos();
    let legal = board.legal_moves();
    assert_eq!(RootMoves::new(&board, &[]).len(), 20);
    assert_eq!(RootMoves::new(&board, &[Move::NULL]).len(), 20);
    let some = RootMoves::new(&board, &[legal[3], Move::NULL, legal[1]]);
    assert_eq!(order(&some), [legal[1].bits(), legal[3].bits()]);
    assert!(some.iter().all(|root| root.found.pv == [root.mv]));
}
