//! Tests that Compose, Kubernetes, Prometheus and Grafana know every field of the files in docs/operating, and GitHub
//! those in .github. Their schemas say so, from packages that `scripts/setup.sh test` installs, without a network.

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

/// The text of a file for each of these fields, with that field misspelt.
fn misspelt<'a>(name: &str, fields: &[&'a str]) -> Vec<(&'a str, String)> {
    let text = text(name);
    let end = if text.starts_with('{') { "\":" } else { ":" };
    let each = fields.iter().map(|field| {
        let misspelt = text.replacen(&format!("{field}{end}"), &format!("{field}s{end}"), 1);
        assert_ne!(misspelt, text, "{name} has no {field}");
        (*field, misspelt)
    });
    each.collect()
}

/// Gives a file to a checker as it is, and once more for each of the fields, misspelt.
fn fits(name: &str, fields: &[&str], check: impl Fn(&Path) -> Command) {
    let folder = work_folder();
    let path = folder.path().join(name);
    let checked = |text: &str| {
        fs::write(&path, text).unwrap();
        run(check(&path))
    };
    checked(&text(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    for (field, misspelt) in misspelt(name, fields) {
        let error = checked(&misspelt).expect_err(field);
        assert!(error.contains(field), "{name} with {field} misspelt: {error}");
    }
}

#[test]
fn the_compose_file_fits_the_specification_of_compose() {
    fits("compose.yaml", &["healthcheck", "stop_grace_period", "ipv4_address", "subnet"], |path| {
        let mut command = Command::new(program("check-jsonschema"));
        command.args(["--builtin-schema", "vendor.compose-spec"]).arg(path);
        command
    });
}

#[test]
fn the_workflows_and_the_forms_fit_the_schemas_of_github() {
    for (schema, files) in [
        ("vendor.github-workflows", &["workflows/check.yml", "workflows/release.yml"][..]),
        ("vendor.github-issue-forms", &["ISSUE_TEMPLATE/bug.yml", "ISSUE_TEMPLATE/idea.yml"]),
        ("vendor.github-issue-config", &["ISSUE_TEMPLATE/config.yml"]),
    ] {
        let mut command = Command::new(program("check-jsonschema"));
        let files = files.iter().map(|file| root().join(".github").join(file));
        command.args(["--builtin-schema", schema]).args(files);
        run(command).unwrap_or_else(|error| panic!("{schema}: {error}"));
    }
}

#[test]
fn the_workflows_make_targets_that_there_are_and_the_book_among_them() {
    let read = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let makefile = read("Makefile");
    let is_target = |target: &str| makefile.lines().any(|line| line.starts_with(&format!("{target}: ")));
    for (workflow, wanted) in [("check.yml", &["docs"][..]), ("release.yml", &["package", "test-package"])] {
        let text = read(&format!(".github/workflows/{workflow}"));
        let made = text.lines().filter_map(|line| Some(line.rsplit_once("make ")?.1));
        let made: Vec<_> = made.filter(|target| is_target(target)).collect();
        assert_eq!(made, wanted, "{workflow}");
    }
    let release = read(".github/workflows/release.yml");
    assert!(release.contains("    uses: ./.github/workflows/check.yml\n"), "a release is tested");
    assert!(release.contains("    needs: [check, packages, try]\n"), "before it is published");
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
    fits("kubernetes.yaml", &fields, |path| {
        let mut command = Command::new(program("kubernetes-validate"));
        command.arg("--strict").arg(path);
        command
    });
}

#[test]
fn prometheus_reads_its_file() {
    fits("prometheus.yaml", &["scrape_interval", "credentials_file", "targets"], |path| {
        let mut command = Command::new("promtool");
        command.args(["check", "config", "--syntax-only"]).arg(path);
        command
    });
}

/// What the compiler says of each of these texts, as a file of its own: one run reads the types of Grafana once.
fn compile<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let types = fs::read_to_string(root().join("tests/clients/operating/dashboard.ts")).unwrap();
    let folder = work_folder();
    // Node looks for packages in the folders above.
    let mut command = Command::new(folder.path().join("../node_modules/.bin/tsc"));
    // The types themselves are checked as far as the dashboard uses them.
    command.args(["--noEmit", "--strict", "--skipLibCheck", "--pretty", "false", "--module", "nodenext"]);
    let mut said = Vec::new();
    for (number, text) in texts.into_iter().enumerate() {
        let script = folder.path().join(format!("{number}.ts"));
        fs::write(&script, format!("{types}export const dashboard: ClosedDashboard = {text}")).unwrap();
        command.arg(script);
        said.push(String::new());
    }
    let errors = run(command).err().unwrap_or_default();
    let mut of: Option<usize> = None;
    for line in errors.lines().filter(|line| !line.is_empty()) {
        // An error begins with the name of its file; the lines below it are indented.
        if !line.starts_with(' ') {
            of = (0..said.len()).find(|number| line.contains(&format!("{number}.ts(")));
            assert!(of.is_some(), "{errors}");
        }
        if let Some(of) = of {
            said[of].push_str(line);
        }
    }
    said
}

#[test]
fn the_dashboard_fits_the_types_of_grafana() {
    let dashboard = text("grafana.json");
    let misspelt = misspelt("grafana.json", &["schemaVersion", "gridPos", "unit", "legendFormat"]);
    let texts = misspelt.iter().map(|(_, text)| text.as_str());
    let said = compile([dashboard.as_str()].into_iter().chain(texts));
    assert_eq!(said[0], "", "the dashboard as it is");
    for ((field, _), error) in misspelt.iter().zip(&said[1..]) {
        assert!(error.contains(field), "with {field} misspelt: {error:?}");
    }
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
