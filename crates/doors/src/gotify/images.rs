//! Pictures of applications: PNG, JPEG or GIF by their first bytes. They are served to anybody who knows their random
//! name, as with Gotify.

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use tidings_model::{Code, Problem};
use tidings_server_core::budgets::Principal;
use tidings_server_core::domain::limits;
use tidings_server_core::http::input::{PathParams, bytes, form_boundary, parse_body, whole_parts};
use tidings_server_core::http::middleware::exchange::attach_reservation;
use tidings_server_core::state::AppState;
use tidings_store::Image;
use tidings_store::domain::account::random_name;

use super::applications::{respond, to_json};
use super::auth::{ClientAuth, Id, Key};
use super::error::{GotifyError, GotifyResult, NO_FILE, NO_IMAGE, bad_request, no_such, no_such_page};

/// The picture of applications that have none of their own.
const DEFAULT_IMAGE: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../icons/app/128.png"));

/// Each format with its first bytes, the extension of its files, and its media type.
static FORMATS: [(&[u8], &str, &str); 4] = [
    (b"\x89PNG\r\n\x1a\n", "png", "image/png"),
    (b"\xff\xd8\xff", "jpg", "image/jpeg"),
    (b"GIF87a", "gif", "image/gif"),
    (b"GIF89a", "gif", "image/gif"),
];

/// `POST /application/{id}/image`.
pub(super) async fn upload(
    app: AppState,
    ClientAuth(auth): ClientAuth,
    Key(key): Key,
    Id(id): Id,
    request: Request,
) -> GotifyResult {
    let user = auth.bearer.user;
    app.store().application(user, id).await?.ok_or_else(|| no_such("app", id))?;
    let (parts, body) = request.into_parts();
    let principal = Principal::User(user);
    let body = bytes(&app, &parts, principal, body, limits::IMAGE_BYTES + limits::FORM_BYTES).await?;
    let boundary = form_boundary(&parts.headers).map_err(|_| NO_FILE)?;
    let image = parse_body(&app, principal, body, move |body| Ok(image(body.clone(), &boundary))).await??;
    let idempotency = key.idempotency(StatusCode::OK, |application| to_json(application, ""));
    let outcome = app.store().set_image(user, id, image, idempotency).await;
    Ok(key.respond(outcome, StatusCode::OK, |application| to_json(application, ""))?)
}

/// The picture in a form.
fn image(body: Bytes, boundary: &str) -> Result<Image, GotifyError> {
    let parts = whole_parts(body, boundary)?;
    let file = parts.into_iter().find(|part| part.is_file && part.name == "file").ok_or(NO_FILE)?;
    let format = FORMATS.iter().find(|(first_bytes, ..)| file.content.starts_with(first_bytes));
    let (_, extension, _) = format.ok_or(NO_IMAGE)?;
    if file.content.len() > limits::IMAGE_BYTES {
        let detail = format!("a picture may have {} bytes", limits::IMAGE_BYTES);
        return Err(Problem::new(Code::TooLarge, detail).into());
    }
    Ok(Image { name: format!("{}.{extension}", random_name()), content: file.content.to_vec() })
}

/// `DELETE /application/{id}/image`.
pub(super) async fn remove(app: AppState, ClientAuth(auth): ClientAuth, Id(id): Id) -> GotifyResult {
    let user = auth.bearer.user;
    let application = app.store().application(user, id).await?.ok_or_else(|| no_such("app", id))?;
    if application.image.is_none() {
        return Err(bad_request(format!("app with id {id} does not have a customized image")));
    }
    respond(id, app.store().remove_image(user, id).await?)
}

/// `GET /static/{name}`.
pub(super) async fn serve(app: AppState, request: Request) -> GotifyResult {
    let (mut parts, _) = request.into_parts();
    let params = PathParams::from_request_parts(&mut parts, &app).await?;
    let name = params.text("name")?;
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let Some((_, _, media_type)) = FORMATS.iter().find(|(_, known, _)| *known == extension) else {
        return Err(no_such_page().await);
    };
    let room = app.load_limits.responses.reserve(Principal::Anonymous, limits::IMAGE_BYTES).await?;
    let Some(content) = app.store().image(name).await? else { return Err(no_such_page().await) };
    let response = picture(content.into(), media_type, "public, max-age=31536000, immutable");
    Ok(attach_reservation(room, response).await)
}

/// `GET /static/defaultapp.png`.
pub(super) async fn default_image() -> Response {
    picture(Bytes::from_static(DEFAULT_IMAGE), "image/png", "public, max-age=86400")
}

fn picture(content: Bytes, media_type: &'static str, caching: &'static str) -> Response {
    let mut response = Response::new(Body::from(content));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; sandbox; frame-ancestors 'none'"),
    );
    response
}
