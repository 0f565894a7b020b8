//! Tests on a virtual desktop with a WebKit window, a tray host and a notification daemon. Each test has a display, a
//! session bus and a home folder of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod sample_inbox;
mod screenshots;
mod tour;

mod inbox {
    mod conversations;
    mod files;
    mod offline;
}

mod lifecycle {
    mod degraded;
    mod first_start;
    mod long_session;
    mod quit;
}

mod notifying {
    mod gotify_tray;
    mod notify_levels;
    mod storm;
    mod toast;
    mod toast_actions;
    mod tray_icon;
}

mod settings {
    mod keyring;
    mod own_server;
    mod publishing;
    mod restore;
    mod sources;
    mod storage;
    mod topics;
}

mod window {
    mod appearance;
    mod context_menus;
    mod deep_links;
    mod focus;
    mod keyboard;
    mod views;
    mod visibility;
}
