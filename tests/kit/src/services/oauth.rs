//! The endpoints of a service at which tokens are granted and renewed. One signs in by a code (RFC 8628), or by a page
//! and PKCE (RFC 7636). They check the requests, and note what a client must not do.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard};

use data_encoding::BASE64URL_NOPAD;
use reqwest::Url;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tidings_model::{Clock, Stamp};

use crate::clock::ManualClock;
use crate::scripted::{Exchange, response};

/// The id of the client that is registered at the service by hand.
pub const CLIENT_ID: &str = "client-of-ana";
/// The code that is entered on the page.
pub const USER_CODE: &str = "WDJB-MJHT";
/// The code that a client asks with.
pub const DEVICE_CODE: &str = "device-3b1f-secret";
/// The secret of a client that registered itself.
pub const CLIENT_SECRET: &str = "client-88aa-secret";
/// The code with which the browser comes back.
const CODE: &str = "code-41cc-secret";

/// The service's answer to one question whether the code was entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceStep {
    /// Not yet.
    Pending,
    /// Not yet, and less often; with the new interval in seconds if the service names it.
    SlowDown(Option<u64>),
    /// The reader did not agree.
    Denied,
    /// The code is too old.
    Expired,
    /// It can't answer, and asks to wait for these seconds.
    Unavailable(u64),
    /// The reader agreed.
    Granted,
}

/// The endpoints. Clones share their state.
#[derive(Debug, Clone)]
pub struct OAuth(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// The page on which a code is entered.
    page: String,
    /// The first token that is given.
    token: String,
    steps: VecDeque<DeviceStep>,
    interval: u64,
    /// The clock of the client, by which it waits.
    clock: Option<ManualClock>,
    not_before: Option<Stamp>,
    /// The life of tokens in seconds, if they expire.
    life: Option<i64>,
    /// The number of tokens that were given.
    given: u32,
    /// The tokens that are taken now.
    valid: Vec<String>,
    /// The refresh token that is taken next.
    refresh: Option<String>,
    /// The scopes that were asked for.
    scopes: Vec<String>,
    /// The tokens that a client took back.
    taken_back: Vec<String>,
    /// The registration of a client.
    registered: Option<BTreeMap<String, String>>,
    /// The challenge that came with the page.
    challenge: Option<String>,
    faults: Vec<String>,
}

impl OAuth {
    pub(super) fn device(host: &str, page: &str, token: &str) -> Self {
        Self::new(format!("http://{host}{page}"), token)
    }

    pub(super) fn browser(token: &str) -> Self {
        Self::new(String::new(), token)
    }

    fn new(page: String, token: &str) -> Self {
        Self(Arc::new(Mutex::new(State {
            page,
            token: token.to_owned(),
            steps: VecDeque::new(),
            interval: 5,
            clock: None,
            not_before: None,
            life: None,
            given: 0,
            valid: Vec::new(),
            refresh: None,
            scopes: Vec::new(),
            taken_back: Vec::new(),
            registered: None,
            challenge: None,
            faults: Vec::new(),
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Plans the answers to the next questions; later ones get [`DeviceStep::Pending`].
    pub fn plan(&self, steps: &[DeviceStep]) {
        self.state().steps.extend(steps.iter().cloned());
    }

    /// Notes each question that comes before its time by this clock.
    pub fn watch(&self, clock: &ManualClock) {
        self.state().clock = Some(clock.clone());
    }

    /// Sets the interval that is asked for, in seconds.
    pub fn set_interval(&self, seconds: u64) {
        self.state().interval = seconds;
    }

    /// Lets tokens expire after this many seconds; they then come with a refresh token.
    pub fn set_life(&self, seconds: i64) {
        self.state().life = Some(seconds);
    }

    /// Sends on to another page.
    pub fn set_page(&self, page: &str) {
        page.clone_into(&mut self.state().page);
    }

    /// Lets all tokens that were given expire.
    pub fn expire(&self) {
        self.state().valid.clear();
    }

    /// Takes the refresh token back.
    pub fn revoke(&self) {
        let mut state = self.state();
        state.valid.clear();
        state.refresh = None;
    }

    /// The tokens that clients took back, in order.
    pub fn taken_back(&self) -> Vec<String> {
        self.state().taken_back.clone()
    }

    /// What clients did that they must not do.
    pub fn faults(&self) -> Vec<String> {
        self.state().faults.clone()
    }

    /// The scopes that were asked for, in order.
    pub fn scopes(&self) -> Vec<String> {
        self.state().scopes.clone()
    }

    /// The number of tokens that were given.
    pub fn given(&self) -> u32 {
        self.state().given
    }

    /// All that a client keeps to itself: tokens, codes and secrets that were given so far.
    pub fn secrets(&self) -> Vec<String> {
        let state = self.state();
        let tokens = (0..state.given).map(|n| token(&state.token, n));
        let refresh = (0..state.given).map(refresh_token);
        let codes = [DEVICE_CODE, CLIENT_SECRET, CODE].map(str::to_owned);
        tokens.chain(refresh).chain(codes).collect()
    }

    pub(super) fn knows_bearer(&self, exchange: &Exchange) -> bool {
        let state = self.state();
        let head = exchange.request.to_ascii_lowercase();
        state
            .valid
            .iter()
            .any(|token| head.contains(&format!("authorization: bearer {token}\r\n").to_lowercase()))
    }

    /// The answer to a request for a code.
    pub(super) fn device_code(&self, exchange: &Exchange) -> Vec<u8> {
        let (mut state, form) = (self.state(), form(exchange));
        if form.get("client_id").map(String::as_str) != Some(CLIENT_ID) {
            return json_response("401 Unauthorized", &json!({"error": "invalid_client"}));
        }
        state.scopes.push(form.get("scope").cloned().unwrap_or_default());
        let wait = state.interval;
        state.wait(wait);
        let answer = json!({
            "device_code": DEVICE_CODE, "user_code": USER_CODE, "verification_uri": state.page, "expires_in": 900,
            "interval": state.interval,
        });
        json_response("200 OK", &answer)
    }

    /// Registers a client.
    pub(super) fn register(&self, exchange: &Exchange) -> Vec<u8> {
        let (mut state, form) = (self.state(), form(exchange));
        state.scopes.push(form.get("scopes").cloned().unwrap_or_default());
        state.registered = Some(form);
        json_response(
            "200 OK",
            &json!({"client_id": CLIENT_ID, "client_secret": CLIENT_SECRET, "name": "Tidings"}),
        )
    }

    /// What the browser is sent to when the reader agrees on the page at `url`. Fails the test for a page that the
    /// service would not show.
    pub fn agree(&self, url: &str) -> Url {
        let (mut state, url) = (self.state(), Url::parse(url).expect("an address"));
        let asked: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
        let registered = state.registered.clone().expect("the client registered");
        assert_eq!(url.path(), "/oauth/authorize");
        assert_eq!(asked["response_type"], "code");
        assert_eq!(asked["client_id"], CLIENT_ID);
        assert_eq!(asked["redirect_uri"], registered["redirect_uris"]);
        assert_eq!(asked["scope"], registered["scopes"]);
        assert_eq!(asked["code_challenge_method"], "S256");
        state.challenge = Some(asked["code_challenge"].clone());
        let mut back = Url::parse(&asked["redirect_uri"]).expect("an address");
        back.query_pairs_mut().append_pair("code", CODE).append_pair("state", &asked["state"]);
        back
    }

    /// Takes a token back, for the client that it was granted to (RFC 7009).
    pub(super) fn take_back(&self, exchange: &Exchange) -> Vec<u8> {
        let (mut state, form) = (self.state(), form(exchange));
        let is = |name: &str, value: &str| form.get(name).is_some_and(|known| known == value);
        let knows_secret = state.registered.is_none() || is("client_secret", CLIENT_SECRET);
        if !is("client_id", CLIENT_ID) || !knows_secret {
            return json_response("403 Forbidden", &json!({"error": "unauthorized_client"}));
        }
        let token = form.get("token").cloned().unwrap_or_default();
        state.valid.retain(|known| *known != token);
        state.taken_back.push(token);
        json_response("200 OK", &json!({}))
    }

    /// The answer to a request for a token; refusals have this status.
    pub(super) fn token(&self, exchange: &Exchange, refused: &str) -> Vec<u8> {
        let (mut state, form) = (self.state(), form(exchange));
        let error = |code: &str| json_response(refused, &json!({"error": code, "error_description": "No."}));
        let is = |name: &str, value: &str| form.get(name).is_some_and(|known| known == value);
        if !is("client_id", CLIENT_ID) {
            return error("invalid_client");
        }
        match form.get("grant_type").map(String::as_str) {
            Some("urn:ietf:params:oauth:grant-type:device_code") => {
                if !is("device_code", DEVICE_CODE) {
                    return error("invalid_grant");
                }
                state.check_wait();
                match state.steps.pop_front().unwrap_or(DeviceStep::Pending) {
                    DeviceStep::Pending => {
                        let wait = state.interval;
                        state.wait(wait);
                        error("authorization_pending")
                    }
                    DeviceStep::SlowDown(interval) => {
                        state.interval = interval.unwrap_or(state.interval + 5);
                        let wait = state.interval;
                        state.wait(wait);
                        let said = json!({"error": "slow_down", "interval": interval});
                        json_response(refused, &said)
                    }
                    DeviceStep::Denied => error("access_denied"),
                    DeviceStep::Expired => error("expired_token"),
                    DeviceStep::Unavailable(seconds) => {
                        state.wait(seconds);
                        response("503 Busy", &format!("retry-after: {seconds}\r\n"), "")
                    }
                    DeviceStep::Granted => json_response("200 OK", &state.give()),
                }
            }
            Some("refresh_token") => {
                let known = state.refresh.take_if(|known| is("refresh_token", known));
                if known.is_none() { error("invalid_grant") } else { json_response("200 OK", &state.give()) }
            }
            Some("authorization_code") => {
                let verifier = form.get("code_verifier").cloned().unwrap_or_default();
                let challenge = BASE64URL_NOPAD.encode(&Sha256::digest(verifier.as_bytes()));
                let redirect = state.registered.as_ref().map(|known| known["redirect_uris"].clone());
                let is_right = is("code", CODE)
                    && is("client_secret", CLIENT_SECRET)
                    && redirect.is_some_and(|known| is("redirect_uri", &known))
                    && verifier.len() >= 43
                    && state.challenge.take() == Some(challenge);
                if is_right { json_response("200 OK", &state.give()) } else { error("invalid_grant") }
            }
            _ => error("unsupported_grant_type"),
        }
    }
}

impl State {
    /// Asks for no question before this many seconds.
    fn wait(&mut self, seconds: u64) {
        let now = self.clock.as_ref().map(Clock::now);
        self.not_before = now.map(|now| now.plus_secs(i64::try_from(seconds).unwrap()));
    }

    fn check_wait(&mut self) {
        if let (Some(clock), Some(not_before)) = (&self.clock, self.not_before)
            && clock.now() < not_before
        {
            self.faults.push(format!("asked at {}, before {not_before}", clock.now()));
        }
    }

    /// Gives the next token, and a refresh token if it expires; those of before are not taken any more.
    fn give(&mut self) -> Value {
        let given = token(&self.token, self.given);
        self.valid = vec![given.clone()];
        let mut answer = json!({"access_token": given, "token_type": "Bearer"});
        if let Some(life) = self.life {
            let refresh = refresh_token(self.given);
            answer["expires_in"] = life.into();
            answer["refresh_token"] = refresh.clone().into();
            self.refresh = Some(refresh);
        }
        self.given += 1;
        answer
    }
}

/// The `n`th token: the last digits are another number.
fn token(first: &str, n: u32) -> String {
    if n == 0 {
        return first.to_owned();
    }
    let mut next = first[..first.len() - 4].to_owned();
    write!(next, "{n:04}").expect("a string can be written");
    next
}

fn refresh_token(n: u32) -> String {
    format!("refresh-{n:04}-secret")
}

fn form(exchange: &Exchange) -> BTreeMap<String, String> {
    let body = exchange.request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let url = Url::parse(&format!("http://127.0.0.1/?{body}")).expect("a form");
    url.query_pairs().into_owned().collect()
}

fn json_response(status: &str, body: &Value) -> Vec<u8> {
    response(status, "content-type: application/json\r\ncache-control: no-store\r\n", body.to_string())
}
