//! Rules that are asked for: by code, prefix or name, in layers of which the last wins.

use crate::history::Code;
use crate::judge::Enabled;
use crate::rule::Rule;
use crate::rules::RULES;

use super::misuse::Misuse;
use super::spelling::meant;

/// What one place says about rules: the top of a config file, a part of it for some files, the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layer<'o> {
    /// Only these, if any are named.
    pub select: &'o [String],
    /// These, too.
    pub extend: &'o [String],
    /// But not these.
    pub ignore: &'o [String],
}

/// The rules that are left after all layers, lowest first.
pub fn enabled(layers: &[Layer<'_>], proven: &[String]) -> Result<Enabled, Misuse> {
    let all = layers.iter().flat_map(|layer| [layer.select, layer.extend, layer.ignore]).flatten();
    all.chain(proven).try_for_each(|selector| known(selector))?;
    let any = |list: &[String], rule: &Rule| list.iter().any(|selector| matches(selector, rule));
    let wanted = |rule: &Rule| {
        layers.iter().fold(true, |wanted, layer| {
            let wanted = if layer.select.is_empty() { wanted } else { any(layer.select, rule) };
            (wanted || any(layer.extend, rule)) && !any(layer.ignore, rule)
        })
    };
    Ok(Enabled::new(wanted).proving(selected(proven)))
}

/// Whether any rule has this code, prefix or name.
pub fn known(selector: &str) -> Result<(), Misuse> {
    if RULES.iter().any(|rule| matches(selector, rule)) {
        return Ok(());
    }
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let hint = meant(selector, &names).map(|name| format!("did you mean '{name}'? ")).unwrap_or_default();
    Err(Misuse::new(format!("unknown rule '{selector}'"))
        .help(format!("{hint}rules are selected by code (RL102), prefix (RL1) or name (orphan-output)")))
}

/// `RL102`, a prefix such as `RL1`, or a name.
pub fn matches(selector: &str, rule: &Rule) -> bool {
    let code = rule.code.to_string();
    let prefix = selector.len() > 2 && code.to_ascii_lowercase().starts_with(&selector.to_ascii_lowercase());
    selector.eq_ignore_ascii_case("all") || prefix || selector == rule.name
}

/// The rules that were asked for by name.
pub fn selected(select: &[String]) -> Vec<Code> {
    let wanted = |rule: &&&'static Rule| select.iter().any(|selector| matches(selector, rule));
    RULES.iter().filter(wanted).map(|rule| rule.code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(layers: &[[&[&str]; 3]]) -> Option<Enabled> {
        let own = |list: &&[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let own: Vec<_> = layers.iter().map(|layer| layer.each_ref().map(own)).collect();
        let layers: Vec<_> = own.iter().map(|[select, extend, ignore]| Layer { select, extend, ignore }).collect();
        enabled(&layers, &[]).ok()
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
        assert!(has([&[], &["RL103"], &[]], 103), "ignored below, and asked for again");
        assert!(!has([&["RL3"], &[], &[]], 101) && !has([&[], &["RL3"], &["RL301"]], 301));
    }
}
