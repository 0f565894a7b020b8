//! The parsers of foreign input that run apart from the program.

use tidings_sandbox::Parser;

use crate::kinds::feed;
use crate::{calendar, imports};

static PARSERS: &[&Parser] =
    &[&feed::apart::PARSER, &feed::apart::SMALL_PARSER, &imports::apart::PARSER, &calendar::apart::PARSER];

/// The parsers of this crate, for [`tidings_sandbox::enter_if_child`].
pub fn parsers() -> &'static [&'static Parser] {
    PARSERS
}
