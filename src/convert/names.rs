//! Names and ids that a dialect's pattern refuses get others, the same on every run: of a call and of its result, of a
//! tool and wherever it is named.

use std::collections::{HashMap, HashSet};

use crate::neutral::{Choice, Conversation, LossKind, Losses, Message, Takes, Text, ToolKind, Voice, What};

pub fn fit(conversation: &mut Conversation, takes: &Takes, losses: &mut Losses) {
    call_ids(conversation, takes, losses);
    tool_names(conversation, takes, losses);
}

fn call_ids(conversation: &mut Conversation, takes: &Takes, losses: &mut Losses) {
    let model = conversation.model.as_ref().map(|model| String::from_utf8_lossy(&model.plain()).into_owned());
    let rule = takes.call_ids_for(model.as_deref());
    let mut used: HashSet<Vec<u8>> = HashSet::new();
    // An id that is made up here must be none that a later call has.
    let stored = stored_ids(conversation);
    let mut tries: HashMap<Vec<u8>, u32> = HashMap::new();
    // Results stand directly behind their calls, in their order.
    let mut batch: Vec<Option<Text>> = Vec::new();
    for message in &mut conversation.messages {
        if message.voice == Voice::Tool {
            let mut new = batch.drain(..);
            for block in &mut message.blocks {
                if let (What::Result(result), Some(Some(id))) = (&mut block.what, new.next()) {
                    result.id = id;
                }
            }
            continue;
        }
        batch.clear();
        let mut beside: HashSet<Vec<u8>> = HashSet::new();
        for block in &mut message.blocks {
            let What::Call(call) = &mut block.what else { continue };
            let old = call.id.plain().into_owned();
            // Calls of one message have ids of their own in every dialect.
            let stolen = |id: &[u8]| call.invented && stored.contains(id);
            let taken = beside.contains(&old) || stolen(&old) || takes.unique_calls && used.contains(&old);
            if rule.fits(&old) && !taken {
                if takes.unique_calls {
                    used.insert(old.clone());
                }
                beside.insert(old);
                batch.push(None);
                continue;
            }
            // Thousands of calls may share an id: each goes on where the one before ended.
            let again = tries.entry(old.clone()).or_default();
            let id = loop {
                let id = rule.fitting(&old, *again);
                let id_bytes = id.as_bytes();
                if !(used.contains(id_bytes) || beside.contains(id_bytes) || stolen(id_bytes)) {
                    break id;
                }
                *again += 1;
            };
            // What a call had before stays apart from what another gets now.
            if takes.unique_calls || !rule.fits(&old) && *again == 0 {
                used.insert(id.clone().into_bytes());
            }
            beside.insert(id.clone().into_bytes());
            if !call.invented {
                losses.add(LossKind::CALL_ID_RENAMED, block.at);
            }
            call.id = Text::new(&id);
            batch.push(Some(call.id.clone()));
        }
    }
}

/// Ids that calls came with, if others came without.
fn stored_ids(conversation: &Conversation) -> HashSet<Vec<u8>> {
    let calls = || conversation.messages.iter().flat_map(Message::calls);
    if !calls().any(|call| call.invented) {
        return HashSet::new();
    }
    calls().filter(|call| !call.invented).map(|call| call.id.plain().into_owned()).collect()
}

fn tool_names(conversation: &mut Conversation, takes: &Takes, losses: &mut Losses) {
    let rule = takes.tool_names;
    let mut new: HashMap<Vec<u8>, Text> = HashMap::new();
    let mut fit = |name: &mut Text| {
        let old = name.plain().into_owned();
        if rule.fits(&old) {
            return false;
        }
        *name = new.entry(old).or_insert_with_key(|old| Text::new(&rule.fitting(old, 0))).clone();
        true
    };
    for tool in &mut conversation.tools {
        if let ToolKind::Function { name, .. } | ToolKind::Custom { name, .. } = &mut tool.kind
            && fit(name)
        {
            losses.add(LossKind::TOOL_RENAMED, tool.at);
        }
    }
    for block in conversation.messages.iter_mut().flat_map(|message| &mut message.blocks) {
        let (name, calls) = match &mut block.what {
            What::Call(call) => (Some(&mut call.name), true),
            What::Result(result) => (result.name.as_mut(), false),
            _ => (None, false),
        };
        if name.is_some_and(&mut fit) && calls {
            losses.add(LossKind::TOOL_RENAMED, block.at);
        }
    }
    if let Some(choice) = &mut conversation.settings.choice
        && let Choice::Tool(name) = &mut choice.value
    {
        fit(name);
    }
}
