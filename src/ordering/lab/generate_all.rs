//! All moves at once: the simple way, in which every move is generated and scored before the first capture is tried.

use super::{Entry, Lab, Variant};
use crate::ordering::Technique;

pub const ENTRY: Entry = Entry {
    name: "generate-all",
    what: "Quiet moves are generated and scored together with the captures instead of after them: most of that is for nothing, and the scores are older when they are used.",
    source: "https://www.chessprogramming.org/Move_Generation#Staged_Move_Generation",
    in_default: false,
    variants: &[Variant::new("", || Lab::new(GenerateAll))],
};

#[derive(Debug)]
struct GenerateAll;

impl Technique for GenerateAll {
    fn generates_all(&self) -> bool {
        true
    }
}
