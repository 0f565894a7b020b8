//! The commands of the page, each declared once: its name, its arguments, its answer and the method that handles it.
//! From these lists come the typed dispatch behind the program's one Tauri command, and the page's client
//! (`ui/src/generated/commands.ts`, written by `cargo test -p tidings-app export`).

#[macro_use]
mod inbox;
#[macro_use]
mod settings;

use std::time::Instant;

use serde::{Deserialize, Serialize};
use tidings_model::Mark;

use crate::app::App;
use crate::error::{Error, Result};
#[allow(clippy::wildcard_imports, reason = "each type is imported for one command")]
use tidings_ipc::*;

fn to_json<T: Serialize>(answer: &T) -> Result<String> {
    serde_json::to_string(answer).map_err(|error| Error::Write(error.into()))
}

macro_rules! commands {
    (; $({ $app:ident; $(
        $(#[doc = $doc:literal])+
        $name:ident($($arg:ident: $type:ty),*) -> $answer:ty { $($handler:tt)+ }
    )+ })+) => {
        /// A call of the page in its wire form: `{"command": "threads", "args": {"query": …}}`. The arguments are
        /// untrusted: each handler checks or clamps them.
        ///
        /// ```
        /// use tidings_app::Command;
        ///
        /// let json = r#"{"command": "mark", "args": {"threads": [7], "mark": {"op": "read"}}}"#;
        /// assert!(matches!(serde_json::from_str(json).unwrap(), Command::mark { .. }));
        /// ```
        #[derive(Deserialize)]
        #[serde(tag = "command", content = "args")]
        #[allow(missing_docs, missing_debug_implementations, non_camel_case_types, reason = "generated: a variant is \
            called like its command, its fields like the arguments; some of them are secret")]
        pub enum Command {
            $($($(#[doc = $doc])+ $name { $($arg: $type),* },)+)+
        }

        impl App {
            /// Handles a command and gives its answer as JSON.
            ///
            /// # Errors
            /// The reason why the command failed, with a sentence in the reader's language.
            pub async fn call(&self, command: Command) -> Result<String, IpcError> {
                $(let $app = self;)+
                let answered: Result<String> = match command {
                    outside if outside.reaches_outside() && !self.call_rate.take(Instant::now()) => {
                        Err(Error::outside(self.context.strings().error_too_often))
                    }
                    $($(Command::$name { $($arg),* } => {
                        let answer: Result<$answer> = async move { $($handler)+ }.await;
                        answer.and_then(|answer| to_json(&answer))
                    })+)+
                };
                answered.map_err(|error| {
                    tracing::warn!(%error, "a command of the page failed");
                    error.to_ipc(self.context.lang())
                })
            }
        }

        /// The names of all commands.
        #[cfg(test)]
        pub(crate) const NAMES: &[&str] = &[$($(stringify!($name)),+),+];

        #[cfg(test)]
        fn declared(config: &ts_rs::Config) -> Vec<tests::Declared> {
            use ts_rs::TS;
            vec![$($(tests::Declared {
                name: stringify!($name),
                docs: &[$($doc),+],
                args: vec![$((stringify!($arg), <$type as TS>::name(config))),*],
                answer: <$answer as TS>::name(config),
            }),+),+]
        }

        #[cfg(test)]
        fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            $($($(visitor.visit::<$type>();)* visitor.visit::<$answer>();)+)+
        }
    };
}

// Each list hands its commands on to the next one, and the last to `commands`.
inbox_commands! { settings_commands commands; }

impl Command {
    /// Whether it asks other machines, starts other programs or opens a dialog, for which the page has a rate. What it asks
    /// for again and again by itself has bounds of its own: images, icons, files, lines of an import, and the calendars of its
    /// settings. What it shows of a thread is asked at its server, which may ask to wait.
    pub(crate) const fn reaches_outside(&self) -> bool {
        matches!(
            self,
            Self::pull_now {}
                | Self::send_message { .. }
                | Self::choose_file { .. }
                | Self::start_conversation { .. }
                | Self::find_people { .. }
                | Self::publish_on_topic { .. }
                | Self::change_group { .. }
                | Self::edit_item { .. }
                | Self::recall_item { .. }
                | Self::open_link { .. }
                | Self::run_action { .. }
                | Self::choose_sound {}
                | Self::autostart { .. }
                | Self::test_notification {}
                | Self::set_global_shortcut { .. }
                | Self::test_source { .. }
                | Self::add_source { .. }
                | Self::read_import {}
                | Self::export_feeds {}
                | Self::edit_source { .. }
                | Self::sign_in_source { .. }
                | Self::begin_sign_in { .. }
                | Self::add_authorities { .. }
                | Self::add_client_certificate { .. }
                | Self::set_proxy { .. }
                | Self::try_source { .. }
                | Self::set_server { .. }
                | Self::set_origins { .. }
                | Self::create_token { .. }
                | Self::add_user { .. }
                | Self::export_user { .. }
                | Self::create_application { .. }
                | Self::test_publishing { .. }
                | Self::export_inbox { .. }
                | Self::backup {}
                | Self::restore {}
                | Self::export_settings {}
                | Self::import_settings {}
                | Self::open_folder { .. }
                | Self::save_file { .. }
        )
    }
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
