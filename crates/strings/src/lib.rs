//! Every text that Rust shows to the reader, in each language, as `i18n/` has it.

#[rustfmt::skip]
mod generated;
mod reasons;

/// Texts about what the desktop does.
pub mod desktop {
    pub use crate::generated::{DesktopStrings, desktop_strings};
}
/// Texts about what works on this computer and what does not.
pub mod doctor {
    pub use crate::generated::{DoctorStrings, doctor_strings};
}
pub mod settings;

pub use self::generated::{Strings, strings};

/// A number with thousands separators, never rounded.
///
/// ```
/// assert_eq!(tidings_strings::grouped(12_400), "12,400");
/// ```
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;
