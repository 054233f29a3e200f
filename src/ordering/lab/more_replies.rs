//! Last best replies from more nodes: where no move raised alpha the one that came nearest is stored, or those of quiescence are.

use super::{Entry, Lab, Variant};
use crate::ordering::Technique;
use crate::ordering::technique::{Lesson, Plain};

pub const ENTRY: Entry = Entry {
    name: "more-replies",
    what: "Last best replies are stored at nodes that fail low as well (the move that came nearest to alpha), or in quiescence.",
    source: "https://www.chessprogramming.org/Last_Best_Reply",
    in_default: false,
    variants: &[
        Variant::new("fail-low", || Lab::new(MoreReplies(Lesson::FailLowReply))),
        Variant::new("quiescence", || {
            Lab::new(MoreReplies(Lesson::QuiescenceReply))
        }),
    ],
};

#[derive(Debug)]
struct MoreReplies(Lesson);

impl Technique for MoreReplies {
    fn allows(&self, lesson: Lesson) -> bool {
        lesson == self.0 || Technique::allows(&Plain, lesson)
    }
}
