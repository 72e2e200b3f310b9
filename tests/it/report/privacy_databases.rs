//! Privacy of databases: canaries in every cell of every supported store, none of which is printed. The names of sessions
//! and rows are places, like paths, and printed.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::types::Value as Cell;
use serde_json::Value;

use super::privacy::{CANARY, CanaryPlacement, canary_placements, plant_canaries, print_without_leaks, words};
use super::reports::run;
use crate::formats::{agents_databases, langgraph, opencode, stores};
use crate::support::databases::{CALL, Database, OUTPUT, USER, open};

/// Columns that name sessions and rows, and link them.
const PLACES: [&str; 15] = [
    "aggregate_id",
    "app_name",
    "branch_id",
    "checkpoint_id",
    "checkpoint_ns",
    "fork_session_id",
    "id",
    "key",
    "message_id",
    "parent_id",
    "parent_session_id",
    "session_id",
    "summary_message_id",
    "thread_id",
    "user_id",
];

/// The formats that they are read as.
const FORMATS: [&str; 9] = [
    "crush",
    "cursor-session",
    "goose-session",
    "google-adk",
    "hermes-session",
    "langgraph-checkpoint",
    "opencode-session",
    "opencode-v2",
    "zed-thread",
];

/// The first bytes of frames of Zstandard.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// A database of each store, with histories that have findings.
fn databases() -> Vec<(&'static str, Database)> {
    let crush = [("user", agents_databases::ASKS), ("assistant", agents_databases::CALLS)];
    let late = [("user", agents_databases::ASKS), ("tool", agents_databases::GIVES)];
    let branches: [(&str, &[i64]); 2] = [("main", &[1, 2, 3]), ("b2", &[1, 2, 4])];
    vec![
        ("agents-sdk", Database::of(&[("a", &[USER, CALL, USER]), ("b", &[USER, OUTPUT])])),
        ("agents-sdk-branches", Database::with_branches(&[USER, CALL, OUTPUT, USER], &branches)),
        ("hermes", Database::new(&stores::HERMES.replace(" ACTIVE", ""))),
        ("zed", stores::zed()),
        ("cursor", Database::new(stores::CURSOR)),
        ("cursor-agent", Database::new(stores::CURSOR_AGENT)),
        ("crush", agents_databases::crush("openrouter", None, &[&crush[..], &late[..], &crush[..1]].concat())),
        ("goose", Database::new(agents_databases::GOOSE)),
        ("adk", agents_databases::adk()),
        ("opencode", opencode::sessions()),
    ]
}

/// Plants canaries in a text: in its strings if it is a JSON object or list, else instead of it.
fn plant_in_text(text: &str, placement: CanaryPlacement) -> Option<String> {
    match serde_json::from_str::<Value>(text) {
        Ok(val) if val.is_object() || val.is_array() => plant_canaries(&[(String::new(), Some(val))], placement),
        _ if matches!(placement, CanaryPlacement::Texts | CanaryPlacement::Strings) && !words().contains(text) => {
            Some(CANARY.to_owned())
        }
        _ => None,
    }
}

fn plant_in_cell(cell: Cell, placement: CanaryPlacement) -> Option<Cell> {
    match cell {
        Cell::Text(text) => plant_in_text(&text, placement).map(Cell::Text),
        Cell::Blob(bytes) if bytes.starts_with(&ZSTD) => {
            let text = String::from_utf8(zstd::decode_all(&bytes[..]).ok()?).ok()?;
            Some(Cell::Blob(zstd::encode_all(plant_in_text(&text, placement)?.as_bytes(), 3).expect("packed")))
        }
        Cell::Blob(bytes) => {
            Some(Cell::Blob(plant_in_text(&String::from_utf8(bytes).ok()?, placement)?.into_bytes()))
        }
        _ => None,
    }
}

/// Plants canaries in the cells of a database. Returns the number of cells.
fn plant_in_database(path: &Path, placement: CanaryPlacement) -> usize {
    let connection = open(path);
    let names = |sql: &str, column: usize| -> Vec<String> {
        let mut query = connection.prepare(sql).expect("SQL");
        let rows = query.query_map([], |row| row.get(column)).expect("rows");
        rows.collect::<Result<_, _>>().expect("rows")
    };
    let mut count = 0;
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    for table in names(tables, 0) {
        for column in names(&format!("PRAGMA table_info({table})"), 1) {
            if PLACES.contains(&&*column) {
                continue;
            }
            let mut query = connection.prepare(&format!("SELECT rowid, {column} FROM {table}")).expect("SQL");
            let cells = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
            let cells: Vec<(i64, Cell)> = cells.collect::<Result<_, _>>().expect("rows");
            for (row, cell) in cells {
                let Some(cell) = plant_in_cell(cell, placement) else { continue };
                let sql = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2");
                count += connection.execute(&sql, (cell, row)).expect("updated");
            }
        }
    }
    count
}

#[test]
fn no_command_prints_a_canary_of_a_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let copied = |from: &Path, name: &str, n: usize| -> PathBuf {
        let to = folder.path().join(name).join(format!("{n}.db"));
        fs::create_dir_all(to.parent().expect("a folder")).expect("made");
        fs::copy(from, &to).expect("copied");
        to
    };
    for (name, database) in databases() {
        for (n, placement) in canary_placements().enumerate() {
            let to = copied(&database.path, name, n);
            if plant_in_database(&to, placement) == 0 {
                fs::remove_file(to).expect("removed");
            }
        }
    }
    copied(&langgraph::database_with_text(CANARY).path().join("graph.db"), "langgraph", 0);
    let printed = print_without_leaks(folder.path(), &["."]);
    for format in FORMATS {
        assert!(printed.contains(&format!(": {format}, ")), "{format}: {printed}");
    }
    assert!(printed.contains("x-customer-0…"), "{printed}");
    let repair = run(folder.path(), &["fix", "-w", "--force", "--orphans", "stub", "."]);
    let output = String::from_utf8_lossy(&[repair.stdout, repair.stderr].concat()).into_owned();
    assert!(!output.contains("CANARY") && output.contains("agents-sdk"), "{output}");
    let shown = run(folder.path(), &["check", "--show-content", "crush"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains(CANARY), "--show-content shows it");
}
