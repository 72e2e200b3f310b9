//! Validation of items against the official schemas, or a schema given by the user.
//!
//! An official definition is compiled to a table when the first item of its kind is read; the table decides in one pass
//! over the item, and nearly all items are valid. Only items that it rejects are given to `jsonschema`, over the same
//! tape, which decides: it finds the exact place and the expected value. A user's schema may use all of JSON Schema and
//! is validated by `jsonschema` directly.
//!
//! Another dialect needs a file under `schemas/`, a line in [`DIALECT_SCHEMAS`], and a function that finds the definition of
//! an item.

mod definitions;
mod table;
mod view;
mod violations;

use std::sync::{Arc, OnceLock};

use foldhash::HashMap;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::history::Row;
use crate::json::pointer::PointerFinder;
use crate::json::{Tape, Val, scan};

pub use table::SchemaTable;
pub use view::{NodeView, TapeJson};
pub use violations::{Violation, ViolationKind};

/// The schemas of a dialect's items.
pub struct DialectSchema {
    /// The name of the dialect.
    dialect: &'static str,
    file: &'static str,
    find: FindDefinition,
    /// The scanned file, for tables.
    tape: OnceLock<Tape>,
    /// The parsed file, for items that a table rejects.
    parsed: OnceLock<Value>,
    slots: [SchemaSlot; SLOTS],
}

/// Finds the definition of an item, and its slot; `None` if no schema describes it.
type FindDefinition = fn(&Row, Val<'_>) -> Option<(usize, &'static str)>;

/// Maximum number of definitions: one for each kind in a set of kinds.
const SLOTS: usize = 64;

/// A definition, compiled when it is first needed; `None` if it cannot be compiled.
struct SchemaSlot {
    table: OnceLock<Option<SchemaTable>>,
    whole: OnceLock<Option<CompiledSchema>>,
}

/// A standalone schema and its validator.
struct CompiledSchema {
    schema: Value,
    validator: Validator<TapeJson>,
}

const fn dialect_schema(dialect: &'static str, file: &'static str, find: FindDefinition) -> DialectSchema {
    let slots = [const { SchemaSlot { table: OnceLock::new(), whole: OnceLock::new() } }; SLOTS];
    DialectSchema { dialect, file, find, tape: OnceLock::new(), parsed: OnceLock::new(), slots }
}

/// The schemas of all dialects.
static DIALECT_SCHEMAS: [DialectSchema; 5] = [
    dialect_schema("responses", include_str!("../../schemas/openai-responses.json"), definitions::responses),
    dialect_schema("chat", include_str!("../../schemas/openai-chat.json"), definitions::chat),
    dialect_schema("anthropic", include_str!("../../schemas/anthropic-messages.json"), definitions::anthropic),
    dialect_schema("gemini", include_str!("../../schemas/gemini-contents.json"), definitions::gemini),
    dialect_schema("bedrock", include_str!("../../schemas/bedrock-converse.json"), definitions::bedrock),
];

impl DialectSchema {
    fn parsed(&self) -> &Value {
        // A file that is not JSON describes nothing; a test reads it.
        self.parsed.get_or_init(|| serde_json::from_str(self.file).unwrap_or_default())
    }

    fn scanned(&self) -> Option<Val<'_>> {
        let scanned = || {
            let mut tape = Tape::new();
            // A file that is not JSON defines nothing.
            scan(self.file.as_bytes(), &mut tape).map(|()| tape).unwrap_or_default()
        };
        self.tape.get_or_init(scanned).root(self.file.as_bytes())
    }

    fn table(&self, slot: usize, name: &str) -> Option<&SchemaTable> {
        let compile = || SchemaTable::compile(self.scanned()?, name).ok();
        self.slots.get(slot)?.table.get_or_init(compile).as_ref()
    }

    fn whole(&self, slot: usize, name: &str) -> Option<&CompiledSchema> {
        let compile = || self.definition(name).and_then(|schema| CompiledSchema::new(schema).ok());
        self.slots.get(slot)?.whole.get_or_init(compile).as_ref()
    }

    /// A definition as a standalone schema, with all other definitions.
    fn definition(&self, name: &str) -> Option<Value> {
        let definitions = self.parsed().get("$defs")?;
        definitions.get(name)?;
        Some(
            json!({ "$schema": self.parsed().get("$schema"), "$ref": format!("#/$defs/{name}"), "$defs": definitions }),
        )
    }
}

impl CompiledSchema {
    fn new(schema: Value) -> Result<CompiledSchema, String> {
        // Nothing is fetched: a schema that refers to another file is rejected.
        let options = jsonschema::options_for::<TapeJson>().offline();
        let validator = options.build(&schema).map_err(|error| error.to_string())?;
        Ok(CompiledSchema { schema, validator })
    }
}

/// A user's schema for an item.
pub struct CustomSchema(CompiledSchema);

/// The schemas that a run uses.
#[derive(Clone, Default)]
pub enum Schemas {
    /// Those of the dialects.
    #[default]
    Official,
    /// One for all items.
    Custom(Arc<CustomSchema>),
}

impl Schemas {
    /// Parses a schema for an item. The error says why it is not one.
    pub fn custom(text: &str) -> Result<Schemas, String> {
        let schema: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Ok(Schemas::Custom(Arc::new(CustomSchema(CompiledSchema::new(schema)?))))
    }

    /// The schema for items of a dialect; `None` if there is none.
    pub fn of(&self, dialect: &str) -> Option<ItemSchema> {
        match self {
            Schemas::Official => {
                DIALECT_SCHEMAS.iter().find(|grammar| grammar.dialect == dialect).map(ItemSchema::Official)
            }
            Schemas::Custom(schema) => Some(ItemSchema::Custom(Arc::clone(schema))),
        }
    }
}

/// Validates items of one dialect.
#[derive(Clone)]
pub enum ItemSchema {
    Official(&'static DialectSchema),
    Custom(Arc<CustomSchema>),
}

impl ItemSchema {
    pub fn is_custom(&self) -> bool {
        matches!(self, ItemSchema::Custom(_))
    }

    /// True if an item is valid, checked by a table if possible. An item that no schema describes is valid.
    #[inline]
    pub fn fits(&self, row: &Row, item: Val<'_>) -> bool {
        match self {
            ItemSchema::Official(grammar) => {
                let Some((slot, name)) = (grammar.find)(row, item) else { return true };
                match grammar.table(slot, name) {
                    Some(table) => table.fits(item),
                    None => self.is_valid(row, item),
                }
            }
            ItemSchema::Custom(_) => self.is_valid(row, item),
        }
    }

    /// The same, checked by `jsonschema`.
    pub fn is_valid(&self, row: &Row, item: Val<'_>) -> bool {
        self.whole(row, item).is_none_or(|whole| whole.validator.is_valid(NodeView::Val(item)))
    }

    fn whole(&self, row: &Row, item: Val<'_>) -> Option<&CompiledSchema> {
        match self {
            ItemSchema::Official(grammar) => {
                let (slot, name) = (grammar.find)(row, item)?;
                grammar.whole(slot, name)
            }
            ItemSchema::Custom(schema) => Some(&schema.0),
        }
    }

    /// The violations of an item, in the order of the text. Violations of the same kind for one value are merged.
    pub fn violations(&self, row: &Row, item: Val<'_>) -> Vec<Violation> {
        let Some(whole) = self.whole(row, item) else { return Vec::new() };
        let mut found = Vec::new();
        let finder = PointerFinder::new(item);
        for error in whole.validator.iter_errors(NodeView::Val(item)) {
            violations::violations(&error, &finder, &whole.schema, &mut found);
        }
        // For equal places the validator's order is kept.
        found.sort_by_key(|violation| (violation.span.0, std::cmp::Reverse(violation.span.1)));
        let mut merged: Vec<Violation> = Vec::new();
        // An item may have as many violations as it has parts.
        let mut known: HashMap<_, usize> = HashMap::default();
        for violation in found {
            let same = (violation.span, violation.kind, violation.doubtful);
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

/// The name of the definition of an item.
pub fn definition(dialect: &str, row: &Row, item: Val<'_>) -> Option<&'static str> {
    let grammar = DIALECT_SCHEMAS.iter().find(|grammar| grammar.dialect == dialect)?;
    (grammar.find)(row, item).map(|(_, name)| name)
}

/// The dialects that have schemas, each with its file.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    DIALECT_SCHEMAS.iter().map(|grammar| (grammar.dialect, grammar.file))
}

/// The tables of a dialect's definitions with their names: all of them must compile.
pub fn tables(dialect: &str) -> Vec<(String, Result<SchemaTable, String>)> {
    let grammar = DIALECT_SCHEMAS.iter().find(|grammar| grammar.dialect == dialect);
    let Some(grammar) = grammar else { return Vec::new() };
    let Some(file) = grammar.scanned() else { return Vec::new() };
    let names = file.get("$defs").into_iter().flat_map(|definitions| definitions.members());
    let names = names.map(|member| String::from_utf8_lossy(&member.key.decode()).into_owned());
    names.map(|name| (name.clone(), SchemaTable::compile(file, &name))).collect()
}
