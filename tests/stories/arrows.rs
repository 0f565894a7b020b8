//! Tests the dependencies between the packages: any that is not in `ALLOWED` fails, also a build or test dependency.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use serde_json::Value;

/// The packages that each package may depend on. The page reaches Rust only through `tidings-desktop`.
const ALLOWED: &[(&str, &[&str])] = &[
    ("tidings-model", &[]),
    ("tidings-sandbox", &[]),
    ("tidings-sqlite", &[]),
    ("tidings-replica-tables", &["tidings-model", "tidings-sqlite"]),
    ("tidings-replica", &["tidings-model", "tidings-replica-tables", "tidings-sqlite"]),
    ("tidings-net", &["tidings-model"]),
    ("tidings-sources", &["tidings-model", "tidings-net", "tidings-replica", "tidings-sandbox"]),
    ("tidings-sync", &["tidings-model", "tidings-net", "tidings-replica", "tidings-sources"]),
    ("tidings-store", &["tidings-model", "tidings-sqlite"]),
    ("tidings-store-sqlite", &["tidings-model", "tidings-sqlite", "tidings-store"]),
    ("tidings-store-postgres", &["tidings-model", "tidings-sqlite", "tidings-store"]),
    (
        "tidings-store-migrate",
        &[
            "tidings-model",
            "tidings-sqlite",
            "tidings-store",
            "tidings-store-postgres",
            "tidings-store-sqlite",
        ],
    ),
    ("tidings-go-templates", &["tidings-model"]),
    (
        "tidings-server-core",
        &[
            "tidings-model",
            "tidings-sandbox",
            "tidings-sqlite",
            "tidings-store",
            "tidings-store-migrate",
            "tidings-store-postgres",
            "tidings-store-sqlite",
        ],
    ),
    (
        "tidings-doors",
        &["tidings-go-templates", "tidings-model", "tidings-sandbox", "tidings-server-core", "tidings-store"],
    ),
    (
        "tidings-server",
        &[
            "tidings-doors",
            "tidings-model",
            "tidings-sandbox",
            "tidings-server-core",
            "tidings-sqlite",
            "tidings-store",
            "tidings-store-migrate",
            "tidings-store-postgres",
        ],
    ),
    ("tidings-ipc", &["tidings-model", "tidings-net", "tidings-replica", "tidings-sources"]),
    ("tidings-strings", &["tidings-ipc", "tidings-model", "tidings-net", "tidings-sync"]),
    (
        "tidings-render",
        &["tidings-ipc", "tidings-model", "tidings-replica", "tidings-sources", "tidings-strings"],
    ),
    ("tidings-query", &["tidings-ipc", "tidings-model", "tidings-replica", "tidings-strings"]),
    ("tidings-ports", &["tidings-ipc", "tidings-model", "tidings-replica", "tidings-sync"]),
    ("tidings-toasts", &["tidings-ipc", "tidings-model", "tidings-ports", "tidings-replica", "tidings-sync"]),
    ("tidings-home", &["tidings-net", "tidings-replica"]),
    (
        "tidings-doctor",
        &[
            "tidings-home",
            "tidings-ipc",
            "tidings-model",
            "tidings-net",
            "tidings-ports",
            "tidings-render",
            "tidings-replica",
            "tidings-sources",
            "tidings-strings",
            "tidings-sync",
        ],
    ),
    (
        "tidings-app",
        &[
            "tidings-doctor",
            "tidings-home",
            "tidings-ipc",
            "tidings-model",
            "tidings-net",
            "tidings-ports",
            "tidings-query",
            "tidings-render",
            "tidings-replica",
            "tidings-sandbox",
            "tidings-sources",
            "tidings-strings",
            "tidings-sync",
            "tidings-toasts",
        ],
    ),
    ("tidings-testkit", &["tidings-model", "tidings-server", "tidings-sqlite"]),
    ("tidings-conformance", &["tidings-model", "tidings-store", "tidings-testkit"]),
    (
        "tidings-desktop",
        &[
            "tidings-app",
            "tidings-cli",
            "tidings-home",
            "tidings-ipc",
            "tidings-model",
            "tidings-net",
            "tidings-ports",
            "tidings-replica",
            "tidings-sandbox",
            "tidings-server",
            "tidings-sources",
            "tidings-sqlite",
            "tidings-sync",
            "tidings-toasts",
        ],
    ),
    (
        "tidings-cli",
        &[
            "tidings-app",
            "tidings-doctor",
            "tidings-home",
            "tidings-ipc",
            "tidings-model",
            "tidings-net",
            "tidings-ports",
            "tidings-query",
            "tidings-render",
            "tidings-replica",
            "tidings-sandbox",
            "tidings-server",
            "tidings-sources",
            "tidings-sqlite",
            "tidings-sync",
            "tidings-toasts",
        ],
    ),
];

/// The packages that use the others from outside; no package may depend on them.
const OBSERVERS: &[&str] = &["tidings-tests", "tidings-benches", "tidings-interleavings"];

/// The packages that the tests of several crates share; no program that is shipped may contain them.
const TEST_PARTS: &[&str] = &["tidings-testkit", "tidings-conformance"];

/// Dependencies that only the desktop program may have.
const DESKTOP_ONLY: &[&str] = &["tauri", "tauri-build", "notify-rust", "ksni"];

/// The direct dependencies by package name, of any kind and for any target, with `name/feature` for each feature that
/// is requested. `shipped` leaves out test dependencies: a crate's own tests may use more packages, but never the
/// desktop's.
struct DependencyGraph {
    shipped: BTreeMap<String, BTreeSet<String>>,
    any: BTreeMap<String, BTreeSet<String>>,
}

fn graph() -> DependencyGraph {
    let out = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let metadata: Value = serde_json::from_slice(&out.stdout).expect("cargo metadata is JSON");
    let mut graph = DependencyGraph { shipped: BTreeMap::new(), any: BTreeMap::new() };
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("name").to_owned();
        let named = |shipped_only: bool| {
            let dependencies = package["dependencies"].as_array().expect("dependencies").iter();
            let named = dependencies.filter(|d| !shipped_only || d["kind"] != "dev").flat_map(|d| {
                let name = d["name"].as_str().expect("name");
                let features = d["features"].as_array().expect("features").iter();
                let features =
                    features.map(move |feature| format!("{name}/{}", feature.as_str().expect("a name")));
                features.chain([name.to_owned()])
            });
            named.collect::<BTreeSet<_>>()
        };
        graph.shipped.insert(name.clone(), named(true));
        graph.any.insert(name, named(false));
    }
    graph
}

#[test]
fn every_arrow_between_the_parts_is_one_of_the_design() {
    let graph = graph();
    let allowed: BTreeMap<_, BTreeSet<_>> =
        ALLOWED.iter().map(|(from, to)| (*from, to.iter().copied().collect())).collect();
    let mut wrong = Vec::new();
    for (from, to) in &graph.shipped {
        if OBSERVERS.contains(&from.as_str()) {
            continue;
        }
        let Some(may) = allowed.get(from.as_str()) else {
            wrong.push(format!("{from} is not in the table of parts"));
            continue;
        };
        for name in to.iter().filter(|name| name.starts_with("tidings-") && !name.contains('/')) {
            if !may.contains(name.as_str()) {
                wrong.push(format!("{from} → {name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "arrows that the design does not have: {wrong:#?}");
}

#[test]
fn the_table_of_parts_names_every_part_there_is() {
    let graph = graph();
    for (part, _) in ALLOWED {
        assert!(graph.shipped.contains_key(*part), "{part} is in the table but not in the workspace");
    }
}

#[test]
fn only_the_desktop_program_names_the_desktop() {
    let graph = graph();
    for (from, to) in &graph.any {
        if from == "tidings-desktop" {
            continue;
        }
        for name in to {
            let desktops = DESKTOP_ONLY.contains(&name.as_str()) || name.starts_with("tauri-plugin-");
            assert!(!desktops, "{from} names {name}");
        }
    }
}

#[test]
fn sync_never_names_the_server_not_even_in_its_own_tests() {
    let any = graph().any;
    assert!(!any["tidings-sync"].contains("tidings-server"));
    assert!(!any["tidings-sync"].contains("tidings-testkit/server"), "the kit would bring it along");
}

#[test]
fn the_parts_of_tests_are_only_in_tests() {
    for (from, to) in graph().shipped {
        let is_of_tests = OBSERVERS.contains(&from.as_str()) || TEST_PARTS.contains(&from.as_str());
        for name in to {
            let part = name.split('/').next().unwrap_or_default();
            assert!(is_of_tests || !TEST_PARTS.contains(&part), "{from} ships {name}");
            assert!(is_of_tests || !name.ends_with("/conformance"), "{from} ships {name}");
        }
    }
}

#[test]
fn nothing_depends_on_tests_or_benches() {
    for (from, to) in graph().any {
        for observer in OBSERVERS {
            assert!(!to.contains(*observer), "{from} → {observer}");
        }
    }
}
