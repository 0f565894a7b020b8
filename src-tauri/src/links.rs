//! Registers this program for `tidings:` links by the XDG conventions, if no other program handles them, and withdraws
//! the registration if one does.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tidings_home::Home;
use tidings_home::user_file::{self, Access};

use crate::key_file::KeyFile;

/// The scheme as a MIME type of desktop entries.
const SCHEME: &str = "x-scheme-handler/tidings";
/// The name of the desktop entry that is written. Removing it, and its line in `mimeapps.list`, undoes the
/// registration.
const ENTRY: &str = "org.tidings.desktop-links.desktop";

/// The largest file that is read as a list or an entry, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The XDG folders.
struct Folders {
    /// The user's data folder.
    data: PathBuf,
    /// The user's configuration folder.
    config: PathBuf,
    /// The system's data folders.
    shared: Vec<PathBuf>,
}

impl Folders {
    fn of_this_desktop() -> Option<Self> {
        let home = PathBuf::from(std::env::var_os("HOME").filter(|home| !home.is_empty())?);
        let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let shared = std::env::var_os("XDG_DATA_DIRS").filter(|dirs| !dirs.is_empty());
        let shared = shared.unwrap_or_else(|| "/usr/local/share:/usr/share".into());
        Some(Self {
            data: named("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")),
            config: named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            shared: std::env::split_paths(&shared).collect(),
        })
    }

    fn entry(&self) -> PathBuf {
        self.data.join("applications").join(ENTRY)
    }

    fn list(&self) -> PathBuf {
        self.config.join("mimeapps.list")
    }

    /// Whether an installed program, or one that the user chose, handles the links.
    fn has_other_handler(&self) -> io::Result<bool> {
        for list in [self.list(), self.data.join("applications/mimeapps.list")] {
            if names_other_program(&read_list(&list)?) {
                return Ok(true);
            }
        }
        let mut folders = self.shared.iter().chain([&self.data]).map(|folder| folder.join("applications"));
        Ok(folders.any(|folder| has_other_entry(&folder)))
    }
}

/// Whether a `mimeapps.list` names another program.
fn names_other_program(list: &KeyFile) -> bool {
    let programs = |value: &[u8]| {
        value.split(|byte| *byte == b';').any(|program| {
            let program = program.trim_ascii();
            !program.is_empty() && program != ENTRY.as_bytes()
        })
    };
    list.values(None, SCHEME).any(programs)
}

/// Reads a `mimeapps.list`; empty if there is none.
fn read_list(list: &Path) -> io::Result<KeyFile> {
    let bytes = user_file::read(list, MAX_FILE_BYTES)?.unwrap_or_default();
    KeyFile::parse(&bytes)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is no list of defaults"))
}

/// Whether a desktop entry in a folder handles the links, other than the one written here.
fn has_other_entry(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        path.extension().is_some_and(|extension| extension == "desktop")
            && path.file_name().is_some_and(|name| name != ENTRY)
            && handles_links(&path)
    })
}

fn handles_links(entry: &Path) -> bool {
    let bytes = user_file::read(entry, MAX_FILE_BYTES).ok().flatten().unwrap_or_default();
    let Some(entry) = KeyFile::parse(&bytes) else { return false };
    let types = |value: &[u8]| {
        value.split(|byte| *byte == b';').any(|mime_type| mime_type.trim_ascii() == SCHEME.as_bytes())
    };
    entry.values(Some("Desktop Entry"), "MimeType").any(types)
}

/// Registers this program for the user if no other handles the links; else withdraws the registration.
pub(crate) fn register(home: &Home) {
    let Some(folders) = Folders::of_this_desktop() else { return };
    // If a list cannot be read, the user's choice is unknown, so nothing is changed.
    let done = folders.has_other_handler().and_then(|has_other| {
        if has_other { unregister(&folders) } else { write(&folders, &std::env::current_exe()?, home) }
    });
    match done {
        Ok(true) => refresh(&folders.data.join("applications")),
        Ok(false) => {}
        Err(error) => tracing::debug!(%error, "this program could not be registered for links"),
    }
}

/// Writes the entry and the default as far as they are missing. Returns whether anything changed.
fn write(folders: &Folders, program: &Path, home: &Home) -> io::Result<bool> {
    // Read first: if the list cannot be read, no entry is written either, since nothing would name it.
    let list = read_list(&folders.list())?;
    let text = entry(program, std::env::var_os(tidings_home::DATA_DIR_VARIABLE).map(|_| home.dir()));
    let path = folders.entry();
    let mut changed = false;
    if user_file::read(&path, MAX_FILE_BYTES)?.as_deref() != Some(text.as_bytes()) {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        user_file::write_bytes(&path, Access::Default, text.as_bytes())?;
        changed = true;
    }
    if let Some(list) = with_default(list) {
        fs::create_dir_all(&folders.config)?;
        user_file::write_bytes(&folders.list(), Access::Default, &list.to_bytes())?;
        changed = true;
    }
    Ok(changed)
}

fn unregister(folders: &Folders) -> io::Result<bool> {
    if !folders.entry().exists() {
        return Ok(false);
    }
    fs::remove_file(folders.entry())?;
    if let Ok(mut list) = read_list(&folders.list())
        && list.remove_from_lists(SCHEME, ENTRY)
    {
        user_file::write_bytes(&folders.list(), Access::Default, &list.to_bytes())?;
    }
    Ok(true)
}

/// The list with this program as the default; `None` if it names a program for the links already.
fn with_default(mut list: KeyFile) -> Option<KeyFile> {
    if list.values(None, SCHEME).next().is_some() {
        return None;
    }
    list.set("Default Applications", SCHEME, ENTRY);
    Some(list)
}

fn entry(program: &Path, data: Option<&Path>) -> String {
    let program = quoted(&program.to_string_lossy());
    // A data folder set by the environment variable is set for the started program too.
    let exec = match data {
        Some(data) => {
            let variable = quoted(&format!("{}={}", tidings_home::DATA_DIR_VARIABLE, data.display()));
            format!("env {variable} {program} %u")
        }
        None => format!("{program} %u"),
    };
    format!(
        "[Desktop Entry]\nType=Application\nName=Tidings\nComment=Opens tidings: links\nExec={exec}\n\
         NoDisplay=true\nTerminal=false\nStartupNotify=true\nMimeType={SCHEME};\n"
    )
}

/// Quotes an argument of `Exec`, by the desktop entry specification.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '`' | '$' => out.extend(['\\', '\\', c]),
            '\\' => out.push_str("\\\\\\\\"),
            '%' => out.push_str("%%"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Updates the index of desktop entries, for desktops that keep one.
fn refresh(applications: &Path) {
    let mut command = Command::new("update-desktop-database");
    command.arg("-q").arg(applications).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        let _ = child.wait();
    }
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
