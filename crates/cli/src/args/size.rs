//! Parses a size such as 15M, 5G or 4096.

/// Parses a number of bytes, or one followed by `K`, `M` or `G`: kibibytes, mebibytes or gibibytes.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = match text.to_ascii_uppercase().chars().next_back()? {
        'K' => (text.get(..text.len() - 1)?, 1024),
        'M' => (text.get(..text.len() - 1)?, 1024 * 1024),
        'G' => (text.get(..text.len() - 1)?, 1024 * 1024 * 1024),
        _ => (text, 1),
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_with_or_without_a_unit() {
        for (text, bytes) in [("0", 0), ("4096", 4_096), ("2k", 2_048), ("15M", 15 << 20), ("5G", 5 << 30)] {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for bad in ["", "M", "-1", "+1", "1.5G", "5T", "15 M", "99999999999999999999", "99999999999G", "ü"] {
            assert_eq!(parse_size(bad), None, "{bad}");
        }
    }
}
