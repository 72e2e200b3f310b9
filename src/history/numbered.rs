//! Logs whose lines are numbered, and found by their offsets: other files point at both, so that no line may come, go or
//! move. Such a log may continue from a part of another one, of which it repeats nothing.

use crate::place::Place;

/// What the first line of a file says about its lines.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The line.
    pub at: Place,
    /// Its lines are numbered.
    pub numbered: bool,
    pub origin: Option<Origin>,
}

/// What a file continues from.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// Where the file says which log that is.
    pub name: Place,
    /// The number of the first line that is not part of it, and that of the file's first line.
    pub end: u64,
}

/// What is wrong with the number of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// Numbers were skipped.
    Skipped,
    /// The number, or a later one, was used before.
    Repeated,
    Missing,
    /// It is missing on the last line.
    MissingAtEnd,
    /// The first line is no header.
    NoHeader,
    /// The file continues from another line than the last one before it.
    OtherOrigin,
}

/// A line whose number is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fault {
    pub at: Place,
    pub record: u32,
    pub wrong: Wrong,
    /// The number that it should have.
    pub expected: u64,
}

/// The numbers of a log's lines, as they were read.
#[derive(Clone, Debug, Default)]
pub struct Numbered {
    /// The log says that its lines are numbered; else nothing is expected of them.
    pub holds: bool,
    /// The log continues from one that was not read: where it says which.
    pub window: Option<Place>,
    /// Where the lines begin that lie in files of the log itself, after those that it continues from.
    pub own: u64,
    pub faults: Vec<Fault>,
    lines: u64,
    next: Option<u64>,
    /// The line before has no number, and may have been counted or not.
    loose: bool,
    /// A further file of the log begins, and may count from zero.
    restarts: bool,
}

impl Numbered {
    /// A file begins.
    pub fn header(&mut self, header: &Header, record: u32) {
        if self.lines == 0 {
            self.holds = header.numbered;
            self.window = header.origin.map(|origin| origin.name);
            self.next = header.origin.map(|origin| origin.end);
            return;
        }
        let Some(origin) = header.origin.filter(|_| header.numbered) else {
            // A file of nothing but a header is rather a header that comes twice.
            self.restarts = self.lines > 1;
            return;
        };
        let follows = self.next.is_none_or(|next| next == origin.end);
        self.fault(!follows && self.holds, header.at, record, Wrong::OtherOrigin);
        (self.holds, self.own, self.next) = (true, header.at.start, Some(origin.end));
    }

    /// A line was read.
    pub fn line(&mut self, at: Place, record: u32, number: Option<u64>, is_header: bool) {
        if self.lines == 0 && !is_header && number.is_some() {
            self.holds = true;
            self.fault(true, at, record, Wrong::NoHeader);
        }
        self.lines += 1;
        let (loose, restarts) = (std::mem::take(&mut self.loose), std::mem::take(&mut self.restarts));
        if !self.holds {
            return;
        }
        let Some(number) = number else {
            self.fault(true, at, record, Wrong::Missing);
            self.loose = true;
            return;
        };
        let next = self.next.unwrap_or(number);
        let fits = number == next || loose && number == next + 1 || restarts && number == 0;
        let wrong = if number < next { Wrong::Repeated } else { Wrong::Skipped };
        self.fault(!fits, at, record, wrong);
        self.next = number.checked_add(1);
    }

    /// The log ends. Where a line could not be read, its number is missing.
    pub fn end(&mut self, broken: bool) {
        if let Some(last) = self.faults.last_mut().filter(|last| self.loose && last.wrong == Wrong::Missing) {
            last.wrong = Wrong::MissingAtEnd;
        }
        if broken {
            self.faults.retain(|fault| fault.wrong != Wrong::Skipped);
        }
    }

    fn fault(&mut self, is: bool, at: Place, record: u32, wrong: Wrong) {
        if is {
            self.faults.push(Fault { at, record, wrong, expected: self.next.unwrap_or(0) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::DocId;

    fn faults(header: Option<u64>, numbers: &[Option<u64>], broken: bool) -> Vec<(u32, Wrong, u64)> {
        let mut numbered = Numbered::default();
        let at = Place::new(DocId(0), 0, 1);
        for (record, number) in (0..).zip(numbers) {
            let is_header = record == 0 && header.is_some();
            if is_header {
                let origin = header.filter(|end| *end > 0).map(|end| Origin { name: at, end });
                numbered.header(&Header { at, numbered: true, origin }, record);
            }
            numbered.line(at, record, *number, is_header);
        }
        numbered.end(broken);
        numbered.faults.iter().map(|fault| (fault.record, fault.wrong, fault.expected)).collect()
    }

    #[test]
    fn numbers_rise_by_one() {
        let all: Vec<Option<u64>> = (0..9).map(Some).collect();
        assert_eq!(faults(Some(0), &all, false), []);
        assert_eq!(faults(Some(4), &all[4..], false), []);
        for k in 1..8 {
            let without: Vec<Option<u64>> = all.iter().copied().filter(|n| *n != Some(k)).collect();
            assert_eq!(faults(Some(0), &without, false), [(k as u32, Wrong::Skipped, k)]);
            assert_eq!(faults(Some(0), &without, true), [], "the line may be the one that could not be read");
            let mut twice = all.clone();
            twice.insert(k as usize, Some(k));
            assert_eq!(faults(Some(0), &twice, false), [(k as u32 + 1, Wrong::Repeated, k + 1)]);
            let mut unnumbered = all.clone();
            unnumbered[k as usize] = None;
            assert_eq!(faults(Some(0), &unnumbered, false), [(k as u32, Wrong::Missing, k)]);
        }
        assert_eq!(faults(Some(0), &[Some(0), Some(1), None], false), [(2, Wrong::MissingAtEnd, 2)]);
        assert_eq!(faults(None, &all[1..], false), [(0, Wrong::NoHeader, 0)]);
        assert_eq!(faults(Some(3), &all[4..], false), [(0, Wrong::Skipped, 3)]);
    }

    #[test]
    fn nothing_is_expected_of_logs_without_numbers() {
        assert_eq!(faults(None, &[None, Some(4), Some(9)], false), []);
    }
}
