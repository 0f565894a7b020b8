//! What the logs of all programs have.

/// The directives of a log that is `asked` for by a level, or by directives of its own, as `info,tidings_sync=debug`. What
/// others' code says in detail is left out of a level: values of statements, and what is sent and received, with tokens and
/// texts.
#[must_use]
pub fn directives(asked: &str) -> String {
    let is_detailed = ["debug", "trace", "4", "5"].iter().any(|level| asked.eq_ignore_ascii_case(level));
    if is_detailed { format!("info,tidings={asked}") } else { asked.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_code_says_in_detail_is_left_out_of_every_level() {
        assert_eq!(directives("trace"), "info,tidings=trace");
        assert_eq!(directives("DEBUG"), "info,tidings=DEBUG");
        for asked in ["", "info", "warn", "off", "info,tidings_sync=debug"] {
            assert_eq!(directives(asked), asked);
        }
    }
}
