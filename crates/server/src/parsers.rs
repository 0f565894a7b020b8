//! The parsers of foreign input that run apart from the server.

use tidings_sandbox::Parser;

use crate::domain::hook_template;
use crate::smtp::mime;

/// The parsers of this crate, for [`tidings_sandbox::enter_if_child`].
pub const fn parsers() -> &'static [&'static Parser] {
    static PARSERS: &[&Parser] = &[&hook_template::PARSER, &mime::PARSER];
    PARSERS
}
