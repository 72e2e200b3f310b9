//! Panics. Each is a bug of this program, not a fault of what it reads: it is caught, reported as a bug, and the
//! run continues. The message of a panic may quote the text being read, so only its source location is kept.

use std::cell::RefCell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

thread_local! {
    /// Location of the last panic of this thread.
    static LAST: RefCell<Option<PanicLocation>> = const { RefCell::new(None) };
}

/// A line in the source of this program or of one of its dependencies.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PanicLocation {
    file: Arc<str>,
    line: u32,
}

/// A panic that was caught.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug(Option<PanicLocation>);

/// Number of trailing path components that are shown; those before them depend on the build machine.
const SHOWN_COMPONENTS: usize = 4;

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal error in replaylint {}", env!("CARGO_PKG_VERSION"))?;
        if let Some(PanicLocation { file, line }) = &self.0 {
            let parts: Vec<&str> =
                file.rsplitn(SHOWN_COMPONENTS + 1, ['/', '\\']).take(SHOWN_COMPONENTS).collect();
            let file: Vec<&str> = parts.into_iter().rev().collect();
            write!(f, " at {}:{line}", file.join("/"))?;
        }
        write!(f, "; this is a bug in replaylint, please report it with this message")
    }
}

/// Installs a panic hook that records the location and prints nothing.
pub fn silence_panics() {
    panic::set_hook(Box::new(|info| {
        let origin = info.location().map(|at| PanicLocation { file: at.file().into(), line: at.line() });
        LAST.with(|last| *last.borrow_mut() = origin);
    }));
}

/// Runs a function and catches its panic. After a panic, whatever the function mutates must not be used.
pub fn catch_panic<R>(run: impl FnOnce() -> R) -> Result<R, Bug> {
    panic::catch_unwind(AssertUnwindSafe(run)).map_err(|payload| match payload.downcast::<Bug>() {
        Ok(bug) => *bug,
        Err(_) => Bug(LAST.with(RefCell::take)),
    })
}

/// Resumes, on this thread, a panic that was caught on another one.
pub fn resume_panic(bug: Bug) -> ! {
    panic::resume_unwind(Box::new(bug))
}

/// For tests: panics if the first line of a text contains the word in the environment variable
/// `REPLAYLINT_TEST_PANIC`. Only in debug builds.
pub fn panic_for_test(text: &[u8]) {
    #[cfg(debug_assertions)]
    {
        use std::sync::LazyLock;

        static WORD: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("REPLAYLINT_TEST_PANIC").ok());
        let text = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let holds = |word: &String| memchr::memmem::find(text, word.as_bytes()).is_some();
        if WORD.as_ref().is_some_and(holds) {
            panic_quoting(text);
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = text;
}

/// Panics with a message that quotes the text, as panics of the standard library do.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "it is what is tested")]
fn panic_quoting(text: &[u8]) -> ! {
    panic!("{}", String::from_utf8_lossy(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_on_whatever_thread_it_comes() {
        assert_eq!(catch_panic(|| 7), Ok(7));
        let first = catch_panic(|| -> u32 { [1, 2, 3].iter().position(|n| *n == 4).map(|n| n as u32).unwrap() });
        let bug = first.expect_err("it panics");
        assert_eq!(catch_panic(|| -> u32 { resume_panic(bug.clone()) }), Err(bug));
    }

    #[test]
    fn nothing_is_shown_but_the_end_of_a_path() {
        let file = "/home/user/.cargo/registry/src/index/library-1.0/src/lib.rs".into();
        let shown = Bug(Some(PanicLocation { file, line: 7 })).to_string();
        assert!(shown.contains(" at index/library-1.0/src/lib.rs:7;") && !shown.contains("user"), "{shown}");
    }
}
