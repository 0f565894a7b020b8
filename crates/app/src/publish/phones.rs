//! What phone apps scan to find the own server: links and their QR codes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use qrcode::QrCode;
use qrcode::render::svg;
use tidings_ipc::{PhoneApp, PhoneLink};

/// The links for the server at a URL: ntfy's app opens a topic of it, Gotify's app asks for its address.
pub(super) fn phone_links(url: &str, topic: &str) -> Vec<PhoneLink> {
    let links = [(PhoneApp::Ntfy, ntfy_link(url, topic)), (PhoneApp::Gotify, url.to_owned())];
    links.into_iter().filter_map(|(app, link)| Some(PhoneLink { app, code: code(&link)?, link })).collect()
}

/// The link that ntfy's app opens. The app takes it as one of HTTPS unless it says otherwise.
fn ntfy_link(url: &str, topic: &str) -> String {
    match url.split_once("://") {
        Some(("https", address)) => format!("ntfy://{address}/{topic}"),
        Some((_, address)) => format!("ntfy://{address}/{topic}?secure=false"),
        None => format!("ntfy://{url}/{topic}"),
    }
}

/// The QR code of a text as a `data:` address; `None` if the text is too long for one. It is dark on light in every
/// theme, because not every camera reads it the other way round.
fn code(text: &str) -> Option<String> {
    let picture = QrCode::new(text).ok()?.render::<svg::Color<'_>>().build();
    Some(format!("data:image/svg+xml;base64,{}", STANDARD.encode(picture)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_app_gets_the_link_that_it_understands() {
        let links = phone_links("http://192.168.1.20:7878", "backups");
        let links: Vec<_> = links.iter().map(|link| (link.app, link.link.as_str())).collect();
        let ntfy = "ntfy://192.168.1.20:7878/backups?secure=false";
        assert_eq!(links, [(PhoneApp::Ntfy, ntfy), (PhoneApp::Gotify, "http://192.168.1.20:7878")]);
        assert_eq!(ntfy_link("https://push.example.org", "a"), "ntfy://push.example.org/a");
    }

    #[test]
    fn a_code_is_dark_on_a_light_ground_with_a_quiet_zone() {
        let picture = code("http://192.168.1.20:7878").unwrap();
        let picture = STANDARD.decode(picture.strip_prefix("data:image/svg+xml;base64,").unwrap()).unwrap();
        let picture = String::from_utf8(picture).unwrap();
        assert!(picture.contains("fill=\"#fff\"") && picture.contains("fill=\"#000\""), "{picture}");
        let (quiet, modules) = (4, QrCode::new("http://192.168.1.20:7878").unwrap().width());
        let width = picture.split("width=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(width.parse::<usize>().unwrap() % (modules + 2 * quiet), 0, "{width}");
        assert_eq!(code(&"a".repeat(10_000)), None);
    }
}
