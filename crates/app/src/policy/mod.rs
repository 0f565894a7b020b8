//! How loudly what arrives is told: toasts, the badge and the tray. Refuses to talk to a desktop: it decides, ports do.

pub mod badge;
pub mod quiet;
pub mod toast;
