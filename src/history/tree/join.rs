//! Joins requests and responses that are stored separately. A request does not say which response answered it; both
//! name the response that they follow, and they are stored together: next to each other in one file, or in two files
//! with similar names.

use foldhash::HashMap;

use super::{EntryMarks, EntryRole, NO_NODE, TreeEntry};

/// For each entry the index of its response; [`NO_NODE`] if it is not a request with one.
#[expect(clippy::indexing_slicing, reason = "numbers are counted over the entries, and each entry has a stem")]
pub(super) fn join(entries: &mut [TreeEntry], stems: &[u64]) -> Vec<u32> {
    let count = entries.len();
    let mut joined = vec![NO_NODE; count];
    let chained = |ix: &usize| entries[*ix].marks.has(EntryMarks::CHAINED);
    let requests: Vec<usize> =
        (0..count).filter(chained).filter(|ix| entries[*ix].part == EntryRole::Input).collect();
    if requests.is_empty() {
        return joined;
    }
    let responses: Vec<usize> =
        (0..count).filter(chained).filter(|ix| entries[*ix].part == EntryRole::Answer).collect();
    let key = |ix: usize| (stems[ix], entries[ix].parent.as_deref());
    // First the last request before the response; then the rest by name; then by parent.
    let mut open: HashMap<_, Vec<usize>> = HashMap::default();
    let (mut next, mut left) = (0, Vec::new());
    for response in responses {
        while let Some(request) = requests.get(next).filter(|request| **request < response) {
            open.entry(key(*request)).or_default().push(*request);
            next += 1;
        }
        match open.get_mut(&key(response)).and_then(Vec::pop) {
            Some(request) => joined[request] = response as u32,
            None => left.push(response),
        }
    }
    for by_name in [true, false] {
        let key = |ix: usize| (if by_name { stems[ix] } else { 0 }, entries[ix].parent.as_deref());
        let mut open: HashMap<_, Vec<usize>> = HashMap::default();
        for request in requests.iter().rev().filter(|request| joined[**request] == NO_NODE) {
            open.entry(key(*request)).or_default().push(*request);
        }
        // Without a parent and a name two files have nothing in common.
        left.retain(|response| {
            let knows = by_name || entries[*response].parent.is_some();
            let request = open.get_mut(&key(*response)).filter(|_| knows).and_then(Vec::pop);
            if let Some(request) = request {
                joined[request] = *response as u32;
            }
            request.is_none()
        });
    }
    for request in requests {
        let response = joined[request];
        if response != NO_NODE {
            entries[response as usize].part = EntryRole::Exchange;
        }
    }
    joined
}
