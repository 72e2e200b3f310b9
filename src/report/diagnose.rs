//! From findings to diagnostics: the only place where text is read again for messages.

use std::io;

use crate::dialect::Dialect;
use crate::format::FormatInfo;
use crate::formats::agents::resume;
use crate::formats::{FORMATS, unsupported};
use crate::history::{Kind, NO_FIELD, Remedy, Row};
use crate::json::FaultKind;
use crate::judge::{JudgedDoc, WeighedFinding};
use crate::place::DocId;
use crate::read::TextReader;
use crate::schema::Violation;
use crate::source::{CachedReader, Container, ReadAt};

use super::command_line::fill_commands;
use super::finding_reader::{ContentDisplay, FindingItem, FindingReader, own_verdict};
use super::item_facts::{ItemFacts, MediaFacts};
use super::locator::{LastRecord, Locator};
use super::mask;
use super::prediction::fix_outcome::PredictedFix;
use super::words::{count, fill, fill_known, replace_hidden};
use super::{Diagnostic, FindingIdentity, RelatedLocation};

/// Findings in a batch, at least; the texts of a batch are in memory until all of them are read.
const BATCH_SIZE: usize = 4 << 10;

/// Most batches of a document that is read and scanned as a whole for each.
const MAX_BATCHES: usize = 8;

/// Diagnostics of the findings of a document. A record is read and scanned once for all of its findings.
pub fn diagnose<T>(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<T>,
    content: ContentDisplay,
) -> io::Result<Vec<Diagnostic>> {
    diagnose_some(id, label, bytes, lint, &lint.findings, content)
}

/// Diagnostics of some findings of a document, in its order.
pub fn diagnose_some<T>(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<T>,
    some: &[WeighedFinding],
    content: ContentDisplay,
) -> io::Result<Vec<Diagnostic>> {
    let mut diagnostics = Vec::with_capacity(some.len());
    diagnose_batches(id, label, bytes, lint, some, content, &mut |mut batch| {
        diagnostics.append(&mut batch);
        Ok(())
    })?;
    Ok(diagnostics)
}

/// Calls `take` with the diagnostics of some findings of a document, batch by batch, in its order.
pub fn diagnose_batches<T>(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<T>,
    some: &[WeighedFinding],
    content: ContentDisplay,
    take: &mut dyn FnMut(Vec<Diagnostic>) -> io::Result<()>,
) -> io::Result<()> {
    let cached = CachedReader::new(bytes, lint.container, &lint.lines);
    let format = lint.format.map(|format| format.info());
    let texts = TextReader::new(&cached, dialect_of(lint));
    let mut locator = Locator::new(&cached, &lint.lines);
    let mut last = LastRecord::default();
    for judged in batches(some, lint.container) {
        let reader = FindingReader { id, lint, judged, texts: &texts, cached: &cached, content };
        let seen = reader.read(&mut locator, &mut last)?;
        let of_each = judged.iter().zip(&seen.items).enumerate().map(|(n, (judged, item))| {
            DiagnosticBuilder { judged, item, partner: seen.partners.get(&n), format }.diagnostic(label)
        });
        take(of_each.collect())?;
    }
    Ok(())
}

/// Batches of findings in order; where records are read one by one, a batch ends with a record.
fn batches(judged: &[WeighedFinding], container: Container) -> impl Iterator<Item = &[WeighedFinding]> {
    let is_lines = matches!(container, Container::Lines { .. } | Container::Events { .. });
    let least = match is_lines {
        true => BATCH_SIZE,
        false => BATCH_SIZE.max(judged.len().div_ceil(MAX_BATCHES)),
    };
    let mut rest = judged;
    std::iter::from_fn(move || {
        let last = rest.get(..least).unwrap_or(rest).last()?.finding.row.record;
        let more =
            rest.iter().skip(least).take_while(|judged| is_lines && judged.finding.row.record == last).count();
        let (own, next) = rest.split_at((least + more).min(rest.len()));
        rest = next;
        Some(own)
    })
}

/// The dialect that names the items of a document; that of the first format if its format is unknown.
#[expect(clippy::indexing_slicing, reason = "the table of formats is never empty")]
pub(super) fn dialect_of<T>(lint: &JudgedDoc<T>) -> &'static dyn Dialect {
    lint.format.unwrap_or(FORMATS[0]).info().dialect
}

struct DiagnosticBuilder<'t> {
    judged: &'t WeighedFinding,
    item: &'t FindingItem,
    partner: Option<&'t FindingItem>,
    /// The format of the document; `None` if it is unknown.
    format: Option<&'static FormatInfo>,
}

impl DiagnosticBuilder<'_> {
    fn diagnostic(&self, label: &str) -> Diagnostic {
        let finding = &self.judged.finding;
        let (rule, variant) = (self.judged.rule(), self.judged.variant());
        let item = &self.item.facts;
        let of = |name: &str| self.name(name);
        // The server names the item that it finds after a reference.
        let referenced =
            Some(finding.row.item_kind).filter(|kind| finding.row.is_reference() && *kind != Kind::Unknown);
        let api_of = |name: &str| match referenced.filter(|_| name == "type") {
            Some(kind) => Some(kind.name().to_owned()),
            None => of(name),
        };
        let own = own_verdict(self.judged);
        let answer = own.and_then(|own| own.error).unwrap_or(variant.error);
        let location = self.item.location.clone();
        let related = finding.partner.filter(|_| !variant.related.is_empty()).map(|_| RelatedLocation {
            location: self.partner.map(|partner| partner.location.clone()).unwrap_or_default(),
            message: variant.related.to_owned(),
        });
        let (fix, no_fix) = PredictedFix::Requested.fix_note(self.judged);
        Diagnostic {
            rule: rule.code,
            variant: finding.variant,
            name: rule.name,
            severity: self.judged.severity,
            always_shown: variant.is_shown,
            message: fill_commands(&fill_known(variant.message, &of), label, self.judged.target.name).into_owned(),
            path: label.to_owned(),
            history: self.judged.history,
            record: finding.row.record + 1,
            location,
            id: item.id.clone(),
            call_id: item.call_id.clone(),
            identity: FindingIdentity { id: finding.row.id, key: finding.row.key, kind: finding.row.kind.name() },
            related: related.into_iter().collect(),
            api_message: own
                .and_then(|own| own.api)
                .or(variant.api)
                .filter(|api| !api.is_empty())
                .and_then(|template| fill(template, &api_of)),
            status: variant.status,
            error_type: answer.kind,
            error_param: answer.param.and_then(|template| fill(template, &of)),
            error_code: answer.code,
            evidence: variant.evidence,
            target: self.judged.target.name,
            format: self.format.map(|info| info.name),
            fix,
            no_fix,
            conversation_pointer: self.item.inside.clone(),
            snippet: self.item.snippet.clone(),
            proposal: Vec::new(),
        }
    }

    fn name(&self, name: &str) -> Option<String> {
        let finding = &self.judged.finding;
        let (item, partner) = (&self.item.facts, self.partner.map(|partner| &partner.facts));
        let violation = self.item.violation.as_ref();
        let row = &finding.row;
        match name {
            "type" => Some(kind_name(row, item)),
            "id" => item.id.clone(),
            "call_id" => item.call_id.clone().or_else(|| item.id.clone().filter(|_| is_paired_by_id(row.kind))),
            "name" => item.name.clone(),
            "message" => number(self.item, 0),
            "block" => number(self.item, 1),
            "partner_message" => number(self.partner?, 0),
            "role" => item.role.clone(),
            "partner_role" => partner?.role.clone(),
            "any_id" => item.id.clone().or_else(|| item.call_id.clone()),
            "approval" => item.approval.clone(),
            "noun" => row.kind.info().noun.map(str::to_owned),
            "prefix" => Some(row.kind.info().prefix.to_owned()),
            "id_length" => item.id_length.map(|length| length.to_string()),
            "call_id_length" => item.call_id_length.map(|length| length.to_string()),
            "partner_type" => partner?.kind.clone(),
            "partner_id" => partner?.id.clone(),
            "partner_call_id" => partner?.call_id.clone(),
            "partner_noun" => {
                let kind = Kind::of_type(partner?.kind.as_deref()?.as_bytes());
                kind.info().noun.map(str::to_owned)
            }
            "list" => (self.judged.target.dialect == "responses").then(|| "input".to_owned()),
            "checks" => partner?.checks.clone(),
            "text" => item.text.clone(),
            "field" if finding.field != NO_FIELD => self.item.field.path.clone(),
            "value" if finding.field != NO_FIELD => self.item.field.value.clone(),
            "length" if finding.field != NO_FIELD => self.item.field.length.clone(),
            "arg" | "index" => Some(finding.arg.to_string()),
            "reachable" => Some(format!("{} of {}", finding.arg, count(u64::from(row.turn), "message"))),
            "items" => Some(count(u64::from(finding.arg), "item")),
            "healed" => resume::describe(resume::decode_arg(finding.arg)),
            "characters" => Some(count(u64::from(finding.arg), "control character")),
            "outputs" => Some(count(u64::from(finding.arg), "output")),
            "fault" => Some(fault_words(finding.arg).to_owned()),
            "order" => Some(if finding.arg == 1 { "little" } else { "big" }.to_owned()),
            "key" => self.item.key.clone(),
            "was" => self.item.was.clone(),
            "to" => self.item.to.clone(),
            "problem" => Some(replace_hidden(&problem(violation?))),
            "field" => Some(mask::path(&violation?.field())),
            "expected" => violation?.expected.clone(),
            "got" => violation?.got.map(str::to_owned),
            "where" => self.path_in_messages(),
            "member" if violation.is_none() => member_at(self.partner.unwrap_or(self.item)),
            "member" => member(violation?),
            "kind" => violation?.expected.as_deref()?.strip_prefix("a ").map(str::to_owned),
            "ordinal" => Some((number(self.item, 0)?.parse::<u32>().ok()? + 1).to_string()),
            "value" => violation?.value.as_deref().map(mask::word),
            "limit" if violation.is_none() => Some(finding.limit.to_string()),
            "limit" => violation?.limit.map(|(limit, _)| limit.to_string()),
            "length" if violation.is_some() => violation?.limit.map(|(_, length)| length.to_string()),
            "length" => Some(finding.arg.to_string()),
            "media" => Some(self.media()?.name.clone()),
            "media_place" => Some(self.place_in_item()),
            "media_path" => self.path_of_media(),
            "media_type" => self.media()?.mime.clone(),
            "bytes_type" => self.media()?.bytes_type.map(str::to_owned),
            "looks" => Some(unsupported::row(finding.arg)?.name.to_owned()),
            "format" => Some(self.format?.name.to_owned()),
            "why" => reason(finding.remedy),
            "shape" => item.shape.clone().or_else(|| Some("not JSON".to_owned())),
            _ => None,
        }
    }

    /// The path of the value that does not fit, after `messages`: `[1].content[0].text`.
    fn path_in_messages(&self) -> Option<String> {
        let pointer = &self.item.location.pointer;
        let path = &pointer[pointer.rfind("/messages/")? + "/messages/".len()..];
        let step = |step: &str| match step.parse::<u32>() {
            Ok(number) => format!("[{number}]"),
            Err(_) => format!(".{step}"),
        };
        let item: String = path.split('/').map(step).collect();
        Some(mask::path(&(item + &self.item.violation.as_ref()?.field())))
    }
}

/// Parts that are images, sounds, videos or files: the partner of their finding, also where it is the item itself.
impl DiagnosticBuilder<'_> {
    fn media(&self) -> Option<&MediaFacts> {
        self.partner?.facts.media.as_ref()
    }

    /// ` in message 3` or ` in function_call_output`: the item with the part, if that is not the item itself.
    fn place_in_item(&self) -> String {
        let is_inside = self.judged.finding.partner.is_some_and(|at| at != self.judged.finding.row.at);
        let name = || kind_name(&self.judged.finding.row, &self.item.facts);
        if is_inside { format!(" in {}", name()) } else { String::new() }
    }

    /// The path of the part as its API writes it: `input[3].output[0]`, `messages.2.content.0.image`.
    fn path_of_media(&self) -> Option<String> {
        let pointer = &self.partner?.location.pointer;
        let list = ["/messages/", "/input/"].iter().find_map(|list| pointer.rfind(list))?;
        let steps = pointer.get(list + 1..)?.split('/');
        if self.judged.target.dialect == "anthropic" {
            let kind = self.media()?.name.clone();
            return Some(mask::path(&steps.chain([&*kind]).collect::<Vec<_>>().join(".")));
        }
        let path = steps.fold(String::new(), |path, step| match step.parse::<u32>() {
            Ok(number) => format!("{path}[{number}]"),
            Err(_) if path.is_empty() => step.to_owned(),
            Err(_) => format!("{path}.{step}"),
        });
        Some(mask::path(&path))
    }
}

/// The reason why a finding is never fixed; `None` if it may be fixed.
fn reason(remedy: Remedy) -> Option<String> {
    let Remedy::Never(why) = remedy else { return None };
    Some(why.to_owned())
}

/// The member whose value is the item, or is a list that contains it.
fn member_at(item: &FindingItem) -> Option<String> {
    let is_key = |step: &&str| step.parse::<u32>().is_err();
    item.location.pointer.rsplit('/').find(is_key).map(mask::word)
}

/// The nth number in the pointer of an item, from `/messages/` on if that is in it.
fn number(item: &FindingItem, at: usize) -> Option<String> {
    let pointer = &item.location.pointer;
    // The pointer of an entry of a batch begins with other numbers.
    let pointer = pointer.rfind("/messages/").and_then(|at| pointer.get(at..)).unwrap_or(pointer);
    pointer.split('/').filter(|step| step.parse::<u32>().is_ok()).nth(at).map(str::to_owned)
}

/// The problem in words, with the names of unknown members masked.
fn problem(violation: &Violation) -> String {
    let steps = violation.steps.iter().chain(&violation.missing).chain(&violation.unexpected);
    steps.fold(violation.problem.clone(), |problem, step| match mask::path(step) {
        masked if masked == *step => problem,
        masked => problem.replace(step.as_str(), &masked),
    })
}

/// The name of a member of a block that has a type.
fn member(violation: &Violation) -> Option<String> {
    let mut steps = violation.steps.iter().chain(&violation.missing);
    let only = steps.next().filter(|step| *step != "type")?;
    steps.next().is_none().then(|| mask::word(only))
}

/// True for calls that are paired with their results by their own id.
fn is_paired_by_id(kind: Kind) -> bool {
    matches!(kind, Kind::ToolUse | Kind::ServerUse)
}

fn kind_name(row: &Row, item: &ItemFacts) -> String {
    match row.kind {
        Kind::Unknown => item.kind.clone().unwrap_or_else(|| "item".to_owned()),
        Kind::ItemReference => "item_reference".to_owned(),
        // The dialects have names of their own for these.
        kind if kind.is_block_kind() && item.kind.is_some() => item.kind.clone().unwrap_or_default(),
        kind => kind.name().to_owned(),
    }
}

fn fault_words(arg: u32) -> &'static str {
    FaultKind::ALL.get(arg as usize).map_or("", |what| what.words())
}
