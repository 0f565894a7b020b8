//! Notices that a wrong clock left stamps of the own server in the future, and mends them.

use tidings_ipc::NoticeCode;
use tidings_ports::OwnServer;

use super::Server;
use crate::error::{Error, Result};
use crate::state::notices::Degradation;

impl Server {
    /// Raises or clears the notice of stamps in the future.
    pub(crate) async fn look_at_stamps(&self, server: &dyn OwnServer) {
        if server.stamps_are_ahead().await {
            self.context.raise(&Degradation::ClockAhead);
        } else {
            self.context.clear(NoticeCode::ClockAhead);
        }
    }

    /// Mends the stamps of the own server, while nothing is pulled. The replica then pulls from the beginning, and keeps
    /// marks and drafts.
    pub(crate) async fn mend_clock(&self) -> Result<()> {
        self.engine.while_stopped(self.mend_stopped(), Error::storage).await
    }

    async fn mend_stopped(&self) -> Result<()> {
        let server = self.own_server()?;
        let failed = |why: String| Error::storage((self.context.settings_strings().clock_not_mended)(&why));
        let port = server.mend_clock().await.map_err(failed)?;
        let listen = self.listen_config().await;
        self.handle_listening(server.as_ref(), &listen, Ok(port)).await;
        Ok(())
    }
}
