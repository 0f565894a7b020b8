//! Autostart without a window: an entry in the XDG autostart folder on Linux, the toolkit's plugin elsewhere. In a sandbox
//! the desktop's portal is asked as well.

#[cfg(target_os = "linux")]
mod portal;

#[cfg(target_os = "linux")]
pub(crate) use self::linux::SystemAutostart;
#[cfg(not(target_os = "linux"))]
pub(crate) use self::other::SystemAutostart;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use async_trait::async_trait;
    use tidings_home::user_file::{self, Access};
    use tidings_ports::Autostart;

    use super::portal;
    use crate::key_file::KeyFile;
    use crate::links::quoted;

    const GROUP: &str = "Desktop Entry";
    /// The largest file that is read as an entry, in bytes.
    const MAX_ENTRY_BYTES: u64 = 1 << 20;

    /// Autostart by an entry in the desktop's autostart folder (XDG autostart specification).
    pub(crate) struct SystemAutostart;

    #[async_trait]
    impl Autostart for SystemAutostart {
        fn is_on(&self) -> Option<bool> {
            is_on(&entry_path()?).ok()
        }

        async fn set(&self, on: bool) -> Option<bool> {
            let path = entry_path()?;
            if let Err(error) = switch(&path, on).await {
                tracing::warn!(%error, "autostart could not be changed");
            }
            is_on(&path).ok()
        }
    }

    /// The desktop does not see the entry of a sandbox, which then only keeps what the portal has granted: a portal can't be
    /// asked for that.
    async fn switch(path: &Path, on: bool) -> io::Result<()> {
        let granted = if portal::is_needed() { portal::ask(on).await.map_err(io::Error::other)? } else { on };
        set(path, &program()?, granted)
    }

    fn entry_path() -> Option<PathBuf> {
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

    fn read(path: &Path) -> io::Result<Option<KeyFile>> {
        let Some(bytes) = user_file::read(path, MAX_ENTRY_BYTES)? else { return Ok(None) };
        let file = KeyFile::parse(&bytes);
        file.map(Some).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "it is no desktop entry"))
    }

    /// Whether the entry exists, and is neither hidden nor disabled.
    fn is_on(path: &Path) -> io::Result<bool> {
        Ok(read(path)?.is_some_and(|entry| !has_value(&entry, "Hidden", b"true") && !is_disabled(&entry)))
    }

    fn is_disabled(entry: &KeyFile) -> bool {
        has_value(entry, "X-GNOME-Autostart-enabled", b"false")
    }

    fn has_value(entry: &KeyFile, key: &str, value: &[u8]) -> bool {
        entry.values(Some(GROUP), key).next().is_some_and(|found| found.trim_ascii() == value)
    }

    /// Switches the entry. One that the user or the desktop changed keeps everything but the lines that switch it and
    /// the path of the program.
    fn set(path: &Path, program: &Path, on: bool) -> io::Result<()> {
        match (read(path)?, on) {
            (None, true) => {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                user_file::write_bytes(path, Access::Default, entry(program).as_bytes())
            }
            (None, false) => Ok(()),
            (Some(existing), false) if existing.to_bytes() == entry(program).as_bytes() => {
                fs::remove_file(path)
            }
            (Some(mut existing), false) => {
                existing.set(GROUP, "Hidden", "true");
                user_file::write_bytes(path, Access::Default, &existing.to_bytes())
            }
            (Some(mut existing), true) => {
                let before = existing.clone();
                if has_value(&existing, "Hidden", b"true") {
                    existing.set(GROUP, "Hidden", "false");
                }
                if is_disabled(&existing) {
                    existing.set(GROUP, "X-GNOME-Autostart-enabled", "true");
                }
                existing.set(GROUP, "Exec", &exec(program));
                if existing == before {
                    return Ok(());
                }
                user_file::write_bytes(path, Access::Default, &existing.to_bytes())
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn the_entry_for_autostart_comes_and_goes_and_what_its_user_wrote_stays() {
            let at = tempfile::tempdir().unwrap();
            let path = at.path().join("autostart/Tidings.desktop");
            let program = Path::new("/opt/my tidings/x");
            assert!(!is_on(&path).unwrap());
            set(&path, program, true).unwrap();
            assert!(is_on(&path).unwrap());
            assert!(fs::read_to_string(&path).unwrap().contains("Exec=\"/opt/my tidings/x\" --background\n"));
            set(&path, program, false).unwrap();
            assert!(!path.exists(), "what nobody changed is taken away");

            let own = b"# mine \xff\n[Desktop Entry]\nName[zh_CN]=\xe9\nExec=/old/x --background\nHidden=true\n[X]\na=b";
            fs::write(&path, own).unwrap();
            assert!(!is_on(&path).unwrap(), "the desktop's settings switched it off");
            set(&path, program, true).unwrap();
            assert!(is_on(&path).unwrap());
            set(&path, program, false).unwrap();
            assert!(!is_on(&path).unwrap());
            let after = b"# mine \xff\n[Desktop Entry]\nName[zh_CN]=\xe9\nExec=\"/opt/my tidings/x\" --background\nHidden=true\n[X]\na=b";
            assert_eq!(fs::read(&path).unwrap(), after);
        }

        #[test]
        fn what_is_no_entry_is_left_alone() {
            let at = tempfile::tempdir().unwrap();
            let path = at.path().join("Tidings.desktop");
            for bytes in [&b"\xff\xfe[\0"[..], b"#!/bin/sh\nexec tidings\n"] {
                fs::write(&path, bytes).unwrap();
                for on in [true, false] {
                    set(&path, Path::new("/opt/x"), on).unwrap_err();
                }
                assert_eq!(fs::read(&path).unwrap(), bytes);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use async_trait::async_trait;
    use tauri::AppHandle;
    use tauri_plugin_autostart::ManagerExt as _;
    use tidings_ports::Autostart;

    /// Autostart by the toolkit's plugin.
    pub(crate) struct SystemAutostart(pub(crate) AppHandle);

    #[async_trait]
    impl Autostart for SystemAutostart {
        fn is_on(&self) -> Option<bool> {
            self.0.autolaunch().is_enabled().ok()
        }

        async fn set(&self, on: bool) -> Option<bool> {
            let launcher = self.0.autolaunch();
            let result = if on { launcher.enable() } else { launcher.disable() };
            if let Err(error) = result {
                tracing::warn!(%error, "autostart could not be changed");
            }
            launcher.is_enabled().ok()
        }
    }
}
