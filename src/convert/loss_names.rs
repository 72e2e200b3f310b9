//! What the messages of losses name. A report that counts the losses of a message reads only one of each digest again.

use foldhash::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::history::{Code, Finding, Flags};
use crate::json::pointer::{PointerFinder, Step};
use crate::place::Place;
use crate::read::ScannedRecord;

/// Digests by the place, the code and the variant of the finding.
pub type NameDigests = HashMap<(Place, Code, u8), u64>;

/// The names in a record that is in memory.
pub(super) struct LossNames<'t> {
    record: ScannedRecord<'t>,
    finder: PointerFinder<'t>,
}

impl<'t> LossNames<'t> {
    /// `None` if nothing was scanned.
    pub fn of(record: ScannedRecord<'t>) -> Option<Self> {
        Some(LossNames { record, finder: PointerFinder::new(record.tape.root(record.text)?) })
    }

    /// Appends the key at a place after those of the values around it, and the value of that key if it is wanted. A place
    /// that is a value is named by itself.
    fn append(&self, at: Place, with_value: bool, out: &mut Vec<u8>) -> Option<()> {
        let start = u32::try_from(at.start.checked_sub(self.record.start)?).ok()?;
        let end = start.checked_add(at.len)?;
        if end as usize > self.record.text.len() {
            return None;
        }
        let named = self.finder.each_step(start, end, &mut |step| match step {
            Step::Key(key) => {
                out.extend_from_slice(key.raw);
                out.push(b'"');
            }
            // A key in a list is named alike at each index.
            Step::Index(_) => out.push(b'['),
        });
        // Messages contain neither lists nor objects.
        if (with_value || named.start() == start) && !named.is_array() && !named.is_object() {
            out.extend_from_slice(named.raw());
        }
        Some(())
    }
}

/// The digest of what the template of a finding's message names: two findings of one variant with one digest have the same
/// message, but for its numbers. `None` if that is not known without reading the finding's item.
pub(super) fn digest(
    names: Option<&LossNames<'_>>,
    finding: &Finding,
    template: &str,
    new_value: Option<&str>,
) -> Option<u64> {
    let used = || template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    let mut named = Vec::new();
    for name in used() {
        match name {
            "arg" => {}
            "items" => named.push(u8::from(finding.arg == 1)),
            "to" => named.extend_from_slice(new_value.unwrap_or_default().as_bytes()),
            "key" if !finding.row.has(Flags::EMBEDDED) => {
                names?.append(finding.row.at, used().any(|name| name == "was"), &mut named)?;
            }
            "was" => {}
            _ => return None,
        }
        named.push(0);
    }
    Some(xxh3_64(&named))
}
