//! A game as a tree of moves, in which what several lines repeat is there once.

use rejoinder::board::coordinates::move_to_uci;
use rejoinder::board::{Board, san};
use rejoinder::types::Move;
use rejoinder_study::pgn::{Item, Line, Record};

use crate::written;

/// Most remarks on a game.
const MOST_REMARKS: usize = 8;

/// The first position, and the moves behind it.
pub(crate) struct Tree {
    /// The first one stands for the first position.
    pub nodes: Vec<Node>,
    /// What was kept as text, in words.
    pub remarks: Vec<String>,
}

/// A move, and what is said about it.
pub(crate) struct Node {
    /// The place of the move before it among the nodes; 0 for the first position.
    pub parent: usize,
    /// The move in UCI notation, castling as king takes rook.
    pub mv: String,
    pub nags: Vec<u8>,
    /// The comments before and behind it.
    pub before: Vec<String>,
    pub comments: Vec<String>,
    /// The moves behind it, the first one that of the main line.
    children: Vec<(Move, usize)>,
    /// The position after it.
    board: Board,
}

/// A line that is to be played.
struct Waiting<'a> {
    line: &'a Line,
    /// The node that it begins behind.
    from: usize,
    /// The node with the comments that take what cannot be played.
    around: usize,
}

impl Tree {
    /// Plays the lines of a game. Variations come after the main line, in the order of the text. What
    /// has no place in the tree becomes a comment: null moves with all behind them, and a variation
    /// that goes on where the main line ends.
    pub fn of(record: &Record) -> Self {
        let mut tree = Self {
            nodes: vec![Node::new(0, String::new(), record.start)],
            remarks: Vec::new(),
        };
        tree.plant(&record.line);
        tree
    }

    fn plant(&mut self, main: &Line) {
        let mut waiting = vec![Waiting {
            line: main,
            from: 0,
            around: 0,
        }];
        let mut end = None;
        // The nodes before which something was said behind a variation.
        let mut delayed = Vec::new();
        while let Some(next) = waiting.pop() {
            // Without a move that it replaces, a variation would become the game.
            if end.is_some() && self.nodes[next.from].children.is_empty() {
                let text = written::whole(next.line);
                self.nodes[next.around].comments.push(text);
                continue;
            }
            let mut variations = Vec::new();
            let last = self.play(&next, end, &mut variations, &mut delayed);
            end = end.or(Some(last));
            // The last one is taken first.
            waiting.extend(variations.into_iter().rev());
        }
        self.put_back(delayed);
    }

    /// Plays a line, the main line if that has no end yet, and finds the variations in it. Returns the
    /// last node.
    fn play<'a>(
        &mut self,
        now: &Waiting<'a>,
        end: Option<usize>,
        variations: &mut Vec<Waiting<'a>>,
        delayed: &mut Vec<usize>,
    ) -> usize {
        let Waiting { line, from, around } = *now;
        variations.extend(variations_of(&line.head, from, around));
        if line.plies.is_empty() {
            let comments = &mut self.nodes[around].comments;
            let nags = take(&line.head, comments, None);
            comments.extend(nags.iter().map(|nag| format!("${nag}")));
        }
        let mut node = from;
        // What is said behind a variation stands before the next move, so that it stays there.
        let mut late = Vec::new();
        for (index, ply) in line.plies.iter().enumerate() {
            let mv = san::parse(&self.nodes[node].board, &ply.san);
            // Behind the last move of the game, a variation that repeats it would become the game.
            let mv = mv.filter(|_| Some(node) != end);
            let Some(mv) = mv else {
                if index == 0 && end.is_some() {
                    self.keep_whole(now);
                } else {
                    self.keep(node, line, index);
                }
                break;
            };
            let after = self.step(node, mv);
            if index == 0 {
                let is_first = self.nodes[node].children[0].1 == after;
                let comments = match end {
                    None => &mut self.nodes[around].comments,
                    // In the main line, a comment before a move would be one behind the move before.
                    Some(_) if is_first => &mut self.nodes[after].comments,
                    Some(_) => &mut self.nodes[after].before,
                };
                let nags = take(&line.head, comments, None);
                self.mark(after, &nags);
            }
            if !late.is_empty() {
                delayed.push(after);
                self.nodes[after].before.append(&mut late);
            }
            let is_last = index + 1 == line.plies.len();
            let behind = (!is_last).then_some(&mut late);
            let nags = take(&ply.items, &mut self.nodes[after].comments, behind);
            self.mark(after, &nags);
            variations.extend(variations_of(&ply.items, node, after));
            node = after;
        }
        node
    }

    /// Returns the node behind this one with a move, which may have been there before.
    fn step(&mut self, node: usize, mv: Move) -> usize {
        let known = self.nodes[node]
            .children
            .iter()
            .find(|(known, _)| *known == mv);
        if let Some((_, known)) = known {
            return *known;
        }
        let mut board = self.nodes[node].board;
        let name = move_to_uci(&board, mv, true);
        board.make(mv);
        let after = self.nodes.len();
        self.nodes.push(Node::new(node, name, board));
        self.nodes[node].children.push((mv, after));
        after
    }

    /// Adds glyphs to a move that has not got them yet.
    fn mark(&mut self, node: usize, nags: &[u8]) {
        let known = &mut self.nodes[node].nags;
        for nag in nags {
            if !known.contains(nag) {
                known.push(*nag);
            }
        }
    }

    /// Keeps a variation as a comment.
    fn keep_whole(&mut self, variation: &Waiting) {
        let Waiting { line, around, .. } = variation;
        self.nodes[*around].comments.push(written::whole(line));
        self.remark(&format!("the variation {}", written::step(line, 0)));
    }

    /// Keeps a line from one of its moves on as a comment.
    fn keep(&mut self, node: usize, line: &Line, first: usize) {
        self.nodes[node].comments.push(written::from(line, first));
        self.remark(&format!("what begins with {}", written::step(line, first)));
    }

    fn remark(&mut self, what: &str) {
        if self.remarks.len() < MOST_REMARKS {
            self.remarks.push(format!("{what} is kept as a comment"));
        }
    }

    /// Puts what was said behind a variation behind the move before, where no variation has stayed to
    /// part them.
    fn put_back(&mut self, delayed: Vec<usize>) {
        for node in delayed {
            let parent = self.nodes[node].parent;
            let siblings = &self.nodes[self.nodes[parent].parent].children;
            if siblings[0].1 != parent || siblings.len() == 1 {
                let comments = std::mem::take(&mut self.nodes[node].before);
                self.nodes[parent].comments.extend(comments);
            }
        }
    }
}

impl Node {
    fn new(parent: usize, mv: String, board: Board) -> Self {
        Self {
            parent,
            mv,
            nags: Vec::new(),
            before: Vec::new(),
            comments: Vec::new(),
            children: Vec::new(),
            board,
        }
    }
}

/// Gives the comments among items to a list; those behind a variation go to the second list, if there
/// is one. Returns the glyphs.
fn take(items: &[Item], comments: &mut Vec<String>, mut late: Option<&mut Vec<String>>) -> Vec<u8> {
    let mut nags = Vec::new();
    let mut is_behind = false;
    for item in items {
        match item {
            Item::Nag(nag) => nags.push(*nag),
            Item::Variation(_) => is_behind = true,
            // Commands, as in `[%eval 0.3]`, are about the move.
            Item::Comment(text) if is_behind && !text.contains("[%") => {
                late.as_deref_mut().unwrap_or(comments).push(text.clone());
            }
            Item::Comment(text) => comments.push(text.clone()),
        }
    }
    nags
}

/// Returns the variations among items. They begin behind one node; what cannot be played of them goes
/// to the comments of another.
fn variations_of(items: &[Item], from: usize, around: usize) -> impl Iterator<Item = Waiting<'_>> {
    items.iter().filter_map(move |item| match item {
        Item::Variation(line) => Some(Waiting { line, from, around }),
        _ => None,
    })
}
