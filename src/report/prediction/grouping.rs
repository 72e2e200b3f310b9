//! Records of a doc in which the same was found, and of which the same is planned: what the default repair does to a few of
//! them, it does to all. How often something was found, and in which order, makes no difference to that.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::judge::{Judged, JudgedDoc};
use crate::repair::{Planned, Prints, Sketch};

/// Records that are alike, each as the range of its findings.
pub(super) type Alike = Vec<Range<usize>>;

/// The records with a finding that is fixed by default.
pub(super) struct Classes {
    /// What each finding of the doc is, and what is done to its item, but for its place.
    pub prints: Vec<u64>,
    /// Those records that are alike together.
    pub of: Vec<Alike>,
}

impl Classes {
    /// Each record has its findings in a row. `None` if it is not known what is planned.
    pub fn of(found: &JudgedDoc<Sketch>) -> Option<Classes> {
        let planned = found.made.iter().filter_map(|sketch| match &sketch.planned {
            Planned::Prints(prints) => Some((sketch.number, prints)),
            Planned::Plan(_) | Planned::Foreign => None,
        });
        let planned: HashMap<u32, &Prints> = planned.collect();
        let mut numbers: HashMap<u64, usize> = HashMap::new();
        let mut classes = Classes { prints: Vec::with_capacity(found.judged.len()), of: Vec::new() };
        for record in found.judged.chunk_by(|a, b| a.finding.row.record == b.finding.row.record) {
            let start = classes.prints.len();
            let whole = classes.add(record, &planned)?;
            if !record.iter().any(Judged::is_fixed_by_default) {
                continue;
            }
            let number = *numbers.entry(whole).or_insert(classes.of.len());
            let range = start..start + record.len();
            match classes.of.get_mut(number) {
                Some(class) => class.push(range),
                None => classes.of.push(vec![range]),
            }
        }
        Some(classes)
    }

    /// Takes the findings of a record, and says what it is alike by.
    fn add(&mut self, record: &[Judged], planned: &HashMap<u32, &Prints>) -> Option<u64> {
        let first = record.iter().find_map(|judged| judged.history).unwrap_or(0);
        let mut met: HashMap<u32, usize> = HashMap::new();
        let mut all = Vec::with_capacity(record.len() + 1);
        for judged in record {
            let own = judged.history.and_then(|number| Some((number, planned.get(&number)?)));
            let done = match own {
                Some((number, planned)) => {
                    let nth = met.entry(number).or_default();
                    *nth += 1;
                    *planned.findings.get(*nth - 1)?
                }
                None => 0,
            };
            all.push(print(judged, first, done));
        }
        self.prints.extend_from_slice(&all);
        for (number, count) in met {
            let planned = planned.get(&number).filter(|planned| planned.findings.len() == count)?;
            all.push(planned.whole);
        }
        all.sort_unstable();
        all.dedup();
        Some(xxh3_64(&all.iter().flat_map(|print| print.to_le_bytes()).collect::<Vec<u8>>()))
    }
}

/// What was found, and what is done, but for the place. `first` is the number of the record's first history.
fn print(judged: &Judged, first: u32, done: u64) -> u64 {
    let finding = &judged.finding;
    let history = judged.history.map(|number| number.wrapping_sub(first));
    let names_index = judged.variant().api.is_some_and(|api| api.contains("{index}"));
    let mut hasher = Xxh3::new();
    hasher.update(&finding.code.0.to_le_bytes());
    hasher.update(&[finding.variant, finding.row.kind as u8, finding.row.role as u8, judged.severity as u8]);
    hasher.update(&[judged.loss as u8, u8::from(judged.flattens), u8::from(finding.partner.is_some())]);
    hasher.update(&finding.field.to_le_bytes());
    hasher.update(&if names_index { 0 } else { finding.arg }.to_le_bytes());
    hasher.update(&history.unwrap_or(u32::MAX).to_le_bytes());
    hasher.update(&done.to_le_bytes());
    hasher.update(judged.target.name.as_bytes());
    hasher.update(format!("{:?}", finding.remedy).as_bytes());
    hasher.digest()
}
