//! Tests of whose process a connection of this machine is.

use super::*;

const TABLE: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1EC6 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 35213 1 0000000000000000
   1: 0100007F:C350 0100007F:1EC6 01 00000000:00000000 00:00000000 00000000  1001        0 35300 1 0000000000000000
   2: 0100007F:1EC6 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 35301 1 0000000000000000
   3: 0100007F:C351 0100007F:1EC6 06 00000000:00000000 00:00000000 00000000     0        0 0 3 0000000000000000
   4: 0100007F:C352 0100007F:1EC6 05 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000
   5: 0100007F:C353 0100007F:1EC6 02 00000000:00000000 00:00000000 00000000  1002        0 35302 1 0000000000000000
   6: 0000000000000000FFFF00000100007F:C354 0000000000000000FFFF00000100007F:1EC6 01 00000000:00000000 00:00000000 00000000  1003        0 35303 1 0
   7: 0100007F:C355 0100007F:1EC7 01 00000000:00000000 00:00000000 00000000  1004        0 35304 1 0000000000000000
   8: nonsense
";

#[test]
fn the_table_says_whose_client_end_it_is_and_nothing_of_what_was_closed() {
    let mut found = ParsedTable::default();
    TABLE.lines().for_each(|line| found.parse_line(line, 7878));
    assert!(found.has_listener);
    let at = |port: u16| (([127, 0, 0, 1], port).into(), ([127, 0, 0, 1], 7878).into());
    let expected = HashMap::from([(at(50_000), 1001), (at(50_004), 1003)]);
    assert_eq!(found.users, expected, "a closed socket is nobody's, least of all root's");
    assert_eq!(address("00000000000000000000000001000000:0050"), Some("[::1]:80".parse().unwrap()));
}

#[tokio::test]
async fn one_reading_answers_all_who_wait_for_it_and_a_closed_end_is_gone() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server_address = listener.local_addr().unwrap();
    let client = tokio::net::TcpStream::connect(server_address).await.unwrap();
    let (_server, peer) = listener.accept().await.unwrap();
    let table = Arc::new(SocketTable::default());
    let open = PeerConnection::new(peer, server_address, &table);
    assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid));
    drop(client);
    assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid), "it was looked up once");
    let closed = PeerConnection::new(peer, server_address, &table);
    assert_eq!(closed.user().await, PeerUser::Gone);
    assert!(!PeerUser::Gone.is_ours());
}

#[tokio::test]
async fn who_is_connected_is_known_without_the_table() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let both = tokio::net::TcpListener::bind("[::1]:0").await.unwrap();
    let table = Arc::new(SocketTable::of("/nowhere".into()));
    for listener in [listener, both] {
        let server_address = listener.local_addr().unwrap();
        let client = tokio::net::TcpStream::connect(server_address).await.unwrap();
        let (_server, peer) = listener.accept().await.unwrap();
        let open = PeerConnection::new(peer, server_address, &table);
        assert_eq!(Some(open.user().await), own_uid().map(PeerUser::Uid));
        drop(client);
    }
}

/// A folder with a table that shows a server on port 7878 and the sockets connected to it.
fn proc_net() -> io::Result<tempfile::TempDir> {
    let dir = tempfile::tempdir()?;
    std::fs::write(dir.path().join("tcp"), TABLE)?;
    Ok(dir)
}

/// A connection of the user 1001 in that table.
fn of_1001(table: &Arc<SocketTable>) -> PeerConnection {
    PeerConnection::new(([127, 0, 0, 1], 50_000).into(), ([127, 0, 0, 1], 7_878).into(), table)
}

#[tokio::test]
async fn a_table_that_can_not_be_read_makes_nobody_ours_and_is_read_again() {
    let dir = proc_net().unwrap();
    let table = Arc::new(SocketTable::of(dir.path().to_owned()));
    let connection = of_1001(&table);
    // A directory can be opened and not read, which gives an error as when no more files can be opened.
    let tcp6 = dir.path().join("tcp6");
    std::fs::create_dir(&tcp6).unwrap();
    assert_eq!(connection.user().await, PeerUser::Unreadable);
    assert!(!PeerUser::Unreadable.is_ours());
    std::fs::remove_dir(&tcp6).unwrap();
    assert_eq!(connection.user().await, PeerUser::Uid(1001));
    std::fs::create_dir(&tcp6).unwrap();
    assert_eq!(connection.user().await, PeerUser::Uid(1001), "it is known");
    assert_eq!(of_1001(&table).user().await, PeerUser::Unreadable);
}

#[tokio::test]
async fn a_table_that_has_shown_the_server_is_believed_for_good() {
    let dir = proc_net().unwrap();
    let table = Arc::new(SocketTable::of(dir.path().to_owned()));
    assert_eq!(of_1001(&table).user().await, PeerUser::Uid(1001));
    // The server has stopped listening; requests accepted before are still answered.
    let closed = TABLE.lines().filter(|line| !line.contains(" 0A ")).collect::<Vec<_>>().join("\n");
    std::fs::write(dir.path().join("tcp"), closed).unwrap();
    assert_eq!(of_1001(&table).user().await, PeerUser::Uid(1001));
    std::fs::remove_file(dir.path().join("tcp")).unwrap();
    assert_eq!(of_1001(&table).user().await, PeerUser::Unreadable);
    let unsupported = Arc::new(SocketTable::of(dir.path().to_owned()));
    assert_eq!(of_1001(&unsupported).user().await, PeerUser::Unsupported, "a system without such a table");
}
