//! Detects the end of a sleep by logind's signal `PrepareForSleep`.

use futures_util::{
    future,
    stream::{self, BoxStream, StreamExt},
};
use zbus::{Connection, proxy::Proxy};

use super::Wake;

/// Yields an element each time the machine wakes up; none if there is no system bus.
pub(super) fn resumes() -> BoxStream<'static, Wake> {
    resumes_on(Connection::system())
}

fn resumes_on(
    bus: impl Future<Output = zbus::Result<Connection>> + Send + 'static,
) -> BoxStream<'static, Wake> {
    stream::once(listen(bus)).filter_map(future::ready).flatten().chain(stream::pending()).boxed()
}

async fn listen(bus: impl Future<Output = zbus::Result<Connection>>) -> Option<BoxStream<'static, Wake>> {
    let signals = async {
        let bus = bus.await?;
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
        // The value is `true` before the sleep and `false` after it.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;
    use tidings_testkit::bus::Bus;
    use zbus::connection::Builder;

    use super::*;

    /// The time that a busy machine may need.
    const TEST_TIMEOUT: Duration = Duration::from_secs(90);

    async fn connect(bus: &Bus) -> Connection {
        Builder::address(bus.address.as_str()).unwrap().build().await.unwrap()
    }

    #[tokio::test]
    async fn the_end_of_a_sleep_is_heard_and_its_beginning_is_not() {
        let bus = Bus::start();
        let logind = connect(&bus).await;
        logind.request_name("org.freedesktop.login1").await.unwrap();
        // The object server answers calls after all signals that were emitted before.
        logind.object_server();
        let listener = connect(&bus).await;
        let mut resumes = resumes_on(future::ready(Ok(listener.clone())));
        let emit = |going_to_sleep: bool| {
            let logind = logind.clone();
            async move {
                let (path, interface) = ("/org/freedesktop/login1", "org.freedesktop.login1.Manager");
                logind
                    .emit_signal(None::<&str>, path, interface, "PrepareForSleep", &going_to_sleep)
                    .await
                    .unwrap();
            }
        };
        // Repeated until the listener receives it: the stream connects when it is first polled.
        let emitting = async {
            loop {
                emit(true).await;
                emit(false).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let received = async {
            tokio::select! {
                wake = resumes.next() => wake,
                () = emitting => None,
            }
        };
        assert_eq!(tokio::time::timeout(TEST_TIMEOUT, received).await.unwrap(), Some(Wake::Resumed));
        // All earlier signals have arrived once the answer to this later call has.
        let arrived = async || {
            let (to, peer) = ("org.freedesktop.login1", "org.freedesktop.DBus.Peer");
            let answer = listener.call_method(Some(to), "/", Some(peer), "Ping", &());
            drop(tokio::time::timeout(TEST_TIMEOUT, answer).await.unwrap());
        };
        arrived().await;
        while resumes.next().now_or_never().is_some() {}
        emit(true).await;
        arrived().await;
        assert!(resumes.next().now_or_never().is_none(), "the beginning of a sleep is heard");
        emit(false).await;
        arrived().await;
        assert_eq!(resumes.next().now_or_never(), Some(Some(Wake::Resumed)));
    }

    #[tokio::test]
    async fn without_a_bus_there_is_silence() {
        let mut resumes = resumes_on(async { Err(zbus::Error::InvalidReply) });
        assert!(tokio::time::timeout(Duration::from_millis(50), resumes.next()).await.is_err());
    }
}
