//! Forms on the page: settings, fields and buttons, found by their labels. Buttons are looked up in the topmost open
//! dialog or menu.

use fantoccini::{Locator, elements::Element};
use serde_json::json;

use crate::{
    page::{Page, bounded, keys, quoted},
    wait,
};

impl Page<'_> {
    /// Opens a page of the settings through the palette.
    pub async fn open_settings(&self, name: &str) {
        self.run_command(&format!("Settings: {name}")).await;
        let heading = || self.script("return document.querySelector('.places [aria-current=page]')?.title");
        wait::until_equal("the page of the settings", json!(name), heading).await;
    }

    /// Opens a page of the settings, and a section on it by its name in `data-section`.
    pub async fn open_section(&self, page: &str, section: &str) {
        self.open_settings(page).await;
        let button = format!("[data-section={section}] button");
        self.wait_for(&button).await;
        // A notice at the foot of the window may cover it.
        self.script(&format!(
            "document.querySelector({}).scrollIntoView({{block: 'center'}})",
            json!(button)
        ))
        .await;
        self.click(&button).await;
    }

    /// Presses the button, switch, check box or menu item with this accessible name or text.
    pub async fn press_button(&self, name: &str) {
        let script = format!(
            "const open = [...document.querySelectorAll('[role=dialog], [role=menu]')].at(-1) ?? document;
             const names = one => [one.ariaLabel, one.innerText].map(words => (words ?? '').trim());
             const all = [...open.querySelectorAll('button:not(:disabled), [role=button]')]
               .filter(one => one.offsetParent !== null);
             const found = all.find(one => names(one).includes({0}))
               ?? all.find(one => names(one).some(words => words.startsWith({0})));
             const box = found?.getBoundingClientRect();
             const at = part => document.elementFromPoint(box.x + box.width * part, box.y + box.height / 2);
             // A snackbar may cover it in part, and its edge may lie at the very spot that is clicked.
             if (found && ![0.2, 0.5, 0.8].every(part => found.contains(at(part))))
               found.scrollIntoView({{ block: 'center' }});
             return found ?? null;",
            json!(name)
        );
        wait::until(&format!("a button named {name:?} to press"), || async {
            let button = self.element(&script).await?;
            bounded("a click", button.click()).await.ok()
        })
        .await;
    }

    /// Replaces the text of the field with this label and moves the focus on.
    pub async fn fill_field(&self, label: &str, text: &str) {
        let path = format!(
            "//*[(self::input or self::textarea) and @id=//label[normalize-space()={}]/@for]",
            quoted(label)
        );
        // What opens above the form moves it while it is clicked.
        let field = wait::until(&format!("a click into {label:?}"), || async {
            let field = self.last_match(&path).await;
            bounded("a click", field.click()).await.ok().map(|()| field)
        })
        .await;
        self.press_chord(keys::CONTROL, 'a').await;
        self.press_keys([keys::BACKSPACE]).await;
        bounded("typing", field.send_keys(text)).await.unwrap_or_else(|error| panic!("{label}: {error}"));
        self.press_keys([keys::TAB]).await;
    }

    /// Selects an option of the select element with this accessible name.
    pub async fn select_option(&self, label: &str, option: &str) {
        let list = self.last_match(&format!("//select[@aria-label={}]", quoted(label))).await;
        bounded("a choice", list.select_by_label(option))
            .await
            .unwrap_or_else(|error| panic!("{option} of {label}: {error}"));
    }

    /// Waits until the snackbar or the last announcement to screen readers contains `text`. The snackbar disappears
    /// after six seconds, while the announcement stays until the next one, so a slow test still finds it.
    pub async fn wait_for_snackbar(&self, text: &str) {
        let script = "return ['snackbar', 'announcer'].map((id) => \
                      document.querySelector(`[data-testid=${id}]`)?.textContent ?? '').join('\\n')";
        wait::until(&format!("{text:?} at the bottom"), || async {
            self.script(script).await.as_str().is_some_and(|message| message.contains(text))
        })
        .await;
    }

    /// The clipboard's text, read by pasting it into the search field. It leads to the inbox.
    pub async fn clipboard(&self) -> String {
        self.type_quickly("gi").await;
        self.type_text("/").await;
        self.press_chord(keys::CONTROL, 'v').await;
        let field = "return document.activeElement.value ?? ''";
        let text = wait::until("what was copied", || async {
            self.script(field).await.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
        })
        .await;
        self.press_keys([keys::ESCAPE, keys::ESCAPE, keys::ESCAPE]).await;
        text
    }

    /// The last match in document order: the topmost dialog is the last in the document.
    async fn last_match(&self, path: &str) -> Element {
        wait::until(&format!("{path} on the page"), || async {
            self.located(Locator::XPath(path)).await.pop()
        })
        .await
    }
}
