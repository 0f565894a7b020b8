//! Reads `multipart/form-data` while it comes, or out of a body that was read before. While it comes, no more of it is
//! in memory than the head of a part and what has just come.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use futures_util::{FutureExt, Stream, stream};
use multer::{Constraints, Field, Multipart, SizeLimit};
use tidings_model::{Code, Problem};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::body::{ByteSource, content_length, too_large, too_slow};
use crate::domain::limits;
use crate::state::AppState;

/// The longest boundary, by RFC 2046.
const MAX_BOUNDARY_BYTES: usize = 70;
/// Bytes before the content of a part, within which its head must end.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// The content type of a request; empty if it has none.
fn content_type(headers: &HeaderMap) -> &str {
    headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The content type of a request in lower case, without its parameters.
pub fn media_type(headers: &HeaderMap) -> String {
    content_type(headers).split([';', ' ']).next().unwrap_or_default().to_ascii_lowercase()
}

/// Whether the body of a request is a form of parts.
pub fn is_form(headers: &HeaderMap) -> bool {
    media_type(headers) == "multipart/form-data"
}

/// The boundary between the parts of a form, by the content type.
///
/// # Errors
/// `invalid` for a content type without one.
pub fn form_boundary(headers: &HeaderMap) -> Result<String, Problem> {
    let boundary = multer::parse_boundary(content_type(headers)).unwrap_or_default();
    if (1..=MAX_BOUNDARY_BYTES).contains(&boundary.len()) {
        return Ok(boundary);
    }
    Err(Problem::invalid(
        "Content-Type",
        format!("must have a boundary of 1 to {MAX_BOUNDARY_BYTES} characters"),
    ))
}

/// A form that is being read.
pub struct Form {
    parts: Multipart<'static>,
    unread: Unread,
    /// The time within which the next part must begin.
    timeout: Duration,
}

/// The bytes that were read since the last part, or the last of its bytes, was handed over.
#[derive(Clone, Default)]
struct Unread(Arc<AtomicUsize>);

/// A part of a form. It must be read to its end and dropped before the next one is asked for.
pub struct FormPart {
    field: Field<'static>,
    unread: Unread,
}

impl Unread {
    fn reset(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Counts further bytes.
    ///
    /// # Errors
    /// `invalid` if the bytes before them should have held the head of a part.
    fn add(&self, bytes: usize) -> Result<(), Problem> {
        if self.0.fetch_add(bytes, Ordering::Relaxed) > MAX_HEAD_BYTES {
            return Err(Problem::invalid(
                "body",
                format!("has {MAX_HEAD_BYTES} bytes without the head of a part"),
            ));
        }
        Ok(())
    }
}

impl Form {
    /// A form of at most `max_bytes` bytes, heads and boundaries included.
    ///
    /// # Errors
    /// `invalid` for a content type without a boundary, `too_large` for a body that says that it is larger.
    pub fn new(app: &AppState, headers: &HeaderMap, body: Body, max_bytes: usize) -> Result<Self, Problem> {
        let boundary = form_boundary(headers)?;
        if content_length(headers).is_some_and(|size| size > max_bytes) {
            return Err(too_large(max_bytes));
        }
        let limit = Constraints::new().size_limit(SizeLimit::new().whole_stream(max_bytes as u64));
        let unread = Unread::default();
        let pieces = pieces(app.clone(), body, unread.clone());
        let parts = Multipart::with_constraints(pieces, boundary, limit);
        Ok(Self { parts, unread, timeout: app.server.config.body_timeout })
    }

    /// The next part; `None` after the last one.
    ///
    /// # Errors
    /// `invalid` for a form that is slow, malformed or incomplete, `too_large` for one that is too large.
    pub async fn next(&mut self) -> Result<Option<FormPart>, Problem> {
        self.unread.reset();
        let field = timeout(self.timeout, self.parts.next_field()).await.map_err(|_| too_slow())?;
        let field = field.map_err(problem)?;
        Ok(field.map(|field| FormPart { field, unread: self.unread.clone() }))
    }
}

impl FormPart {
    /// The name of its field; empty if it has none.
    pub fn name(&self) -> &str {
        self.field.name().unwrap_or_default()
    }

    /// The name of the file that it is; `None` if it is none.
    pub fn file_name(&self) -> Option<&str> {
        self.field.file_name()
    }
}

impl ByteSource for &mut FormPart {
    async fn next_bytes(&mut self, _: &AppState) -> Result<Option<Bytes>, Problem> {
        self.unread.reset();
        self.field.chunk().await.map_err(problem)
    }
}

/// The pieces of a body. multer buffers all that is ready before it looks at any of it. It gets a pause before each
/// piece, so that it hands over one before it takes the next.
fn pieces(app: AppState, body: Body, unread: Unread) -> impl Stream<Item = Result<Bytes, Problem>> + Send {
    stream::try_unfold((app, body, unread), |(app, mut body, unread)| async move {
        yield_now().await;
        let Some(bytes) = body.next_bytes(&app).await? else { return Ok(None) };
        unread.add(bytes.len())?;
        Ok::<_, Problem>(Some((bytes, (app, body, unread))))
    })
}

/// A part of a form that was read before.
#[derive(Debug, PartialEq, Eq)]
pub struct WholePart {
    /// The name of its field; empty if it has none.
    pub name: String,
    /// Whether it is a file.
    pub is_file: bool,
    /// Its bytes.
    pub content: Bytes,
}

/// The parts of a body that was read before. The work is linear in its bytes.
///
/// # Errors
/// `invalid` for a body that is malformed, without its last boundary, or of too many parts.
pub fn whole_parts(body: Bytes, boundary: &str) -> Result<Vec<WholePart>, Problem> {
    let all = async {
        let mut form = Multipart::new(stream::iter([Ok::<_, Infallible>(body)]), boundary);
        let mut parts = Vec::new();
        while let Some(mut field) = form.next_field().await.map_err(problem)? {
            if parts.len() >= limits::MULTIPART_PARTS {
                let detail = format!("may have {} parts", limits::MULTIPART_PARTS);
                return Err(Problem::invalid("body", detail));
            }
            let name = field.name().unwrap_or_default().to_owned();
            let is_file = field.file_name().is_some();
            // What is in memory comes in one piece.
            let content = field.chunk().await.map_err(problem)?.unwrap_or_default();
            parts.push(WholePart { name, is_file, content });
        }
        Ok(parts)
    };
    // And it is there at once.
    all.now_or_never().unwrap_or_else(|| Err(problem(multer::Error::IncompleteStream)))
}

/// What is wrong with a form.
fn problem(e: multer::Error) -> Problem {
    match e {
        multer::Error::StreamReadFailed(cause) => match cause.downcast::<Problem>() {
            Ok(problem) => *problem,
            Err(_) => Problem::invalid("body", "ended too early"),
        },
        multer::Error::StreamSizeExceeded { limit } => {
            Problem::new(Code::TooLarge, format!("a body may have {limit} bytes"))
        }
        multer::Error::IncompleteStream | multer::Error::IncompleteFieldData { .. } => {
            Problem::invalid("body", "ends before its last boundary")
        }
        e => Problem::invalid("body", format!("is not a form: {e}")),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(content_type: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap())])
    }

    #[test]
    fn a_boundary_is_quoted_or_not_and_of_a_bounded_length() {
        let boundary_of = |content_type: &str| form_boundary(&headers(content_type)).ok();
        assert_eq!(boundary_of("multipart/form-data; charset=x; boundary=\"a b\"").as_deref(), Some("a b"));
        assert_eq!(boundary_of("multipart/form-data; boundary=ab; x=y").as_deref(), Some("ab"));
        for odd in ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; x"] {
            assert_eq!(boundary_of(odd), None, "{odd}");
        }
        assert_eq!(boundary_of(&format!("multipart/form-data; boundary={}", "x".repeat(71))), None);
    }

    #[test]
    fn a_form_of_curl_is_read() {
        let body = "--xyz\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nmy title\r\n--xyz\r\n\
             content-disposition: form-data; name=\"file\"; filename=\"a;\\\"b.png\"\r\nContent-Type: image/png\r\n\r\n\
             \r\n--no\r\n\r\n--xyz--\r\nignored";
        let parts = whole_parts(Bytes::from_static(body.as_bytes()), "xyz").unwrap();
        let title = WholePart { name: "title".into(), is_file: false, content: "my title".into() };
        let file = WholePart { name: "file".into(), is_file: true, content: "\r\n--no\r\n".into() };
        assert_eq!(parts, [title, file]);
    }

    #[test]
    fn a_form_that_is_cut_off_or_has_too_many_parts_is_refused() {
        let one = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n";
        let read = |body: String| whole_parts(body.into(), "b");
        for cut_off in [one.to_owned() + "--b\r\n", one.to_owned(), String::new(), "no form".to_owned()] {
            assert!(read(cut_off.clone()).unwrap_err().detail.contains("last boundary"), "{cut_off}");
        }
        let many = one.repeat(limits::MULTIPART_PARTS + 1) + "--b--";
        assert!(read(many).unwrap_err().detail.contains("parts"));
        let as_many_as_may = one.repeat(limits::MULTIPART_PARTS) + "--b--";
        assert_eq!(read(as_many_as_may).unwrap().len(), limits::MULTIPART_PARTS);
    }

    #[test]
    fn a_form_is_known_by_its_content_type() {
        assert!(
            is_form(&headers("Multipart/Form-Data; boundary=x")) && is_form(&headers("multipart/form-data"))
        );
        for other in ["application/json", "multipart/mixed; boundary=x", "multipart/form-database"] {
            assert!(!is_form(&headers(other)), "{other}");
        }
        assert!(!is_form(&HeaderMap::new()));
    }
}
