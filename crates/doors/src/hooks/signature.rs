//! Signatures of webhooks: HMAC-SHA256 over the body, or a secret that is sent along. All comparisons take constant time.

use std::collections::BTreeMap;

use axum::http::HeaderMap;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use tidings_model::{Code, Problem};
use tidings_store::domain::topic::Secret;

/// How a sender signs.
pub(super) enum Signature {
    /// HMAC-SHA256 in hex in one of these headers, after a prefix. If one of `times` is sent, its value and a colon
    /// are signed before the body.
    Hmac { headers: &'static [&'static str], prefix: &'static str, times: &'static [&'static str] },
    /// The secret itself in this header.
    Plain { header: &'static str },
}

impl Signature {
    /// The header of which errors speak.
    fn header(&self) -> &'static str {
        match self {
            Self::Hmac { headers, .. } => headers.first().copied().unwrap_or_default(),
            Self::Plain { header } => header,
        }
    }

    fn is_valid(&self, headers: &HeaderMap, body: &[u8], secret: &Secret) -> bool {
        match self {
            Self::Hmac { headers: names, prefix, times } => {
                let Some(sent) = first(headers, names) else { return false };
                let Some(sent) = decode_hex(sent.strip_prefix(prefix).unwrap_or(sent)) else { return false };
                let Some(mut mac) = mac(secret) else { return false };
                if let Some(time) = first(headers, times) {
                    mac.update(time.as_bytes());
                    mac.update(b":");
                }
                mac.update(body);
                mac.verify_slice(&sent).is_ok()
            }
            Self::Plain { header } => {
                let Some(sent) = first(headers, &[*header]) else { return false };
                let (Some(mut ours), Some(mut theirs)) = (mac(secret), mac(secret)) else { return false };
                ours.update(secret.0.as_bytes());
                theirs.update(sent.as_bytes());
                theirs.verify_slice(&ours.finalize().into_bytes()).is_ok()
            }
        }
    }
}

/// Checks the signature of a body against a topic's secrets. Without secrets everything passes; with any, only payloads
/// pass that are signed by a sender that has one. `signer` is the sender's name and how it signs.
///
/// # Errors
/// `forbidden` for what is not signed, or signed with something else.
pub(super) fn check(
    signer: Option<(&str, &Signature)>,
    headers: &HeaderMap,
    body: &[u8],
    secrets: &BTreeMap<String, Secret>,
) -> Result<(), Problem> {
    if secrets.is_empty() {
        return Ok(());
    }
    let signing = signer.and_then(|(name, signature)| Some((signature, secrets.get(name)?)));
    let Some((signature, secret)) = signing else {
        let names: Vec<&str> = secrets.keys().map(String::as_str).collect();
        let detail =
            format!("this topic takes only what is signed by {}; nothing was published", names.join(", "));
        return Err(Problem::new(Code::Forbidden, detail));
    };
    if signature.is_valid(headers, body, secret) {
        return Ok(());
    }
    let detail = format!(
        "the header {} is missing or does not belong to this body and the topic's secret; nothing was published",
        signature.header()
    );
    Err(Problem::new(Code::Forbidden, detail))
}

fn mac(secret: &Secret) -> Option<Hmac<Sha256>> {
    Hmac::<Sha256>::new_from_slice(secret.0.as_bytes()).ok()
}

/// The first of these headers that is there.
pub(super) fn first<'a>(headers: &'a HeaderMap, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| headers.get(*name)?.to_str().ok()).map(str::trim)
}

fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs
        .map(|pair| if let [high, low] = pair { Some((digit(*high)? << 4) | digit(*low)?) } else { None })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_read_whole_or_not_at_all() {
        assert_eq!(decode_hex("00fF1a"), Some(vec![0, 255, 26]));
        assert_eq!((decode_hex("0"), decode_hex("zz"), decode_hex("é")), (None, None, None));
    }

    #[test]
    fn the_known_example_of_a_signature_is_valid() {
        let github = Signature::Hmac { headers: &["x-hub-signature-256"], prefix: "sha256=", times: &[] };
        let mut headers = HeaderMap::new();
        let known = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        headers.insert("x-hub-signature-256", known.parse().unwrap());
        let secret = Secret("It's a Secret to Everybody".to_owned());
        assert!(github.is_valid(&headers, b"Hello, World!", &secret));
        assert!(!github.is_valid(&headers, b"Hello, World?", &secret));
        assert!(!github.is_valid(&HeaderMap::new(), b"Hello, World!", &secret));
    }
}
