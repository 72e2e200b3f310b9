//! Samples of findings: those that a grouped report shows or names. The others are only counted, and their text is not
//! read again.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::convert::NameDigests;
use crate::history::{Code, Kind};
use crate::judge::{JudgedDoc, WeighedFinding};
use crate::source::Container;
use crate::target::Severity;

use super::grouping::{NAMED_PLACES, SHOWN_IN_FULL};
use super::prediction::fix_outcome::PredictedFix;
use super::{Style, conversion_losses};

/// The findings of a document that are diagnosed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindingSample {
    /// Their numbers, in order; `None` for all.
    pub findings: Option<Vec<usize>>,
    /// Findings similar to one of these.
    pub similar: Vec<SimilarFindings>,
}

/// Findings that are only counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimilarFindings {
    /// The finding of the sample that they are similar to, by its index in the sample.
    pub representative: usize,
    pub count: u64,
}

/// Damaged logs may have as many records on one line, which counts as one place.
const RECORDS_ON_A_LINE: usize = 2;

/// Findings of a kind in the sample if a record may have several lines: more than are shown and named, because several of
/// them may be on one line.
const SAMPLED_IN_A_DOCUMENT: u64 = 64;

/// Findings of a kind in the sample if their items must be read to know whose messages say the same. A report with a limit
/// shows far fewer; one without shows all.
const READ_OF_A_KIND: u64 = 10_000;

/// Fewer findings are all in the sample.
const SAMPLING_THRESHOLD: usize = 64;

impl FindingSample {
    /// All findings of a document.
    pub fn all() -> Self {
        FindingSample::default()
    }

    /// The findings that text shows or names.
    pub fn of<T>(found: &JudgedDoc<T>, outcomes: &[PredictedFix], style: &Style) -> Self {
        if !style.grouped || found.findings.len() < SAMPLING_THRESHOLD {
            return FindingSample::all();
        }
        // Synthesised text has no lines of its own.
        let is_made = found.format.is_some_and(|format| format.layout().is_synthetic());
        let is_lines = matches!(found.container, Container::Lines { .. }) && !is_made;
        let mut kinds: HashMap<SampleKey, SampleGroup> = HashMap::default();
        let mut is_sampled = vec![false; found.findings.len()];
        for ((ix, judged), outcome) in found.findings.iter().enumerate().zip(outcomes) {
            let Some(slot) = is_sampled.get_mut(ix) else { break };
            let is_hidden = judged.severity == Severity::Info && !style.info && !judged.variant().is_shown;
            let is_read = is_read_to_group(judged);
            *slot = match is_hidden {
                true => judged.history.is_none(),
                false if conversion_losses::is_loss(judged.finding.code) || is_read && style.limit.is_none() => {
                    true
                }
                false => {
                    let most = match (is_read, is_lines) {
                        (true, _) => SampleLimit::Findings(READ_OF_A_KIND),
                        (false, true) => SampleLimit::Lines,
                        (false, false) => SampleLimit::Findings(SAMPLED_IN_A_DOCUMENT),
                    };
                    let kind = kinds.entry(SampleKey::of(judged, *outcome));
                    kind.or_insert_with(|| SampleGroup::new(ix)).admits(ix, judged, most)
                }
            };
        }
        // The last shows whether all of a group are on one line.
        for kind in kinds.values() {
            is_sampled.iter_mut().skip(kind.last).take(1).for_each(|slot| *slot = true);
        }
        let findings: Vec<usize> =
            is_sampled.iter().enumerate().filter_map(|(ix, own)| own.then_some(ix)).collect();
        let similar = kinds.into_values().filter_map(|kind| {
            let counted = kind.sampled + u64::from(!kind.is_last_sampled);
            let count = kind.all.checked_sub(counted).filter(|count| *count > 0)?;
            Some(SimilarFindings { representative: findings.binary_search(&kind.first).ok()?, count })
        });
        let mut similar: Vec<SimilarFindings> = similar.collect();
        similar.sort_by_key(|similar| similar.representative);
        FindingSample { findings: Some(findings), similar }
    }

    /// The losses of a conversion that text shows: the first of each kind, by the digest of what their messages name.
    /// Findings without a digest are all in the sample.
    pub fn of_losses(found: &[WeighedFinding], digests: &NameDigests) -> Self {
        if found.len() < SAMPLING_THRESHOLD {
            return FindingSample::all();
        }
        let mut numbers: HashMap<(Code, u8, Severity, u64), usize> = HashMap::default();
        let mut similar: Vec<SimilarFindings> = Vec::new();
        let mut findings = Vec::new();
        for (ix, judged) in found.iter().enumerate() {
            let WeighedFinding { finding, severity, .. } = judged;
            let digest = digests.get(&(finding.row.at, finding.code, finding.variant));
            let Some(digest) = digest.filter(|_| judged.history.is_some()) else {
                findings.push(ix);
                continue;
            };
            let number =
                numbers.entry((finding.code, finding.variant, *severity, *digest)).or_insert(similar.len());
            match similar.get_mut(*number) {
                Some(known) => known.count += 1,
                None => {
                    similar.push(SimilarFindings { representative: findings.len(), count: 0 });
                    findings.push(ix);
                }
            }
        }
        similar.retain(|similar| similar.count > 0);
        FindingSample { findings: Some(findings), similar }
    }

    /// What belongs to the findings of the sample, of all of a document.
    pub fn pick<'f, T: Copy>(&self, all: &'f [T]) -> Cow<'f, [T]> {
        match &self.findings {
            Some(findings) => findings.iter().filter_map(|ix| all.get(*ix)).copied().collect(),
            None => Cow::Borrowed(all),
        }
    }
}

/// What findings have in common whose messages differ only in ids and numbers.
#[derive(PartialEq, Eq, Hash)]
struct SampleKey {
    code: Code,
    variant: u8,
    severity: Severity,
    kind: Kind,
    of: Kind,
    has: (bool, bool),
    title: &'static str,
    outcome: PredictedFix,
    no_fix_reason: Option<&'static str>,
    availability: (bool, Option<&'static str>),
}

impl SampleKey {
    fn of(judged: &WeighedFinding, outcome: PredictedFix) -> SampleKey {
        let row = &judged.finding.row;
        SampleKey {
            code: judged.finding.code,
            variant: judged.finding.variant,
            severity: judged.severity,
            kind: row.kind,
            of: row.item_kind,
            has: (row.id != 0, row.key != 0),
            title: judged.fix_title(),
            outcome,
            no_fix_reason: outcome.no_fix_reason(judged),
            availability: outcome.availability(judged),
        }
    }
}

/// True if the text of the item decides which findings have a message with the same words.
fn is_read_to_group(judged: &WeighedFinding) -> bool {
    let mut names = judged.variant().message.split('{').skip(1);
    let is_known = |name: &str| match name {
        "type" => judged.finding.row.kind != Kind::Unknown,
        // Ids and numbers, which do not count.
        "id" | "call_id" | "any_id" | "arg" | "length" | "id_length" | "call_id_length" => true,
        _ => false,
    };
    judged.history.is_none() || !names.all(|rest| rest.split_once('}').is_some_and(|(name, _)| is_known(name)))
}

/// How many findings of a kind are in the sample.
enum SampleLimit {
    /// Those on the lines that are shown and named.
    Lines,
    Findings(u64),
}

/// Findings of one key, while they are counted.
struct SampleGroup {
    first: usize,
    last: usize,
    all: u64,
    sampled: u64,
    /// Number of records of those in the sample.
    records: usize,
    record: Option<u32>,
    /// True if the last one is in the sample anyway.
    is_last_sampled: bool,
}

impl SampleGroup {
    fn new(first: usize) -> Self {
        SampleGroup { first, last: first, all: 0, sampled: 0, records: 0, record: None, is_last_sampled: false }
    }

    /// Counts a finding; true if it is in the sample: as many as are shown, and as many places as are named.
    fn admits(&mut self, ix: usize, judged: &WeighedFinding, most: SampleLimit) -> bool {
        let is_new = self.record != Some(judged.finding.row.record);
        let admits = match most {
            SampleLimit::Lines => {
                self.sampled <= (SHOWN_IN_FULL + NAMED_PLACES) as u64
                    || is_new && self.records <= (SHOWN_IN_FULL + NAMED_PLACES) * RECORDS_ON_A_LINE
            }
            SampleLimit::Findings(most) => self.sampled < most,
        };
        (self.last, self.is_last_sampled) = (ix, admits);
        self.all += 1;
        if admits {
            self.sampled += 1;
            self.records += usize::from(is_new);
            self.record = Some(judged.finding.row.record);
        }
        admits
    }
}
