//! The parts of a UIMessage, in any version of the SDK.

use crate::formats::sdks::vercel;
use crate::formats::threads::parts as made;
use crate::json::edit::Base;
use crate::json::{Val, name};
use crate::message::{Part, ResultPart, Text};

/// A part as it is stored; a tool's of version 4 lies in a member of it.
#[derive(Clone, Copy)]
pub(super) struct UiPart<'v> {
    pub val: Val<'v>,
    /// What says which tool was called with what.
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

/// What a tool part has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// The model still writes its input: it is not sent.
    Streaming,
    /// There is a call, and no result yet.
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

    pub fn is(&self, kind: &str) -> bool {
        self.val.get(name::r#type).is_some_and(|own| own.is(kind))
    }

    /// What the provider wants back.
    pub fn metadata(&self) -> Option<Val<'v>> {
        ["providerMetadata", "callProviderMetadata"].iter().find_map(|key| self.val.get(key))
    }

    pub fn state(&self) -> Option<State> {
        let tool = self.tool?;
        let is_true = |path: &[&str]| tool.at(path).and_then(|val| val.as_bool()) == Some(true);
        Some(match tool.get(name::state)?.text()?.as_ref() {
            b"input-streaming" | b"partial-call" => State::Streaming,
            b"output-available" if is_true(&["preliminary"]) => State::Open,
            b"output-available" | b"result" => State::Output,
            b"output-error" => State::Error,
            b"output-denied" => State::Denied,
            b"approval-responded"
                if tool.at(&["approval", "approved"]).and_then(|ok| ok.as_bool()) == Some(false) =>
            {
                State::Denied
            }
            _ => State::Open,
        })
    }

    /// The provider has run the tool itself: call and result are its own.
    pub fn is_providers(&self) -> bool {
        self.tool.and_then(|tool| tool.get("providerExecuted")).and_then(|own| own.as_bool()) == Some(true)
    }

    pub fn of_user(&self, base: Base<'_>) -> Option<Part> {
        match self.content {
            Some(text) => Some(Part::text(Text::copied(text, base)?, base.of(text).into())),
            None if self.is("text") => vercel::text(self.val, None, base),
            None if self.is("file") => self.file(base),
            None => None,
        }
    }

    pub fn of_assistant(&self, base: Base<'_>) -> Option<Part> {
        if self.tool.is_some() {
            return self.call(base);
        }
        match self.content {
            Some(_) => self.of_user(base),
            None if self.is("text") => vercel::text(self.val, self.metadata(), base),
            None if self.is("reasoning") => vercel::thought(self.val, self.metadata(), base),
            None => None,
        }
    }

    fn file(&self, base: Base<'_>) -> Option<Part> {
        let first = |keys: [&str; 2]| Text::copied(keys.iter().find_map(|key| self.val.get(key))?, base);
        let name = self.val.get(name::filename).and_then(|name| Text::copied(name, base));
        let media = made::media(first(["url", "data"])?, first(["mediaType", "mimeType"]), name);
        Some(Part::new(media.into(), base.of(self.val).into()))
    }

    fn call(&self, base: Base<'_>) -> Option<Part> {
        let (tool, at) = (self.tool?, base.of(self.val));
        if self.is_providers() || self.state()? == State::Streaming {
            return None;
        }
        let name = tool.get(name::toolName).and_then(|name| Text::copied(name, base)).or_else(|| {
            let kind = self.val.get(name::r#type)?;
            Some(Text::stretch(kind, b"tool-".len(), kind.as_str()?.raw.len(), base))
        });
        let input = ["input", "args", "rawInput"].iter().find_map(|key| tool.get(key));
        let id = made::text(tool.get(name::toolCallId), base)?;
        let call = made::call(id, name?, made::input(input, base, at), at);
        Some(Part { id: vercel::openai(self.metadata(), "itemId", base), ..call })
    }

    pub fn result(&self, base: Base<'_>) -> Option<Part> {
        let (tool, at) = (self.tool?, base.of(self.val));
        let call = made::text(tool.get(name::toolCallId).filter(|_| !self.is_providers()), base)?;
        let (output, failed) = match self.state()? {
            State::Streaming | State::Open => return None,
            State::Output => (tool.get(name::output).or_else(|| tool.get(name::result)), false),
            State::Error => (tool.get("errorText"), true),
            State::Denied => (tool.at(&["approval", "reason"]).filter(Val::is_string), true),
        };
        let none = if self.state()? == State::Denied { vercel::DENIED } else { "" };
        let output = output.map_or_else(|| Text::named(none, at), |own| Text::of_json(own, base));
        Some(made::result(call, vec![ResultPart::Text(output)], failed, at))
    }
}
