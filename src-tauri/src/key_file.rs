//! Key files (desktop entries, `mimeapps.list`) as bytes: an edit changes one line and leaves every other byte alone.

use std::ops::Range;

/// A key file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyFile {
    /// The lines, each with its line ending.
    lines: Vec<Vec<u8>>,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

impl KeyFile {
    /// Parses a key file; `None` if the bytes hold a NUL (UTF-16, a database) or an entry before any group.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.contains(&0) {
            return None;
        }
        let file = Self { lines: bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect() };
        let first = file.lines.iter().map(|line| text(line)).find(|line| !is_comment(line));
        first.is_none_or(|line| group_of(line).is_some()).then_some(file)
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.lines.concat()
    }

    /// The values of a key, in all groups with the name `group`, or in every group.
    pub(crate) fn values<'a>(
        &'a self,
        group: Option<&'a str>,
        key: &'a str,
    ) -> impl Iterator<Item = &'a [u8]> {
        self.entries(group, key).map(|(_, value)| value)
    }

    /// Sets a key: on its first line, else on a new first line of its group, else in a new group at the end.
    pub(crate) fn set(&mut self, group: &str, key: &str, value: &str) {
        let line = format!("{key}={value}");
        let existing = self.entries(Some(group), key).map(|(at, _)| at).next();
        if let Some(at) = existing {
            self.replace_line(at, &line);
            return;
        }
        let header = self.lines.iter().position(|known| group_of(text(known)) == Some(group.as_bytes()));
        let at = if let Some(at) = header {
            at + 1
        } else {
            self.end_last_line();
            self.insert_line(self.lines.len(), &format!("[{group}]"));
            self.lines.len()
        };
        self.end_last_line();
        self.insert_line(at, &line);
    }

    /// Removes a program from the lists of a key, in every group; a list that becomes empty loses its line. Returns
    /// whether any list named it.
    pub(crate) fn remove_from_lists(&mut self, key: &str, program: &str) -> bool {
        let named: Vec<(usize, Vec<u8>)> = self
            .entries(None, key)
            .filter_map(|(at, value)| {
                let mut programs: Vec<&[u8]> = value.split(|byte| *byte == b';').collect();
                let before = programs.len();
                programs.retain(|known| known.trim_ascii() != program.as_bytes());
                (programs.len() < before).then(|| (at, programs.join(&b';')))
            })
            .collect();
        for (at, rest) in named.iter().rev() {
            if rest.iter().all(|byte| *byte == b';' || byte.is_ascii_whitespace()) {
                self.lines.remove(*at);
            } else if let Some(line) = self.lines.get_mut(*at) {
                let range = value_range(line).unwrap_or_default();
                line.splice(range, rest.iter().copied());
            }
        }
        !named.is_empty()
    }

    fn entries<'a>(
        &'a self,
        group: Option<&'a str>,
        key: &'a str,
    ) -> impl Iterator<Item = (usize, &'a [u8])> {
        let mut in_group = group.is_none();
        self.lines.iter().enumerate().filter_map(move |(at, line)| {
            if let Some(name) = group_of(text(line)) {
                in_group = group.is_none_or(|wanted| wanted.as_bytes() == name);
                return None;
            }
            let range = value_range(line)?;
            let name = line.get(..range.start)?.strip_suffix(b"=")?;
            let is_match = in_group && without_bom(name).trim_ascii() == key.as_bytes();
            is_match.then(|| line.get(range).map(|value| (at, value))).flatten()
        })
    }

    fn replace_line(&mut self, at: usize, content: &str) {
        if let Some(line) = self.lines.get_mut(at) {
            let end = text_end(line);
            line.splice(..end, content.bytes());
        }
    }

    fn insert_line(&mut self, at: usize, content: &str) {
        let line = [content.as_bytes(), self.ending()].concat();
        self.lines.insert(at.min(self.lines.len()), line);
    }

    /// The line ending of the file's first line.
    fn ending(&self) -> &'static [u8] {
        if self.lines.first().is_some_and(|line| line.ends_with(b"\r\n")) { b"\r\n" } else { b"\n" }
    }

    /// Adds a line ending to the last line if it has none.
    fn end_last_line(&mut self) {
        let ending = self.ending();
        if let Some(last) = self.lines.last_mut().filter(|line| !line.ends_with(b"\n")) {
            last.extend_from_slice(ending);
        }
    }
}

/// The length of a line without its line ending.
fn text_end(line: &[u8]) -> usize {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line).len()
}

fn without_bom(line: &[u8]) -> &[u8] {
    line.strip_prefix(BOM).unwrap_or(line)
}

/// A line without its line ending, byte order mark and surrounding space.
fn text(line: &[u8]) -> &[u8] {
    without_bom(line.get(..text_end(line)).unwrap_or(line)).trim_ascii()
}

fn is_comment(line: &[u8]) -> bool {
    line.is_empty() || line.starts_with(b"#")
}

/// The name of the group that a line `[name]` begins.
fn group_of(line: &[u8]) -> Option<&[u8]> {
    line.strip_prefix(b"[")?.strip_suffix(b"]")
}

/// The range of an entry's value in its line, after the first `=`; `None` for a comment.
fn value_range(line: &[u8]) -> Option<Range<usize>> {
    if is_comment(text(line)) {
        return None;
    }
    let equals = line.iter().position(|byte| *byte == b'=')?;
    Some(equals + 1..text_end(line).max(equals + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(bytes: &[u8]) -> String {
        let mut file = KeyFile::parse(bytes).unwrap();
        file.set("G", "k", "v");
        String::from_utf8_lossy(&file.to_bytes()).into_owned()
    }

    #[test]
    fn one_line_is_changed_and_every_other_byte_stays() {
        assert_eq!(with(b""), "[G]\nk=v\n");
        assert_eq!(with(b"# a\n[G]\nb=c"), "# a\n[G]\nk=v\nb=c\n", "the last line gets its end");
        assert_eq!(with(b"[G]\r\nb=c\r\n"), "[G]\r\nk=v\r\nb=c\r\n");
        assert_eq!(with(b"\xef\xbb\xbf[G]\nb=c\n"), "\u{feff}[G]\nk=v\nb=c\n");
        assert_eq!(with(b"[G]\n#k=x\n k = x \n[H]\nk=y\n"), "[G]\n#k=x\nk=v\n[H]\nk=y\n");
        assert_eq!(with(b"[H]\nk=y"), "[H]\nk=y\n[G]\nk=v\n");
        let mut odd = KeyFile::parse(b"[H]\na=\xff\xfe\n[G]\n\xe9=1\n").unwrap();
        odd.set("G", "k", "v");
        assert_eq!(odd.to_bytes(), b"[H]\na=\xff\xfe\n[G]\nk=v\n\xe9=1\n");
    }

    #[test]
    fn what_is_no_key_file_is_not_read() {
        for bytes in [&b"\xff\xfe[\0G\0]\0"[..], b"SQLite format 3\0", b"a=b\n[G]\n", b"{\"a\": 1}", b"hello"]
        {
            assert_eq!(KeyFile::parse(bytes), None, "{bytes:?}");
        }
        assert!(KeyFile::parse(b"\n# only a comment").is_some());
    }

    #[test]
    fn a_program_is_taken_out_of_a_list_that_keeps_the_others() {
        let mut file = KeyFile::parse(b"[A]\nk=us;them;\nk = us\r\n[B]\nk=them;us\nother=us\n").unwrap();
        assert!(file.remove_from_lists("k", "us"));
        assert_eq!(String::from_utf8(file.to_bytes()).unwrap(), "[A]\nk=them;\n[B]\nk=them\nother=us\n");
        assert!(!file.remove_from_lists("k", "us"));
    }
}
