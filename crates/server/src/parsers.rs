//! The parsers of foreign input that run apart from the server.

use tidings_sandbox::Parser;
use tidings_server_core::domain::hook_template;

/// The parsers of the server, for [`tidings_sandbox::enter_if_child`].
pub const fn parsers() -> &'static [&'static Parser] {
    static PARSERS: &[&Parser] = &[&hook_template::PARSER, &tidings_doors::smtp::PARSER];
    PARSERS
}
