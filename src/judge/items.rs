//! Rules about single items, which run while the items are read.

use crate::dialect::Item;
use crate::format::FormatInfo;
use crate::history::{Finding, Flags, KindSet};
use crate::read::Visitor;
use crate::rule::{Check, FindingSink, Rule};
use crate::rules::fields;
use crate::schema::ItemSchema;
use crate::targets;

use super::Options;

type ItemCheck = (KindSet, fn(&Item<'_>, &mut FindingSink));
type SchemaCheck = fn(&ItemSchema, &Item<'_>, &mut FindingSink);

/// Checks items; one for each thread.
pub struct ItemRules<'o> {
    options: &'o Options,
    checks: Vec<(&'static Rule, ItemCheck)>,
    /// The checks that apply to the dialect of the current format.
    active: Vec<ItemCheck>,
    schema_check: Option<SchemaCheck>,
    /// The schema for the items of the current format.
    schema: Option<ItemSchema>,
    /// True if rows of the table of field rules are enabled: of any dialect, and of the current format.
    fields: (bool, bool),
    sink: FindingSink,
}

impl<'o> ItemRules<'o> {
    pub fn new(options: &'o Options) -> Self {
        let enabled = &options.enabled;
        let checks: Vec<(&'static Rule, ItemCheck)> = enabled
            .rules()
            .filter_map(|rule| match &rule.check {
                Check::Item(kinds, check) => Some((rule, (*kinds, *check))),
                _ => None,
            })
            .collect();
        let schema_check = enabled.rules().find_map(|rule| match rule.check {
            Check::Schema(check) => Some(check),
            _ => None,
        });
        ItemRules {
            options,
            checks,
            active: Vec::new(),
            schema_check,
            schema: None,
            fields: (fields::ROWS.iter().any(|row| enabled.has(row.code)), false),
            sink: FindingSink::default(),
        }
    }
}

impl Visitor for ItemRules<'_> {
    /// Checks of rules that do not apply to the dialect of the format's target are left out.
    fn begin(&mut self, info: &'static FormatInfo) {
        let dialect = info.dialect.info().name;
        self.schema = self.schema_check.and_then(|_| self.options.schemas.of(dialect));
        self.fields.1 = self.fields.0 && fields::applies_to(dialect);
        let target = targets::by_name(info.target);
        let judges = |rule: &Rule| target.is_none_or(|target| rule.judges(target.dialect));
        let active = self.checks.iter().filter(|(rule, _)| judges(rule)).map(|(_, check)| *check);
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
        if let (Some(check), Some(schema)) = (self.schema_check, schema) {
            check(schema, item, &mut self.sink);
        }
        if !self.sink.findings.is_empty() {
            found.append(&mut self.sink.findings);
        }
    }
}
