//! Logs that continue another one, and logs in several pages. A fork names the log that it continues, and how much
//! of its file; the pages of a log share an id, and their names sort by time. Both are read as one run of bytes.
//! The other files are searched among the inputs, then in the same folder tree, then in the folders where agents
//! store such logs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use walkdir::WalkDir;

use super::inputs::walk;
use super::inputs::walk::{Input, PrecedingFile};

/// The identity and origin of a log, from the first line of one of its files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lineage {
    /// The id of the log. Several files may have it.
    pub id: String,
    /// True if its lines are numbered.
    pub numbered: bool,
    /// Number of the first line, if it has one.
    pub first: Option<u64>,
    pub base: Option<Ancestor>,
}

/// The part of another log that a file continues.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ancestor {
    pub id: String,
    /// Bytes of the other file.
    pub bytes: u64,
    pub end: u64,
}

/// Reads the facts about log files that their names do not contain.
pub trait LineageReader: Sync {
    /// The lineage in the first line; `None` if the file is not such a log.
    fn lineage(&self, path: &Path) -> Option<Lineage>;

    /// The number of the line that ends at this offset, if it has one; `None` if no line ends there.
    fn line_before(&self, path: &Path, end: u64) -> Option<Option<u64>>;
}

/// Where to search for files that are not among the inputs.
#[derive(Clone, Debug, Default)]
pub struct LineageLookup {
    /// Also search the folder tree of the file that refers to them.
    pub beside: bool,
    pub folders: Vec<PathBuf>,
}

/// The parts of a file name `rollout-<time>-<id>.jsonl` or `rollout-<time>-<id>_<page>.jsonl`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RolloutName<'n> {
    /// The time, and the page.
    pub order: (&'n str, &'n str),
    pub id: &'n str,
}

/// The pattern of a time in a file name, with 0 for each digit.
const TIME: &str = "0000-00-00T00-00-00";
/// Maximum depth of forks of forks.
const DEPTH: usize = 64;

/// The time at the start of a text, in the form used by file names.
pub fn parse_time(text: &str) -> Option<&str> {
    let like = |(letter, like): (u8, u8)| if like == b'0' { letter.is_ascii_digit() } else { letter == like };
    text.get(..TIME.len()).filter(|time| time.bytes().zip(TIME.bytes()).all(like))
}

impl RolloutName<'_> {
    pub fn of(path: &Path) -> Option<RolloutName<'_>> {
        let name = path.file_name()?.to_str()?;
        let name = name.strip_suffix(".zst").or(name.strip_suffix(".gz")).unwrap_or(name);
        let rest = name.strip_suffix(".jsonl")?.strip_prefix("rollout-")?;
        let time = parse_time(rest)?;
        let id = rest.strip_prefix(time)?.strip_prefix('-')?;
        let (id, page) = id.split_once('_').unwrap_or((id, ""));
        Some(RolloutName { order: (time, page), id })
    }
}

/// Finds the files that belong to one log, and the logs that they continue.
pub struct LogFamily<'p> {
    peek: &'p dyn LineageReader,
    lookup: &'p LineageLookup,
    lineages: HashMap<PathBuf, Option<Lineage>>,
    /// Files among the inputs, by id.
    given: HashMap<String, Vec<PathBuf>>,
    /// Files below a folder.
    trees: HashMap<PathBuf, LogTree>,
    /// The files of each log, by its id and the folder tree that was searched.
    logs: HashMap<(String, Option<PathBuf>), Arc<LogFiles>>,
    /// The file that a file continues.
    ancestors: HashMap<PathBuf, Option<PathBuf>>,
    /// Files that continue another log, by its id: those below a folder, or (`None`) those among the inputs.
    forks: HashMap<Option<PathBuf>, HashMap<String, Vec<PathBuf>>>,
    /// The same by the file that they continue, for the logs requested so far.
    forks_by_base: HashMap<(String, Option<PathBuf>), ForksByBase>,
}

/// Files by the real path of the one that they continue.
type ForksByBase = HashMap<PathBuf, Vec<PathBuf>>;

/// The log files below a folder, in order. Cached, because it is needed for each input.
struct LogTree {
    files: Vec<PathBuf>,
    by_id: HashMap<String, Vec<PathBuf>>,
}

/// The files of one log.
struct LogFiles {
    /// Those among the inputs first.
    files: Vec<PathBuf>,
    /// Number of the first line of a file, and its index, in order.
    starts: Vec<(u64, usize)>,
    /// For each page (a file with numbered lines, ordered by its name): all pages of its history, in order.
    pages: HashMap<PathBuf, Arc<[PathBuf]>>,
}

impl LogFiles {
    /// The files in which a line with this number may be the next one, the likeliest first.
    fn files_before(&self, number: u64) -> impl Iterator<Item = &PathBuf> {
        let after = self.starts.partition_point(|(first, _)| *first < number);
        let first = after.checked_sub(1).and_then(|ix| self.starts.get(ix)).map(|(first, _)| *first);
        let same = first.map(|first| self.starts.partition_point(|(start, _)| *start < first));
        let likeliest = same.and_then(|ix| self.starts.get(ix)).map(|(_, file)| *file);
        let others = (0..self.files.len()).filter(move |file| Some(*file) != likeliest);
        likeliest.into_iter().chain(others).filter_map(|file| self.files.get(file))
    }
}

impl<'p> LogFamily<'p> {
    pub fn new(peek: &'p dyn LineageReader, lookup: &'p LineageLookup, inputs: &[Input]) -> Self {
        let mut family = LogFamily {
            peek,
            lookup,
            lineages: HashMap::default(),
            given: HashMap::default(),
            trees: HashMap::default(),
            logs: HashMap::default(),
            forks: HashMap::default(),
            ancestors: HashMap::default(),
            forks_by_base: HashMap::default(),
        };
        for input in inputs {
            let (paths, named) = match input {
                Input::Stdin | Input::History { .. } | Input::Member { .. } | Input::Tree { .. } => continue,
                Input::File { path, named } => (std::slice::from_ref(path), *named),
                Input::Log { paths, named, .. } => (paths.as_slice(), *named),
            };
            for path in paths.iter().filter(|path| named || RolloutName::of(path).is_some()) {
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

    /// Replaces the files of each log by one input.
    pub fn group_logs(&mut self, inputs: Vec<Input>) -> Vec<Input> {
        walk::join_logs(inputs, |path| {
            let known = self.lineages.get(path).and_then(Option::as_ref);
            let id = known.filter(|lineage| lineage.numbered).map(|lineage| lineage.id.clone())?;
            let pages = self.pages(path, &id);
            let base = pages.first().map(|first| self.preceding_files(first, 0)).unwrap_or_default();
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

    /// The files of the log with this id, from the inputs and the searched folders.
    fn log(&mut self, id: &str, beside: &Path) -> Arc<LogFiles> {
        let key = (id.to_owned(), self.lookup.beside.then(|| log_root(beside)));
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
        let log = Arc::new(LogFiles { files, starts, pages });
        self.logs.insert(key, Arc::clone(&log));
        log
    }

    /// The pages of a log, in order; a file that continues another one begins a new history.
    fn histories(&mut self, files: &[PathBuf]) -> HashMap<PathBuf, Arc<[PathBuf]>> {
        let mut named: Vec<&PathBuf> = Vec::new();
        for file in files {
            let numbered = self.lineage(file).is_some_and(|lineage| lineage.numbered);
            named.extend((numbered && RolloutName::of(file).is_some()).then_some(file));
        }
        named.sort_by(|a, b| {
            RolloutName::of(a).map(|name| name.order).cmp(&RolloutName::of(b).map(|name| name.order))
        });
        let mut histories: Vec<Vec<PathBuf>> = Vec::new();
        for file in named {
            let is_page = RolloutName::of(file).is_some_and(|name| !name.order.1.is_empty());
            let begins = !is_page || self.lineage(file).is_some_and(|lineage| lineage.base.is_some());
            match histories.last_mut().filter(|_| !begins) {
                Some(pages) => pages.push(file.clone()),
                None => histories.push(vec![file.clone()]),
            }
        }
        let mut pages_of = HashMap::default();
        for pages in histories {
            let pages: Arc<[PathBuf]> = pages.into();
            pages_of.extend(pages.iter().map(|file| (file.clone(), Arc::clone(&pages))));
        }
        pages_of
    }

    /// The files that precede the first line of a file.
    fn preceding_files(&mut self, path: &Path, depth: usize) -> Vec<PrecedingFile> {
        let base = self.lineage(path).and_then(|lineage| lineage.base);
        let Some(base) = base.filter(|_| depth < DEPTH) else { return Vec::new() };
        let Some(parent) = self.ancestor(&base, path) else { return Vec::new() };
        let mut pages = self.pages(&parent, &base.id);
        pages.truncate(pages.iter().position(|page| *page == parent).unwrap_or(0));
        let first = pages.first().unwrap_or(&parent).clone();
        let mut before = self.preceding_files(&first, depth + 1);
        before.extend(pages.into_iter().map(|path| PrecedingFile { path, bytes: None }));
        before.push(PrecedingFile { path: parent, bytes: Some(base.bytes) });
        before
    }

    /// The file that another one continues: preferably one whose line at the offset has the right number.
    fn ancestor(&mut self, base: &Ancestor, of: &Path) -> Option<PathBuf> {
        if let Some(known) = self.ancestors.get(of) {
            return known.clone();
        }
        let log = self.log(&base.id, of);
        let mut best = None;
        for file in log.files_before(base.end).filter(|file| *file != of) {
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

    /// The files that continue a part of this one.
    pub fn forks(&mut self, path: &Path) -> Vec<PathBuf> {
        let Some(Lineage { id, .. }) = self.lineage(path) else { return Vec::new() };
        let own = real_path(path);
        let mut files = self.forks_from(&id, None, &own);
        for folder in self.folders(path) {
            files.extend(self.forks_from(&id, Some(&folder), &own));
        }
        let mut seen = HashSet::from_iter([own]);
        files.retain(|file| seen.insert(real_path(file)));
        files
    }

    /// Files that continue this one of the log with this id: those below a folder, or those among the inputs.
    fn forks_from(&mut self, id: &str, folder: Option<&Path>, own: &Path) -> Vec<PathBuf> {
        let key = (id.to_owned(), folder.map(Path::to_owned));
        if !self.forks_by_base.contains_key(&key) {
            let mut children = ForksByBase::default();
            for file in self.forks_of(id, folder) {
                let base = self.lineage(&file).and_then(|lineage| lineage.base);
                if let Some(parent) = base.and_then(|base| self.ancestor(&base, &file)) {
                    children.entry(real_path(&parent)).or_default().push(file);
                }
            }
            self.forks_by_base.insert(key.clone(), children);
        }
        self.forks_by_base.get(&key).and_then(|children| children.get(own)).cloned().unwrap_or_default()
    }

    /// Files that continue the log with this id: those below a folder, or those among the inputs.
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
            let mut forks: HashMap<String, Vec<PathBuf>> = HashMap::default();
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
        let mut seen: HashSet<PathBuf> = files.iter().map(|file| real_path(file)).collect();
        for folder in self.folders(beside) {
            let more = self.tree(&folder).by_id.get(id).into_iter().flatten();
            files.extend(more.filter(|file| seen.insert(real_path(file))).cloned());
        }
        files
    }

    fn folders(&self, beside: &Path) -> Vec<PathBuf> {
        let own = self.lookup.beside.then(|| log_root(beside));
        own.into_iter().chain(self.lookup.folders.iter().filter(|_| self.lookup.beside).cloned()).collect()
    }

    fn tree(&mut self, root: &Path) -> &LogTree {
        self.trees.entry(root.to_owned()).or_insert_with(|| {
            let depth = if is_dated(root) { DATED } else { 1 };
            let at = if root.as_os_str().is_empty() { Path::new(".") } else { root };
            let files = WalkDir::new(at).max_depth(depth).into_iter().flatten();
            let files = files.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
            let mut files: Vec<PathBuf> = files
                .map(|path| path.strip_prefix(at).map(|below| root.join(below)).unwrap_or(path))
                .filter(|path| RolloutName::of(path).is_some())
                .collect();
            files.sort_unstable();
            let mut by_id: HashMap<String, Vec<PathBuf>> = HashMap::default();
            for file in &files {
                if let Some(name) = RolloutName::of(file) {
                    by_id.entry(name.id.to_owned()).or_default().push(file.clone());
                }
            }
            LogTree { files, by_id }
        })
    }
}

/// Depth of a tree of folders for years, months and days, with their files.
const DATED: usize = 4;

fn is_number(name: Option<&std::ffi::OsStr>) -> bool {
    name.and_then(|name| name.to_str())
        .is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()))
}

/// True if a folder has subfolders named by numbers, such as years.
fn is_dated(root: &Path) -> bool {
    let at = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    let entries = std::fs::read_dir(at).into_iter().flatten().flatten();
    entries.filter(|entry| is_number(Some(&entry.file_name()))).any(|entry| entry.path().is_dir())
}

/// The folder of a file, or the one above its folders for day, month and year.
fn log_root(path: &Path) -> PathBuf {
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

fn real_path(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
