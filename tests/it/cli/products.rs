//! Output files: none overwrites an input, another output, or an existing file without a request.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Output;

use crate::report::reports::run;
use crate::source::writing::{BROKEN, LOG, WHOLE, backdate, folder_with, names, read};

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that a run fails for a reason and writes nothing.
fn assert_refused(folder: &Path, args: &[&str], why: &str) {
    let files = |folder: &Path| -> Vec<(String, Vec<u8>)> {
        let content = |name: String| {
            let text = fs::read(folder.join(&name)).unwrap_or_default();
            (name, text)
        };
        names(folder).into_iter().map(content).collect()
    };
    let before = files(folder);
    let output = run(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", stderr(&output));
    assert!(stderr(&output).contains(why), "{args:?}: {}", stderr(&output));
    assert!(before == files(folder), "{args:?} wrote something: {:?}", names(folder));
}

#[test]
fn no_output_overwrites_an_input() {
    let folder = folder_with("h.json", BROKEN);
    let path = |name: &str| folder.path().join(name);
    fs::hard_link(path("h.json"), path("same.json")).expect("linked");
    fs::create_dir(path("d")).expect("made");
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", path("d/up")).expect("linked");
    let mut spellings = vec!["h.json", "./d/../h.json", "same.json"];
    spellings.extend(cfg!(unix).then_some("d/up/h.json"));
    for to in spellings {
        let json = format!("json={to}");
        for args in [
            &["fix", "h.json", "--force", "-o", to][..],
            &["fix", "-w", "h.json", "--dropped", to],
            &["fix", "-w", "h.json", "--output-format", &json],
            &["check", "h.json", "-o", to],
            &["check", "h.json", "--output-format", &json],
            &["convert", "h.json", "--to", "chat", "--force", "-o", to],
            &["slim", "h.json", "--force", "-o", to],
            &["rebuild", "h.json", "--force", "-o", to],
        ] {
            assert_refused(folder.path(), args, "is an input");
        }
    }
    // Files found in a walk are inputs, too; so is a list of inputs.
    fs::remove_file(path("same.json")).expect("removed");
    fs::write(path("list.txt"), "h.json\n").expect("written");
    assert_refused(folder.path(), &["fix", "-w", ".", "--dropped", "h.json"], "h.json: is an input");
    assert_refused(folder.path(), &["check", ".", "-o", "h.json"], "h.json: is an input");
    assert_refused(
        folder.path(),
        &["check", "--files-from", "list.txt", "-o", "list.txt"],
        "list.txt: is an input",
    );
}

#[test]
fn no_two_outputs_share_a_file() {
    let folder = folder_with("h.json", BROKEN);
    for args in [
        &["fix", "h.json", "-o", "x", "--dropped", "./x"][..],
        &["fix", "h.json", "-o", "x", "--output-format", "json=x"],
        &["fix", "-w", "h.json", "--dropped", "x", "--output-format", "json=./x"],
        &["check", "h.json", "--output-format", "json=x,sarif=./x"],
        &["convert", "h.json", "--to", "chat", "-o", "x", "--output-format", "json=./x"],
    ] {
        assert_refused(folder.path(), args, "would both be written to");
    }
    // Devices can be written repeatedly.
    #[cfg(unix)]
    {
        let args = ["fix", "h.json", "-o", "/dev/null", "--dropped", "/dev/null"];
        assert_eq!(run(folder.path(), &args).status.code(), Some(0));
    }
}

#[test]
fn no_two_inputs_share_a_copy() {
    let folder = folder_with("x.json", BROKEN);
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("a/b")).expect("made");
    fs::write(path("a/x.json"), BROKEN).expect("written");
    fs::write(path("a/b/x.json"), BROKEN).expect("written");
    fs::write(path("one"), "x").expect("written");
    let below = path("a/b");
    assert_refused(&below, &["fix", "-o", "out", "x.json", "../x.json"], "would both be written to out/x.json");
    let args = ["convert", "--to", "chat", "-o", "out", "x.json", "../x.json"];
    assert_refused(&below, &args, "the copy of x.json and the copy of ../x.json");
    assert_refused(folder.path(), &["fix", "-o", "one", "x.json", "a"], "one: not a folder");
    // A path that resolves to the folder of the inputs.
    assert_refused(folder.path(), &["fix", "--force", "-o", ".", "x.json"], "is an input");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("..", path("a/up")).expect("linked");
        assert_refused(folder.path(), &["fix", "--force", "-o", "a/up", "x.json"], "is an input");
    }
    let args = ["fix", "-o", "out", "x.json", "a/x.json"];
    assert_refused(
        folder.path(),
        &args,
        "the copy of x.json and the copy of a/x.json would both be written to out/x.json",
    );
}

/// Folders that the user did not name are not in the output folder.
#[test]
fn a_copy_is_written_below_the_folder_as_the_input_is_below_its_argument() {
    let folder = folder_with("x.json", WHOLE);
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("logs/a/b")).expect("made");
    fs::rename(path("x.json"), path("logs/x.json")).expect("moved");
    fs::write(path("logs/a/b/y.json"), WHOLE).expect("written");
    let absolute = |name: &str| path(name).to_string_lossy().into_owned();
    let (logs, y) = (absolute("logs"), absolute("logs/a/b/y.json"));
    for (to, inputs, copies) in [
        ("o1/", &[&*y][..], &["o1/y.json"][..]),
        ("o2", &[&*logs], &["o2/x.json", "o2/a/b/y.json"]),
        ("o3", &["logs"], &["o3/x.json", "o3/a/b/y.json"]),
        ("o4", &["logs/a/../a"], &["o4/b/y.json"]),
        ("o5", &["logs/x.json", &y], &["o5/x.json", "o5/y.json"]),
        ("o6", &["./logs/a", "logs/x.json"], &["o6/b/y.json", "o6/x.json"]),
    ] {
        for command in [&["fix"][..], &["convert", "--to", "responses"]] {
            let to = format!("{}-{to}", command[0]);
            let output = run(folder.path(), &[command, &["-o", &to], inputs].concat());
            assert_ne!(output.status.code(), Some(2), "{to}: {}", stderr(&output));
            for copy in copies {
                assert!(path(&format!("{}-{copy}", command[0])).is_file(), "{to}: {copy}: {}", stderr(&output));
            }
        }
    }
}

/// The sessions of an agent often have one name in many folders.
#[test]
fn a_listed_file_is_written_to_its_path_as_listed() {
    let folder = folder_with("x.json", WHOLE);
    let path = |name: &str| folder.path().join(name);
    for name in ["logs/a/x.json", "logs/b/x.json"] {
        fs::create_dir_all(path(name).parent().expect("a folder")).expect("made");
        fs::write(path(name), WHOLE).expect("written");
    }
    fs::write(path("list"), "logs/a/x.json\n./logs/b/x.json\nx.json\n").expect("written");
    for command in [&["fix"][..], &["convert", "--to", "responses"]] {
        let output = run(folder.path(), &[command, &["--files-from", "list", "-o", "out/"]].concat());
        assert_ne!(output.status.code(), Some(2), "{}", stderr(&output));
        for copy in ["out/logs/a/x.json", "out/logs/b/x.json", "out/x.json"] {
            assert!(path(copy).is_file(), "{copy}: {}", stderr(&output));
        }
        fs::remove_dir_all(path("out")).expect("removed");
    }
}

#[test]
fn missing_folders_of_a_product_are_made() {
    let folder = folder_with("h.json", WHOLE);
    for (n, command) in [
        &["fix", "h.json"][..],
        &["convert", "--to", "chat", "h.json"],
        &["convert", "--to", "codex-session", "h.json"],
        &["slim", "h.json"],
        &["rebuild", "h.json"],
    ]
    .iter()
    .enumerate()
    {
        let to = format!("new{n}/below/copy.json");
        let output = run(folder.path(), &[command, &["-o", &to][..]].concat());
        assert!(folder.path().join(&to).is_file(), "{command:?}: {}", stderr(&output));
    }
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let folder = folder_with("h.json", BROKEN);
    let path = |name: &str| folder.path().join(name);
    fs::write(path("copy.json"), "mine").expect("written");
    for args in [
        &["fix", "h.json", "-o", "copy.json"][..],
        &["convert", "h.json", "--to", "chat", "-o", "copy.json"],
        &["slim", "h.json", "-o", "copy.json"],
        &["rebuild", "h.json", "-o", "copy.json"],
    ] {
        assert_refused(folder.path(), args, "copy.json: already exists; use --force to replace it");
    }
    // If one of the files exists, none is written.
    fs::create_dir(path("out")).expect("made");
    fs::write(path("g.json"), BROKEN).expect("written");
    fs::write(path("out/h.json"), "mine").expect("written");
    assert_refused(folder.path(), &["fix", "-o", "out", "g.json", "h.json"], "out/h.json: already exists");
    assert_eq!(names(&path("out")), ["h.json"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let mode = |name: &str| fs::metadata(path(name)).expect("there").permissions().mode() & 0o777;
        fs::set_permissions(path("copy.json"), fs::Permissions::from_mode(0o640)).expect("set");
        symlink("copy.json", path("link.json")).expect("linked");
        symlink("new.json", path("dangling.json")).expect("linked");
        for (to, real, expected) in [("link.json", "copy.json", 0o640), ("dangling.json", "new.json", 0o600)] {
            let output = run(folder.path(), &["fix", "--force", "h.json", "-o", to]);
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            assert!(path(to).is_symlink());
            assert_eq!((read(folder.path(), real).as_str(), mode(real)), (WHOLE, expected));
        }
    }
}

#[test]
fn a_report_replaces_an_older_report_but_no_conversation() {
    let folder = folder_with("h.json", BROKEN);
    let path = |name: &str| folder.path().join(name);
    // A report in the folder of the inputs is not read.
    for _ in 0..2 {
        let output = run(folder.path(), &["check", ".", "--output-format", "json=report.json"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let report: serde_json::Value = serde_json::from_str(&read(folder.path(), "report.json")).expect("JSON");
        assert_eq!((&report["summary"]["files"], &report["summary"]["skipped"]), (&1.into(), &0.into()));
    }
    fs::write(path("other.json"), WHOLE).expect("written");
    assert_refused(folder.path(), &["check", "h.json", "-o", "other.json"], "other.json: contains a conversation");
}

#[test]
fn dropped_items_are_saved_before_the_file_changes() {
    let folder = folder_with("h.json", BROKEN);
    let path = |name: &str| folder.path().join(name);
    // Nothing is dropped: nothing is written.
    fs::write(path("whole.json"), WHOLE).expect("written");
    backdate(&path("whole.json"));
    assert_eq!(run(folder.path(), &["fix", "-w", "--dropped", "d.jsonl", "whole.json"]).status.code(), Some(0));
    assert!(!path("d.jsonl").exists());
    // The list cannot be written: the file is unchanged.
    assert_refused(folder.path(), &["fix", "-w", "--dropped", "none/d.jsonl", "h.json"], "cannot be saved");
    // The file cannot be written: the list is unchanged.
    fs::write(path("fresh.json"), LOG).expect("written");
    assert_refused(folder.path(), &["fix", "-w", "--dropped", "d.jsonl", "fresh.json"], "in the last 10 seconds");
    // Nothing is appended to a file that is not a list.
    fs::write(path("notes.txt"), "Dear diary\n").expect("written");
    assert_refused(
        folder.path(),
        &["fix", "-w", "--dropped", "notes.txt", "h.json"],
        "not a list of dropped items",
    );
    let lines = |n: usize| {
        let text = read(folder.path(), "d.jsonl");
        let entries: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(entries.len(), n, "{text}");
        entries
    };
    assert_eq!(run(folder.path(), &["fix", "-w", "--dropped", "d.jsonl", "h.json"]).status.code(), Some(0));
    lines(1);
    let output =
        run(folder.path(), &["fix", "-o", "copy.json", "--dropped", "d.jsonl", "h.json.bak", "--lossless"]);
    assert!(lines(1).len() == 1 && output.status.code() == Some(1), "{}", stderr(&output));
    let output = run(folder.path(), &["fix", "--force", "-o", "copy.json", "--dropped", "d.jsonl", "fresh.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let entries = lines(2);
    assert_eq!((&entries[0]["file"], &entries[1]["file"]), (&"h.json".into(), &"fresh.json".into()));
    assert_refused(folder.path(), &["fix", "-w", "--dropped", "d.jsonl", "fresh.json"], "in the last 10 seconds");
    lines(2);
    // An unfinished line of a killed run is kept, and the next entry begins on a new line.
    fs::OpenOptions::new()
        .append(true)
        .open(path("d.jsonl"))
        .expect("open")
        .write_all(b"{\"file\":")
        .expect("written");
    let output = run(folder.path(), &["fix", "-w", "--force", "--dropped", "d.jsonl", "fresh.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = read(folder.path(), "d.jsonl");
    assert!(serde_json::from_str::<serde_json::Value>(text.lines().last().expect("a line")).is_ok(), "{text}");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(path("d.jsonl")).expect("there"));
        assert_eq!(mode & 0o777, 0o600, "it contains content");
    }
}

#[test]
fn a_truncated_line_is_saved_as_text() {
    let log = "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"user\",\"content\":\"b\"}\n{\"role\":\"us";
    let folder = folder_with("h.jsonl", log);
    let output = run(folder.path(), &["fix", "-w", "--fix-warnings", "--dropped", "d.jsonl", "h.jsonl"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let entry: serde_json::Value = serde_json::from_str(&read(folder.path(), "d.jsonl")).expect("JSON");
    assert_eq!(
        (&entry["rule"], &entry["text"], &entry["item"]),
        (&"RL003".into(), &"{\"role\":\"us".into(), &serde_json::Value::Null)
    );
}

/// A request with enough items that half of the compressed file is more than its header.
fn request() -> String {
    let item = |n: u64| {
        let noise: String =
            (0..40).map(|k| format!("{:x}", (n * 40 + k).wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
        serde_json::json!({"role": "user", "content": noise})
    };
    let mut items =
        vec![serde_json::json!({"type": "function_call_output", "call_id": "call_1", "output": "lost"})];
    items.extend((0..2000).map(item));
    serde_json::json!({"model": "gpt-5", "input": items}).to_string()
}

#[test]
fn a_truncated_archive_is_checked_up_to_its_end() {
    let request = request();
    let request_json: serde_json::Value = serde_json::from_str(&request).expect("JSON");
    let lines: String =
        request_json["input"].as_array().expect("a list").iter().map(|item| format!("{item}\n")).collect();
    for (name, text) in [("h.json", &request), ("h.jsonl", &lines)] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).expect("packed");
        let gzip = gzip.finish().expect("packed");
        let zstd = zstd::encode_all(text.as_bytes(), 1).expect("packed");
        for (ending, packed) in [("gz", gzip), ("zst", zstd)] {
            let folder = tempfile::tempdir().expect("a folder");
            let name = format!("{name}.{ending}");
            fs::write(folder.path().join(&name), &packed[..packed.len() / 2]).expect("written");
            let report = |args: &[&str]| -> serde_json::Value {
                let output = run(folder.path(), &[&["check", "--output-format", "json"], args].concat());
                assert_eq!(output.status.code(), Some(1), "{name} {}", stderr(&output));
                serde_json::from_slice(&output.stdout).expect("JSON")
            };
            // By name, and in a walk.
            for args in [&[name.as_str()][..], &["."]] {
                let report = report(args);
                let found: Vec<_> = report["diagnostics"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .map(|d| (d["rule"].as_str().unwrap_or_default(), d["severity"].as_str().unwrap_or_default()))
                    .collect();
                assert_eq!(found, [("RL102", "error"), ("RL003", "warning")], "{name}");
                assert!(report["summary"]["items"].as_u64() > Some(100), "{name}: {}", report["summary"]);
            }
            // The call of the output may be in the lost part, so nothing is repaired.
            let output = run(folder.path(), &["fix", "-w", &name]);
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
            assert_eq!(names(folder.path()), [name.as_str()]);
            let output = run(folder.path(), &["convert", "--to", "chat", &name]);
            assert!(stderr(&output).contains("is truncated"), "{}", stderr(&output));
            assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        }
    }
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf8_are_read() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().expect("a folder");
    let name = std::ffi::OsStr::from_bytes(b"h\xff\xfe.json");
    let other = std::ffi::OsStr::from_bytes(b"h\xfe\xff.json");
    fs::create_dir(folder.path().join("logs")).expect("made");
    for name in [name, other] {
        let path = folder.path().join("logs").join(name);
        if fs::write(&path, BROKEN).is_err() {
            // A file system that requires UTF-8.
            return;
        }
        backdate(&path);
    }
    for (n, (form, _)) in replaylint::internals::report::OUTPUTS.iter().enumerate() {
        let output = run(folder.path(), &["check", "--output-format", form, "logs"]);
        assert_eq!(output.status.code(), Some(1), "{form}: {}", stderr(&output));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        if ["json", "sarif", "gitlab"].contains(form) {
            serde_json::from_str::<serde_json::Value>(&text).expect("JSON");
        }
        assert!(n == replaylint::internals::report::OUTPUTS.len() - 1 || text.contains("RL102"), "{form}: {text}");
    }
    let mut list = b"logs/".to_vec();
    list.extend_from_slice(name.as_bytes());
    fs::write(folder.path().join("list"), &list).expect("written");
    let output = run(folder.path(), &["check", "--files-from", "list"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    // Copies have the names of their sources, which look alike when they are printed.
    let output = run(folder.path(), &["fix", "-o", "out", "logs"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = run(folder.path(), &["fix", "-w", "logs"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for name in [name, other] {
        for folder in ["out", "logs"].map(|below| folder.path().join(below)) {
            assert_eq!(fs::read_to_string(folder.join(name)).expect("written"), WHOLE);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_folder_may_contain_more_files_than_can_be_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let session =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/tree/linked/exchanges.jsonl"));
    let session = session.expect("testdata");
    for n in 0..120 {
        let own = session.replace("resp_", &format!("resp_{n}_"));
        fs::write(path(&format!("{n:03}.jsonl")), own).expect("written");
    }
    for command in [&["tree", "--output-format", "json"][..], &["check"], &["fix"]] {
        let script = "ulimit -n 40; exec \"$0\" \"$@\"";
        let args = [&["-c", script, env!("CARGO_BIN_EXE_replaylint")], command, &["."]].concat();
        let output = std::process::Command::new("sh").args(args).current_dir(folder.path()).output();
        let output = output.expect("sh runs");
        assert!(!stderr(&output).contains("open files"), "{command:?}: {}", stderr(&output));
        assert_ne!(output.status.code(), Some(2), "{command:?}: {}", stderr(&output));
        if command[0] == "tree" {
            let tree: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert!(tree.to_string().contains("resp_119_e"), "{tree}");
        }
    }
}
