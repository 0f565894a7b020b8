//! The limits on a template: what it may be, read and make.

/// Bytes of the stack of a thread that fills in templates: the deepest template that the bounds allow has room there.
pub const STACK_BYTES: usize = 8 * 1024 * 1024;
/// Bytes of a template.
pub const TEMPLATE_BYTES: usize = 16 * 1024;
/// Bytes of what a template makes.
pub const TEXT_BYTES: usize = 256 * 1024;
/// Rounds of all loops of a template together.
pub(crate) const TEMPLATE_ROUNDS: usize = 50_000;
/// Rounds of all loops of a template, times its bytes: a round does no more than the template says.
pub(crate) const TEMPLATE_STEPS: usize = 10_000_000;
/// Bytes that the functions of a template read and write together.
pub(crate) const TEMPLATE_WORK_BYTES: usize = 32 * 1024 * 1024;
/// Bytes of a text that a function of a template makes.
pub(crate) const TEMPLATE_VALUE_BYTES: usize = 1024 * 1024;
