//! Panics. Each is a bug of this program, not a fault of what it reads: it is caught, said to be a bug, and the run goes
//! on. What a panic says may quote the text at hand, so nothing is kept of it but where in the source it came from.

use std::cell::RefCell;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

thread_local! {
    /// Where the last panic of this thread came from.
    static LAST: RefCell<Option<Origin>> = const { RefCell::new(None) };
}

/// A place in the source of this program, or of a library that it uses.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Origin {
    file: Arc<str>,
    line: u32,
}

/// A panic that was caught.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug(Option<Origin>);

/// Parts of a path that are shown: what comes before them says where the program was built.
const SHOWN: usize = 4;

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal error in replaylint {}", env!("CARGO_PKG_VERSION"))?;
        if let Some(Origin { file, line }) = &self.0 {
            let parts: Vec<&str> = file.rsplitn(SHOWN + 1, ['/', '\\']).take(SHOWN).collect();
            let file: Vec<&str> = parts.into_iter().rev().collect();
            write!(f, " at {}:{line}", file.join("/"))?;
        }
        write!(f, "; this is a bug in replaylint, please report it with this message")
    }
}

/// From now on panics print nothing of their own.
pub fn hush() {
    panic::set_hook(Box::new(|info| {
        let origin = info.location().map(|at| Origin { file: at.file().into(), line: at.line() });
        LAST.with(|last| *last.borrow_mut() = origin);
    }));
}

/// Runs a function, and catches its panic. What it has changed by then must not be used.
pub fn caught<R>(run: impl FnOnce() -> R) -> Result<R, Bug> {
    panic::catch_unwind(AssertUnwindSafe(run)).map_err(|payload| match payload.downcast::<Bug>() {
        Ok(bug) => *bug,
        Err(_) => Bug(LAST.with(RefCell::take)),
    })
}

/// Goes on with a panic that was caught, on another thread.
pub fn pass_on(bug: Bug) -> ! {
    panic::resume_unwind(Box::new(bug))
}

/// For tests of all this: panics if the first line of a text holds the word that the environment names. Only in debug
/// builds.
pub fn provoke(text: &[u8]) {
    #[cfg(debug_assertions)]
    {
        use std::sync::LazyLock;

        static WORD: LazyLock<Option<String>> = LazyLock::new(|| std::env::var("REPLAYLINT_TEST_PANIC").ok());
        let text = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let holds = |word: &String| memchr::memmem::find(text, word.as_bytes()).is_some();
        if WORD.as_ref().is_some_and(holds) {
            provoked(text);
        }
    }
    #[cfg(not(debug_assertions))]
    let _ = text;
}

/// A panic that quotes the text at hand, as those of the standard library do.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "it is what is tested")]
fn provoked(text: &[u8]) -> ! {
    panic!("{}", String::from_utf8_lossy(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_on_whatever_thread_it_comes() {
        assert_eq!(caught(|| 7), Ok(7));
        let first = caught(|| -> u32 { [1, 2, 3].iter().position(|n| *n == 4).map(|n| n as u32).unwrap() });
        let bug = first.expect_err("it panics");
        assert_eq!(caught(|| -> u32 { pass_on(bug.clone()) }), Err(bug));
    }

    #[test]
    fn nothing_is_shown_but_the_end_of_a_path() {
        let file = "/home/user/.cargo/registry/src/index/library-1.0/src/lib.rs".into();
        let shown = Bug(Some(Origin { file, line: 7 })).to_string();
        assert!(shown.contains(" at index/library-1.0/src/lib.rs:7;") && !shown.contains("user"), "{shown}");
    }
}
