//! Tests of the sounds of toasts: which one is played, and that the page names no file but what its reader chose.

use tidings_ipc::{ChosenSound, Sound, SourceId};
use tidings_model::Lang;

use super::harness::{TestApp, open};

fn chosen(source: SourceId, origin: &str, sound: &str) -> ChosenSound {
    ChosenSound { source, origin: origin.to_owned(), sound: Sound::new(sound.to_owned()) }
}

/// Sets the sounds of sources and topics; returns those in force.
async fn set(test: &TestApp, chosen: Vec<ChosenSound>) -> Vec<ChosenSound> {
    let mut settings = test.app.settings.current_settings();
    settings.notify.sounds.chosen = chosen;
    test.app.settings.settings(&settings).await.unwrap().notify.sounds.chosen
}

#[tokio::test]
async fn a_topic_has_the_sound_that_was_chosen_and_a_file_only_from_the_desktops_dialog() {
    let test = open().running();
    let own = test.source("");
    let file = test.folder.path().join("ding.oga");
    std::fs::write(&file, "ding").unwrap();
    let path = file.to_str().unwrap();
    let sounds = || vec![chosen(own, "topic:door", path), chosen(own, "", "bell")];
    assert_eq!(set(&test, sounds()).await[0].sound, Sound::MESSAGE, "the page names no file");

    test.choose_file(&file);
    assert_eq!(test.app.settings.choose_sound().await.unwrap(), Some(Sound::new(path.to_owned())));
    assert_eq!(set(&test, sounds()).await, sounds());
    test.arrive(1, "door", "one").await;
    assert_eq!(test.last_toast().sound.as_str(), path);
    test.arrive(2, "ci", "two").await;
    assert_eq!(test.last_toast().sound.as_str(), "bell");
}

#[tokio::test]
async fn a_sound_is_a_file_that_is_not_large() {
    let test = open();
    assert_eq!(test.app.settings.choose_sound().await.unwrap(), None, "the dialog was cancelled");
    let file = test.folder.path().join("song.wav");
    std::fs::write(&file, vec![0; (1 << 20) + 1]).unwrap();
    for refused in [file.as_path(), test.folder.path()] {
        test.choose_file(refused);
        let error = test.app.settings.choose_sound().await.unwrap_err().to_ipc(Lang::En);
        assert!(error.text.contains("at most 1 MiB"), "{}", error.text);
    }
}

#[tokio::test]
async fn a_file_of_settings_has_the_sources_of_sounds_by_address() {
    let (here, there) = (open(), open());
    // At the same address it is the same source, whatever it is called.
    there.source("Other");
    let (own, work) = (here.source(""), here.source("Work"));
    assert_ne!(own, there.source(""));
    let sounds = [chosen(own, "topic:a", "bell"), chosen(work, "", ""), chosen(999, "", "bell")];
    set(&here, sounds.into()).await;
    let file = here.folder.path().join("settings.json");
    here.choose_file(&file);
    here.app.settings_transfer.export_settings().await.unwrap();
    there.choose_file(&file);
    there.app.settings_transfer.import_settings().await.unwrap();
    let sources = there.app.context.replica.sources().unwrap();
    let id = |name: &str| sources.iter().find(|source| source.name == name).unwrap().id;
    let imported = there.app.settings.current_settings().notify.sounds.chosen;
    assert_eq!(imported, [chosen(id(""), "topic:a", "bell"), chosen(id("Other"), "", "")]);
}
