//! Which tables of a database are those of a known store.

use super::find::Found;
use super::store::{Store, Table};
use super::stores::STORES;

/// The stores of a database: the number of each in their table, and the names of its tables.
pub(super) fn stores(found: &[Found]) -> Vec<(usize, Vec<String>)> {
    let mut all: Vec<(usize, Vec<String>)> = Vec::new();
    for (number, store) in STORES.iter().enumerate() {
        let Some(first) = store.tables.first() else { continue };
        for main in found.iter().filter(|table| fits(table, first)) {
            let is_taken = all.iter().any(|(_, tables)| tables.first() == Some(&main.name));
            if !is_taken && let Some(tables) = beside(store, main, found) {
                all.push((number, tables));
            }
        }
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
    for wanted in &store.tables[1..] {
        let fitting: Vec<&Found> =
            found.iter().filter(|table| fits(table, wanted) && !tables.contains(&table.name)).collect();
        let refers = |a: &Found, b: &Found| a.refers.iter().any(|name| name.eq_ignore_ascii_case(&b.name));
        let linked = fitting.iter().find(|table| refers(table, main) || refers(main, table));
        let only = fitting.iter().find(|table| fitting.len() == 1 && table.refers.is_empty());
        tables.push(linked.or(only)?.name.clone());
    }
    Some(tables)
}
