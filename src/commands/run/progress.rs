//! A progress bar on standard error, for runs of more than a second at a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::report::words::group_digits;
use crate::source::bytes::read::bytes_read;

/// Time before the bar is shown.
const DELAY: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(100);
/// Cells of the bar.
const WIDTH: usize = 20;

/// Columns of the terminal that errors go to.
#[cfg(any(unix, windows))]
fn columns() -> usize {
    terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
}

#[cfg(not(any(unix, windows)))]
fn columns() -> usize {
    80
}

/// The progress of a run.
#[derive(Default)]
struct ProgressState {
    all: u64,
    bytes: u64,
    done: AtomicU64,
    done_bytes: AtomicU64,
    /// Length of the large file that is being read, and bytes of other files that were read before it.
    current: AtomicU64,
    before: AtomicU64,
    ended: AtomicBool,
    /// The line on the terminal.
    shown: Mutex<ProgressLine>,
}

#[derive(Default)]
struct ProgressLine {
    columns: usize,
    hidden: bool,
}

/// The progress bar, drawn by its own thread while it is visible.
pub(super) struct Progress {
    state: Option<Arc<ProgressState>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// A progress bar for `all` files with `bytes` bytes. Nothing is shown in CI, in a pipe, or on a terminal that cannot
    /// erase a line.
    pub fn new(wanted: bool, all: usize, bytes: u64) -> Self {
        let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if !wanted || std::env::var_os("CI").is_some() || !io::stderr().is_terminal() || is_dumb() {
            return Progress { state: None, thread: None };
        }
        let state = Arc::new(ProgressState { all: all as u64, bytes, ..ProgressState::default() });
        let own = state.clone();
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(move || own.draw());
        Progress { state: Some(state), thread: thread.ok() }
    }

    /// Starts reading a large file.
    pub fn begin_file(&self, len: u64) {
        if let Some(state) = &self.state {
            state.before.store(bytes_read(), Ordering::Relaxed);
            state.current.store(len, Ordering::Relaxed);
        }
    }

    /// Counts a file as finished.
    pub fn finish_file(&self, len: u64) {
        if let Some(state) = &self.state {
            state.current.store(0, Ordering::Relaxed);
            state.done.fetch_add(1, Ordering::Relaxed);
            state.done_bytes.fetch_add(len, Ordering::Relaxed);
        }
    }

    /// Hides the line while something else is written.
    pub fn without_line<T>(&self, write: impl FnOnce() -> T) -> T {
        self.hide(true);
        let done = write();
        self.hide(false);
        done
    }

    fn hide(&self, hidden: bool) {
        if let Some(state) = &self.state {
            let mut shown = state.shown();
            shown.hidden = hidden;
            shown.clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(state) = &self.state {
            state.ended.store(true, Ordering::Relaxed);
        }
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A failure of the thread is ignored.
            let _ = thread.join();
        }
        self.hide(true);
    }
}

impl ProgressLine {
    fn clear(&mut self) {
        let columns = std::mem::take(&mut self.columns);
        if columns > 0 {
            let _ = write!(anstream::stderr(), "\r{}\r", " ".repeat(columns));
        }
    }
}

impl ProgressState {
    fn shown(&self) -> MutexGuard<'_, ProgressLine> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self) {
        let started = Instant::now();
        let mut next = DELAY;
        loop {
            while started.elapsed() < next && !self.ended.load(Ordering::Relaxed) {
                std::thread::park_timeout(next.saturating_sub(started.elapsed()));
            }
            if self.ended.load(Ordering::Relaxed) {
                return;
            }
            next = started.elapsed() + STEP;
            let mut shown = self.shown();
            if shown.hidden {
                continue;
            }
            // A line that wraps cannot be erased.
            let room = columns().saturating_sub(1);
            let line: String = self.line(started.elapsed()).chars().take(room.max(1)).collect();
            let columns = line.chars().count();
            let gap = " ".repeat(shown.columns.saturating_sub(columns));
            // Failures are ignored.
            let _ = write!(anstream::stderr(), "\r{line}{gap}");
            shown.columns = columns;
        }
    }

    fn line(&self, elapsed: Duration) -> String {
        let (done, all) = (self.done.load(Ordering::Relaxed).min(self.all), self.all);
        let current = self.current.load(Ordering::Relaxed);
        // A file may be read several times.
        let within = bytes_read().saturating_sub(self.before.load(Ordering::Relaxed)).min(current);
        let bytes = (self.done_bytes.load(Ordering::Relaxed) + within).min(self.bytes);
        let part = if self.bytes > 0 { bytes as f64 / self.bytes as f64 } else { done as f64 / all.max(1) as f64 };
        let full = ((WIDTH as f64 * part) as usize).min(WIDTH);
        let bar = format!("{}{}", "#".repeat(full), ".".repeat(WIDTH - full));
        let files = if all == 1 {
            String::new()
        } else {
            format!("{} of {} files, ", group_digits(done), group_digits(all))
        };
        let mut line = format!("[{bar}] {files}{} of {}", format_bytes(bytes), format_bytes(self.bytes));
        let seconds = elapsed.as_secs_f64();
        if bytes > 0 && seconds > 0.0 {
            let rate = bytes as f64 / seconds;
            let left = ((self.bytes - bytes) as f64 / rate).ceil() as u64;
            line += &format!(", {}/s, {} left", format_bytes(rate as u64), format_seconds(left));
        }
        line
    }
}

/// Formats bytes in a unit with few digits.
fn format_bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut number = bytes as f64;
    let mut units = UNITS.iter();
    let mut unit = units.next().unwrap_or(&"B");
    while number >= 999.5
        && let Some(next) = units.next()
    {
        (number, unit) = (number / 1000.0, next);
    }
    if number < 9.95 && *unit != "B" { format!("{number:.1} {unit}") } else { format!("{number:.0} {unit}") }
}

fn format_seconds(seconds: u64) -> String {
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_shows_the_progress() {
        let state = ProgressState { all: 2400, bytes: 2_400_000_000, ..ProgressState::default() };
        state.done.store(1200, Ordering::Relaxed);
        state.done_bytes.store(1_200_000_000, Ordering::Relaxed);
        assert_eq!(
            state.line(Duration::from_secs(4)),
            "[##########..........] 1,200 of 2,400 files, 1.2 GB of 2.4 GB, 300 MB/s, 0:04 left"
        );
        state.done_bytes.store(2_400_000_000, Ordering::Relaxed);
        assert!(!state.line(Duration::from_secs(4)).contains("#."));
        assert_eq!(
            ProgressState::default().line(Duration::ZERO),
            "[....................] 0 of 0 files, 0 B of 0 B"
        );
    }

    #[test]
    fn numbers_are_short() {
        let sizes = [0, 999, 1000, 9940, 99_960, 999_600, 5_000_000_000_000].map(format_bytes);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "9.9 kB", "100 kB", "1.0 MB", "5.0 TB"]);
        assert_eq!([0, 61, 3671].map(format_seconds), ["0:00", "1:01", "1:01:11"]);
    }
}
