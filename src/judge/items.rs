//! Rules about single items, which run while the items are read.

use crate::dialect::Item;
use crate::format::FormatInfo;
use crate::history::{Finding, Flags};
use crate::read::Visitor;
use crate::rule::{FindingSink, Rule};
use crate::rules::fields;
use crate::schema::ItemSchema;
use crate::targets;

use super::Options;
use super::enabled_rules::ItemCheck;

/// Checks items; one for each thread.
pub struct ItemRules<'o> {
    options: &'o Options,
    /// The checks that apply to the dialect of the current format.
    active: Vec<ItemCheck>,
    /// The schema for the items of the current format.
    schema: Option<ItemSchema>,
    /// True if rows of the table of field rules are enabled: of any dialect, and of the current format.
    fields: (bool, bool),
    sink: FindingSink,
}

impl<'o> ItemRules<'o> {
    pub fn new(options: &'o Options) -> Self {
        ItemRules {
            options,
            active: Vec::new(),
            schema: None,
            fields: (fields::ROWS.iter().any(|row| options.enabled.has(row.code)), false),
            sink: FindingSink::default(),
        }
    }
}

impl Visitor for ItemRules<'_> {
    /// Checks of rules that do not apply to the dialect of the format's target are left out.
    fn begin(&mut self, info: &'static FormatInfo) {
        let dialect = info.dialect.info().name;
        self.schema = self.options.enabled.schema_check().and_then(|_| self.options.schemas.of(dialect));
        self.fields.1 = self.fields.0 && fields::applies_to(dialect);
        let target = targets::by_name(info.target);
        let judges = |rule: &Rule| target.is_none_or(|target| rule.judges(target.dialect));
        let active =
            self.options.enabled.item_rules().iter().filter(|(rule, _)| judges(rule)).map(|(_, check)| *check);
        self.active.splice(.., active);
    }

    fn item(&mut self, item: &mut Item<'_>, found: &mut Vec<Finding>) {
        for (kinds, check) in &self.active {
            if kinds.has(item.row.kind) {
                check(item, &mut self.sink);
            }
        }
        // What another system stores of an item is not what the API would see.
        let foreign = item.row.has(Flags::FOREIGN);
        if self.fields.1 && !foreign {
            fields::check(item, &mut self.sink);
            item.row.set(std::mem::take(&mut self.sink.item_flags));
        }
        let schema = self.schema.as_ref().filter(|_| !foreign);
        if let (Some(check), Some(schema)) = (self.options.enabled.schema_check(), schema) {
            check(schema, item, &mut self.sink);
        }
        if !self.sink.findings.is_empty() {
            found.append(&mut self.sink.findings);
        }
    }
}
