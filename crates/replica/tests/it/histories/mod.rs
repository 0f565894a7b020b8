//! Tests of random histories: whatever happens to server, network and reader, the counts are right after every step,
//! and in the end the replica agrees with the server.

mod steps;
mod world;

use proptest::prelude::*;

use self::steps::step;
use self::world::World;

/// The number of histories: 48, as each is a database of its own, unless `PROPTEST_CASES` is set.
fn cases() -> u32 {
    if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default().cases } else { 48 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn any_history_ends_with_the_replica_as_the_server_is(
        steps in prop::collection::vec(step(), 1..60),
        portion in prop::sample::select(vec![1, 2, 500]),
    ) {
        let mut world = World::new(portion);
        for step in &steps {
            world.apply_step(step);
            world.assert_consistent();
        }
        world.sync_until_idle();
        world.assert_consistent();
        world.assert_agrees_with_server();
    }
}
