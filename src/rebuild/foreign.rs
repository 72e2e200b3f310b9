//! Logs of systems whose records are none of a provider's items: their records are replayed, in order, as items of the
//! Responses API.

use std::io;
use std::ops::RangeInclusive;

use crate::dialect::{Replay, Replayed};
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::place::DocId;
use crate::read::records::{self, Held};
use crate::source::{Container, ReadAt, framing};

/// A doc that is replayed, or a part of it.
pub struct Source<'s> {
    pub id: DocId,
    pub bytes: &'s dyn ReadAt,
    /// Records that hold some of these offsets.
    pub within: RangeInclusive<u64>,
    /// Records larger than this are passed over.
    pub limit: u64,
}

/// Replays records. They are read twice: what comes after may decide what becomes of those before.
pub fn replay(source: &Source<'_>, mut replay: Box<dyn Replay>) -> io::Result<Replayed> {
    source.each(&mut |val, _| replay.tell(val))?;
    source.each(&mut |val, base| replay.take(val, base))?;
    Ok(replay.finish())
}

impl Source<'_> {
    fn each(&self, see: &mut dyn FnMut(Val<'_>, Base<'_>)) -> io::Result<()> {
        let Source { id, bytes, within, limit } = self;
        let held = records::each(*id, *bytes, None, *limit, &mut |entry| {
            if entry.place.end() > *within.start()
                && entry.place.start <= *within.end()
                && let Some(val) = entry.val
            {
                see(val, entry.base);
            }
            Ok(entry.place.start <= *within.end())
        })?;
        let Container::Document { start } = framing::sniff(*bytes)? else { return Ok(()) };
        // A log of one record looks like a document.
        if held == Held::One && bytes.len() - start <= *limit {
            let (mut text, mut tape) = (Vec::new(), Tape::new());
            bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
            if let Some(root) = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)) {
                see(root, Base::new(*id, start));
            }
        }
        Ok(())
    }
}
