//! Settings, fields and buttons of the page, found by the words beside them as a person finds them.
//! Refuses what lies behind an open dialog or menu: nobody could reach it.

use fantoccini::{Locator, elements::Element};
use serde_json::json;

use crate::{
    page::{Page, bounded, keys, quoted},
    wait,
};

impl Page<'_> {
    /// Goes to a page of the settings by the palette.
    pub async fn settings(&self, name: &str) {
        self.command(&format!("Settings: {name}")).await;
        let heading = || self.script("return document.querySelector('.places [aria-current=page]')?.title");
        wait::until_equal("the page of the settings", json!(name), heading).await;
    }

    /// Presses the button, switch, box or line of a menu with this name: its words, or what a screen reader is told.
    pub async fn press(&self, name: &str) {
        let script = format!(
            "const open = [...document.querySelectorAll('[role=dialog], [role=menu]')].at(-1) ?? document;
             const names = one => [one.ariaLabel, one.innerText].map(words => (words ?? '').trim());
             const all = [...open.querySelectorAll('button:not(:disabled), [role=button]')]
               .filter(one => one.offsetParent !== null);
             const found = all.find(one => names(one).includes({0}))
               ?? all.find(one => names(one).some(words => words.startsWith({0})));
             return found ?? null;",
            json!(name)
        );
        wait::until(&format!("a button named {name:?} to press"), || async {
            let button = self.element(&script).await?;
            bounded("a click", button.click()).await.ok()
        })
        .await;
    }

    /// Writes into the field with this label, in place of what stands there, and leaves it.
    pub async fn fill(&self, label: &str, text: &str) {
        let path = format!(
            "//*[(self::input or self::textarea) and @id=//label[normalize-space()={}]/@for]",
            quoted(label)
        );
        let field = self.the_last(&path).await;
        bounded("a click", field.click()).await.unwrap_or_else(|error| panic!("{label}: {error}"));
        self.chord(keys::CONTROL, 'a').await;
        self.keys([keys::BACKSPACE]).await;
        bounded("typing", field.send_keys(text)).await.unwrap_or_else(|error| panic!("{label}: {error}"));
        self.keys([keys::TAB]).await;
    }

    /// Chooses from the list with this name.
    pub async fn pick(&self, label: &str, option: &str) {
        let list = self.the_last(&format!("//select[@aria-label={}]", quoted(label))).await;
        bounded("a choice", list.select_by_label(option))
            .await
            .unwrap_or_else(|error| panic!("{option} of {label}: {error}"));
    }

    /// What was said last holds these words: at the bottom of the window, where it stays for six seconds, or to screen
    /// readers, where it stays until the next sentence. A machine may take longer than six seconds to look.
    pub async fn says(&self, words: &str) {
        let script = "return ['snackbar', 'announcer'].map((id) => \
                      document.querySelector(`[data-testid=${id}]`)?.textContent ?? '').join('\\n')";
        wait::until(&format!("{words:?} at the bottom"), || async {
            self.script(script).await.as_str().is_some_and(|said| said.contains(words)).then_some(())
        })
        .await;
    }

    /// The one that was opened last stands last in the document.
    async fn the_last(&self, path: &str) -> Element {
        wait::until(&format!("{path} on the page"), || async {
            self.located(Locator::XPath(path)).await.pop()
        })
        .await
    }
}
