//! Which tables of a database are those of a known store.

use super::find::Found;
use super::store::{Store, Table};
use super::stores::STORES;

/// A store of a database: its number in their table, the names of its tables, and the columns that they lack.
pub(super) struct Met {
    pub store: usize,
    pub tables: Vec<String>,
    pub lacks: Vec<(&'static str, &'static str)>,
}

/// The stores of a database.
pub(super) fn stores(found: &[Found]) -> Vec<Met> {
    let mut all: Vec<Met> = Vec::new();
    for (number, store) in STORES.iter().enumerate() {
        let Some(first) = store.tables.first() else { continue };
        for main in found.iter().filter(|table| fits(table, first)) {
            let is_taken = all.iter().any(|met| met.tables.first() == Some(&main.name));
            if !is_taken && let Some(tables) = beside(store, main, found) {
                let lacks = lacks(store, &tables, found);
                all.push(Met { store: number, tables, lacks });
            }
        }
    }
    all
}

/// The columns that the tables of a store may lack, and do.
fn lacks(store: &Store, tables: &[String], found: &[Found]) -> Vec<(&'static str, &'static str)> {
    let mut all = Vec::new();
    for (table, name) in store.tables.iter().zip(tables) {
        let own = found.iter().find(|found| found.name == *name);
        let has =
            |column: &str| own.is_some_and(|own| own.columns.iter().any(|has| has.eq_ignore_ascii_case(column)));
        all.extend(table.optional.iter().filter(|column| !has(column)).map(|column| (table.alias, *column)));
    }
    all
}

fn fits(found: &Found, wanted: &Table) -> bool {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    wanted.name.is_none_or(|name| same(name, &found.name))
        && wanted.columns.iter().all(|column| found.columns.iter().any(|has| same(has, column)))
}

/// The tables of a store whose first one is this: linked to it, or the only one that fits.
fn beside(store: &Store, main: &Found, found: &[Found]) -> Option<Vec<String>> {
    let mut tables = vec![main.name.clone()];
    for wanted in store.tables.iter().skip(1) {
        let fitting: Vec<&Found> =
            found.iter().filter(|table| fits(table, wanted) && !tables.contains(&table.name)).collect();
        let refers = |a: &Found, b: &Found| a.refers.iter().any(|name| name.eq_ignore_ascii_case(&b.name));
        let linked = fitting.iter().find(|table| refers(table, main) || refers(main, table));
        // What has a name of its own needs no link.
        let only =
            fitting.iter().find(|table| fitting.len() == 1 && (table.refers.is_empty() || wanted.name.is_some()));
        tables.push(linked.or(only)?.name.clone());
    }
    Some(tables)
}
