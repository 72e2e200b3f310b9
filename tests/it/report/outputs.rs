//! The outputs for CI and for mock servers: each is what its readers take, and all name the same places.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use replaylint::internals::judge::Options;
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::proposal::propose;
use replaylint::internals::report::{self, Content, Seen, Style, Summary};
use serde_json::{Value, json};

use crate::report::reports::run;
use crate::support::{DOC, STYLE, check_of, repair, roomy};

/// A report of a text under a name, with what is only noted.
fn report(form: &str, path: &str, text: &[u8]) -> String {
    report_as(form, path, text, STYLE)
}

fn report_as(form: &str, path: &str, text: &[u8], style: Style) -> String {
    let bytes = roomy(text);
    let found = check_of(&bytes, &Options::default());
    let mut told = report::diagnose(DOC, path, &bytes, &found, Content::None).expect("memory reads");
    if form == "sarif" {
        let fixed = repair(text, &Options::default(), &FixOptions::default()).fixed;
        propose(DOC, &text.to_vec(), &fixed, false, &mut told).expect("memory reads");
    }
    let mut summary = Summary { files: 1, histories: u64::from(found.histories), ..Summary::default() };
    summary.count(&told);
    let mut sheet = report::by_name(form).expect("an output")(style);
    let mut out = Vec::new();
    sheet.doc(&Seen::new(path, &found, told), &mut out).expect("memory writes");
    sheet.finish(&summary, &mut out).expect("memory writes");
    String::from_utf8(out).expect("UTF-8")
}

fn parsed(form: &str, path: &str, text: &[u8]) -> Value {
    serde_json::from_str(&report(form, path, text)).expect("JSON")
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// All texts of the test data that are read at all, with their paths.
pub fn texts() -> Vec<(String, Vec<u8>)> {
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

/// A request with so many outputs that answer nothing, and a repeated key.
fn orphans(n: usize) -> String {
    let outputs =
        (0..n).map(|n| format!(r#"{{"type":"function_call_output","call_id":"call_{n}","output":"x"}}"#));
    // Without a message beside them nothing would be left, and no repair would be made.
    let user = r#"{"role":"user","content":"go"}"#;
    let outputs: Vec<String> = outputs.collect();
    let items = if n > 0 { format!("{},{user}", outputs.join(",\n")) } else { user.to_owned() };
    format!("{{\"model\":\"gpt-5\",\"metadata\":{{\"a\":1,\"a\":2}},\"input\":[\n{items}]}}")
}

type At = (String, u64, u64);

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// What stands between two marks.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let rest = text.split_once(from).expect("a start").1;
    rest.split_once(to).expect("an end").0
}

/// `path:line:column: …`
fn colons(line: &str) -> At {
    let mut parts = line.splitn(4, ':');
    let mut part = || parts.next().expect("a part");
    (part().to_owned(), part().parse().expect("a line"), part().parse().expect("a column"))
}

#[test]
fn all_outputs_name_the_same_places() {
    let mut seen = 0;
    for (path, bytes) in texts() {
        let report = |form| report(form, &path, &bytes);
        let of_json = |d: &Value| (text(&d["path"]), number(&d["line"]), number(&d["column"]));
        let json: Value = serde_json::from_str(&report("json")).expect("JSON");
        let expected: Vec<At> = json["diagnostics"].as_array().expect("a list").iter().map(of_json).collect();
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
            // The end, counted the slow way.
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
        assert_eq!(concise.lines().map(colons).collect::<Vec<_>>(), expected, "{path}: concise");

        let github = report("github");
        let of_github = |line: &str| {
            let property = |key: &str| between(line, &format!("{key}="), ",").to_owned();
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
        let told = texts.filter_map(|node| node.text()).flat_map(str::lines).filter(|line| !line.starts_with(' '));
        let (mut told, mut expected): (Vec<At>, _) = (told.map(colons).collect(), expected);
        told.sort();
        expected.sort();
        assert_eq!(told, expected, "{path}: junit");
        seen += expected.len();
    }
    assert!(seen > 30, "{seen} places");
}

#[test]
fn sarif_is_valid() {
    let mut schema: Value =
        serde_json::from_str(include_str!("../../../testdata/sarif/sarif-schema-2.1.0.json")).expect("JSON");
    // Its pattern for languages, which we do not name, is no regular expression: a bracket is lost.
    for part in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][part]["properties"]["language"];
        language.as_object_mut().and_then(|language| language.remove("pattern")).expect("the pattern");
    }
    let schema = jsonschema::validator_for(&schema).expect("the schema compiles");
    let many = ("many.json".to_owned(), orphans(30).into_bytes());
    let odd = ("a b/ü[1].json".to_owned(), orphans(1).into_bytes());
    let whole = ("/tmp/x.json".to_owned(), orphans(0).into_bytes());
    for (path, bytes) in texts().into_iter().chain([many, odd, whole]) {
        let log = parsed("sarif", &path, &bytes);
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
    let log = parsed("sarif", "a b/ü[1].json", orphans(1).as_bytes());
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
fn lines_of_json_keep_the_contract() {
    let line = schema_of_a_line();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    for args in [&["check", "-v", "--output-format", "jsonl", "."][..], &["fix", "--output-format", "jsonl", "."]]
    {
        let told = lines(&String::from_utf8(run(&folder, args).stdout).expect("UTF-8"));
        for value in &told {
            assert!(line.is_valid(value), "{value}");
        }
        assert!(told.len() > 10 && told.last().is_some_and(|last| last.get("summary").is_some()));
        assert_eq!(told.iter().any(|line| line.get("change").is_some()), args[0] == "fix");
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
    let told = lines(&String::from_utf8(output.stdout).expect("UTF-8"));
    assert!(told.iter().all(|value| line.is_valid(value)), "{told:?}");
    let input = &told[0]["input"];
    assert_eq!((&input["histories"], &input["left_out"]), (&json!(6), &json!([3, 6, 9])));
    let written = fs::read_to_string(folder.path().join("out.jsonl")).expect("written");
    assert_eq!(written.lines().count(), 6);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        said.starts_with("h.jsonl: left out 3 of 9 conversations because of losses: lines 3, 6, 9\n"),
        "{said}"
    );
}

#[test]
fn gitlab_knows_a_finding_by_its_fingerprint() {
    let text = orphans(3);
    let twice = text.replace("call_1", "call_0");
    let prints = |text: &str| {
        let list = parsed("gitlab", "./logs/h.json", text.as_bytes());
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
fn github_is_told_how_many_it_does_not_show() {
    let told = report_as("github", "a,b:c.json", orphans(12).as_bytes(), Style { quiet: false, ..STYLE });
    let count = |start: &str| told.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((count("::error "), count("::warning "), count("::notice ")), (10, 1, 1), "{told}");
    assert!(told.contains("::error file=a%2Cb%3Ac.json,line=2,col=1,title=RL102 orphan-output::"));
    assert!(told.contains("::notice title=replaylint::2 more errors not shown here"));
    assert!(
        told.lines()
            .last()
            .is_some_and(|line| line.starts_with("Found 12 errors and 1 warning in 1 conversation"))
    );
}

#[test]
fn junit_is_xml_whatever_a_file_is_called() {
    let path = "a<b>&\"c\u{1}\u{ffff}'.json";
    let told = report("junit", path, orphans(2).as_bytes());
    let xml = roxmltree::Document::parse(&told).expect("XML");
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
        [Some("file"), Some("history 0")]
    );
    let output = cases[0].first_element_child().expect("an output");
    assert!(output.has_tag_name("system-out") && output.text().is_some_and(|text| text.contains("warning RL002")));
    let failure = cases[1].first_element_child().expect("a failure");
    assert_eq!(failure.attribute("type"), Some("RL102"));
    assert_eq!(failure.text().map(|text| text.matches("error RL102").count()), Some(2));

    let clean = report("junit", "h.json", orphans(0).replace(",\"a\":2", "").as_bytes());
    let xml = roxmltree::Document::parse(&clean).expect("XML");
    let case = xml.descendants().find(|node| node.has_tag_name("testcase")).expect("a case");
    assert!(!case.has_children());
}

#[test]
fn several_reports_are_written_in_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("h.json"), orphans(1)).expect("written");
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
    // The answer decides the exit code; there is one, and it is an error.
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

    // Two to one place, and none for -o.
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
    // Nothing is left lying about.
    let left = fs::read_dir(folder.path()).expect("a folder").flatten();
    assert!(left.map(|entry| entry.file_name()).all(|name| !name.to_string_lossy().starts_with('.')));
}

#[test]
fn the_form_may_come_from_the_environment() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("h.json"), orphans(1)).expect("written");
    let told = |form: &str, args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_replaylint"))
            .args(["check", "--isolated", "h.json"])
            .args(args)
            .current_dir(folder.path())
            .env("REPLAYLINT_OUTPUT_FORMAT", form)
            .output()
            .expect("the program runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(told("github", &[]).starts_with("::warning file=h.json"));
    assert!(told("github", &["--output-format", "gitlab"]).starts_with("[\n"), "what is typed wins");
    assert!(told("concise,sarif=r.sarif", &[]).starts_with("h.json:1:"));
    assert!(folder.path().join("r.sarif").is_file());
}

#[test]
fn fix_reports_what_is_left_in_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("h.json"), orphans(2)).expect("written");
    for (form, _) in report::OUTPUTS.iter().filter(|(form, _)| *form != "api-error") {
        let file = format!("{form}=left.out");
        let output = run(folder.path(), &["fix", "--isolated", "h.json", "--output-format", &file]);
        assert_eq!(output.status.code(), Some(1));
        let left = fs::read_to_string(folder.path().join("left.out")).expect("written");
        assert!(left.contains("RL002") && left.contains("h.json"), "{form}: {left}");
        if ["github", "gitlab", "junit"].contains(form) {
            assert!(!left.contains("RL102"), "{form} tells what is repaired: {left}");
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
    let about = between(&help, "Report format:", "--deny-warnings");
    for (form, _) in report::OUTPUTS {
        assert!(about.contains(form), "{form} is not in the help");
    }
}
