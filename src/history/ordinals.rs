//! Logs whose lines are numbered, and found by their offsets: other files refer to both, so no line may be added,
//! removed or moved. Such a log may continue another one, without repeating its lines.

use crate::place::Place;

/// The header in the first line of a file.
#[derive(Clone, Copy, Debug)]
pub struct OrdinalHeader {
    /// The line.
    pub at: Place,
    /// Its lines are numbered.
    pub is_numbered: bool,
    pub origin: Option<LogOrigin>,
}

/// The log that a file continues.
#[derive(Clone, Copy, Debug)]
pub struct LogOrigin {
    /// The place of its name in the file.
    pub name: Place,
    /// The number of the first line after it, which is the file's first line.
    pub end: u64,
}

/// A problem with the number of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OrdinalProblem {
    /// Numbers were skipped.
    Skipped,
    /// The number, or a later one, was used before.
    Repeated,
    Missing,
    /// It is missing on the last line.
    MissingAtEnd,
    /// The first line is not a header.
    NoHeader,
    /// The file continues from another line than the last one before it.
    OtherOrigin,
}

/// A line whose number is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrdinalFault {
    pub at: Place,
    pub record: u32,
    pub problem: OrdinalProblem,
    /// The number that it should have.
    pub expected: u64,
}

/// The line numbers of a log, checked during reading.
#[derive(Clone, Debug, Default)]
pub struct Ordinals {
    /// The log says that its lines are numbered; otherwise they are not checked.
    pub is_numbered: bool,
    /// Place of the name of the log that this one continues, if that was not read.
    pub window: Option<Place>,
    /// Offset at which the log's own lines begin, after those of the log that it continues.
    pub own_start: u64,
    pub faults: Vec<OrdinalFault>,
    lines: u64,
    next: Option<u64>,
    /// The previous line has no number, so it may or may not have been counted.
    after_unnumbered: bool,
    /// Another file of the log begins, which may count from zero.
    may_restart: bool,
}

impl Ordinals {
    /// Starts a file.
    pub fn begin_file(&mut self, header: &OrdinalHeader, record: u32) {
        if self.lines == 0 {
            self.is_numbered = header.is_numbered;
            self.window = header.origin.map(|origin| origin.name);
            self.next = header.origin.map(|origin| origin.end);
            return;
        }
        let Some(origin) = header.origin.filter(|_| header.is_numbered) else {
            // A file that is only a header is a duplicate header.
            self.may_restart = self.lines > 1;
            return;
        };
        let follows = self.next.is_none_or(|next| next == origin.end);
        self.fault(!follows && self.is_numbered, header.at, record, OrdinalProblem::OtherOrigin);
        (self.is_numbered, self.own_start, self.next) = (true, header.at.start, Some(origin.end));
    }

    /// Adds a line.
    pub fn add_line(&mut self, at: Place, record: u32, number: Option<u64>, is_header: bool) {
        if self.lines == 0 && !is_header && number.is_some() {
            self.is_numbered = true;
            self.fault(true, at, record, OrdinalProblem::NoHeader);
        }
        self.lines += 1;
        let (loose, restarts) =
            (std::mem::take(&mut self.after_unnumbered), std::mem::take(&mut self.may_restart));
        if !self.is_numbered {
            return;
        }
        let Some(number) = number else {
            self.fault(true, at, record, OrdinalProblem::Missing);
            self.after_unnumbered = true;
            return;
        };
        let next = self.next.unwrap_or(number);
        let fits = number == next || loose && number == next + 1 || restarts && number == 0;
        let wrong = if number < next { OrdinalProblem::Repeated } else { OrdinalProblem::Skipped };
        self.fault(!fits, at, record, wrong);
        self.next = number.checked_add(1);
    }

    /// Ends the log. If a line could not be read, its number is missing.
    pub fn finish(&mut self, broken: bool) {
        if let Some(last) =
            self.faults.last_mut().filter(|last| self.after_unnumbered && last.problem == OrdinalProblem::Missing)
        {
            last.problem = OrdinalProblem::MissingAtEnd;
        }
        if broken {
            self.faults.retain(|fault| fault.problem != OrdinalProblem::Skipped);
        }
    }

    fn fault(&mut self, is: bool, at: Place, record: u32, problem: OrdinalProblem) {
        if is {
            self.faults.push(OrdinalFault { at, record, problem, expected: self.next.unwrap_or(0) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::DocId;

    fn faults(header: Option<u64>, numbers: &[Option<u64>], broken: bool) -> Vec<(u32, OrdinalProblem, u64)> {
        let mut numbered = Ordinals::default();
        let at = Place::new(DocId(0), 0, 1);
        for (record, number) in (0..).zip(numbers) {
            let is_header = record == 0 && header.is_some();
            if is_header {
                let origin = header.filter(|end| *end > 0).map(|end| LogOrigin { name: at, end });
                numbered.begin_file(&OrdinalHeader { at, is_numbered: true, origin }, record);
            }
            numbered.add_line(at, record, *number, is_header);
        }
        numbered.finish(broken);
        numbered.faults.iter().map(|fault| (fault.record, fault.problem, fault.expected)).collect()
    }

    #[test]
    fn numbers_rise_by_one() {
        let all: Vec<Option<u64>> = (0..9).map(Some).collect();
        assert_eq!(faults(Some(0), &all, false), []);
        assert_eq!(faults(Some(4), &all[4..], false), []);
        for k in 1..8 {
            let without: Vec<Option<u64>> = all.iter().copied().filter(|n| *n != Some(k)).collect();
            assert_eq!(faults(Some(0), &without, false), [(k as u32, OrdinalProblem::Skipped, k)]);
            assert_eq!(faults(Some(0), &without, true), [], "the line may be the one that could not be read");
            let mut twice = all.clone();
            twice.insert(k as usize, Some(k));
            assert_eq!(faults(Some(0), &twice, false), [(k as u32 + 1, OrdinalProblem::Repeated, k + 1)]);
            let mut unnumbered = all.clone();
            unnumbered[k as usize] = None;
            assert_eq!(faults(Some(0), &unnumbered, false), [(k as u32, OrdinalProblem::Missing, k)]);
        }
        assert_eq!(faults(Some(0), &[Some(0), Some(1), None], false), [(2, OrdinalProblem::MissingAtEnd, 2)]);
        assert_eq!(faults(None, &all[1..], false), [(0, OrdinalProblem::NoHeader, 0)]);
        assert_eq!(faults(Some(3), &all[4..], false), [(0, OrdinalProblem::Skipped, 3)]);
    }

    #[test]
    fn nothing_is_expected_of_logs_without_numbers() {
        assert_eq!(faults(None, &[None, Some(4), Some(9)], false), []);
    }
}
