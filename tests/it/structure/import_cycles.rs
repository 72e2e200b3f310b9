//! Import cycles: no chain of imports leads back to its first file. Every path that begins with `crate`, `super` or `self`,
//! in `use` or in the code, is resolved to the file that defines the name, through re-exports. A folder's `mod.rs` may
//! re-export what is below it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;

/// The path of a module from the root of its crate.
type ModulePath = Vec<String>;

/// An import: the path from the crate's root, the local name, and whether it is re-exported.
struct Import {
    path: ModulePath,
    name: String,
    is_public: bool,
}

/// The files of a crate, and what each imports.
struct Sources {
    files: BTreeMap<ModulePath, String>,
    imports: BTreeMap<ModulePath, Vec<Import>>,
}

fn collect(folder: &Path, module: &[String], files: &mut BTreeMap<ModulePath, String>) {
    for path in fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()) {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut here = module.to_vec();
        if path.is_dir() {
            here.push(stem);
            collect(&path, &here, files);
        } else if !(module.is_empty() && ["lib", "main"].contains(&stem.as_str())) {
            if stem != "mod" {
                here.push(stem);
            }
            files.insert(here, code_of(&fs::read_to_string(&path).expect("UTF-8")));
        }
    }
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern("(?m)//.*$"));
static VISIBILITY: LazyLock<Regex> = LazyLock::new(|| pattern(r"pub\(in [^)]*\)"));
static STRING: LazyLock<Regex> = LazyLock::new(|| pattern(r#""(\\.|[^"\\])*""#));
static USE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u:\b)(pub(?:\([^)]*\))? +)?use +([^;]+);"));
static PATH: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u:\b)(?:crate|super|self)(?:::[A-Za-z0-9_]+)+"));
static MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?-u:\b)([a-z_0-9]+)::([A-Za-z0-9_]+)"));

/// A text without its tests, comments and strings, and without the paths in `pub(in …)`, which import nothing.
fn code_of(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let text = COMMENT.replace_all(text, "");
    let text = VISIBILITY.replace_all(&text, "pub");
    STRING.replace_all(&text, "\"\"").into_owned()
}

/// `a::{b, c::{d, e}}` as single paths.
fn expand(tree: &str, out: &mut Vec<String>) {
    let Some((before, rest)) = tree.split_once('{') else { return out.push(tree.trim().to_owned()) };
    let inner = &rest[..rest.rfind('}').unwrap_or(rest.len())];
    let (mut depth, mut start) = (0, 0);
    let cuts = inner.char_indices().filter(|(_, c)| {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        *c == ',' && depth == 0
    });
    for cut in cuts.map(|(at, _)| at).chain([inner.len()]) {
        let part = inner[start..cut].trim();
        if !part.is_empty() {
            expand(&format!("{}{part}", before.trim()), out);
        }
        start = (cut + 1).min(inner.len());
    }
}

impl Sources {
    /// The files of a folder of the project.
    fn read(folder: &str) -> Self {
        let mut files = BTreeMap::new();
        let src: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        collect(&src, &[], &mut files);
        let mut sources = Sources { files, imports: BTreeMap::new() };
        for (module, text) in &sources.files {
            let mut imports = Vec::new();
            for found in USE.captures_iter(text) {
                let mut paths = Vec::new();
                expand(&found[2], &mut paths);
                for path in paths {
                    let (path, alias) = path.split_once(" as ").map_or((&*path, None), |(p, a)| (p, Some(a)));
                    let path = path.strip_suffix("::self").unwrap_or(path);
                    let name = alias.unwrap_or_else(|| path.rsplit("::").next().unwrap_or(path));
                    if let Some(path) = sources.absolute(module, path) {
                        imports.push(Import {
                            path,
                            name: name.trim().to_owned(),
                            is_public: found.get(1).is_some(),
                        });
                    }
                }
            }
            let rest = USE.replace_all(text, "");
            for found in PATH.find_iter(&rest) {
                if let Some(path) = sources.absolute(module, found.as_str()) {
                    imports.push(Import { path, name: String::new(), is_public: false });
                }
            }
            // `name::item`, where `name` is a module that was imported, or one below.
            let mut members = Vec::new();
            for found in MEMBER.captures_iter(&rest) {
                let below = || {
                    Some([&**module, &[found[1].to_owned()]].concat()).filter(|m| sources.files.contains_key(m))
                };
                let base = imports.iter().find(|import| import.name == found[1]).map(|import| import.path.clone());
                if let Some(mut path) = base.or_else(below) {
                    path.push(found[2].to_owned());
                    members.push(Import { path, name: String::new(), is_public: false });
                }
            }
            imports.extend(members);
            sources.imports.insert(module.clone(), imports);
        }
        sources
    }

    /// A path from the root of the crate; `None` for paths of other crates.
    fn absolute(&self, module: &[String], path: &str) -> Option<ModulePath> {
        let mut names: Vec<&str> = path.split("::").map(str::trim).collect();
        let mut base = module.to_vec();
        match names[0] {
            "crate" => base.clear(),
            "super" | "self" => {}
            first => {
                base.push(first.to_owned());
                let known = self.files.contains_key(&base);
                base.pop();
                return known.then(|| base.into_iter().chain(names.into_iter().map(str::to_owned)).collect());
            }
        }
        while let Some(first @ ("crate" | "super" | "self")) = names.first().copied() {
            if first == "super" {
                base.pop();
            }
            names.remove(0);
        }
        Some(base.into_iter().chain(names.into_iter().map(str::to_owned)).collect())
    }

    /// The file that defines the item of a path.
    fn file_of(&self, path: &[String], depth: u8) -> Option<ModulePath> {
        let at = (1..=path.len()).rev().find(|n| self.files.contains_key(&path[..*n]))?;
        let module = path[..at].to_vec();
        let reexport = path.get(at).and_then(|name| {
            let of_name = |import: &&Import| import.is_public && import.name == *name && import.path != path;
            self.imports.get(&module)?.iter().find(of_name)
        });
        if let Some(import) = reexport.filter(|_| depth > 0) {
            let rest = [&*import.path, &path[at + 1..]].concat();
            return self.file_of(&rest, depth - 1).or(Some(module));
        }
        Some(module)
    }

    fn edges(&self) -> BTreeMap<&ModulePath, BTreeSet<ModulePath>> {
        let of = |(module, imports): (&'_ ModulePath, &'_ Vec<Import>)| -> BTreeSet<ModulePath> {
            let targets = imports.iter().filter_map(|import| Some((import, self.file_of(&import.path, 8)?)));
            targets
                .filter(|(import, to)| to != module && !(import.is_public && to.starts_with(module)))
                .map(|(_, to)| to)
                .collect()
        };
        self.imports.iter().map(|(module, imports)| (module, of((module, imports)))).collect()
    }
}

/// All files that can be reached from a file.
fn reachable(edges: &BTreeMap<&ModulePath, BTreeSet<ModulePath>>, from: &ModulePath) -> BTreeSet<ModulePath> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
    while let Some(next) = open.pop() {
        for to in edges.get(&next).into_iter().flatten() {
            if seen.insert(to.clone()) {
                open.push(to.clone());
            }
        }
    }
    seen
}

#[test]
fn there_are_no_import_cycles() {
    for folder in ["src", "packaging/python/src"] {
        let sources = Sources::read(folder);
        let edges = sources.edges();
        assert!(edges.len() > 4, "{folder}");
        let reach: BTreeMap<&ModulePath, BTreeSet<ModulePath>> =
            edges.keys().map(|module| (*module, reachable(&edges, module))).collect();
        let mut cycles: BTreeSet<Vec<String>> = BTreeSet::new();
        for (module, others) in &reach {
            if others.contains(*module) {
                let cycle =
                    reach.iter().filter(|(other, back)| others.contains(**other) && back.contains(*module));
                cycles.insert(cycle.map(|(other, _)| other.join("::")).collect());
            }
        }
        assert!(cycles.is_empty(), "import cycles in {folder}: {cycles:#?}");
    }
}

#[test]
fn paths_are_resolved_like_the_compiler_does() {
    let sources = Sources::read("src");
    let edges = sources.edges();
    let module = |path: &str| path.split("::").map(str::to_owned).collect::<ModulePath>();
    let imports = |from: &str, to: &str| edges[&module(from)].contains(&module(to));
    // By a path, through a re-export, and by a name of an imported module.
    assert!(imports("rule", "history::row") && imports("rule", "target"));
    assert!(imports("history::tree::build", "history::tree::join"));
    assert!(imports("judge::items", "rules::fields"));
    assert!(!imports("history::row", "rule") && !imports("history::tree", "history::tree::build"));
    let mut paths = Vec::new();
    expand("a::{b, c::{self, d as e}}", &mut paths);
    assert_eq!(paths, ["a::b", "a::c::self", "a::c::d as e"]);
}
