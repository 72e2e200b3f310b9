//! Options by name, as JSON: the one table from which programs in other languages set them.

use serde_json::{Map, Value};

use crate::options::unknown_name;
use crate::repair::{Orphans, Reasoning};

use super::error::Error;
use super::options::Options;

/// An option and its value.
struct Given<'v> {
    name: &'static str,
    value: &'v Value,
}

type Set = fn(Options, &Given<'_>) -> Result<Options, Error>;

/// Every option, and what its value sets. The names are those of the flags of the command line, with underscores.
#[rustfmt::skip]
static NAMED: [(&str, Set); 23] = [
    ("target", |options, given| options.target(given.text()?)),
    ("format", |options, given| options.format(given.text()?)),
    ("dialect", |options, given| options.list_of(given.text()?.parse()?)),
    ("store", |options, given| Ok(options.store(given.flag()?))),
    ("model", |options, given| Ok(options.model(given.text()?))),
    ("effort", |options, given| Ok(options.effort(given.text()?))),
    ("as", |options, given| Ok(match given.one_of(&USAGES)? {
        true => options.as_request(),
        false => options.as_log(),
    })),
    ("pointer", |options, given| options.pointer(given.text()?)),
    ("select", |options, given| options.select(given.texts()?)),
    ("ignore", |options, given| options.ignore(given.texts()?)),
    ("name", |options, given| Ok(options.name(given.text()?))),
    ("for_model", |options, given| Ok(options.for_model(given.text()?))),
    ("account_changed", |options, given| Ok(options.account_changed(given.flag()?))),
    ("orphans", |options, given| Ok(options.orphans(given.one_of(&Orphans::NAMES)?))),
    ("reasoning", |options, given| Ok(options.reasoning(given.one_of(&Reasoning::NAMES)?))),
    ("lossless", |options, given| Ok(options.lossless(given.flag()?))),
    ("fix_warnings", |options, given| Ok(options.fix_warnings(given.flag()?))),
    ("images", |options, given| options.images(given.text()?)),
    ("max_images", |options, given| options.max_images(given.number()?)),
    ("max_image_bytes", |options, given| options.max_image_bytes(given.number()?)),
    ("max_image_pixels", |options, given| options.max_image_pixels(given.number()?)),
    ("max_tokens", |options, given| Ok(options.shortened_to(given.number()?))),
    ("keep", |options, given| options.keep(given.text()?)),
];

static USAGES: [(&str, bool); 2] = [("request", true), ("log", false)];

impl Options {
    /// The options that the members of an object ask for, each by its name.
    ///
    /// ```
    /// use replaylint::{Options, fix};
    /// use serde_json::json;
    ///
    /// # fn main() -> Result<(), replaylint::Error> {
    /// let given = json!({"dialect": "chat", "orphans": "drop"});
    /// let options = Options::from_json(given.as_object().unwrap())?;
    /// let list = br#"[{"role": "tool", "tool_call_id": "call_1", "content": "22"}, {"role": "user", "content": "Hello"}]"#;
    /// assert_eq!(&*fix(list, &options)?.text, br#"[{"role": "user", "content": "Hello"}]"#);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`set`](Options::set).
    pub fn from_json(given: &Map<String, Value>) -> Result<Self, Error> {
        given.iter().try_fold(Options::new(), |options, (name, value)| options.set(name, value))
    }

    /// Sets the option with this name (`target`, `fix_warnings`, …), for bindings to other languages. `null` is as if it were
    /// not given; `select` and `ignore` take one text or a list of texts.
    ///
    /// # Errors
    ///
    /// If there is no such option, or if it does not take this value.
    pub fn set(self, name: &str, value: &Value) -> Result<Self, Error> {
        let Some((name, set)) = NAMED.iter().find(|(known, _)| *known == name) else {
            return Err(unknown_name("option", name, NAMED.map(|(name, _)| name).to_vec()).into());
        };
        match value {
            Value::Null => Ok(self),
            value => set(self, &Given { name, value }),
        }
    }
}

impl<'v> Given<'v> {
    fn wrong(&self, expected: &str) -> Error {
        Error::new(format!("option '{}': expected {expected}", self.name))
    }

    fn text(&self) -> Result<&'v str, Error> {
        self.value.as_str().ok_or_else(|| self.wrong("a string"))
    }

    fn flag(&self) -> Result<bool, Error> {
        self.value.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    fn number<N: TryFrom<u64>>(&self) -> Result<N, Error> {
        let number = self.value.as_u64().and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| self.wrong("a whole number that is not negative"))
    }

    /// One text, or a list of them.
    fn texts(&self) -> Result<Vec<&'v str>, Error> {
        let several = self.value.as_array().map_or_else(|| std::slice::from_ref(self.value), Vec::as_slice);
        several
            .iter()
            .map(Value::as_str)
            .collect::<Option<_>>()
            .ok_or_else(|| self.wrong("a string or a list of strings"))
    }

    fn one_of<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, Error> {
        let given = self.text()?;
        choices.iter().find(|(name, _)| *name == given).map(|(_, choice)| *choice).ok_or_else(|| {
            let what = format!("value of '{}':", self.name);
            unknown_name(&what, given, choices.iter().map(|(name, _)| *name).collect()).into()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(given: &Value) -> String {
        let error = Options::from_json(given.as_object().unwrap()).expect_err("an error");
        format!("{error} ({})", error.help().unwrap_or_default())
    }

    /// Each option refuses a value of another type, names itself, and takes one of its own.
    #[test]
    fn every_option_takes_its_values_and_no_others() {
        let good = json!({
            "target": "openai", "format": "responses-request", "dialect": "responses", "store": false, "model": "gpt-5.1",
            "effort": "high", "as": "log", "pointer": "/body", "select": ["RL1"], "ignore": "RL102", "name": "a",
            "for_model": "anthropic:claude-sonnet-4-5", "account_changed": true, "orphans": "stub", "reasoning": "strip",
            "lossless": true, "fix_warnings": true, "images": "drop", "max_images": 3, "max_image_bytes": 5_000_000,
            "max_image_pixels": 8000, "max_tokens": 12_000, "keep": "prompts,last=3",
        });
        let good = good.as_object().unwrap();
        assert!(Options::from_json(good).is_ok());
        for (name, _) in &NAMED {
            assert!(good.contains_key(*name), "{name}");
            assert!(Options::new().set(name, &Value::Null).is_ok(), "{name}");
            let error = Options::new().set(name, &json!({})).expect_err(name).to_string();
            assert!(error.starts_with(&format!("option '{name}': expected ")), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_right() {
        assert_eq!(
            message(&json!({"orphans": "dorp"})),
            "unknown value of 'orphans': 'dorp' (did you mean 'drop'? known: auto, drop, stub, text)"
        );
        assert!(
            message(&json!({"tagret": "openai"})).starts_with("unknown option 'tagret' (did you mean 'target'? ")
        );
        assert!(
            message(&json!({"target": "antropic"}))
                .starts_with("unknown target 'antropic' (did you mean 'anthropic'?")
        );
        assert_eq!(
            message(&json!({"max_images": -1})),
            "option 'max_images': expected a whole number that is not negative ()"
        );
    }
}
