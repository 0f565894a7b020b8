//! The types of a sign-in with the browser.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::SourceId;

/// What a protocol's sign-in with the browser asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignInView {
    /// Whether the service wants the id of a client that the reader registered there.
    pub needs_client: bool,
    /// What Tidings may do then, a phrase each that can follow "Tidings may".
    pub rights: Vec<Worded>,
    /// The further right that the reader may grant; none if there is nothing more to ask for.
    pub more: Option<Worded>,
}

/// A phrase in each language of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Worded {
    /// English.
    pub en: String,
    /// Simplified Chinese.
    pub zh: String,
}

impl From<tidings_sources::Phrase> for Worded {
    fn from((en, zh): tidings_sources::Phrase) -> Self {
        Self { en: en.to_owned(), zh: zh.to_owned() }
    }
}

impl SignInView {
    /// The sign-in of a protocol; none if it has none.
    pub(crate) fn of(known: &tidings_sources::Protocol) -> Option<Self> {
        let rights = known.sign_in.rights()?;
        Some(Self {
            needs_client: matches!(known.sign_in, tidings_sources::SignIn::Device(_)),
            rights: rights.means.iter().copied().map(Worded::from).collect(),
            more: rights.more.map(|more| more.means.into()),
        })
    }
}

/// A sign-in that is to begin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignInForm {
    /// The protocol of a new source: the name of one of `Bootstrap.protocols`.
    pub protocol: String,
    /// Its address as the reader typed it.
    pub url: String,
    /// The source that is signed in to again; none for a new one. Its own protocol and address count then.
    pub source: Option<SourceId>,
    /// The id of the reader's client at the service. It is kept for its origin.
    pub client_id: String,
    /// Whether to ask for `SignInView.more`.
    pub more: bool,
}

/// What the reader has to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SignInPrompt {
    /// The id of the sign-in, for `finish_sign_in`, `cancel_sign_in` and `SourceForm.sign_in`.
    pub id: u64,
    /// The page of the service on which the reader agrees.
    pub url: String,
    /// The code to enter there; none if the page asks for none.
    pub code: Option<String>,
}
