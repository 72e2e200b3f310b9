//! Logs that continue from a part of another one, and logs in several pages. A fork names the log that it continues from, and how
//! much of its file; the pages of a log have one id, and names in the order of their times. Both are read as one run of
//! bytes. The other file is looked for among the inputs, then in the same folder tree, then in the folders where such
//! logs are kept.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::WalkDir;

use super::inputs::walk;
use super::inputs::walk::{Earlier, Input};

/// What the first line of a file says about the log that it belongs to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lineage {
    /// The id of the log. Several files may have it.
    pub id: String,
    /// Its lines are numbered.
    pub numbered: bool,
    /// Number of its first line.
    pub first: Option<u64>,
    pub base: Option<Ancestor>,
}

/// The part of another log that a file continues from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ancestor {
    pub id: String,
    /// Bytes of the other file, and the number of the first line that is not part of it.
    pub bytes: u64,
    pub end: u64,
}

/// Reads files, where names do not tell.
pub trait Peek: Sync {
    /// What the first line says, if the file is a log that may have a lineage.
    fn lineage(&self, path: &Path) -> Option<Lineage>;

    /// Whether a line of a file ends at this offset, and the number of that line, if it has one.
    fn line_before(&self, path: &Path, end: u64) -> Option<Option<u64>>;
}

/// Where files are looked for that are not among the inputs.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    /// Also in the folder tree of the file that names them.
    pub beside: bool,
    pub folders: Vec<PathBuf>,
}

/// What the name of a file says: `rollout-<time>-<id>.jsonl`, or `rollout-<time>-<id>_<page>.jsonl`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name<'n> {
    /// The time, and the page.
    pub order: (&'n str, &'n str),
    pub id: &'n str,
}

/// A time in the name of a file, a 0 for each digit.
const TIME: &str = "0000-00-00T00-00-00";
/// Forks of forks that are followed.
const DEPTH: usize = 64;

/// The time that a text begins with, as names of files have it.
pub fn time(text: &str) -> Option<&str> {
    let like = |(letter, like): (u8, u8)| if like == b'0' { letter.is_ascii_digit() } else { letter == like };
    text.get(..TIME.len()).filter(|time| time.bytes().zip(TIME.bytes()).all(like))
}

impl Name<'_> {
    pub fn of(path: &Path) -> Option<Name<'_>> {
        let name = path.file_name()?.to_str()?;
        let name = name.strip_suffix(".zst").or(name.strip_suffix(".gz")).unwrap_or(name);
        let rest = name.strip_suffix(".jsonl")?.strip_prefix("rollout-")?;
        let time = time(rest)?;
        let id = rest.strip_prefix(time)?.strip_prefix('-')?;
        let (id, page) = id.split_once('_').unwrap_or((id, ""));
        Some(Name { order: (time, page), id })
    }
}

/// Finds the files that belong together.
pub struct Family<'p> {
    peek: &'p dyn Peek,
    lookup: &'p Lookup,
    lineages: HashMap<PathBuf, Option<Lineage>>,
    /// Files among the inputs, by id.
    given: HashMap<String, Vec<PathBuf>>,
    /// Files below a folder.
    trees: HashMap<PathBuf, Tree>,
    /// The files of each log, by its id and the folder tree that they were looked for from.
    logs: HashMap<(String, Option<PathBuf>), Arc<Log>>,
    /// What a file continues from.
    ancestors: HashMap<PathBuf, Option<PathBuf>>,
    /// Files that continue from another log, by its id: those below a folder, or those among the inputs.
    forks: HashMap<Option<PathBuf>, HashMap<String, Vec<PathBuf>>>,
    /// The same by what they continue from, for the logs that were asked for.
    built: HashMap<(String, Option<PathBuf>), Children>,
}

/// Files, by the real path of the one that they continue from.
type Children = HashMap<PathBuf, Vec<PathBuf>>;

/// The files below a folder whose names are those of logs, in order. Each is asked for as often as there are inputs.
struct Tree {
    files: Vec<PathBuf>,
    by_id: HashMap<String, Vec<PathBuf>>,
}

/// The files of one log.
struct Log {
    /// Those among the inputs first.
    files: Vec<PathBuf>,
    /// Number of the first line of a file, and its index, in order.
    starts: Vec<(u64, usize)>,
    /// Those whose names tell their order and whose lines are numbered: each with the files of its history, in order.
    pages: HashMap<PathBuf, Arc<[PathBuf]>>,
}

impl Log {
    /// The files in which a line of this number may be the next one: the likeliest first.
    fn before(&self, number: u64) -> impl Iterator<Item = &PathBuf> {
        let after = self.starts.partition_point(|(first, _)| *first < number);
        let first = after.checked_sub(1).and_then(|ix| self.starts.get(ix)).map(|(first, _)| *first);
        let same = first.map(|first| self.starts.partition_point(|(start, _)| *start < first));
        let likeliest = same.and_then(|ix| self.starts.get(ix)).map(|(_, file)| *file);
        let others = (0..self.files.len()).filter(move |file| Some(*file) != likeliest);
        likeliest.into_iter().chain(others).filter_map(|file| self.files.get(file))
    }
}

impl<'p> Family<'p> {
    pub fn new(peek: &'p dyn Peek, lookup: &'p Lookup, inputs: &[Input]) -> Self {
        let mut family = Family {
            peek,
            lookup,
            lineages: HashMap::new(),
            given: HashMap::new(),
            trees: HashMap::new(),
            logs: HashMap::new(),
            forks: HashMap::new(),
            ancestors: HashMap::new(),
            built: HashMap::new(),
        };
        for input in inputs {
            let (paths, named) = match input {
                Input::Stdin | Input::History { .. } | Input::Member { .. } | Input::Tree { .. } => continue,
                Input::File { path, named } => (std::slice::from_ref(path), *named),
                Input::Log { paths, named, .. } => (paths.as_slice(), *named),
            };
            for path in paths.iter().filter(|path| named || Name::of(path).is_some()) {
                if let Some(lineage) = family.lineage(path) {
                    family.given.entry(lineage.id).or_default().push(path.clone());
                }
            }
        }
        family
    }

    fn lineage(&mut self, path: &Path) -> Option<Lineage> {
        if let Some(known) = self.lineages.get(path) {
            return known.clone();
        }
        let lineage = self.peek.lineage(path);
        self.lineages.insert(path.to_owned(), lineage.clone());
        lineage
    }

    /// Puts files together that are one log.
    pub fn gather(&mut self, inputs: Vec<Input>) -> Vec<Input> {
        walk::together(inputs, |path| {
            let known = self.lineages.get(path).and_then(Option::as_ref);
            let id = known.filter(|lineage| lineage.numbered).map(|lineage| lineage.id.clone())?;
            let pages = self.pages(path, &id);
            let base = pages.first().map(|first| self.before(first, 0)).unwrap_or_default();
            (pages.len() > 1 || !base.is_empty()).then_some((base, pages))
        })
    }

    /// The files of a log that belong to one history, in order.
    fn pages(&mut self, path: &Path, id: &str) -> Vec<PathBuf> {
        match self.log(id, path).pages.get(path) {
            Some(pages) => pages.to_vec(),
            None => vec![path.to_owned()],
        }
    }

    /// The files of the log with this id: among the inputs, else in the first place that has one.
    fn log(&mut self, id: &str, beside: &Path) -> Arc<Log> {
        let key = (id.to_owned(), self.lookup.beside.then(|| tree_of(beside)));
        if let Some(log) = self.logs.get(&key) {
            return Arc::clone(log);
        }
        let files = self.files_of(id, beside);
        let mut starts: Vec<(u64, usize)> = Vec::new();
        for (ix, file) in files.iter().enumerate() {
            starts.extend(self.lineage(file).and_then(|lineage| lineage.first).map(|first| (first, ix)));
        }
        starts.sort_unstable();
        let pages = self.histories(&files);
        let log = Arc::new(Log { files, starts, pages });
        self.logs.insert(key, Arc::clone(&log));
        log
    }

    /// The pages of a log, in their order; a file that continues from another one begins a new history.
    fn histories(&mut self, files: &[PathBuf]) -> HashMap<PathBuf, Arc<[PathBuf]>> {
        let mut named: Vec<&PathBuf> = Vec::new();
        for file in files {
            let numbered = self.lineage(file).is_some_and(|lineage| lineage.numbered);
            named.extend((numbered && Name::of(file).is_some()).then_some(file));
        }
        named.sort_by(|a, b| Name::of(a).map(|name| name.order).cmp(&Name::of(b).map(|name| name.order)));
        let mut histories: Vec<Vec<PathBuf>> = Vec::new();
        for file in named {
            let is_page = Name::of(file).is_some_and(|name| !name.order.1.is_empty());
            let begins = !is_page || self.lineage(file).is_some_and(|lineage| lineage.base.is_some());
            match histories.last_mut().filter(|_| !begins) {
                Some(pages) => pages.push(file.clone()),
                None => histories.push(vec![file.clone()]),
            }
        }
        let mut pages_of = HashMap::new();
        for pages in histories {
            let pages: Arc<[PathBuf]> = pages.into();
            pages_of.extend(pages.iter().map(|file| (file.clone(), Arc::clone(&pages))));
        }
        pages_of
    }

    /// What the history of a file holds before its first line.
    fn before(&mut self, path: &Path, depth: usize) -> Vec<Earlier> {
        let base = self.lineage(path).and_then(|lineage| lineage.base);
        let Some(base) = base.filter(|_| depth < DEPTH) else { return Vec::new() };
        let Some(parent) = self.ancestor(&base, path) else { return Vec::new() };
        let mut pages = self.pages(&parent, &base.id);
        pages.truncate(pages.iter().position(|page| *page == parent).unwrap_or(0));
        let first = pages.first().unwrap_or(&parent).clone();
        let mut before = self.before(&first, depth + 1);
        before.extend(pages.into_iter().map(|path| Earlier { path, bytes: None }));
        before.push(Earlier { path: parent, bytes: Some(base.bytes) });
        before
    }

    /// The file that another one continues from: best one whose line at the offset has the right number.
    fn ancestor(&mut self, base: &Ancestor, of: &Path) -> Option<PathBuf> {
        if let Some(known) = self.ancestors.get(of) {
            return known.clone();
        }
        let log = self.log(&base.id, of);
        let mut best = None;
        for file in log.before(base.end).filter(|file| *file != of) {
            match self.peek.line_before(file, base.bytes) {
                Some(Some(number)) if number + 1 == base.end => {
                    best = Some(file.clone());
                    break;
                }
                Some(_) => best = best.or(Some(file.clone())),
                None => {}
            }
        }
        self.ancestors.insert(of.to_owned(), best.clone());
        best
    }

    /// The files that continue from a part of this one.
    pub fn builders(&mut self, path: &Path) -> Vec<PathBuf> {
        let Some(Lineage { id, .. }) = self.lineage(path) else { return Vec::new() };
        let own = real(path);
        let mut files = self.built_on(&id, None, &own);
        for folder in self.folders(path) {
            files.extend(self.built_on(&id, Some(&folder), &own));
        }
        let mut seen = HashSet::from([own]);
        files.retain(|file| seen.insert(real(file)));
        files
    }

    /// Files that continue from this one of the log with this id: those below a folder, or those among the inputs.
    fn built_on(&mut self, id: &str, folder: Option<&Path>, own: &Path) -> Vec<PathBuf> {
        let key = (id.to_owned(), folder.map(Path::to_owned));
        if !self.built.contains_key(&key) {
            let mut children = Children::new();
            for file in self.forks_of(id, folder) {
                let base = self.lineage(&file).and_then(|lineage| lineage.base);
                if let Some(parent) = base.and_then(|base| self.ancestor(&base, &file)) {
                    children.entry(real(&parent)).or_default().push(file);
                }
            }
            self.built.insert(key.clone(), children);
        }
        self.built.get(&key).and_then(|children| children.get(own)).cloned().unwrap_or_default()
    }

    /// Files that continue from the log with this id: those below a folder, or those among the inputs.
    fn forks_of(&mut self, id: &str, folder: Option<&Path>) -> Vec<PathBuf> {
        let key = folder.map(Path::to_owned);
        if !self.forks.contains_key(&key) {
            let files = match folder {
                Some(folder) => self.tree(folder).files.clone(),
                None => {
                    let mut files: Vec<PathBuf> = self.given.values().flatten().cloned().collect();
                    files.sort_unstable();
                    files
                }
            };
            let mut forks: HashMap<String, Vec<PathBuf>> = HashMap::new();
            for file in files {
                if let Some(base) = self.lineage(&file).and_then(|lineage| lineage.base) {
                    forks.entry(base.id).or_default().push(file);
                }
            }
            self.forks.insert(key.clone(), forks);
        }
        self.forks.get(&key).and_then(|forks| forks.get(id)).cloned().unwrap_or_default()
    }

    fn files_of(&mut self, id: &str, beside: &Path) -> Vec<PathBuf> {
        let mut files = self.given.get(id).cloned().unwrap_or_default();
        let mut seen: HashSet<PathBuf> = files.iter().map(|file| real(file)).collect();
        for folder in self.folders(beside) {
            let more = self.tree(&folder).by_id.get(id).into_iter().flatten();
            files.extend(more.filter(|file| seen.insert(real(file))).cloned());
        }
        files
    }

    fn folders(&self, beside: &Path) -> Vec<PathBuf> {
        let own = self.lookup.beside.then(|| tree_of(beside));
        own.into_iter().chain(self.lookup.folders.iter().filter(|_| self.lookup.beside).cloned()).collect()
    }

    fn tree(&mut self, root: &Path) -> &Tree {
        self.trees.entry(root.to_owned()).or_insert_with(|| {
            let depth = if is_dated(root) { DATED } else { 1 };
            let at = if root.as_os_str().is_empty() { Path::new(".") } else { root };
            let files = WalkDir::new(at).max_depth(depth).into_iter().flatten();
            let files = files.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
            let mut files: Vec<PathBuf> = files
                .map(|path| path.strip_prefix(at).map(|below| root.join(below)).unwrap_or(path))
                .filter(|path| Name::of(path).is_some())
                .collect();
            files.sort_unstable();
            let mut by_id: HashMap<String, Vec<PathBuf>> = HashMap::new();
            for file in &files {
                if let Some(name) = Name::of(file) {
                    by_id.entry(name.id.to_owned()).or_default().push(file.clone());
                }
            }
            Tree { files, by_id }
        })
    }
}

/// Folders of years, months, days, and what lies in them.
const DATED: usize = 4;

fn is_number(name: Option<&std::ffi::OsStr>) -> bool {
    name.and_then(|name| name.to_str())
        .is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a folder holds one for each year.
fn is_dated(root: &Path) -> bool {
    let at = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let entries = std::fs::read_dir(at).into_iter().flatten().flatten();
    entries.filter(|entry| is_number(Some(&entry.file_name()))).any(|entry| entry.path().is_dir())
}

/// The folder that a file lies in; above the folders for its day, month and year, if it lies in such.
fn tree_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut root = folder;
    for _ in 0..3 {
        match root.parent() {
            Some(above) if is_number(root.file_name()) => root = above,
            _ => return folder.to_owned(),
        }
    }
    root.to_owned()
}

fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
