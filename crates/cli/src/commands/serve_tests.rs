//! Tests of the endpoint of a server that this machine runs.

use super::*;

#[test]
fn the_endpoint_is_where_this_machine_reaches_it() {
    let local_address = |text: &str| reachable(text.parse().unwrap()).to_string();
    assert_eq!(local_address("0.0.0.0:7878"), "127.0.0.1:7878");
    assert_eq!(local_address("[::]:7878"), "[::1]:7878");
    assert_eq!(local_address("192.168.1.5:80"), "192.168.1.5:80");
}
