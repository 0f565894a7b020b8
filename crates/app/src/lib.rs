//! Everything the desktop does, without a desktop: commands, words, policies and events, with ports as traits.
//! Refuses to name a window toolkit, a bus or a server: what stands behind a port is the host's matter.

pub mod page;
pub mod render;
pub mod words;
