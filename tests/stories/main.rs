//! Stories over real HTTP and real processes, without a display.
//! Refuses to reach into a crate: what a user or a program can see is what is checked.

mod arrows;
