//! Renames ids and tool names that a dialect's pattern refuses, to the same on every run: ids in a call and its result,
//! names in a definition and wherever the tool is named.

use foldhash::{HashMap, HashSet};

use crate::json::fingerprint_of;
use crate::message::{
    Capabilities, IdRule, LossKind, Losses, Message, PartKind, Role, SourceLocation, Text, Thread, ToolCall,
    ToolChoice,
};

pub fn fit(conversation: &mut Thread, capabilities: &Capabilities, losses: &mut Losses) {
    call_ids(conversation, capabilities, losses);
    tool_names(conversation, capabilities, losses);
}

fn call_ids(conversation: &mut Thread, capabilities: &Capabilities, losses: &mut Losses) {
    let model = conversation.model.as_ref().map(|model| String::from_utf8_lossy(&model.plain()).into_owned());
    let rule = capabilities.call_ids_for(model.as_deref());
    if are_distinct(conversation, &rule, capabilities.unique_calls) {
        return;
    }
    let mut used: HashSet<Vec<u8>> = HashSet::default();
    // A synthetic id must not be one that a later call has.
    let stored = stored_ids(conversation);
    let mut tries: HashMap<Vec<u8>, u32> = HashMap::default();
    // Results come directly after their calls, in their order.
    let mut batch: Vec<Option<Text>> = Vec::new();
    for message in &mut conversation.messages {
        if message.role == Role::Tool {
            let mut new = batch.drain(..);
            for block in &mut message.parts {
                if let (PartKind::Result(result), Some(Some(id))) = (&mut block.kind, new.next()) {
                    result.id = id;
                }
            }
            continue;
        }
        batch.clear();
        let mut beside: HashSet<Vec<u8>> = HashSet::default();
        for block in &mut message.parts {
            let PartKind::Call(call) = &mut block.kind else { continue };
            let old = call.id.plain().into_owned();
            // The calls of one message have distinct ids in every dialect.
            let stolen = |id: &[u8]| call.has_synthetic_id && stored.contains(id);
            let taken = beside.contains(&old) || stolen(&old) || capabilities.unique_calls && used.contains(&old);
            if rule.fits(&old) && !taken {
                if capabilities.unique_calls {
                    used.insert(old.clone());
                }
                beside.insert(old);
                batch.push(None);
                continue;
            }
            // Thousands of calls may share an id: each continues where the one before ended.
            let again = tries.entry(old.clone()).or_default();
            let id = loop {
                let id = rule.fit_id(&old, *again);
                let id_bytes = id.as_bytes();
                if !(used.contains(id_bytes) || beside.contains(id_bytes) || stolen(id_bytes)) {
                    break id;
                }
                *again += 1;
            };
            // An old id stays distinct from the new ids of other calls.
            if capabilities.unique_calls || !rule.fits(&old) && *again == 0 {
                used.insert(id.clone().into_bytes());
            }
            beside.insert(id.clone().into_bytes());
            if !call.has_synthetic_id {
                losses.add_change(LossKind::CALL_ID_RENAMED, block.at, &*id);
            }
            call.id = Text::new(&id);
            batch.push(Some(call.id.clone()));
        }
    }
}

/// True if all ids fit, and differ where they must, as most stored ones do.
fn are_distinct(conversation: &Thread, rule: &IdRule, everywhere: bool) -> bool {
    // Ids are compared as they are written, which an escape makes ambiguous.
    let fits = |call: &ToolCall| {
        let id = call.id.raw();
        !call.has_synthetic_id && !id.contains(&b'\\') && rule.fits(&id)
    };
    if !conversation.messages.iter().flat_map(Message::calls).all(fits) {
        return false;
    }
    // Two ids may have the same fingerprint: then the ids themselves are compared.
    let differ = |calls: &mut dyn Iterator<Item = &ToolCall>| {
        let mut used: Vec<u64> = calls.map(|call| fingerprint_of(&call.id.raw())).collect();
        used.sort_unstable();
        used.is_sorted_by(|one, next| one < next)
    };
    let messages = &conversation.messages;
    match everywhere {
        true => differ(&mut messages.iter().flat_map(Message::calls)),
        false => messages.iter().all(|message| differ(&mut message.calls())),
    }
}

/// The ids in the source, if some calls have none.
fn stored_ids(conversation: &Thread) -> HashSet<Vec<u8>> {
    let calls = || conversation.messages.iter().flat_map(Message::calls);
    if !calls().any(|call| call.has_synthetic_id) {
        return HashSet::default();
    }
    calls().filter(|call| !call.has_synthetic_id).map(|call| call.id.plain().into_owned()).collect()
}

fn tool_names(conversation: &mut Thread, capabilities: &Capabilities, losses: &mut Losses) {
    let rule = capabilities.tool_names;
    let mut all_fit = true;
    visit_tool_names(conversation, &mut |name, _| all_fit &= rule.fits(&name.plain()));
    if all_fit {
        return;
    }
    // Names that fit are kept, and no other tool may get one of them.
    let mut used: HashSet<Vec<u8>> = HashSet::default();
    visit_tool_names(conversation, &mut |name, _| {
        if rule.fits(&name.plain()) {
            used.insert(name.plain().into_owned());
        }
    });
    let mut new: HashMap<Vec<u8>, Text> = HashMap::default();
    visit_tool_names(conversation, &mut |name, at| {
        let old = name.plain().into_owned();
        if rule.fits(&old) {
            return;
        }
        *name = new.entry(old).or_insert_with_key(|old| unused_name(old, &rule, &mut used)).clone();
        if let Some(at) = at {
            losses.add_change(LossKind::TOOL_RENAMED, at, name.to_plain_string());
        }
    });
}

/// A name that fits and that no other tool has.
fn unused_name(old: &[u8], rule: &IdRule, used: &mut HashSet<Vec<u8>>) -> Text {
    let mut again = 0;
    loop {
        let name = rule.fit_id(old, again);
        if used.insert(name.clone().into_bytes()) {
            return Text::new(&name);
        }
        again += 1;
    }
}

/// Visits every name of a tool, with the location of those whose renaming is reported: definitions and calls.
fn visit_tool_names(conversation: &mut Thread, each: &mut dyn FnMut(&mut Text, Option<SourceLocation>)) {
    for tool in &mut conversation.tools {
        let at = tool.at;
        if let Some(name) = tool.name_mut() {
            each(name, Some(at));
        }
    }
    for block in conversation.messages.iter_mut().flat_map(|message| &mut message.parts) {
        match &mut block.kind {
            PartKind::Call(call) => each(&mut call.name, Some(block.at)),
            PartKind::Result(result) => result.name.iter_mut().for_each(|name| each(name, None)),
            _ => {}
        }
    }
    match conversation.settings.choice.as_mut().map(|choice| &mut choice.value) {
        Some(ToolChoice::Tool(name)) => each(name, None),
        Some(ToolChoice::Allowed { names, .. }) => names.iter_mut().for_each(|name| each(name, None)),
        _ => {}
    }
}
