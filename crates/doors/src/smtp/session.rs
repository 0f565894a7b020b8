//! The dialogue of one connection: commands and their replies. A message is published for each of its topics before it
//! is accepted. If one of them fails, the sender sends it again, and those that have it keep one.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use smtp_proto::{MailFrom, Request};
use tidings_model::Problem;
use tidings_server_core::budgets::{Principal, Reservation, SMALL_BODY_BYTES};
use tidings_server_core::config::MailConfig;
use tidings_server_core::domain::limits;
use tidings_server_core::state::AppState;
use tidings_server_core::traces;
use tidings_store::request_time::of_request;
use tokio::time::timeout;

use super::command::bracketed;
use super::slots::Slot;
use super::wire::{Received, Wire, WireError, message_receiver};
use super::{address, credentials, reading};
use crate::ntfy::mail::{MailOrigin, MailRecipient, MailRefusal};

/// A reply: its code and its text.
type Reply = (u16, Cow<'static, str>);

/// One connection.
pub(super) struct Session<'a> {
    app: &'a AppState,
    config: &'a MailConfig,
    origin: MailOrigin,
    wire: Wire,
    /// Its slot among the connections.
    slot: Slot,
    /// Whether the other end has said who it is.
    is_greeted: bool,
    /// The token of `AUTH`.
    token: Option<String>,
    mail: Option<Envelope>,
    /// Mails and refused commands so far.
    mails: usize,
    errors: usize,
    ends_at: Instant,
}

/// The data of a message before it comes.
struct Envelope {
    /// The size that the sender has named; 0 if it has not.
    bytes: usize,
    recipients: Vec<MailRecipient>,
}

impl Envelope {
    /// The bytes that a message of which this many came may have.
    fn expected_bytes(&self, received: usize) -> usize {
        if self.bytes > received {
            return (self.bytes + SMALL_BODY_BYTES).min(limits::MAIL_BYTES);
        }
        limits::MAIL_BYTES
    }

    /// Whose share of the budgets the message uses.
    fn principal(&self) -> Principal {
        self.recipients.first().map_or(Principal::Anonymous, MailRecipient::principal)
    }
}

fn reply(code: u16, text: &'static str) -> Reply {
    (code, text.into())
}

impl<'a> Session<'a> {
    pub(super) fn new(app: &'a AppState, origin: MailOrigin, wire: Wire, slot: Slot) -> Self {
        let config = &app.server.config.mail;
        Self {
            app,
            config,
            origin,
            wire,
            slot,
            is_greeted: false,
            token: None,
            mail: None,
            mails: 0,
            errors: 0,
            ends_at: Instant::now() + config.session_timeout,
        }
    }

    /// Speaks until the other end leaves, is silent for too long, errs too often, or the server stops.
    pub(super) async fn run(mut self) -> Result<(), WireError> {
        self.wire.reply(220, "tidings ESMTP").await?;
        loop {
            let patience = self.config.command_timeout.min(self.time_left());
            let Some(line) = self.slot.wait_for(self.wire.line(patience)).await else {
                return self.wire.reply(421, "another connection needs this place; try again later").await;
            };
            let answer = match line {
                Ok(line) => of_request(self.answer(&line)).await,
                Err(error) => Err(error),
            };
            let (code, text) = match answer {
                Err(WireError::Stopping) => {
                    return self.wire.reply(421, "the server stops; try again later").await;
                }
                Err(WireError::Silent) => return self.wire.reply(421, "nothing came for too long").await,
                Err(WireError::LongLine) => return self.wire.reply(500, "the line is too long").await,
                answer => answer?,
            };
            if code > 0 {
                self.wire.reply(code, &text).await?;
            }
            self.errors += usize::from(code >= 400);
            if matches!(code, 221 | 421) {
                return Ok(());
            }
            if self.errors > limits::MAIL_ERRORS || self.mails >= limits::CONNECTION_MAILS {
                return self.wire.reply(421, "this is enough for one connection; open another").await;
            }
        }
    }

    fn time_left(&self) -> Duration {
        self.ends_at.saturating_duration_since(Instant::now())
    }

    /// The reply to a command; code 0 if it was sent already.
    async fn answer(&mut self, line: &[u8]) -> Result<Reply, WireError> {
        let line = bracketed(line);
        let request = Request::parse(&mut line.iter());
        Ok(match request {
            Ok(Request::Ehlo { .. }) => return self.greet().await,
            Ok(Request::Helo { .. }) => {
                self.is_greeted = true;
                reply(250, "tidings")
            }
            Ok(Request::Auth { mechanism, initial_response }) => {
                return self.authenticate(mechanism, &initial_response).await;
            }
            Ok(Request::Mail { from }) => self.begin(&from),
            Ok(Request::Rcpt { to }) => self.add_recipient(&to.address).await,
            Ok(Request::Data) => return self.take_message().await,
            Ok(Request::Rset) => {
                self.mail = None;
                reply(250, "forgotten")
            }
            Ok(Request::Noop { .. }) => reply(250, "still here"),
            Ok(Request::Vrfy { .. }) => reply(252, "send it, and it will be seen"),
            Ok(Request::Help { .. }) => reply(214, "mail to TOPIC@ or TOPIC+TOKEN@ becomes a notification"),
            Ok(Request::Quit) => reply(221, "goodbye"),
            Ok(_) => reply(502, "this server does not do that"),
            // A page in a browser can send HTTP here, with commands in its body.
            Err(_) if !self.is_greeted => reply(421, "this is no SMTP"),
            Err(smtp_proto::Error::UnknownCommand) => reply(500, "this is no command"),
            Err(smtp_proto::Error::InvalidRecipientAddress) => reply(550, "this is no address of a topic"),
            Err(smtp_proto::Error::UnsupportedParameter { .. }) => reply(555, "a parameter is not known"),
            Err(_) => reply(501, "this can't be read"),
        })
    }

    async fn greet(&mut self) -> Result<Reply, WireError> {
        self.is_greeted = true;
        self.mail = None;
        let features = ["tidings", "PIPELINING", "8BITMIME", "SMTPUTF8", "AUTH PLAIN LOGIN"];
        let lines = features.join("\r\n250-");
        self.wire.send(&format!("250-{lines}\r\n250 SIZE {}\r\n", limits::MAIL_BYTES)).await?;
        Ok(reply(0, ""))
    }

    /// `AUTH PLAIN` and `AUTH LOGIN`, with a token as the password.
    async fn authenticate(&mut self, mechanism: u64, first: &str) -> Result<Reply, WireError> {
        if !self.is_greeted || self.token.is_some() || self.mail.is_some() {
            return Ok(reply(503, "not now"));
        }
        if !credentials::is_known(mechanism) {
            return Ok(reply(504, "PLAIN and LOGIN are known"));
        }
        let patience = self.config.command_timeout;
        let Some(token) = credentials::token(&mut self.wire, mechanism, first, patience).await? else {
            return Ok(reply(501, "these are no credentials"));
        };
        Ok(match self.origin.check_token(self.app, &token).await {
            Ok(()) => {
                self.token = Some(token);
                reply(235, "welcome")
            }
            Err(MailRefusal { code: 550, .. }) => reply(535, "this token is not known"),
            Err(refusal) => (refusal.code, refusal.text.into()),
        })
    }

    fn begin(&mut self, from: &MailFrom<Cow<'_, str>>) -> Reply {
        if !self.is_greeted {
            return reply(503, "say EHLO first");
        }
        if from.size > limits::MAIL_BYTES {
            return reply(552, "the message is too large");
        }
        self.mail = Some(Envelope { bytes: from.size, recipients: Vec::new() });
        reply(250, "to whom")
    }

    async fn add_recipient(&mut self, to: &str) -> Reply {
        let Some(mail) = &mut self.mail else { return reply(503, "say MAIL first") };
        if mail.recipients.len() >= limits::MAIL_RECIPIENTS {
            return reply(452, "too many recipients");
        }
        let Some(found) = address::parse(to, self.config) else {
            return reply(550, "only topics of this server get mail here; nothing is passed on");
        };
        let token = found.token.or(self.token.as_deref());
        match MailRecipient::accept(self.app, &self.origin, found.topic, token).await {
            Ok(recipient) => {
                mail.recipients.push(recipient);
                reply(250, "a topic")
            }
            Err(refusal) => (refusal.code, refusal.text.into()),
        }
    }

    /// `DATA`: reads a message and publishes it.
    async fn take_message(&mut self) -> Result<Reply, WireError> {
        let Some(mail) = self.mail.take_if(|mail| !mail.recipients.is_empty()) else {
            return Ok(reply(503, "say RCPT first"));
        };
        self.mails += 1;
        let mut room = match self.room(&mail, SMALL_BODY_BYTES).await {
            Ok(room) => Some(room),
            Err(problem) => return Ok(refused(problem)),
        };
        self.wire.reply(354, "go on, and end with a dot").await?;
        let time_left = self.time_left();
        let received = timeout(time_left, self.receive(&mail, &mut room)).await;
        let received = received.map_err(|_| WireError::Silent)??;
        let raw = match received {
            Ok(raw) => raw,
            Err(refusal) => return Ok(refusal),
        };
        Ok(self.publish(&mail, raw).await.unwrap_or_else(|refusal| (refusal.code, refusal.text.into())))
    }

    /// Room for this many bytes of a message as they come, and as they are read.
    async fn room(&self, mail: &Envelope, bytes: usize) -> Result<Reservation, Problem> {
        self.app.load_limits.reserve_body(mail.principal(), bytes).await
    }

    /// Reads a message; the reply if it is not taken.
    async fn receive(
        &mut self,
        mail: &Envelope,
        room: &mut Option<Reservation>,
    ) -> Result<Result<Vec<u8>, Reply>, WireError> {
        let (mut receiver, mut message) = (message_receiver(), Vec::new());
        let patience = self.config.data_timeout;
        // A small mail does not wait for a large one.
        let mut max_bytes = SMALL_BODY_BYTES / 2;
        loop {
            match self.wire.message(&mut receiver, &mut message, max_bytes, patience).await? {
                Received::Whole => return Ok(Ok(message)),
                Received::TooLarge => return Ok(Err(reply(552, "the message is too large"))),
                Received::More => {
                    max_bytes = mail.expected_bytes(message.len());
                    *room = None;
                    match self.room(mail, 2 * max_bytes).await {
                        Ok(more) => *room = Some(more),
                        // The rest of the message would be read as commands.
                        Err(problem) => {
                            let (code, text) = refused(problem);
                            self.wire.reply(code, &text).await?;
                            return Ok(Err(reply(221, "goodbye")));
                        }
                    }
                }
            }
        }
    }

    async fn publish(&self, mail: &Envelope, raw: Vec<u8>) -> Result<Reply, MailRefusal> {
        let topic = mail.recipients.first().map_or("", MailRecipient::topic);
        let message = reading::read(topic, raw.into()).await?;
        for recipient in &mail.recipients {
            traces::of_work("take mail", recipient.publish(self.app, &message)).await?;
        }
        Ok(reply(250, "published"))
    }
}

fn refused(problem: Problem) -> Reply {
    let MailRefusal { code, text } = problem.into();
    (code, text.into())
}
