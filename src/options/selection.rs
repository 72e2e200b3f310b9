//! Selection of rules by code, prefix or name, in layers of which the last takes precedence.

use crate::history::Code;
use crate::judge::EnabledRules;
use crate::rule::Rule;
use crate::rules::RULES;

use super::spelling::suggest;
use super::usage_error::UsageError;

/// The selection of one place: the top of a config file, an entry of `[[files]]`, or the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleLayer<'o> {
    /// Only these rules, unless empty.
    pub select: &'o [String],
    /// Additional rules.
    pub extend: &'o [String],
    /// Disabled rules.
    pub ignore: &'o [String],
}

/// The rules that are enabled after all layers, lowest precedence first.
pub fn enabled_rules(layers: &[RuleLayer<'_>], proven: &[String]) -> Result<EnabledRules, UsageError> {
    let all = layers.iter().flat_map(|layer| [layer.select, layer.extend, layer.ignore]).flatten();
    all.chain(proven).try_for_each(|selector| check_selector(selector))?;
    let any = |list: &[String], rule: &Rule| list.iter().any(|selector| matches(selector, rule));
    let is_enabled = |rule: &Rule| {
        layers.iter().fold(true, |enabled, layer| {
            let selected = if layer.select.is_empty() { enabled } else { any(layer.select, rule) };
            (selected || any(layer.extend, rule)) && !any(layer.ignore, rule)
        })
    };
    Ok(EnabledRules::new(is_enabled).with_proven(selected_codes(proven)))
}

/// Checks that a rule has this code, prefix or name.
pub fn check_selector(selector: &str) -> Result<(), UsageError> {
    if RULES.iter().any(|rule| matches(selector, rule)) {
        return Ok(());
    }
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let hint = suggest(selector, &names).map(|name| format!("did you mean '{name}'? ")).unwrap_or_default();
    Err(UsageError::new(format!("unknown rule '{selector}'"))
        .help(format!("{hint}rules are selected by code (RL102), prefix (RL1) or name (orphan-output)")))
}

/// True if a selector matches a rule: a code as `RL102`, a prefix as `RL1`, or a name.
pub fn matches(selector: &str, rule: &Rule) -> bool {
    let code = rule.code.to_string();
    let prefix = selector.len() > 2 && code.to_ascii_lowercase().starts_with(&selector.to_ascii_lowercase());
    selector.eq_ignore_ascii_case("all") || prefix || selector == rule.name
}

/// The codes of the rules that selectors match.
pub fn selected_codes(select: &[String]) -> Vec<Code> {
    let wanted = |rule: &&&'static Rule| select.iter().any(|selector| matches(selector, rule));
    RULES.iter().filter(wanted).map(|rule| rule.code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(layers: &[[&[&str]; 3]]) -> Option<EnabledRules> {
        let own = |list: &&[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let own: Vec<_> = layers.iter().map(|layer| layer.each_ref().map(own)).collect();
        let layers: Vec<_> =
            own.iter().map(|[select, extend, ignore]| RuleLayer { select, extend, ignore }).collect();
        enabled_rules(&layers, &[]).ok()
    }

    #[test]
    fn rules_are_selected_by_code_prefix_and_name() {
        let some = of(&[[&["RL1", "duplicate-id"], &[], &["rl103"]]]).expect("rules");
        assert!(some.has(Code(101)) && some.has(Code(301)) && !some.has(Code(103)) && !some.has(Code(201)));
        assert!(of(&[[&["RL999"], &[], &[]]]).is_none());
    }

    #[test]
    fn a_later_layer_wins() {
        let config: [&[&str]; 3] = [&["RL1"], &[], &["RL103"]];
        let has = |layer: [&[&str]; 3], code| of(&[config, layer]).expect("rules").has(Code(code));
        assert!(has([&[], &["RL301"], &[]], 301) && has([&[], &["RL301"], &[]], 101));
        assert!(has([&[], &["RL103"], &[]], 103), "ignored in a lower layer, and selected again");
        assert!(!has([&["RL3"], &[], &[]], 101) && !has([&[], &["RL3"], &["RL301"]], 301));
    }
}
