//! Options of the library, with the names of those of the command line.

use crate::history::{ReasoningEffort, Usage};
use crate::repair::{FixOptions, Orphans, Reasoning};
use crate::{judge, options};

use super::dialect::Dialect;
use super::error::Error;

/// Options for reading, judging and repairing documents. The defaults are those of the command line.
///
/// ```
/// use replaylint::Options;
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let options = Options::new().target("openai")?.store(false).model("gpt-5.1");
/// let error = Options::new().target("antropic").unwrap_err();
/// assert_eq!(error.to_string(), "unknown target 'antropic'");
/// assert!(error.help().unwrap().starts_with("did you mean 'anthropic'?"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(super) judge: judge::Options,
    pub(super) fix: FixOptions,
    pub(super) name: String,
    pub(super) list: Option<Dialect>,
    images: options::ImageRequest,
    max_tokens: Option<u64>,
    kept: Vec<options::KeptContent>,
    select: Vec<String>,
    ignore: Vec<String>,
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("target", &self.judge.target.map(|target| target.name))
            .field("format", &self.judge.read.format.map(|format| format.info().name))
            .field("store", &self.judge.store)
            .field("model", &self.judge.model)
            .field("fix", &self.fix)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Options::default()
    }

    /// What commands take, for callers of the internal modules.
    #[doc(hidden)]
    pub fn parts(&self) -> (&judge::Options, &FixOptions) {
        (&self.judge, &self.fix)
    }

    /// The API that the conversation is replayed to (`replaylint targets` lists the names). The default depends on the
    /// format.
    ///
    /// # Errors
    ///
    /// If there is no such target.
    pub fn target(mut self, name: &str) -> Result<Self, Error> {
        self.judge.target = Some(options::target(name)?);
        Ok(self)
    }

    /// The format of the document (`replaylint formats` lists the names). The default is the detected one.
    ///
    /// # Errors
    ///
    /// If there is no such format.
    pub fn format(mut self, name: &str) -> Result<Self, Error> {
        self.judge.read.format = Some(options::format(name)?);
        Ok(self)
    }

    /// The document is a list of items or messages of this dialect, without the request around it. It is read as the
    /// request that would send the list; places and pointers lead into the list.
    ///
    /// A list without a given dialect may be detected by its items as well. It is not changed by repairs, because it might
    /// then no longer be detected.
    ///
    /// ```
    /// use replaylint::{Dialect, Options, fix};
    ///
    /// # fn main() -> Result<(), replaylint::Error> {
    /// let list = br#"[{"role": "user", "content": "Hello"}, {"role": "tool", "tool_call_id": "call_1", "content": "22"}]"#;
    /// let fixed = fix(list, &Options::new().list_of(Dialect::Chat)?)?;
    /// assert_eq!(&*fixed.text, br#"[{"role": "user", "content": "Hello"}]"#);
    /// assert_eq!(fixed.changes[0].pointer, "/1");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`format`](Options::format).
    pub fn list_of(self, dialect: Dialect) -> Result<Self, Error> {
        Ok(Options { list: Some(dialect), ..self.format(&dialect.request_format())? })
    }

    /// Sets whether the server stores the items of the history.
    pub fn store(mut self, store: bool) -> Self {
        self.judge.store = Some(store);
        self
    }

    /// The model, where the document does not name one.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.judge.model = Some(name.into());
        self
    }

    /// The reasoning effort, where the document does not name one.
    pub fn effort(mut self, level: &str) -> Self {
        self.judge.read.effort = Some(ReasoningEffort::of(level.as_bytes()));
        self
    }

    /// Judges histories as requests to be sent: a call without a result at the end is an error.
    pub fn as_request(mut self) -> Self {
        self.judge.read.usage = Some(Usage::Request);
        self
    }

    /// Judges histories as logs: a call without a result at the end may still run.
    pub fn as_log(mut self) -> Self {
        self.judge.read.usage = Some(Usage::Log);
        self
    }

    /// JSON Pointer from each record to the conversation.
    ///
    /// # Errors
    ///
    /// If it is not a JSON Pointer.
    pub fn pointer(mut self, pointer: &str) -> Result<Self, Error> {
        self.judge.read.pointer = options::parse_pointer(pointer)?;
        Ok(self)
    }

    /// Enables only these rules, by code (`RL102`), prefix (`RL1`) or name (`orphan-output`).
    ///
    /// # Errors
    ///
    /// If one of them is unknown.
    pub fn select<'s>(mut self, rules: impl IntoIterator<Item = &'s str>) -> Result<Self, Error> {
        self.select = rules.into_iter().map(str::to_owned).collect();
        self.fix.selected = options::selected_codes(&self.select);
        self.with_rules()
    }

    /// Disables these rules, by code, prefix or name.
    ///
    /// # Errors
    ///
    /// If one of them is unknown.
    pub fn ignore<'s>(mut self, rules: impl IntoIterator<Item = &'s str>) -> Result<Self, Error> {
        self.ignore = rules.into_iter().map(str::to_owned).collect();
        self.with_rules()
    }

    fn with_rules(mut self) -> Result<Self, Error> {
        let layer = options::RuleLayer { select: &self.select, extend: &[], ignore: &self.ignore };
        self.judge.enabled = options::enabled_rules(&[layer], &[])?;
        Ok(self)
    }

    /// The name of the document in reports.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets how `fix` repairs calls without results.
    pub fn orphans(mut self, orphans: Orphans) -> Self {
        self.fix.orphans = orphans;
        self
    }

    /// Sets how `fix` treats reasoning.
    pub fn reasoning(mut self, reasoning: Reasoning) -> Self {
        self.fix.reasoning = reasoning;
        self
    }

    /// Sets what `fix` does with images: `drop` replaces them with a text, `keep-last=N` all but the last N, and `shrink` makes
    /// those above a limit smaller (with the feature `images`): a given one, or one of the target.
    ///
    /// ```
    /// use replaylint::{Options, fix};
    ///
    /// # fn main() -> Result<(), replaylint::Error> {
    /// let request = br#"{"model": "gpt-5", "input": [{"role": "user", "content": [
    ///     {"type": "input_image", "image_url": "https://example.com/a.png"}]}]}"#;
    /// let fixed = fix(request, &Options::new().images("drop")?)?;
    /// assert_eq!(fixed.changes[0].what, "replace the image with text");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If it is none of these, or if images cannot be made smaller without the feature.
    pub fn images(mut self, how: &str) -> Result<Self, Error> {
        let error = |help: String| Error::new(format!("unknown treatment '{how}' of images")).with_help(help);
        let treatment = options::parse_images(how).map_err(error)?;
        if treatment == options::ImageTreatment::Report {
            return Err(Error::new(
                "images are listed by the command only: `replaylint fix --images report FILE`",
            ));
        }
        self.images.treatment = Some(treatment);
        self.with_images()
    }

    /// Replaces all images but the last of a conversation with a text.
    ///
    /// # Errors
    ///
    /// As [`images`](Options::images).
    pub fn max_images(mut self, count: u32) -> Result<Self, Error> {
        self.images.max_count = Some(count);
        self.with_images()
    }

    /// Replaces images of more bytes, in base64, with a text, or makes them smaller.
    ///
    /// # Errors
    ///
    /// As [`images`](Options::images).
    pub fn max_image_bytes(mut self, bytes: u64) -> Result<Self, Error> {
        self.images.max_bytes = Some(bytes);
        self.with_images()
    }

    /// Replaces images of which a side has more pixels with a text, or makes them smaller.
    ///
    /// # Errors
    ///
    /// As [`images`](Options::images).
    pub fn max_image_pixels(mut self, pixels: u32) -> Result<Self, Error> {
        self.images.max_pixels = Some(pixels);
        self.with_images()
    }

    fn with_images(mut self) -> Result<Self, Error> {
        self.fix.images = self.images.options()?;
        Ok(self)
    }

    /// Shortens conversations to about so many tokens (estimated), from their oldest end: long results lose their middle,
    /// then whole steps go. `keep` says what stays besides the instructions: `prompts`, `last=3` or both
    /// (`prompts,last=3`).
    ///
    /// ```
    /// use replaylint::{Options, fix};
    ///
    /// # fn main() -> Result<(), replaylint::Error> {
    /// let request = br#"{"model": "gpt-5", "input": [
    ///     {"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hello."},
    ///     {"role": "user", "content": "And now?"}]}"#;
    /// let fixed = fix(request, &Options::new().max_tokens(12, "prompts")?)?;
    /// assert!(fixed.changes.iter().any(|change| change.what == "say what was omitted"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If `keep` names anything else.
    pub fn max_tokens(self, tokens: u64, keep: &str) -> Result<Self, Error> {
        self.shortened_to(tokens).keep(keep)
    }

    pub(super) fn shortened_to(mut self, tokens: u64) -> Self {
        self.max_tokens = Some(tokens);
        self.with_length()
    }

    pub(super) fn keep(mut self, keep: &str) -> Result<Self, Error> {
        let kept: Result<Vec<_>, String> = keep.split(',').map(options::parse_kept).collect();
        self.kept =
            kept.map_err(|help| Error::new(format!("unknown content '{keep}' to keep")).with_help(help))?;
        Ok(self.with_length())
    }

    fn with_length(mut self) -> Self {
        self.fix.length = options::length_options(self.max_tokens, &self.kept);
        self
    }

    /// The model that a conversation goes on with, whatever model made it: `MODEL`, `TARGET:MODEL` or `TARGET`.
    pub fn for_model(mut self, model: &str) -> Self {
        self.judge.next = Some(options::next_model(model));
        self
    }

    /// A conversation goes on in another account than it was made in: what only that account can use is reported, and
    /// removed by `fix`: encrypted reasoning, compactions, item ids.
    pub fn account_changed(mut self, changed: bool) -> Self {
        self.judge.account_changed = changed;
        self
    }

    /// Applies only lossless fixes.
    pub fn lossless(mut self, lossless: bool) -> Self {
        self.fix.lossless = lossless;
        self
    }

    /// Also fixes warnings that are not fixed by default.
    pub fn fix_warnings(mut self, warnings: bool) -> Self {
        self.fix.warnings = warnings;
        self
    }
}
