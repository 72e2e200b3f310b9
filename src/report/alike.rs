//! Records of a doc in which the same was found, and of which the same is planned: what the default repair does to a few of
//! them, it does to all.

use std::collections::HashMap;
use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use crate::fix::Sketch;
use crate::judge::{Judged, JudgedDoc};

/// Records that are alike, each as the range of its findings.
pub(super) type Alike = Vec<Range<usize>>;

/// The records with a finding that is fixed by default, those that are alike together. Each record has its findings in a
/// row.
pub(super) fn classes(found: &JudgedDoc<Sketch>) -> Vec<Alike> {
    let prints: HashMap<u32, u64> =
        found.made.iter().filter_map(|sketch| Some((sketch.number, sketch.print?))).collect();
    let mut numbers: HashMap<u64, usize> = HashMap::new();
    let mut classes: Vec<Alike> = Vec::new();
    let mut start = 0;
    for record in found.judged.chunk_by(|a, b| a.finding.row.record == b.finding.row.record) {
        let range = start..start + record.len();
        start = range.end;
        if !record.iter().any(Judged::is_fixed_by_default) {
            continue;
        }
        let number = *numbers.entry(print(record, &prints)).or_insert(classes.len());
        match classes.get_mut(number) {
            Some(class) => class.push(range),
            None => classes.push(vec![range]),
        }
    }
    classes
}

/// What was found in a record, and what is planned, but for the places.
fn print(record: &[Judged], prints: &HashMap<u32, u64>) -> u64 {
    let mut hasher = Xxh3::new();
    let first = record.iter().find_map(|judged| judged.history).unwrap_or(0);
    for judged in record {
        let finding = &judged.finding;
        let history = judged.history.map(|number| number.wrapping_sub(first));
        let names_index = judged.variant().api.is_some_and(|api| api.contains("{index}"));
        hasher.update(&finding.code.0.to_le_bytes());
        hasher.update(&[finding.variant, finding.row.kind as u8, finding.row.role as u8, judged.severity as u8]);
        hasher.update(&[judged.loss as u8, u8::from(judged.flattens), u8::from(finding.partner.is_some())]);
        hasher.update(&finding.field.to_le_bytes());
        hasher.update(&if names_index { 0 } else { finding.arg }.to_le_bytes());
        hasher.update(&history.unwrap_or(u32::MAX).to_le_bytes());
        hasher.update(&judged.history.and_then(|number| prints.get(&number)).unwrap_or(&0).to_le_bytes());
        hasher.update(judged.target.name.as_bytes());
        hasher.update(format!("{:?}", finding.remedy).as_bytes());
    }
    hasher.digest()
}
