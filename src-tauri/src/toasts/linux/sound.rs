//! The sound of a toast: a notification daemon that can plays it, else a program of the desktop's.

use std::process::Command;
use std::time::Duration;

use tidings_ipc::Sound;
use tidings_sync::session::PLAYER;
use zbus::zvariant::Value;

use crate::umask;

/// The bound of a look at a file.
const LOOK_TIMEOUT: Duration = Duration::from_secs(1);

/// What is played of a sound: the usual one for a file that is gone or has grown too large.
pub(super) async fn playable(sound: &Sound) -> Sound {
    let Some(path) = sound.file() else { return sound.clone() };
    // The file may be at a place that does not answer, while toasts wait.
    match tokio::time::timeout(LOOK_TIMEOUT, tokio::fs::metadata(path)).await {
        Ok(Ok(file)) if file.is_file() && file.len() <= Sound::MAX_FILE_BYTES => sound.clone(),
        _ => Sound::MESSAGE,
    }
}

/// The hint for a notification daemon.
pub(super) fn hint(sound: &Sound) -> (&'static str, Value<'_>) {
    if sound.is_silent() {
        return ("suppress-sound", Value::Bool(true));
    }
    let name = if sound.file().is_some() { "sound-file" } else { "sound-name" };
    (name, Value::from(sound.as_str()))
}

/// Plays a sound without the daemon. Without the program it is silent; `tidings doctor` says so.
pub(super) fn play(sound: &Sound) {
    if sound.is_silent() {
        return;
    }
    let mut command = Command::new(PLAYER);
    command.args([if sound.file().is_some() { "-f" } else { "-i" }, sound.as_str()]);
    tokio::task::spawn_blocking(move || {
        if !umask::start_apart(&command) {
            tracing::debug!("nothing here plays sounds");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_is_played_while_it_is_there_and_small() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ding.oga");
        let sound = Sound::new(path.to_str().unwrap().to_owned());
        assert_eq!(playable(&sound).await, Sound::MESSAGE);
        std::fs::write(&path, "ding").unwrap();
        assert_eq!(playable(&sound).await, sound);
        std::fs::write(&path, vec![0; (1 << 20) + 1]).unwrap();
        assert_eq!(playable(&sound).await, Sound::MESSAGE);
        assert_eq!(playable(&Sound::WARNING).await, Sound::WARNING);
    }

    #[test]
    fn a_daemon_is_told_a_name_a_file_or_to_be_silent() {
        let file = Sound::new("/a/ding.oga".to_owned());
        assert_eq!(hint(&Sound::WARNING), ("sound-name", Value::from("dialog-warning")));
        assert_eq!(hint(&file), ("sound-file", Value::from("/a/ding.oga")));
        assert_eq!(hint(&Sound::SILENT), ("suppress-sound", Value::Bool(true)));
    }
}
