//! Finding what logs continue from, and what continues from them: the files that are looked at grow with their number,
//! however they are related.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use replaylint::internals::source::Input;
use replaylint::internals::source::lineage::{Ancestor, Family, Lineage, Lookup, Peek};

use crate::support::work::{MOST, Work, grows_linearly};

const FEW: usize = 100;
const MANY: usize = 4 * FEW;

/// Lines of each file, each of ten bytes.
const LINES: u64 = 10;
const LINE: u64 = 10;

/// Files that are not there, but for what they say.
#[derive(Default)]
struct Files {
    lineages: HashMap<PathBuf, Lineage>,
    order: Vec<PathBuf>,
    looks: AtomicU64,
}

impl Files {
    /// A file of the log `id`; `page` is 0 for its first one. It continues from a line of another log.
    fn add(&mut self, id: &str, page: u64, base: Option<(&str, u64)>) {
        let suffix = if page == 0 { String::new() } else { format!("_{page:04}") };
        let path = PathBuf::from(format!("/nowhere/rollout-2026-09-18T09-31-07-{id}{suffix}.jsonl"));
        let base = base.map(|(id, end)| {
            // A line of a later page lies as far into it as the same line of the first one.
            let bytes = ((end - 1) % LINES + 1) * LINE;
            Ancestor { id: id.to_owned(), bytes, end }
        });
        let lineage = Lineage { id: id.to_owned(), numbered: true, first: Some(page * LINES), base };
        self.lineages.insert(path.clone(), lineage);
        self.order.push(path);
    }

    fn inputs(&self) -> Vec<Input> {
        self.order.iter().map(|path| Input::File { path: path.clone(), named: true }).collect()
    }
}

impl Peek for Files {
    fn lineage(&self, path: &Path) -> Option<Lineage> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        self.lineages.get(path).cloned()
    }

    fn line_before(&self, path: &Path, end: u64) -> Option<Option<u64>> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        let first = self.lineages.get(path)?.first?;
        (end.is_multiple_of(LINE) && end <= LINES * LINE).then(|| Some(first + end / LINE - 1))
    }
}

/// Gathers the files, and asks for what continues from each. Gives the work, how many files were looked at, how many
/// inputs are left, and how many files continue from another.
fn gathered(files: &Files) -> (Work, u64, usize, usize) {
    let lookup = Lookup::default();
    let (work, (inputs, built)) = Work::of(|| {
        let mut family = Family::new(files, &lookup, &files.inputs());
        let inputs = family.gather(files.inputs()).len();
        let built = files.order.iter().map(|path| family.builders(path).len()).sum();
        (inputs, built)
    });
    (work, files.looks.load(Ordering::Relaxed), inputs, built)
}

/// Ways in which files are related: their files, and how many inputs and continuations there are of `n`.
type Shape = (&'static str, fn(usize) -> Files, fn(usize) -> usize, fn(usize) -> usize);

#[rustfmt::skip]
const SHAPES: [Shape; 6] = [
    ("logs alone", alone, |n| n, |_| 0),
    ("forks of one line", forks, |n| n + 1, |n| n),
    ("pages of one log", pages, |_| 1, |_| 0),
    ("forks of forks", chain, |n| n, |n| n - 1),
    ("forks of every page", forks_of_pages, |n| n + 1, |n| n),
    ("files with one id", copies, |n| n, |_| 0),
];

fn made(n: usize, mut add: impl FnMut(&mut Files, usize)) -> Files {
    let mut files = Files::default();
    (0..n).for_each(|ix| add(&mut files, ix));
    files
}

fn alone(n: usize) -> Files {
    made(n, |files, ix| files.add(&format!("log{ix}"), 0, None))
}

fn forks(n: usize) -> Files {
    let mut files = made(n, |files, ix| files.add(&format!("fork{ix}"), 0, Some(("base", 5))));
    files.add("base", 0, None);
    files
}

fn pages(n: usize) -> Files {
    made(n, |files, ix| files.add("base", ix as u64, None))
}

fn chain(n: usize) -> Files {
    made(n, |files, ix| match ix {
        0 => files.add("log0", 0, None),
        _ => files.add(&format!("log{ix}"), 0, Some((&format!("log{}", ix - 1), 5))),
    })
}

fn forks_of_pages(n: usize) -> Files {
    made(n, |files, ix| {
        files.add("base", ix as u64, None);
        files.add(&format!("fork{ix}"), 0, Some(("base", ix as u64 * LINES + 5)));
    })
}

/// Each begins a history of its own.
fn copies(n: usize) -> Files {
    let mut files = Files::default();
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
fn four_times_as_many_files_are_four_times_the_looks() {
    for (name, shape, inputs, built) in SHAPES {
        let [few, many] = [FEW, MANY].map(|n| {
            let (work, looks, left, continued) = gathered(&shape(n));
            assert_eq!(
                (left, continued),
                (inputs(n), built(n)),
                "{name}: inputs that are left, and continuations"
            );
            (work, looks)
        });
        assert!(few.1 >= FEW as u64 && many.1 <= few.1 * MOST, "{name}: {} looks grow to {}", few.1, many.1);
        // What continues from something begins with all that came before, up to a limit.
        if !["forks of every page", "forks of forks"].contains(&name) {
            grows_linearly(name, few.0, many.0);
        }
    }
}
