//! A browser beside the app, driven through `WebDriver`: WebKit's own small one, or Chromium.

use std::{env, process::Command};

use fantoccini::{Client, ClientBuilder, wd::Capabilities};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::{
    desktop::Desktop,
    page::bounded,
    program::{Process, free_port},
    wait,
};

/// A browser with one page.
#[derive(Debug)]
pub struct Browser {
    client: Client,
    _driver: Process,
}

impl Browser {
    /// Starts the browser of a driver, for example `chromedriver`, with changes to the command that starts both; `None` if
    /// this machine does not have the driver.
    pub async fn open(desktop: &Desktop, driver: &str, change: impl FnOnce(&mut Command)) -> Option<Self> {
        let folders = env::var_os("PATH").unwrap_or_default();
        let program = env::split_paths(&folders).map(|folder| folder.join(driver)).find(|at| at.is_file())?;
        let port = free_port();
        let mut command = desktop.command(program);
        command.arg(format!("--port={port}"));
        change(&mut command);
        let driver = Process::start(driver, command, &desktop.path().join("browser.log"));
        wait::until("the driver", || async {
            tokio::net::TcpStream::connect(("127.0.0.1", port)).await.ok().map(drop)
        })
        .await;
        let mut capabilities = Capabilities::new();
        let millis = u64::try_from(wait::TEST_TIMEOUT.as_millis()).expect("it is short");
        capabilities.insert("timeouts".into(), json!({"script": millis}));
        // Chromium runs as root with the first one, and looks names up by itself without the second one.
        let chromium = json!({"args": ["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"]});
        capabilities.insert("goog:chromeOptions".into(), chromium);
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let url = format!("http://127.0.0.1:{port}");
        let connecting = builder.capabilities(capabilities).connect(&url);
        let client = bounded("the start of the browser", connecting).await.expect("the browser starts");
        Some(Self { client, _driver: driver })
    }

    /// Goes to an address, and waits until its page is there.
    pub async fn visit(&self, url: &str) {
        bounded("a visit", self.client.goto(url)).await.unwrap_or_else(|error| panic!("{url}: {error}"));
    }

    /// Runs a script that calls its last argument with its result.
    pub async fn script_until_done(&self, script: &str, arguments: Vec<Value>) -> Value {
        let run = self.client.execute_async(script, arguments);
        bounded("a script", run).await.unwrap_or_else(|error| panic!("a script: {error}"))
    }

    /// Ends the browser.
    pub async fn close(self) {
        let _ = bounded("its end", self.client.close()).await;
    }
}
