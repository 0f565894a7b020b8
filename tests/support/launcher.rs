//! The number on the app's launcher icon, as a dock receives it over the session bus.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use futures_util::StreamExt;
use zbus::{MatchRule, MessageStream, message, zvariant::OwnedValue};

use crate::{desktop::Desktop, wait};

/// The newest launcher update that was received.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LauncherState {
    /// The URI of the desktop file.
    pub entry: String,
    /// The number.
    pub count: i64,
    /// Whether the number is shown.
    pub visible: bool,
}

/// A dock that records launcher updates.
#[derive(Debug)]
pub struct Launcher {
    state: Arc<Mutex<LauncherState>>,
    listening: tokio::task::JoinHandle<()>,
}

impl Launcher {
    /// Starts to record updates.
    pub async fn listen(desktop: &Desktop) -> Self {
        let bus = desktop.bus().await;
        let rule = MatchRule::builder()
            .msg_type(message::Type::Signal)
            .interface("com.canonical.Unity.LauncherEntry")
            .and_then(|rule| rule.member("Update"))
            .expect("the names are valid")
            .build();
        let mut signals =
            MessageStream::for_match_rule(rule, &bus, None).await.expect("the bus takes the rule");
        let state = Arc::new(Mutex::new(LauncherState::default()));
        let received = Arc::clone(&state);
        let listening = tokio::spawn(async move {
            while let Some(Ok(signal)) = signals.next().await {
                let body = signal.body();
                let (entry, properties): (String, HashMap<String, OwnedValue>) =
                    body.deserialize().expect("an update is (sa{sv})");
                let count = properties.get("count").and_then(|v| i64::try_from(v.clone()).ok());
                let visible = properties.get("count-visible").and_then(|v| bool::try_from(v.clone()).ok());
                *received.lock().expect("nothing panics while holding it") =
                    LauncherState { entry, count: count.unwrap_or(-1), visible: visible.unwrap_or(false) };
            }
        });
        Self { state, listening }
    }

    /// Waits until the icon shows this number, or no number for 0.
    pub async fn wait_for_number(&self, count: i64) {
        let expected = LauncherState {
            entry: "application://org.tidings.desktop.desktop".to_owned(),
            count,
            visible: count > 0,
        };
        wait::until_equal("the launcher's number", expected, || async {
            self.state.lock().expect("nothing panics while holding it").clone()
        })
        .await;
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
