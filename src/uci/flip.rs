//! Exchanges the colors of a position.

/// Returns the FEN of the same position with colors exchanged, whose evaluation is the same. Any
/// text is accepted, but only a valid FEN gives a valid FEN.
pub fn flipped(fen: &str) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    if let [pieces, side, castling, en_passant, ..] = &mut fields[..] {
        let ranks: Vec<String> = pieces.rsplit('/').map(swap_case).collect();
        *pieces = ranks.join("/");
        *side = String::from(if side == "w" { "b" } else { "w" });
        *castling = swap_case(castling);
        let other_rank = if en_passant.ends_with('3') { "6" } else { "3" };
        *en_passant = en_passant.replace(['3', '6'], other_rank);
    }
    fields.join(" ")
}

fn swap_case(text: &str) -> String {
    let swap = |letter: char| {
        if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    };
    text.chars().map(swap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flipping_twice_gives_the_same_position() {
        let fen = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3";
        let other = "rnbqkbnr/pppp1ppp/8/3Pp3/8/8/PPP1PPPP/RNBQKBNR w kqKQ e6 0 3";
        assert_eq!(flipped(fen), other);
        assert_eq!(flipped(other), fen);
    }
}
