//! The services that notifications are pulled from: their trait [`Source`], its implementations, and what they share.
//!
//! A source asks one service and stores nothing: it knows the types of an inbox and no inbox. Files of other programs and
//! calendars are read here, too. `docs/new-source.md` walks through a new one.

mod bounds;
pub mod calendar;
mod cursors;
pub mod imports;
mod kinds;
mod markup;
mod parsers;
pub mod probe;
pub mod releases;
mod service;
mod source;
mod walk;

pub use bounds::Bounds;
pub use kinds::{
    Application, MAX_APPLICATIONS, OWN_APPLICATION, OWN_DESKTOP_ENTRY, PROTOCOLS, Tidings, applications,
    has_groups, is_open, keeps_subscriptions, open, open_within, protocol, takes_messages, topics,
    with_application,
};
pub use markup::page_icons;
pub use parsers::parsers;
pub use service::{Answer, MAX_SERVICE_ANSWER_BYTES, Room, Service, Validators, json};
pub use source::{
    Abilities, Ahead, BrowserGrant, ChangeAnswer, Credential, DeviceGrant, Fetched, GroupAnswer, GroupChange,
    GroupView, Hint, Keeps, Live, MoreRights, NewGroup, Open, Phrase, PreviewPage, Protocol, Publication,
    PublishedChange, Reason, Rights, ServerInfo, SignIn, Since, Source, TakenBack, Upload,
};
