//! Random histories of users who publish, subscribe, read, join and leave, compared at the end with the reference rules
//! of the test kit.

mod harness;
mod steps;

use proptest::prelude::*;

use self::harness::Harness;
use self::steps::step;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_history_ends_where_the_rules_say(steps in proptest::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let mut harness = Harness::new(dir.path()).await;
            for step in &steps {
                harness.run(step).await;
            }
            harness.assert_matches_rules().await;
        });
    }
}
