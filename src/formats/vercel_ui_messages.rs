//! Messages that apps with the Vercel AI SDK store for their window, `UIMessage[]`: `{id, role, parts}`, in versions 5 to 7,
//! and 4 with its `toolInvocations`. They are retold as `convertToModelMessages` makes them: a step of an answer, then the
//! results of its tools.

use crate::format::retelling::{Stored, Teller, Told};
use crate::format::{Format, FormatInfo, Probe};
use crate::history::Role;
use crate::json::Val;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;

use super::spoken::{Call, Id, Manners, Media, Says, Turn};
use super::vercel::{self, Providers};

pub struct VercelUiMessages;

pub static FORMAT: VercelUiMessages = VercelUiMessages;

const BASE: FormatInfo = FormatInfo {
    name: "vercel-ui-messages",
    title: "UIMessage list of the Vercel AI SDK",
    told_by: "messages with `role` and `parts` of the SDK's types, or with `toolInvocations`",
    ..vercel::BASE
};

static INFO: FormatInfo = BASE;
static OF_ANTHROPIC: FormatInfo = vercel::of_anthropic(BASE);
static OF_RESPONSES: FormatInfo = vercel::of_responses(BASE);
static MANNERS: Manners = Manners { anthropic: &OF_ANTHROPIC, chat: &INFO, responses: &OF_RESPONSES };

const READ_ONLY: &str = "UIMessages are a form of the SDK's own, which is not edited for this; `convert` writes a request, which `fix` can repair";

/// Messages that are looked at to recognise a document.
const SAMPLE: usize = 50;

impl Format for VercelUiMessages {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let (mut best, mut all) = (0, 0);
        for message in vercel::messages(probe.val).take(SAMPLE) {
            match score(message) {
                0 => return 0,
                score => best = best.max(score),
            }
            all += 1;
        }
        if all > 0 { best } else { 0 }
    }

    fn teller(&self) -> Option<fn() -> Box<dyn Teller>> {
        Some(|| Box::new(Messages::default()))
    }
}

/// How surely an object is such a message.
fn score(message: Val<'_>) -> u8 {
    let is_said = vercel::role(message).is_some_and(|role| role != Role::Tool);
    let foreign = ["sessionId", "parentUuid", "uuid", "kind", "info", "author"];
    if !is_said || foreign.iter().any(|key| message.get(key).is_some()) {
        return 0;
    }
    let is_list = |key: &str| message.get(key).is_some_and(|list| list.is_array());
    let mut parts = message.get("parts").into_iter().flat_map(|parts| parts.elements()).take(SAMPLE);
    match (is_list("parts"), is_list("toolInvocations")) {
        (true, _) if parts.all(is_part) => 90,
        (true, _) => 0,
        (false, true) => 90,
        // A user's message of version 4: a text, with an id.
        (false, false)
            if message.get("id").is_some() && message.get("content").is_some_and(|text| text.is_string()) =>
        {
            1
        }
        (false, false) => 0,
    }
}

/// Types of parts, but for those of tools and data, which have the name in it.
const PARTS: [&str; 11] = [
    "text",
    "reasoning",
    "file",
    "step-start",
    "source",
    "source-url",
    "source-document",
    "dynamic-tool",
    "tool-invocation",
    "reasoning-file",
    "custom",
];

fn is_part(part: Val<'_>) -> bool {
    let kind = part.get("type").and_then(|kind| kind.text());
    let named = |kind: &[u8]| kind.starts_with(b"tool-") || kind.starts_with(b"data-");
    kind.is_some_and(|kind| PARTS.iter().any(|part| part.as_bytes() == kind.as_ref()) || named(&kind))
}

/// The conversations so far, and one whose messages are records of their own.
#[derive(Default)]
struct Messages {
    told: Vec<Told>,
    open: Conversation,
}

#[derive(Default)]
struct Conversation {
    turns: Vec<Turn>,
    providers: Providers,
}

impl Teller for Messages {
    fn take(&mut self, record: &Stored<'_>) {
        if vercel::is_message(record.val) {
            self.open.take(record.val, record);
            return;
        }
        let mut conversation = Conversation::default();
        vercel::messages(record.val).for_each(|message| conversation.take(message, record));
        self.told.push(conversation.told());
    }

    fn finish(mut self: Box<Self>) -> Vec<Told> {
        if !self.open.turns.is_empty() {
            self.told.push(self.open.told());
        }
        self.told
    }
}

impl Conversation {
    fn told(self) -> Told {
        vercel::told(&MANNERS, &self.providers, READ_ONLY, self.turns)
    }

    fn take(&mut self, message: Val<'_>, record: &Stored<'_>) {
        let Some(role) = vercel::role(message) else { return };
        let parts = parts(message);
        let (at, base) = (record.base.of(message), record.base);
        let turn = |role, says| Turn { role, says, at, record: record.number };
        for part in &parts {
            self.providers.see(part.metadata());
        }
        if role != Role::Assistant {
            let says: Vec<Says> = parts.iter().filter_map(|part| part.of_user(base)).collect();
            self.turns.extend((!says.is_empty()).then(|| turn(role, says)));
            return;
        }
        for step in parts.split(|part| part.is("step-start")) {
            let says: Vec<Says> = step.iter().filter_map(|part| part.of_assistant(base)).collect();
            let results: Vec<Says> = step.iter().filter_map(|part| part.result(base)).collect();
            let steps = [(Role::Assistant, says), (Role::Tool, results)];
            let steps = steps.into_iter().filter(|(_, says)| !says.is_empty());
            self.turns.extend(steps.map(|(role, says)| turn(role, says)));
        }
    }
}

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
    if let Some(parts) = message.get("parts").filter(|parts| parts.is_array()) {
        return parts.elements().map(UiPart::of).collect();
    }
    // Version 4 without parts: calls come before the text that follows from them.
    let calls = message.get("toolInvocations").into_iter().flat_map(|calls| calls.elements());
    let calls = calls.map(|call| UiPart { val: call, tool: Some(call), content: None });
    let content = message.get("content").filter(|text| text.as_str().is_some_and(|text| !text.is_empty()));
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
        let kind = val.get("type").and_then(|kind| kind.text()).unwrap_or_default();
        let tool = match kind.as_ref() {
            b"tool-invocation" => val.get("toolInvocation"),
            b"dynamic-tool" => Some(val),
            _ => kind.starts_with(b"tool-").then_some(val),
        };
        UiPart { val, tool, content: None }
    }

    pub fn is(&self, kind: &str) -> bool {
        self.val.get("type").is_some_and(|own| own.is(kind))
    }

    /// What the provider wants back.
    pub fn metadata(&self) -> Option<Val<'v>> {
        ["providerMetadata", "callProviderMetadata"].iter().find_map(|key| self.val.get(key))
    }

    pub fn state(&self) -> Option<State> {
        let tool = self.tool?;
        let is_true = |path: &[&str]| tool.at(path).and_then(|val| val.as_bool()) == Some(true);
        Some(match tool.get("state")?.text()?.as_ref() {
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

    fn of_user(&self, base: Base<'_>) -> Option<Says> {
        match self.content {
            Some(text) => Some(Says::Text { text: Pieced::of(text, base), id: None, at: base.of(text) }),
            None if self.is("text") => vercel::text(self.val, None, base),
            None if self.is("file") => self.file(base),
            None => None,
        }
    }

    fn of_assistant(&self, base: Base<'_>) -> Option<Says> {
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

    fn file(&self, base: Base<'_>) -> Option<Says> {
        let url = self.val.get("url").or_else(|| self.val.get("data")).filter(|url| url.is_string())?;
        let mime = self.val.get("mediaType").or_else(|| self.val.get("mimeType"));
        let name = self.val.get("filename").filter(|name| name.is_string());
        Some(Says::Media(Media::of(url, mime, name, base, base.of(self.val))))
    }

    fn call(&self, base: Base<'_>) -> Option<Says> {
        let (tool, at) = (self.tool?, base.of(self.val));
        if self.is_providers() || self.state()? == State::Streaming {
            return None;
        }
        let name = match tool.get("toolName").filter(|name| name.is_string()) {
            Some(name) => Pieced::of(name, base),
            None => {
                let kind = self.val.get("type")?;
                Pieced::stretch(kind, b"tool-".len(), kind.as_str()?.raw.len(), base)
            }
        };
        let input = ["input", "args", "rawInput"].iter().find_map(|key| tool.get(key));
        Some(Says::Call(Call {
            id: Id::of(tool.get("toolCallId"), base)?,
            name,
            input: input.map_or_else(|| Pieced::fixed("{}", at), |input| Pieced::of(input, base)),
            item: vercel::openai(self.metadata(), "itemId", base),
            at,
        }))
    }

    fn result(&self, base: Base<'_>) -> Option<Says> {
        let (tool, at) = (self.tool?, base.of(self.val));
        let call = Id::of(tool.get("toolCallId").filter(|_| !self.is_providers()), base)?;
        let copy =
            |val: Option<Val<'_>>| val.map_or_else(|| Pieced::text("", at), |val| Pieced::as_text(val, base));
        let (output, failed) = match self.state()? {
            State::Streaming | State::Open => return None,
            State::Output => (copy(tool.get("output").or_else(|| tool.get("result"))), false),
            State::Error => (copy(tool.get("errorText")), true),
            State::Denied => match tool.at(&["approval", "reason"]).filter(|reason| reason.is_string()) {
                Some(reason) => (Pieced::of(reason, base), true),
                None => (Pieced::text(vercel::DENIED, at), true),
            },
        };
        Some(Says::Result { call, output, failed, at })
    }
}
