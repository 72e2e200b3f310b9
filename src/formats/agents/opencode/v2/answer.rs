//! An answer of opencode 2: texts, reasoning, and tools with their results. Tools that the provider ran are not sent.

use crate::formats::threads::parts;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Part, ResultPart, Text};

pub(super) struct OpencodeV2Answer<'v> {
    pub data: Val<'v>,
    pub base: RecordBase<'v>,
    /// True if ids, encrypted content and signatures are kept: the request is for the model that answered.
    pub keeps_provider_data: bool,
}

impl<'v> OpencodeV2Answer<'v> {
    fn content(&self) -> impl Iterator<Item = Val<'v>> {
        self.data.get(name::content).into_iter().flat_map(|content| content.elements())
    }

    pub fn parts(&self) -> Vec<Part> {
        parts::collect(self.content().filter_map(|item| match item.get(name::r#type)?.text()?.as_ref() {
            b"text" => self.text(item),
            b"reasoning" if self.keeps_provider_data => self.thought(item),
            // Another model gets it as a text.
            b"reasoning" => self.text(item),
            b"tool" if !is_executed(item) => self.call(item),
            _ => None,
        }))
    }

    /// The results of its tools. A tool that is streaming or running has none.
    pub fn results(&self) -> Vec<Part> {
        let tools = self.content().filter(|item| is(*item, "tool") && !is_executed(*item));
        tools.filter_map(|tool| self.result(tool)).collect()
    }

    fn text(&self, item: Val<'_>) -> Option<Part> {
        Some(Part::text(parts::text(item.get(name::text), self.base)?, self.base.of(item).into()))
    }

    /// A member of the provider's metadata: newer versions store it in `state`, older ones under the provider's name.
    fn provider_member(&self, item: Val<'_>, state: &str, key: &str) -> Option<Text> {
        let paths: [&[&str]; 5] = [
            &[state, key],
            &["providerMetadata", key],
            &["providerMetadata", "openai", key],
            &["providerMetadata", "azure", key],
            &["providerMetadata", "anthropic", key],
        ];
        Text::copied(paths.iter().find_map(|path| item.at(path)).filter(|_| self.keeps_provider_data)?, self.base)
    }

    fn thought(&self, item: Val<'_>) -> Option<Part> {
        let at = self.base.of(item);
        let own = |key: &str| self.provider_member(item, "state", key);
        let text = Text::copied(item.get(name::text)?, self.base)?;
        if let Some(data) = own("redactedData") {
            return Some(parts::redacted(Some(data), at));
        }
        let id = own("itemId").filter(|id| !id.is_empty());
        Some(parts::sealed_reasoning(Some(text), own("signature"), id, own("reasoningEncryptedContent"), at))
    }

    fn call(&self, item: Val<'_>) -> Option<Part> {
        let at = self.base.of(item);
        // While a call is streaming, its input is a text.
        let begins = |input: Val<'_>| input.text().is_some_and(|text| text.starts_with(b"{"));
        let input = item.at(&["state", "input"]).filter(|input| input.is_object() || begins(*input));
        let name = Text::of_json(item.get(name::name)?, self.base);
        let id = parts::text(item.get(name::id), self.base)?;
        let call = parts::call(id, name, parts::input(input, self.base, at), at);
        Some(Part {
            id: self.provider_member(item, "providerState", "itemId").filter(|id| !id.is_empty()),
            ..call
        })
    }

    fn result(&self, item: Val<'_>) -> Option<Part> {
        let (at, state) = (self.base.of(item), item.get(name::state)?);
        let failed = match state.get(name::status)?.text()?.as_ref() {
            b"completed" => false,
            b"error" => true,
            _ => return None,
        };
        let as_text = |val: Val<'_>| Text::of_json(val, self.base);
        let error = state.get(name::error).filter(|_| failed);
        let error = error.map(|error| as_text(error.get(name::message).unwrap_or(error)));
        let blocks = || state.get(name::content).into_iter().flat_map(|content| content.elements());
        let texts = blocks().filter_map(|block| Text::copied(block.get(name::text)?, self.base));
        let texts: Vec<Text> = error.into_iter().chain(texts).collect();
        let files = blocks().filter_map(|block| self.file(block));
        let text = match texts.is_empty() {
            false => Some(Text::join(&texts, "\\n").reported_at(at)),
            true => state.get("structured").or_else(|| state.get(name::output)).map(as_text),
        };
        let output = text.map(ResultPart::Text).into_iter().chain(files).collect();
        Some(parts::result(parts::text(item.get(name::id), self.base)?, output, failed, at))
    }

    /// A file in a tool's output; `None` unless it is a data URL.
    fn file(&self, block: Val<'_>) -> Option<ResultPart> {
        let copied = |key: &str| Text::copied(block.get(key)?, self.base);
        let is_data_url = block.get("uri").and_then(|uri| uri.text()).is_some_and(|uri| uri.starts_with(b"data:"));
        let file = parts::media(copied("uri").filter(|_| is_data_url)?, copied("mime"), copied("name"));
        Some(ResultPart::media(file, self.base.of(block).into()))
    }
}

fn is(item: Val<'_>, kind: &str) -> bool {
    item.get(name::r#type).is_some_and(|own| own.is(kind))
}

/// True if the provider ran the tool.
fn is_executed(item: Val<'_>) -> bool {
    item.get("executed").and_then(|executed| executed.as_bool()) == Some(true)
}
