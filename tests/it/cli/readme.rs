//! Tables in the documentation that tests write: settings of conversions, stored formats. `UPDATE_README=1` updates them.

use std::path::Path;
use std::sync::Mutex;

use replaylint::internals::formats::agents::resume::AGENTS;
use replaylint::internals::message::settings_map::SETTING_ROWS;
use replaylint::internals::rules::RULES;
use replaylint::internals::target::Severity;

/// Asserts that a section of a page, between its marks, equals a table, or updates it.
pub fn check_section(page: &str, part: &str, table: &str) {
    // Tests of several parts may write at once.
    static PAGES: Mutex<()> = Mutex::new(());
    let _alone = PAGES.lock();
    let (start, end) = (format!("<!-- {part}: written by a test -->\n"), format!("<!-- end of {part} -->"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let start = text.find(&start).expect("a start") + start.len();
    let end = text.find(&end).expect("an end");
    if std::env::var_os("UPDATE_README").is_some() {
        let text = format!("{}{table}{}", &text[..start], &text[end..]);
        std::fs::write(path, text).expect("written");
        return;
    }
    assert_eq!(&text[start..end], table, "{page}: UPDATE_README=1 cargo test writes it anew");
}

#[test]
fn the_table_of_settings_is_up_to_date() {
    let dialects = ["chat", "responses", "anthropic", "gemini", "bedrock"];
    let mut table = String::from("| Chat | Responses | Anthropic | Gemini | Bedrock |\n|---|---|---|---|---|\n");
    for form in &SETTING_ROWS {
        // Settings of only one dialect are not in the table.
        if form.paths.len() < 2 {
            continue;
        }
        let cell = |dialect: &&str| form.path(dialect).map_or(String::new(), |path| format!("`{path}`"));
        table += &format!("| {} |\n", dialects.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    check_section("docs/convert.md", "settings", &table);
}

#[test]
fn every_rule_has_a_page() {
    for rule in RULES {
        for heading in ["## What it does", "## Why it matters", "## Fix"] {
            assert!(rule.page.contains(heading), "{} has no {heading}", rule.code);
        }
        for variant in rule.variants {
            // The page quotes what the provider says.
            if let Some(api) = variant.api {
                let words: String = api.split(['{', '⟨']).next().expect("a start").chars().take(30).collect();
                assert!(rule.page.contains(words.trim()), "{}: the page does not quote '{words}'", rule.code);
            }
            assert!(!variant.message.is_empty());
        }
    }
}

#[test]
fn the_table_of_agents_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all =
        crate::report::reports::json(&crate::report::reports::run(here, &["agents", "--output-format", "json"]));
    let mut table = String::from(
        "| agent | defect: what it does | versions | reported as | known from |\n|---|---|---|---|---|\n",
    );
    for agent in AGENTS {
        for (n, act) in agent.acts.iter().enumerate() {
            let name = if n == 0 { agent.name } else { "" };
            let severity = act.effect.severity().map_or("note", Severity::name);
            table +=
                &format!("| {name} | {} | {} | {severity} | {} |\n", act.sentence(), act.versions(), act.source);
        }
    }
    // The command prints the same rows.
    let printed = all["agents"]
        .as_array()
        .expect("agents")
        .iter()
        .map(|agent| agent["acts"].as_array().expect("acts").len());
    assert_eq!(printed.sum::<usize>(), AGENTS.iter().map(|agent| agent.acts.len()).sum::<usize>());
    check_section("docs/agents.md", "acts", &table);
}

#[test]
fn the_table_of_formats_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all =
        crate::report::reports::json(&crate::report::reports::run(here, &["formats", "--output-format", "json"]));
    let mut table = String::from(
        "| `--format` | what it is | recognised by | default target | repaired in place | `convert --to` |\n\
         |---|---|---|---|---|---|\n",
    );
    let formats = all["formats"].as_array().expect("formats");
    let readme = std::fs::read_to_string(here.join("README.md")).expect("a page");
    assert!(readme.contains(&format!("**{} formats**", formats.len())), "{} formats", formats.len());
    for format in formats {
        let cell = |key: &str| format[key].as_str().unwrap_or_default().replace('|', "\\|").replace('<', "&lt;");
        let carried = match cell("carried") {
            name if name.is_empty() => name,
            name => format!("`{name}`"),
        };
        table += &format!(
            "| `{}` | {} | {} | `{}` | {} | {carried} |\n",
            cell("name"),
            cell("title"),
            cell("known_by"),
            cell("target"),
            cell("fixed")
        );
    }
    check_section("docs/formats.md", "formats", &table);
}
