//! `completions` and `man`: what `--help` says, for shells and as manual pages.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};
use clap_mangen::{Man as Page, generate_to};
use serde_json::json;

use crate::args::{Cli, CompletedShell, Man};
use crate::error::{Error, Result};
use crate::output::Output;

/// Runs `tidings completions`.
pub(crate) fn completions(shell: CompletedShell) -> Result<()> {
    let mut script = Vec::new();
    generate(Shell::from(shell), &mut Cli::command(), "tidings", &mut script);
    print(&script)
}

/// Runs `tidings man`.
pub(crate) fn man(args: Man, out: Output) -> Result<()> {
    let Some(folder) = args.to else {
        let mut page = Vec::new();
        Page::new(Cli::command()).render(&mut page)?;
        return print(&page);
    };
    write_pages(&folder)
        .map_err(|error| Error::failed(format!("pages can't be written to {}: {error}", folder.display())))?;
    out.print(&json!({ "folder": folder }), |to| writeln!(to, "wrote the pages to {}", folder.display()))
}

fn write_pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    generate_to(Cli::command(), folder)
}

fn print(text: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text)?;
    Ok(out.flush()?)
}
