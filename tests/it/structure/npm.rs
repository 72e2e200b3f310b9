//! The npm package has the version of the crate.

use std::path::Path;

use serde_json::Value;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/npm").join(path)).expect(path)
}

#[test]
fn the_package_and_its_crate_have_one_version() {
    let package: Value = serde_json::from_str(&read("package.json")).expect("JSON");
    assert_eq!(package["version"], env!("CARGO_PKG_VERSION"));
    let manifest: toml::Table = read("Cargo.toml").parse().expect("TOML");
    assert_eq!(manifest["package"]["version"].as_str(), Some(env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_library_and_the_tool_that_binds_it_have_one_version() {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("TOML");
    let bound = manifest["dependencies"]["wasm-bindgen"].as_str().expect("a version").trim_start_matches('=');
    for path in ["build.sh", "README.md"] {
        assert!(read(path).contains(bound), "{path} names another version than {bound}");
    }
}
