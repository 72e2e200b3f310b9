//! The layers: a module imports only from its own layer and from those above it in the list.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first. Modules on one line are one layer: a trait and its implementations.
const LAYERS: [&[&str]; 22] = [
    &["place"],
    &["json"],
    &["source"],
    &["history"],
    &["message"],
    &["dialect", "dialects"],
    &["schema"],
    &["target", "targets"],
    &["carry"],
    &["format", "formats"],
    &["read"],
    &["rule", "rules"],
    &["judge"],
    &["repair"],
    &["convert"],
    &["rebuild"],
    &["diff"],
    &["report"],
    &["options"],
    &["library"],
    &["commands"],
    &["cli", "lib", "main"],
];

/// Tables of implementations, which only the engine and the layers above it read.
const TABLES: [&str; 4] =
    ["crate::formats::FORMATS", "crate::rules::RULES", "crate::targets::TARGETS", "crate::formats::by_name"];

fn layer_of(module: &str) -> usize {
    LAYERS
        .iter()
        .position(|layer| layer.contains(&module))
        .unwrap_or_else(|| panic!("the module {module} is in no layer"))
}

fn collect_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("src is there").flatten() {
        let path = entry.path();
        if path.is_dir() { collect_files(&path, out) } else { out.push(path) }
    }
}

fn sources() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    collect_files(&root, &mut paths);
    paths.sort();
    let source = |path: PathBuf| {
        let below = path.strip_prefix(&root).expect("below src");
        let first = below.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        let text = fs::read_to_string(&path).expect("UTF-8");
        (module, path, text)
    };
    paths.into_iter().map(source).collect()
}

/// The first names after `crate::` in a text, also those in braces.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        if let Some(list) = rest.strip_prefix('{') {
            let list = &list[..list.find('}').unwrap_or(list.len())];
            found.extend(list.split(',').map(|item| name(item.trim())));
        } else {
            found.push(name(rest));
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

#[test]
fn modules_import_only_lower_layers() {
    for (module, path, text) in sources() {
        if module == "lib" || module == "main" {
            continue;
        }
        for import in imports(&text) {
            // A macro of the crate's root.
            if import == "rule" && text.contains("crate::rule! {") && module == "rules" {
                continue;
            }
            assert!(
                layer_of(&import) <= layer_of(&module),
                "{} imports {import}, which is below {module} in the list",
                path.display()
            );
        }
    }
}

#[test]
fn implementations_do_not_read_the_table_of_their_trait() {
    for (module, path, text) in sources() {
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        if ["rules", "formats", "targets", "dialects"].contains(&module.as_str()) && file != "mod.rs" {
            for table in TABLES {
                assert!(!text.contains(table), "{} reads {table}", path.display());
            }
        }
    }
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "rs")
}

#[test]
fn files_other_than_modules_are_included() {
    let all = sources();
    for (_, path, _) in all.iter().filter(|(_, path, _)| !is_rust(path)) {
        let name = path.file_name().expect("a name").to_string_lossy();
        let included = all.iter().any(|(_, _, text)| text.contains("include_str!") && text.contains(&*name));
        assert!(included, "{}: nothing includes this file", path.display());
    }
}

#[test]
fn every_rust_file_is_a_module() {
    for (_, path, _) in sources().into_iter().filter(|(_, path, _)| is_rust(path)) {
        let stem = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
        let (name, folder) = match (stem(&path).as_str(), path.parent().expect("a folder")) {
            ("lib" | "main", _) => continue,
            ("mod", own) => (stem(own), own.parent().expect("a folder").to_owned()),
            (name, folder) => (name.to_owned(), folder.to_owned()),
        };
        // A table declares the modules in the folders of its families.
        let above = folder.parent().map(|above| above.join("mod.rs"));
        let parents = [folder.join("mod.rs"), folder.join("lib.rs"), folder.with_extension("rs")];
        let parents = parents.into_iter().chain(above);
        let parents = parents.filter_map(|file| fs::read_to_string(file).ok());
        let word = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        let mut parents = parents;
        let declared = parents.any(|text: String| word(&text));
        assert!(declared, "{}: no `mod` and no table declares this file", path.display());
    }
}

#[test]
fn unsafe_code_is_in_one_file() {
    let expected: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|(_, _, text)| text.contains("expect(unsafe_code") || text.contains("allow(unsafe_code"))
        .map(|(_, path, _)| path)
        .collect();
    assert_eq!(expected.len(), 1, "{expected:?}");
    assert!(expected[0].ends_with("json/vectors.rs"));
}

#[test]
fn files_are_short_and_begin_with_a_doc() {
    for (_, path, text) in sources() {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        assert!(code.lines().count() <= 500, "{} has over 500 lines", path.display());
        assert!(!is_rust(&path) || text.starts_with("//!"), "{} has no doc comment at its head", path.display());
    }
}
