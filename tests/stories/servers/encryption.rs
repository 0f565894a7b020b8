//! The connection to a database by TLS, whose certificate and name are verified.

use std::{fs, path::Path};

use support::{app::try_tidings, server::ServerProcess};
use tidings_testkit::postgres::Cluster;
use tidings_testkit::tls::Authority;
use tokio::task::block_in_place;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_database_whose_certificate_was_meant_is_spoken_to() {
    let (own, other) = (Authority::new("Company"), Authority::new("Somebody"));
    let database = block_in_place(|| Cluster::with_tls(&own.server("localhost")));
    let data = tempfile::tempdir().unwrap();
    let file = |name: &str, authority: &Authority| {
        let path = data.path().join(name);
        fs::write(&path, authority.pem()).unwrap();
        path
    };
    let (trusted, untrusted) = (file("own.pem", &own), file("other.pem", &other));
    let port = database.tls_port();
    let address = |host: &str, authority: &Path| {
        format!(
            "postgres://tidings:s3cret@{host}:{port}/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={}",
            authority.display()
        )
    };

    let url = address("localhost", &trusted);
    let server = block_in_place(|| ServerProcess::on_database(&url));
    server.admin().get("health/ready").await.is(200);
    let encrypted =
        "SELECT bool_and(s.ssl), count(*) > 0 FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
        WHERE a.application_name = 'tidings'";
    assert_eq!(database.sql(encrypted), "t|t");

    let home = data.path().join("home");
    for (url, why) in [
        (address("localhost", &untrusted), "an authority that is not trusted"),
        (address("db.example", &trusted), "another name"),
        (address("localhost", &data.path().join("none.pem")), "none.pem can't be read"),
    ] {
        let (is_done, out, err) = block_in_place(|| try_tidings(&home, &["user", "list", "--store", &url]));
        assert!(!is_done && err.contains(why), "{out}{err}");
        assert!(!format!("{out}{err}").contains("s3cret"), "{out}{err}");
    }
}
