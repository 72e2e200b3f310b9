//! One history: converted, and the result checked as `check` would.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a count for each severity, and the table of targets is never empty"
)]

use std::io;

use crate::carry::Destination;
use crate::dialect::{Dialect, Written};
use crate::dialects::responses::RESPONSES;
use crate::format::FormatInfo;
use crate::formats;
use crate::history::{Code, Finding, Flags, History, Remedy, Row, Usage, codes};
use crate::json::{Tape, scan};
use crate::judge::{self, Findings, Judged, Options};
use crate::message::{LossKind, Lost};
use crate::place::{DocId, Place};
use crate::read::{self, Scanned, Texts, detect};
use crate::rule::When;
use crate::rules;
use crate::source::bytes::spool::Spool;
use crate::source::outputs::product;
use crate::source::{Container, ReadAt, lines};
use crate::target::{Severity, Target};
use crate::targets;

use super::mend::{MADE, mend};
use super::options::ConvertOptions;
use super::taker::{Converted, Taker};

/// What a history gave.
#[derive(Default)]
pub struct Made {
    pub out: Spool,
    /// Why nothing more can be converted.
    pub error: Option<io::Error>,
    pub judged: Vec<Judged>,
    pub counts: [u64; 3],
    /// What the source holds and its agent does not send.
    pub unsent: u64,
    pub converted: u32,
    /// Conversations that were met, whatever became of them.
    pub met: u32,
    pub items: u64,
    pub failed: u32,
    /// Where the conversation begins, if it was left out for what it would lose.
    pub left_out: Option<u64>,
    /// Where the session belongs that was written.
    pub destination: Option<Destination>,
}

impl Made {
    /// Leaves out the conversation that begins at an offset, if it loses something. What it would lose stays reported.
    pub(super) fn leave_out_lossy(&mut self, at: u64) {
        if self.converted == 0 || self.counts[Severity::Warning as usize] == 0 {
            return;
        }
        self.out = Spool::default();
        self.converted = 0;
        self.items = 0;
        self.destination = None;
        self.left_out = Some(at);
        // What is not written has no number, and no other form.
        (self.counts[Severity::Info as usize], self.unsent) = (0, 0);
        self.judged.retain(|judged| judged.severity > Severity::Info);
        self.judged.iter_mut().for_each(|judged| judged.history = None);
    }
}

/// Converts histories.
pub struct Converter<'c> {
    pub(super) id: DocId,
    pub(super) bytes: &'c dyn ReadAt,
    pub(super) how: &'c ConvertOptions<'c>,
    /// What need not be read again.
    scanned: Option<Scanned<'c>>,
    pub made: Made,
}

impl<'c> Converter<'c> {
    pub fn new(id: DocId, bytes: &'c dyn ReadAt, how: &'c ConvertOptions<'c>) -> Self {
        Converter { id, bytes, how, scanned: None, made: Made::default() }
    }

    /// The same, with a record that need not be read again.
    pub fn knowing(self, scanned: Option<Scanned<'c>>) -> Self {
        Converter { scanned, ..self }
    }

    /// The texts of a history.
    pub(super) fn texts(&self, info: &FormatInfo) -> Texts<'c> {
        Texts::new(self.bytes, info.dialect).knowing(self.scanned)
    }

    /// Converts a history: the request around it, and the items that lie outside of that.
    pub fn history(&mut self, history: &History, info: &'static FormatInfo) {
        let (how, settings) = (self.how, &history.settings);
        if how.foreign_only && how.options.target.is_some_and(|target| judge::speaks(info, target)) {
            self.made.met += 1;
            return;
        }
        if let Some(carry) = how.carry {
            return self.carried(history, info, carry);
        }
        // Whoever has the source in memory has room for the result.
        let spills = self.bytes.in_memory().is_none();
        let taker = match self.read(history, info, &|dialect| Taker::new(dialect, &how.plan, spills)) {
            Ok(taker) => taker,
            Err(error) => return self.made.error = Some(error),
        };
        let (converted, mut result) =
            match taker.finish(settings.model.as_deref(), &how.plan, likely_size(history)) {
                Ok(finished) => finished,
                Err(error) => return self.made.error = Some(error),
            };
        self.deliver(converted, &mut result, info, history);
    }

    /// Where a history begins.
    pub(super) fn start(&self, history: &History) -> Place {
        let around = history.settings.around.map(|around| around.at);
        around.or(history.rows.first().map(|row| row.at)).unwrap_or(Place::new(self.id, 0, 0))
    }

    /// Takes the result of a conversation, if there is one that the target would take.
    pub fn deliver(&mut self, mut converted: Converted, result: &mut Spool, info: &FormatInfo, history: &History) {
        let (at, record_of) = (self.start(history), records(history));
        let row = |at: Place| Row::of_place(at, record_of(at));
        let number = self.how.number(self.made.converted, self.made.met);
        self.made.met += 1;
        if !converted.written {
            return self.fail(finding(LossKind::NOT_CONVERTED, row(at)));
        }
        if !is_unicode(result) {
            return self.fail(finding(LossKind::NOT_UNICODE, row(at)));
        }
        let takers = self.takers(info, self.how.options.store, converted.target);
        let written = self.how.plan.written;
        let log = info.usage != Usage::Request;
        let mut error = refused(result, written, &takers, log);
        // A request is what was sent: whether it was right to is a matter for `check`. A log is made one.
        let mends = || info.usage != Usage::Request || self.loses_its_store(&converted, result, info);
        if error.is_some() && !converted.copies.is_empty() && mends() {
            mend(result, &mut converted, &takers);
            error = refused(result, written, &takers, log);
        }
        // Nothing may be left, or nothing by which anybody would know it again.
        let unread = || error.is_none_or(|code| code == codes::UNKNOWN_FORMAT) && !is_recognised(result, written);
        if result.is_blank() || unread() {
            return self.fail(finding(LossKind::NOT_CONVERTED, row(at)));
        }
        if let Some(error) = error {
            return self.fail(finding(LossKind::RESULT_REFUSED, row(at)).arg(u32::from(error.0)));
        }
        let mut found: Vec<Finding> = Vec::with_capacity(converted.losses.len());
        for Lost { kind, at: place, arg } in &converted.losses {
            let mut row = row(if place.place.len == 0 { at } else { place.place });
            if place.embedded {
                row.flags = Flags::EMBEDDED;
            }
            found.push(finding(*kind, row).arg(*arg));
        }
        found.extend(&history.settings.lost);
        in_order(&mut found);
        found.into_iter().for_each(|finding| self.raise(finding, Some(number)));
        self.made.out = std::mem::take(result);
        self.made.converted += 1;
        self.made.items += converted.items;
    }

    /// Whether items are refused only for what their request said of the server's store, and they cannot say.
    fn loses_its_store(&self, converted: &Converted, result: &Spool, info: &FormatInfo) -> bool {
        let items = self.how.plan.written == Written::Items;
        items
            && converted.stored.is_some()
            && refused(result, Written::Items, &self.takers(info, converted.stored, converted.target), false)
                .is_none()
    }

    /// How the result is judged: as what its source was meant for, if that speaks the same dialect, and as `check`
    /// would judge it.
    fn takers(&self, info: &FormatInfo, store: Option<bool>, home: Option<&'static Target>) -> Vec<Options> {
        let (plan, asked) = (&self.how.plan, self.how.options);
        let name = match plan.written {
            Written::Items => "responses-item-lines".to_owned(),
            Written::Request => format!("{}-request", plan.to.info().name),
        };
        // The items of other systems' logs become items of the Responses API.
        let own = info.dialect.info().capabilities.dialect;
        let same = own == plan.to.info().name || own.is_empty() && plan.to.info().name == RESPONSES.info().name;
        let fits = |target: &'static Target| (target.dialect == plan.to.info().name).then_some(target);
        let taker = |target: Option<&'static Target>| Options {
            read: read::Options {
                format: formats::by_name(&name),
                usage: Some(match info.usage {
                    // Lines of items stay a log: the last calls may be about to run.
                    Usage::Log | Usage::Exchange if same && plan.written == Written::Items => Usage::Log,
                    _ => Usage::Request,
                }),
                effort: asked.read.effort,
                ..read::Options::default()
            },
            target,
            store,
            model: asked.model.clone(),
            ..Options::default()
        };
        if let Some(target) = asked.target.or(home).and_then(fits) {
            return vec![taker(Some(target))];
        }
        let usual = formats::by_name(&name).map_or("", |format| format.info().target);
        let meant = targets::by_name(info.target).filter(|_| same && info.target != usual).and_then(fits);
        meant.map(|target| taker(Some(target))).into_iter().chain([taker(None)]).collect()
    }

    /// A record gives nothing.
    pub fn fail(&mut self, finding: Finding) {
        self.made.failed += 1;
        self.raise(Finding { remedy: Remedy::Never(""), ..finding }, None);
    }

    pub(super) fn raise(&mut self, finding: Finding, history: Option<u32>) {
        let options = self.how.options;
        let Some(rule) = rules::by_code(finding.code) else { return };
        let failed = history.is_none();
        let variant = rule.variant(finding.variant);
        let Some(severity) = variant.levels.stored.filter(|_| failed || options.enabled.has(rule.code)) else {
            return;
        };
        match LossKind::of(&finding) {
            LossKind::NOT_SENT => self.made.unsent += 1,
            _ => self.made.counts[severity as usize] += 1,
        }
        if severity < self.how.least && !variant.shown || self.made.judged.len() >= self.how.most {
            return;
        }
        let target = options.target.or_else(|| targets::by_name(self.how.plan.to.info().name));
        let target = target.unwrap_or(targets::TARGETS[0]);
        self.made.judged.push(Judged { finding, severity, target, history, loss: variant.loss, flattens: false });
    }
}

/// About as many bytes as a history becomes, so that the buffer for them seldom grows.
fn likely_size(history: &History) -> usize {
    let size = match history.settings.around {
        Some(around) => u64::from(around.at.len),
        None => history.rows.iter().map(|row| u64::from(row.at.len)).sum(),
    };
    (size + size / 4).min(MOST) as usize
}

/// A larger buffer grows as it is filled.
const MOST: u64 = 1 << 24;

/// Tells the number of the record that a place lies in.
pub(super) fn records(history: &History) -> impl Fn(Place) -> u32 {
    // Rows stand in the order of the history, which need not be that of the doc.
    let mut starts: Vec<(u64, u32)> = history.rows.iter().map(|row| (row.at.start, row.record)).collect();
    starts.sort_unstable();
    move |place: Place| {
        let ix = starts.partition_point(|(start, _)| *start <= place.start);
        starts.get(ix.saturating_sub(1)).map_or(0, |(_, record)| *record)
    }
}

/// The first error that `check` finds in a result.
fn refused(result: &Spool, written: Written, takers: &[Options], log: bool) -> Option<Code> {
    let container = match written {
        Written::Items => Container::Lines { start: 0 },
        Written::Request => Container::Document { start: 0 },
    };
    takers.iter().find_map(|options| {
        let found = judge::judge_made(MADE, result, container, options, 1, &Findings).ok()?;
        // A log may end before the user's next message.
        let whole = |judged: &&Judged| !log || judged.variant().when != When::Asked;
        let mut errors = found.judged.iter().filter(|judged| judged.severity == Severity::Error);
        errors.find(whole).map(|judged| judged.finding.code)
    })
}

/// Whether every parser of JSON would take a result for text.
pub(super) fn is_unicode(result: &dyn ReadAt) -> bool {
    matches!(product::not_unicode_at(result, 0, result.len()), Ok(None))
}

/// Whether a result is some format's, so that the next command would read it.
pub(super) fn is_recognised(result: &dyn ReadAt, written: Written) -> bool {
    let mut head = Vec::new();
    let text = match result.in_memory() {
        Some(text) => text,
        None if written == Written::Request => return read::recognises_large(MADE, result).unwrap_or(false),
        None => match lines::read(result, 0, 0, u64::MAX / 2, &mut head) {
            Ok(first) => first.bytes,
            Err(_) => return false,
        },
    };
    let mut tape = Tape::new();
    match written {
        Written::Items => detect::of_lines(text, &[]).is_some(),
        Written::Request => {
            scan(text, &mut tape).is_ok()
                && tape.root(text).and_then(|val| detect::of_document(val, None)).is_some()
        }
    }
}

/// Losses in the order of the doc, before what is not sent: so many messages of that there may be that the others would not
/// be kept.
pub(super) fn in_order(found: &mut [Finding]) {
    found.sort_by_key(|finding| {
        let is_unsent = LossKind::of(finding) == LossKind::NOT_SENT;
        (is_unsent, finding.row.at.start, finding.code, finding.variant)
    });
}

pub(super) fn finding(kind: LossKind, row: Row) -> Finding {
    Finding::new(kind.code, row).variant(kind.variant)
}
