//! Links the program with packed relocations. Otherwise one for each address that a table holds takes 24 bytes of the
//! file. They are 3 MB in all, which the loader reads whole at every start. Packed they take some 50 KB. The C library
//! has to be of version 2.36 or newer, which the packages need anyway.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(name).unwrap_or_default();
    if target("CARGO_CFG_TARGET_OS") == "linux" && target("CARGO_CFG_TARGET_ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
