//! The command line as data: each case is what is typed and all that is printed; the README's examples are such cases.

#[test]
fn command_line_cases() {
    trycmd::TestCases::new()
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .case("testdata/cli/*.trycmd")
        .case("README.md")
        .case("docs/ci.md");
}

#[test]
fn shells_and_man_know_every_command() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for args in [&["completions", "bash"][..], &["completions", "zsh"], &["completions", "fish"], &["man"]] {
        let output = crate::reports::run(here, args);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{args:?}");
        for command in ["check", "fix", "explain", "rules", "formats", "targets"] {
            assert!(text.contains(command), "{args:?} does not know {command}");
        }
    }
}
