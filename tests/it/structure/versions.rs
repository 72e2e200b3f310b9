//! The crate and its packages for other languages have one version.

use std::fs;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The version in a manifest of cargo.
fn cargo_version(text: &str) -> String {
    let manifest: toml::Table = text.parse().expect("TOML");
    manifest["package"]["version"].as_str().expect("a version").to_owned()
}

fn npm_version(text: &str) -> String {
    let manifest: serde_json::Value = serde_json::from_str(text).expect("JSON");
    manifest["version"].as_str().expect("a version").to_owned()
}

type VersionReader = fn(&str) -> String;

#[test]
fn packages_have_the_version_of_the_crate() {
    let packages: [(&str, VersionReader); 3] = [
        ("packaging/python/Cargo.toml", cargo_version),
        ("packaging/go/wasm/Cargo.toml", cargo_version),
        ("packaging/npm/package.json", npm_version),
    ];
    let found = packages.iter().filter_map(|(path, version)| {
        let text = fs::read_to_string(root().join(path)).ok()?;
        Some((*path, version(&text)))
    });
    for (path, version) in found {
        assert_eq!(version, env!("CARGO_PKG_VERSION"), "{path}");
    }
}

/// Lock files name the version of the crate.
#[test]
fn lock_files_have_the_version_of_the_crate() {
    for path in ["Cargo.lock", "packaging/python/Cargo.lock", "packaging/go/wasm/Cargo.lock"] {
        let Ok(text) = fs::read_to_string(root().join(path)) else { continue };
        let lock: toml::Table = text.parse().expect("TOML");
        let packages = lock["package"].as_array().expect("packages");
        let ours = packages
            .iter()
            .filter(|package| package["name"].as_str().is_some_and(|name| name.starts_with("replaylint")));
        let versions: Vec<&str> = ours.filter_map(|package| package["version"].as_str()).collect();
        assert!(!versions.is_empty(), "{path}");
        assert!(versions.iter().all(|version| *version == env!("CARGO_PKG_VERSION")), "{path}: {versions:?}");
    }
}
