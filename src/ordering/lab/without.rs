//! The default without one of its own heuristics: what its stores do not learn, they do not say.

use super::{Entry, Lab, Variant};
use crate::ordering::Technique;
use crate::ordering::technique::Lesson;

pub const KILLERS: Entry = Entry {
    name: "killers",
    what: "Quiet moves that cut at the same ply, the latest two.",
    source: "https://www.chessprogramming.org/Killer_Heuristic",
    in_default: true,
    variants: &[Variant::new("off", || Lab::new(Without(Lesson::Killer)))],
};

#[derive(Debug)]
struct Without(Lesson);

impl Technique for Without {
    fn allows(&self, lesson: Lesson) -> bool {
        // What is not learnt by default is not learnt here.
        lesson != self.0 && super::Plain.allows(lesson)
    }
}
