//! What a service manager is told, if it started this program as a service of `Type=notify`.

/// A stage of which a service manager is told.
#[derive(Clone, Copy)]
pub(super) enum Stage {
    Ready,
    Reloading,
    Stopping,
}

/// Tells systemd how far the server is.
pub(super) fn tell(stage: Stage) {
    #[cfg(target_os = "linux")]
    {
        use sd_notify::NotifyState;

        let told = match stage {
            Stage::Ready => sd_notify::notify(&[NotifyState::Ready]),
            // The time says to which of its requests this is the answer.
            Stage::Reloading => NotifyState::monotonic_usec_now()
                .and_then(|now| sd_notify::notify(&[NotifyState::Reloading, now])),
            Stage::Stopping => sd_notify::notify(&[NotifyState::Stopping]),
        };
        if let Err(error) = told {
            crate::output::warn(&format!("the service manager could not be notified: {error}"));
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stage;
}
