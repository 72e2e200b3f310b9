//! Options as JavaScript gives them.

use replaylint::{Dialect, Options, Orphans, Reasoning};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Answer, plain, told};

pub(crate) static DIALECTS: [Dialect; 5] =
    [Dialect::Responses, Dialect::Chat, Dialect::Anthropic, Dialect::Gemini, Dialect::Bedrock];

/// The options of a call. Unknown members are errors: a misspelt one would do nothing.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Given {
    target: Option<String>,
    format: Option<String>,
    dialect: Option<String>,
    store: Option<bool>,
    model: Option<String>,
    effort: Option<String>,
    #[serde(rename = "as")]
    usage: Option<String>,
    pointer: Option<String>,
    select: Vec<String>,
    ignore: Vec<String>,
    name: String,
    orphans: Option<String>,
    reasoning: Option<String>,
    lossless: bool,
    fix_warnings: bool,
    images: Option<String>,
    max_images: Option<u32>,
    max_image_bytes: Option<u64>,
    max_image_pixels: Option<u32>,
    max_tokens: Option<u64>,
    keep: Option<String>,
    for_model: Option<String>,
    account_changed: bool,
}

impl Given {
    pub fn parse(json: &str) -> Answer<Given> {
        serde_json::from_str(json).map_err(|error| failure(&format!("invalid options: {error}"), None))
    }

    /// The items of a document that is a list of them.
    pub fn items(&self, document: &[u8], list: bool) -> Answer<Option<(Vec<Value>, Dialect)>> {
        match &self.dialect {
            Some(name) if list => {
                let items = serde_json::from_slice(document).map_err(|error| plain(&error))?;
                Ok(Some((items, dialect(name)?)))
            }
            _ => Ok(None),
        }
    }

    pub fn options(&self) -> Answer<Options> {
        let mut options = Options::new().name(&self.name).lossless(self.lossless).fix_warnings(self.fix_warnings);
        if let Some(target) = &self.target {
            options = options.target(target).map_err(told)?;
        }
        if let Some(format) = &self.format {
            options = options.format(format).map_err(told)?;
        }
        if let Some(store) = self.store {
            options = options.store(store);
        }
        if let Some(model) = &self.model {
            options = options.model(model);
        }
        if let Some(effort) = &self.effort {
            options = options.effort(effort);
        }
        if let Some(pointer) = &self.pointer {
            options = options.pointer(pointer).map_err(told)?;
        }
        if !self.select.is_empty() {
            options = options.select(self.select.iter().map(String::as_str)).map_err(told)?;
        }
        if !self.ignore.is_empty() {
            options = options.ignore(self.ignore.iter().map(String::as_str)).map_err(told)?;
        }
        options = options.account_changed(self.account_changed);
        if let Some(model) = &self.for_model {
            options = options.for_model(model);
        }
        if let Some(tokens) = self.max_tokens {
            options = options.max_tokens(tokens, self.keep.as_deref().unwrap_or("prompts")).map_err(told)?;
        }
        if let Some(images) = &self.images {
            options = options.images(images).map_err(told)?;
        }
        if let Some(count) = self.max_images {
            options = options.max_images(count).map_err(told)?;
        }
        if let Some(bytes) = self.max_image_bytes {
            options = options.max_image_bytes(bytes).map_err(told)?;
        }
        if let Some(pixels) = self.max_image_pixels {
            options = options.max_image_pixels(pixels).map_err(told)?;
        }
        options = match self.usage.as_deref() {
            None => options,
            Some("request") => options.as_request(),
            Some("log") => options.as_log(),
            Some(other) => return Err(unknown("as", other, &["request", "log"])),
        };
        options = match self.orphans.as_deref() {
            None => options,
            Some("drop") => options.orphans(Orphans::Drop),
            Some("stub") => options.orphans(Orphans::Stub),
            Some("text") => options.orphans(Orphans::Text),
            Some(other) => return Err(unknown("orphans", other, &["drop", "stub", "text"])),
        };
        let reasoning = match self.reasoning.as_deref() {
            None => return Ok(options),
            Some("auto") => Reasoning::Auto,
            Some("reference") => Reasoning::Reference,
            Some("inline") => Reasoning::Inline,
            Some("keep") => Reasoning::Keep,
            Some("strip") => Reasoning::Strip,
            Some(other) => {
                return Err(unknown("reasoning", other, &["auto", "reference", "inline", "keep", "strip"]));
            }
        };
        Ok(options.reasoning(reasoning))
    }
}

pub(crate) fn dialect(name: &str) -> Answer<Dialect> {
    let names = DIALECTS.map(Dialect::name);
    DIALECTS.into_iter().find(|known| known.name() == name).ok_or_else(|| unknown("dialect", name, &names))
}

fn unknown(option: &str, value: &str, known: &[&str]) -> String {
    failure(&format!("unknown value '{value}' of {option}"), Some(&format!("it is one of: {}", known.join(", "))))
}

fn failure(message: &str, help: Option<&str>) -> String {
    json!({ "message": message, "help": help }).to_string()
}
