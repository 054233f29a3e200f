//! What a client asks for, checked against the rules of chess: the game of a `position` line and the
//! search of a `go` line.

use super::command::{Go, Position, quote};
use crate::board::notation::{self, without_number};
use crate::board::{Board, Game};
use crate::clock::Limits;

/// The answer to what needs a board, such as `go perft`, `d` or `flip`, after a `position` that was
/// refused.
pub const NO_BOARD: &str = "the last position was refused, so there is no board";

/// A game to search.
#[derive(Debug)]
pub struct GameRequest {
    /// The game up to the position to search.
    pub game: Game,
    /// Messages about what was dropped from the line.
    pub remarks: Vec<String>,
}

impl GameRequest {
    /// Returns the game that a `position` line describes. Moves may be written in coordinates or in
    /// SAN, with move numbers; `0000` passes the turn.
    ///
    /// # Errors
    /// Returns what is wrong with the FEN or a move.
    pub fn new(position: &Position) -> Result<Self, String> {
        let (start, dropped) = match &position.fen {
            None => (Board::startpos(), Vec::new()),
            Some(fen) => Board::from_careless_fen(fen).map_err(|error| error.to_string())?,
        };
        let mut game = Game::new(start);
        for text in position.moves.iter().map(|text| without_number(text)) {
            let board = game.board();
            if text.is_empty() {
                continue;
            }
            if text == "0000" && !board.in_check() {
                game.pass();
            } else {
                let mv = notation::parse(board, text)
                    .ok_or_else(|| format!("{} is not legal", quote(text)))?;
                game.play(mv);
            }
        }
        let remarks = dropped.iter().map(|fault| format!("dropped: {fault}"));
        Ok(Self {
            game,
            remarks: remarks.collect(),
        })
    }
}

/// The search that a `go` line asks for.
#[derive(Debug)]
pub struct CheckedGo {
    /// The limits, with the root moves to search.
    pub limits: Limits,
    /// Messages about words that are ignored.
    pub remarks: Vec<String>,
    /// True if there is nothing to search: the last `position` was refused, or no move after
    /// `searchmoves` is legal.
    pub is_void: bool,
}

impl CheckedGo {
    /// Returns the search that a `go` line asks for. A search whose limits were not understood ends
    /// at depth 1, unless it is to wait for `stop`. If the last `position` was refused,
    /// `board` is another one, which nobody asked about.
    pub fn new(go: Go, board: &Board, position_refused: bool) -> Self {
        let Go {
            mut limits,
            search_moves,
            mut remarks,
        } = go;
        if !remarks.is_empty() && !limits.infinite && !limits.is_bounded() {
            limits.depth = Some(1);
            remarks.push("no limit was understood, so the search ends at depth 1".to_owned());
        }
        for text in &search_moves {
            match notation::parse(board, text) {
                Some(mv) => limits.search_moves.push(mv),
                None => remarks.push(format!("searchmoves: {} is not legal here", quote(text))),
            }
        }
        let no_moves = !search_moves.is_empty() && limits.search_moves.is_empty();
        if no_moves {
            remarks.push("there is no move to search".to_owned());
        }
        if position_refused {
            remarks.push("the last position was refused, so there is nothing to search".to_owned());
        }
        Self {
            limits,
            remarks,
            is_void: no_moves || position_refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::command::{self, Command};

    fn game(line: &str) -> Result<GameRequest, String> {
        match command::parse(line) {
            Ok(Some(Command::Position(position))) => GameRequest::new(&position),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn search(line: &str, board: &Board) -> CheckedGo {
        match command::parse(line) {
            Ok(Some(Command::Go(go))) => CheckedGo::new(go, board, false),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn moves_are_read_in_every_usual_form() {
        let usual = game("position startpos moves e2e4 e7e5 g1f3").expect("a game");
        for moves in [
            "1. e4 e5 2. Nf3",
            "1.e4 1...e5 2.Nf3",
            "E2E4 E7E5 G1F3",
            "1 . e4",
        ] {
            let read = game(&format!("position startpos moves {moves}"));
            match read {
                Ok(read) => assert_eq!(read.game.board(), usual.game.board(), "{moves}"),
                Err(error) => assert_eq!((moves, error.as_str()), ("1 . e4", "'1' is not legal")),
            }
        }
        let promoted = game("position fen 7k/P7/8/8/8/8/8/7K w - - 0 1 moves A7A8Q");
        assert!(promoted.is_ok());
    }

    #[test]
    fn a_null_move_passes_the_turn_unless_in_check() {
        let passed = game("position startpos moves e2e4 0000 d2d4").expect("a game");
        assert_eq!(
            passed.game.board().fen(false),
            "rnbqkbnr/pppppppp/8/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2"
        );
        let error = game("position fen 4k3/8/8/8/8/8/8/4RK2 b - - 0 1 moves 0000");
        assert_eq!(error.expect_err("a check"), "'0000' is not legal");
    }

    #[test]
    fn impossible_rights_are_dropped_and_told() {
        let read = game("position fen 4k3/8/8/8/8/8/8/4K2R w KQ e6 0 1").expect("a game");
        assert_eq!(
            read.game.board().fen(false),
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        );
        assert_eq!(read.remarks.len(), 2, "{:?}", read.remarks);
        assert!(read.remarks[0].contains("'Q'") && read.remarks[1].contains("'e6'"));
    }

    #[test]
    fn a_search_is_endless_only_on_purpose() {
        let board = Board::startpos();
        for line in [
            "go dept 5",
            "go movetime soon",
            "go depth x",
            "go winc 1000 binc 1000",
            "go winc 0",
            "go movestogo 10",
            "go movestogo 0",
            "go mate 0",
            "go mate -2 binc 5",
            "go searchmoves e2e4 movestogo 3",
            "go ponder winc 1000",
            "go ponder wtime x",
        ] {
            let request = search(line, &board);
            assert_eq!(request.limits.depth, Some(1), "{line}");
            assert!(request.remarks.len() >= 2, "{line}");
        }
        for line in [
            "go",
            "go infinite fast",
            "go infinite winc 5 mate 0",
            "go ponder",
            "go wtime 9 winc 5 movestogo 2",
            "go mate 2 winc 5",
            "go dept 5 nodes 10",
            "go wtime 9 btime x",
            "go wtime x btime 9",
            "go searchmoves e2e4",
        ] {
            assert_eq!(search(line, &board).limits.depth, None, "{line}");
        }
    }

    #[test]
    fn moves_to_search_are_legal() {
        let board = Board::startpos();
        let request = search("go searchmoves e2e4 e2e5 Nf3 depth 5", &board);
        assert_eq!(request.limits.search_moves.len(), 2);
        assert_eq!((request.remarks.len(), request.is_void), (1, false));
        let request = search("go searchmoves e7e5", &board);
        assert!(request.is_void && request.remarks.len() == 2);
        assert!(!search("go searchmoves depth 3", &board).is_void);
    }
}
