//! Tests that Compose, Kubernetes, Prometheus and Grafana know every field of the files in docs/operating: by their schemas, from
//! packages that `scripts/setup.sh test` installs, without a network.

use std::{
    fs::{self, File},
    path::Path,
    process::Command,
};

use serde_json::{Value, json};
use support::{
    clients::{program, work_folder},
    program::root,
    server::ServerProcess,
};
use tempfile::TempDir;

fn text(name: &str) -> String {
    fs::read_to_string(root().join("docs/operating").join(name)).unwrap()
}

/// What a command says if it ends with an error.
fn run(mut command: Command) -> Result<(), String> {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    if done.status.success() { Ok(()) } else { Err(said) }
}

/// Gives a file to a checker as it is, and once more for each of the fields, misspelt.
fn fits(name: &str, fields: &[&str], check: impl Fn(&Path, &str) -> Command) {
    let (folder, text) = (work_folder(), text(name));
    let path = folder.path().join(name);
    let checked = |text: &str| {
        fs::write(&path, text).unwrap();
        run(check(&path, text))
    };
    checked(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let end = if text.starts_with('{') { "\":" } else { ":" };
    for field in fields {
        let misspelt = text.replacen(&format!("{field}{end}"), &format!("{field}s{end}"), 1);
        assert_ne!(misspelt, text, "{name} has no {field}");
        let error = checked(&misspelt).expect_err(field);
        assert!(error.contains(field), "{name} with {field} misspelt: {error}");
    }
}

#[test]
fn the_compose_file_fits_the_specification_of_compose() {
    fits("compose.yaml", &["healthcheck", "stop_grace_period", "ipv4_address", "subnet"], |path, _| {
        let mut command = Command::new(program("check-jsonschema"));
        command.args(["--builtin-schema", "vendor.compose-spec"]).arg(path);
        command
    });
}

#[test]
fn the_manifests_fit_the_schemas_of_kubernetes() {
    // One of each manifest, and some that lie deep.
    let fields = [
        "terminationGracePeriodSeconds",
        "failureThreshold",
        "secretKeyRef",
        "topologyKey",
        "sessionAffinity",
        "minAvailable",
        "accessModes",
    ];
    fits("kubernetes.yaml", &fields, |path, _| {
        let mut command = Command::new(program("kubernetes-validate"));
        command.arg("--strict").arg(path);
        command
    });
}

#[test]
fn prometheus_reads_its_file() {
    fits("prometheus.yaml", &["scrape_interval", "credentials_file", "targets"], |path, _| {
        let mut command = Command::new("promtool");
        command.args(["check", "config", "--syntax-only"]).arg(path);
        command
    });
}

#[test]
fn the_dashboard_fits_the_types_of_grafana() {
    let types = fs::read_to_string(root().join("tests/clients/operating/dashboard.ts")).unwrap();
    let fields = ["schemaVersion", "gridPos", "unit", "legendFormat"];
    fits("grafana.json", &fields, |path, text| {
        let script = path.with_extension("ts");
        fs::write(&script, format!("{types}export const dashboard: ClosedDashboard = {text}")).unwrap();
        // Node looks for packages in the folders above.
        let mut command = Command::new(path.with_file_name("../node_modules/.bin/tsc"));
        command.args(["--noEmit", "--strict", "--module", "nodenext"]).arg(script);
        command
    });
}

#[test]
fn prometheus_reads_the_queries_of_the_dashboard() {
    let dashboard: Value = serde_json::from_str(&text("grafana.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let queries = panels.flat_map(|panel| panel["targets"].as_array().unwrap()).map(|query| &query["expr"]);
    // A file of rules may be JSON, and is where promtool reads queries.
    let rules: Vec<Value> = queries
        .enumerate()
        .map(|(number, query)| json!({ "record": format!("query_{number}"), "expr": query }))
        .collect();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("rules.json");
    let groups = json!({ "groups": [{ "name": "dashboard", "rules": rules }] });
    fs::write(&path, groups.to_string()).unwrap();
    let mut command = Command::new("promtool");
    command.args(["check", "rules"]).arg(path);
    run(command).unwrap_or_else(|error| panic!("{groups}: {error}"));
}

#[tokio::test]
async fn prometheus_reads_the_metrics() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("metrics");
    let metrics = ServerProcess::start().admin().get("/metrics").await.is(200);
    fs::write(&path, metrics.as_str().unwrap()).unwrap();
    let mut command = Command::new("promtool");
    command.args(["check", "metrics"]).stdin(File::open(path).unwrap());
    run(command).unwrap_or_else(|error| panic!("{metrics}: {error}"));
}
