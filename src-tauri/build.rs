//! Prepares what the desktop program embeds. Refuses to guess: a missing picture ends the build.

fn main() {
    tauri_build::build();
}
