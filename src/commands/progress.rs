//! A line on standard error that says how far a run is, for a person who waits at a terminal for more than a second.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::report::words::grouped;

/// Nobody wants to be told of less.
const PATIENCE: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(100);
/// Cells of the bar.
const WIDTH: usize = 24;

pub(super) struct Progress {
    all: usize,
    done: usize,
    what: &'static str,
    next: Instant,
    is_seen: bool,
    is_shown: bool,
}

impl Progress {
    pub fn new(all: usize, what: &'static str) -> Self {
        let is_seen = io::stderr().is_terminal();
        Progress { all, done: 0, what, next: Instant::now() + PATIENCE, is_seen, is_shown: false }
    }

    /// One more file is done.
    pub fn step(&mut self) {
        self.done += 1;
        if !self.is_seen || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + STEP;
        self.is_shown = true;
        // There is nobody to tell if that fails.
        let _ = write!(anstream::stderr(), "\r{}", self.line());
    }

    fn line(&self) -> String {
        let full = WIDTH * self.done.min(self.all) / self.all.max(1);
        let bar = format!("{}{}", "#".repeat(full), ".".repeat(WIDTH - full));
        format!("{} [{bar}] {} of {} files", self.what, grouped(self.done as u64), grouped(self.all as u64))
    }

    /// Takes the line away, so that something else can be written there.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(anstream::stderr(), "\r{}\r", " ".repeat(self.line().len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let mut progress = Progress::new(2400, "Codex");
        progress.done = 1200;
        assert_eq!(progress.line(), "Codex [############............] 1,200 of 2,400 files");
        progress.done = 2400;
        assert!(!progress.line().contains('.'));
        assert_eq!(Progress::new(0, "Codex").line(), "Codex [........................] 0 of 0 files");
    }
}
