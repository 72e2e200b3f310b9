//! What an item must look like: the official item schemas as data, or a schema of the user's own.
//!
//! A definition of ours is compiled to a table when the first item of its kind passes by; the table decides in one pass
//! over the item, and nearly all items fit. Only what it turns down is given to `jsonschema`, over the same tape, and
//! that has the last word: it finds the exact place and says what was expected there. A schema of the user's own may
//! use all of JSON Schema and goes straight to `jsonschema`.
//!
//! Another dialect is one file under `schemas/`, one line in [`GRAMMARS`], and what finds the definition of an item.

mod find;
mod table;
mod view;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::history::Row;
use crate::json::pointer::Finder;
use crate::json::{Tape, Val, scan};

pub use table::Table;
pub use view::{Seen, TapeJson};
pub use words::{FaultKind, Violation};

/// The schemas of a dialect's items.
pub struct Grammar {
    /// The name of the dialect.
    dialect: &'static str,
    file: &'static str,
    find: Find,
    /// For tables.
    tape: OnceLock<Tape>,
    /// For what a table turns down.
    parsed: OnceLock<Value>,
    slots: [Slot; SLOTS],
}

/// Which definition an item must fit, and its slot; `None` for what no schema describes.
type Find = fn(&Row, Val<'_>) -> Option<(usize, &'static str)>;

/// Definitions of items that a grammar may have: one for each kind that a set of kinds holds.
const SLOTS: usize = 64;

/// A definition, compiled when it is first needed. `None`: it cannot be.
struct Slot {
    table: OnceLock<Option<Table>>,
    whole: OnceLock<Option<Whole>>,
}

/// A schema that is by itself, and its validator.
struct Whole {
    schema: Value,
    validator: Validator<TapeJson>,
}

const fn grammar(dialect: &'static str, file: &'static str, find: Find) -> Grammar {
    let slots = [const { Slot { table: OnceLock::new(), whole: OnceLock::new() } }; SLOTS];
    Grammar { dialect, file, find, tape: OnceLock::new(), parsed: OnceLock::new(), slots }
}

/// The table of grammars.
static GRAMMARS: [Grammar; 5] = [
    grammar("responses", include_str!("../../schemas/openai-responses.json"), find::responses),
    grammar("chat", include_str!("../../schemas/openai-chat.json"), find::chat),
    grammar("anthropic", include_str!("../../schemas/anthropic-messages.json"), find::anthropic),
    grammar("gemini", include_str!("../../schemas/gemini-contents.json"), find::gemini),
    grammar("bedrock", include_str!("../../schemas/bedrock-converse.json"), find::bedrock),
];

impl Grammar {
    fn parsed(&self) -> &Value {
        // A file that is no JSON describes nothing; a test reads it.
        self.parsed.get_or_init(|| serde_json::from_str(self.file).unwrap_or_default())
    }

    fn scanned(&self) -> Option<Val<'_>> {
        let scanned = || {
            let mut tape = Tape::new();
            // Of a file that is no JSON, nothing is defined.
            scan(self.file.as_bytes(), &mut tape).map(|()| tape).unwrap_or_default()
        };
        self.tape.get_or_init(scanned).root(self.file.as_bytes())
    }

    fn table(&self, slot: usize, name: &str) -> Option<&Table> {
        let compile = || Table::compile(self.scanned()?, name).ok();
        self.slots.get(slot)?.table.get_or_init(compile).as_ref()
    }

    fn whole(&self, slot: usize, name: &str) -> Option<&Whole> {
        let compile = || self.definition(name).and_then(|schema| Whole::new(schema).ok());
        self.slots.get(slot)?.whole.get_or_init(compile).as_ref()
    }

    /// A definition as a schema by itself, its neighbours with it.
    fn definition(&self, name: &str) -> Option<Value> {
        let definitions = self.parsed().get("$defs")?;
        definitions.get(name)?;
        Some(
            json!({ "$schema": self.parsed().get("$schema"), "$ref": format!("#/$defs/{name}"), "$defs": definitions }),
        )
    }
}

impl Whole {
    fn new(schema: Value) -> Result<Whole, String> {
        // Nothing is fetched: a schema that refers to another file is turned down.
        let options = jsonschema::options_for::<TapeJson>().offline();
        let validator = options.build(&schema).map_err(|error| error.to_string())?;
        Ok(Whole { schema, validator })
    }
}

/// A schema of the user's own, for one item.
pub struct Own(Whole);

/// The schemas that a run judges by.
#[derive(Clone, Default)]
pub enum Schemas {
    /// Those of the dialects.
    #[default]
    Official,
    /// One for all items.
    Own(Arc<Own>),
}

impl Schemas {
    /// Reads a schema for one item. The error says why it is none.
    pub fn own(text: &str) -> Result<Schemas, String> {
        let schema: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(Schemas::Own(Arc::new(Own(Whole::new(schema)?))))
    }

    /// What the items of a dialect are held against; `None` if there is nothing.
    pub fn of(&self, dialect: &str) -> Option<Standard> {
        match self {
            Schemas::Official => {
                GRAMMARS.iter().find(|grammar| grammar.dialect == dialect).map(Standard::Official)
            }
            Schemas::Own(own) => Some(Standard::Own(Arc::clone(own))),
        }
    }
}

/// Holds items of one dialect against their schema.
#[derive(Clone)]
pub enum Standard {
    Official(&'static Grammar),
    Own(Arc<Own>),
}

impl Standard {
    pub fn is_own(&self) -> bool {
        matches!(self, Standard::Own(_))
    }

    /// Whether an item is known to fit. An item that no schema describes does.
    #[inline]
    pub fn fits(&self, row: &Row, item: Val<'_>) -> bool {
        match self {
            Standard::Official(grammar) => {
                let Some((slot, name)) = (grammar.find)(row, item) else { return true };
                match grammar.table(slot, name) {
                    Some(table) => table.fits(item),
                    None => self.is_valid(row, item),
                }
            }
            Standard::Own(_) => self.is_valid(row, item),
        }
    }

    /// The same, as `jsonschema` has it.
    pub fn is_valid(&self, row: &Row, item: Val<'_>) -> bool {
        self.whole(row, item).is_none_or(|whole| whole.validator.is_valid(Seen::Val(item)))
    }

    fn whole(&self, row: &Row, item: Val<'_>) -> Option<&Whole> {
        match self {
            Standard::Official(grammar) => {
                let (slot, name) = (grammar.find)(row, item)?;
                grammar.whole(slot, name)
            }
            Standard::Own(own) => Some(&own.0),
        }
    }

    /// What is wrong with an item, in the order of the text. What is wrong with one value in one way is one violation.
    pub fn violations(&self, row: &Row, item: Val<'_>) -> Vec<Violation> {
        let Some(whole) = self.whole(row, item) else { return Vec::new() };
        let mut found = Vec::new();
        let finder = Finder::new(item);
        for error in whole.validator.iter_errors(Seen::Val(item)) {
            words::violations(&error, &finder, &whole.schema, &mut found);
        }
        // Of equal places the order of the validator stays.
        found.sort_by_key(|violation| (violation.span.0, std::cmp::Reverse(violation.span.1)));
        let mut merged: Vec<Violation> = Vec::new();
        // An item may have as many violations as it has parts.
        let mut known: HashMap<_, usize> = HashMap::new();
        for violation in found {
            let same = (violation.span, violation.fault, violation.doubtful);
            let at = *known.entry(same).or_insert(merged.len());
            match merged.get_mut(at) {
                Some(first) if first.problem != violation.problem => {
                    first.problem = format!("{}; {}", first.problem, violation.problem);
                }
                Some(_) => {}
                None => merged.push(violation),
            }
        }
        merged
    }
}

/// The definition that an item of a dialect must fit.
pub fn definition(dialect: &str, row: &Row, item: Val<'_>) -> Option<&'static str> {
    let grammar = GRAMMARS.iter().find(|grammar| grammar.dialect == dialect)?;
    (grammar.find)(row, item).map(|(_, name)| name)
}

/// The dialects that have schemas, each with its file.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    GRAMMARS.iter().map(|grammar| (grammar.dialect, grammar.file))
}

/// The tables of a dialect's definitions, each with its name: all of them must compile.
pub fn tables(dialect: &str) -> Vec<(String, Result<Table, String>)> {
    let grammar = GRAMMARS.iter().find(|grammar| grammar.dialect == dialect);
    let Some(grammar) = grammar else { return Vec::new() };
    let Some(file) = grammar.scanned() else { return Vec::new() };
    let names = file.get("$defs").into_iter().flat_map(|definitions| definitions.members());
    let names = names.map(|member| String::from_utf8_lossy(&member.key.decode()).into_owned());
    names.map(|name| (name.clone(), Table::compile(file, &name))).collect()
}
