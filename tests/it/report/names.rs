//! Names of files, members of archives, rows, keys and ids reach a terminal, or the log of a CI system, only as text: every
//! command is run with every output over names with everything that either would interpret.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::report::reports::run_with_input;
use replaylint::internals::report::OUTPUTS;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Characters that a terminal interprets: control characters of one byte and of two, changes of direction or order,
/// invisible characters, and line ends.
const INTERPRETED: &str = "\u{1b}[31m\u{7}\u{8}\r\n\t\u{7f}\u{85}\u{9b}\u{200b}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\
                      \u{2028}\u{2029}\u{feff}\u{61c}";

/// A command that GitHub Actions executes at the beginning of a line.
const RUN: &str = "::error file=x::y";

/// Names with interpreted characters, and with a command at the beginning, after a line feed, and where a line is wrapped.
fn names() -> [String; 4] {
    [
        format!("a{INTERPRETED}b"),
        format!("{RUN} {}", "word ".repeat(12)),
        format!("a\n{RUN}"),
        format!("{} {RUN}", "word ".repeat(16)),
    ]
}

/// A history with two errors, one of them repairable, and with a name as id, tool name, key, model and role.
fn broken_history(name: &str) -> String {
    let name = serde_json::to_string(name).expect("a string");
    format!(
        r#"{{"model":{name},"input":[{{"role":"user","content":"hi",{name}:1}},{{"type":"message","role":{name},"content":[]}},
        {{"type":"function_call","id":{name},"call_id":{name},"name":{name},"arguments":"{{}}"}},{{"type":{name},{name}:{{{name}:[]}}}},
        {{"type":"function_call_output","call_id":"call_none","output":"x"}}],{name}:2}}"#
    )
}

/// Events of a session with branches, with a name as ids.
fn tree(name: &str) -> String {
    let name = serde_json::to_string(name).expect("a string");
    let line = |uuid: &str, parent: &str, kind: &str, content: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":{uuid},"parentUuid":{parent},"sessionId":{name},"message":{{"role":"{kind}","content":{content}}}}}"#
        )
    };
    let call = format!(r#"[{{"type":"tool_use","id":{name},"name":{name},"input":{{{name}:1}}}}]"#);
    [line(&name, "null", "user", "\"hi\""), line("\"u2\"", &name, "assistant", &call)].join("\n") + "\n"
}

fn archive(path: &Path) {
    let mut zip = ZipWriter::new(fs::File::create(path).expect("created"));
    for name in names() {
        zip.start_file(format!("{name}.json"), SimpleFileOptions::default()).expect("a member");
        zip.write_all(broken_history("x").as_bytes()).expect("written");
    }
    zip.finish().expect("an archive");
}

#[cfg(feature = "sqlite")]
fn database(path: &Path) {
    let database = crate::support::databases::open(path);
    database.execute_batch(crate::support::databases::SDK_TABLES).expect("SQL");
    for name in names() {
        database
            .execute("INSERT INTO agent_sessions VALUES (?1, '2020-01-01', '2020-01-01')", [&name])
            .expect("a row");
        for item in [crate::support::databases::USER, crate::support::databases::OUTPUT] {
            let sql = "INSERT INTO agent_messages (session_id, message_data) VALUES (?1, ?2)";
            database.execute(sql, [name.as_str(), item]).expect("a row");
        }
    }
}

/// A folder of files, and the paths in it.
fn folder() -> (tempfile::TempDir, Vec<OsString>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut paths = Vec::new();
    let mut add = |name: String, text: &str| {
        fs::write(folder.path().join(&name), text).expect("written");
        paths.push(OsString::from(name));
    };
    for name in names() {
        add(format!("{name}.json"), &broken_history(&name));
        add(format!("{name}.jsonl"), &tree(&name));
        add(format!("{name}.none.json"), "{\"a\":");
        add(format!("{name}.stream.txt"), "no conversation");
    }
    let [first, command, ..] = names();
    for name in [&first, &command] {
        paths.push(format!("{name}.zip").into());
        archive(&folder.path().join(format!("{name}.zip")));
        #[cfg(feature = "sqlite")]
        {
            paths.push(format!("{name}.db").into());
            database(&folder.path().join(format!("{name}.db")));
        }
        paths.push(format!("{name}.missing").into());
    }
    // A config file with such characters in its path and texts, too.
    let below = folder.path().join(&first);
    fs::create_dir(&below).expect("a folder");
    let glob = toml_text(&first);
    fs::write(
        below.join("replaylint.toml"),
        format!("exclude = [{glob}]\n[[files]]\npaths = [{glob}]\nignore = [\"RL1\"]\n"),
    )
    .expect("written");
    fs::write(below.join("x.json"), broken_history("x")).expect("written");
    paths.push(OsString::from(format!("{first}/x.json")));
    (folder, paths)
}

/// A string of TOML, written as JSON, whose escapes are also those of TOML.
fn toml_text(text: &str) -> String {
    serde_json::to_string(text).expect("a string").replace('\u{7f}', "\\u007f")
}

/// The first line of an output that would be interpreted. `product`: standard output is the conversation itself, which is
/// not escaped.
fn find_interpreted(output: &Output, product: bool, of_github: bool) -> Option<String> {
    let streams = [(&output.stdout, "standard output"), (&output.stderr, "standard error")];
    streams.into_iter().skip(usize::from(product)).find_map(|(bytes, stream)| {
        let text = String::from_utf8(bytes.clone()).expect("UTF-8");
        let is_hidden = |c: &char| c.is_control() || !c.is_ascii() && INTERPRETED.contains(*c);
        let hidden = text.chars().find(|c| *c != '\n' && is_hidden(c));
        let own = |line: &str| {
            let begins = |own: &&str| line.starts_with(*own);
            of_github
                && !line.starts_with("::error file=x::")
                && ["::error file=", "::warning file=", "::notice "].iter().any(begins)
        };
        let command = text.lines().find(|line| line.trim_start().starts_with("::") && !own(line));
        let line = hidden.map(|c| text.lines().find(|line| line.contains(c)).unwrap_or_default());
        line.or(command).map(|line| format!("{stream}: {line:?}"))
    })
}

/// Every command, and true if it writes a conversation to standard output.
fn commands() -> Vec<(Vec<String>, bool)> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut all = Vec::new();
    for (form, _) in OUTPUTS {
        for flags in ["", " -v", " --show-content", " --select RL102,RL202"] {
            all.push((words(&format!("check --output-format {form}{flags}")), false));
        }
        if *form != "api-error" {
            all.push((
                words(&format!("fix --output-format {form} --fix-warnings --orphans stub --reasoning strip")),
                false,
            ));
            all.push((words(&format!("fix --output-format {form} -o - --show-content")), true));
            all.push((words(&format!("convert --to anthropic --output-format {form} -v")), true));
        }
    }
    for command in [
        "fix --patch",
        "fix -v --show-content",
        "fix --set-provider x",
        "convert --to codex-session --show-content",
        "convert --to gemini --deny-loss=file",
        "rebuild --show-content",
        "rebuild -v --at nothing",
    ] {
        all.push((words(command), true));
    }
    for form in ["text", "json", "dot", "mermaid", "html"] {
        all.push((words(&format!("tree --output-format {form} --show-content")), false));
    }
    for command in [
        "slim",
        "slim --output-format json",
        "slim --restore",
        "explain -f",
        "config",
        "config --output-format json",
    ] {
        all.push((words(command), false));
    }
    all
}

#[test]
fn no_terminal_and_no_ci_system_interprets_a_name() {
    let (folder, paths) = folder();
    let mut wrong = Vec::new();
    let mut ran = 0;
    let mut check = |args: Vec<OsString>, input: &str, product: bool| {
        let output = run_with_input(folder.path(), &args, input);
        ran += 1;
        let of_github = args.iter().any(|arg| arg.to_string_lossy().contains("github"));
        wrong.extend(find_interpreted(&output, product, of_github).map(|what| format!("{args:?}\n  {what}")));
        assert_ne!(output.status.code(), Some(101), "{args:?}");
    };
    for (command, product) in commands() {
        let args = |paths: &[OsString]| -> Vec<OsString> {
            command.iter().map(OsString::from).chain(["--".into()]).chain(paths.iter().cloned()).collect()
        };
        let message = format!("No tool output found for function call {}.", names()[0]);
        let takes_one = ["convert", "rebuild", "config", "slim", "explain"].contains(&command[0].as_str())
            || command.contains(&"-o".to_owned());
        if takes_one || command.contains(&"--patch".to_owned()) {
            paths.iter().for_each(|path| check(args(std::slice::from_ref(path)), &message, product));
        } else {
            check(args(&paths), &message, product);
            check(args(&[".".into()]), "", product);
        }
    }
    for two in paths.windows(2) {
        for form in ["text", "json", "html"] {
            let args = ["diff", "--show-content", "--output-format", form, "--"].map(OsString::from);
            check(args.into_iter().chain(two.iter().cloned()).collect(), "", false);
        }
    }
    // Names in messages of clap, of outputs, and of inputs on standard input.
    for name in names() {
        for args in [
            vec!["check", &format!("-{name}")],
            vec!["check", "--target", &name],
            vec!["check", "--select", &name],
            vec!["check", "--config", &name],
            vec!["check", "--baseline", &name, "."],
            vec!["check", "--files-from", &name],
            vec!["check", "--schema", &name, "."],
            vec!["check", "--stdin-filename", &format!("{name}.json"), "-"],
            vec!["check", "--exclude", &name, "."],
            vec!["check", "-o", &format!("no/{name}"), "."],
            vec!["fix", "-o", &format!("no/{name}"), "."],
            vec!["fix", "--dropped", &format!("{name}/x"), "-w", "."],
            vec!["fix", "-w", "."],
            vec!["fix", "-w", "--force", "."],
            vec!["convert", "--to", "anthropic", "-o", &format!("to-{name}/"), "."],
            vec!["convert", "--to", &name, "x"],
            vec!["baseline", "write", "."],
            vec!["baseline", "check", "."],
            vec!["baseline", "prune", "."],
            vec!["explain", &name],
            vec!["formats", &name],
            vec!["rules", "--target", &name],
            vec!["init", "--force"],
            vec![&name],
        ] {
            check(args.into_iter().map(OsString::from).collect(), &broken_history(&name), false);
        }
    }
    assert!(ran > 500, "{ran} runs");
    assert!(wrong.is_empty(), "{} of {ran} runs:\n{}", wrong.len(), wrong.join("\n"));
}

/// A file may be named like an option: where names are passed as arguments, `--` precedes them.
#[test]
fn a_file_called_like_an_option_is_a_path() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["-o.json", "--write.json"] {
        fs::write(folder.path().join(name), broken_history("x")).expect("written");
    }
    let hooks = include_str!("../../../.pre-commit-hooks.yaml");
    let fix = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: &fix ")).expect("an entry");
    let mut entries = 0;
    for hook in hooks.split("- id: ").skip(1) {
        let field = |name: &str| hook.lines().find_map(|line| line.trim().strip_prefix(name)).map(str::trim);
        let entry = field("entry:").expect("an entry");
        let entry = if entry.starts_with("*fix") { fix } else { entry.strip_prefix("&fix ").unwrap_or(entry) };
        let args = field("args:").expect("arguments").trim_matches(['[', ']']);
        let args = entry.split(' ').skip(1).chain(args.split(", ")).chain(["-o.json", "--write.json"]);
        let output = run_with_input(folder.path(), &args.map(OsString::from).collect::<Vec<_>>(), "");
        let output_text = [&*output.stdout, &*output.stderr].map(String::from_utf8_lossy).concat();
        assert_eq!(output.status.code(), Some(1), "{entry}: {output_text}");
        assert!(
            output_text.contains("-o.json:") && output_text.contains("--write.json:"),
            "{entry}: {output_text}"
        );
        entries += 1;
    }
    assert_eq!(entries, hooks.matches("entry:").count());
    // The action's own line, and the examples.
    for text in [
        include_str!("../../../action.yml"),
        include_str!("../../../docs/recipes.md"),
        include_str!("../../../docs/ci.md"),
    ] {
        for line in text.lines().filter(|line| line.contains("replaylint ")) {
            let hands_over =
                ["\"${paths[@]}\"", "\"$session\"", "xargs -0"].iter().any(|names| line.contains(names));
            assert!(!hands_over || line.contains(" --"), "{line}");
        }
    }
}

/// `-o -` is standard output in every command that has `-o`.
#[test]
fn a_hyphen_as_output_is_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("x.json"), broken_history("x")).expect("written");
    fs::write(folder.path().join("t.jsonl"), tree("x")).expect("written");
    for (args, product) in [
        ("check -o - --output-format json x.json", "{\n  \"version\""),
        ("check --output-format json=- x.json", "{\n  \"version\""),
        ("fix -o - --fix-warnings x.json", "{\"model\""),
        ("fix -o - --rewind-to u2 t.jsonl", "{\"type\""),
        ("convert --to chat -o - x.json", "{\"model\""),
        ("rebuild -o - t.jsonl", "{"),
        ("slim -o - t.jsonl", "{\"type\""),
    ] {
        let output = run_with_input(folder.path(), &args.split(' ').map(OsString::from).collect::<Vec<_>>(), "");
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(stdout.starts_with(product), "{args}: {stdout}\n{stderr}");
        assert!(!folder.path().join("-").exists(), "{args}");
    }
    let output = run_with_input(folder.path(), &["fix", "-o", "-", "."].map(OsString::from), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("several inputs"));
}

/// Special files are skipped in a folder, and read or refused if they are named, without waiting forever.
#[cfg(unix)]
#[test]
fn devices_pipes_and_sockets_are_never_waited_for() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.json"), broken_history("x")).expect("written");
    symlink("/dev/zero", path("zero.json")).expect("a link");
    symlink("/dev/null", path("null.json")).expect("a link");
    let _socket = UnixListener::bind(path("socket.json")).expect("a socket");
    assert!(Command::new("mkfifo").arg(path("pipe.json")).status().expect("mkfifo runs").success());
    symlink(path("pipe.json"), path("link.json")).expect("a link");
    let run_check = |args: &[&str], input: &str| {
        let output = run_with_input(folder.path(), &args.iter().map(OsString::from).collect::<Vec<_>>(), input);
        (output.status.code(), [&*output.stdout, &*output.stderr].map(String::from_utf8_lossy).concat())
    };
    for command in ["check", "fix", "tree", "slim"] {
        let (_, text) = run_check(&[command, "."], "");
        assert!(text.contains("a.json") || command == "tree" || command == "slim", "{command}: {text}");
        assert!(!text.contains("zero.json"), "{command}: {text}");
    }
    let (_, text) = run_check(&["check", "-v", "."], "");
    assert!(text.contains("(1 file, 5 files ignored)"), "{text}");
    for (name, what) in
        [("zero", "a device"), ("socket", "a socket"), ("pipe", "a named pipe"), ("link", "a named pipe")]
    {
        assert!(text.contains(&format!("{name}.json: ignored: {what}")), "{name}: {text}");
    }
    for (name, what) in
        [("zero", "is a device"), ("null", "is a device"), ("socket", "is a socket"), ("pipe", "is a named pipe")]
    {
        let (code, text) = run_check(&["check", &format!("{name}.json")], "");
        assert_eq!(code, Some(2), "{name}: {text}");
        assert!(text.contains(&format!("{name}.json: {what}")), "{name}: {text}");
    }
    // A pipe that the caller has opened is read.
    let (code, text) = run_check(&["check", "/dev/stdin"], &broken_history("x"));
    assert_eq!(code, Some(1), "{text}");
    let shell = |script: &str| {
        let program = env!("CARGO_BIN_EXE_replaylint");
        let output =
            Command::new("bash").args(["-c", script, "bash", program]).current_dir(folder.path()).output();
        let output = output.expect("bash runs");
        [&*output.stdout, &*output.stderr].map(String::from_utf8_lossy).concat()
    };
    for script in [
        "\"$1\" check <(cat a.json)",
        "\"$1\" check /dev/fd/3 3< a.json",
        "cat a.json | \"$1\" check /dev/fd/0",
        "(sleep 0.1; cat a.json > pipe.json) & \"$1\" check pipe.json",
    ] {
        let text = shell(script);
        assert!(text.contains("Found"), "{script}: {text}");
    }
}

/// A dumb terminal gets no escape sequences, and no line that is overwritten.
#[cfg(target_os = "linux")]
#[test]
fn a_dumb_terminal_gets_text_only() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("x.json"), broken_history("x")).expect("written");
    let typescript = |term: &str, command: &str| {
        let program = env!("CARGO_BIN_EXE_replaylint");
        let output = Command::new("script")
            .args(["-qec", &format!("{program} {command}"), "/dev/null"])
            .current_dir(folder.path())
            .env("TERM", term)
            .env_remove("NO_COLOR")
            .env_remove("FORCE_COLOR")
            .env_remove("CI")
            .stdin(Stdio::null())
            .output();
        output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Some(coloured) = typescript("xterm", "check x.json") else {
        println!("no program `script`: dumb terminals were not tried");
        return;
    };
    assert!(coloured.contains('\u{1b}'), "{coloured:?}");
    for command in [
        "check x.json",
        "fix x.json",
        "check --help",
        "rules",
        "explain RL101",
        "diff x.json x.json",
        "tree x.json",
        "nothing",
    ] {
        let text = typescript("dumb", command).expect("it runs");
        assert!(!text.contains('\u{1b}') && !text.replace("\r\n", "\n").contains('\r'), "{command}: {text:?}");
    }
}
