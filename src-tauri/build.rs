//! Prepares what the desktop program embeds: the page's permissions and the tray's pictures as plain pixels. A picture
//! that is missing ends the build.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The command that the page may invoke; `capabilities/main.json` grants it by name.
const COMMANDS: &[&str] = &["call"];

const PICTURES: [&str; 12] = ["none", "dot", "1", "2", "3", "4", "5", "6", "7", "8", "9", "9plus"];
const SIZES: [u32; 4] = [22, 24, 32, 48];

fn main() {
    pack_relocations();
    let manifest = tauri_build::AppManifest::new().commands(COMMANDS);
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new().app_manifest(manifest)) {
        println!("cargo::error={error:#}");
        return;
    }
    if let Err(error) = tray_pictures() {
        println!("cargo::error=the tray's pictures: {error}");
    }
}

/// Links the program with packed relocations, as that of `crates/cli`.
fn pack_relocations() {
    let target = |name: &str| env::var(name).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// `icons/tray/light` (white, for dark panels) as RGBA bytes, and a table of them.
fn tray_pictures() -> Result<(), Box<dyn std::error::Error>> {
    let from = Path::new("../icons/tray/light");
    println!("cargo::rerun-if-changed={}", from.display());
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let mut table = String::from("pub(crate) static PICTURES: &[(&str, u32, &[u8])] = &[\n");
    for name in PICTURES {
        for size in SIZES {
            let file = from.join(size.to_string()).join(format!("{name}.png"));
            let pixels = rgba(&file, size).map_err(|error| format!("{}: {error}", file.display()))?;
            let raw = format!("{name}-{size}.rgba");
            fs::write(out.join(&raw), pixels)?;
            writeln!(
                table,
                "    (\"{name}\", {size}, include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{raw}\"))),"
            )?;
        }
    }
    table.push_str("];\n");
    Ok(fs::write(out.join("pictures.rs"), table)?)
}

fn rgba(file: &Path, size: u32) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(file)?)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().ok_or("too large")?];
    let frame = reader.next_frame(&mut pixels)?;
    let fits = (frame.width, frame.height) == (size, size)
        && (frame.color_type, frame.bit_depth) == (png::ColorType::Rgba, png::BitDepth::Eight);
    if !fits {
        return Err("it is not a square of 8-bit RGBA in its size".into());
    }
    pixels.truncate(frame.buffer_size());
    Ok(pixels)
}
