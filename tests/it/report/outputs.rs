//! The outputs for CI and for mock servers: each conforms to its format, and all name the same places.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::proposal::propose;
use replaylint::internals::report::{self, ContentDisplay, DocReport, RunSummary, Style};
use serde_json::{Value, json};

use crate::report::reports::run;
use crate::support::{DOC, STYLE, check_of, growable_text, repair};

/// A report about a text with a name, including notes.
fn report(form: &str, path: &str, text: &[u8]) -> String {
    report_as(form, path, text, STYLE)
}

fn report_as(form: &str, path: &str, text: &[u8], style: Style) -> String {
    let bytes = growable_text(text);
    let found = check_of(&bytes, &Options::default());
    let mut diagnostics = report::diagnose(DOC, path, &bytes, &found, ContentDisplay::None).expect("memory reads");
    if form == "sarif" {
        let fixed = repair(text, &Options::default(), &FixOptions::default()).fixed;
        propose(DOC, &text.to_vec(), &fixed, false, &mut diagnostics).expect("memory reads");
    }
    let summary = RunSummary { files: 1, histories: u64::from(found.histories), ..RunSummary::of(&diagnostics) };
    let mut writer = report::by_name(form).expect("an output")(style);
    let mut out = Vec::new();
    writer.write_doc(&DocReport::new(path, &found, diagnostics), &mut out).expect("memory writes");
    writer.finish(&summary, &mut out).expect("memory writes");
    String::from_utf8(out).expect("UTF-8")
}

fn parse_report(form: &str, path: &str, text: &[u8]) -> Value {
    serde_json::from_str(&report(form, path, text)).expect("JSON")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// All readable texts of the test data, with their paths.
pub fn sample_texts() -> Vec<(String, Vec<u8>)> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() { walk(&path, out) } else { out.push(path) }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut paths = Vec::new();
    ["formats", "broken", "readme"].iter().for_each(|folder| walk(&root.join(folder), &mut paths));
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl"));
    paths.sort();
    let name = |path: &PathBuf| path.strip_prefix(&root).expect("below").to_string_lossy().replace('\\', "/");
    paths.iter().map(|path| (name(path), fs::read(path).expect("readable"))).collect()
}

/// A request with `n` orphaned outputs, and a repeated key.
fn request_with_orphans(n: usize) -> String {
    let outputs =
        (0..n).map(|n| format!(r#"{{"type":"function_call_output","call_id":"call_{n}","output":"x"}}"#));
    // Without a message nothing would remain, and there would be no repair.
    let user = r#"{"role":"user","content":"go"}"#;
    let outputs: Vec<String> = outputs.collect();
    let items = if n > 0 { format!("{},{user}", outputs.join(",\n")) } else { user.to_owned() };
    format!("{{\"model\":\"gpt-5\",\"metadata\":{{\"a\":1,\"a\":2}},\"input\":[\n{items}]}}")
}

type ReportPlace = (String, u64, u64);

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// The text between two marks.
fn text_between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).expect("a start").1;
    rest.split_once(to).expect("an end").0
}

/// `path:line:column: …`
fn parse_place(line: &str) -> ReportPlace {
    let mut parts = line.splitn(4, ':');
    let mut part = || parts.next().expect("a part");
    (part().to_owned(), part().parse().expect("a line"), part().parse().expect("a column"))
}

#[test]
fn all_outputs_name_the_same_places() {
    let mut seen = 0;
    for (path, bytes) in sample_texts() {
        let report = |form| report(form, &path, &bytes);
        let of_json = |d: &Value| (text(&d["path"]), number(&d["line"]), number(&d["column"]));
        let json: Value = serde_json::from_str(&report("json")).expect("JSON");
        let expected: Vec<ReportPlace> =
            json["diagnostics"].as_array().expect("a list").iter().map(of_json).collect();
        let mut of_lines = lines(&report("jsonl"));
        of_lines.pop().expect("a summary");
        assert_eq!(of_lines.remove(0)["input"]["path"], path.as_str(), "{path}: what was read comes first");
        assert_eq!(of_lines.iter().map(of_json).collect::<Vec<_>>(), expected, "{path}: jsonl");

        let sarif: Value = serde_json::from_str(&report("sarif")).expect("JSON");
        let results = sarif["runs"][0]["results"].as_array().expect("a list");
        let of_sarif = |result: &Value| {
            let place = &result["locations"][0]["physicalLocation"];
            let region = &place["region"];
            let (start, len) = (number(&region["byteOffset"]), number(&region["byteLength"]));
            // The end, counted simply.
            let before = String::from_utf8_lossy(&bytes[..(start + len) as usize]).into_owned();
            let last = before.rsplit('\n').next().expect("a line").chars().count() as u64 + 1;
            let end = (before.matches('\n').count() as u64 + 1, last);
            if std::str::from_utf8(&bytes).is_ok() {
                assert_eq!((number(&region["endLine"]), number(&region["endColumn"])), end, "{path}");
            }
            let uri = text(&place["artifactLocation"]["uri"]);
            (uri, number(&region["startLine"]), number(&region["startColumn"]))
        };
        assert_eq!(results.iter().map(of_sarif).collect::<Vec<_>>(), expected, "{path}: sarif");

        let concise = report("concise");
        assert_eq!(concise.lines().map(parse_place).collect::<Vec<_>>(), expected, "{path}: concise");

        let github = report("github");
        let of_github = |line: &str| {
            let property = |key: &str| text_between(line, &format!("{key}="), ",").to_owned();
            (
                property("file"),
                property("line").parse().expect("a line"),
                property("col").parse().expect("a column"),
            )
        };
        assert!(expected.len() < 10, "{path}: GitHub would not show all");
        assert_eq!(github.lines().map(of_github).collect::<Vec<_>>(), expected, "{path}: github");

        let gitlab: Vec<Value> = serde_json::from_str(&report("gitlab")).expect("a list");
        let of_gitlab = |f: &Value| (text(&f["location"]["path"]), number(&f["location"]["lines"]["begin"]));
        let with_lines: Vec<(String, u64)> =
            expected.iter().map(|(path, line, _)| (path.clone(), *line)).collect();
        assert_eq!(gitlab.iter().map(of_gitlab).collect::<Vec<_>>(), with_lines, "{path}: gitlab");

        // Cases come by history, and errors before warnings.
        let junit = report("junit");
        let xml = roxmltree::Document::parse(&junit).expect("XML");
        let texts =
            xml.descendants().filter(|node| node.has_tag_name("failure") || node.has_tag_name("system-out"));
        let actual =
            texts.filter_map(|node| node.text()).flat_map(str::lines).filter(|line| !line.starts_with(' '));
        let (mut actual, mut expected): (Vec<ReportPlace>, _) = (actual.map(parse_place).collect(), expected);
        actual.sort();
        expected.sort();
        assert_eq!(actual, expected, "{path}: junit");
        seen += expected.len();
    }
    assert!(seen > 30, "{seen} places");
}

#[test]
fn sarif_is_valid() {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../../testdata/sarif/sarif-schema-2.1.0.json")).expect("JSON");
    // Its pattern for languages, which we do not use, is not a valid regular expression: a bracket is missing.
    for part in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][part]["properties"]["language"];
        language.as_object_mut().and_then(|language| language.remove("pattern")).expect("the pattern");
    }
    let schema = jsonschema::validator_for(&schema).expect("the schema compiles");
    let many = ("many.json".to_owned(), request_with_orphans(30).into_bytes());
    let odd = ("a b/ü[1].json".to_owned(), request_with_orphans(1).into_bytes());
    let whole = ("/tmp/x.json".to_owned(), request_with_orphans(0).into_bytes());
    for (path, bytes) in sample_texts().into_iter().chain([many, odd, whole]) {
        let log = parse_report("sarif", &path, &bytes);
        let errors: Vec<String> =
            schema.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{path}: {errors:?}");
        let run = &log["runs"][0];
        assert_eq!(run["columnKind"], "unicodeCodePoints");
        let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
        for result in run["results"].as_array().expect("a list") {
            let rule = &rules[number(&result["ruleIndex"]) as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            for key in ["name", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration"] {
                assert!(!rule[key].is_null(), "{key}");
            }
        }
    }
    let log = parse_report("sarif", "a b/ü[1].json", request_with_orphans(1).as_bytes());
    let result = log["runs"][0]["results"][1].clone();
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b/%C3%BC%5B1%5D.json");
    assert_eq!(result["locations"][0]["logicalLocations"], json!([{"fullyQualifiedName": "/input/0"}]));
    assert_eq!(result["level"], "error");
    assert_eq!(result["properties"]["fix"]["loss"], "lossy");
    let change = &result["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "a%20b/%C3%BC%5B1%5D.json");
    assert_eq!(change["replacements"][0]["deletedRegion"]["endLine"], 2);
    assert!(change["replacements"][0].get("insertedContent").is_none());
}

/// The schema of a line of the report as JSON Lines.
fn schema_of_a_line() -> jsonschema::Validator {
    let mut schema: Value = serde_json::from_str(include_str!("../../../schemas/report.v1.json")).expect("JSON");
    let schema = schema.as_object_mut().expect("an object");
    let defs = schema.remove("$defs").expect("definitions");
    let fixed = schema["properties"]["fixed"].clone();
    let line = json!({"$ref": "#/$defs/line", "$defs": defs, "properties": {"fixed": fixed}});
    jsonschema::validator_for(&line).expect("the schema compiles")
}

#[test]
fn json_lines_conform_to_their_contract() {
    let line = schema_of_a_line();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    for args in [&["check", "-v", "--output-format", "jsonl", "."][..], &["fix", "--output-format", "jsonl", "."]]
    {
        let values = lines(&String::from_utf8(run(&folder, args).stdout).expect("UTF-8"));
        for value in &values {
            assert!(line.is_valid(value), "{value}");
        }
        assert!(values.len() > 10 && values.last().is_some_and(|last| last.get("summary").is_some()));
        assert_eq!(values.iter().any(|line| line.get("change").is_some()), args[0] == "fix");
    }
}

#[test]
fn json_lists_the_lines_of_conversations_that_were_left_out() {
    let line = schema_of_a_line();
    let folder = tempfile::tempdir().expect("a folder");
    let request = |n: usize| match n % 3 {
        0 => r#"{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}],"logit_bias":{"1":2}}"#,
        _ => r#"{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}"#,
    };
    let text: String = (1..=9).map(|n| format!("{}\n", request(n))).collect();
    fs::write(folder.path().join("h.jsonl"), text).expect("written");
    let asked = ["--isolated", "--deny-loss=record", "--output-format", "jsonl", "-o", "out.jsonl", "h.jsonl"];
    let output = run(folder.path(), &[&["convert", "--to", "bedrock"], &asked[..]].concat());
    assert_eq!(output.status.code(), Some(1));
    let values = lines(&String::from_utf8(output.stdout).expect("UTF-8"));
    assert!(values.iter().all(|value| line.is_valid(value)), "{values:?}");
    let input = &values[0]["input"];
    assert_eq!((&input["histories"], &input["left_out"]), (&json!(6), &json!([3, 6, 9])));
    let written = fs::read_to_string(folder.path().join("out.jsonl")).expect("written");
    assert_eq!(written.lines().count(), 6);
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(stderr.starts_with("h.jsonl: skipped 3 of 9 conversations with losses: lines 3, 6, 9\n"), "{stderr}");
}

#[test]
fn gitlab_identifies_a_finding_by_its_fingerprint() {
    let text = request_with_orphans(3);
    let twice = text.replace("call_1", "call_0");
    let prints = |text: &str| {
        let list = parse_report("gitlab", "./logs/h.json", text.as_bytes());
        let list = list.as_array().expect("a list").clone();
        for finding in &list {
            let keys: Vec<&String> = finding.as_object().expect("an object").keys().collect();
            assert_eq!(keys, ["description", "check_name", "fingerprint", "severity", "location"]);
            assert!(finding["description"].is_string() && finding["location"]["lines"]["begin"].is_u64());
            assert!(["major", "minor"].contains(&finding["severity"].as_str().expect("a text")));
            assert_eq!(finding["location"]["path"], "logs/h.json");
        }
        list.iter().map(|finding| self::text(&finding["fingerprint"])).collect::<Vec<_>>()
    };
    let (before, after) = (prints(&text), prints(&format!("\n\n{text}")));
    assert_eq!(before, after, "lines count for nothing");
    let mut all = prints(&twice);
    let n = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), n, "no two are alike");
    assert_eq!(n, 4);
}

#[test]
fn github_gets_the_number_of_omitted_findings() {
    let output =
        report_as("github", "a,b:c.json", request_with_orphans(12).as_bytes(), Style { quiet: false, ..STYLE });
    let count = |start: &str| output.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("::error "), count("::warning "), count("::notice ")), (10, 1, 1), "{output}");
    assert!(output.contains("::error file=a%2Cb%3Ac.json,line=2,col=1,title=RL102 orphan-output::"));
    assert!(output.contains("::notice title=replaylint::2 more errors not shown here"));
    assert!(output.lines().any(|line| line.starts_with("Found 12 errors and 1 warning in 1 conversation")));
}

/// Of ten thousand findings whose messages quote their items, no more are read for text, but all are counted.
#[test]
fn text_counts_the_findings_that_it_does_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, role: &dyn Fn(usize) -> String| {
        let item = |n: usize| json!({"type": "message", "role": role(n), "content": "x"});
        let items: Vec<Value> = (0..12_000).map(item).collect();
        let request = json!({"model": "gpt-5", "input": items});
        fs::write(folder.path().join(name), request.to_string()).expect("written");
    };
    write("one.json", &|_| "wizard".to_owned());
    // A word without digits, which would not count as another message.
    write("all.json", &|n| format!("{n:05}").bytes().map(|digit| char::from(digit - b'0' + b'a')).collect());
    let text = |args: &[&str]| {
        let output = run(folder.path(), &[&["check", "--isolated", "--show-content"], args].concat());
        String::from_utf8(output.stdout).expect("text")
    };
    let one = text(&["one.json"]);
    assert!(one.contains("wrong-role: 11,998 more in one.json at /input/2"), "{one}");
    assert!(one.contains("Found 12,000 errors in 1 conversation"), "{one}");
    let all = text(&["all.json"]);
    assert!(all.contains("… and 11,900 more findings"), "{all}");
    assert!(all.contains("Found 12,000 errors in 1 conversation"), "{all}");
    let listed = text(&["--max-diagnostics", "0", "all.json"]);
    assert_eq!(listed.matches("error RL413 wrong-role").count(), 12_000);
}

#[test]
fn junit_is_valid_xml_with_any_file_name() {
    let path = "a<b>&\"c\u{1}\u{ffff}'.json";
    let output = report("junit", path, request_with_orphans(2).as_bytes());
    let xml = roxmltree::Document::parse(&output).expect("XML");
    let suite = xml.root_element().first_element_child().expect("a suite");
    assert_eq!(suite.attribute("name"), Some("a<b>&\"c\u{fffd}\u{fffd}'.json"));
    let counts = ["tests", "failures", "errors", "skipped"].map(|key| suite.attribute(key));
    assert_eq!(counts, [Some("2"), Some("1"), Some("0"), Some("0")]);
    let read_as: Vec<_> = suite.descendants().filter(|node| node.has_tag_name("property")).collect();
    assert_eq!(
        read_as.iter().map(|property| property.attribute("value")).collect::<Vec<_>>(),
        [Some("responses-request"), Some("openai")]
    );
    let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(
        cases.iter().map(|case| case.attribute("name")).collect::<Vec<_>>(),
        [Some("file"), Some("conversation 1")]
    );
    let output = cases[0].first_element_child().expect("an output");
    assert!(output.has_tag_name("system-out") && output.text().is_some_and(|text| text.contains("warning RL002")));
    let failure = cases[1].first_element_child().expect("a failure");
    assert_eq!(failure.attribute("type"), Some("RL102"));
    assert_eq!(failure.text().map(|text| text.matches("error RL102").count()), Some(2));

    let clean = report("junit", "h.json", request_with_orphans(0).replace(",\"a\":2", "").as_bytes());
    let xml = roxmltree::Document::parse(&clean).expect("XML");
    let case = xml.descendants().find(|node| node.has_tag_name("testcase")).expect("a case");
    assert!(!case.has_children());
}

#[test]
fn several_reports_are_written_in_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("h.json"), request_with_orphans(1)).expect("written");
    let output = |args: &[&str]| {
        let output = run(folder.path(), args);
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    let forms: Vec<String> =
        report::OUTPUTS.iter().skip(1).map(|(form, _)| format!("{form}={form}.out")).collect();
    let mut args = vec!["check", "--isolated", "h.json", "--output-format", "text"];
    for form in &forms {
        args.extend(["--output-format", form]);
    }
    let (code, stdout) = output(&args);
    // The answer determines the exit code: it is an error.
    assert_eq!(code, Some(1));
    assert!(stdout.contains("RL102"));
    for (form, _) in report::OUTPUTS.iter().skip(1) {
        let (code, alone) = output(&["check", "--isolated", "h.json", "--output-format", form]);
        assert_eq!(code, Some(1), "{form}");
        assert_eq!(fs::read_to_string(at(&format!("{form}.out"))).expect("written"), alone, "{form}");
        let (_, stdout) = output(&["check", "--isolated", "h.json", "--output-format", form, "-o", "one.out"]);
        assert_eq!(
            (fs::read_to_string(at("one.out")).expect("written"), stdout),
            (alone, String::new()),
            "{form}"
        );
    }

    // Two reports to one file, and none for -o.
    for args in [
        &["check", "h.json", "--output-format", "json,text"][..],
        &["check", "h.json", "--output-format", "json=a,text=a"],
        &["check", "h.json", "--output-format", "json=a", "-o", "b"],
        &["check", "h.json", "-o", "missing/b"],
        &["fix", "h.json", "--output-format", "api-error"],
    ] {
        let (code, stdout) = output(args);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{args:?}");
    }
    assert!(!at("a").exists() && !at("b").exists());
    // No temporary file remains.
    let left = fs::read_dir(folder.path()).expect("a folder").flatten();
    assert!(left.map(|entry| entry.file_name()).all(|name| !name.to_string_lossy().starts_with('.')));
}

#[test]
fn the_output_format_may_come_from_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("h.json"), request_with_orphans(1)).expect("written");
    let reported = |form: &str, args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_replaylint"))
            .args(["check", "--isolated", "h.json"])
            .args(args)
            .current_dir(folder.path())
            .env("REPLAYLINT_OUTPUT_FORMAT", form)
            .output()
            .expect("the program runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(reported("github", &[]).starts_with("::warning file=h.json"));
    assert!(reported("github", &["--output-format", "gitlab"]).starts_with("[\n"), "the option overrides it");
    assert!(reported("concise,sarif=r.sarif", &[]).starts_with("h.json:1:"));
    assert!(folder.path().join("r.sarif").is_file());
}

#[test]
fn fix_reports_remaining_findings_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("h.json"), request_with_orphans(2)).expect("written");
    for (form, _) in report::OUTPUTS.iter().filter(|(form, _)| *form != "api-error") {
        let file = format!("{form}=left.out");
        let output = run(folder.path(), &["fix", "--isolated", "h.json", "--output-format", &file]);
        assert_eq!(output.status.code(), Some(1));
        let left = fs::read_to_string(folder.path().join("left.out")).expect("written");
        assert!(left.contains("RL002") && left.contains("h.json"), "{form}: {left}");
        if ["github", "gitlab", "junit"].contains(form) {
            assert!(!left.contains("RL102"), "{form} reports a repaired finding: {left}");
        }
    }
    let program = run(folder.path(), &["fix", "--isolated", "h.json", "--output-format", "gitlab"]);
    let left: Vec<Value> = serde_json::from_slice(&program.stdout).expect("only the report is on standard output");
    assert_eq!(left.len(), 1);
}

#[test]
fn the_help_lists_every_output() {
    let help = run(Path::new("."), &["check", "--help"]);
    let help = String::from_utf8(help.stdout).expect("UTF-8");
    let about = text_between(&help, "Report format:", "--deny-warnings");
    for (form, _) in report::OUTPUTS {
        assert!(about.contains(form), "{form} is not in the help");
    }
}
