//! From findings to diagnostics: the only place where text is read again to be told.

use std::collections::HashMap;
use std::io;

use crate::dialect::{Dialect, Names};
use crate::format::FormatInfo;
use crate::formats::{FORMATS, agents, unread};
use crate::history::{Act, Finding, Flags, Kind, NO_FIELD, Remedy, Row};
use crate::json::spot::characters;
use crate::json::{NodeKind, Str, Val, What};
use crate::judge::{Judged, JudgedDoc};
use crate::place::{DocId, Place};
use crate::read::Texts;
use crate::rules::{fields, other_model, schema_violation};
use crate::schema::Violation;
use crate::source::ReadAt;

use super::mask;
use super::place::{Pointer, pointers, positions};
use super::snippet::{self, Snippet};
use super::words::{count, fill, fill_known, harmless, printable};
use super::{Diagnostic, FixNote, Related, Spot};

/// How content is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Keys, ids and types only.
    Masked,
    Shown,
    /// No snippets are wanted.
    None,
}

/// Makes diagnostics of the findings of a doc.
pub fn diagnose<T>(
    id: DocId,
    label: &str,
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<T>,
    content: Content,
) -> io::Result<Vec<Diagnostic>> {
    if lint.judged.is_empty() {
        return Ok(Vec::new());
    }
    let mut wanted: Vec<(Place, Flags)> = Vec::new();
    for judged in &lint.judged {
        let row = &judged.finding.row;
        wanted.push((row.at, row.flags));
        wanted.extend(partner(&judged.finding).map(|place| (place, row.flags)));
    }
    let pointers = pointers(id, bytes, lint.container, &wanted)?;
    let spots = spots(bytes, lint, &wanted, &pointers)?;
    let texts = Texts::new(bytes, dialect_of(lint));
    let made = lint.judged.iter().map(|judged| {
        let violation = violation(judged, lint, &texts);
        let format = lint.format.map(|format| format.info());
        Teller { judged, violation, texts: &texts, spots: &spots, bytes, format }.diagnostic(label, content)
    });
    Ok(made.collect())
}

/// What the schema says to the item of a finding; nothing for other rules.
fn violation<T>(judged: &Judged, lint: &JudgedDoc<T>, texts: &Texts<'_>) -> Option<Violation> {
    let finding = &judged.finding;
    if finding.code != schema_violation::RULE.code {
        return None;
    }
    let dialect = lint.format.map_or(judged.target.dialect, |format| format.info().dialect.name());
    let standard = lint.schemas.of(dialect)?;
    texts.item(&finding.row, |item| schema_violation::of_finding(&standard, finding, item)).flatten()
}

/// How items of a doc are called. All formats of lines that are told one by one are of one dialect.
pub(super) fn dialect_of<T>(lint: &JudgedDoc<T>) -> &'static dyn Dialect {
    lint.format.unwrap_or(FORMATS[0]).info().dialect
}

/// Lines, columns and pointers of all places, in one pass forward.
fn spots<T>(
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<T>,
    wanted: &[(Place, Flags)],
    pointers: &HashMap<Place, Pointer>,
) -> io::Result<HashMap<Place, Spot>> {
    let mut places: Vec<Place> = wanted.iter().map(|(place, _)| *place).collect();
    places.sort_by_key(Place::order);
    places.dedup();
    // What lies in a JSON string is told by the string's place.
    let shown = |place: &Place| {
        let string = pointers.get(place).and_then(|pointer| pointer.string);
        string.unwrap_or_else(|| bytes.origin(*place))
    };
    let ends = places.iter().map(&shown).flat_map(|shown| [shown.start, shown.end()]);
    let positions = positions(bytes, &lint.lines, ends.collect())?;
    let spot = |place: &Place| {
        let pointer = pointers.get(place).cloned().unwrap_or_default();
        let shown = shown(place);
        Spot { pointer: pointer.outer, inner_pointer: pointer.inner, ..Spot::new(shown, &positions) }
    };
    Ok(places.iter().map(|place| (*place, spot(place))).collect())
}

struct Teller<'t> {
    judged: &'t Judged,
    /// What the schema says to the item, where that is the finding.
    violation: Option<Violation>,
    texts: &'t Texts<'t>,
    spots: &'t HashMap<Place, Spot>,
    bytes: &'t dyn ReadAt,
    /// The format of the doc.
    format: Option<&'static FormatInfo>,
}

/// What is told of an item.
#[derive(Clone, Debug, Default)]
struct Told {
    kind: Option<String>,
    id: Option<String>,
    call_id: Option<String>,
    name: Option<String>,
    role: Option<String>,
    approval: Option<String>,
    checks: Option<String>,
    shape: Option<String>,
    /// The text that the value itself is.
    text: Option<String>,
}

impl Teller<'_> {
    fn diagnostic(&self, label: &str, content: Content) -> Diagnostic {
        let finding = &self.judged.finding;
        let (rule, variant) = (self.judged.rule(), self.judged.variant());
        let item = self.told(finding.row.at, finding.row.flags);
        let partner = partner(finding).map(|place| self.told(place, finding.row.flags));
        let of = |name: &str| self.name(name, &item, partner.as_ref());
        // The server names the item that it finds behind a reference.
        let behind = Some(finding.row.of).filter(|kind| finding.row.is_reference() && *kind != Kind::Unknown);
        let api_of = |name: &str| match behind.filter(|_| name == "type") {
            Some(kind) => Some(kind.name().to_owned()),
            None => of(name),
        };
        let own = self.judged.target.verdict(finding.code, finding.variant).filter(|own| own.api.is_some());
        let answer = own.and_then(|own| own.answer).unwrap_or(variant.answer);
        let spot = self.spots.get(&finding.row.at).cloned().unwrap_or_default();
        let related = finding.partner.filter(|_| !variant.related.is_empty()).map(|place| Related {
            spot: self.spots.get(&place).cloned().unwrap_or_default(),
            message: variant.related.to_owned(),
        });
        let (default, flag) = (self.judged.is_fixed_by_default(), self.judged.flag());
        let made = default || flag.is_some();
        let fix = made.then(|| FixNote {
            title: self.judged.fix_title().to_owned(),
            loss: self.judged.loss,
            default,
            flag,
        });
        let no_fix = match finding.remedy {
            Remedy::Never(why) if !why.is_empty() => Some(why),
            _ => None,
        };
        let tellable = content != Content::None && finding.row.at.len > 0;
        Diagnostic {
            rule: rule.code,
            variant: finding.variant,
            name: rule.name,
            severity: self.judged.severity,
            shown: variant.shown,
            message: fill_known(variant.message, &of),
            path: label.to_owned(),
            history: self.judged.history,
            record: finding.row.record + 1,
            spot,
            id: item.id.clone(),
            call_id: item.call_id.clone(),
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
            snippet: tellable.then(|| self.snippet(content)).flatten(),
            proposal: Vec::new(),
        }
    }

    fn snippet(&self, content: Content) -> Option<Snippet> {
        let row = &self.judged.finding.row;
        match content {
            Content::Shown if self.judged.history.is_none() => snippet::around(self.bytes, row.at),
            Content::Shown => snippet::window(self.bytes, row.at),
            _ => self.texts.see(row.at, row.has(Flags::EMBEDDED), snippet::masked),
        }
    }

    fn told(&self, place: Place, flags: Flags) -> Told {
        let see = |item: Val<'_>| told(item, self.texts.called(item));
        self.texts.see(place, flags.has(Flags::EMBEDDED), see).unwrap_or_default()
    }

    fn name(&self, name: &str, item: &Told, partner: Option<&Told>) -> Option<String> {
        let finding = &self.judged.finding;
        let row = &finding.row;
        match name {
            "type" => Some(kind_name(row, item)),
            "id" => item.id.clone(),
            "call_id" => item.call_id.clone().or_else(|| item.id.clone().filter(|_| names_itself(row.kind))),
            "name" => item.name.clone(),
            "message" => self.number(finding.row.at, 0),
            "block" => self.number(finding.row.at, 1),
            "partner_message" => self.number(finding.partner?, 0),
            "role" => item.role.clone(),
            "partner_role" => partner?.role.clone(),
            "any_id" => item.id.clone().or_else(|| item.call_id.clone()),
            "approval" => item.approval.clone(),
            "noun" => row.kind.info().noun.map(str::to_owned),
            "prefix" => Some(row.kind.info().prefix.to_owned()),
            "id_length" => item.id.as_ref().map(|id| id.chars().count().to_string()),
            "call_id_length" => item.call_id.as_ref().map(|id| id.chars().count().to_string()),
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
            "field" | "value" | "length" if finding.field != NO_FIELD => self.field(name),
            "arg" | "index" => Some(finding.arg.to_string()),
            "reachable" => Some(format!("{} of {}", finding.arg, count(u64::from(row.turn), "message"))),
            "items" => Some(count(u64::from(finding.arg), "item")),
            "healed" => agents::words(agents::parts(finding.arg)),
            "characters" => Some(count(u64::from(finding.arg), "control character")),
            "outputs" => Some(count(u64::from(finding.arg), "output")),
            "fault" => Some(fault_words(finding.arg).to_owned()),
            "order" => Some(if finding.arg == 1 { "little" } else { "big" }.to_owned()),
            "key" => self.key(row.at),
            "problem" => Some(harmless(&problem(self.violation.as_ref()?))),
            "field" => Some(mask::path(&self.violation.as_ref()?.field())),
            "expected" => self.violation.as_ref()?.expected.clone(),
            "got" => self.violation.as_ref()?.got.map(str::to_owned),
            "where" => self.in_messages(),
            "member" if self.violation.is_none() => self.member_at(finding.partner?),
            "member" => member(self.violation.as_ref()?),
            "kind" => self.violation.as_ref()?.expected.as_deref()?.strip_prefix("a ").map(str::to_owned),
            "ordinal" => Some((self.number(finding.row.at, 0)?.parse::<u32>().ok()? + 1).to_string()),
            "value" => self.violation.as_ref()?.value.as_deref().map(mask::word),
            "limit" => self.violation.as_ref()?.limit.map(|(limit, _)| limit.to_string()),
            "length" if self.violation.is_some() => {
                self.violation.as_ref()?.limit.map(|(_, length)| length.to_string())
            }
            "length" => Some(finding.arg.to_string()),
            "looks" => Some(unread::row(finding.arg)?.name.to_owned()),
            "format" => Some(self.format?.name.to_owned()),
            "shape" => item.shape.clone().or_else(|| Some("not JSON".to_owned())),
            _ => None,
        }
    }

    /// The value that does not fit, as it is named behind `messages`: `[1].content[0].text`.
    fn in_messages(&self) -> Option<String> {
        let pointer = &self.spots.get(&self.judged.finding.row.at)?.pointer;
        let behind = &pointer[pointer.rfind("/messages/")? + "/messages/".len()..];
        let step = |step: &str| match step.parse::<u32>() {
            Ok(number) => format!("[{number}]"),
            Err(_) => format!(".{step}"),
        };
        let item: String = behind.split('/').map(step).collect();
        Some(mask::path(&(item + &self.violation.as_ref()?.field())))
    }

    /// The member whose value lies at a place.
    fn member_at(&self, place: Place) -> Option<String> {
        let pointer = &self.spots.get(&place)?.pointer;
        pointer.rsplit('/').next().map(printable)
    }

    /// A number in the pointer of an item.
    fn number(&self, place: Place, at: usize) -> Option<String> {
        let pointer = &self.spots.get(&place)?.pointer;
        // A batch has numbers of its own in front.
        let pointer = pointer.rfind("/messages/").map_or(pointer.as_str(), |at| &pointer[at..]);
        pointer.split('/').filter(|step| step.parse::<u32>().is_ok()).nth(at).map(str::to_owned)
    }

    /// Where in the item the member lies that the finding is about, what it says if that is a type or a role, and how
    /// long it is.
    fn field(&self, what: &str) -> Option<String> {
        let finding = &self.judged.finding;
        let field = fields::row(finding.field)?;
        let tell = |item: Val<'_>| {
            let found = field.spot.first(item)?;
            match what {
                "field" => Some(mask::path(&found.path)),
                "value" => word(found.val),
                _ => found.val.map(|val| match val.as_str() {
                    Some(text) => characters(text).to_string(),
                    None => val.count().to_string(),
                }),
            }
        };
        self.texts.see(finding.row.at, finding.row.has(Flags::EMBEDDED), tell).flatten()
    }

    /// The key that starts at a place, after the settings that it lies in.
    fn key(&self, at: Place) -> Option<String> {
        let is_model = self.judged.finding.code == other_model::RULE.code;
        let key = self.string_at(at, if is_model { mask::model } else { mask::word })?;
        let pointer = self.spots.get(&at).map(|spot| spot.pointer.as_str()).unwrap_or_default();
        // The last step is the key itself.
        let above: Vec<&str> = pointer.rsplit('/').skip(1).take_while(|step| HOLDERS.contains(step)).collect();
        let path = above.iter().rev().fold(String::new(), |path, step| path + step + ".");
        Some(format!("\"{path}{key}\""))
    }

    fn string_at(&self, at: Place, mask: fn(&str) -> String) -> Option<String> {
        let mut text = vec![0; 200];
        let n = self.bytes.read_at(at.start, &mut text).ok()?;
        let mut key = serde_json::Deserializer::from_slice(&text[..n]).into_iter::<String>();
        key.next().and_then(Result::ok).map(|key| mask(&key))
    }
}

/// Members of requests that hold settings: their names stand in front of a setting's own.
const HOLDERS: [&str; 24] = [
    "tool_choice",
    "thinking",
    "output_config",
    "reasoning",
    "text",
    "format",
    "response_format",
    "json_schema",
    "web_search_options",
    "prompt_cache_options",
    "generationConfig",
    "generation_config",
    "thinkingConfig",
    "thinking_config",
    "toolConfig",
    "tool_config",
    "functionCallingConfig",
    "function_calling_config",
    "inferenceConfig",
    "outputConfig",
    "textFormat",
    "additionalModelRequestFields",
    "guardrailConfig",
    "stream_options",
];

/// The other item that a finding is about. A damaged line is none: it may be long, and hold many findings.
fn partner(finding: &Finding) -> Option<Place> {
    finding.partner.filter(|_| finding.remedy != Remedy::One(Act::Text))
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

/// A string of an item, as far as it may be printed.
fn text(val: Option<Val<'_>>, mask: fn(&str) -> String) -> Option<String> {
    val.and_then(|val| val.text()).map(|text| mask(&String::from_utf8_lossy(&text)))
}

fn word(val: Option<Val<'_>>) -> Option<String> {
    text(val, mask::word)
}

fn id(val: Option<Val<'_>>) -> Option<String> {
    text(val, mask::id)
}

fn told(item: Val<'_>, names: Option<Names<'_>>) -> Told {
    let name = |own: Option<Str<'_>>, any: fn(Val<'_>) -> Option<String>| match names {
        Some(_) => own.map(|name| mask::id(&String::from_utf8_lossy(&name.decode()))),
        None => any(item),
    };
    let kind = word(item.get("type")).or_else(|| item.get("role").map(|_| "message".to_owned()));
    let checks = item.get("pending_safety_checks").map(|checks| {
        let ids = checks.elements().filter_map(|check| id(check.get("id")));
        ids.map(|id| format!("'{id}'")).collect::<Vec<_>>().join(", ")
    });
    Told {
        kind,
        id: name(names.and_then(|names| names.id), |item| self::id(item.get("id"))),
        call_id: name(names.and_then(|names| names.key), call_id),
        name: text(NAMES.iter().find_map(|path| item.at(path)), mask::name),
        role: word(item.get("role")),
        approval: self::id(item.get("approval_request_id")),
        checks,
        shape: Some(shape(item, 2)),
        text: self::id(Some(item)),
    }
}

/// The id that pairs call and output, in any dialect.
pub(super) fn call_id(item: Val<'_>) -> Option<String> {
    // Anthropic's calls pair by their own id.
    let own = || item.get("id").filter(|_| item.get("type").is_some_and(|kind| kind.is("tool_use")));
    id(CALL_IDS.iter().find_map(|path| item.at(path)).or_else(own))
}

/// Where the dialects keep the id that pairs call and output, and a tool's name.
const CALL_IDS: [&[&str]; 9] = [
    &["call_id"],
    &["tool_call_id"],
    &["tool_use_id"],
    &["toolUse", "toolUseId"],
    &["toolResult", "toolUseId"],
    &["functionCall", "id"],
    &["functionResponse", "id"],
    &["function_call", "id"],
    &["function_response", "id"],
];
const NAMES: [&[&str]; 8] = [
    &["name"],
    &["function", "name"],
    &["custom", "name"],
    &["toolUse", "name"],
    &["functionCall", "name"],
    &["functionResponse", "name"],
    &["function_call", "name"],
    &["function_response", "name"],
];

/// What a value looks like from outside, without its content; of lists also what they begin with, so many levels down.
fn shape(val: Val<'_>, levels: u32) -> String {
    match val.kind() {
        NodeKind::Object => {
            let mut keys: Vec<String> = val
                .members()
                .take(8)
                .map(|member| mask::word(&String::from_utf8_lossy(&member.key.decode())))
                .collect();
            if val.count() as usize > keys.len() {
                keys.push("…".to_owned());
            }
            match keys.is_empty() {
                true => "an empty object".to_owned(),
                false => format!(
                    "an object with the {} {}",
                    if keys.len() == 1 { "key" } else { "keys" },
                    keys.join(", ")
                ),
            }
        }
        NodeKind::Array => match val.elements().next() {
            Some(first) if levels > 0 => format!("a list that begins with {}", shape(first, levels - 1)),
            Some(_) => "a list".to_owned(),
            None => "an empty list".to_owned(),
        },
        NodeKind::String => "a string".to_owned(),
        NodeKind::Number => "a number".to_owned(),
        NodeKind::Null => "null".to_owned(),
        NodeKind::True | NodeKind::False => "a boolean".to_owned(),
    }
}
