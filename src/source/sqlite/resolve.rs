//! Matching the tables of a database with the known stores.

use super::store::{SqliteStore, SqliteTable};
use super::stores::STORES;
use super::tables::DatabaseTable;

/// A known store found in a database: its index in `STORES`, the names of its tables, and the optional columns
/// that they lack.
pub(super) struct MatchedStore {
    pub store: usize,
    pub tables: Vec<String>,
    pub lacks: Vec<(&'static str, &'static str)>,
}

/// The known stores in a database.
pub(super) fn stores(found: &[DatabaseTable]) -> Vec<MatchedStore> {
    let mut all: Vec<MatchedStore> = Vec::new();
    for (number, store) in STORES.iter().enumerate() {
        let Some(first) = store.tables.first() else { continue };
        for main in found.iter().filter(|table| matches_table(table, first)) {
            let is_taken = all.iter().any(|store| store.tables.first() == Some(&main.name));
            if !is_taken && let Some(tables) = companion_tables(store, main, found) {
                let lacks = missing_columns(store, &tables, found);
                all.push(MatchedStore { store: number, tables, lacks });
            }
        }
    }
    all
}

/// The optional columns that the tables of a store lack.
fn missing_columns(
    store: &SqliteStore,
    tables: &[String],
    found: &[DatabaseTable],
) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    for (table, name) in store.tables.iter().zip(tables) {
        let own = found.iter().find(|found| found.name == *name);
        let has =
            |column: &str| own.is_some_and(|own| own.columns.iter().any(|has| has.eq_ignore_ascii_case(column)));
        all.extend(table.optional.iter().filter(|column| !has(column)).map(|column| (table.alias, *column)));
    }
    all
}

fn matches_table(found: &DatabaseTable, wanted: &SqliteTable) -> bool {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    wanted.name.is_none_or(|name| same(name, &found.name))
        && wanted.columns.iter().all(|column| found.columns.iter().any(|has| same(has, column)))
}

/// The tables of a store whose first one is `main`: each other table is linked to it, or the only one that fits.
fn companion_tables(store: &SqliteStore, main: &DatabaseTable, found: &[DatabaseTable]) -> Option<Vec<String>> {
    let mut tables = vec![main.name.clone()];
    for wanted in store.tables.iter().skip(1) {
        let fitting: Vec<&DatabaseTable> =
            found.iter().filter(|table| matches_table(table, wanted) && !tables.contains(&table.name)).collect();
        let references = |a: &DatabaseTable, b: &DatabaseTable| {
            a.references.iter().any(|name| name.eq_ignore_ascii_case(&b.name))
        };
        let linked = fitting.iter().find(|table| references(table, main) || references(main, table));
        // A table with a fixed name needs no link.
        let only = fitting
            .iter()
            .find(|table| fitting.len() == 1 && (table.references.is_empty() || wanted.name.is_some()));
        tables.push(linked.or(only)?.name.clone());
    }
    Some(tables)
}
