//! What a screen reader such as Orca reads: the tree of accessible objects that the app's window offers over AT-SPI, on a
//! bus of its own.

use std::collections::HashMap;

use serde::Deserialize;
use zbus::{
    Connection, Proxy, connection,
    zvariant::{OwnedObjectPath, Type, Value},
};

use crate::{desktop::Desktop, wait};

/// The most objects that are read; the window has some hundreds.
const MAX_OBJECTS: usize = 5_000;
/// The bits of the states that tests ask for, as AT-SPI numbers them.
const FOCUSED: u32 = 12;
const SHOWING: u32 = 25;

/// A reference to an object: the name of its program on the bus, and its path there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Type)]
struct Reference(String, OwnedObjectPath);

/// An object as a screen reader knows it.
#[derive(Debug, Clone)]
pub struct Accessible {
    /// Its role: in the page the role of ARIA that WebKit computed, such as `button` or `listbox`, else that of GTK.
    pub role: String,
    /// What is spoken for it.
    pub name: String,
    /// The text in it.
    pub text: String,
    /// Attributes such as `live: polite`.
    pub attributes: HashMap<String, String>,
    /// Whether it has the keyboard focus.
    pub focused: bool,
    /// Whether it is on the screen.
    pub showing: bool,
    /// The roles and the names of the elements around it, outermost first.
    pub within: Vec<String>,
}

/// The connection of a screen reader.
#[derive(Debug)]
pub struct ScreenReader(Connection);

impl ScreenReader {
    /// Turns accessibility on, as a screen reader does when it starts. The desktop needs
    /// [`screen_reader`](crate::desktop::DesktopOptions::screen_reader); programs that were started before offer nothing.
    pub async fn start(desktop: &Desktop) -> Self {
        let session = desktop.bus().await;
        let bus =
            Proxy::new(&session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus").await.expect("a proxy");
        let address: String = bus.call("GetAddress", &()).await.expect("the bus of screen readers");
        let status =
            Proxy::new(&session, "org.a11y.Bus", "/org/a11y/bus", "org.freedesktop.DBus.Properties").await;
        let status = status.expect("a proxy");
        for property in ["IsEnabled", "ScreenReaderEnabled"] {
            let on = ("org.a11y.Status", property, Value::from(true));
            status.call::<_, _, ()>("Set", &on).await.expect("accessibility can be turned on");
        }
        let builder = connection::Builder::address(&*address).expect("an address");
        let builder = builder.method_timeout(wait::TEST_TIMEOUT);
        Self(builder.build().await.expect("the bus of screen readers answers"))
    }

    /// All objects of the app, each after what is around it. Objects that go away meanwhile are left out.
    pub async fn objects(&self) -> Vec<Accessible> {
        let root = Reference(
            "org.a11y.atspi.Registry".to_owned(),
            OwnedObjectPath::try_from("/org/a11y/atspi/accessible/root").expect("a path"),
        );
        let mut waiting: Vec<(Reference, Vec<String>)> = Vec::new();
        for app in self.children(&root).await {
            let is_tidings = self.name(&app).await.is_some_and(|name| name.starts_with("tidings"));
            waiting.extend(is_tidings.then_some((app, Vec::new())));
        }
        let mut read = Vec::new();
        while let Some((object, within)) = waiting.pop() {
            assert!(read.len() < MAX_OBJECTS, "the window has no end");
            let Some(accessible) = self.read(&object, within.clone()).await else { continue };
            let mut inside = within;
            inside.push(format!("{} {}", accessible.role, accessible.name));
            read.push(accessible);
            let children = self.children(&object).await.into_iter().rev();
            waiting.extend(children.map(|child| (child, inside.clone())));
        }
        read
    }

    /// Waits for an object of this role whose name contains `name`.
    pub async fn wait_for(&self, role: &str, name: &str) -> Accessible {
        wait::until(&format!("the screen reader to find the {role} {name:?}"), || async {
            self.objects().await.into_iter().find(|one| one.role == role && one.name.contains(name))
        })
        .await
    }

    /// Waits until what has the focus is of this role and its name contains `name`.
    pub async fn wait_for_focus(&self, role: &str, name: &str) {
        wait::until(&format!("the focus to be on the {role} {name:?}"), || async {
            self.objects().await.iter().any(|one| one.focused && one.role == role && one.name.contains(name))
        })
        .await;
    }

    async fn read(&self, object: &Reference, within: Vec<String>) -> Option<Accessible> {
        let proxy = self.accessible(object).await?;
        let states: Vec<u32> = proxy.call("GetState", &()).await.ok()?;
        let has = |bit: u32| states.get(bit as usize / 32).is_some_and(|word| word >> (bit % 32) & 1 == 1);
        let attributes: HashMap<String, String> = proxy.call("GetAttributes", &()).await.unwrap_or_default();
        let in_page = attributes.contains_key("computed-role");
        let role = match attributes.get("computed-role") {
            Some(role) => role.clone(),
            None => proxy.call("GetRoleName", &()).await.ok()?,
        };
        Some(Accessible {
            role,
            name: self.name(object).await?,
            text: if in_page { self.text(object).await.unwrap_or_default() } else { String::new() },
            attributes,
            focused: has(FOCUSED),
            showing: has(SHOWING),
            within,
        })
    }

    async fn children(&self, object: &Reference) -> Vec<Reference> {
        let Some(proxy) = self.accessible(object).await else { return Vec::new() };
        let children: Vec<Reference> = proxy.call("GetChildren", &()).await.unwrap_or_default();
        if !children.is_empty() {
            return children;
        }
        // GTK lists nothing in the socket that holds the page, which belongs to another process, but gives it by its number.
        let page: zbus::Result<Reference> = proxy.call("GetChildAtIndex", &0_i32).await;
        page.ok().filter(|page| page.0 != object.0 && !page.1.ends_with("/null")).into_iter().collect()
    }

    async fn name(&self, object: &Reference) -> Option<String> {
        self.accessible(object).await?.get_property("Name").await.ok()
    }

    async fn text(&self, object: &Reference) -> Option<String> {
        let text = self.proxy(object, "org.a11y.atspi.Text").await?;
        text.call("GetText", &(0_i32, -1_i32)).await.ok()
    }

    async fn accessible<'a>(&'a self, object: &'a Reference) -> Option<Proxy<'a>> {
        self.proxy(object, "org.a11y.atspi.Accessible").await
    }

    async fn proxy<'a>(&'a self, object: &'a Reference, interface: &'static str) -> Option<Proxy<'a>> {
        let builder = zbus::proxy::Builder::<Proxy<'_>>::new(&self.0)
            .destination(object.0.as_str())
            .ok()?
            .path(object.1.as_ref())
            .ok()?
            .interface(interface)
            .ok()?;
        builder.cache_properties(zbus::proxy::CacheProperties::No).build().await.ok()
    }
}
