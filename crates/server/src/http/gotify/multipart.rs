//! Reads bodies of `multipart/form-data`, which browsers and `curl -F` send. The work is linear in the bytes.

use tidings_model::Problem;

use crate::domain::limits;

/// The longest boundary, by RFC 2046.
const MAX_BOUNDARY_BYTES: usize = 70;

/// A part of a form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    /// The name of its field.
    pub(super) name: String,
    /// Whether it is a file.
    pub(super) is_file: bool,
    pub(super) content: &'a [u8],
}

/// The boundary in a content type.
pub(super) fn boundary(content_type: &str) -> Option<String> {
    let boundary = parameter(content_type, "boundary")?;
    (1..=MAX_BOUNDARY_BYTES).contains(&boundary.len()).then_some(boundary)
}

/// The parts of a body.
///
/// # Errors
/// `invalid` for a body without its last boundary, and for too many parts.
pub(super) fn parts<'a>(body: &'a [u8], boundary: &str) -> Result<Vec<Part<'a>>, Problem> {
    let invalid = |detail: &str| Problem::invalid("body", detail);
    let (mut parts, mut begin) = (Vec::new(), None);
    let mut line_start = 0;
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let next_line = line_start + line.len();
        if let Some(is_last) = delimiter(line, boundary) {
            if let Some(begin) = begin {
                parts.extend(part(without_line_end(body.get(begin..line_start).unwrap_or_default())));
            }
            if is_last {
                return Ok(parts);
            }
            if parts.len() >= limits::MULTIPART_PARTS {
                return Err(invalid(&format!("may have {} parts", limits::MULTIPART_PARTS)));
            }
            begin = Some(next_line);
        }
        line_start = next_line;
    }
    Err(invalid("ends before its last boundary"))
}

/// Whether a line is the last boundary or one before it; `None` for any other line.
fn delimiter(line: &[u8], boundary: &str) -> Option<bool> {
    let rest = line.strip_prefix(b"--")?.strip_prefix(boundary.as_bytes())?;
    match rest.trim_ascii_end() {
        b"" => Some(false),
        b"--" => Some(true),
        _ => None,
    }
}

fn without_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// Splits a part into its headers and its content; `None` for one without a name.
fn part(bytes: &[u8]) -> Option<Part<'_>> {
    let (mut disposition, mut content_start) = (None, 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        content_start += line.len();
        let line = without_line_end(line);
        if line.is_empty() {
            break;
        }
        let text = String::from_utf8_lossy(line);
        if let Some((name, value)) = text.split_once(':')
            && name.eq_ignore_ascii_case("content-disposition")
        {
            disposition = Some(value.to_owned());
        }
    }
    let disposition = disposition?;
    Some(Part {
        name: parameter(&disposition, "name")?,
        is_file: parameter(&disposition, "filename").or(parameter(&disposition, "filename*")).is_some(),
        content: bytes.get(content_start..).unwrap_or_default(),
    })
}

/// A parameter of a header's value, like `form-data; name="file"`.
fn parameter(value: &str, wanted: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let (value, after) = parameter_value(after.trim_start());
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(value);
        }
        rest = after.split_once(';')?.1;
    }
}

/// A token or a quoted text at the beginning of a text, and the text after it.
fn parameter_value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        let (value, rest) = text.split_at(end);
        return (value.trim().to_owned(), rest);
    };
    let (mut value, mut chars) = (String::new(), quoted.char_indices());
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (value, quoted.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            c => value.push(c),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_of_curl_is_read() {
        let content_type = "multipart/form-data; boundary=------------------------d74496d66958873e";
        let boundary = boundary(content_type).unwrap();
        let body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nmy title\r\n--{boundary}\r\n\
             content-disposition: form-data; name=\"file\"; filename=\"a;\\\"b.png\"\r\nContent-Type: image/png\r\n\r\n\
             \r\n--no\r\n\r\n--{boundary}--\r\nignored"
        );
        let parts = parts(body.as_bytes(), &boundary).unwrap();
        let title = Part { name: "title".into(), is_file: false, content: b"my title" };
        let file = Part { name: "file".into(), is_file: true, content: b"\r\n--no\r\n" };
        assert_eq!(parts, [title, file]);
    }

    #[test]
    fn a_form_that_is_cut_off_or_has_too_many_parts_is_refused() {
        let cut_off = b"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b\r\n";
        assert!(parts(cut_off, "b").unwrap_err().detail.contains("last boundary"));
        assert!(parts(b"", "b").is_err());
        let one = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n";
        let many = one.repeat(limits::MULTIPART_PARTS + 1) + "--b--";
        assert!(parts(many.as_bytes(), "b").unwrap_err().detail.contains("parts"));
        let as_many_as_may = one.repeat(limits::MULTIPART_PARTS) + "--b--";
        assert_eq!(parts(as_many_as_may.as_bytes(), "b").unwrap().len(), limits::MULTIPART_PARTS);
    }

    #[test]
    fn a_boundary_is_quoted_or_not_and_of_a_bounded_length() {
        assert_eq!(boundary("multipart/form-data; charset=x; Boundary=\"a b\"").as_deref(), Some("a b"));
        assert_eq!(boundary("multipart/form-data; boundary=ab ; x=y").as_deref(), Some("ab"));
        for odd in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; x"] {
            assert_eq!(boundary(odd), None, "{odd}");
        }
        assert_eq!(boundary(&format!("multipart/form-data; boundary={}", "x".repeat(71))), None);
    }
}
