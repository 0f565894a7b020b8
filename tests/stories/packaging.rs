//! Tests what packaged files say of themselves. Icons have the sizes that they claim, and the desktop entry speaks both
//! languages. Searches of desktops ask the program at its name. Systemd knows every line of the units, and the list of
//! components names all of both lock files.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use serde_json::Value;
use support::program::root;

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

fn number(bytes: &[u8]) -> usize {
    u32::from_be_bytes(bytes.try_into().unwrap()) as usize
}

fn number_backwards(bytes: &[u8]) -> usize {
    let mut bytes = bytes.to_vec();
    bytes.resize(4, 0);
    u32::from_le_bytes(bytes.try_into().unwrap()) as usize
}

#[test]
fn the_icon_for_windows_has_the_sizes_that_its_table_claims() {
    let file = fs::read(root().join("icons/icon.ico")).unwrap();
    assert_eq!(file[..4], [0, 0, 1, 0], "it is an icon");
    let entries = file[6..].chunks(16).take(number_backwards(&file[4..6]));
    let sides = entries.map(|entry| {
        let (length, from) = (number_backwards(&entry[8..12]), number_backwards(&entry[12..]));
        let picture = &file[from..from + length];
        let side = match picture.strip_prefix(b"\x89PNG\r\n\x1a\n") {
            Some(png) => number(&png[8..12]),
            None => number_backwards(&picture[4..8]),
        };
        assert_eq!(usize::from(entry[0]), side % 256, "0 stands for 256");
        side
    });
    assert_eq!(sides.collect::<Vec<_>>(), [16, 24, 32, 48, 64, 256]);
}

/// The length of what is packed as macOS packs the colours of an icon: a byte says how many follow, or how often the next one
/// is repeated.
fn unpacked(packed: &[u8]) -> usize {
    let (mut at, mut length) = (0, 0);
    while at < packed.len() {
        let byte = usize::from(packed[at]);
        let (takes, gives) = if byte < 128 { (byte + 2, byte + 1) } else { (2, byte - 125) };
        at += takes;
        length += gives;
    }
    length
}

#[test]
fn the_icon_for_macos_has_the_sizes_that_its_parts_claim() {
    let file = fs::read(root().join("icons/icon.icns")).unwrap();
    assert_eq!((&file[..4], number(&file[4..8])), (&b"icns"[..], file.len()));
    let (mut rest, mut sides) = (&file[8..], BTreeSet::new());
    while !rest.is_empty() {
        let (part, others) = rest.split_at(number(&rest[4..8]));
        let content = &part[8..];
        let side = match &part[..4] {
            b"is32" | b"s8mk" => 16,
            b"il32" | b"l8mk" => 32,
            b"ih32" | b"h8mk" => 48,
            b"it32" | b"t8mk" => 128,
            b"ic08" => 256,
            b"ic09" => 512,
            other => panic!("an unknown part: {}", String::from_utf8_lossy(other)),
        };
        match &part[..4] {
            b"s8mk" | b"l8mk" | b"h8mk" | b"t8mk" => assert_eq!(content.len(), side * side),
            b"ic08" | b"ic09" => {
                let header = content.windows(4).position(|word| word == b"ihdr").expect("JPEG 2000") + 4;
                let height_and_width = [&content[header..header + 4], &content[header + 4..header + 8]];
                assert_eq!(height_and_width.map(number), [side, side]);
            }
            // The colours of the largest begin with four zeros.
            kind => {
                let packed = if kind == b"it32" { &content[4..] } else { content };
                assert_eq!(unpacked(packed), 3 * side * side, "{side}");
            }
        }
        sides.insert(side);
        rest = others;
    }
    assert_eq!(sides.into_iter().collect::<Vec<_>>(), [16, 32, 48, 128, 256, 512]);
}

#[test]
fn the_desktop_entry_has_its_names_and_keywords_in_both_languages() {
    let entry = read("packaging/org.tidings.desktop.desktop");
    let mut groups = entry.split("\n[");
    let value = |group: &str, key: &str| {
        let line = group.lines().find_map(|line| line.strip_prefix(&format!("{key}=")));
        line.unwrap_or_else(|| panic!("no {key} in: {group}")).to_owned()
    };
    let in_both = |group: &str, key: &str| {
        let (english, chinese) = (value(group, key), value(group, &format!("{key}[zh_CN]")));
        assert!(english.is_ascii() && !english.is_empty(), "{english}");
        assert!(chinese.chars().any(|char| ('\u{4e00}'..='\u{9fff}').contains(&char)), "{chinese}");
        [english, chinese]
    };
    let program = groups.next().unwrap();
    assert_eq!(value(program, "Name"), "Tidings", "its name is the same in every language");
    for key in ["GenericName", "Comment"] {
        in_both(program, key);
    }
    for keywords in in_both(program, "Keywords") {
        let words: BTreeSet<_> = keywords.split_terminator(';').collect();
        assert!(keywords.ends_with(';') && words.len() >= 6 && !words.contains(""), "{keywords}");
    }
    let actions = value(program, "Actions");
    let listed: Vec<_> = actions.split_terminator(';').collect();
    let described = groups.map(|group| {
        in_both(group, "Name");
        group.strip_prefix("Desktop Action ").unwrap().split(']').next().unwrap()
    });
    assert_eq!(listed, described.collect::<Vec<_>>());
}

/// What the packages say to catalogues of programs, with the pictures at this address.
fn metainfo(pictures: Option<&str>) -> String {
    let mut command = Command::new(root().join("scripts/metainfo.sh"));
    match pictures {
        Some(address) => command.env("TIDINGS_SCREENSHOTS_URL", address),
        None => command.env_remove("TIDINGS_SCREENSHOTS_URL"),
    };
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn catalogues_of_programs_are_told_of_releases_ratings_and_pictures_that_there_are() {
    let told = metainfo(Some("https://forge.example/v1/docs/"));
    let pictures: Vec<_> =
        told.split("<image>").skip(1).map(|rest| rest.split('<').next().unwrap()).collect();
    assert!(pictures.len() >= 3, "{told}");
    for picture in pictures {
        let name = picture.strip_prefix("https://forge.example/v1/docs/").expect(picture);
        assert!(root().join("docs").join(name).is_file(), "{picture}");
    }
    let count = |mark: &str| told.matches(mark).count();
    for element in ["summary", "p", "li", "caption"] {
        let (english, chinese) = (format!("<{element}>"), format!("<{element} xml:lang=\"zh-CN\">"));
        assert!(count(&english) > 0 && count(&english) == count(&chinese), "{element} in both languages");
    }
    let without = metainfo(None);
    assert!(!without.contains("screenshot") && !without.contains('@'), "{without}");
    for part in ["<content_rating type=\"oars-1.1\">", "<release version=", "</component>"] {
        assert!(told.contains(part) && without.contains(part), "{part}");
    }
}

/// The values of a file with one group, which is installed in a folder with every package of the app.
fn installed_group(name: &str, group: &str, folder: &str) -> BTreeMap<String, String> {
    let file = format!("packaging/{name}");
    let is_listed = |line: &str| line.split_whitespace().eq(["tidings", "all", "644", &file, folder]);
    assert!(read("packaging/files.txt").lines().any(is_listed), "{file} goes into {folder}");
    let text = read(&file);
    let (head, lines) = text.split_once('\n').unwrap();
    assert_eq!(head, format!("[{group}]"));
    let pairs = lines.lines().map(|line| line.split_once('=').unwrap());
    let values: BTreeMap<_, _> = pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    assert_eq!(values.len(), lines.lines().count(), "no key is there twice");
    values
}

#[test]
fn the_searches_of_desktops_ask_the_program_at_its_name_and_start_none() {
    let service = read("packaging/org.tidings.desktop.service");
    let name = service.lines().find_map(|line| line.strip_prefix("Name=")).unwrap();
    let gnome = installed_group(
        "org.tidings.desktop.search-provider.ini",
        "Shell Search Provider",
        "usr/share/gnome-shell/search-providers/",
    );
    assert!(root().join("packaging").join(&gnome["DesktopId"]).is_file(), "{gnome:?}");
    assert_eq!((gnome["BusName"].as_str(), gnome["Version"].as_str()), (name, "2"));
    assert_eq!(gnome["AutoStart"], "false", "GNOME asks with each letter");

    let plasma = installed_group(
        "org.tidings.desktop.krunner.desktop",
        "Desktop Entry",
        "usr/share/krunner/dbusplugins/",
    );
    let is = |key: &str, value: &str| assert_eq!(plasma[key], value, "{key}");
    is("Type", "Service");
    is("X-KDE-ServiceTypes", "Plasma/Runner");
    is("X-Plasma-API", "DBus");
    is("X-Plasma-DBusRunner-Service", &format!("{name}*"));
    is("X-Plasma-DBusRunner-Path", &gnome["ObjectPath"]);
    is("Icon", name);
    assert!(plasma["Comment"].is_ascii() && !plasma["Comment[zh_CN]"].is_ascii(), "{plasma:?}");
}

/// A run of systemd-analyze that asks no running systemd, with all that it says.
fn systemd_analyze(args: &[&str], unit: &Path) -> (bool, String) {
    let mut command = Command::new("systemd-analyze");
    command
        .args(args)
        .arg(unit)
        .env("XDG_RUNTIME_DIR", unit.parent().unwrap())
        .env("HOME", unit.parent().unwrap());
    let done = command.output().unwrap();
    let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (done.status.success(), said)
}

#[test]
fn systemd_knows_every_line_of_the_units_and_confines_the_one_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    for (name, of) in [("tidings-server.service", "--system"), ("user.service", "--user")] {
        // The program that it starts is not installed here.
        let text = read(&format!("packaging/server/{name}")).replace("=/usr/bin/tidings ", "=/bin/true ");
        let unit = folder.path().join(name);
        let verified = |text: &str| {
            fs::write(&unit, text).unwrap();
            systemd_analyze(&[of, "verify", "--man=no", "--recursive-errors=no"], &unit)
        };
        let (misspelt, said) = verified(&text.replace("\nRestart=", "\nRestarts="));
        assert!(!misspelt && said.contains("Restarts"), "{name}: {said}");
        let (right, said) = verified(&text);
        assert!(right, "{name}: {said}");
    }
    let unit = folder.path().join("tidings-server.service");
    // Tenths: the most that it may be exposed is 2.0.
    let (confined, said) =
        systemd_analyze(&["security", "--offline=true", "--no-pager", "--threshold=20"], &unit);
    assert!(confined, "{said}");
}

/// The list of components, as packages come with it.
fn components() -> String {
    let script = root().join("scripts/sbom.py");
    let done = Command::new("python3").arg(script).env("SOURCE_DATE_EPOCH", "1").output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_list_of_components_names_crates_and_npm_packages_with_their_licences() {
    let text = components();
    assert_eq!(text, components(), "two lists of one commit are the same");
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["bomFormat"], "CycloneDX");
    assert_eq!(document["specVersion"], "1.5");
    let components = document["components"].as_array().unwrap();
    let lock = read("Cargo.lock");
    let (mut refs, mut purls) = (BTreeSet::new(), BTreeSet::new());
    for component in components {
        let purl = component["purl"].as_str().unwrap();
        assert!(refs.insert(component["bom-ref"].as_str().unwrap()), "twice: {component}");
        purls.insert(purl);
        let licences = component["licenses"].as_array().map_or(&[][..], Vec::as_slice);
        let named =
            |licence: &Value| licence["expression"].is_string() || licence["license"]["id"].is_string();
        assert!(!licences.is_empty() && licences.iter().all(named), "no licence: {component}");
        let own = component["name"].as_str().unwrap().starts_with("tidings-") || component["name"] == "ui";
        let sum = component["hashes"][0]["content"].as_str();
        assert_eq!(sum.is_none(), own, "what others made has a checksum: {component}");
        if let Some(locked) = purl.strip_prefix("pkg:cargo/") {
            let (name, version) = locked.split_once('@').unwrap();
            assert!(lock.contains(&format!("\nname = \"{name}\"\nversion = \"{version}\"\n")), "{purl}");
            let line = sum.map(|sum| format!("\nchecksum = \"{sum}\"\n"));
            assert!(line.is_none_or(|line| lock.contains(&line)), "{component}");
        }
    }
    let version = document["metadata"]["component"]["version"].as_str().unwrap();
    for program in ["tidings-desktop", "tidings-cli"] {
        assert!(purls.contains(format!("pkg:cargo/{program}@{version}").as_str()), "{program}");
    }
    let has = |name: &str| purls.iter().any(|purl| purl.starts_with(&format!("pkg:cargo/{name}@")));
    assert!(
        has("libsqlite3-sys") && has("tauri") && !has("proptest"),
        "what the programs are built of, alone"
    );
    let lock: Value = serde_json::from_str(&read("ui/package-lock.json")).unwrap();
    for (place, about) in lock["packages"].as_object().unwrap().iter().filter(|(place, _)| !place.is_empty())
    {
        let name = place.rsplit("node_modules/").next().unwrap().replace('@', "%40");
        let purl = format!("pkg:npm/{name}@{}", about["version"].as_str().unwrap());
        assert!(purls.contains(purl.as_str()), "{purl}");
    }
    for dependency in document["dependencies"].as_array().unwrap() {
        for on in dependency["dependsOn"].as_array().unwrap() {
            assert!(refs.contains(on.as_str().unwrap()), "{dependency}");
        }
    }
}
