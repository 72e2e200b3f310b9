//! The rules that judge items by themselves, as they pass by in the reading.

use crate::dialect::Item;
use crate::format::FormatInfo;
use crate::history::{Finding, Flags, KindSet};
use crate::read::Visitor;
use crate::rule::{Check, Out, Rule};
use crate::rules::fields;
use crate::schema::Standard;
use crate::targets;

use super::Options;

type ItemCheck = (KindSet, fn(&Item<'_>, &mut Out));
type SchemaCheck = fn(&Standard, &Item<'_>, &mut Out);

/// Judges items. One a thread.
pub struct ItemRules<'o> {
    options: &'o Options,
    checks: Vec<(&'static Rule, ItemCheck)>,
    /// Those of the checks that judge what the format at hand speaks.
    active: Vec<ItemCheck>,
    schema_check: Option<SchemaCheck>,
    /// What the items of the format at hand are held against.
    standard: Option<Standard>,
    /// Rows of the table of field rules are wanted, of any dialect and of the format at hand.
    fields: (bool, bool),
    out: Out,
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
            standard: None,
            fields: (fields::ROWS.iter().any(|row| enabled.has(row.code)), false),
            out: Out::default(),
        }
    }
}

impl Visitor for ItemRules<'_> {
    /// Checks of rules that have nothing to say of the dialect of the format's target are left out.
    fn begin(&mut self, info: &'static FormatInfo) {
        let dialect = info.dialect.info().name;
        self.standard = self.schema_check.and_then(|_| self.options.schemas.of(dialect));
        self.fields.1 = self.fields.0 && fields::judge(dialect);
        let target = targets::by_name(info.target);
        let judges = |rule: &Rule| target.is_none_or(|target| rule.judges(target.dialect));
        let active = self.checks.iter().filter(|(rule, _)| judges(rule)).map(|(_, check)| *check);
        self.active.splice(.., active);
    }

    fn item(&mut self, item: &mut Item<'_>, found: &mut Vec<Finding>) {
        for (kinds, check) in &self.active {
            if kinds.has(item.row.kind) {
                check(item, &mut self.out);
            }
        }
        // What another system stores of an item is not what the API would see.
        let foreign = item.row.has(Flags::FOREIGN);
        if self.fields.1 && !foreign {
            fields::check(item, &mut self.out);
            item.row.set(std::mem::take(&mut self.out.noted));
        }
        let standard = self.standard.as_ref().filter(|_| !foreign);
        if let (Some(check), Some(standard)) = (self.schema_check, standard) {
            check(standard, item, &mut self.out);
        }
        if !self.out.findings.is_empty() {
            found.append(&mut self.out.findings);
        }
    }
}
