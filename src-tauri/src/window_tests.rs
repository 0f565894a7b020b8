//! Tests of the pages that the window may show.

use super::*;

#[test]
fn the_window_never_leaves_the_page() {
    assert!(is_own_page(&"tauri://localhost/index.html".parse().unwrap()));
    for other in [
        "https://example.org/",
        "file:///etc/passwd",
        "tauri://elsewhere/",
        "data:text/html,x",
        "about:srcdoc",
    ] {
        assert!(!is_own_page(&other.parse().unwrap()), "{other}");
    }
}
