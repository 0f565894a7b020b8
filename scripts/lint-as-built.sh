#!/bin/sh
# The compiler of our own crates in .ci/run, as `lint-as-built.sh RUSTC ARGUMENT…`. Clippy is the compiler of tests, which are
# built of all that their crate has, and of what has no tests. The other builds of a crate are rustc's: clippy would find nothing
# more in them, and leaves out the optimisations that rustc makes before those of LLVM.
case "${3:-}" in
  tidings_app | tidings_cli | tidings_desktop | tidings_doctor | tidings_doors | tidings_go_templates | tidings_home | tidings_ipc | tidings_model | tidings_net \
    | tidings_ports | tidings_query | tidings_render | tidings_replica | tidings_replica_tables | tidings_sandbox | tidings_server | tidings_server_core \
    | tidings_sources | tidings_sqlite | tidings_store | tidings_store_migrate | tidings_store_postgres | tidings_store_sqlite | tidings_strings | tidings_sync \
    | tidings_toasts)
    case " $* " in
      *" --test "*) ;;
      *) exec "$@" ;;
    esac
    ;;
esac
exec clippy-driver "$@"
