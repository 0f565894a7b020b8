//! Tests the imports inside each crate. `FLOORS` has its modules from the top down: each may import those after it. Files of
//! one module import each other in no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// The modules of each crate below its root, from the top down.
const FLOORS: &[(&str, &str)] = &[
    (
        "crates/model",
        "clock gotify sentence group wire catalog notification view problem topic web_url id mark text \
         age_hold language unread template stamp bounds",
    ),
    ("crates/sandbox", "pool thread parent child frame turns confine failure marks parser"),
    (
        "crates/sqlite",
        "database writer checkpoint open validate replace log statements lock files free_space migrate bounds threads error",
    ),
    (
        "crates/replica",
        "salvage replica upkeep apply digest marks outbox rules lists conversations search handle types bounds",
    ),
    (
        "crates/replica-tables",
        "aggregates done key_ranges mark_jobs mutes questions schema tombstones views items people settings sources \
         thread_filter threads outgoing positions previews search_index server_state subscriptions thread_actors \
         item_state search_text facets outbox thread_counts counters flags columns sql types error",
    ),
    (
        "crates/net",
        "certificates proxies download egress http waits secrets address private_files trust proxy hosts error supervise \
         certificate_fault route",
    ),
    (
        "crates/sources",
        "parsers probe imports releases calendar kinds walk source markup service cursors bounds",
    ),
    (
        "crates/sync",
        "engine pull sign_in tokens waits blocking presets status outgoing_files session wake backoff error trouble pull_end",
    ),
    (
        "crates/store",
        "checks statements rows schedule_limit prelude trace accounts files groups inbox live publishing \
         subscriptions topics upkeep gotify pull_builder topic_events subscription_builder published written records \
         item_row named descent page fields future_stamps earlier_catalog bounds request_time room traces user_locks \
         worker_pool threads failure domain error",
    ),
    (
        "crates/store-sqlite",
        "accounts bulk gotify upkeep readiness topics inbox read_state fan_in publishing groups revocation transaction in_time \
         portions tables write_tx catalog_cache migrations sql",
    ),
    (
        "crates/store-postgres",
        "bulk store_address gotify accounts changes inbox upkeep fan_in subscriptions read_state groups topics publishing \
         catalog hints readiness schema snapshot answers portions users partitions pool origin tx redis session address \
         clock names counted signals tls",
    ),
    ("crates/store-migrate", "earlier_tables mend_clock migrate served databases"),
    ("crates/go-templates", "hostile engine functions allowance json limits"),
    (
        "crates/server-core",
        "http publishing state topics applications removal server endpoint export clock_watch rate_limit config access files \
         live traces task_failures connections budgets reader_counts request_metrics marks peer_user domain maps threads",
    ),
    ("crates/doors", "refusal smtp ntfy gotify hooks"),
    ("crates/server", "parsers serve http upkeep core_dumps heaps"),
    (
        "crates/app",
        "commands app desktop settings_file storage inbox settings notify publish doctor sources saved_files \
         context state tray_and_badge one_dialog events error log",
    ),
    ("crates/doctor", "words look"),
    ("crates/home", "user_file archive staging_dir"),
    ("crates/toasts", "policy quiet"),
    ("crates/ports", "tray toast own_server badge"),
    ("crates/query", "suggest parse near keys date"),
    (
        "crates/render",
        "preview item export heading conversation contexts row question origin emoji context buttons plain markdown turn \
         avatar addresses sanitize link tidings_link host_name budget",
    ),
    ("crates/strings", "settings reasons generated"),
    (
        "crates/ipc",
        "topics storage source_form releases quiet publish proxy protocol sign_in own_server noise menu mark import event settings sounds keys \
         reading files doctor digest places notify conversation list search place certificates",
    ),
    ("crates/cli", "commands args text traces named server inbox endpoint output error"),
    (
        "src-tauri",
        "host memory dialogs offer color_scheme lost_bus global_shortcut toasts window given_files document menus single_instance autostart tray activation \
         desktop_search links pictures page_process placement args locale rendering external main_thread logging umask key_file \
         commands after_paint portal own_server",
    ),
];

/// A module: its names from the root of its crate.
pub(crate) type Module = Vec<String>;

/// The modules of a crate with their text, without comments and tests.
struct Sources(BTreeMap<Module, String>);

impl Sources {
    fn of(folder: &Path) -> Self {
        let mut modules: BTreeMap<Module, String> = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(inner) = folders.pop() {
            for entry in fs::read_dir(&inner).expect("a folder of sources") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Some(module) = module_of(folder, &path) {
                    // A crate may have two roots, of its library and of its program.
                    let text = code(&fs::read_to_string(&path).expect("text"));
                    modules.entry(module).or_default().push_str(&text);
                }
            }
        }
        Self(modules)
    }

    /// The module that a path names, and what follows it.
    fn split<'p>(&self, path: &'p [String]) -> (&'p [String], &'p [String]) {
        let length = (0..=path.len()).rev().find(|length| self.0.contains_key(&path[..*length]));
        path.split_at(length.unwrap_or_default())
    }

    /// The module that defines what a path names; names that are handed on are followed.
    fn definition(&self, path: &[String], uses: &BTreeMap<Module, Vec<Vec<String>>>) -> Module {
        let mut path = path.to_vec();
        for _ in 0..6 {
            let (module, rest) = self.split(&path);
            let Some(name) = rest.first() else { break };
            let handed_on = uses.get(module).into_iter().flatten().find(|one| one.last() == Some(name));
            let Some(from) = handed_on.and_then(|one| self.absolute(module, one)) else { break };
            path = [from, rest[1..].to_vec()].concat();
        }
        self.split(&path).0.to_vec()
    }

    /// A path from the root of the crate; `None` for one of another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let words = path.iter().take_while(|name| *name == "self" || *name == "super").count();
        if path[0] == "crate" {
            return Some(path[1..].to_vec());
        }
        let up = path[..words].iter().filter(|name| *name == "super").count();
        let within = [&module[..module.len().saturating_sub(up)], &path[words..]].concat();
        (words > 0 || self.0.contains_key(&within[..=module.len()])).then_some(within)
    }
}

/// The module of a file; `None` for tests, and for what is no source.
pub(crate) fn module_of(folder: &Path, file: &Path) -> Option<Module> {
    let inside = file.strip_prefix(folder).ok()?.with_extension("");
    let mut names: Module = inside.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    let is_test = |name: &String| name.ends_with("_tests") || ["tests", "histories"].contains(&name.as_str());
    if file.extension()? != "rs" || names.iter().any(is_test) {
        return None;
    }
    if names.last()? == "mod" || names == ["lib"] || names == ["main"] {
        names.pop();
    }
    Some(names)
}

static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new("//[^\n]*").expect("a pattern"));
static TESTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"#\[cfg\(test\)\]\s*(pub(\([a-z]+\))?\s+)?mod\s+\w+\s*\{").expect("a pattern")
});

/// A text without the tests at its end.
pub(crate) fn before_tests(text: &str) -> &str {
    let end = TESTS.find(text).map_or(text.len(), |found| found.start());
    &text[..end]
}

/// A text without comments and without the tests at its end.
fn code(text: &str) -> String {
    before_tests(&COMMENT.replace_all(text, "")).to_owned()
}

/// The paths of a `use` tree.
fn expanded(tree: &str) -> Vec<Vec<String>> {
    let Some((before, inside)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return vec![path.split("::").map(|name| name.trim().to_owned()).collect()];
    };
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let (mut depth, mut branches) = (0_usize, vec![String::new()]);
    for c in inside.chars() {
        match c {
            ',' if depth == 0 => {
                branches.push(String::new());
                continue;
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        branches.last_mut().expect("a branch").push(c);
    }
    branches.retain(|branch| !branch.trim().is_empty());
    branches.iter().flat_map(|branch| expanded(&format!("{}{}", before.trim(), branch.trim()))).collect()
}

/// An import: the importing module, the defining one, and the name.
type Import = (Module, Module, String);

/// What the modules of a crate import from each other.
fn imports(folder: &Path) -> BTreeSet<Import> {
    let sources = Sources::of(folder);
    let statement = Regex::new(r"\buse\s+([^;]+);").expect("a pattern");
    let inline = Regex::new(r"\b(?:crate|super)(?:::\w+)+").expect("a pattern");
    let uses: BTreeMap<Module, Vec<Vec<String>>> = sources
        .0
        .iter()
        .map(|(module, text)| {
            let trees = statement.captures_iter(text).flat_map(|found| expanded(&found[1])).collect();
            (module.clone(), trees)
        })
        .collect();
    let mut imports = BTreeSet::new();
    for (module, text) in &sources.0 {
        let rest = statement.replace_all(text, "");
        let inline = inline.find_iter(&rest).flat_map(|found| expanded(found.as_str()));
        for path in uses[module].iter().cloned().chain(inline) {
            let Some(absolute) = sources.absolute(module, &path) else { continue };
            let name = path.last().cloned().unwrap_or_default();
            imports.insert((module.clone(), sources.definition(&absolute, &uses), name));
        }
    }
    imports
}

/// The names that run up in a crate, by file and pair of modules.
fn ties(folder: &Path, floors: &[&str]) -> BTreeMap<(String, String), BTreeMap<String, BTreeSet<String>>> {
    let floor = |module: &Module| {
        let top = module.first()?;
        let place = floors.iter().position(|name| name == top);
        Some(place.unwrap_or_else(|| panic!("{}: {top} has no floor", folder.display())))
    };
    let mut up: BTreeMap<_, BTreeMap<_, BTreeSet<_>>> = BTreeMap::new();
    for (from, to, name) in imports(folder) {
        if let (Some(importing), Some(imported)) = (floor(&from), floor(&to))
            && importing > imported
        {
            let pair = (from[0].clone(), to[0].clone());
            up.entry(pair).or_default().entry(from.join("::")).or_default().insert(name);
        }
    }
    up
}

#[test]
fn no_module_imports_one_above_it() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for (part, floors) in FLOORS {
        let floors: Vec<&str> = floors.split_whitespace().collect();
        let up = ties(&root.join(part).join("src"), &floors).into_iter();
        wrong.extend(up.map(|((from, to), names)| format!("{part}: {from} imports {to}: {names:?}")));
    }
    assert!(wrong.is_empty(), "a module may import only those below it: {wrong:#?}");
}

/// The files of one module that import each other in a circle. A file and those below it may.
fn circles(folder: &Path) -> BTreeSet<String> {
    let mut direct: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, to, _) in imports(folder) {
        let in_one_module = !from.is_empty() && from.first() == to.first();
        if in_one_module && !from.starts_with(&to) && !to.starts_with(&from) {
            direct.entry(from).or_default().insert(to);
        }
    }
    let reached_from = |module| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![module]);
        while let Some(next) = open.pop() {
            open.extend(direct.get(next).into_iter().flatten().filter(|to| reached.insert(*to)));
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        direct.keys().map(|module| (module, reached_from(module))).collect();
    let circle = |module: &Module| {
        let files =
            reached[module].iter().filter(|file| reached.get(**file).is_some_and(|to| to.contains(module)));
        files.map(|file| file.join("::")).collect::<Vec<_>>()
    };
    let circles = direct.keys().map(circle).filter(|files| !files.is_empty());
    circles.map(|files| files.join(" ")).collect()
}

#[test]
fn no_files_of_a_module_import_each_other_in_a_circle() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = FLOORS.iter().map(|(part, _)| (*part, circles(&root.join(part).join("src"))));
    let found: Vec<(&str, String)> =
        folders.flat_map(|(part, circles)| circles.into_iter().map(move |files| (part, files))).collect();
    assert!(found.is_empty(), "files in a circle: {found:#?}");
}
