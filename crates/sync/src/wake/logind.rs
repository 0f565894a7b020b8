//! The system's word that the machine woke up (logind's `PrepareForSleep`). Refuses to insist: no bus, no word.

use futures_util::{
    future,
    stream::{self, BoxStream, StreamExt},
};
use zbus::{Connection, proxy::Proxy};

use super::Wake;

/// One element each time the machine woke up; silent for ever where there is no system bus.
pub(super) fn resumes() -> BoxStream<'static, Wake> {
    stream::once(listen()).filter_map(future::ready).flatten().chain(stream::pending()).boxed()
}

async fn listen() -> Option<BoxStream<'static, Wake>> {
    let signals = async {
        let bus = Connection::system().await?;
        let logind = Proxy::new(
            &bus,
            "org.freedesktop.login1",
            "/org/freedesktop/login1",
            "org.freedesktop.login1.Manager",
        )
        .await?;
        logind.receive_signal("PrepareForSleep").await
    };
    match signals.await {
        // `true` comes before the sleep, `false` after it.
        Ok(signals) => Some(
            signals
                .filter_map(|signal| {
                    future::ready(
                        matches!(signal.body().deserialize::<bool>(), Ok(false)).then_some(Wake::Resumed),
                    )
                })
                .boxed(),
        ),
        Err(error) => {
            tracing::debug!(%error, "no system bus; a sleep is noticed by the clock alone");
            None
        }
    }
}
