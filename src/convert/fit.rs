//! Fits a conversation to the capabilities of a dialect. What is removed or invented is reported at the place of its source.

use crate::dialect::Dialect;
use crate::dialects::server_tool_text;
use crate::json::{ScratchBuffers, scan};
use crate::message::pair_results::pair_results;
use crate::message::write::JsonWriter;
use crate::message::{
    CallInput, CallKind, Capabilities, LossKind, Losses, MediaSource, Message, OpaqueKind, Part, PartKind,
    RawJson, Reasoning, ReasoningProvider, ResultPart, Role, SourceLocation, Text, Thread, ToolCall, ToolResult,
};

use super::media::{self, MediaFit};
use super::model_support::ModelSupport;
use super::names;
use super::plan::{ConvertPlan, ReasoningMode, ServerTools};
use super::prefill;
use super::request;

/// Placeholders for a document's missing text, an empty result, and a missing first message of the user.
const DOCUMENT_TEXT: &str = "(see the document)";
const EMPTY_RESULT: &str = "(empty result)";
const FIRST_MESSAGE: &str = "(the conversation begins here)";
/// The signature that Gemini accepts on calls of other models.
/// https://ai.google.dev/gemini-api/docs/thought-signatures
const SKIP_SIGNATURE: &str = "skip_thought_signature_validator";

pub fn fit(
    conversation: &mut Thread,
    capabilities: &'static Capabilities,
    plan: &ConvertPlan,
    support: &ModelSupport,
    losses: &mut Losses,
) {
    pair_results(conversation, losses);
    split_calls(&mut conversation.messages, capabilities.max_calls, losses);
    let mut fitter = Fitter { capabilities, plan, support, losses, marks: capabilities.cache_marks };
    fitter.fit_instructions(conversation);
    fitter.fit_messages(conversation);
    fitter.ensure_user_message(conversation);
    fitter.ensure_user_first(conversation);
    if capabilities.signatures {
        fitter.sign_calls(conversation);
    }
    if support.is_claude && support.requires_reasoning {
        add_empty_reasoning(conversation);
    }
    names::fit(conversation, capabilities, losses);
    request::fit(conversation, capabilities, support, losses);
    merge_roles(&mut conversation.messages, capabilities);
    if support.is_claude {
        prefill::trim(conversation, losses);
    }
    conversation.reasoning_key = support.reasoning_key;
    conversation.always_writes_reasoning = support.requires_reasoning;
}

/// Fits a thread to the dialect of the plan.
pub fn fit_thread(conversation: &mut Thread, plan: &ConvertPlan, losses: &mut Losses) {
    let model = plan.model.clone().or_else(|| conversation.model.as_ref().map(Text::to_plain_string));
    let support = ModelSupport::of(plan, model.as_deref());
    fit(conversation, plan.dialect.info().capabilities, plan, &support, losses);
}

/// Fits each part to the dialect, or leaves it out. Calls stay, answered or not.
pub fn fit_parts(conversation: &mut Thread, plan: &ConvertPlan, losses: &mut Losses) {
    let (capabilities, support) = (plan.dialect.info().capabilities, ModelSupport::of(plan, None));
    let marks = capabilities.cache_marks;
    Fitter { capabilities, plan, support: &support, losses, marks }.fit_messages(conversation);
}

/// Merges adjacent messages, where the dialect has one message for their roles.
pub fn merge(messages: &mut Vec<Message>, dialect: &dyn Dialect) {
    merge_roles(messages, dialect.info().capabilities);
}

fn merge_roles(messages: &mut Vec<Message>, capabilities: &Capabilities) {
    let Some(side) = capabilities.merged_roles else { return };
    messages.dedup_by(|next, last| {
        let is_same = side(next.role) == side(last.role);
        if is_same {
            last.parts.append(&mut next.parts);
        }
        is_same
    });
}

/// Splits messages with too many calls into several, each followed by the results of its calls. The messages are paired.
fn split_calls(messages: &mut Vec<Message>, most: usize, losses: &mut Losses) {
    if messages.iter().all(|message| message.calls().count() <= most) {
        return;
    }
    let mut rest = std::mem::take(messages).into_iter().peekable();
    while let Some(message) = rest.next() {
        let calls = message.calls().count();
        if calls <= most {
            messages.push(message);
            continue;
        }
        losses.add_with(LossKind::CALLS_SPLIT, message.at, calls as u32);
        let results = rest.next_if(|next| next.role == Role::Tool);
        let mut results = results.into_iter().flat_map(|message| message.parts);
        let Message { parts, .. } = message;
        let mut add = |parts: Vec<Part>, number: usize| {
            messages.push(Message { parts, name: message.name.clone(), ..message });
            let mut answers = Message::new(Role::Tool, message.at);
            answers.parts.extend(results.by_ref().take(number));
            messages.push(answers);
        };
        let (mut some, mut number) = (Vec::new(), 0);
        for part in parts {
            let is_call = matches!(part.kind, PartKind::Call(_));
            if is_call && number == most {
                add(std::mem::take(&mut some), number);
                number = 0;
            }
            number += usize::from(is_call);
            some.push(part);
        }
        add(some, number);
    }
}

/// Begins each message that has calls and no reasoning with an empty one.
fn add_empty_reasoning(conversation: &mut Thread) {
    let is_reasoning = |part: &Part| matches!(part.kind, PartKind::Reasoning(_));
    for message in &mut conversation.messages {
        if message.calls().next().is_some() && !message.parts.iter().any(is_reasoning) {
            let empty = Reasoning {
                provider: ReasoningProvider::Open,
                texts: Vec::new(),
                encrypted_content: None,
                redacted: None,
            };
            message.parts.insert(0, Part::new(PartKind::Reasoning(empty), message.at));
        }
    }
}

struct Fitter<'f> {
    capabilities: &'static Capabilities,
    plan: &'f ConvertPlan,
    support: &'f ModelSupport,
    losses: &'f mut Losses,
    /// Cache marks that may still be set.
    marks: usize,
}

impl Fitter<'_> {
    /// Moves leading instructions to where the dialect keeps them. Later ones stay in place, as messages of the user if the
    /// dialect allows no others there.
    fn fit_instructions(&mut self, conversation: &mut Thread) {
        let instructs = |message: &Message| matches!(message.role, Role::System | Role::Developer);
        if !self.capabilities.late_instructions {
            let leading = conversation.messages.iter().take_while(|message| instructs(message)).count();
            for message in conversation.messages.iter().take(leading).filter(|m| m.role == Role::Developer) {
                self.losses.add(LossKind::ROLE, message.at);
            }
            for message in conversation.messages.iter().take(leading).filter(|message| message.name.is_some()) {
                self.losses.count(LossKind::NAME, message.at);
            }
            let leading = conversation.messages.drain(..leading).flat_map(|message| message.parts);
            conversation.instructions.extend(leading);
            for message in conversation.messages.iter_mut().filter(|message| instructs(message)) {
                self.losses.add(LossKind::INSTRUCTIONS_AS_USER, message.at);
                message.role = Role::User;
            }
        }
        let mut instructions = std::mem::take(&mut conversation.instructions);
        self.fit_blocks(Role::System, &mut instructions, &mut Vec::new());
        instructions.retain(|block| !block.is_blank());
        conversation.instructions = instructions;
    }

    /// Makes the last instruction a message of the user if there are no messages.
    fn ensure_user_message(&mut self, conversation: &mut Thread) {
        if conversation.messages.is_empty()
            && !self.capabilities.late_instructions
            && let Some(last) = conversation.instructions.pop()
        {
            self.losses.add(LossKind::INSTRUCTIONS_AS_USER, last.at);
            conversation.add(Role::User, false, last);
        }
    }

    fn fit_messages(&mut self, conversation: &mut Thread) {
        // Media that a result cannot contain go into a message of the user, after the results of its message.
        let mut said: Vec<(usize, Message)> = Vec::new();
        let store = conversation.spill_store();
        for (n, message) in conversation.messages.iter_mut().enumerate() {
            if message.name.is_some() && !self.capabilities.names {
                self.losses.count(LossKind::NAME, message.at);
                message.name = None;
            }
            let mut moved = Message::new(Role::User, message.at);
            self.fit_blocks(message.role, &mut message.parts, &mut moved.parts);
            if self.capabilities.calls_last && message.role == Role::Assistant {
                self.move_calls_last(message);
            }
            if self.capabilities.document_text {
                self.add_text_to_documents(message);
            }
            if let Some(store) = &store {
                // Fitted texts take as much memory as the original ones.
                let made = message.parts.iter_mut().chain(&mut moved.parts);
                made.for_each(|block| block.spill(store));
            }
            if !moved.parts.is_empty() {
                said.push((n + 1, moved));
            }
        }
        insert(&mut conversation.messages, said);
        conversation.messages.retain(|message| !message.parts.is_empty());
    }

    /// Fits each part to the dialect, or drops it. `moved` gets the media that results cannot contain.
    fn fit_blocks(&mut self, role: Role, blocks: &mut Vec<Part>, moved: &mut Vec<Part>) {
        // Parts to insert, each with the index of the part after it.
        let mut added: Vec<(usize, Part)> = Vec::new();
        let mut kept = 0;
        blocks.retain_mut(|block| {
            let is_kept = self.fit_block(role, block, &mut |new| added.push((kept, new)));
            kept += usize::from(is_kept);
            if let (true, PartKind::Result(result)) = (is_kept, &mut block.kind) {
                self.fit_result(result, block.at, moved);
            }
            is_kept
        });
        insert(blocks, added);
    }

    /// Moves what follows a call before the first call, in order.
    fn move_calls_last(&mut self, message: &mut Message) {
        let is_call = |block: &Part| matches!(block.kind, PartKind::Call(_));
        let Some(first) = message.parts.iter().position(is_call) else { return };
        let rest = message.parts.split_off(first);
        let (calls, others): (Vec<Part>, Vec<Part>) = rest.into_iter().partition(is_call);
        others.iter().for_each(|block| self.losses.add(LossKind::CALL_LAST, block.at));
        message.parts.extend(others.into_iter().chain(calls));
    }

    /// Fits a part to the dialect. Returns false if it is dropped. `before` gets the parts to insert before it.
    fn fit_block(&mut self, role: Role, block: &mut Part, before: &mut dyn FnMut(Part)) -> bool {
        let at = block.at;
        if block.is_blank() && !self.capabilities.blank_texts {
            return false;
        }
        if block.id.take().is_some() {
            self.losses.count(LossKind::ITEM_IDS, at);
        }
        if !self.capabilities.signatures && block.signature.take().is_some() {
            self.losses.count(LossKind::SIGNATURES, at);
        }
        if !self.capabilities.phases && block.phase.take().is_some() {
            self.losses.count(LossKind::PHASES, at);
        }
        self.fit_cache_mark(block);
        match &mut block.kind {
            PartKind::Text { citations, .. } => {
                if citations.as_ref().is_some_and(|citations| citations.dialect != self.capabilities.dialect) {
                    self.losses.add(LossKind::CITATION, at);
                    *citations = None;
                }
            }
            PartKind::Refusal(text) if !self.capabilities.refusals => {
                self.losses.add(LossKind::REFUSAL_AS_TEXT, at);
                block.kind = PartKind::Text { text: std::mem::take(text), citations: None };
            }
            PartKind::Media(media) => {
                let misplaced = role == Role::Assistant && !self.capabilities.model_media
                    || matches!(role, Role::System | Role::Developer);
                match media::fit(media, misplaced, at, self.capabilities, self.support, self.losses) {
                    MediaFit::Keep(context) => context.into_iter().for_each(|text| before(Part::text(text, at))),
                    MediaFit::Text(text) => block.kind = PartKind::Text { text, citations: None },
                    MediaFit::Drop => return false,
                }
            }
            PartKind::Call(call) => self.fit_call(call, at),
            PartKind::Reasoning(reasoning) => match self.fit_reasoning(reasoning, at) {
                ReasoningFit::Keep => {}
                ReasoningFit::Text(text) => block.kind = PartKind::Text { text, citations: None },
                ReasoningFit::Drop => return false,
            },
            PartKind::Opaque(foreign) if foreign.dialect != self.capabilities.dialect => {
                let is_read =
                    foreign.kind == OpaqueKind::ServerTool && self.plan.server_tools == ServerTools::Text;
                let Some((text, is_whole)) = is_read.then(|| server_tool_text::read(foreign)).flatten() else {
                    self.losses.add(loss_of(foreign.kind), at);
                    return false;
                };
                let loss = if is_whole { LossKind::SERVER_TOOL_AS_TEXT } else { LossKind::SERVER_TOOL_IN_PART };
                self.losses.add(loss, at);
                block.kind = PartKind::Text { text, citations: None };
            }
            PartKind::Refusal(_) | PartKind::Result(_) | PartKind::Opaque(_) => {}
        }
        true
    }

    fn fit_cache_mark(&mut self, block: &mut Part) {
        if block.cache.is_none() {
            return;
        }
        match self.marks.checked_sub(1) {
            Some(left) => self.marks = left,
            None => {
                let surplus = self.capabilities.cache_marks > 0;
                let loss = if surplus { LossKind::CACHE_MARK_SURPLUS } else { LossKind::CACHE_MARK };
                self.losses.count(loss, block.at);
                block.cache = None;
            }
        }
    }

    fn fit_reasoning(&mut self, reasoning: &mut Reasoning, at: SourceLocation) -> ReasoningFit {
        let is_encrypted = reasoning.encrypted_content.is_some() || reasoning.redacted.is_some();
        let taken = match reasoning.provider {
            ReasoningProvider::OpenAi | ReasoningProvider::Anthropic => {
                is_encrypted && self.capabilities.reasoning_providers.contains(&reasoning.provider)
            }
            ReasoningProvider::Google => self.capabilities.reasoning_providers.contains(&reasoning.provider),
            ReasoningProvider::Open => self.support.plain_reasoning,
        };
        let says = reasoning.texts.iter().any(|text| !text.is_blank());
        match self.plan.reasoning {
            ReasoningMode::Auto if taken => ReasoningFit::Keep,
            ReasoningMode::Auto if says && self.support.requires_reasoning => {
                self.losses.add(LossKind::REASONING_WITHOUT_SIGNATURE, at);
                (reasoning.provider, reasoning.encrypted_content, reasoning.redacted) =
                    (ReasoningProvider::Open, None, None);
                ReasoningFit::Keep
            }
            ReasoningMode::Text if says => {
                self.losses.add(LossKind::REASONING_AS_TEXT, at);
                ReasoningFit::Text(Text::join(&reasoning.texts, "\\n\\n"))
            }
            _ => {
                self.losses.add(LossKind::REASONING, at);
                ReasoningFit::Drop
            }
        }
    }

    fn fit_call(&mut self, call: &mut ToolCall, at: SourceLocation) {
        if call.has_synthetic_id {
            self.losses.count(LossKind::CALL_ID_INVENTED, at);
        }
        if call.kind == CallKind::Builtin || call.kind == CallKind::Custom && !self.capabilities.custom_calls {
            self.losses.add(LossKind::CALL_AS_FUNCTION, at);
            if let (CallKind::Custom, CallInput::Text(text)) = (call.kind, &call.input) {
                call.input = CallInput::Json(wrapped("input", |w| w.text(text)));
            }
            call.kind = CallKind::Function;
        }
        if !self.capabilities.object_inputs {
            return;
        }
        let wrap = match &call.input {
            CallInput::Text(text) => {
                let plain = text.plain();
                let object = plain.trim_ascii().is_empty() || is_object(&plain);
                (!object).then(|| wrapped("raw", |w| w.text(text)))
            }
            CallInput::Json(raw) => (raw.first() != Some(b'{')).then(|| wrapped("raw", |w| w.raw(raw))),
        };
        if let Some(object) = wrap {
            self.losses.add(LossKind::ARGUMENTS_WRAPPED, at);
            call.input = CallInput::Json(object);
        }
    }

    fn fit_result(&mut self, result: &mut ToolResult, at: SourceLocation, moved: &mut Vec<Part>) {
        if result.is_error && !self.capabilities.error_marks {
            self.losses.add(LossKind::ERROR_MARK, at);
            result.is_error = false;
        }
        if result.kind == CallKind::Builtin || !self.capabilities.custom_calls {
            result.kind = CallKind::Function;
        }
        let mut parts = Vec::with_capacity(result.parts.len());
        for part in std::mem::take(&mut result.parts) {
            match part {
                ResultPart::Opaque(foreign, at) if foreign.dialect != self.capabilities.dialect => {
                    self.losses.add(loss_of(foreign.kind), at);
                }
                ResultPart::Media(mut media, at) => {
                    match media::fit(&mut media, false, at, self.capabilities, self.support, self.losses) {
                        MediaFit::Text(text) => parts.push(ResultPart::Text(text)),
                        MediaFit::Drop => {}
                        MediaFit::Keep(context) => {
                            let kept = self.capabilities.result_media.contains(&media.kind)
                                || self.support.media_in_results && matches!(media.source, MediaSource::Data(_));
                            if kept {
                                parts.extend(context.map(ResultPart::Text));
                                parts.push(ResultPart::Media(media, at));
                            } else {
                                self.losses.add(LossKind::MEDIA_MOVED, at);
                                moved.extend(context.map(|text| Part::text(text, at)));
                                moved.push(Part::new(PartKind::Media(media), at));
                            }
                        }
                    }
                }
                other => parts.push(other),
            }
        }
        let says = |part: &ResultPart| !matches!(part, ResultPart::Text(text) if text.is_blank());
        if self.capabilities.result_text && !parts.iter().any(says) {
            self.losses.add(LossKind::STUB_TEXT, at);
            parts = vec![ResultPart::Text(Text::new(EMPTY_RESULT))];
        }
        result.parts = parts;
    }

    fn add_text_to_documents(&mut self, message: &mut Message) {
        let document = |block: &&Part| matches!(&block.kind, PartKind::Media(media) if media.kind == crate::message::MediaKind::File);
        let says = |block: &Part| matches!(block.kind, PartKind::Text { .. }) && !block.is_blank();
        if let Some(at) = message.parts.iter().find(document).map(|block| block.at)
            && !message.parts.iter().any(says)
        {
            self.losses.add(LossKind::STUB_TEXT, at);
            message.parts.push(Part::text(Text::new(DOCUMENT_TEXT), at));
        }
    }

    fn ensure_user_first(&mut self, conversation: &mut Thread) {
        let first = conversation.messages.first();
        let Some(at) = first.filter(|first| first.role == Role::Assistant).map(|first| first.at) else { return };
        if self.capabilities.user_first {
            self.losses.add(LossKind::STUB_TEXT, at);
            let mut message = Message::new(Role::User, at);
            message.parts.push(Part::text(Text::new(FIRST_MESSAGE), at));
            conversation.messages.insert(0, message);
        }
    }

    /// Signs the first call of each step of the current turn, as newer Gemini models require.
    fn sign_calls(&mut self, conversation: &mut Thread) {
        let said = |message: &Message| message.role == Role::User;
        let turn = conversation.messages.iter().rposition(said).map_or(0, |n| n + 1);
        for message in conversation.messages.iter_mut().skip(turn) {
            let first = message.parts.iter_mut().find(|block| matches!(block.kind, PartKind::Call(_)));
            let Some(block) = first.filter(|block| block.signature.is_none()) else { continue };
            match self.support.signed_calls {
                Some(false) => return,
                Some(true) => {
                    self.losses.add(LossKind::STUB_SIGNATURE, block.at);
                    block.signature = Some(Text::new(SKIP_SIGNATURE));
                }
                None => self.losses.count(LossKind::UNSIGNED_CALLS, block.at),
            }
        }
    }
}

/// Inserts elements into a list, each before the element of its index, in order.
fn insert<T>(list: &mut Vec<T>, added: Vec<(usize, T)>) {
    if added.is_empty() {
        return;
    }
    let mut all = Vec::with_capacity(list.len() + added.len());
    let mut old = list.drain(..);
    let mut taken = 0;
    for (before, new) in added {
        all.extend(old.by_ref().take(before - taken));
        taken = before;
        all.push(new);
    }
    all.extend(old);
    *list = all;
}

/// The form that reasoning gets.
enum ReasoningFit {
    Keep,
    Text(Text),
    Drop,
}

fn loss_of(kind: OpaqueKind) -> LossKind {
    match kind {
        OpaqueKind::ServerTool => LossKind::SERVER_TOOL,
        OpaqueKind::Compaction => LossKind::COMPACTION,
        OpaqueKind::Reference => LossKind::REFERENCE,
        OpaqueKind::Citations => LossKind::CITATION,
        OpaqueKind::Item | OpaqueKind::Unknown => LossKind::UNKNOWN,
    }
}

fn is_object(json: &[u8]) -> bool {
    let mut spare = ScratchBuffers::acquire();
    json.trim_ascii_start().starts_with(b"{") && scan(json, &mut spare.tape).is_ok()
}

fn wrapped(key: &str, write: impl FnOnce(&mut JsonWriter<'_>)) -> RawJson {
    let mut object = Vec::new();
    JsonWriter::new(&mut object).object(|w| write(w.key(key)));
    RawJson::new(object)
}
