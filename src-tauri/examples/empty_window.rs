//! A window of the same toolkit with nothing in it: the floor that the program's start and memory are measured against.
//! Refuses to do anything else.

use tauri::utils::config::Color;
use tauri::{WebviewUrl, WebviewWindowBuilder};

/// A page of one colour, which whoever measures waits for.
const PAGE: &str = "data:text/html,<body style='background:%232d6cdf'></body>";

fn main() -> tauri::Result<()> {
    tauri::Builder::default()
        .setup(|app| {
            WebviewWindowBuilder::new(app, "empty", WebviewUrl::External(PAGE.parse()?))
                .title("Empty")
                .inner_size(1_280.0, 800.0)
                .background_color(Color(255, 255, 255, 255))
                .build()?;
            Ok(())
        })
        .run(tauri::generate_context!())
}
