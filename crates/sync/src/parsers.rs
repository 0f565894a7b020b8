//! The parsers of foreign input that run apart from the program.

use tidings_sandbox::Parser;

/// The parsers of this crate, for [`tidings_sandbox::enter_if_child`].
pub const fn parsers() -> &'static [&'static Parser] {
    &[]
}
