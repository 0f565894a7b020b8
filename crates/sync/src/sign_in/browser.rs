//! The authorization code grant with PKCE (RFC 7636). The program registers at the service, and the reader agrees on a
//! page of it. The browser then comes back to this machine with a code, for which there is a token.

use data_encoding::BASE64URL_NOPAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tidings_net::Error as NetError;
use tidings_sources::{BrowserGrant, Service};
use url::Url;

use super::grants::{self, MAX_SECRET_BYTES, TokenAnswer, not_offered, refusal};
use super::loopback::{Loopback, PageTexts};
use super::{Error, NewSignIn, Prompt, Result};
use crate::tokens::{Grant, GrantedTo};

/// The name under which the program registers.
const CLIENT_NAME: &str = "Tidings";

/// The answer to a registration.
#[derive(Deserialize)]
struct Client {
    client_id: String,
    client_secret: String,
}

/// A page that was opened and not agreed to yet.
pub(super) struct PendingPage {
    service: Service,
    token_path: &'static str,
    client: Client,
    verifier: String,
    state: String,
    loopback: Loopback,
    texts: PageTexts,
}

/// Random bytes as text: 43 characters, as many as a verifier needs.
fn random_text() -> String {
    BASE64URL_NOPAD.encode(&rand::random::<[u8; 32]>())
}

/// What the page gets of a verifier (S256).
fn challenge(verifier: &str) -> String {
    BASE64URL_NOPAD.encode(&Sha256::digest(verifier.as_bytes()))
}

/// Registers at the service. Each sign-in registers anew, because the port of the way back is another one.
pub(super) async fn begin(
    grant: &BrowserGrant,
    url: &str,
    new: &NewSignIn<'_>,
) -> Result<(Prompt, super::PendingSignIn)> {
    let service = Service::new(url, new.clock.clone())?;
    let loopback = Loopback::open().await.map_err(Error::Port)?;
    let rights = &grant.rights;
    let scopes = rights.more.filter(|_| new.more).map_or(rights.scopes, |more| more.scopes);
    let form = [("client_name", CLIENT_NAME), ("redirect_uris", loopback.redirect_uri()), ("scopes", scopes)];
    let client: Client = grants::post(&service, grant.apps_path, &form).await.map_err(not_offered)?;
    let fits = |text: &str| !text.is_empty() && text.len() <= MAX_SECRET_BYTES;
    if !fits(&client.client_id) || !fits(&client.client_secret) {
        return Err(NetError::Malformed.into());
    }
    let (verifier, state) = (random_text(), random_text());
    let mut page = join(&service, grant.authorize_path)?;
    page.query_pairs_mut()
        .append_pair("response_type", "code")
        .append_pair("client_id", &client.client_id)
        .append_pair("redirect_uri", loopback.redirect_uri())
        .append_pair("scope", scopes)
        .append_pair("state", &state)
        .append_pair("code_challenge", &challenge(&verifier))
        .append_pair("code_challenge_method", "S256");
    let texts = new.texts.clone();
    let token_path = grant.token_path;
    let waiting = PendingPage { service, token_path, client, verifier, state, loopback, texts };
    Ok((Prompt::Page(page), super::PendingSignIn::Browser(waiting)))
}

fn join(service: &Service, path: &str) -> Result<Url> {
    service.base().join(path).map_err(|_| NetError::Address(path.to_owned()).into())
}

impl PendingPage {
    /// Waits for the browser, and exchanges the code that it brings.
    pub(super) async fn finish(self) -> Result<Grant> {
        let redirect_uri = self.loopback.redirect_uri().to_owned();
        let code = self.loopback.code(&self.state, &self.texts).await?;
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("client_id", self.client.client_id.as_str()),
            ("client_secret", self.client.client_secret.as_str()),
            ("redirect_uri", redirect_uri.as_str()),
            ("code_verifier", self.verifier.as_str()),
        ];
        let answer: TokenAnswer =
            grants::post(&self.service, self.token_path, &form).await.map_err(not_offered)?;
        if let Some(error) = &answer.error {
            return Err(refusal(error));
        }
        let Client { client_id: id, client_secret } = &self.client;
        let grant = answer.grant(id, None, self.service.clock());
        let client = Some(GrantedTo { id: id.clone(), secret: Some(client_secret.clone()) });
        let with_client = |grant| Grant { client, ..grant };
        grant.map(with_client).ok_or(Error::Service(NetError::Malformed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_of_a_verifier_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(random_text().len(), 43);
        assert_ne!(random_text(), random_text());
    }
}
