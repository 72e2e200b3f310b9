//! An answer of opencode 2: texts, thoughts, and tools with what they gave. What a provider runs itself is not retold.

use crate::formats::spoken::{Call, Id, Says, Thought};
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

pub(super) struct Answer<'v> {
    pub data: Val<'v>,
    pub base: Base<'v>,
    /// Ids, blobs and signatures go along: the model is the one that answered.
    pub keeps: bool,
}

impl<'v> Answer<'v> {
    fn content(&self) -> impl Iterator<Item = Val<'v>> {
        self.data.get(name::content).into_iter().flat_map(|content| content.elements())
    }

    pub fn says(&self) -> Vec<Says> {
        let says = |item: Val<'_>| match item.get(name::r#type)?.text()?.as_ref() {
            b"text" => self.text(item),
            b"reasoning" if self.keeps => self.thought(item),
            // Another model reads it as a text.
            b"reasoning" => self.text(item),
            b"tool" if !is_executed(item) => self.call(item),
            _ => None,
        };
        self.content().filter_map(says).collect()
    }

    /// A tool that is still streaming or running has no result.
    pub fn results(&self) -> Vec<Says> {
        let tools = self.content().filter(|item| is(*item, "tool") && !is_executed(*item));
        tools.filter_map(|tool| self.result(tool)).collect()
    }

    fn text(&self, item: Val<'_>) -> Option<Says> {
        let text = item.get(name::text).filter(|text| text.as_str().is_some_and(|text| !text.is_empty()))?;
        Some(Says::Text { text: Pieced::of(text, self.base), id: None, at: self.base.of(item) })
    }

    /// What the provider keeps for itself: of newer versions the state, of older ones below the provider's name.
    fn own<'i>(&self, item: Val<'i>, state: &str, key: &str) -> Option<Val<'i>> {
        let paths: [&[&str]; 5] = [
            &[state, key],
            &["providerMetadata", key],
            &["providerMetadata", "openai", key],
            &["providerMetadata", "azure", key],
            &["providerMetadata", "anthropic", key],
        ];
        paths.iter().find_map(|path| item.at(path)).filter(|val| self.keeps && val.is_string())
    }

    fn thought(&self, item: Val<'_>) -> Option<Says> {
        let own = |key: &str| self.own(item, "state", key).map(|val| Pieced::of(val, self.base));
        Some(Says::Thought(Thought {
            text: Pieced::of(item.get(name::text).filter(|text| text.is_string())?, self.base),
            signature: own("signature"),
            redacted: own("redactedData"),
            id: Id::of(self.own(item, "state", "itemId"), self.base),
            blob: own("reasoningEncryptedContent"),
            at: self.base.of(item),
        }))
    }

    fn call(&self, item: Val<'_>) -> Option<Says> {
        let at = self.base.of(item);
        // Of a call that is streaming the input is a text so far.
        let input = match item.at(&["state", "input"]) {
            Some(input) if input.is_object() => Pieced::of(input, self.base),
            Some(input) if input.text().is_some_and(|text| text.starts_with(b"{")) => {
                Pieced::unspelled(input, self.base)
            }
            _ => Pieced::fixed("{}", at),
        };
        Some(Says::Call(Call {
            id: Id::of(item.get(name::id), self.base)?,
            name: Pieced::of(item.get(name::name)?, self.base),
            input,
            item: Id::of(self.own(item, "providerState", "itemId"), self.base),
            at,
        }))
    }

    fn result(&self, item: Val<'_>) -> Option<Says> {
        let (at, state) = (self.base.of(item), item.get(name::state)?);
        let failed = match state.get(name::status)?.text()?.as_ref() {
            b"completed" => false,
            b"error" => true,
            _ => return None,
        };
        let texts = state.get(name::content).into_iter().flat_map(|content| content.elements());
        let mut texts: Vec<Pieced> = texts
            .filter_map(|part| part.get(name::text).filter(|text| text.is_string()))
            .map(|text| Pieced::of(text, self.base))
            .collect();
        if let Some(error) = state.get(name::error).filter(|_| failed) {
            texts.insert(0, Pieced::as_text(error.get(name::message).unwrap_or(error), self.base));
        }
        let output = match texts.is_empty() {
            false => Pieced::joined(texts, "\n", at),
            true => match state.get("structured").or_else(|| state.get(name::output)) {
                Some(output) => Pieced::as_text(output, self.base),
                None => Pieced::text("", at),
            },
        };
        Some(Says::Result { call: Id::of(item.get(name::id), self.base)?, output, failed, at })
    }
}

fn is(item: Val<'_>, kind: &str) -> bool {
    item.get(name::r#type).is_some_and(|own| own.is(kind))
}

/// Whether the provider ran the tool.
fn is_executed(item: Val<'_>) -> bool {
    item.get("executed").and_then(|executed| executed.as_bool()) == Some(true)
}
