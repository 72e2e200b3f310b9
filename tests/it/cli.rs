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
