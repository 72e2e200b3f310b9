//! Lineage of logs: finding their ancestors and forks reads a number of files that is linear in their number, however they
//! are related.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use replaylint::internals::source::Input;
use replaylint::internals::source::lineage::{Ancestor, Lineage, LineageLookup, LineageReader, LogFamily};

use crate::support::work::{MOST, Work, grows_linearly};

const FEW: usize = 100;
const MANY: usize = 4 * FEW;

/// Lines of each file, each of ten bytes.
const LINES_PER_FILE: u64 = 10;
const LINE_LENGTH: u64 = 10;

/// Logs that exist only as their lineages; counts how often they are read.
#[derive(Default)]
struct VirtualLogs {
    lineages: HashMap<PathBuf, Lineage>,
    order: Vec<PathBuf>,
    reads: AtomicU64,
}

impl VirtualLogs {
    /// Adds a file of the log `id`; `page` is 0 for its first one. `base` is the log, and the line after the last one, that
    /// it continues from.
    fn add(&mut self, id: &str, page: u64, base: Option<(&str, u64)>) {
        let suffix = if page == 0 { String::new() } else { format!("_{page:04}") };
        let path = PathBuf::from(format!("/nowhere/rollout-2026-09-18T09-31-07-{id}{suffix}.jsonl"));
        let base = base.map(|(id, end)| {
            // A line of a later page is at the same offset as that line of the first page.
            let bytes = ((end - 1) % LINES_PER_FILE + 1) * LINE_LENGTH;
            Ancestor { id: id.to_owned(), bytes, end }
        });
        let lineage = Lineage { id: id.to_owned(), numbered: true, first: Some(page * LINES_PER_FILE), base };
        self.lineages.insert(path.clone(), lineage);
        self.order.push(path);
    }

    fn inputs(&self) -> Vec<Input> {
        self.order.iter().map(|path| Input::File { path: path.clone(), named: true }).collect()
    }
}

impl LineageReader for VirtualLogs {
    fn lineage(&self, path: &Path) -> Option<Lineage> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.lineages.get(path).cloned()
    }

    fn line_before(&self, path: &Path, end: u64) -> Option<Option<u64>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let first = self.lineages.get(path)?.first?;
        (end.is_multiple_of(LINE_LENGTH) && end <= LINES_PER_FILE * LINE_LENGTH)
            .then(|| Some(first + end / LINE_LENGTH - 1))
    }
}

/// Groups the files into logs, and finds the forks of each: the work, and the numbers of reads, inputs and forks.
fn group_and_count(files: &VirtualLogs) -> (Work, u64, usize, usize) {
    let lookup = LineageLookup::default();
    let (work, (inputs, fork_count)) = Work::of(|| {
        let mut family = LogFamily::new(files, &lookup, &files.inputs());
        let inputs = family.group_logs(files.inputs()).len();
        let fork_count = files.order.iter().map(|path| family.forks(path).len()).sum();
        (inputs, fork_count)
    });
    (work, files.reads.load(Ordering::Relaxed), inputs, fork_count)
}

/// A relation between files: its name, its `n` files, and the expected numbers of inputs and forks.
type LineageShape = (&'static str, fn(usize) -> VirtualLogs, fn(usize) -> usize, fn(usize) -> usize);

#[rustfmt::skip]
const SHAPES: [LineageShape; 6] = [
    ("logs alone", alone, |n| n, |_| 0),
    ("forks of one line", forks, |n| n + 1, |n| n),
    ("pages of one log", pages, |_| 1, |_| 0),
    ("forks of forks", chain, |n| n, |n| n - 1),
    ("forks of every page", forks_of_pages, |n| n + 1, |n| n),
    ("files with one id", copies, |n| n, |_| 0),
];

fn build_logs(n: usize, mut add: impl FnMut(&mut VirtualLogs, usize)) -> VirtualLogs {
    let mut files = VirtualLogs::default();
    (0..n).for_each(|ix| add(&mut files, ix));
    files
}

fn alone(n: usize) -> VirtualLogs {
    build_logs(n, |files, ix| files.add(&format!("log{ix}"), 0, None))
}

fn forks(n: usize) -> VirtualLogs {
    let mut files = build_logs(n, |files, ix| files.add(&format!("fork{ix}"), 0, Some(("base", 5))));
    files.add("base", 0, None);
    files
}

fn pages(n: usize) -> VirtualLogs {
    build_logs(n, |files, ix| files.add("base", ix as u64, None))
}

fn chain(n: usize) -> VirtualLogs {
    build_logs(n, |files, ix| match ix {
        0 => files.add("log0", 0, None),
        _ => files.add(&format!("log{ix}"), 0, Some((&format!("log{}", ix - 1), 5))),
    })
}

fn forks_of_pages(n: usize) -> VirtualLogs {
    build_logs(n, |files, ix| {
        files.add("base", ix as u64, None);
        files.add(&format!("fork{ix}"), 0, Some(("base", ix as u64 * LINES_PER_FILE + 5)));
    })
}

/// Files with one id, each of them an independent history.
fn copies(n: usize) -> VirtualLogs {
    let mut files = VirtualLogs::default();
    for ix in 0..n {
        files.add("copy", 0, None);
        let path = files.order.pop().expect("it was added");
        let lineage = files.lineages.remove(&path).expect("it was added");
        let path = Path::new("/nowhere").join(ix.to_string()).join(path.file_name().expect("a name"));
        files.lineages.insert(path.clone(), lineage);
        files.order.push(path);
    }
    files
}

#[test]
fn reads_grow_linearly_with_the_number_of_files() {
    for (name, shape, inputs, forks_of) in SHAPES {
        let [few, many] = [FEW, MANY].map(|n| {
            let (work, reads, input_count, fork_count) = group_and_count(&shape(n));
            assert_eq!((input_count, fork_count), (inputs(n), forks_of(n)), "{name}: inputs, and forks");
            (work, reads)
        });
        assert!(few.1 >= FEW as u64 && many.1 <= few.1 * MOST, "{name}: {} reads grow to {}", few.1, many.1);
        // A fork begins with the whole history of its ancestors, up to a limit.
        if !["forks of every page", "forks of forks"].contains(&name) {
            grows_linearly(name, few.0, many.0);
        }
    }
}
