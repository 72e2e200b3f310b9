//! Config files: which one applies to a file, what its globs match for any spelling of the path, and messages about mistakes.

use std::path::Path;
use std::process::{Command, Output};

/// An unanswered call in a request: RL101, an error.
const REQUEST: &str = r#"{"model":"gpt-5.1","input":[{"role":"user","content":"go"},{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}]}"#;

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    dir
}

fn run(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_replaylint")).args(args).current_dir(folder).output().expect("it runs")
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The paths and severities of the findings.
fn findings(folder: &Path, args: &[&str]) -> Vec<(String, String)> {
    let output = run(folder, &[&["check", "--output-format", "json", "-v"], args].concat());
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {}", output_text(&output)));
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let all = report["diagnostics"].as_array().expect("a list").iter();
    all.filter(|found| found["rule"] == "RL101")
        .map(|found| (text(&found["path"]), text(&found["severity"])))
        .collect()
}

#[test]
fn globs_match_however_a_file_is_named() {
    let config = "[[files]]\npaths = [\"logs/**\"]\nignore = [\"RL101\"]\n";
    let dir = tree(&[("replaylint.toml", config), ("logs/a/b.json", REQUEST), ("c.json", REQUEST)]);
    let root = dir.path();
    let (logs, all) = (root.join("logs"), root.to_string_lossy().into_owned());
    let (file, plain) = (root.join("logs/a/b.json"), root.join("c.json"));
    // Working folder, named path, remaining findings.
    let cases: [(&Path, &str, usize); 14] = [
        (root, ".", 1),
        (root, "./", 1),
        (root, &all, 1),
        (root, "logs", 0),
        (root, "./logs/", 0),
        (root, "logs/a/b.json", 0),
        (root, "./logs/../logs/a/b.json", 0),
        (root, file.to_str().expect("UTF-8"), 0),
        (root, plain.to_str().expect("UTF-8"), 1),
        (&logs, ".", 0),
        (&logs, "..", 1),
        (&logs, "a/b.json", 0),
        (&logs, "../c.json", 1),
        (&logs, file.to_str().expect("UTF-8"), 0),
    ];
    for (from, named, wanted) in cases {
        assert_eq!(findings(from, &[named]).len(), wanted, "{named} from {}", from.display());
        let excluded = [named, "--exclude", "nothing-of-this-name"];
        assert_eq!(findings(from, &excluded).len(), wanted, "{named}");
    }
}

#[test]
fn excluding_works_however_a_folder_is_named() {
    let dir = tree(&[
        ("replaylint.toml", "exclude = [\"old/*.json\", \"archive/\"]\n"),
        ("old/a.json", REQUEST),
        ("x/archive/b.json", REQUEST),
        ("x/c.json", REQUEST),
    ]);
    let root = dir.path();
    let whole = root.to_string_lossy().into_owned();
    for (from, named) in [(root.to_owned(), "."), (root.to_owned(), whole.as_str()), (root.join("x"), "..")] {
        let found = findings(&from, &[named]);
        assert!(matches!(found.as_slice(), [(path, _)] if path.ends_with("x/c.json")), "{named}: {found:?}");
    }
    assert_eq!(findings(root, &["old/a.json"]).len(), 1, "a named file is read");
    assert_eq!(findings(root, &[".", "--exclude", "x/*.json"]).len(), 0);
}

#[test]
fn the_nearest_config_applies_to_each_file() {
    let dir = tree(&[
        ("replaylint.toml", "[severity]\nRL101 = \"warning\"\n"),
        ("a.json", REQUEST),
        ("sub/pyproject.toml", "[project]\nname = \"x\"\n[tool.replaylint.severity]\nmissing-output = \"info\"\n"),
        ("sub/b.json", REQUEST),
        ("sub/deeper/pyproject.toml", "[project]\nname = \"replaylint-user\"\n"),
        ("sub/deeper/c.json", REQUEST),
        ("own/replaylint.toml", "ignore = [\"RL101\"]\nexclude = [\"skip.json\"]\n"),
        ("own/d.json", REQUEST),
        ("own/skip.json", REQUEST),
    ]);
    let of = |name: &str, severity: &str| (name.to_owned(), severity.to_owned());
    let expected = [of("./a.json", "warning"), of("./sub/b.json", "info"), of("./sub/deeper/c.json", "info")];
    assert_eq!(findings(dir.path(), &["."]), expected);
    assert_eq!(findings(dir.path(), &["sub/b.json"]), [of("sub/b.json", "info")]);
    assert_eq!(findings(&dir.path().join("own"), &["../a.json"]), [of("../a.json", "warning")]);
    assert_eq!(findings(dir.path(), &["sub/b.json", "--isolated"]), [of("sub/b.json", "error")]);
    let named = ["own/d.json", "--config", "sub/pyproject.toml"];
    assert_eq!(findings(dir.path(), &named), [of("own/d.json", "info")]);
    // The config file of a file that is not read is not read, either.
    assert!(!output_text(&run(dir.path(), &["check", "-v", "."])).contains("skip.json"));
}

#[test]
fn mistakes_are_reported_with_their_place() {
    let cases = [
        ("tagret = \"azure\"\n", "replaylint.toml:1:1: unknown key 'tagret'", "did you mean 'target'?"),
        (
            "\n  max_record_size = \"1G\"\n",
            "replaylint.toml:2:3: unknown key 'max_record_size'",
            "did you mean 'max-record-size'?",
        ),
        ("target = \"azur\"\n", "replaylint.toml:1:10: unknown target 'azur'", "did you mean 'azure'?"),
        ("store = \"yes\"\n", "replaylint.toml:1:9: store must be true or false, not a string", "store = false"),
        ("select = \"RL1\"\n", "replaylint.toml:1:10: select must be an array of strings, not a string", ""),
        ("select = [\"RL1\", 2]\n", "replaylint.toml:1:18: select must be an array of strings, not a number", ""),
        ("ignore = [\"RL999\"]\n", "replaylint.toml:1:11: unknown rule 'RL999'", "rules are selected by"),
        ("max-record-size = \"1X\"\n", "replaylint.toml:1:19: invalid size '1X'", ""),
        (
            "[severity]\nRL101 = \"warn\"\n",
            "replaylint.toml:2:9: unknown severity 'warn'",
            "did you mean 'warning'?",
        ),
        ("[severity]\nRL1O1 = \"info\"\n", "replaylint.toml:2:1: unknown rule 'RL1O1'", ""),
        ("[[files]]\ntarget = \"azure\"\n", "replaylint.toml:1:1: [[files]] has no paths", "paths = "),
        (
            "[[files]]\npaths = [\"a\"]\next = [\"x\"]\n",
            "replaylint.toml:3:1: ext applies to all files",
            "at the top",
        ),
        ("[[files]]\npaths = [\"a[\"]\n", "replaylint.toml:2: not a valid glob", ""),
        ("[[ignore]]\nrule = \"RL101\"\npath = \"a\"\n", "replaylint.toml:1:1: [[ignore]] needs a reason", ""),
        ("[[ignore]]\nrule = \"RL101\"\nreason = \"r\"\n", "[[ignore]] needs a path, an id or a pointer", ""),
        (
            "[[ignore]]\nrules = \"RL101\"\n",
            "replaylint.toml:2:1: unknown key of [[ignore]] 'rules'",
            "did you mean 'rule'?",
        ),
        ("target = \n", "replaylint.toml:1:10: ", ""),
    ];
    for (config, message, help) in cases {
        let dir = tree(&[("replaylint.toml", config), ("a.json", REQUEST)]);
        let output = run(dir.path(), &["check", "a.json"]);
        let output_text = output_text(&output);
        assert_eq!(output.status.code(), Some(2), "{config}: {output_text}");
        assert!(output_text.contains(message) && output_text.contains(help), "{config}: {output_text}");
        // A config file below the walked folder is also checked.
        let above = tree(&[("sub/replaylint.toml", config), ("sub/a.json", REQUEST)]);
        let output = run(above.path(), &["check", "."]);
        assert_eq!(output.status.code(), Some(2), "{config}");
    }
}

#[test]
fn globs_that_match_nothing_are_reported() {
    let config = "exclude = [\"none.json\"]\n[[files]]\npaths = [\"log/**\", \"*.json\"]\ntarget = \"azure\"\n";
    let dir = tree(&[("replaylint.toml", config), ("logs/a.json", REQUEST)]);
    let said_of = |args: &[&str]| output_text(&run(dir.path(), args));
    let whole = said_of(&["check", "."]);
    assert!(whole.contains("replaylint.toml:1: warning: 'none.json' matches no file\n"), "{whole}");
    assert!(
        whole.contains("replaylint.toml:3: warning: 'log/**' matches no file; did you mean 'logs/**'?\n"),
        "{whole}"
    );
    assert!(!whole.contains("'*.json'"), "{whole}");
    // A glob may match files outside of the walk.
    assert!(!said_of(&["check", "logs/a.json"]).contains("matches no file"));
    assert!(!said_of(&["check", "logs"]).contains("matches no file"));
    assert!(!said_of(&["check", "-q", "."]).contains("matches no file"));
}

#[test]
fn a_severity_changes_the_exit_code_but_not_the_fixes() {
    let config = "[severity]\nRL101 = \"info\"\nRL311 = \"error\"\n";
    let dir = tree(&[("replaylint.toml", config), ("a.json", REQUEST)]);
    let checked = run(dir.path(), &["check", "a.json"]);
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stdout));
    let (as_ever, isolated) =
        (run(dir.path(), &["fix", "a.json"]), run(dir.path(), &["fix", "--isolated", "a.json"]));
    let diff = |output: &Output| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().take_while(|line| !line.starts_with("Would")).collect::<Vec<_>>().join("\n")
    };
    assert!(diff(&as_ever).contains("function_call"));
    assert_eq!(diff(&as_ever), diff(&isolated));
}

#[test]
fn warnings_are_denied_where_the_config_says_so() {
    let config = "deny-warnings = true\n[severity]\nRL101 = \"warning\"\n";
    let dir = tree(&[
        ("strict/replaylint.toml", config),
        ("strict/a.json", REQUEST),
        ("replaylint.toml", "[severity]\nRL101 = \"warning\"\n"),
        ("b.json", REQUEST),
    ]);
    let code = |args: &[&str]| run(dir.path(), args).status.code();
    assert_eq!(code(&["check", "b.json"]), Some(0));
    assert_eq!(code(&["check", "strict"]), Some(1));
    assert_eq!(code(&["check", "."]), Some(1));
    assert_eq!(code(&["check", "b.json", "--deny-warnings"]), Some(1));
}

#[test]
fn config_prints_effective_settings_and_their_source() {
    let text = "target = \"azure\"\nignore = [\"RL311\"]\n\n[severity]\nRL101 = \"warning\"\n\n[[files]]\npaths = [\"logs/**\"]\n\
                target = \"codex\"\nignore = [\"RL2\"]\n";
    let dir = tree(&[("replaylint.toml", text), ("logs/a.json", REQUEST), ("bare/.keep", "")]);
    let printed = |from: &Path, args: &[&str]| {
        let output = run(from, &[&["config"], args].concat());
        assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(
        printed(dir.path(), &[]),
        "# .: replaylint.toml\ntarget = \"azure\"                  # replaylint.toml:1\n\
         ignore = [\"RL311\"]                # replaylint.toml:2\n\
         severity = { RL101 = \"warning\" }  # replaylint.toml:4\n"
    );
    let of_file = printed(&dir.path().join("logs"), &["a.json"]);
    assert_eq!(
        of_file,
        "# a.json: ../replaylint.toml\ntarget = \"codex\"                  # ../replaylint.toml:9\n\
         ignore = [\"RL2\"]                  # ../replaylint.toml:10\n\
         ignore = [\"RL311\"]                # ../replaylint.toml:2\n\
         severity = { RL101 = \"warning\" }  # ../replaylint.toml:4\n"
    );
    assert!(printed(dir.path(), &["--isolated"]).contains("no config file; the defaults apply"));
    let json = printed(dir.path(), &["logs/a.json", "--output-format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["settings"][0]["value"], &json["settings"][0]["line"]), (&"\"codex\"".into(), &9.into()));
}

#[test]
fn init_sets_the_target_of_each_folder() {
    let claude = r#"{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}"#;
    let dir = tree(&[
        ("logs/a.json", REQUEST),
        ("claude/b.json", claude),
        ("both/a.json", REQUEST),
        ("both/b.json", claude),
    ]);
    assert_eq!(run(dir.path(), &["init"]).status.code(), Some(0));
    let text = std::fs::read_to_string(dir.path().join("replaylint.toml")).expect("a file");
    let settings: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let of = |folder: &str, target: &str| {
        ["[[files]]".to_owned(), format!("paths = [\"{folder}/**\"]"), format!("target = \"{target}\"")]
    };
    assert_eq!(settings, [of("claude", "anthropic"), of("logs", "openai")].concat());
    assert_eq!(run(dir.path(), &["config"]).status.code(), Some(0));
}

#[test]
fn init_writes_a_config_that_is_valid_when_uncommented() {
    let dir =
        tree(&[("logs/a.json", REQUEST), ("logs/b.json", REQUEST), ("c.json", REQUEST), ("other.json", "{}")]);
    let output = run(dir.path(), &["init"]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    let text = std::fs::read_to_string(dir.path().join("replaylint.toml")).expect("a file");
    for line in [
        "#   1 file: responses-request, checked against openai",
        "#   2 files in logs/: responses-request, checked against openai",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert!(text.contains("\ntarget = \"openai\"\n"), "{text}");
    // The unmodified file changes nothing.
    assert_eq!(findings(dir.path(), &["."]).len(), 3);
    let again = run(dir.path(), &["init"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        output_text(&again).contains("replaylint.toml") && output_text(&again).contains("--force"),
        "{}",
        output_text(&again)
    );
    assert_eq!(run(dir.path(), &["init", "--force"]).status.code(), Some(0));
    // Each of its settings is valid. Prose ends with a full stop, or is the list of detected formats.
    let setting = |line: &&str| line.contains(" = ") || line.starts_with("# [[");
    let bare: Vec<&str> = text
        .lines()
        .filter(setting)
        .map(|line| line.trim_start_matches("# "))
        .filter(|l| !l.starts_with("schema"))
        .collect();
    let config = bare.join("\n");
    std::fs::write(dir.path().join("replaylint.toml"), &config).expect("written");
    // `ignore` is both a list of rules and a list of findings, of which a file has one.
    let config = config.replace("ignore = [\"RL311\"]\n", "");
    std::fs::write(dir.path().join("replaylint.toml"), &config).expect("written");
    let output = run(dir.path(), &["config"]);
    assert_eq!(output.status.code(), Some(0), "{config}\n{}", output_text(&output));
    let json = run(dir.path(), &["config", "--output-format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let of_all = replaylint::internals::options::KEYS.len() - 2;
    assert_eq!(json["settings"].as_array().map(Vec::len), Some(of_all), "all but files and schema");
}

/// The schema of config files, from the table of keys.
fn schema() -> serde_json::Value {
    use replaylint::internals::options::{ConfigKey, IGNORE_KEYS, KEYS, KeyKind, SEVERITIES};
    use serde_json::{Map, Value, json};
    let strings = || json!({ "type": "array", "items": { "type": "string" } });
    let of = |key: &ConfigKey| {
        let mut value = match key.kind {
            KeyKind::Flag => json!({ "type": "boolean" }),
            KeyKind::Text(_) => json!({ "type": "string" }),
            KeyKind::Name(names, _) => json!({ "enum": names() }),
            KeyKind::List(_) | KeyKind::Globs => strings(),
            KeyKind::Ignore if key.is_for_files => json!({ "$ref": "#/$defs/ignore" }),
            KeyKind::Severity => json!({ "type": "object", "additionalProperties": { "enum": SEVERITIES } }),
            _ => json!({ "type": "array", "items": { "$ref": "#/$defs/files" } }),
        };
        value["description"] = key.description.into();
        (key.name.to_owned(), value)
    };
    let top: Map<String, Value> = KEYS.iter().map(of).collect();
    let same = |key: &ConfigKey| (key.name.to_owned(), json!({ "$ref": format!("#/properties/{}", key.name) }));
    let mut files: Map<String, Value> = KEYS.iter().filter(|key| key.is_for_files).map(same).collect();
    files.insert(
        "ignore".to_owned(),
        json!({ "type": "array", "items": { "type": "string" }, "description": "Disable these rules" }),
    );
    let mut paths = strings();
    paths["minItems"] = 1.into();
    paths["description"] = "Globs, relative to the config file".into();
    files.insert("paths".to_owned(), paths);
    let entry: Map<String, Value> = IGNORE_KEYS
        .iter()
        .map(|(name, about)| {
            ((*name).to_owned(), json!({ "type": "string", "minLength": 1, "description": about }))
        })
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "replaylint.toml, or [tool.replaylint] in pyproject.toml",
        "type": "object",
        "properties": top,
        "additionalProperties": false,
        "$defs": {
            "files": { "type": "object", "properties": files, "required": ["paths"], "additionalProperties": false },
            "ignore": { "type": "array", "items": { "anyOf": [{ "type": "string" }, { "$ref": "#/$defs/finding" }] } },
            "finding": {
                "type": "object",
                "properties": entry,
                "required": ["rule", "reason"],
                "anyOf": [{ "required": ["path"] }, { "required": ["id"] }, { "required": ["pointer"] }],
                "additionalProperties": false,
            },
        },
    })
}

#[test]
fn the_schema_of_config_files_agrees_with_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/config.v1.json");
    let own = format!("{:#}\n", schema());
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, &own).expect("written");
    }
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, own, "schemas/config.v1.json: UPDATE_README=1 cargo test writes it anew");
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).expect("JSON")).expect("a schema");
    for (config, valid) in [
        ("target = \"azure\"\nstore = true\nselect = [\"RL1\"]\n[severity]\nRL101 = \"info\"\n", true),
        ("[[files]]\npaths = [\"a\"]\ntarget = \"codex\"\nignore = [\"RL1\"]\n", true),
        ("ignore = [\"RL1\", { rule = \"RL101\", id = \"x\", reason = \"r\" }]\n", true),
        ("[[ignore]]\nrule = \"RL101\"\npath = \"x\"\nreason = \"r\"\n", true),
        ("tagret = \"azure\"\n", false),
        ("target = \"azur\"\n", false),
        ("store = \"yes\"\n", false),
        ("[severity]\nRL101 = \"warn\"\n", false),
        ("[[files]]\ntarget = \"azure\"\n", false),
        ("[[files]]\npaths = [\"a\"]\nexclude = [\"x\"]\n", false),
        ("[[ignore]]\nrule = \"RL101\"\nreason = \"r\"\n", false),
        ("[[ignore]]\nrule = \"RL101\"\npath = \"x\"\n", false),
    ] {
        let value: serde_json::Value = toml::from_str(config).expect("TOML");
        assert_eq!(schema.is_valid(&value), valid, "{config}");
        let parsed = replaylint::internals::options::Config::parse(config, Path::new("/"));
        assert_eq!(parsed.is_ok(), valid, "{config}: {parsed:?}");
    }
}

#[test]
fn the_config_page_lists_all_keys() {
    use replaylint::internals::options::KEYS;
    let mut table = String::from("| key | | example | in `[[files]]` |\n|---|---|---|---|\n");
    for key in &KEYS {
        let of_files = if key.is_for_files { "yes" } else { "" };
        let example = if key.example.is_empty() { String::new() } else { format!("`{}`", key.example) };
        table += &format!("| `{}` | {} | {example} | {of_files} |\n", key.name, key.description);
    }
    crate::cli::readme::check_section("docs/config.md", "keys", &table);
}

#[test]
fn lists_may_end_with_nul_and_may_be_lenient() {
    let dir = tree(&[
        ("a b.json", REQUEST),
        ("c\nd.json", REQUEST),
        ("notes.txt", "no conversation"),
        ("other.json", "{\"a\":1}"),
    ]);
    let listed = |list: &str, args: &[&str]| {
        std::fs::write(dir.path().join("list"), list).expect("written");
        let output =
            run(dir.path(), &[&["check", "--output-format", "json", "--files-from", "list"], args].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        let all = report["diagnostics"].as_array().cloned().unwrap_or_default();
        let rules: Vec<String> = all.iter().map(|one| one["rule"].as_str().expect("a rule").to_owned()).collect();
        (output.status.code(), rules)
    };
    let own = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
    assert_eq!(listed("a b.json\0c\nd.json\0", &["-0"]), (Some(1), own(&["RL101", "RL101"])));
    assert_eq!(listed("a b.json\0", &[]).0, Some(2), "a list with NUL is not read as lines");
    assert_eq!(listed("a b.json\nnotes.txt\nother.json\n", &[]), (Some(1), own(&["RL101", "RL004", "RL004"])));
    assert_eq!(listed("a b.json\nnotes.txt\nother.json\n", &["--allow-empty"]), (Some(1), own(&["RL101"])));
    assert_eq!(listed("notes.txt\nother.json\n", &["--allow-empty"]).0, Some(0));
    assert_eq!(listed("gone.json\n", &["--allow-empty"]).0, Some(2), "a missing file is still an error");
}

#[test]
fn concise_is_truncated_only_on_request() {
    let calls =
        (0..250).map(|n| format!(r#"{{"type":"function_call_output","call_id":"call_{n}","output":"x"}}"#));
    let request = format!(r#"{{"model":"gpt-5","input":[{}]}}"#, calls.collect::<Vec<_>>().join(",\n"));
    let dir = tree(&[("a.json", &request)]);
    let lines = |args: &[&str]| {
        let output = run(dir.path(), &[&["check", "-q", "a.json", "--output-format"], args].concat());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (text.lines().filter(|line| line.contains("RL102")).count(), text.contains("… and 240 more findings"))
    };
    assert_eq!(lines(&["concise"]), (250, false));
    assert_eq!(lines(&["concise", "--max-diagnostics", "10"]), (10, true));
}

#[test]
fn fix_never_overwrites_an_input_with_a_copy() {
    let dir = tree(&[("a.json", REQUEST), ("b.json", REQUEST)]);
    let fix = |args: &[&str]| {
        let output = run(dir.path(), &[&["fix", "a.json"], args].concat());
        (output.status.code(), output_text(&output))
    };
    for to in ["a.json", "./a.json", "../a.json"] {
        let to = if to.starts_with("../") {
            dir.path().join("a.json").to_string_lossy().into_owned()
        } else {
            to.to_owned()
        };
        for force in [&[][..], &["--force"]] {
            let (code, output_text) = fix(&[&["-o", &to], force].concat());
            assert!(code == Some(2) && output_text.contains("use -w"), "{to}: {output_text}");
        }
    }
    let (code, output_text) = fix(&["-o", "b.json"]);
    assert!(code == Some(2) && output_text.contains("--force"), "{output_text}");
    assert_eq!(std::fs::read_to_string(dir.path().join("b.json")).expect("a file"), REQUEST);
    assert_eq!(fix(&["-o", "b.json", "--force"]).0, Some(0));
    assert_eq!(std::fs::read_to_string(dir.path().join("a.json")).expect("a file"), REQUEST);
}
