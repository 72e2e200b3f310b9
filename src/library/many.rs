//! Batches: many documents with the same options, on several threads.

use crate::source::bug::{self, Bug};
use crate::source::parallel;

use super::error::Error;
use super::fix::{Fixed, fix};
use super::options::Options;
use super::report::{Report, check};

/// Documents that a thread processes at a time, because scheduling one costs as much as checking a small document.
const STRIDE: usize = 32;

/// [`check`] for many documents, on `threads` threads (0: as many as the machine has). The results are in the order of
/// the documents; a failure of one, even a panic, does not affect the others.
///
/// ```
/// use replaylint::{Options, check_many};
///
/// let documents = [
///     r#"{"messages": [{"role": "user", "content": "Hello"}]}"#,
///     r#"{"messages": [{"role": "tool", "tool_call_id": "call_1", "content": "22 degrees"}]}"#,
/// ];
/// let reports = check_many(&documents, &Options::new(), 0);
/// let errors: Vec<bool> = reports.iter().map(|report| report.as_ref().unwrap().has_errors()).collect();
/// assert_eq!(errors, [false, true]);
/// ```
pub fn check_many<D>(documents: &[D], options: &Options, threads: usize) -> Vec<Result<Report, Error>>
where
    D: AsRef<[u8]> + Sync,
{
    map_documents(documents, threads, |document| check(document, options))
}

/// [`fix`](super::fix()) for many documents, as [`check_many`].
///
/// ```
/// use replaylint::{Dialect, Options, fix_many};
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let lists = [r#"[{"role": "user", "content": "Hello"}, {"role": "tool", "tool_call_id": "call_1", "content": "22"}]"#];
/// let fixed = fix_many(&lists, &Options::new().list_of(Dialect::Chat)?, 0);
/// assert_eq!(&*fixed[0].as_ref().unwrap().text, br#"[{"role": "user", "content": "Hello"}]"#);
/// # Ok(())
/// # }
/// ```
pub fn fix_many<'t, D>(documents: &'t [D], options: &Options, threads: usize) -> Vec<Result<Fixed<'t>, Error>>
where
    D: AsRef<[u8]> + Sync,
{
    map_documents(documents, threads, |document| fix(document, options))
}

fn map_documents<'t, D, R>(
    documents: &'t [D],
    threads: usize,
    work: impl Fn(&'t [u8]) -> Result<R, Error> + Sync,
) -> Vec<Result<R, Error>>
where
    D: AsRef<[u8]> + Sync,
    R: Send,
{
    let threads = match threads {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
        threads => threads,
    };
    let strides: Vec<&[D]> = documents.chunks(STRIDE).collect();
    let one =
        |document: &'t D| bug::catch_panic(|| work(document.as_ref())).unwrap_or_else(|bug: Bug| Err(bug.into()));
    let mut results = Vec::with_capacity(documents.len());
    parallel::run_in_order(
        threads,
        strides.len(),
        || (),
        |(), n| strides.get(n).map_or_else(Vec::new, |stride| stride.iter().map(one).collect()),
        |stride: Vec<Result<R, Error>>| {
            results.extend(stride);
            true
        },
    );
    results
}
