//! Chess as such: the rules, and what searches find and say.

mod analysis;
mod lone_king;
mod mates;
mod perft;
mod rules;
mod weak_play;
