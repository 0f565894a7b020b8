//! A window of the same toolkit with nothing in it but a colour that any key changes: the floor that the program's
//! start, memory and keys are measured against.

use tauri::http::Response;
use tauri::{WebviewUrl, WebviewWindowBuilder};

/// A page of one colour, which whoever measures waits for. A second key brings it back.
const PAGE: &[u8] = b"<!doctype html><html style='background:#2d6cdf'><script>
let on = true;
onkeydown = () => { on = !on; document.documentElement.style.background = on ? '#2d6cdf' : '#8a3ffc'; };
</script></html>";

fn main() -> tauri::Result<()> {
    tauri::Builder::default()
        .register_uri_scheme_protocol("empty", |_, _| {
            Response::builder().header("content-type", "text/html").body(PAGE).unwrap_or_default()
        })
        .setup(|app| {
            WebviewWindowBuilder::new(
                app,
                "empty",
                WebviewUrl::CustomProtocol("empty://localhost/".parse()?),
            )
            .title("Empty")
            .inner_size(1_280.0, 800.0)
            .build()?;
            Ok(())
        })
        .run(tauri::generate_context!())
}
