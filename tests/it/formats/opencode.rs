//! Databases of opencode: both versions in one file, reverted messages, forks, and the repair of parts.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::process::Command;

use replaylint::internals::source::outputs::backup::BackupPlace;
use replaylint::internals::source::outputs::commit::ReplaceOptions;
use replaylint::internals::source::sqlite::{self, CellChange, RowId, WriteStep};
use serde_json::{Value, json};

use crate::report::reports::run;
use crate::source::writing::{backdate, names};
use crate::support::databases::{Database, open};

const FIRST: &str = "
    CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
        directory text NOT NULL, title text NOT NULL, version text NOT NULL, revert text, time_created integer NOT NULL,
        time_updated integer NOT NULL);
    CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
        time_updated integer NOT NULL, data text NOT NULL,
        FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE);
    CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
        time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL,
        FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE);
    CREATE TABLE __drizzle_migrations (id integer PRIMARY KEY, hash text NOT NULL, created_at numeric, name text);
    INSERT INTO __drizzle_migrations VALUES (1, 'x', 1769991467000, '20260127222353_familiar_lady_ursula');";

const SECOND: &str = "
    CREATE TABLE session_v2 (id text PRIMARY KEY, project_id text NOT NULL, fork_session_id text, fork_boundary text,
        slug text NOT NULL, directory text NOT NULL, title text, version text NOT NULL, revert text,
        time_created integer NOT NULL, time_updated integer NOT NULL);
    CREATE TABLE session_message (id text PRIMARY KEY, session_id text NOT NULL, type text NOT NULL, seq integer NOT NULL,
        time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL, UNIQUE (session_id, seq),
        FOREIGN KEY (session_id) REFERENCES session_v2(id) ON DELETE CASCADE);
    CREATE TABLE event (id text PRIMARY KEY, aggregate_id text, seq integer, type text, data text);";

fn first(sql: &str) -> Database {
    Database::with_name("opencode.db", &format!("{FIRST}{sql}"))
}

/// A session of version 1; `revert` says what the user reverted.
fn session(database: &Database, id: &str, revert: Option<Value>) {
    database.run(|connection| {
        let sql = "INSERT INTO session VALUES (?1, 'p', NULL, 's', '/w', 't', '1.18.0', ?2, 1, 1)";
        connection.execute(sql, (id, revert.map(|revert| revert.to_string()))).expect("inserted");
    });
}

/// A message with its parts.
fn message(database: &Database, session: &str, id: &str, data: &str, parts: &[&str]) {
    database.run(|connection| {
        let sql = "INSERT INTO message SELECT ?2, ?1, count(*), 1, ?3 FROM message";
        connection.execute(sql, (session, id, data)).expect("inserted");
        for (n, part) in parts.iter().enumerate() {
            let name = format!("prt_{id}_{n}");
            connection
                .execute("INSERT INTO part VALUES (?1, ?2, ?3, 1, 1, ?4)", (&name, id, session, part))
                .expect("inserted");
        }
    });
}

const ASKS: &str = r#"{"role":"user","agent":"build","time":{"created":5},"model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"}}"#;
const SAYS: &str = r#"{"role":"assistant","parentID":"m1","mode":"build","agent":"build","providerID":"anthropic","modelID":"claude-sonnet-4-5","time":{"created":6}}"#;
const HI: &str = r#"{"type":"text","text":"Hi"}"#;
const STEP: &str = r#"{"type":"step-start"}"#;
const DONE: &str = r#"{"type":"tool","callID":"t1","tool":"ls","state":{"status":"completed","input":{},"output":"a","title":"ls","metadata":{},"time":{"start":1,"end":2}}}"#;
const RUNS: &str =
    r#"{"type":"tool","callID":"t2","tool":"ls","state":{"status":"running","input":{"a":1},"time":{"start":7}}}"#;
const UNTITLED: &str = r#"{"type":"tool","callID":"t3","tool":"ls","state":{"status":"completed","input":{},"output":"a","metadata":{},"time":{"start":1,"end":2}}}"#;

/// A session of two rounds.
fn two_rounds(database: &Database, id: &str, revert: Option<Value>) {
    session(database, id, revert);
    let name = |n: u32| format!("{id}-m{n}");
    message(database, id, &name(1), ASKS, &[HI]);
    message(database, id, &name(2), SAYS, &[STEP, HI, DONE, STEP, HI]);
    message(database, id, &name(3), ASKS, &[HI]);
    message(database, id, &name(4), SAYS, &[STEP, HI]);
}

/// A session of version 2, with rows of a type each.
fn later(database: &Database, id: &str, fork: Option<(&str, Value)>, rows: &[(&str, &str, &str)]) {
    database.run(|connection| {
        let (base, boundary) = fork.map_or((None, None), |(base, at)| (Some(base), Some(at.to_string())));
        let sql = "INSERT INTO session_v2 VALUES (?1, 'p', ?2, ?3, 's', '/w', 't', '2.0.1', NULL, 1, 1)";
        connection.execute(sql, (id, base, boundary)).expect("inserted");
        for (seq, (name, kind, data)) in rows.iter().enumerate() {
            let sql = "INSERT INTO session_message VALUES (?1, ?2, ?3, ?4, 1, 1, ?5)";
            connection.execute(sql, (name, id, kind, seq as i64 + 1, data)).expect("inserted");
        }
    });
}

const LATER_ASKS: &str = r#"{"text":"Hi","time":{"created":1}}"#;
const LATER_SAYS: &str = r#"{"agent":"build","model":{"id":"claude-sonnet-4-5","providerID":"anthropic"},"content":[{"type":"reasoning","text":"Well","state":{"signature":"c2lnbmVk"}},{"type":"text","text":"Yes"},{"type":"tool","id":"t1","name":"ls","state":{"status":"completed","input":{"path":"."},"structured":{},"content":[{"type":"text","text":"a"}]}}],"finish":"tool-calls","time":{"created":1,"completed":2}}"#;
const LATER_RUNS: &str = r#"{"agent":"build","model":{"id":"claude-sonnet-4-5","providerID":"anthropic"},"content":[{"type":"tool","id":"t2","name":"ls","state":{"status":"streaming","input":"{\"pa"}}],"time":{"created":1}}"#;

fn both() -> Database {
    first(SECOND)
}

/// Runs `check` on the database: exit code, standard output and error.
fn checked(database: &Database, args: &[&str]) -> (Option<i32>, String, String) {
    let output = run(database.folder.path(), &[&["check", "opencode.db"], args].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Items of each history, as `check -v` reports them.
fn items(database: &Database) -> Vec<(String, usize)> {
    let (_, _, printed) = checked(database, &["-v"]);
    let line = |line: &str| {
        let (label, rest) = line.strip_prefix("opencode.db: ")?.rsplit_once(": opencode-")?;
        let (_, count) = rest.trim_end_matches('s').strip_suffix(" item")?.rsplit_once(", ")?;
        Some((label.to_owned(), count.parse().ok()?))
    };
    printed.lines().filter_map(line).collect()
}

/// Sessions of both versions, some of them broken.
pub fn sessions() -> Database {
    let database = both();
    two_rounds(&database, "ses_a", Some(json!({"messageID": "ses_a-m3"})));
    message(&database, "ses_a", "ses_a-m5", SAYS, &[STEP, UNTITLED, RUNS]);
    let rows = [("b1", "user", LATER_ASKS), ("b2", "assistant", LATER_SAYS), ("b3", "assistant", LATER_RUNS)];
    later(&database, "ses_b", None, &rows);
    later(&database, "ses_c", Some(("ses_b", json!({"messageID": "b2"}))), &[("c1", "user", LATER_ASKS)]);
    database
}

fn of(expected: &[(&str, usize)]) -> Vec<(String, usize)> {
    expected.iter().map(|(label, count)| ((*label).to_owned(), *count)).collect()
}

#[test]
fn both_versions_are_read_and_what_the_newer_one_hides_is_named() {
    let database = both();
    two_rounds(&database, "ses_a", None);
    two_rounds(&database, "ses_b", None);
    later(&database, "ses_b", None, &[("b1", "user", LATER_ASKS), ("b2", "assistant", LATER_SAYS)]);
    let (one, two) = ("session ses_a, as stored by opencode 1", "session ses_b, as stored by opencode 1");
    // Each message counts, and each block: 2 + (3 + 2 + 2) + 2 + 2, and 2 + (4 + 2).
    assert_eq!(items(&database), of(&[(one, 13), (two, 13), ("session ses_b", 8)]));
    let (code, text, printed) = checked(&database, &["-v", "--output-format", "concise"]);
    assert_eq!(code, Some(0), "{text}{printed}");
    let hidden: Vec<&str> = text.lines().filter(|line| line.contains("RL668")).collect();
    assert_eq!(hidden.len(), 1, "{text}");
    assert!(hidden[0].contains("session ses_a, as stored by opencode 1, session ses_a:1:1: info RL668"), "{text}");
    let (_, text, _) = checked(&database, &["--output-format", "concise"]);
    assert!(!text.contains("error") && !text.contains("warning"), "{text}");
}

#[test]
fn version_1_alone_hides_nothing() {
    let database = first("");
    two_rounds(&database, "ses_a", None);
    assert_eq!(items(&database), of(&[("session ses_a", 13)]));
    assert!(!checked(&database, &["-v"]).1.contains("RL668"));
}

#[test]
fn what_the_user_took_back_is_not_read() {
    let database = first("");
    two_rounds(&database, "ses_1", Some(json!({"messageID": "ses_1-m3"})));
    two_rounds(&database, "ses_2", Some(json!({"messageID": "ses_2-m2", "partID": "prt_ses_2-m2_2"})));
    two_rounds(&database, "ses_3", Some(json!({"messageID": "ses_3-m0"})));
    assert_eq!(items(&database), of(&[("session ses_1", 9), ("session ses_2", 4), ("session ses_3", 13)]));
}

#[test]
fn a_fork_is_read_with_what_it_inherits() {
    let database = both();
    let base = [("b1", "user", LATER_ASKS), ("b2", "assistant", LATER_SAYS), ("b3", "user", LATER_ASKS)];
    later(&database, "ses_b", None, &base);
    let own = ("c9", "user", r#"{"text":"Or rather"}"#);
    let through = json!({"type": "through", "messageID": "b2"});
    let before = json!({"type": "before", "messageID": "b2"});
    let copies = [("c1", "user", LATER_ASKS), ("c2", "assistant", LATER_SAYS), own];
    later(&database, "ses_copied", Some(("ses_b", through.clone())), &copies);
    later(&database, "ses_linked", Some(("ses_b", through)), &[("d1", own.1, own.2)]);
    later(&database, "ses_short", Some(("ses_b", before)), &[("e1", own.1, own.2)]);
    // A user's message is two items, the answer four and its result two. Without an answer nothing names the provider, and a
    // message of Chat Completions is one item.
    let expected =
        [("session ses_b", 10), ("session ses_copied", 10), ("session ses_linked", 10), ("session ses_short", 2)];
    assert_eq!(items(&database), of(&expected));
}

#[test]
fn a_running_tool_of_version_2_is_an_error_that_fix_leaves() {
    let database = both();
    let rows = [("b1", "user", LATER_ASKS), ("b2", "assistant", LATER_RUNS), ("b3", "user", LATER_ASKS)];
    later(&database, "ses_b", None, &rows);
    let before = fs::read(&database.path).expect("readable");
    let (code, text, _) = checked(&database, &["--output-format", "concise"]);
    assert!(code == Some(1) && text.contains("opencode.db: session ses_b, message b2:"), "{text}");
    let output = run(database.folder.path(), &["fix", "-w", "opencode.db"]);
    let printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(printed.contains("opencode 2 rebuilds these rows from its"), "{printed}");
    assert_eq!(fs::read(&database.path).expect("readable"), before);
}

#[test]
fn version_2_is_sent_from_its_newest_compaction_on() {
    let database = both();
    let summary = r#"{"status":"completed","reason":"auto","summary":"So far","recent":"Hi"}"#;
    let failed = r#"{"status":"failed","reason":"auto"}"#;
    let rows = [
        ("b1", "user", LATER_ASKS),
        ("b2", "assistant", LATER_SAYS),
        ("b3", "compaction", summary),
        ("b4", "user", LATER_ASKS),
        ("b5", "compaction", failed),
        ("b6", "shell", r#"{"command":"ls","output":{"output":"a","truncated":false}}"#),
    ];
    later(&database, "ses_b", None, &rows);
    assert_eq!(items(&database), of(&[("session ses_b", 6)]));
    let output = run(database.folder.path(), &["convert", "opencode.db", "--to", "chat"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("<summary>\\nSo far\\n</summary>") && text.contains("Shell command: ls\\n\\na"),
        "{text}"
    );
}

#[test]
fn what_is_only_in_the_log_is_read() {
    let database = first("PRAGMA journal_mode = WAL;");
    let writer = open(&database.path);
    writer.pragma_update(None, "wal_autocheckpoint", 0).expect("set");
    writer
        .execute_batch(&format!(
            "INSERT INTO session VALUES ('ses_1', 'p', NULL, 's', '/w', 't', '1.18.0', NULL, 1, 1); \
             INSERT INTO message VALUES ('m1', 'ses_1', 1, 1, '{ASKS}'); \
             INSERT INTO part VALUES ('prt_1', 'm1', 'ses_1', 1, 1, '{HI}');"
        ))
        .expect("SQL");
    assert_eq!(items(&database), of(&[("session ses_1", 2)]));
}

#[test]
fn a_row_that_cannot_be_read_is_named_and_the_others_are_read() {
    for bad in ["", "{\"type\":\"te", "nothing", "[1]", "{} {}"] {
        let database = first("");
        session(&database, "ses_1", Some(json!("not an object")));
        message(&database, "ses_1", "m1", ASKS, &[HI, bad]);
        message(&database, "ses_1", "m2", SAYS, &[STEP, HI]);
        let (code, text, printed) = checked(&database, &["-v", "--output-format", "concise"]);
        assert!(code != Some(2), "{bad}: {printed}");
        assert!(printed.contains("opencode-session, 4 items"), "{bad}: {printed}{text}");
        assert!(bad == "[1]" || text.contains("session ses_1, part prt_m1_1:1:"), "{bad}: {text}");
    }
    let foreign =
        Database::with_name("opencode.db", "CREATE TABLE session (id); CREATE TABLE message (id, data);");
    assert!(checked(&foreign, &[]).1.contains("without any table of a known store"));
}

/// A session with an unfinished part, an incomplete one, and a message without required fields.
fn broken() -> Database {
    let database = first("");
    session(&database, "ses_1", None);
    message(&database, "ses_1", "m1", &ASKS.replace("\"agent\":\"build\",", ""), &[HI]);
    message(&database, "ses_1", "m2", SAYS, &[STEP, UNTITLED, RUNS]);
    message(&database, "ses_1", "m3", ASKS, &[HI]);
    database
}

fn parts(path: &Path) -> Vec<String> {
    let connection = open(path);
    let mut query = connection.prepare("SELECT data FROM part ORDER BY id").expect("SQL");
    let rows = query.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

fn fix(database: &Database, args: &[&str]) -> (Option<i32>, String) {
    let output = run(
        database.folder.path(),
        &[&["fix", "opencode.db", "--as", "request", "--fix-warnings"], args].concat(),
    );
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn parts_are_repaired_in_their_rows() {
    let database = broken();
    let before = parts(&database.path);
    let (code, printed) = fix(&database, &["-w"]);
    assert!(
        code == Some(0) && printed.contains("no automatic fix: only parts can be edited in a database"),
        "{printed}"
    );
    let after = parts(&database.path);
    assert_eq!(after.len(), before.len());
    let changed: Vec<usize> = (0..after.len()).filter(|n| after[*n] != before[*n]).collect();
    assert_eq!(changed, [2, 3], "{after:?}");
    assert_eq!(after[2], UNTITLED.replace("\"end\":2}}", "\"end\":2},\"title\":\"ls\"}"));
    let ended: Value = serde_json::from_str(&after[3]).expect("JSON");
    let state = json!({"status": "error", "input": {"a": 1}, "error": "Tool execution aborted", "time": {"start": 7, "end": 7}});
    assert_eq!(ended["state"], state);
    assert_eq!(names(database.folder.path()), ["opencode.db", "opencode.db.bak", "opencode.db.bak.journal"]);
    assert_eq!(parts(&database.folder.path().join("opencode.db.bak")), before);
    assert_eq!(database.count("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

pub fn with_a_part_that_is_not_json() -> Database {
    let database = first("");
    session(&database, "ses_1", None);
    message(&database, "ses_1", "m1", ASKS, &[HI, "{\"type\":\"te"]);
    message(&database, "ses_1", "m2", SAYS, &[STEP, HI]);
    database
}

#[test]
fn a_part_that_is_not_json_gives_way_to_one_that_says_nothing() {
    let database = with_a_part_that_is_not_json();
    let (code, printed) = fix(&database, &["-w"]);
    assert!(code == Some(0) && printed.contains("RL001"), "{printed}");
    assert_eq!(parts(&database.path)[1], r#"{"type":"text","text":"","ignored":true}"#);
    assert_eq!(fix(&database, &["-w"]).0, Some(0));
}

#[test]
fn a_schema_that_is_not_known_is_not_written() {
    let cases = [
        "INSERT INTO __drizzle_migrations VALUES (2, 'x', 1, '20270101000000_next')",
        "UPDATE __drizzle_migrations SET name = NULL; INSERT INTO __drizzle_migrations VALUES (2, 'x', 4102444800000, NULL); \
         ALTER TABLE __drizzle_migrations DROP COLUMN name",
        "CREATE TABLE migration (id TEXT PRIMARY KEY, time_completed INTEGER); \
         INSERT INTO migration VALUES ('20270101000000_next', 1)",
        "PRAGMA user_version = 3",
    ];
    for sql in cases {
        let database = broken();
        database.run(|connection| connection.execute_batch(sql).expect("SQL"));
        let before = fs::read(&database.path).expect("readable");
        let (code, printed) = fix(&database, &["-w"]);
        assert!(code == Some(2) && printed.contains("is unknown; nothing was written"), "{sql}: {printed}");
        assert_eq!(fs::read(&database.path).expect("readable"), before, "{sql}");
    }
}

const CHILD: &str = "REPLAYLINT_TEST_DIES_IN_PARTS";
const HOW: ReplaceOptions = ReplaceOptions { backups: BackupPlace::Beside, force: false, is_live: true };

/// Changes a part, and dies on the way. Alone it does nothing.
#[test]
fn child_that_dies_while_it_writes_a_part() {
    let Ok(wanted) = std::env::var(CHILD) else { return };
    let (path, at) = wanted.rsplit_once('#').expect("a path and a step");
    let (path, left) = (Path::new(path), Cell::new(at.parse::<u32>().expect("a number")));
    let key = &sqlite::histories(path).expect("read").expect("known")[0];
    let change = CellChange {
        id: RowId::Name("prt_m2_2".to_owned()),
        old: RUNS.as_bytes().into(),
        is_text: true,
        new: Some(DONE.as_bytes().to_vec()),
    };
    let die = |_: WriteStep| match left.get() {
        0 => std::process::abort(),
        n => left.set(n - 1),
    };
    assert!(sqlite::write_with_progress(path, &[(key, vec![change])], &HOW, &die).is_ok());
}

#[test]
fn a_kill_leaves_the_old_or_the_new_part() {
    let mut states = Vec::new();
    for step in 0..4 {
        let database = broken();
        let before = parts(&database.path);
        backdate(&database.path);
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "formats::opencode::child_that_dies_while_it_writes_a_part"])
            .env(CHILD, format!("{}#{step}", database.path.display()))
            .output()
            .expect("it runs");
        assert!(!child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        let after = parts(&database.path);
        assert!(after == before || after[3] == DONE, "{step}: {after:?}");
        states.push(after != before);
    }
    assert_eq!(states, [false, false, false, true]);
}
