//! Text that Markdown shows as it is.

/// The most backticks in a row.
pub(super) fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

/// Writes a text so that Markdown shows it as it is. `at_line_start` escapes what would begin a block, too.
pub(super) fn escape(text: &str, at_line_start: bool, out: &mut String) {
    if at_line_start {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match (text.get(..digits), text.get(digits..)) {
            (Some(number), Some(rest)) if digits > 0 && rest.starts_with(['.', ')']) => {
                out.extend([number, "\\"]);
                return escape(rest, false, out);
            }
            _ if text.starts_with(['#', '>', '+', '-', '=']) => out.push('\\'),
            _ => {}
        }
    }
    let mut before = None;
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        let within_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            // Within a word it marks nothing.
            '_' if within_word(before) && within_word(letters.peek().copied()) => {}
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '&' | '~' => out.push('\\'),
            _ if c.is_control() && c != '\n' => continue,
            _ => {}
        }
        out.push(c);
        before = Some(c);
    }
}
