//! Autostart without a window: an entry in the XDG autostart folder on Linux, the toolkit's plugin elsewhere.

#[cfg(target_os = "linux")]
pub(crate) use self::linux::SystemAutostart;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::other::SystemAutostart;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use tidings_app::ports::Autostart;
    use tidings_app::user_file::{self, Access};

    use crate::key_file::KeyFile;
    use crate::links::quoted;

    const GROUP: &str = "Desktop Entry";
    /// The largest file that is read as an entry, in bytes.
    const LARGEST: u64 = 1 << 20;

    /// Autostart by an entry in the desktop's autostart folder (XDG autostart specification).
    pub(crate) struct SystemAutostart;

    impl Autostart for SystemAutostart {
        fn is_on(&self) -> Option<bool> {
            is_on(&place()?).ok()
        }

        fn set(&self, on: bool) -> Option<bool> {
            let place = place()?;
            let done = program().and_then(|program| set(&place, &program, on));
            if let Err(error) = done {
                tracing::warn!(%error, "autostart could not be changed");
            }
            is_on(&place).ok()
        }
    }

    fn place() -> Option<PathBuf> {
        let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || std::env::var_os("HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let config = named.or_else(|| Some(home()?.join(".config")))?;
        Some(config.join("autostart").join("Tidings.desktop"))
    }

    /// The path to start: the `AppImage` if the program runs from one, else the executable.
    fn program() -> io::Result<PathBuf> {
        std::env::var_os("APPIMAGE").map_or_else(std::env::current_exe, |image| Ok(image.into()))
    }

    fn exec(program: &Path) -> String {
        format!("{} --background", quoted(&program.to_string_lossy()))
    }

    fn entry(program: &Path) -> String {
        format!(
            "[{GROUP}]\nType=Application\nVersion=1.0\nName=Tidings\nExec={}\nStartupNotify=false\nTerminal=false\n",
            exec(program)
        )
    }

    fn read(place: &Path) -> io::Result<Option<KeyFile>> {
        let Some(bytes) = user_file::read(place, LARGEST)? else { return Ok(None) };
        let file = KeyFile::read(&bytes);
        file.map(Some).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is no desktop entry"))
    }

    /// Whether the entry exists, and is neither hidden nor disabled.
    fn is_on(place: &Path) -> io::Result<bool> {
        Ok(read(place)?.is_some_and(|entry| !says(&entry, "Hidden", b"true") && !switched_off(&entry)))
    }

    fn switched_off(entry: &KeyFile) -> bool {
        says(entry, "X-GNOME-Autostart-enabled", b"false")
    }

    fn says(entry: &KeyFile, key: &str, value: &[u8]) -> bool {
        entry.values(Some(GROUP), key).next().is_some_and(|said| said.trim_ascii() == value)
    }

    /// Switches the entry. One that the user or the desktop changed keeps everything but the lines that switch it and
    /// the path of the program.
    fn set(place: &Path, program: &Path, on: bool) -> io::Result<()> {
        match (read(place)?, on) {
            (None, true) => {
                if let Some(folder) = place.parent() {
                    fs::create_dir_all(folder)?;
                }
                user_file::put(place, Access::Default, entry(program).as_bytes())
            }
            (None, false) => Ok(()),
            (Some(here), false) if here.to_bytes() == entry(program).as_bytes() => fs::remove_file(place),
            (Some(mut here), false) => {
                here.set(GROUP, "Hidden", "true");
                user_file::put(place, Access::Default, &here.to_bytes())
            }
            (Some(mut here), true) => {
                let before = here.clone();
                if says(&here, "Hidden", b"true") {
                    here.set(GROUP, "Hidden", "false");
                }
                if switched_off(&here) {
                    here.set(GROUP, "X-GNOME-Autostart-enabled", "true");
                }
                here.set(GROUP, "Exec", &exec(program));
                if here == before {
                    return Ok(());
                }
                user_file::put(place, Access::Default, &here.to_bytes())
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_entry_for_autostart_comes_and_goes_and_what_its_user_wrote_stays() {
            let at = tempfile::tempdir().unwrap();
            let place = at.path().join("autostart/Tidings.desktop");
            let program = Path::new("/opt/my tidings/x");
            assert!(!is_on(&place).unwrap());
            set(&place, program, true).unwrap();
            assert!(is_on(&place).unwrap());
            assert!(
                fs::read_to_string(&place).unwrap().contains("Exec=\"/opt/my tidings/x\" --background\n")
            );
            set(&place, program, false).unwrap();
            assert!(!place.exists(), "what nobody changed is taken away");

            let own = b"# mine \xff\n[Desktop Entry]\nName[zh_CN]=\xe9\nExec=/old/x --background\nHidden=true\n[X]\na=b";
            fs::write(&place, own).unwrap();
            assert!(!is_on(&place).unwrap(), "the desktop's settings switched it off");
            set(&place, program, true).unwrap();
            assert!(is_on(&place).unwrap());
            set(&place, program, false).unwrap();
            assert!(!is_on(&place).unwrap());
            let after = b"# mine \xff\n[Desktop Entry]\nName[zh_CN]=\xe9\nExec=\"/opt/my tidings/x\" --background\nHidden=true\n[X]\na=b";
            assert_eq!(fs::read(&place).unwrap(), after);
        }

        #[test]
        fn what_is_no_entry_is_left_alone() {
            let at = tempfile::tempdir().unwrap();
            let place = at.path().join("Tidings.desktop");
            for bytes in [&b"\xff\xfe[\0"[..], b"#!/bin/sh\nexec tidings\n"] {
                fs::write(&place, bytes).unwrap();
                for on in [true, false] {
                    set(&place, Path::new("/opt/x"), on).unwrap_err();
                }
                assert_eq!(fs::read(&place).unwrap(), bytes);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use tauri::AppHandle;
    use tauri_plugin_autostart::ManagerExt as _;
    use tidings_app::ports::Autostart;

    /// Autostart by the toolkit's plugin.
    pub(crate) struct SystemAutostart(pub(crate) AppHandle);

    impl Autostart for SystemAutostart {
        fn is_on(&self) -> Option<bool> {
            self.0.autolaunch().is_enabled().ok()
        }

        fn set(&self, on: bool) -> Option<bool> {
            let launcher = self.0.autolaunch();
            let done = if on { launcher.enable() } else { launcher.disable() };
            if let Err(error) = done {
                tracing::warn!(%error, "autostart could not be changed");
            }
            launcher.is_enabled().ok()
        }
    }
}
