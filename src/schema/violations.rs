//! Violations of a schema in words: the errors of `jsonschema`, each with the value that it is about, and never with
//! content of the conversation.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use crate::json::pointer::{self, PointerFinder};
use crate::json::{NodeKind, Val};

/// A kind of violation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ViolationKind {
    /// A required field is missing.
    Missing,
    /// A value has the wrong type.
    Type,
    /// The role of a message is not valid.
    Role,
    /// A string is too long.
    TooLong,
    /// Any other violation.
    Other,
}

/// A violation of an item's schema.
#[derive(Clone, Debug)]
pub struct Violation {
    pub kind: ViolationKind,
    /// The documentation is the only source for the violated constraint.
    pub doubtful: bool,
    /// Steps from the item to the value; for a missing field, to its object.
    pub steps: Vec<String>,
    /// Offsets in the record of the value at `steps`.
    pub span: (u32, u32),
    /// The description of the problem.
    pub problem: String,
    /// The name of a missing field.
    pub missing: Option<String>,
    /// Names of fields that are not allowed.
    pub unexpected: Vec<String>,
    /// The expected and the actual type in the server's words; `None` if they are not known.
    pub expected: Option<String>,
    pub got: Option<&'static str>,
    /// A limit, and the length of the value.
    pub limit: Option<(u64, u64)>,
    /// The value itself, if it is a role.
    pub value: Option<String>,
}

impl Violation {
    /// The field as the provider writes it, from the item on: `.content[0].text`.
    pub fn field(&self) -> String {
        let mut out = String::new();
        for step in self.steps.iter().chain(&self.missing) {
            match step.parse::<usize>() {
                Ok(index) => out.push_str(&format!("[{index}]")),
                Err(_) => out.push_str(&format!(".{step}")),
            }
        }
        out
    }
}

/// The violations for an error of the validator. `file` is the schema with its annotations.
pub fn violations(error: &ValidationError<'_>, item: &PointerFinder<'_>, file: &Value, out: &mut Vec<Violation>) {
    match error.kind() {
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            match likely_branch(context, error) {
                Some(errors) => errors.iter().for_each(|error| violations(error, item, file, out)),
                None => out.extend(no_branch_matches(error, context, item, file)),
            }
        }
        _ => out.extend(violation(error, item, file)),
    }
}

/// The branch that the value was meant for: the only one with its `type`, or that accepts a value of its kind.
fn likely_branch<'e>(
    context: &'e [Vec<ValidationError<'static>>],
    error: &ValidationError<'_>,
) -> Option<&'e [ValidationError<'static>]> {
    let here = error.instance_path().as_str();
    let fits = |errors: &&Vec<ValidationError<'static>>| {
        errors.iter().all(|error| match error.kind() {
            ValidationErrorKind::Type { .. } => error.instance_path().as_str() != here,
            ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
                error.instance_path().as_str().strip_prefix(here) != Some("/type")
            }
            _ => true,
        })
    };
    let mut fitting = context.iter().filter(fits);
    let first = fitting.next()?;
    fitting.next().is_none().then_some(first.as_slice())
}

/// The violation if no branch matches: lists the allowed types, if the branches are distinguished by type.
fn no_branch_matches(
    error: &ValidationError<'_>,
    context: &[Vec<ValidationError<'static>>],
    item: &PointerFinder<'_>,
    file: &Value,
) -> Option<Violation> {
    let here = error.instance_path().as_str();
    let mut names = Vec::new();
    let mut kinds = Vec::new();
    let mut untyped = 0;
    for error in context.iter().flatten() {
        match (error.kind(), error.instance_path().as_str().strip_prefix(here)) {
            (ValidationErrorKind::Enum { options }, Some("/type")) => {
                names.extend(options.as_array().into_iter().flatten());
            }
            (ValidationErrorKind::Constant { expected_value }, Some("/type")) => names.push(expected_value),
            (ValidationErrorKind::Type { kind: expected }, Some("")) => kinds.extend(types(expected)),
            (ValidationErrorKind::Required { property }, Some("")) => untyped += usize::from(property == "type"),
            _ => {}
        }
    }
    let mut violation = violation(error, item, file)?;
    let at = item.resolve(&violation.steps)?;
    if untyped > 0 {
        violation.kind = ViolationKind::Missing;
        violation.problem = missing(&violation.steps, "type");
        violation.missing = Some("type".to_owned());
    } else if !names.is_empty() {
        violation.steps.push("type".to_owned());
        violation.span = at.get("type").map_or(violation.span, |name| (name.start(), name.end()));
        let names = list(names.into_iter().cloned());
        violation.problem = format!("{} must be one of {names}", place(&violation.steps));
    } else if !kinds.is_empty() {
        violation.kind = ViolationKind::Type;
        violation.problem = type_problem(&violation.steps, &mut kinds, at);
    } else {
        violation.problem = format!("{} matches none of the allowed shapes", place(&violation.steps));
    }
    Some(violation)
}

fn violation(error: &ValidationError<'_>, item: &PointerFinder<'_>, file: &Value) -> Option<Violation> {
    let steps = pointer::parse(error.instance_path().as_str())?;
    let at = item.resolve(&steps)?;
    let notes = Annotations::of(file, error.evaluation_path().as_str());
    let mut violation = Violation {
        kind: ViolationKind::Other,
        doubtful: notes.doubtful,
        span: (at.start(), at.end()),
        problem: String::new(),
        missing: None,
        unexpected: Vec::new(),
        expected: None,
        got: None,
        limit: None,
        value: None,
        steps,
    };
    let here = place(&violation.steps);
    violation.problem = match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default().to_owned();
            violation.kind = ViolationKind::Missing;
            let problem = missing(&violation.steps, &name);
            violation.missing = Some(name);
            problem
        }
        ValidationErrorKind::Type { kind: expected } => {
            violation.kind = ViolationKind::Type;
            let mut types = types(expected);
            violation.got = server_type_name(at);
            violation.expected = notes.expected.or_else(|| match types.as_slice() {
                [JsonType::String] => Some("a string".to_owned()),
                _ => None,
            });
            type_problem(&violation.steps, &mut types, at)
        }
        ValidationErrorKind::Enum { options } => {
            let role = violation.steps.iter().map(String::as_str).eq(["role"]);
            if role && at.is_string() {
                violation.kind = ViolationKind::Role;
                violation.value = at.text().map(|text| String::from_utf8_lossy(&text).into_owned());
            }
            let options = options.as_array().map(|options| list(options.iter().cloned())).unwrap_or_default();
            format!("{here} must be one of {options}")
        }
        ValidationErrorKind::Constant { expected_value } => format!("{here} must be {expected_value}"),
        ValidationErrorKind::MaxLength { limit } => {
            let length = at.as_str().map_or(0, |text| text.characters() as u64);
            violation.kind = ViolationKind::TooLong;
            violation.limit = Some((*limit, length));
            format!("{here} has {length} characters; at most {limit} are allowed")
        }
        ValidationErrorKind::MinLength { limit: 1 } => format!("{here} is empty"),
        ValidationErrorKind::MinLength { limit } => format!("{here} has fewer than {limit} characters"),
        ValidationErrorKind::Pattern { pattern } => format!("{here} does not match the pattern {pattern}"),
        ValidationErrorKind::MaxItems { limit } => {
            format!("{here} has {} elements; at most {limit} are allowed", at.count())
        }
        ValidationErrorKind::MinItems { limit } => {
            format!("{here} has {} elements; at least {limit} are required", at.count())
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            violation.unexpected.clone_from(unexpected);
            format!("{here} has fields that are not allowed: {}", unexpected.join(", "))
        }
        ValidationErrorKind::FalseSchema => format!("{here} is not allowed"),
        // Other messages of the validator may quote values.
        other => format!("{here} violates the schema's {}", other.keyword()),
    };
    Some(violation)
}

fn missing(steps: &[String], name: &str) -> String {
    format!("{} is missing", place(&[steps, &[name.to_owned()]].concat()))
}

fn type_problem(steps: &[String], types: &mut Vec<JsonType>, at: Val<'_>) -> String {
    // Null comes last.
    types.sort_by_key(|kind| *kind == JsonType::Null);
    types.dedup();
    let words: Vec<&str> = types.iter().map(|kind| type_name(*kind)).collect();
    format!("{} must be {}, but is {}", place(steps), words.join(" or "), kind(at))
}

/// The annotations of a place in a schema, or of an enclosing one.
struct Annotations {
    doubtful: bool,
    expected: Option<String>,
}

impl Annotations {
    /// Follows the validator's path through the file.
    fn of(file: &Value, path: &str) -> Annotations {
        let mut notes = Annotations { doubtful: false, expected: None };
        let mut at = file;
        for step in pointer::parse(path).unwrap_or_default() {
            let next = match (step.as_str(), at) {
                ("$ref", _) => {
                    let target = at.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
                    target.and_then(|pointer| file.pointer(pointer))
                }
                (step, Value::Array(list)) => step.parse().ok().and_then(|n: usize| list.get(n)),
                (step, at) => at.get(step),
            };
            let Some(next) = next else { break };
            at = next;
            notes.doubtful |= at.get("x-severity").and_then(Value::as_str) == Some("warning");
            if let Some(words) = at.get("x-expected").and_then(Value::as_str) {
                notes.expected = Some(words.to_owned());
            } else if at.get("type").is_some() {
                notes.expected = None;
            }
        }
        notes
    }
}

fn types(expected: &TypeKind) -> Vec<JsonType> {
    match expected {
        TypeKind::Single(kind) => vec![*kind],
        TypeKind::Multiple(kinds) => kinds.iter().collect(),
    }
}

fn type_name(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Object => "an object",
        JsonType::Array => "a list",
        JsonType::String => "a string",
        JsonType::Number => "a number",
        JsonType::Integer => "a whole number",
        JsonType::Boolean => "true or false",
        JsonType::Null => "null",
    }
}

fn kind(val: Val<'_>) -> &'static str {
    match val.kind() {
        NodeKind::Object => "an object",
        NodeKind::Array => "a list",
        NodeKind::String => "a string",
        NodeKind::Number => "a number",
        NodeKind::True | NodeKind::False => "a boolean",
        NodeKind::Null => "null",
    }
}

/// The server's name of the actual type; `None` if it is not known.
fn server_type_name(val: Val<'_>) -> Option<&'static str> {
    match val.kind() {
        NodeKind::Object => Some("an object"),
        NodeKind::Array => Some("an array"),
        NodeKind::String => Some("a string"),
        NodeKind::Null => Some("null"),
        _ => None,
    }
}

/// A place in an item, as shown in a message.
fn place(steps: &[String]) -> String {
    if steps.is_empty() {
        return "the item".to_owned();
    }
    let mut pointer = String::new();
    steps.iter().for_each(|step| pointer::push_key(&mut pointer, step));
    pointer
}

fn list(values: impl Iterator<Item = Value>) -> String {
    let words: Vec<String> = values
        .map(|value| match value {
            Value::String(text) => format!("'{text}'"),
            other => other.to_string(),
        })
        .collect();
    words.join(", ")
}
