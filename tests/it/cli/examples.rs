//! The command line as data: each case has the commands and all of their output.

/// Cases that set their own home.
const AT_HOME: &str = "testdata/cli/doctor.trycmd";

#[test]
fn command_line_cases() {
    let cases = trycmd::TestCases::new();
    // Agents have no configuration there.
    cases.env("TERM", "xterm").env("COLUMNS", "100").env("HOME", "/home/user").env("NO_COLOR", "1");
    cases.case("testdata/cli/*.trycmd").case("testdata/cli/*.toml").skip(AT_HOME);
}

#[test]
fn command_line_cases_at_home() {
    let cases = trycmd::TestCases::new();
    cases.env("TERM", "xterm").env("COLUMNS", "100").env("NO_COLOR", "1").case(AT_HOME);
}

#[test]
fn completions_and_man_pages_cover_every_command() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for args in [&["completions", "bash"][..], &["completions", "zsh"], &["completions", "fish"], &["man"]] {
        let output = crate::report::reports::run(here, args);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{args:?}");
        for command in
            ["check", "fix", "doctor", "evidence", "serve", "lsp", "explain", "rules", "formats", "targets"]
        {
            assert!(text.contains(command), "{args:?} does not contain {command}");
        }
    }
}

/// Shells complete the names of the tables for each argument that takes them.
#[test]
fn shells_complete_names() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for shell in ["bash", "zsh", "fish"] {
        let output = crate::report::reports::run(here, &["completions", shell]);
        let script = String::from_utf8(output.stdout).expect("UTF-8");
        for name in ["openai-stateless", "responses-request", "api-error", "RL101"] {
            assert!(script.contains(name), "{shell} does not complete {name}");
        }
    }
    // Arguments accept more than the completed names: prefixes of rules, and files for reports.
    let output = crate::report::reports::run(
        here,
        &["check", "--select", "RL1,orphan-output", "testdata/readme/edited.json"],
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn tables_are_complete_and_fit_on_a_terminal() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let rules = replaylint::internals::rules::RULES.iter().map(|rule| rule.name);
    let formats = replaylint::internals::formats::FORMATS.iter().map(|format| format.info().name);
    let targets = replaylint::internals::targets::TARGETS.iter().map(|target| target.name);
    let tables =
        [("rules", rules.collect::<Vec<_>>()), ("formats", formats.collect()), ("targets", targets.collect())];
    for (command, names) in tables {
        for form in ["text", "json"] {
            let output = crate::report::reports::run(here, &[command, "--output-format", form]);
            let text = String::from_utf8(output.stdout).expect("UTF-8");
            assert!(output.status.success() && names.iter().all(|name| text.contains(name)), "{text}");
            let wide = text.lines().find(|line| form == "text" && line.chars().count() > 80);
            assert_eq!(wide, None, "{command}");
        }
    }
    // Every page can be read on a terminal; examples are not wrapped.
    for rule in replaylint::internals::rules::RULES {
        let output = crate::report::reports::run(here, &["explain", &rule.code.to_string().to_lowercase()]);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(
            text.starts_with(&format!("{} {}\n", rule.code, rule.name))
                && text.contains("\nMessages and severity\n")
        );
        let is_prose = |line: &&str| line.starts_with("  ") && !line.starts_with("    ") && line.contains(' ');
        let long = text.lines().filter(is_prose).find(|line| line.chars().count() > 80 && !line.contains("http"));
        assert_eq!(long, None, "{}", rule.code);
        assert!(!text.contains('\u{1b}'));
    }
}

/// `-h` fits on a screen or two, with the most needed options first.
#[test]
fn short_help_is_short() {
    for command in [
        "check", "fix", "doctor", "convert", "diff", "tree", "rebuild", "slim", "explain", "rules", "formats",
        "targets",
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_replaylint"))
            .args([command, "-h"])
            .env("COLUMNS", "80")
            .output()
            .expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(text.lines().count() <= 60, "{command}: {} lines", text.lines().count());
        assert_eq!(text.lines().find(|line| line.chars().count() > 80), None, "{command}");
        let examples = text.lines().filter(|line| line.starts_with("  ") && line.contains("replaylint "));
        let examples = examples.filter(|line| line.contains(&format!("replaylint {command}"))).count();
        assert!(examples >= 2, "{command}: {examples} examples");
    }
}
