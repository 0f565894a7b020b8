//! The program's icon among the launchers, as a dock hears of it over the bus.
//! Refuses to look at a dock: the signal is all that docks share.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use futures_util::StreamExt;
use zbus::{MatchRule, MessageStream, message, zvariant::OwnedValue};

use crate::{desktop::Desktop, wait};

/// What a dock was told last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// Which desktop file it is about.
    pub entry: String,
    /// The number.
    pub count: i64,
    /// Whether the number is shown.
    pub visible: bool,
}

/// A dock that listens.
#[derive(Debug)]
pub struct Launcher {
    told: Arc<Mutex<Told>>,
    listening: tokio::task::JoinHandle<()>,
}

impl Launcher {
    /// Listens from now on.
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
        let told = Arc::new(Mutex::new(Told::default()));
        let heard = Arc::clone(&told);
        let listening = tokio::spawn(async move {
            while let Some(Ok(signal)) = signals.next().await {
                let body = signal.body();
                let (entry, facts): (String, HashMap<String, OwnedValue>) =
                    body.deserialize().expect("an update is (sa{sv})");
                let count = facts.get("count").and_then(|v| i64::try_from(v.clone()).ok());
                let visible = facts.get("count-visible").and_then(|v| bool::try_from(v.clone()).ok());
                *heard.lock().expect("nothing panics while holding it") =
                    Told { entry, count: count.unwrap_or(-1), visible: visible.unwrap_or(false) };
            }
        });
        Self { told, listening }
    }

    /// Waits until the icon shows this number; none for 0.
    pub async fn shows(&self, count: i64) {
        let told = Told { entry: "application://Tidings.desktop".to_owned(), count, visible: count > 0 };
        wait::until_equal("what the launcher was told", told, || async {
            self.told.lock().expect("nothing panics while holding it").clone()
        })
        .await;
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        self.listening.abort();
    }
}
