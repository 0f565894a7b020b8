//! Makes `tidings:` links open here where nothing else takes them, by the desktop's own conventions. Refuses to take
//! them from another program, and leaves nothing behind that a package does better.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tidings_app::Home;

/// The scheme as desktops name it.
const SCHEME: &str = "x-scheme-handler/tidings";
/// The entry that this program writes. Taking it away, and its line in `mimeapps.list`, undoes all of it.
const ENTRY: &str = "org.tidings.desktop-links.desktop";

/// The folders that a desktop looks into.
struct Folders {
    /// The user's own data.
    own: PathBuf,
    /// The user's settings.
    config: PathBuf,
    /// What is installed for everybody.
    shared: Vec<PathBuf>,
}

impl Folders {
    fn of_this_desktop() -> Option<Self> {
        let home = PathBuf::from(std::env::var_os("HOME").filter(|home| !home.is_empty())?);
        let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let shared = std::env::var_os("XDG_DATA_DIRS").filter(|dirs| !dirs.is_empty());
        let shared = shared.unwrap_or_else(|| "/usr/local/share:/usr/share".into());
        Some(Self {
            own: named("XDG_DATA_HOME").unwrap_or_else(|| home.join(".local/share")),
            config: named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
            shared: std::env::split_paths(&shared).collect(),
        })
    }

    fn entry(&self) -> PathBuf {
        self.own.join("applications").join(ENTRY)
    }

    fn list(&self) -> PathBuf {
        self.config.join("mimeapps.list")
    }

    /// Whether an installed program, or one that the user chose, takes the links.
    fn are_taken(&self) -> bool {
        let lists = [self.list(), self.own.join("applications/mimeapps.list")];
        let chosen = lists.iter().any(|list| names_another(list));
        let folders = self.shared.iter().chain([&self.own]).map(|folder| folder.join("applications"));
        chosen || folders.into_iter().any(|folder| any_entry(&folder))
    }
}

/// Whether a list of defaults names another program.
fn names_another(list: &Path) -> bool {
    let text = fs::read_to_string(list).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.trim().strip_prefix(SCHEME)?.trim_start().strip_prefix('='))
        .flat_map(|programs| programs.split(';'))
        .any(|program| !program.trim().is_empty() && program.trim() != ENTRY)
}

/// Whether an entry in a folder takes the links, besides the one that is written here.
fn any_entry(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| {
        path.extension().is_some_and(|ending| ending == "desktop")
            && path.file_name().is_some_and(|name| name != ENTRY)
            && fs::read_to_string(&path).is_ok_and(|text| {
                text.lines().any(|line| line.starts_with("MimeType=") && line.contains(SCHEME))
            })
    })
}

/// Registers this program for the user where no other takes the links; takes that back where one does.
pub(crate) fn register(home: &Home) {
    let Some(folders) = Folders::of_this_desktop() else { return };
    let done = if folders.are_taken() {
        take_back(&folders)
    } else {
        std::env::current_exe().and_then(|program| write(&folders, &program, home))
    };
    match done {
        Ok(true) => refresh(&folders.own.join("applications")),
        Ok(false) => {}
        Err(error) => tracing::debug!(%error, "links do not open here by themselves"),
    }
}

/// Writes entry and default, as far as they are not there. Whether anything changed.
fn write(folders: &Folders, program: &Path, home: &Home) -> io::Result<bool> {
    let text = entry(program, std::env::var_os(tidings_app::home::VARIABLE).map(|_| home.dir()));
    let place = folders.entry();
    let mut changed = false;
    if fs::read_to_string(&place).ok().as_deref() != Some(text.as_str()) {
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&place, text)?;
        changed = true;
    }
    let list = fs::read_to_string(folders.list()).unwrap_or_default();
    if let Some(list) = with_default(&list) {
        fs::create_dir_all(&folders.config)?;
        fs::write(folders.list(), list)?;
        changed = true;
    }
    Ok(changed)
}

fn take_back(folders: &Folders) -> io::Result<bool> {
    if !folders.entry().exists() {
        return Ok(false);
    }
    fs::remove_file(folders.entry())?;
    if let Ok(list) = fs::read_to_string(folders.list()) {
        let ours = format!("{SCHEME}={ENTRY}");
        let rest: Vec<&str> = list.lines().filter(|line| line.trim_end_matches(';') != ours).collect();
        fs::write(folders.list(), rest.join("\n") + "\n")?;
    }
    Ok(true)
}

/// The list with this program as the default; none where it is there.
fn with_default(list: &str) -> Option<String> {
    const GROUP: &str = "[Default Applications]";
    if list.lines().any(|line| line.trim().starts_with(&format!("{SCHEME}="))) {
        return None;
    }
    let line = format!("{SCHEME}={ENTRY}");
    if let Some(at) = list.find(GROUP) {
        let (before, after) = list.split_at(at + GROUP.len());
        return Some(format!("{before}\n{line}{after}"));
    }
    let gap = if list.is_empty() || list.ends_with('\n') { "" } else { "\n" };
    Some(format!("{list}{gap}{GROUP}\n{line}\n"))
}

fn entry(program: &Path, data: Option<&Path>) -> String {
    let program = quoted(&program.to_string_lossy());
    // A folder of its own stays the folder that is meant.
    let exec = match data {
        Some(data) => {
            let variable = quoted(&format!("{}={}", tidings_app::home::VARIABLE, data.display()));
            format!("env {variable} {program} %u")
        }
        None => format!("{program} %u"),
    };
    format!(
        "[Desktop Entry]\nType=Application\nName=Tidings\nComment=Opens tidings: links\nExec={exec}\n\
         NoDisplay=true\nTerminal=false\nStartupNotify=true\nMimeType={SCHEME};\n"
    )
}

/// An argument of `Exec`, as the specification quotes it.
fn quoted(text: &str) -> String {
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

/// Tells desktops that keep an index; those that do not read the folder.
fn refresh(applications: &Path) {
    let mut command = Command::new("update-desktop-database");
    command.arg("-q").arg(applications).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Ok(mut child) = command.spawn() {
        let _ = child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(at: &Path) -> Folders {
        Folders { own: at.join("data"), config: at.join("config"), shared: vec![at.join("shared")] }
    }

    #[test]
    fn links_open_here_until_a_package_takes_them() {
        let at = tempfile_dir();
        let folders = folders(at.path());
        let home = Home::at(at.path().join("home"));
        assert!(!folders.are_taken());
        assert!(write(&folders, Path::new("/opt/my tidings/x"), &home).unwrap());
        assert!(!write(&folders, Path::new("/opt/my tidings/x"), &home).unwrap(), "once is enough");
        let text = fs::read_to_string(folders.entry()).unwrap();
        assert!(text.contains("\"/opt/my tidings/x\" %u"), "{text}");
        assert!(fs::read_to_string(folders.list()).unwrap().contains(&format!("{SCHEME}={ENTRY}")));
        assert!(!folders.are_taken(), "its own entry is no other program");

        let shared = at.path().join("shared/applications");
        fs::create_dir_all(&shared).unwrap();
        fs::write(shared.join("Tidings.desktop"), format!("[Desktop Entry]\nMimeType={SCHEME};\n")).unwrap();
        assert!(folders.are_taken());
        assert!(take_back(&folders).unwrap());
        assert!(!folders.entry().exists());
        assert!(!fs::read_to_string(folders.list()).unwrap().contains(SCHEME));
    }

    #[test]
    fn what_the_user_chose_stays() {
        let list = format!("[Default Applications]\n{SCHEME}=other.desktop\n");
        assert_eq!(with_default(&list), None);
        let list = "[Added Associations]\na=b\n[Default Applications]\nc=d\n";
        let with = with_default(list).unwrap();
        assert!(with.contains(&format!("[Default Applications]\n{SCHEME}={ENTRY}\nc=d")), "{with}");
    }

    fn tempfile_dir() -> TempFolder {
        let path = std::env::temp_dir().join(format!("tidings-links-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        TempFolder(path)
    }

    struct TempFolder(PathBuf);

    impl TempFolder {
        fn path(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for TempFolder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}
