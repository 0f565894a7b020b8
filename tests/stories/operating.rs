//! Tests that the files in docs/operating name nothing that the program does not have. Its arguments are given to the
//! real program, its paths and hosts are asked for, its metrics are read.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use reqwest::Method;
use serde_json::Value;
use support::program::{Process, built, free_port, root};
use support::{client::Client, server::ServerProcess, wait};
use tempfile::TempDir;
use tidings_testkit::postgres::Database;

fn text(name: &str) -> String {
    fs::read_to_string(root().join("docs/operating").join(name)).unwrap()
}

/// The documents of a YAML file.
fn documents(name: &str) -> Vec<Value> {
    let text = text(name);
    text.split("\n---\n").map(|document| serde_saphyr::from_str(document).unwrap()).collect()
}

fn document(kind: &str) -> Value {
    let found = documents("kubernetes.yaml").into_iter().find(|document| document["kind"] == kind);
    found.unwrap_or_else(|| panic!("there is no {kind}"))
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// The values of an option among arguments of the form `--option=value`.
fn values<'a>(args: &'a [String], option: &str) -> Vec<&'a str> {
    args.iter().filter_map(|arg| arg.strip_prefix(option)?.strip_prefix('=')).collect()
}

/// How a node is started: its name, arguments and variables.
struct Node {
    name: String,
    args: Vec<String>,
    variables: BTreeSet<String>,
}

fn nodes() -> Vec<Node> {
    let compose = &documents("compose.yaml")[0];
    let mut nodes: Vec<Node> = ["node-1", "node-2"]
        .map(|name| {
            let service = &compose["services"][name];
            let variables = service["environment"].as_object().unwrap().keys().cloned().collect();
            Node { name: name.into(), args: strings(&service["command"]), variables }
        })
        .into();
    let deployment = document("Deployment");
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let variables =
        container["env"].as_array().unwrap().iter().map(|v| v["name"].as_str().unwrap().to_owned());
    let variables = variables.collect();
    nodes.push(Node { name: "pod".into(), args: strings(&container["args"]), variables });
    nodes
}

/// The host and path of everything that asks a node: probes of Kubernetes, the proxy, Prometheus.
fn asked(node: &Node) -> Vec<(String, String)> {
    if node.name == "pod" {
        let deployment = document("Deployment");
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        return ["readinessProbe", "livenessProbe"]
            .map(|probe| {
                let get = &container[probe]["httpGet"];
                let host = &get["httpHeaders"][0];
                assert_eq!((&host["name"], &get["port"]), (&"Host".into(), &container["ports"][0]["name"]));
                (host["value"].as_str().unwrap().to_owned(), get["path"].as_str().unwrap().to_owned())
            })
            .into();
    }
    let caddy = text("Caddyfile");
    let word = |after: &str| caddy.split(after).nth(1).unwrap().split_whitespace().next().unwrap().to_owned();
    let prometheus = documents("prometheus.yaml")[0]["scrape_configs"][0].clone();
    let path = prometheus["metrics_path"].as_str().unwrap().to_owned();
    vec![(word("\n\t\t\tHost "), word("health_uri ")), (node.name.clone(), path)]
}

#[tokio::test]
async fn nodes_start_with_the_arguments_of_the_files_and_answer_what_they_are_asked() {
    let (database, folder) = (Database::empty(), TempDir::new().unwrap());
    // Prometheus has an admin's token.
    let first = ServerProcess::on_database(&database.url);
    let admin = first.admin();
    for node in nodes() {
        for variable in &node.variables {
            let named = ["TIDINGS_DATA_DIR", "TIDINGS_STORE"].contains(&variable.as_str());
            assert!(named, "{} sets {variable}", node.name);
        }
        let port = free_port();
        let args = node.args.iter().map(|arg| match arg.split_once('=') {
            Some(("--listen", _)) => format!("--listen=127.0.0.1:{port}"),
            Some(("--files", _)) => format!("--files={}", folder.path().display()),
            _ => arg.clone(),
        });
        let mut command = Command::new(built("tidings"));
        command.args(args).env("TIDINGS_DATA_DIR", folder.path().join(&node.name));
        command.env("TIDINGS_STORE", &database.url);
        let mut process =
            Process::start("tidings serve", command, &folder.path().join(format!("{}.log", node.name)));
        let url = format!("http://127.0.0.1:{port}");
        let client = Client::new(&url, &admin.token);
        wait::until("it starts", || async { client.healthy().await }).await;
        for (host, path) in asked(&node) {
            let answer = client.send(client.request(Method::GET, &path).header("Host", &host)).await;
            assert_eq!(answer.status, 200, "{}: {host}{path}: {}", node.name, answer.body);
        }
        assert!(process.terminate().success());
    }
}

#[test]
fn ports_names_and_folders_of_the_files_agree() {
    let compose = &documents("compose.yaml")[0];
    let (caddy, prometheus) = (text("Caddyfile"), text("prometheus.yaml"));
    for node in nodes() {
        let listen = values(&node.args, "--listen");
        assert_eq!(listen, ["0.0.0.0:7878"], "{}", node.name);
        assert_eq!(values(&node.args, "--public-url"), ["https://push.example.org"]);
        assert!(values(&node.args, "--allow-host").contains(&"push.example.org"));
        if node.name != "pod" {
            let there = format!("{}:7878", node.name);
            assert!(caddy.contains(&there) && prometheus.contains(&there), "{there}");
            let mounted = strings(&compose["services"][&node.name]["volumes"]);
            for volume in &mounted {
                let (name, _) = volume.split_once(':').unwrap();
                assert!(compose["volumes"].get(name).is_some(), "{name} is no volume");
            }
            let folders: Vec<&str> = mounted.iter().map(|volume| volume.split_once(':').unwrap().1).collect();
            assert!(folders.contains(&values(&node.args, "--files")[0]), "{folders:?}");
            let proxy = &compose["services"]["proxy"]["networks"]["inside"]["ipv4_address"];
            assert_eq!(values(&node.args, "--trust-proxy")[0], proxy);
        }
    }
    assert!(text("Dockerfile").contains("EXPOSE 7878"));
    assert!(caddy.starts_with('#') && caddy.contains("\npush.example.org {"));
}

#[test]
fn the_manifests_of_kubernetes_refer_to_what_is_there() {
    let kinds: Vec<(Value, Value)> =
        documents("kubernetes.yaml").iter().map(|d| (d["apiVersion"].clone(), d["kind"].clone())).collect();
    let expected = [
        ("apps/v1", "Deployment"),
        ("v1", "Service"),
        ("policy/v1", "PodDisruptionBudget"),
        ("v1", "PersistentVolumeClaim"),
    ];
    assert_eq!(kinds, expected.map(|(version, kind)| (version.into(), kind.into())));
    let deployment = document("Deployment");
    let (pod, labels) =
        (&deployment["spec"]["template"]["spec"], &deployment["spec"]["template"]["metadata"]["labels"]);
    let container = &pod["containers"][0];
    let selectors = [
        &deployment["spec"]["selector"]["matchLabels"],
        &document("Service")["spec"]["selector"],
        &document("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        &pod["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"],
    ]
    .map(Clone::clone);
    for selector in selectors {
        assert_eq!(&selector, labels);
    }
    let replicas = deployment["spec"]["replicas"].as_u64().unwrap();
    assert!(
        replicas >= 2 && document("PodDisruptionBudget")["spec"]["minAvailable"].as_u64().unwrap() < replicas
    );
    assert_eq!(container["ports"][0]["containerPort"], 7878);
    assert_eq!(document("Service")["spec"]["ports"][0]["targetPort"], container["ports"][0]["name"]);
    let volumes: BTreeSet<&str> =
        pod["volumes"].as_array().unwrap().iter().map(|volume| volume["name"].as_str().unwrap()).collect();
    for mount in container["volumeMounts"].as_array().unwrap() {
        assert!(volumes.contains(mount["name"].as_str().unwrap()), "{mount}");
    }
    let claim = pod["volumes"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|v| v["persistentVolumeClaim"]["claimName"].as_str());
    assert_eq!(claim.unwrap(), document("PersistentVolumeClaim")["metadata"]["name"]);
    let secret = &container["env"][1]["valueFrom"]["secretKeyRef"];
    let how = format!(
        "kubectl create secret generic {} --from-literal={}=",
        secret["name"].as_str().unwrap(),
        secret["key"].as_str().unwrap()
    );
    assert!(text("kubernetes.yaml").contains(&how), "{how}");
    // Nothing is sent to a node that is about to end, and it has the time that it needs.
    let grace = pod["terminationGracePeriodSeconds"].as_u64().unwrap();
    let sleep: u64 =
        container["lifecycle"]["preStop"]["exec"]["command"][1].as_str().unwrap().parse().unwrap();
    assert!(grace >= sleep + 10, "{grace}");
}

/// The words in a text that begin with `tidings_`.
fn metrics(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with("tidings_")).map(str::to_owned).collect()
}

#[tokio::test]
async fn every_metric_of_the_dashboard_is_one_that_the_program_gives() {
    let database = Database::empty();
    let server = ServerProcess::on_database(&database.url);
    let given = server.admin().get("/metrics").await.is(200);
    let given = given.as_str().unwrap();
    // Of what has not happened yet there is the type alone.
    let name = |line: &'_ str| line.trim_start_matches("# TYPE ").split(['{', ' ']).next().map(str::to_owned);
    let names: BTreeSet<String> = given.lines().filter_map(name).collect();
    let dashboard: Value = serde_json::from_str(&text("grafana.json")).unwrap();
    let mut shown = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            shown.extend(metrics(target["expr"].as_str().unwrap()));
        }
    }
    assert!(shown.len() >= 8, "{shown:?}");
    let scaling = fs::read_to_string(root().join("docs/SCALING.md")).unwrap();
    for name in shown.into_iter().chain(metrics(&scaling)) {
        assert!(names.contains(&name), "there is no metric {name}: {names:?}");
    }
}

#[test]
fn every_option_in_the_page_about_scaling_exists() {
    let page = fs::read_to_string(root().join("docs/SCALING.md")).unwrap();
    let help: String = ["serve", "migrate", "check"]
        .map(|command| {
            let done = Command::new(built("tidings")).args([command, "--help"]).output().unwrap();
            String::from_utf8(done.stdout).unwrap()
        })
        .concat();
    let mut checked = 0;
    for code in page.split('`').skip(1).step_by(2) {
        if !code.starts_with("--") && !code.starts_with("tidings ") {
            continue;
        }
        for option in code.split_whitespace().filter(|word| word.starts_with("--")) {
            checked += 1;
            assert!(help.contains(option), "there is no {option}");
        }
    }
    assert!(checked >= 8, "{checked} options");
}
