//! The tray icon as its host receives it over D-Bus: picture, tooltip and menu.

use std::{collections::HashMap, fs, path::PathBuf, sync::LazyLock};

use serde::{Deserialize, Serialize};
use zbus::{
    Connection, Proxy,
    zvariant::{OwnedObjectPath, OwnedValue, Type, Value},
};

use crate::{desktop::Desktop, program::root, wait};

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";

/// An entry of the tray menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The entry's id in the menu.
    pub id: i32,
    /// The entry's label without mnemonics.
    pub label: String,
    /// Whether the entry can be chosen.
    pub enabled: bool,
    /// The entries of its submenu.
    pub children: Vec<Entry>,
}

#[derive(Debug, Deserialize, Serialize, Type)]
struct Layout {
    id: i32,
    properties: HashMap<String, OwnedValue>,
    children: Vec<OwnedValue>,
}

/// The tray item of a running app.
#[derive(Debug)]
pub struct Tray {
    bus: Connection,
    service: String,
    path: String,
}

impl Tray {
    /// Waits until the app's item is registered with the tray host.
    pub async fn find(desktop: &Desktop) -> Self {
        let bus = desktop.bus().await;
        let item = wait::until("the tray item", || async { items(&bus).await.into_iter().next() }).await;
        let (service, path) = match item.find('/') {
            Some(at) => (item[..at].to_owned(), item[at..].to_owned()),
            None => (item, "/StatusNotifierItem".to_owned()),
        };
        Self { bus, service, path }
    }

    /// The number of items in the tray; 0 without a host.
    pub async fn count(desktop: &Desktop) -> usize {
        items(&desktop.bus().await).await.len()
    }

    async fn properties(&self) -> HashMap<String, OwnedValue> {
        let proxy = Proxy::new(&self.bus, &*self.service, &*self.path, "org.freedesktop.DBus.Properties")
            .await
            .expect("a proxy of the item");
        proxy.call("GetAll", &(ITEM,)).await.expect("the item tells its properties")
    }

    /// The tooltip: title and text in one line.
    pub async fn tooltip(&self) -> String {
        type Tip = (String, Vec<(i32, i32, Vec<u8>)>, String, String);
        let properties = self.properties().await;
        let tip = properties.get("ToolTip").expect("a tooltip").clone();
        let (_, _, title, text) = Tip::try_from(tip).expect("a tooltip has four parts");
        format!("{title} {text}").trim().to_owned()
    }

    /// The item's title.
    pub async fn title(&self) -> String {
        let title = self.properties().await.get("Title").cloned();
        title.and_then(|title| String::try_from(title).ok()).unwrap_or_default()
    }

    /// The name of the drawn glyph that the item shows: `none`, `dot`, `1`…`9`, `9plus`. For an unknown picture it is
    /// `unknown` with the picture's sizes.
    pub async fn glyph(&self) -> String {
        type Pixmaps = Vec<(i32, i32, Vec<u8>)>;
        let properties = self.properties().await;
        let pixmaps = properties.get("IconPixmap").expect("a picture").clone();
        let pixmaps = Pixmaps::try_from(pixmaps).expect("pictures of width, height and ARGB bytes");
        let found = pixmaps.iter().find_map(|(width, _, argb)| {
            let alpha: Vec<u8> = argb.chunks(4).map(|pixel| pixel[0]).collect();
            GLYPHS.iter().find(|glyph| glyph.width == *width && glyph.alpha == alpha)
        });
        match found {
            Some(glyph) => glyph.name.clone(),
            None => format!("unknown {:?}", pixmaps.iter().map(|(w, h, _)| (*w, *h)).collect::<Vec<_>>()),
        }
    }

    /// Waits until the icon shows the glyph of this name.
    pub async fn wait_for_number(&self, glyph: &str) {
        wait::until_equal("the tray's glyph", glyph.to_owned(), || self.glyph()).await;
    }

    /// Left-clicks the icon.
    pub async fn click(&self) {
        let proxy =
            Proxy::new(&self.bus, &*self.service, &*self.path, ITEM).await.expect("a proxy of the item");
        proxy.call::<_, _, ()>("Activate", &(20_i32, 16_i32)).await.expect("the item takes a left click");
    }

    async fn menu_proxy(&self) -> Proxy<'static> {
        let path = self.properties().await.get("Menu").expect("a menu").clone();
        let path = OwnedObjectPath::try_from(path).expect("the menu is a path");
        Proxy::new(&self.bus, self.service.clone(), path, "com.canonical.dbusmenu")
            .await
            .expect("a proxy of the menu")
    }

    /// The current menu without separators.
    pub async fn menu(&self) -> Vec<Entry> {
        let proxy = self.menu_proxy().await;
        let _: Result<bool, _> = proxy.call("AboutToShow", &(0_i32,)).await;
        let (_, layout): (u32, Layout) = proxy
            .call("GetLayout", &(0_i32, -1_i32, Vec::<String>::new()))
            .await
            .expect("the menu tells its layout");
        entries(&layout)
    }

    /// Chooses the entry whose label begins with `label`, at any depth.
    pub async fn choose(&self, label: &str) {
        wait::until(&format!("{label:?} in the tray's menu to be chosen"), || async {
            let menu = self.menu().await;
            let entry = find(&menu, label).unwrap_or_else(|| panic!("no {label:?} in {menu:#?}"));
            assert!(entry.enabled, "{label:?} cannot be chosen now");
            let proxy = self.menu_proxy().await;
            let click = &(entry.id, "clicked", Value::from(0_i32), 0_u32);
            match proxy.call::<_, _, ()>("Event", click).await {
                // A program that quits may be gone before it answers.
                Err(zbus::Error::MethodError(name, ..)) if name == "org.freedesktop.DBus.Error.NoReply" => {}
                // The menu has changed since it was read, which gives its entries other ids.
                Err(zbus::Error::MethodError(name, ..))
                    if name == "org.freedesktop.DBus.Error.InvalidArgs" =>
                {
                    return false;
                }
                answer => answer.expect("the menu takes a click"),
            }
            true
        })
        .await;
    }
}

fn find<'a>(menu: &'a [Entry], label: &str) -> Option<&'a Entry> {
    menu.iter().find_map(|entry| {
        if entry.label.starts_with(label) { Some(entry) } else { find(&entry.children, label) }
    })
}

fn entries(layout: &Layout) -> Vec<Entry> {
    let children = layout.children.iter().filter_map(|child| {
        let child = Layout::deserialize_value(child)?;
        let text = |key: &str| {
            let value = child.properties.get(key)?.clone();
            String::try_from(value).ok()
        };
        if text("type").as_deref() == Some("separator") {
            return None;
        }
        let enabled = child.properties.get("enabled").and_then(|value| bool::try_from(value.clone()).ok());
        Some(Entry {
            id: child.id,
            label: text("label").unwrap_or_default().replace('_', ""),
            enabled: enabled.unwrap_or(true),
            children: entries(&child),
        })
    });
    children.collect()
}

impl Layout {
    fn deserialize_value(value: &OwnedValue) -> Option<Self> {
        type Raw = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);
        let (id, properties, children) = Raw::try_from(value.clone()).ok()?;
        Some(Self { id, properties, children })
    }
}

async fn items(bus: &Connection) -> Vec<String> {
    let Ok(proxy) =
        Proxy::new(bus, WATCHER, "/StatusNotifierWatcher", "org.freedesktop.DBus.Properties").await
    else {
        return Vec::new();
    };
    let value: Result<OwnedValue, _> = proxy.call("Get", &(WATCHER, "RegisteredStatusNotifierItems")).await;
    value.ok().and_then(|value| Vec::<String>::try_from(value).ok()).unwrap_or_default()
}

struct Glyph {
    name: String,
    width: i32,
    alpha: Vec<u8>,
}

/// All drawn glyphs, read once: the icon is looked at again and again.
static GLYPHS: LazyLock<Vec<Glyph>> = LazyLock::new(glyphs);

/// The shapes of all drawn glyphs. The colour depends on the panel and is not compared.
fn glyphs() -> Vec<Glyph> {
    let mut glyphs = Vec::new();
    for size in ["22", "24", "32", "48"] {
        let folder: PathBuf = root().join("icons/tray/light").join(size);
        for file in fs::read_dir(&folder).expect("icons/tray is committed").flatten() {
            let png = fs::File::open(file.path()).expect("a glyph");
            let mut reader = png::Decoder::new(std::io::BufReader::new(png)).read_info().expect("a PNG");
            let mut rgba = vec![0; reader.output_buffer_size().expect("a small picture")];
            reader.next_frame(&mut rgba).expect("a whole PNG");
            glyphs.push(Glyph {
                name: file.path().file_stem().expect("a name").to_string_lossy().into_owned(),
                width: i32::try_from(reader.info().width).expect("a small picture"),
                alpha: rgba.chunks(4).map(|pixel| pixel[3]).collect(),
            });
        }
    }
    glyphs
}
