//! Strings about sources, the own server, storage and files.

mod en;
mod table;
mod zh_cn;

use tidings_model::Lang;

pub use self::table::SettingsStrings;

/// The strings of a language.
pub const fn settings_strings(lang: Lang) -> &'static SettingsStrings {
    match lang {
        Lang::En => &en::STRINGS,
        Lang::ZhCn => &zh_cn::STRINGS,
    }
}

/// A size in decimal units: `1.2 GB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KB", "MB", "GB", "TB"];
    let (mut integer, mut tenths, mut unit) = (n, 0, 0);
    while integer >= 1_000 && unit + 1 < UNITS.len() {
        tenths = integer % 1_000 / 100;
        integer /= 1_000;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or_default();
    if unit == 0 || integer >= 100 || tenths == 0 {
        format!("{integer} {name}")
    } else {
        format!("{integer}.{tenths} {name}")
    }
}

#[cfg(test)]
mod tests;
