//! Databases that answer and can't be used as they are: without room, with another time, with tables of a newer program.

use std::process::Command;

use serde_json::json;
use support::{program::built, server::ServerProcess, wait};
use tempfile::TempDir;
use tidings_testkit::postgres::Database;

use super::bodies;

#[tokio::test]
async fn without_room_nothing_is_stored_everything_is_read_and_it_goes_on_once_there_is_room() {
    let database = Database::empty();
    let server = ServerProcess::on_database(&database.url);
    let ana = server.admin().user("ana", &["inbox", "publish"]).await;
    let bob = server.admin().user("bob", &["inbox"]).await;
    ana.post("messages", json!({"to": "bob", "body": "before"})).await.success();

    // What PostgreSQL answers if a file can't grow.
    database.sql(
        "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
         CREATE TRIGGER no_room BEFORE INSERT ON notifications FOR EACH ROW EXECUTE FUNCTION no_room()",
    );
    let refused = ana.post("messages", json!({"to": "bob", "body": "without room"})).await;
    assert!(refused.body["detail"].to_string().contains("disk is full"), "{:?}", refused.body);
    refused.problem(503, "unavailable", None);
    assert_eq!(bodies(&bob).await, ["before"]);
    assert_eq!(bob.unread("message").await, 1);
    let ready = server.admin().get("health/ready").await;
    assert!(ready.body["detail"].to_string().contains("disk is full"), "{:?}", ready.body);
    ready.problem(503, "unavailable", None);

    // To drop the trigger would take a lock of all partitions, which the server reads.
    database.sql(
        "CREATE OR REPLACE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    );
    // Nobody posts, and it finds out all the same.
    let is_ready = || async { server.admin().get("health/ready").await.status == 200 };
    wait::until("it is ready again", || async { is_ready().await }).await;
    ana.post("messages", json!({"to": "bob", "body": "after"})).await.success();
    assert_eq!(bodies(&bob).await, ["before", "after"]);
}

#[tokio::test]
async fn a_server_whose_clock_is_not_the_databases_is_not_ready_and_serves_what_it_can() {
    let database = Database::empty();
    let server = ServerProcess::on_database(&database.url);
    let (admin, ana) = (server.admin(), server.admin().user("ana", &["inbox"]).await);
    admin.get("health/ready").await.is(200);
    admin.post("messages", json!({"to": "ana", "body": "before"})).await.success();

    // A clock of the database that is an hour ahead, for connections that are made from now on.
    let name = database.sql("SELECT current_database()");
    database.sql(&format!(
        "CREATE SCHEMA ahead;
         CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
             $$ SELECT pg_catalog.clock_timestamp() + interval '1 hour' $$;
         ALTER DATABASE {name} SET search_path = ahead, public, pg_catalog"
    ));
    database.cut_connections();
    let is_told = || async {
        let ready = admin.get("health/ready").await;
        ready.status == 503 && ready.body["detail"].to_string().contains("clock")
    };
    wait::until("it is not ready", || async { is_told().await }).await;
    let message = json!({"to": "ana", "body": "once it is ready"});
    admin.post("messages", message.clone()).await.problem(503, "unavailable", None);
    assert_eq!(bodies(&ana).await, ["before"]);

    database.sql(&format!("ALTER DATABASE {name} RESET search_path"));
    database.cut_connections();
    wait::until("it is ready again", || async { admin.get("health/ready").await.status == 200 }).await;
    admin.post("messages", message).await.success();
    assert_eq!(bodies(&ana).await, ["before", "once it is ready"]);
}

#[tokio::test]
async fn a_server_that_is_older_than_the_tables_is_not_ready_and_another_one_does_not_start() {
    let database = Database::empty();
    let server = ServerProcess::on_database(&database.url);
    let admin = server.admin();
    database.sql("INSERT INTO schema_version (version, name, oldest) VALUES (1000, 'later', 1)");
    admin.get("health/ready").await.is(200);

    database.sql("UPDATE schema_version SET oldest = 1000 WHERE version = 1000");
    let ready = admin.get("health/ready").await;
    assert!(ready.body["detail"].to_string().contains("newer version"), "{:?}", ready.body);
    ready.problem(503, "unavailable", None);
    let folder = TempDir::with_prefix("tidings-server.").unwrap();
    let mut command = Command::new(built("tidings"));
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("TIDINGS_DATA_DIR", folder.path());
    let started = command.env("TIDINGS_STORE", &database.url).output().unwrap();
    let said = String::from_utf8_lossy(&started.stderr);
    assert!(!started.status.success() && said.contains("newer version"), "{said}");

    database.sql("DELETE FROM schema_version WHERE version = 1000");
    admin.get("health/ready").await.is(200);
}
