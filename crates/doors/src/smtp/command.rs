//! The form of a command, as the parser wants it.

use std::borrow::Cow;

/// The commands with an address, up to it.
const ADDRESSED: [&[u8]; 2] = [b"mail from:", b"rcpt to:"];

/// A command with its address in brackets, which some programs leave out.
pub(super) fn bracketed(line: &[u8]) -> Cow<'_, [u8]> {
    let is_addressed = ADDRESSED
        .iter()
        .find(|name| line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)));
    let Some((head, rest)) = is_addressed.and_then(|name| line.split_at_checked(name.len())) else {
        return line.into();
    };
    let rest = rest.trim_ascii();
    let (address, parameters) = rest
        .split_at_checked(rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len()))
        .unwrap_or((rest, b""));
    if address.is_empty() || address.starts_with(b"<") {
        return [head, rest, b"\r\n"].concat().into();
    }
    [head, b"<", address, b">", parameters, b"\r\n"].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_brackets_gets_them() {
        let line = |text: &str| String::from_utf8(bracketed(text.as_bytes()).into_owned()).unwrap();
        assert_eq!(line("MAIL FROM: ana@x SIZE=5\r\n"), "MAIL FROM:<ana@x> SIZE=5\r\n");
        assert_eq!(line("rcpt to:<a@b>\n"), "rcpt to:<a@b>\r\n");
        assert_eq!(line("MAIL FROM: <>\r\n"), "MAIL FROM:<>\r\n");
        assert_eq!(line("DATA\r\n"), "DATA\r\n");
        assert_eq!(line("MAIL FROM:\r\n"), "MAIL FROM:\r\n");
    }
}
