//! Converts one history, and checks the result as `check` would.
#![expect(
    clippy::indexing_slicing,
    reason = "there is a count for each severity, and the table of targets is never empty"
)]

use std::io;

use crate::carry::Destination;
use crate::dialect::{Dialect, OutputShape};
use crate::dialects::chat::CHAT;
use crate::dialects::responses::RESPONSES;
use crate::format::FormatInfo;
use crate::formats;
use crate::history::{Finding, Flags, History, Remedy, Row, Usage};
use crate::judge::{self, NewValues, Options, WeighedFinding};
use crate::message::write::JsonWriter;
use crate::message::{ConversionLoss, LossKind};
use crate::place::{DocId, Place};
use crate::read::{self, ScannedRecord, TextReader};
use crate::rules;
use crate::source::ReadAt;
use crate::source::bytes::spool::Spool;
use crate::target::{Severity, Target};
use crate::targets;

use super::batch_line;
use super::conversion_builder::{ConversionBuilder, ConvertedHistory, CopyMode};
use super::loss_names::{self, LossNames, NameDigests};
use super::options::ConvertOptions;
use super::repair_copy::repair_copy;
use super::verdict;

/// The output of one history.
#[derive(Default)]
pub struct HistoryOutput {
    pub out: Spool,
    /// An error that ends the conversion.
    pub error: Option<io::Error>,
    pub judged: Vec<WeighedFinding>,
    pub counts: [u64; 3],
    /// What is written instead of old values.
    pub new_values: NewValues,
    /// What the messages of findings name, as far as that is known.
    pub name_digests: NameDigests,
    /// The number of values in the source that its agent does not send.
    pub unsent: u64,
    pub converted: u32,
    /// The number of those that are lines of a batch.
    pub batch_lines: u32,
    /// The number of conversations, converted or not.
    pub total: u32,
    /// The history belongs to the line of the one before it, and has no output of its own.
    pub is_joined: bool,
    pub items: u64,
    pub failed: u32,
    /// The offset of the conversation, if it was left out because it would lose something.
    pub left_out: Option<u64>,
    /// The destination of the written session.
    pub destination: Option<Destination>,
}

impl HistoryOutput {
    /// Leaves out the conversation at an offset if it loses something. The losses stay reported.
    pub(super) fn leave_out_lossy(&mut self, at: u64) {
        if self.converted == 0 || self.counts[Severity::Warning as usize] == 0 {
            return;
        }
        self.out = Spool::default();
        self.converted = 0;
        self.items = 0;
        self.destination = None;
        self.left_out = Some(at);
        // A conversation that is not written has no number, and no changes in form.
        (self.counts[Severity::Info as usize], self.unsent) = (0, 0);
        self.judged.retain(|judged| judged.severity > Severity::Info);
        self.judged.iter_mut().for_each(|judged| judged.history = None);
    }
}

/// Converts histories.
pub struct Converter<'c> {
    pub(super) id: DocId,
    pub(super) bytes: &'c dyn ReadAt,
    pub(super) options: &'c ConvertOptions<'c>,
    /// A record that need not be read again.
    scanned: Option<ScannedRecord<'c>>,
    /// What losses in that record can name, if their names are digested.
    names: Option<LossNames<'c>>,
    pub output: HistoryOutput,
}

impl<'c> Converter<'c> {
    pub fn new(id: DocId, bytes: &'c dyn ReadAt, options: &'c ConvertOptions<'c>) -> Self {
        Converter { id, bytes, options, scanned: None, names: None, output: HistoryOutput::default() }
    }

    /// The same, with a record that need not be read again.
    pub fn with_scanned(self, scanned: Option<ScannedRecord<'c>>) -> Self {
        let names = scanned.filter(|_| self.options.digests_names).and_then(LossNames::of);
        Converter { scanned, names, ..self }
    }

    /// The texts of a history.
    pub(super) fn texts(&self, info: &FormatInfo) -> TextReader<'c> {
        TextReader::new(self.bytes, info.dialect).with_scanned(self.scanned)
    }

    /// Converts a history: the request around it, and the items outside of that.
    pub fn history(&mut self, history: &History, info: &'static FormatInfo) {
        let options = self.options;
        if options.foreign_only && options.judge.target.is_some_and(|target| judge::shares_dialect(info, target)) {
            self.output.total += 1;
            return;
        }
        if self.convert_training_line(history) {
            return;
        }
        if let Some(carry) = options.carry {
            return self.carry_over(history, info, carry);
        }
        let converted = self.convert(history, info, CopyMode::Verbatim).and_then(|(converted, result)| match self
            .is_rejected_by_model(&converted, &result, info)
        {
            true => self.convert(history, info, CopyMode::Fitted),
            false => Ok((converted, result)),
        });
        let (converted, mut result) = match converted {
            Ok(converted) => converted,
            Err(error) => return self.output.error = Some(error),
        };
        self.accept_result(converted, &mut result, info, history);
    }

    fn convert(
        &self,
        history: &History,
        info: &'static FormatInfo,
        mode: CopyMode,
    ) -> io::Result<(ConvertedHistory, Spool)> {
        let options = self.options;
        // If the source is in memory, there is room for the result.
        let spills = self.bytes.in_memory().is_none();
        let new_builder = |dialect| {
            let mut builder = ConversionBuilder::new(dialect, &options.plan, spills, mode);
            builder.losses.lists_each = options.lists_each;
            builder
        };
        let builder = self.read(history, info, &new_builder)?;
        builder.finish(history.settings.model.as_deref(), &options.plan, estimate_size(history))
    }

    /// True for a copied request whose model is another one now, which rejects it: its settings are to be fitted.
    fn is_rejected_by_model(&self, converted: &ConvertedHistory, result: &Spool, info: &FormatInfo) -> bool {
        let plan = &self.options.plan;
        let is_copied_request =
            !converted.copies.is_empty() && plan.model.is_some() && info.usage == Usage::Request;
        let checks = || self.result_checks(info, self.options.judge.store, converted.target);
        is_copied_request && verdict::judge(result, plan.shape, &checks(), false).error.is_some()
    }

    /// Converts a history of a line for training that is written with another one, and returns true if it is one. Lines of two
    /// answers stay as they are in their dialect; elsewhere only the preferred answer is written.
    fn convert_training_line(&mut self, history: &History) -> bool {
        let (settings, start) = (&history.settings, self.start(history));
        let keeps_lines = self.options.carry.is_none()
            && self.options.plan.shape == OutputShape::Request
            && self.options.plan.dialect.info().name == CHAT.info().name;
        if settings.is_rejected_answer {
            self.output.is_joined = true;
            if !keeps_lines {
                let row = Row::of_place(start, record_index(history)(start));
                let number = self.options.number(self.output.converted, self.output.total);
                self.report_finding(loss_finding(LossKind::REJECTED_ANSWER, row), Some(number));
            }
            self.output.total += 1;
            return true;
        }
        let Some(line) = settings.training_line.filter(|_| keeps_lines) else { return false };
        let mut record = Vec::new();
        if let Err(error) = self.bytes.read_into(line.start, line.len as usize, &mut record) {
            self.output.error = Some(error);
            return true;
        }
        let mut out = Vec::with_capacity(record.len() + 1);
        JsonWriter::new(&mut out).bytes(&record);
        out.push(b'\n');
        self.output.out = out.into();
        self.output.total += 1;
        self.output.converted += 1;
        self.output.items += history.rows.len() as u64;
        true
    }

    /// The place at which a history begins.
    pub(super) fn start(&self, history: &History) -> Place {
        let around = history.settings.body.map(|around| around.at);
        around.or(history.rows.first().map(|row| row.at)).unwrap_or(Place::new(self.id, 0, 0))
    }

    /// Accepts the result of a conversation if the target would; otherwise reports why not.
    pub fn accept_result(
        &mut self,
        mut converted: ConvertedHistory,
        result: &mut Spool,
        info: &FormatInfo,
        history: &History,
    ) {
        let (at, record_of) = (self.start(history), record_index(history));
        let row = |at: Place| Row::of_place(at, record_of(at));
        let number = self.options.number(self.output.converted, self.output.total);
        self.output.total += 1;
        if !converted.has_output {
            return self.fail(loss_finding(LossKind::NOT_CONVERTED, row(at)));
        }
        if !verdict::is_unicode(result) {
            return self.fail(loss_finding(LossKind::NOT_UNICODE, row(at)));
        }
        let checks = self.result_checks(info, self.options.judge.store, converted.target);
        let written = self.options.plan.shape;
        let log = info.usage != Usage::Request;
        let mut verdict = verdict::judge(result, written, &checks, log);
        // A request was sent as it is: its errors are reported by `check`. A log is made a request.
        let may_repair = || info.usage != Usage::Request || self.loses_its_store(&converted, result, info);
        if verdict.error.is_some() && !converted.copies.is_empty() && may_repair() {
            repair_copy(result, &mut converted, &checks);
            verdict = verdict::judge(result, written, &checks, log);
        }
        if result.is_blank() || !verdict.is_recognised {
            return self.fail(loss_finding(LossKind::NOT_CONVERTED, row(at)));
        }
        if let Some(error) = verdict.error {
            return self.fail(loss_finding(LossKind::RESULT_REFUSED, row(at)).arg(u32::from(error.0)));
        }
        let mut found: Vec<Finding> = Vec::with_capacity(converted.losses.len());
        for lost in std::mem::take(&mut converted.losses) {
            found.push(self.loss(lost, at, &record_of));
        }
        found.extend(&history.settings.conversion_losses);
        if let Some(name) = history.settings.entry_name.as_deref().filter(|_| written == OutputShape::Request)
            && let Err(error) = self.write_batch_line(name, result, &mut found)
        {
            return self.output.error = Some(error);
        }
        sort_findings(&mut found);
        found.into_iter().for_each(|finding| self.report_finding(finding, Some(number)));
        self.output.out = std::mem::take(result);
        self.output.converted += 1;
        self.output.items += converted.items;
    }

    /// True if items are refused only because the `store` setting of their request is lost, which items cannot express.
    fn loses_its_store(&self, converted: &ConvertedHistory, result: &Spool, info: &FormatInfo) -> bool {
        let items = self.options.plan.shape == OutputShape::Items;
        items
            && converted.store.is_some()
            && verdict::judge(
                result,
                OutputShape::Items,
                &self.result_checks(info, converted.store, converted.target),
                false,
            )
            .error
            .is_none()
    }

    /// The options to judge the result with: for the target of its source, if that has the same dialect, and as `check` would
    /// judge it.
    fn result_checks(
        &self,
        info: &FormatInfo,
        store: Option<bool>,
        home: Option<&'static Target>,
    ) -> Vec<Options> {
        let (plan, asked) = (&self.options.plan, self.options.judge);
        let name = match plan.shape {
            OutputShape::Items => "responses-item-lines".to_owned(),
            OutputShape::Request => format!("{}-request", plan.dialect.info().name),
        };
        // The items of other systems' logs become items of the Responses API.
        let own = info.dialect.info().capabilities.dialect;
        let same =
            own == plan.dialect.info().name || own.is_empty() && plan.dialect.info().name == RESPONSES.info().name;
        let fits = |target: &'static Target| (target.dialect == plan.dialect.info().name).then_some(target);
        let options_for = |target: Option<&'static Target>| Options {
            read: read::Options {
                format: formats::by_name(&name),
                usage: Some(match info.usage {
                    // Lines of items stay a log: the last calls may be about to run.
                    Usage::Log | Usage::Exchange if same && plan.shape == OutputShape::Items => Usage::Log,
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
            return vec![options_for(Some(target))];
        }
        let usual = formats::by_name(&name).map_or("", |format| format.info().target);
        let meant = targets::by_name(info.target).filter(|_| same && info.target != usual).and_then(fits);
        meant.map(|target| options_for(Some(target))).into_iter().chain([options_for(None)]).collect()
    }

    /// The finding about a loss. Keeps the new value for its message.
    pub(super) fn loss(
        &mut self,
        lost: ConversionLoss,
        start: Place,
        record_of: impl Fn(Place) -> u32,
    ) -> Finding {
        let at = if lost.at.place.len == 0 { start } else { lost.at.place };
        let mut row = Row::of_place(at, record_of(at));
        if lost.at.embedded {
            row.flags = Flags::EMBEDDED;
        }
        let finding = loss_finding(lost.kind, row).arg(lost.arg);
        if let Some(to) = lost.to {
            self.output.new_values.insert((row.at, finding.code, finding.variant), to);
        }
        finding
    }

    /// Writes a request as the line of a batch, if the target has batches: the name of its entry is not lost then.
    fn write_batch_line(&mut self, name: &str, result: &mut Spool, found: &mut Vec<Finding>) -> io::Result<()> {
        let line = batch_line::write(self.options.plan.dialect.info().name, name, result)?;
        let Some((line, is_renamed)) = line else { return Ok(()) };
        *result = line;
        self.output.batch_lines += 1;
        let is_name = |finding: &Finding| LossKind::of(finding) == LossKind::ENTRY_NAME;
        let renamed = found.iter().find(|finding| is_name(finding)).filter(|_| is_renamed);
        let renamed = renamed.map(|finding| loss_finding(LossKind::ENTRY_RENAMED, finding.row));
        found.retain(|finding| !is_name(finding));
        found.extend(renamed);
        Ok(())
    }

    /// Reports a record that cannot be converted.
    pub fn fail(&mut self, finding: Finding) {
        self.output.failed += 1;
        self.report_finding(Finding { remedy: Remedy::Never(""), ..finding }, None);
    }

    pub(super) fn report_finding(&mut self, finding: Finding, history: Option<u32>) {
        let options = self.options.judge;
        let Some(rule) = rules::by_code(finding.code) else { return };
        let failed = history.is_none();
        let variant = rule.variant(finding.variant);
        let Some(severity) = variant.levels.stored.filter(|_| failed || options.enabled.has(rule.code)) else {
            return;
        };
        match LossKind::of(&finding) {
            LossKind::NOT_SENT => self.output.unsent += 1,
            _ => self.output.counts[severity as usize] += 1,
        }
        if severity < self.options.min_severity && !variant.is_shown
            || self.output.judged.len() >= self.options.max_findings
        {
            return;
        }
        if self.options.digests_names {
            self.digest_names(&finding, variant.message);
        }
        let target = options.target.or_else(|| targets::by_name(self.options.plan.dialect.info().name));
        let target = target.unwrap_or(targets::TARGETS[0]);
        self.output.judged.push(WeighedFinding {
            finding,
            severity,
            target,
            history,
            loss: variant.loss,
            flattens: false,
        });
    }
}

impl Converter<'_> {
    /// Keeps the digest of what the message of a loss names. Text that a format makes has no names of its own.
    fn digest_names(&mut self, finding: &Finding, template: &str) {
        let at = finding.row.at;
        let own = (at, finding.code, finding.variant);
        let new_value = self.output.new_values.get(&own).map(|to| &**to);
        let names = self.names.as_ref().filter(|_| self.bytes.origin(at) == at);
        if let Some(digest) = loss_names::digest(names, finding, template, new_value) {
            self.output.name_digests.insert(own, digest);
        }
    }
}

/// An estimate of the result's size in bytes, so that its buffer seldom grows.
fn estimate_size(history: &History) -> usize {
    let size = match history.settings.body {
        Some(around) => u64::from(around.at.len),
        None => history.rows.iter().map(|row| u64::from(row.at.len)).sum(),
    };
    (size + size / 4).min(MAX_BUFFER) as usize
}

/// A larger buffer grows as it is filled.
const MAX_BUFFER: u64 = 1 << 24;

/// Maps places to the numbers of the records that contain them.
pub(super) fn record_index(history: &History) -> impl Fn(Place) -> u32 {
    // Rows are in the order of the history, which need not be that of the doc.
    let mut starts: Vec<(u64, u32)> = history.rows.iter().map(|row| (row.at.start, row.record)).collect();
    starts.sort_unstable();
    move |place: Place| {
        let ix = starts.partition_point(|(start, _)| *start <= place.start);
        starts.get(ix.saturating_sub(1)).map_or(0, |(_, record)| *record)
    }
}

/// Sorts findings in the order of the doc, losses before notes of what is not sent: of those there may be so many that the
/// losses would exceed the limit.
pub(super) fn sort_findings(found: &mut [Finding]) {
    found.sort_by_key(|finding| {
        let is_unsent = LossKind::of(finding) == LossKind::NOT_SENT;
        (is_unsent, finding.row.at.start, finding.code, finding.variant)
    });
}

pub(super) fn loss_finding(kind: LossKind, row: Row) -> Finding {
    Finding::new(kind.code, row).variant(kind.variant)
}
