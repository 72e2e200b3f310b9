//! The parts of a UIMessage, in any version of the SDK.

use crate::formats::sdks::vercel::{self, provider_options};
use crate::formats::threads::parts as build;
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Part, ResultPart, Text};

/// A stored part. In version 4, a tool part has a member with the tool.
#[derive(Clone, Copy)]
pub(super) struct UiPart<'v> {
    pub val: Val<'v>,
    /// The object with the name and input of the tool, in a tool part.
    pub tool: Option<Val<'v>>,
    /// The text of the message itself, in version 4.
    content: Option<Val<'v>>,
}

/// The parts of a message, in any version.
pub(super) fn parts(message: Val<'_>) -> Vec<UiPart<'_>> {
    if let Some(parts) = message.get(name::parts).filter(|parts| parts.is_array()) {
        return parts.elements().map(UiPart::of).collect();
    }
    // Version 4 without parts: calls come before the text that follows from them.
    let calls = message.get(name::toolInvocations).into_iter().flat_map(|calls| calls.elements());
    let calls = calls.map(|call| UiPart { val: call, tool: Some(call), content: None });
    let content = message.get(name::content).filter(|text| text.as_str().is_some_and(|text| !text.is_empty()));
    calls.chain(content.map(|text| UiPart { val: text, tool: None, content: Some(text) })).collect()
}

/// The state of a tool part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ToolState {
    /// The model is writing the input: the part is not sent.
    Streaming,
    /// There is a call without a result.
    Open,
    Output,
    Error,
    Denied,
}

impl<'v> UiPart<'v> {
    fn of(val: Val<'v>) -> UiPart<'v> {
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let tool = match kind.as_ref() {
            b"tool-invocation" => val.get("toolInvocation"),
            b"dynamic-tool" => Some(val),
            _ => kind.starts_with(b"tool-").then_some(val),
        };
        UiPart { val, tool, content: None }
    }

    /// True if the part is of this type.
    pub fn is(&self, kind: &str) -> bool {
        self.val.get(name::r#type).is_some_and(|own| own.is(kind))
    }

    /// The metadata that is sent back to the provider.
    pub fn metadata(&self) -> Option<Val<'v>> {
        ["providerMetadata", "callProviderMetadata"].iter().find_map(|key| self.val.get(key))
    }

    /// The state of a tool part; `None` for other parts.
    pub fn state(&self) -> Option<ToolState> {
        let tool = self.tool?;
        let is_true = |path: &[&str]| tool.at(path).and_then(|val| val.as_bool()) == Some(true);
        Some(match tool.get(name::state)?.text()?.as_ref() {
            b"input-streaming" | b"partial-call" => ToolState::Streaming,
            b"output-available" if is_true(&["preliminary"]) => ToolState::Open,
            b"output-available" | b"result" => ToolState::Output,
            b"output-error" => ToolState::Error,
            b"output-denied" => ToolState::Denied,
            b"approval-responded"
                if tool.at(&["approval", "approved"]).and_then(|ok| ok.as_bool()) == Some(false) =>
            {
                ToolState::Denied
            }
            _ => ToolState::Open,
        })
    }

    /// True if the provider ran the tool: call and result are its own.
    pub fn is_provider_executed(&self) -> bool {
        self.tool.and_then(|tool| tool.get("providerExecuted")).and_then(|own| own.as_bool()) == Some(true)
    }

    /// The translation in a message that is not the assistant's; `None` if the part is not sent.
    pub fn user_part(&self, base: RecordBase<'_>) -> Option<Part> {
        match self.content {
            Some(text) => Some(Part::text(Text::copied(text, base)?, base.of(text).into())),
            None if self.is("text") => vercel::text_part(self.val, None, base),
            None if self.is("file") => self.file(base),
            None => None,
        }
    }

    /// The translation in an assistant message, without results; `None` if the part is not sent.
    pub fn assistant_part(&self, base: RecordBase<'_>) -> Option<Part> {
        if self.tool.is_some() {
            return self.call(base);
        }
        match self.content {
            Some(_) => self.user_part(base),
            None if self.is("text") => vercel::text_part(self.val, self.metadata(), base),
            None if self.is("reasoning") => vercel::reasoning_part(self.val, self.metadata(), base),
            None => None,
        }
    }

    fn file(&self, base: RecordBase<'_>) -> Option<Part> {
        let first = |keys: [&str; 2]| Text::copied(keys.iter().find_map(|key| self.val.get(key))?, base);
        let name = self.val.get(name::filename).and_then(|name| Text::copied(name, base));
        let media = build::media(first(["url", "data"])?, first(["mediaType", "mimeType"]), name);
        Some(Part::new(media.into(), base.of(self.val).into()))
    }

    fn call(&self, base: RecordBase<'_>) -> Option<Part> {
        let (tool, at) = (self.tool?, base.of(self.val));
        if self.is_provider_executed() || self.state()? == ToolState::Streaming {
            return None;
        }
        let name = tool.get(name::toolName).and_then(|name| Text::copied(name, base)).or_else(|| {
            let kind = self.val.get(name::r#type)?;
            Some(Text::copied_range(kind, b"tool-".len(), kind.as_str()?.raw.len(), base))
        });
        let input = ["input", "args", "rawInput"].iter().find_map(|key| tool.get(key));
        let id = build::text(tool.get(name::toolCallId), base)?;
        let call = build::call(id, name?, build::input(input, base, at), at);
        let options = self.metadata();
        let signature = provider_options::thought_signature(options, base);
        Some(Part { id: provider_options::openai(options, "itemId", base), signature, ..call })
    }

    /// The result of a tool part; `None` if there is none, or the provider ran the tool.
    pub fn result(&self, base: RecordBase<'_>) -> Option<Part> {
        let (tool, at) = (self.tool?, base.of(self.val));
        let call = build::text(tool.get(name::toolCallId).filter(|_| !self.is_provider_executed()), base)?;
        let (output, failed) = match self.state()? {
            ToolState::Streaming | ToolState::Open => return None,
            ToolState::Output => (tool.get(name::output).or_else(|| tool.get(name::result)), false),
            ToolState::Error => (tool.get("errorText"), true),
            ToolState::Denied => (tool.at(&["approval", "reason"]).filter(Val::is_string), true),
        };
        let none = if self.state()? == ToolState::Denied { vercel::DENIED } else { "" };
        let output = output.map_or_else(|| Text::synthetic(none, at), |own| Text::of_json(own, base));
        Some(build::result(call, vec![ResultPart::Text(output)], failed, at))
    }
}
