//! The connection to a database by TLS, whose certificate and name are verified.

use std::{fs, path::Path};

use support::{app::try_tidings, client::Client, server::ServerProcess, wait};
use tidings_testkit::postgres::Cluster;
use tidings_testkit::tls::Authority;
use tokio::task::block_in_place;

/// The address of a database by a name, with a file of the authorities that its certificate may be of.
fn address(database: &Cluster, host: &str, authorities: &Path) -> String {
    let (port, file) = (database.tls_port(), authorities.display());
    format!(
        "postgres://tidings:s3cret@{host}:{port}/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert={file}"
    )
}

/// What the server says of itself to a load balancer.
async fn readiness(admin: &Client) -> u16 {
    admin.get("health/ready").await.status.as_u16()
}

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

    let url = address(&database, "localhost", &trusted);
    let server = block_in_place(|| ServerProcess::on_database(&url));
    server.admin().get("health/ready").await.is(200);
    let encrypted =
        "SELECT bool_and(s.ssl), count(*) > 0 FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
        WHERE a.application_name = 'tidings'";
    assert_eq!(database.sql(encrypted), "t|t");

    let home = data.path().join("home");
    for (url, why) in [
        (address(&database, "localhost", &untrusted), "an authority that is not trusted"),
        (address(&database, "db.example", &trusted), "another name"),
        (address(&database, "localhost", &data.path().join("none.pem")), "none.pem can't be read"),
    ] {
        let (is_done, out, err) = block_in_place(|| try_tidings(&home, &["user", "list", "--store", &url]));
        assert!(!is_done && err.contains(why), "{out}{err}");
        assert!(!format!("{out}{err}").contains("s3cret"), "{out}{err}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_runs_reads_the_authorities_again_at_sighup() {
    let (before, after) = (Authority::new("Company"), Authority::new("Successor"));
    let database = block_in_place(|| Cluster::with_tls(&before.server("localhost")));
    let data = tempfile::tempdir().unwrap();
    let authorities = data.path().join("authorities.pem");
    fs::write(&authorities, before.pem()).unwrap();
    let url = address(&database, "localhost", &authorities);
    let mut server = block_in_place(|| ServerProcess::on_database(&url));
    let admin = server.admin();

    block_in_place(|| database.change_certificate(&after.server("localhost")));
    wait::until_equal("the readiness without the new authority", 503, || readiness(&admin)).await;
    let process = &*server.process().unwrap();
    fs::write(&authorities, "nothing").unwrap();
    process.signal("HUP");
    wait::until("a file without one is refused", || async {
        process.output().contains("the certificates could not be read, so those from before stay in use")
    })
    .await;
    fs::write(&authorities, after.pem()).unwrap();
    process.signal("HUP");
    wait::until_equal("the readiness with the new authority", 200, || readiness(&admin)).await;
    assert!(process.output().contains("the certificates to trust were read again"));
    block_in_place(|| server.stop());
}
