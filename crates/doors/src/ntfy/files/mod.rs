//! Serves uploaded files. No token is asked for at reading, because phone apps send none: everybody who knows a file's
//! name may read it. A browser shows only what can't run scripts, without the rights of a page, and saves everything else.

mod range;

use axum::body::Body;
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use futures_util::StreamExt;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tidings_model::Stamp;
use tidings_server_core::budgets::{DOWNLOAD_BYTES, Principal, Reservation};
use tidings_server_core::files;
use tidings_server_core::http::input::PathParams;
use tidings_server_core::state::AppState;
use tidings_store::{Error, StoredFile};
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, SeekFrom};
use tokio_util::io::ReaderStream;

use self::range::ByteRange;
use super::error::{NOT_FOUND, NtfyError};

/// Characters of a file name that RFC 8187 leaves as they are, besides letters and digits.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// `GET|HEAD /file/<name>`.
pub(super) async fn serve(app: AppState, request: Request) -> Result<Response, NtfyError> {
    let (mut parts, _) = request.into_parts();
    let params = PathParams::from_request_parts(&mut parts, &app).await.map_err(|_| NOT_FOUND)?;
    let name = params.text("name").ok().and_then(files::stored_name).ok_or(NOT_FOUND)?;
    let now = app.now();
    let stored = app.store().file(&name).await?.filter(|file| file.expires_at > now).ok_or(NOT_FOUND)?;
    let room = app.load_limits.downloads.reserve(Principal::Anonymous, DOWNLOAD_BYTES).await?;
    let file = app.server.files.open(&name, stored.bytes).await.map_err(|e| {
        tracing::warn!(error = %e, "an uploaded file can't be read");
        NOT_FOUND
    })?;
    let mut response = Response::new(Body::empty());
    let etag = etag(&name);
    describe(response.headers_mut(), &stored, &etag, now);
    if matches_etag(&parts.headers, &header::IF_NONE_MATCH, &etag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    let part = requested_part(&parts, &etag, stored.bytes);
    let (first, length) = part.extent(stored.bytes);
    *response.status_mut() = part.status();
    response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    if let Some(range) = part.content_range(stored.bytes) {
        response.headers_mut().insert(header::CONTENT_RANGE, range);
    }
    if parts.method == Method::GET && length > 0 {
        *response.body_mut() = read(file, first, length, room).await?;
    }
    Ok(response)
}

/// The validator of a file, whose content never changes.
fn etag(name: &str) -> String {
    format!("\"{}\"", name.get(..16).unwrap_or_default())
}

/// Whether a header of entity tags has this one.
fn matches_etag(headers: &HeaderMap, name: &HeaderName, etag: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag)
}

/// The part that a request asks for; all of the file for `HEAD`, and if the client has a part of something else.
fn requested_part(parts: &Parts, etag: &str, bytes: u64) -> ByteRange {
    let known = parts.headers.get(header::IF_RANGE);
    let is_same = known.is_none_or(|known| known.as_bytes() == etag.as_bytes());
    if parts.method == Method::GET && is_same {
        ByteRange::requested(&parts.headers, bytes)
    } else {
        ByteRange::Whole
    }
}

/// The headers of a file, whichever part of it is sent.
fn describe(headers: &mut HeaderMap, file: &StoredFile, etag: &str, now: Stamp) {
    let is_inline = files::is_inline(&file.media_type);
    let media_type =
        if files::is_scriptable(&file.media_type) { "application/octet-stream" } else { &file.media_type };
    let disposition = disposition(is_inline, &file.file_name);
    let seconds_left = file.expires_at.as_secs().saturating_sub(now.as_secs()).max(0);
    let max_age = format!("private, max-age={seconds_left}");
    for (name, value) in [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_DISPOSITION, disposition.as_str()),
        (header::CACHE_CONTROL, max_age.as_str()),
        (header::ETAG, etag),
        (header::ACCEPT_RANGES, "bytes"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
}

/// `Content-Disposition` with the file's name, in ASCII and as RFC 8187 encodes it.
fn disposition(is_inline: bool, name: &str) -> String {
    let kind = if is_inline { "inline" } else { "attachment" };
    let is_plain = |c: char| (c.is_ascii_graphic() || c == ' ') && !matches!(c, '"' | '\\' | '%');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    format!("{kind}; filename=\"{plain}\"; filename*=UTF-8''{}", utf8_percent_encode(name, ENCODED))
}

/// The body with a part of a file, read while it is sent; the room for it is kept until then.
async fn read(mut file: File, first: u64, length: u64, room: Reservation) -> Result<Body, NtfyError> {
    file.set_max_buf_size(DOWNLOAD_BYTES);
    file.seek(SeekFrom::Start(first)).await.map_err(Error::from)?;
    let parts = ReaderStream::with_capacity(file.take(length), DOWNLOAD_BYTES);
    Ok(Body::from_stream(parts.map(move |part| {
        let _ = &room;
        part
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_in_ascii_and_in_full() {
        assert_eq!(
            disposition(true, "flower.png"),
            "inline; filename=\"flower.png\"; filename*=UTF-8''flower.png"
        );
        assert_eq!(
            disposition(false, "a \"b\"; \u{fc}.pdf"),
            "attachment; filename=\"a _b_; _.pdf\"; filename*=UTF-8''a%20%22b%22%3B%20%C3%BC.pdf"
        );
    }
}
