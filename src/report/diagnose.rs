//! From findings to diagnostics: the only place where text is read again to be told.

use std::io;

use crate::dialect::Dialect;
use crate::format::FormatInfo;
use crate::formats::agents::self_repair;
use crate::formats::{FORMATS, unread};
use crate::history::{Kind, NO_FIELD, Remedy, Row};
use crate::json::What;
use crate::judge::{Judged, JudgedDoc};
use crate::place::DocId;
use crate::read::Texts;
use crate::schema::Violation;
use crate::source::{Container, Held, ReadAt};

use super::command_line::filled;
use super::item_facts::Told;
use super::mask;
use super::place::Locator;
use super::prediction::fix_outcome::Promise;
use super::snippet_reader::{Content, Item, Reader, own_verdict};
use super::words::{count, fill, fill_known, harmless};
use super::{Diagnostic, Identity, Related};

/// At least so many findings are diagnosed at a time; the texts of a batch are in memory until all of them are read.
const AT_A_TIME: usize = 4 << 10;

/// Makes diagnostics of the findings of a doc. A record is read and scanned once for all of its findings.
pub fn diagnose<T>(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<T>,
    content: Content,
) -> io::Result<Vec<Diagnostic>> {
    diagnose_some(id, label, bytes, lint, &lint.judged, content)
}

/// The same of some findings of a doc, in its order.
pub fn diagnose_some<T>(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<T>,
    some: &[Judged],
    content: Content,
) -> io::Result<Vec<Diagnostic>> {
    let mut told = Vec::with_capacity(some.len());
    let held = Held::new(bytes, lint.container, &lint.lines);
    let format = lint.format.map(|format| format.info());
    let texts = Texts::new(&held, dialect_of(lint));
    let mut locator = Locator::new(&held, &lint.lines);
    for judged in batches(some, lint.container) {
        let reader = Reader { id, lint, judged, texts: &texts, held: &held, content };
        let seen = reader.read(&mut locator)?;
        for (n, judged) in judged.iter().enumerate() {
            let Some(item) = seen.items.get(n) else { continue };
            let partner = seen.partners.get(&n);
            told.push(Teller { judged, item, partner, format }.diagnostic(label));
        }
    }
    Ok(told)
}

/// Findings in their order, whole records at a time where these are read one by one.
fn batches(judged: &[Judged], container: Container) -> impl Iterator<Item = &[Judged]> {
    let least = match container {
        Container::Lines { .. } | Container::Events { .. } => AT_A_TIME,
        _ => judged.len(),
    };
    let mut rest = judged;
    std::iter::from_fn(move || {
        let last = rest.get(..least).unwrap_or(rest).last()?.finding.row.record;
        let more = rest.iter().skip(least).take_while(|judged| judged.finding.row.record == last).count();
        let (own, next) = rest.split_at((least + more).min(rest.len()));
        rest = next;
        Some(own)
    })
}

/// The dialect that names the items of a doc. A doc of no known format has that of the first format.
#[expect(clippy::indexing_slicing, reason = "the table of formats is never empty")]
pub(super) fn dialect_of<T>(lint: &JudgedDoc<T>) -> &'static dyn Dialect {
    lint.format.unwrap_or(FORMATS[0]).info().dialect
}

struct Teller<'t> {
    judged: &'t Judged,
    item: &'t Item,
    partner: Option<&'t Item>,
    /// The format of the doc.
    format: Option<&'static FormatInfo>,
}

impl Teller<'_> {
    fn diagnostic(&self, label: &str) -> Diagnostic {
        let finding = &self.judged.finding;
        let (rule, variant) = (self.judged.rule(), self.judged.variant());
        let item = &self.item.told;
        let of = |name: &str| self.name(name);
        // The server names the item that it finds after a reference.
        let behind = Some(finding.row.of).filter(|kind| finding.row.is_reference() && *kind != Kind::Unknown);
        let api_of = |name: &str| match behind.filter(|_| name == "type") {
            Some(kind) => Some(kind.name().to_owned()),
            None => of(name),
        };
        let own = own_verdict(self.judged);
        let answer = own.and_then(|own| own.answer).unwrap_or(variant.answer);
        let spot = self.item.spot.clone();
        let related = finding.partner.filter(|_| !variant.related.is_empty()).map(|_| Related {
            spot: self.partner.map(|partner| partner.spot.clone()).unwrap_or_default(),
            message: variant.related.to_owned(),
        });
        let (fix, no_fix) = Promise::Asked.note(self.judged);
        Diagnostic {
            rule: rule.code,
            variant: finding.variant,
            name: rule.name,
            severity: self.judged.severity,
            shown: variant.shown,
            message: filled(&fill_known(variant.message, &of), label, self.judged.target.name).into_owned(),
            path: label.to_owned(),
            history: self.judged.history,
            record: finding.row.record + 1,
            spot,
            id: item.id.clone(),
            call_id: item.call_id.clone(),
            identity: Identity { id: finding.row.id, key: finding.row.key, kind: finding.row.kind.name() },
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
            inside: self.item.inside.clone(),
            snippet: self.item.snippet.clone(),
            proposal: Vec::new(),
        }
    }

    fn name(&self, name: &str) -> Option<String> {
        let finding = &self.judged.finding;
        let (item, partner) = (&self.item.told, self.partner.map(|partner| &partner.told));
        let violation = self.item.violation.as_ref();
        let row = &finding.row;
        match name {
            "type" => Some(kind_name(row, item)),
            "id" => item.id.clone(),
            "call_id" => item.call_id.clone().or_else(|| item.id.clone().filter(|_| names_itself(row.kind))),
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
            "healed" => self_repair::words(self_repair::parts(finding.arg)),
            "characters" => Some(count(u64::from(finding.arg), "control character")),
            "outputs" => Some(count(u64::from(finding.arg), "output")),
            "fault" => Some(fault_words(finding.arg).to_owned()),
            "order" => Some(if finding.arg == 1 { "little" } else { "big" }.to_owned()),
            "key" => self.item.key.clone(),
            "problem" => Some(harmless(&problem(violation?))),
            "field" => Some(mask::path(&violation?.field())),
            "expected" => violation?.expected.clone(),
            "got" => violation?.got.map(str::to_owned),
            "where" => self.in_messages(),
            "member" if violation.is_none() => member_at(self.partner.unwrap_or(self.item)),
            "member" => member(violation?),
            "kind" => violation?.expected.as_deref()?.strip_prefix("a ").map(str::to_owned),
            "ordinal" => Some((number(self.item, 0)?.parse::<u32>().ok()? + 1).to_string()),
            "value" => violation?.value.as_deref().map(mask::word),
            "limit" => violation?.limit.map(|(limit, _)| limit.to_string()),
            "length" if violation.is_some() => violation?.limit.map(|(_, length)| length.to_string()),
            "length" => Some(finding.arg.to_string()),
            "looks" => Some(unread::row(finding.arg)?.name.to_owned()),
            "format" => Some(self.format?.name.to_owned()),
            "why" => reason(finding.remedy),
            "shape" => item.shape.clone().or_else(|| Some("not JSON".to_owned())),
            _ => None,
        }
    }

    /// The value that does not fit, as it is named behind `messages`: `[1].content[0].text`.
    fn in_messages(&self) -> Option<String> {
        let pointer = &self.item.spot.pointer;
        let behind = &pointer[pointer.rfind("/messages/")? + "/messages/".len()..];
        let step = |step: &str| match step.parse::<u32>() {
            Ok(number) => format!("[{number}]"),
            Err(_) => format!(".{step}"),
        };
        let item: String = behind.split('/').map(step).collect();
        Some(mask::path(&(item + &self.item.violation.as_ref()?.field())))
    }
}

/// Why nothing is done about a finding.
fn reason(remedy: Remedy) -> Option<String> {
    let Remedy::Never(why) = remedy else { return None };
    Some(why.to_owned())
}

/// The member whose value an item is, or is an element of.
fn member_at(item: &Item) -> Option<String> {
    let is_key = |step: &&str| step.parse::<u32>().is_err();
    item.spot.pointer.rsplit('/').find(is_key).map(mask::word)
}

/// A number in the pointer of an item.
fn number(item: &Item, at: usize) -> Option<String> {
    let pointer = &item.spot.pointer;
    // A batch has numbers of its own in front.
    let pointer = pointer.rfind("/messages/").and_then(|at| pointer.get(at..)).unwrap_or(pointer);
    pointer.split('/').filter(|step| step.parse::<u32>().is_ok()).nth(at).map(str::to_owned)
}

/// What is wrong, the names of unknown members masked.
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

/// The id of a call is what its result names.
fn names_itself(kind: Kind) -> bool {
    matches!(kind, Kind::ToolUse | Kind::ServerUse)
}

fn kind_name(row: &Row, item: &Told) -> String {
    match row.kind {
        Kind::Unknown => item.kind.clone().unwrap_or_else(|| "item".to_owned()),
        Kind::ItemReference => "item_reference".to_owned(),
        // The dialects have names of their own for these.
        kind if kind.is_of_blocks() && item.kind.is_some() => item.kind.clone().unwrap_or_default(),
        kind => kind.name().to_owned(),
    }
}

fn fault_words(arg: u32) -> &'static str {
    What::ALL.get(arg as usize).map_or("", |what| what.words())
}
