//! A window of the same toolkit with nothing in it but a colour that any key, and any line of its input, changes. It is
//! the floor that the program's start, memory, keys and rows are measured against.

use std::io::BufRead as _;

use tauri::http::Response;
use tauri::{WebviewUrl, WebviewWindowBuilder};

/// A page of one colour, for which the measuring program waits. A second key brings it back.
const PAGE: &[u8] = b"<!doctype html><html style='background:#2d6cdf'><script>
let on = true;
window.change = onkeydown = () => { on = !on; document.documentElement.style.background = on ? '#2d6cdf' : '#8a3ffc'; };
</script></html>";

fn main() -> tauri::Result<()> {
    tauri::Builder::default()
        .register_uri_scheme_protocol("empty", |_, _| {
            Response::builder().header("content-type", "text/html").body(PAGE).unwrap_or_default()
        })
        .setup(|app| {
            let window = WebviewWindowBuilder::new(
                app,
                "empty",
                WebviewUrl::CustomProtocol("empty://localhost/".parse()?),
            )
            .title("Empty")
            .inner_size(1_280.0, 800.0)
            .build()?;
            std::thread::spawn(move || {
                for _line in std::io::stdin().lock().lines().map_while(Result::ok) {
                    if window.eval("change()").is_err() {
                        return;
                    }
                }
            });
            Ok(())
        })
        .run(tauri::generate_context!())
}
