//! Random histories of users who publish, subscribe, read, join and leave, compared at the end with the reference rules
//! of the test kit.

mod steps;
mod world;

use proptest::prelude::*;

use self::steps::step;
use self::world::World;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_history_ends_where_the_rules_say(steps in proptest::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let mut world = World::new(dir.path()).await;
            for step in &steps {
                world.run(step).await;
            }
            world.holds().await;
        });
    }
}
