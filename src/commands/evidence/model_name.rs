//! The names of models that are printed: those that are not private.

/// What is printed for a model without a name, or with one that may be private.
const OTHER: &str = "other";

/// Characters of a name that is printed, at most.
const MOST: usize = 64;

/// Starts of names that contain those of an account, an organisation or a project: fine-tuned models of OpenAI, resources
/// of AWS and of Google, models and deployments of Fireworks.
const PRIVATE: [&str; 5] = ["ft:", "arn:", "projects/", "accounts/", "tunedModels/"];

/// The name of a model as it is printed.
pub(super) fn printable(name: Option<&str>) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-:/@".contains(c);
    let is_printed = |name: &&str| {
        (1..=MOST).contains(&name.len())
            && name.chars().all(is_plain)
            && !PRIVATE.iter().any(|start| name.starts_with(start))
    };
    name.filter(is_printed).unwrap_or(OTHER).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_names_are_not_printed() {
        for name in
            ["gpt-5", "us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-opus-4-1@20250805", "z-ai/glm-5"]
        {
            assert_eq!(printable(Some(name)), name);
        }
        let long = "a".repeat(65);
        for name in ["", "my model", "ft:gpt-4o:acme::x1", "arn:aws:bedrock:us-east-1:123:p/x", "näme", &long] {
            assert_eq!(printable(Some(name)), "other", "{name}");
        }
        assert_eq!(printable(None), "other");
    }
}
