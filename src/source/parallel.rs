//! Parallel work with ordered results. Workers take tasks as they come and may run ahead by a few; results are
//! consumed in task order, on the calling thread, so that output does not depend on the number of threads.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::bug::{self, Bug};

struct QueueState<R> {
    next_task: usize,
    next_result: usize,
    slots: VecDeque<Option<R>>,
    /// Set when the consumer ends the run, or when a thread ended early.
    stop: bool,
    /// A panic of a worker, which is resumed on the calling thread.
    bug: Option<Bug>,
}

/// Runs `work(scratch, n)` for the tasks `0..tasks` on `threads` threads and hands each result to `consume` in
/// order. Each thread creates one scratch with `scratch` and reuses it. `consume` may end the run by returning
/// `false`. At most twice `threads` results exist at a time.
pub fn run_in_order<S, R: Send>(
    threads: usize,
    tasks: usize,
    scratch: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
    mut consume: impl FnMut(R) -> bool,
) {
    if threads <= 1 || tasks <= 1 {
        let mut own = scratch();
        for n in 0..tasks {
            if !consume(work(&mut own, n)) {
                break;
            }
        }
        return;
    }
    let window = threads * 2;
    let state =
        Mutex::new(QueueState { next_task: 0, next_result: 0, slots: VecDeque::new(), stop: false, bug: None });
    let changed = Condvar::new();
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let wait =
        |guard| -> MutexGuard<'_, QueueState<R>> { changed.wait(guard).unwrap_or_else(PoisonError::into_inner) };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(tasks) {
            scope.spawn(|| {
                // A panic in one worker must not leave the others, or the consumer, waiting.
                let _guard = StopOnPanic { state: &state, changed: &changed };
                let mut own = scratch();
                loop {
                    let mut guard = lock();
                    while !guard.stop && guard.next_task < tasks && guard.next_task >= guard.next_result + window {
                        guard = wait(guard);
                    }
                    if guard.stop || guard.next_task >= tasks {
                        return;
                    }
                    let n = guard.next_task;
                    guard.next_task += 1;
                    guard.slots.push_back(None);
                    drop(guard);
                    let result = bug::catch_panic(|| work(&mut own, n));
                    let mut guard = lock();
                    let result = match result {
                        Ok(result) => result,
                        Err(bug) => {
                            (guard.stop, guard.bug) = (true, Some(bug));
                            changed.notify_all();
                            return;
                        }
                    };
                    let slot = n - guard.next_result;
                    if let Some(slot) = guard.slots.get_mut(slot) {
                        *slot = Some(result);
                    }
                    changed.notify_all();
                }
            });
        }
        for _ in 0..tasks {
            let mut guard = lock();
            let result = loop {
                if let Some(Some(_)) = guard.slots.front() {
                    guard.next_result += 1;
                    break guard.slots.pop_front().flatten();
                }
                if guard.stop {
                    break None;
                }
                guard = wait(guard);
            };
            changed.notify_all();
            drop(guard);
            let Some(result) = result else { break };
            if !consume(result) {
                lock().stop = true;
                changed.notify_all();
                break;
            }
        }
    });
    let bug = lock().bug.take();
    if let Some(bug) = bug {
        bug::resume_panic(bug);
    }
}

struct StopOnPanic<'s, R> {
    state: &'s Mutex<QueueState<R>>,
    changed: &'s Condvar,
}

impl<R> Drop for StopOnPanic<'_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.state.lock().unwrap_or_else(PoisonError::into_inner).stop = true;
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_for_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let mut seen = Vec::new();
            run_in_order(
                threads,
                100,
                || 0u32,
                |_, n| n * n,
                |r| {
                    seen.push(r);
                    true
                },
            );
            assert_eq!(seen, (0..100).map(|n| n * n).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        for threads in [1, 3] {
            let run = || {
                let work = |(): &mut (), n: usize| [0; 50].get(n).copied().unwrap();
                run_in_order(threads, 100, || (), work, |_| true);
            };
            assert!(bug::catch_panic(run).is_err(), "on {threads} threads");
        }
    }

    #[test]
    fn the_consumer_can_end_the_run() {
        let mut seen = 0;
        run_in_order(
            3,
            1000,
            || (),
            |(), n| n,
            |_| {
                seen += 1;
                seen < 7
            },
        );
        assert_eq!(seen, 7);
    }
}
