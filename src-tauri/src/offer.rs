//! The adapter of the port that says what the desktop offers.

use async_trait::async_trait;
use tidings_ports::{Desktop, DesktopOffer};
use tidings_sync::session;

/// The desktop that this program runs on.
pub(crate) struct SystemDesktop;

#[async_trait]
impl Desktop for SystemDesktop {
    async fn offer(&self) -> DesktopOffer {
        DesktopOffer { session: session::look().await, web_view: tauri::webview_version().ok() }
    }
}
