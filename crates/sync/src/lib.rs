//! Pulls sources into the replica and sends local marks back, without losing or repeating anything.
//! Refuses to name a server: standalone mode is an ordinary source on the loopback.
//!
//! A program starts an [`Engine`] and watches [`Engine::states`]; the terminal pulls with [`pull_once`].

mod disk;
mod engine;
mod error;
pub mod files;
pub mod http;
mod outbox;
mod pace;
mod paging;
pub mod private;
mod pull;
pub mod reach;
mod runner;
pub mod source;
mod state;
pub mod supervise;
mod talk;
pub mod tokens;
pub mod wake;

pub use engine::{Engine, Parts};
pub use error::{Error, Result, Trouble};
pub use pace::Pace;
pub use pull::{Report, pull_once};
pub use source::{Greeting, GroupAnswer, Head, NewGroup, Since, Source};
pub use state::{News, Occasion, State, States};
pub use tokens::{Keys, Tokens, Vault};
pub use wake::{Wake, Wakes};
