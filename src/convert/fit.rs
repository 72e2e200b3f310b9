//! Fits a conversation to what a dialect takes. What is taken away or made up is noted with the place of its source.

use crate::dialect::Dialect;
use crate::json::{Spare, scan};
use crate::message::pair_results::settle;
use crate::message::write::Writer;
use crate::message::{
    At, Call, CallKind, Capabilities, Input, LossKind, Losses, Maker, Message, OpaqueKind, Part, PartKind, Raw,
    Reasoning, ResultPart, Role, Source, Text, Thread, ToolResult,
};

use super::able::Able;
use super::media::{self, Fitted};
use super::names;
use super::plan::{Plan, Thoughts};
use super::request;

/// Stands for a document's missing text, for an empty result, and for a user who has not spoken.
const DOCUMENT: &str = "(see the document)";
const EMPTY: &str = "(empty result)";
const BEGIN: &str = "(the conversation begins here)";
/// What Gemini takes for a signature that was not made by it.
/// https://ai.google.dev/gemini-api/docs/thought-signatures
const SENTINEL: &str = "skip_thought_signature_validator";

pub fn fit(
    conversation: &mut Thread,
    capabilities: &'static Capabilities,
    plan: &Plan,
    able: &Able,
    losses: &mut Losses,
) {
    settle(conversation, losses);
    let mut fitter = Fitter { capabilities, plan, able, losses, marks: capabilities.cache_marks };
    fitter.instructions(conversation);
    fitter.messages(conversation);
    fitter.somebody_asks(conversation);
    fitter.user_first(conversation);
    if capabilities.signatures {
        fitter.sign(conversation);
    }
    names::fit(conversation, capabilities, losses);
    request::fit(conversation, capabilities, able, losses);
    merge_sides(&mut conversation.messages, capabilities);
    conversation.thoughts = able.thoughts;
    conversation.always_thinks = able.wants_reasoning;
}

/// Makes each part what the dialect takes of it, and leaves out the rest. Calls stay as they are, answered or not.
pub fn fit_parts(conversation: &mut Thread, plan: &Plan, losses: &mut Losses) {
    let (capabilities, able) = (plan.to.info().capabilities, Able::of(plan, None));
    let marks = capabilities.cache_marks;
    Fitter { capabilities, plan, able: &able, losses, marks }.messages(conversation);
}

/// Puts neighbours of one side into one message, where the dialect has one for them.
pub fn merge(messages: &mut Vec<Message>, dialect: &dyn Dialect) {
    merge_sides(messages, dialect.info().capabilities);
}

fn merge_sides(messages: &mut Vec<Message>, capabilities: &Capabilities) {
    let Some(side) = capabilities.merged_roles else { return };
    messages.dedup_by(|next, last| {
        let is_same = side(next.role) == side(last.role);
        if is_same {
            last.parts.append(&mut next.parts);
        }
        is_same
    });
}

struct Fitter<'f> {
    capabilities: &'static Capabilities,
    plan: &'f Plan,
    able: &'f Able,
    losses: &'f mut Losses,
    /// Cache marks that may still be set.
    marks: usize,
}

impl Fitter<'_> {
    /// Instructions that stand before everything else go where the dialect has them; later ones stay, or become the
    /// user's: that is where they were read.
    fn instructions(&mut self, conversation: &mut Thread) {
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
        self.blocks(Role::System, &mut instructions, &mut Vec::new());
        instructions.retain(|block| !block.is_blank());
        conversation.instructions = instructions;
    }

    /// Where nobody else speaks, the last instruction is what is asked.
    fn somebody_asks(&mut self, conversation: &mut Thread) {
        if conversation.messages.is_empty()
            && !self.capabilities.late_instructions
            && let Some(last) = conversation.instructions.pop()
        {
            self.losses.add(LossKind::INSTRUCTIONS_AS_USER, last.at);
            conversation.add(Role::User, false, last);
        }
    }

    fn messages(&mut self, conversation: &mut Thread) {
        // What a result cannot hold is said by the user, after all results of its message.
        let mut said: Vec<(usize, Message)> = Vec::new();
        let store = conversation.store();
        for (n, message) in conversation.messages.iter_mut().enumerate() {
            if message.name.is_some() && !self.capabilities.names {
                self.losses.count(LossKind::NAME, message.at);
                message.name = None;
            }
            let mut moved = Message::new(Role::User, message.at);
            self.blocks(message.role, &mut message.parts, &mut moved.parts);
            if self.capabilities.calls_last && message.role == Role::Assistant {
                self.calls_last(message);
            }
            if self.capabilities.document_text {
                self.text_with_documents(message);
            }
            if let Some(store) = &store {
                // What was made of texts takes as much room as they did.
                let made = message.parts.iter_mut().chain(&mut moved.parts);
                made.for_each(|block| block.put_away(store));
            }
            if !moved.parts.is_empty() {
                said.push((n + 1, moved));
            }
        }
        insert(&mut conversation.messages, said);
        conversation.messages.retain(|message| !message.parts.is_empty());
    }

    /// Keeps of each block what the dialect takes of it. `moved` gets what the results among them cannot hold.
    fn blocks(&mut self, role: Role, blocks: &mut Vec<Part>, moved: &mut Vec<Part>) {
        // Blocks that come before others, with the number of those.
        let mut added: Vec<(usize, Part)> = Vec::new();
        let mut kept = 0;
        blocks.retain_mut(|block| {
            let is_kept = self.block(role, block, &mut |new| added.push((kept, new)));
            kept += usize::from(is_kept);
            if let (true, PartKind::Result(result)) = (is_kept, &mut block.kind) {
                self.result(result, block.at, moved);
            }
            is_kept
        });
        insert(blocks, added);
    }

    /// What follows a call comes before the first of them, in its order.
    fn calls_last(&mut self, message: &mut Message) {
        let is_call = |block: &Part| matches!(block.kind, PartKind::Call(_));
        let Some(first) = message.parts.iter().position(is_call) else { return };
        let behind = message.parts.split_off(first);
        let (calls, others): (Vec<Part>, Vec<Part>) = behind.into_iter().partition(is_call);
        others.iter().for_each(|block| self.losses.add(LossKind::CALL_LAST, block.at));
        message.parts.extend(others.into_iter().chain(calls));
    }

    /// Makes the block what the dialect takes of it, if it takes anything. `before` gets what has to come before it.
    fn block(&mut self, role: Role, block: &mut Part, before: &mut dyn FnMut(Part)) -> bool {
        let at = block.at;
        if block.is_blank() && !self.capabilities.blank_texts {
            return false;
        }
        if block.id.take().is_some() {
            self.losses.count(LossKind::ITEM_IDS, at);
        }
        if block.signature.is_some() && !self.capabilities.signatures {
            self.losses.count(LossKind::SIGNATURES, at);
            block.signature = None;
        }
        self.cache_mark(block);
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
                match media::fit(media, misplaced, at, self.capabilities, self.losses) {
                    Fitted::Kept(context) => context.into_iter().for_each(|text| before(Part::text(text, at))),
                    Fitted::Text(text) => block.kind = PartKind::Text { text, citations: None },
                    Fitted::Gone => return false,
                }
            }
            PartKind::Call(call) => self.call(call, at),
            PartKind::Reasoning(reasoning) => match self.reasoning(reasoning, at) {
                Thought::Kept => {}
                Thought::Text(text) => block.kind = PartKind::Text { text, citations: None },
                Thought::Gone => return false,
            },
            PartKind::Opaque(foreign) if foreign.dialect != self.capabilities.dialect => {
                self.losses.add(loss_of(foreign.kind), at);
                return false;
            }
            PartKind::Refusal(_) | PartKind::Result(_) | PartKind::Opaque(_) => {}
        }
        true
    }

    fn cache_mark(&mut self, block: &mut Part) {
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

    fn reasoning(&mut self, reasoning: &mut Reasoning, at: At) -> Thought {
        let sealed = reasoning.seal.is_some() || reasoning.redacted.is_some();
        let taken = match reasoning.maker {
            Maker::OpenAi | Maker::Anthropic => sealed && self.capabilities.makers.contains(&reasoning.maker),
            Maker::Google => self.capabilities.makers.contains(&reasoning.maker),
            Maker::Open => self.able.readable,
        };
        let says = reasoning.texts.iter().any(|text| !text.is_blank());
        match self.plan.thoughts {
            Thoughts::Auto if taken => Thought::Kept,
            Thoughts::Auto if says && self.able.wants_reasoning => {
                self.losses.add(LossKind::REASONING_UNSEALED, at);
                (reasoning.maker, reasoning.seal, reasoning.redacted) = (Maker::Open, None, None);
                Thought::Kept
            }
            Thoughts::Text if says => {
                self.losses.add(LossKind::REASONING_AS_TEXT, at);
                Thought::Text(Text::join(&reasoning.texts, "\\n\\n"))
            }
            _ => {
                self.losses.add(LossKind::REASONING, at);
                Thought::Gone
            }
        }
    }

    fn call(&mut self, call: &mut Call, at: At) {
        if call.invented {
            self.losses.count(LossKind::CALL_ID_INVENTED, at);
        }
        if call.kind == CallKind::Builtin || call.kind == CallKind::Custom && !self.capabilities.custom_calls {
            self.losses.add(LossKind::CALL_AS_FUNCTION, at);
            if let (CallKind::Custom, Input::Text(text)) = (call.kind, &call.input) {
                call.input = Input::Json(wrapped("input", |w| w.text(text)));
            }
            call.kind = CallKind::Function;
        }
        if !self.capabilities.object_inputs {
            return;
        }
        let wrap = match &call.input {
            Input::Text(text) => {
                let plain = text.plain();
                let object = plain.trim_ascii().is_empty() || is_object(&plain);
                (!object).then(|| wrapped("raw", |w| w.text(text)))
            }
            Input::Json(raw) => (raw.first() != Some(b'{')).then(|| wrapped("raw", |w| w.raw(raw))),
        };
        if let Some(object) = wrap {
            self.losses.add(LossKind::ARGUMENTS_WRAPPED, at);
            call.input = Input::Json(object);
        }
    }

    fn result(&mut self, result: &mut ToolResult, at: At, moved: &mut Vec<Part>) {
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
                    match media::fit(&mut media, false, at, self.capabilities, self.losses) {
                        Fitted::Text(text) => parts.push(ResultPart::Text(text)),
                        Fitted::Gone => {}
                        Fitted::Kept(context) => {
                            let kept = self.capabilities.result_media.contains(&media.kind)
                                || self.able.media_in_results && matches!(media.source, Source::Data(_));
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
            parts = vec![ResultPart::Text(Text::new(EMPTY))];
        }
        result.parts = parts;
    }

    fn text_with_documents(&mut self, message: &mut Message) {
        let document = |block: &&Part| matches!(&block.kind, PartKind::Media(media) if media.kind == crate::message::MediaKind::File);
        let says = |block: &Part| matches!(block.kind, PartKind::Text { .. }) && !block.is_blank();
        if let Some(at) = message.parts.iter().find(document).map(|block| block.at)
            && !message.parts.iter().any(says)
        {
            self.losses.add(LossKind::STUB_TEXT, at);
            message.parts.push(Part::text(Text::new(DOCUMENT), at));
        }
    }

    fn user_first(&mut self, conversation: &mut Thread) {
        let first = conversation.messages.first();
        let Some(at) = first.filter(|first| first.role == Role::Assistant).map(|first| first.at) else { return };
        if self.capabilities.user_first {
            self.losses.add(LossKind::STUB_TEXT, at);
            let mut message = Message::new(Role::User, at);
            message.parts.push(Part::text(Text::new(BEGIN), at));
            conversation.messages.insert(0, message);
        }
    }

    /// Newer Gemini models want the first call of each step of the current turn signed.
    fn sign(&mut self, conversation: &mut Thread) {
        let said = |message: &Message| message.role == Role::User;
        let turn = conversation.messages.iter().rposition(said).map_or(0, |n| n + 1);
        for message in conversation.messages.iter_mut().skip(turn) {
            let first = message.parts.iter_mut().find(|block| matches!(block.kind, PartKind::Call(_)));
            let Some(block) = first.filter(|block| block.signature.is_none()) else { continue };
            match self.able.signed_calls {
                Some(false) => return,
                Some(true) => {
                    self.losses.add(LossKind::STUB_SIGNATURE, block.at);
                    block.signature = Some(Text::new(SENTINEL));
                }
                None => self.losses.count(LossKind::UNSIGNED_CALLS, block.at),
            }
        }
    }
}

/// Inserts into a list what comes before the element of each number, in order.
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

/// What becomes of reasoning.
enum Thought {
    Kept,
    Text(Text),
    Gone,
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
    let mut spare = Spare::take();
    json.trim_ascii_start().starts_with(b"{") && scan(json, &mut spare.tape).is_ok()
}

fn wrapped(key: &str, write: impl FnOnce(&mut Writer<'_>)) -> Raw {
    let mut object = Vec::new();
    Writer::new(&mut object).object(|w| write(w.key(key)));
    Raw::new(object)
}
