//! `evidence`: its document conforms to its schema, and contains nothing of the recordings.

use std::path::Path;

use serde_json::Value;

use crate::report::reports::run;

#[test]
fn the_json_document_conforms_to_its_schema_and_quotes_nothing() {
    let schema = serde_json::from_str(include_str!("../../../schemas/evidence.v1.json")).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for format in ["json", "text"] {
        let output =
            run(here, &["evidence", "--output-format", format, "testdata/evidence", "--exclude", "broken"]);
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        for private in ["Rome", "weather", "call_", "toolu_", "acme", "secret", "moon", "https", "testdata"] {
            assert!(!text.contains(private), "{private}: {text}");
        }
        if format == "json" {
            let document: Value = serde_json::from_str(&text).expect("JSON");
            let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{errors:?}: {document:#}");
        }
    }
}

#[test]
fn large_files_and_aliases_are_not_read() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut bomb = String::from("interactions:\n- a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for n in 1..20 {
        let list = vec![format!("*a{}", n - 1); 9].join(", ");
        bomb.push_str(&format!("  a{n}: &a{n} [{list}]\n"));
    }
    std::fs::write(dir.path().join("bomb.yaml"), bomb).expect("written");
    let large = format!("interactions: []\n#{}\n", " ".repeat(64 << 20));
    std::fs::write(dir.path().join("large.yaml"), large).expect("written");
    let output = run(dir.path(), &["evidence", "."]);
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("bomb.yaml: its aliases expand to more than 64 MiB"), "{text}");
    assert!(text.contains("large.yaml: larger than 64 MiB; it was not read"), "{text}");
}
