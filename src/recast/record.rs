//! One record: read, converted, and the result checked as `check` would.

use crate::convert::{self, Converted};
use crate::dialect::{Dialect, Written};
use crate::dialects::responses::RESPONSES;
use crate::format::{Format, FormatInfo, Histories, Record, Slice};
use crate::formats;
use crate::history::{Code, Finding, Flags, Remedy, Row, Usage};
use crate::json::edit::Base;
use crate::json::{Tape, What, pointer, scan};
use crate::lint::detect;
use crate::lint::{self, Findings, Judged, Options};
use crate::neutral::{LossKind, Lost};
use crate::place::{DocId, Place};
use crate::rules;
use crate::source::Container;
use crate::target::Target;
use crate::targets;

use super::Recasting;
use super::mend::{MADE, mend};

/// What a stretch of records gave.
#[derive(Default)]
pub struct Made {
    pub out: Vec<u8>,
    pub judged: Vec<Judged>,
    pub counts: [u64; 3],
    pub records: u32,
    pub converted: u32,
    /// Conversations that were met, whatever became of them.
    pub met: u32,
    pub items: u64,
    pub failed: u32,
    pub format: Option<&'static dyn Format>,
}

/// Reads and converts records. One a thread.
pub struct Caster<'c> {
    pub id: DocId,
    pub how: &'c Recasting<'c>,
    tape: Tape,
    result: Vec<u8>,
    pub made: Made,
}

impl<'c> Caster<'c> {
    pub fn new(id: DocId, how: &'c Recasting<'c>) -> Self {
        Caster { id, how, tape: Tape::new(), result: Vec::new(), made: Made::default() }
    }

    /// Converts one whole record. `document` says that it is all of the doc.
    pub fn record(&mut self, text: &[u8], start: u64, document: bool) {
        let number = self.made.records;
        self.made.records += 1;
        let mut tape = std::mem::take(&mut self.tape);
        let read = self.read(text, start, document, &mut tape);
        self.tape = tape;
        if let Err((code, arg, at)) = read {
            let row = Row { record: number, ..Row::of_place(at, number) };
            self.fail(Finding::new(code, row).arg(arg));
        }
    }

    fn read(
        &mut self,
        text: &[u8],
        start: u64,
        document: bool,
        tape: &mut Tape,
    ) -> Result<(), (Code, u32, Place)> {
        let place = |from: u32, to: u32| Place::new(self.id, start + u64::from(from), to - from);
        if let Err(error) = simdutf8::compat::from_utf8(text) {
            let at = error.valid_up_to() as u32;
            return Err((Code(5), 0, place(at, at + 1)));
        }
        if let Err(fault) = scan(text, tape) {
            let at = fault.at.min(text.len() as u32);
            return Err((Code(1), fault.what as u32, place(at, (at + 1).min(text.len() as u32))));
        }
        let whole = place(0, text.len() as u32);
        let options = self.how.options;
        let val = tape.root(text).and_then(|root| pointer::resolve(root, &options.pointer));
        let told = val.and_then(|val| {
            options.format.or_else(|| if document { detect::of_document(val) } else { detect::of_record(val) })
        });
        let (Some(val), Some(format)) = (val, told) else { return Err((Code(4), 0, whole)) };
        let record = Record {
            number: self.made.records - 1,
            val,
            base: Base::new(self.id, start),
            whole,
            slice: Slice::Whole,
        };
        self.made.format = self.made.format.or(Some(format));
        if self.how.foreign_only && options.target.is_some_and(|target| lint::speaks(format.info(), target)) {
            self.made.met += 1;
            return Ok(());
        }
        self.result.clear();
        let mut result = std::mem::take(&mut self.result);
        let converted = convert::record(format, &record, &self.how.plan, &mut result);
        self.deliver(converted, &mut result, format.info(), record.base.of(val), &|_| record.number);
        self.result = result;
        Ok(())
    }

    /// Takes the result of a conversation, if there is one that the target would take. `record_of` tells the number of
    /// the record that a place lies in.
    pub fn deliver(
        &mut self,
        mut converted: Converted,
        result: &mut Vec<u8>,
        info: &FormatInfo,
        at: Place,
        record_of: &dyn Fn(Place) -> u32,
    ) {
        let row = |at: Place| Row::of_place(at, record_of(at));
        let number = self.how.number(self.made.converted, self.made.met);
        self.made.met += 1;
        if !converted.written {
            return self.fail(finding(LossKind::NOT_CONVERTED, row(at)));
        }
        let takers = self.takers(info, self.how.options.store);
        let written = self.how.plan.written;
        let mut error = refused(result, written, &takers);
        // A request is what was sent: whether it was right to is a matter for `check`. A log is made one.
        let mends = || info.usage != Usage::Request || self.loses_its_store(&converted, result, info);
        if error.is_some() && !converted.copies.is_empty() && mends() {
            mend(result, &mut converted, &takers);
            error = refused(result, written, &takers);
        }
        // Of a piece of a log nothing may be left, or nothing by which anybody would know it again.
        let unread = || error.is_none_or(|code| code == UNKNOWN) && !is_recognised(result, written);
        if info.usage != Usage::Request && (result.trim_ascii().is_empty() || unread()) {
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
        found.sort_by_key(|finding| (finding.row.at.start, finding.code, finding.variant));
        found.into_iter().for_each(|finding| self.raise(finding, Some(number)));
        self.made.out.extend_from_slice(result);
        self.made.converted += 1;
        self.made.items += converted.items;
    }

    /// Whether items are refused only for what their request said of the server's store, and they cannot say.
    fn loses_its_store(&self, converted: &Converted, result: &Vec<u8>, info: &FormatInfo) -> bool {
        let items = self.how.plan.written == Written::Items;
        items
            && converted.stored.is_some()
            && refused(result, Written::Items, &self.takers(info, converted.stored)).is_none()
    }

    /// How the result is judged: as what its source was meant for, if that speaks the same dialect, and as `check`
    /// would judge it.
    fn takers(&self, info: &FormatInfo, store: Option<bool>) -> Vec<Options> {
        let (plan, asked) = (&self.how.plan, self.how.options);
        let name = match plan.written {
            Written::Items => "responses-item-lines".to_owned(),
            Written::Request => format!("{}-request", plan.to.name()),
        };
        // The items of other systems' logs become items of the Responses API.
        let own = info.dialect.takes().dialect;
        let same = own == plan.to.name() || own.is_empty() && plan.to.name() == RESPONSES.name();
        let fits = |target: &'static Target| (target.dialect == plan.to.name()).then_some(target);
        let taker = |target: Option<&'static Target>| Options {
            format: formats::by_name(&name),
            target,
            store,
            usage: Some(match info.usage {
                // Lines of items stay a log: the last calls may be about to run.
                Usage::Log | Usage::Exchange if same && plan.written == Written::Items => Usage::Log,
                _ => Usage::Request,
            }),
            model: asked.model.clone(),
            effort: asked.effort,
            ..Options::default()
        };
        if let Some(target) = asked.target.and_then(fits) {
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

    fn raise(&mut self, finding: Finding, history: Option<u32>) {
        let options = self.how.options;
        let Some(rule) = rules::by_code(finding.code) else { return };
        let failed = history.is_none();
        let variant = rule.variant(finding.variant);
        let Some(severity) = variant.levels.stored.filter(|_| failed || options.enabled.has(rule.code)) else {
            return;
        };
        self.made.counts[severity as usize] += 1;
        if severity < self.how.least || self.made.judged.len() >= self.how.most {
            return;
        }
        let target = options.target.or_else(|| targets::by_name(self.how.plan.to.name()));
        let target = target.unwrap_or(targets::TARGETS[0]);
        self.made.judged.push(Judged { finding, severity, target, history, loss: variant.loss, flattens: false });
    }
}

/// The first error that `check` finds in a result.
fn refused(result: &Vec<u8>, written: Written, takers: &[Options]) -> Option<Code> {
    let container = match written {
        Written::Items => Container::Lines { start: 0 },
        Written::Request => Container::Document { start: 0 },
    };
    takers.iter().find_map(|options| {
        let found = lint::lint_made(MADE, result, container, options, &Findings).ok()?;
        found.first_error().map(|judged| judged.finding.code)
    })
}

/// Whether a result is some format's, so that the next command would read it.
fn is_recognised(result: &[u8], written: Written) -> bool {
    let mut tape = Tape::new();
    match written {
        Written::Items => detect::of_lines(result, &[]).is_some(),
        Written::Request => {
            scan(result, &mut tape).is_ok() && tape.root(result).and_then(detect::of_document).is_some()
        }
    }
}

/// The rule about what no format recognises.
const UNKNOWN: Code = Code(4);

fn finding(kind: LossKind, row: Row) -> Finding {
    Finding::new(kind.code, row).variant(kind.variant)
}

/// A fault of a line that was not read.
pub fn too_long(id: DocId, start: u64, record: u32) -> Finding {
    Finding::new(Code(1), Row::of_place(Place::new(id, start, 0), record)).arg(What::TooLong as u32)
}

/// Whether a format's records make one history together, or become one.
pub fn is_log(format: &dyn Format) -> bool {
    let info = format.info();
    // What is replayed in another form is read as a whole.
    info.histories != Histories::PerRecord || info.dialect.replay(true).is_some()
}
