//! Work that waits until the window has its first paint, or until it is known that there is none. Connections to the
//! session bus would take processor time from WebKit, which starts meanwhile.

use tokio::sync::watch;

/// The end of the wait, which all that wait share.
#[derive(Clone)]
pub(crate) struct AfterPaint(watch::Receiver<bool>);

impl AfterPaint {
    /// A wait that ends when the sender says so, or is dropped.
    pub(crate) fn new() -> (watch::Sender<bool>, Self) {
        let (painted, waits) = watch::channel(false);
        (painted, Self(waits))
    }

    /// No wait.
    pub(crate) fn at_once() -> Self {
        Self(watch::channel(true).1)
    }

    /// Returns at the end of the wait.
    pub(crate) async fn wait(mut self) {
        let _ = self.0.wait_for(|painted| *painted).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn what_waits_for_the_first_paint_goes_on_after_it_and_what_comes_later_at_once() {
        AfterPaint::at_once().wait().await;
        let (painted, waits) = AfterPaint::new();
        assert_eq!(waits.clone().wait().now_or_never(), None);
        let first = tokio::spawn(waits.clone().wait());
        painted.send_replace(true);
        first.await.unwrap();
        drop(painted);
        waits.wait().await;
    }
}
