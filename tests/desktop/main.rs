//! Stories on a real desktop: a WebKit window, a tray host, a notification daemon.
//! Refuses to share anything between two tests: each has its own display, bus and home.
