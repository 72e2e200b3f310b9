//! Kinds of damage to histories of the Responses API; each was seen in logs.

use serde_json::{Value, json};

use super::responses::{HOSTED_KINDS, ItemHistory, insert_response};
use super::{DamageFn, pick_place};
use crate::support::rng::Rng;

pub const KINDS: &[(&str, DamageFn<ItemHistory>)] = &[
    ("drop a call", |rng, h| remove_item(rng, h, |h, n| is_call(&h.items[n]))),
    ("drop an output", |rng, h| remove_item(rng, h, |h, n| is_output(&h.items[n]))),
    ("drop an output", |rng, h| remove_item(rng, h, |h, n| is_output(&h.items[n]))),
    ("drop reasoning", |rng, h| remove_item(rng, h, |h, n| is_reasoning(&h.items[n]))),
    ("drop the first follower", |rng, h| remove_item(rng, h, |h, n| position_in_group(h, n) == Some(1))),
    ("drop a later follower", |rng, h| {
        remove_item(rng, h, |h, n| position_in_group(h, n).is_some_and(|nth| nth > 1))
    }),
    ("strip one id", |rng, h| {
        let n = pick_place(rng, &h.items, |n, _| position_in_group(h, n).is_some() && !is_hosted(&h.items[n]))?;
        strip_id(&mut h.items[n])
    }),
    ("strip the reasoning's id", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| is_reasoning(item))?;
        strip_id(&mut h.items[n])
    }),
    ("empty call_id, both sides", |rng, h| {
        let (call, output) = pick_pair(rng, h)?;
        h.items[call]["call_id"] = json!("");
        h.items[output]["call_id"] = json!("");
        Some(())
    }),
    ("empty call_id, one side", |rng, h| {
        let (call, output) = pick_pair(rng, h)?;
        let at = *rng.pick(&[call, output]);
        h.items[at]["call_id"] = json!("");
        Some(())
    }),
    ("duplicate output, equal", |rng, h| duplicate_later(rng, h, is_output)),
    ("duplicate output, differing", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| is_output(item) && item["output"].is_string())?;
        let mut copy = h.items[n].clone();
        copy["output"] = json!(format!("other result <{}>", h.next_number()));
        h.items.insert(n + 1, copy);
        Some(())
    }),
    ("duplicate call, equal", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| is_call(item))?;
        let mut copy = h.items[n].clone();
        if rng.one_in(2) {
            strip_id(&mut copy);
        }
        h.items.insert(n + 1, copy);
        Some(())
    }),
    ("duplicate item id", |rng, h| {
        let first = pick_place(rng, &h.items, |_, item| has_own_id(item))?;
        let kind = h.items[first]["type"].clone();
        let second = pick_place(rng, &h.items, |n, item| n > first && has_own_id(item) && item["type"] == kind)?;
        h.items[second]["id"] = h.items[first]["id"].clone();
        Some(())
    }),
    ("an item twice", |rng, h| duplicate_later(rng, h, has_own_id)),
    ("output before its call", |rng, h| {
        let (call, output) = pick_pair(rng, h)?;
        let item = h.items.remove(output);
        h.items.insert(call, item);
        Some(())
    }),
    ("output past a user message", |rng, h| {
        let n = pick_place(rng, &h.items, |n, item| is_output(item) && h.items[n..].iter().any(is_user))?;
        let users: Vec<usize> = (n..h.items.len()).filter(|n| is_user(&h.items[*n])).collect();
        let item = h.items.remove(n);
        h.items.insert(*rng.pick(&users), item);
        Some(())
    }),
    ("user message inside a group", |rng, h| {
        let n = pick_place(rng, &h.items, |n, _| position_in_group(h, n).is_some())?;
        let text = format!("interrupt <{}>", h.next_number());
        h.items.insert(n, json!({"role": "user", "content": text}));
        Some(())
    }),
    ("parallel calls split", |rng, h| {
        // The outputs directly after their calls.
        let n = pick_place(rng, &h.items, |n, item| is_call(item) && h.items.get(n + 1).is_some_and(is_call))?;
        let key = h.items[n]["call_id"].clone();
        let output =
            h.items.iter().position(|item| is_output(item) && item["call_id"] == key).filter(|at| *at > n)?;
        let item = h.items.remove(output);
        h.items.insert(n + 1, item);
        Some(())
    }),
    ("reasoning at the end", |_, h| {
        let n = h.next_number();
        h.items.push(json!({"type": "reasoning", "id": format!("rs_p{n:03}q"), "summary": [], "encrypted_content": format!("gAAAAA<{n}>")}));
        Some(())
    }),
    ("reasoning alone", |rng, h| {
        let n = h.next_number();
        let item = json!({"type": "reasoning", "id": format!("rs_p{n:03}q"), "summary": [], "encrypted_content": format!("gAAAAA<{n}>")});
        let at = pick_place(rng, &h.items, |_, item| is_user(item))?;
        h.items.insert(at, item);
        Some(())
    }),
    ("orphan beside hosted call", |rng, h| {
        insert_response(rng, h, |rng, h| {
            h.add_hosted_call(HOSTED_KINDS[rng.below(HOSTED_KINDS.len())]);
            h.add_call("function", false);
        })
    }),
    ("orphan before hosted call", |rng, h| {
        insert_response(rng, h, |rng, h| {
            h.add_call("function", false);
            h.add_hosted_call(HOSTED_KINDS[rng.below(HOSTED_KINDS.len())]);
        })
    }),
    ("orphan of another kind", |rng, h| {
        insert_response(rng, h, |rng, h| {
            let family = *rng.pick(&["computer", "local_shell", "custom", "apply_patch", "shell"]);
            h.add_call(family, false);
        })
    }),
    ("orphan of another kind beside an answered call", |rng, h| {
        insert_response(rng, h, |rng, h| {
            let family = *rng.pick(&["computer", "local_shell", "custom", "apply_patch", "shell"]);
            let output = if rng.one_in(2) {
                h.add_call(family, false);
                h.add_call("function", false)
            } else {
                let output = h.add_call("function", false);
                h.add_call(family, false);
                output
            };
            h.items.push(output);
        })
    }),
    ("orphan function beside another kind", |rng, h| {
        insert_response(rng, h, |rng, h| {
            let family = *rng.pick(&["computer", "local_shell", "custom", "apply_patch", "shell"]);
            let output = h.add_call(family, false);
            h.add_call("function", false);
            h.items.push(output);
        })
    }),
    ("approval without an answer", |rng, h| {
        insert_response(rng, h, |_, h| {
            let n = h.next_number();
            h.items.push(json!({"type": "mcp_approval_request", "id": format!("mcpr_p{n:03}q"), "server_label": "s", "name": "n",
                "arguments": format!("{{\"n\": {n}}}")}));
        })
    }),
    ("reference to reasoning alone", |rng, h| {
        let at = pick_place(rng, &h.items, |n, item| h.is_stored() && n > 0 && is_user(item))?;
        let id = format!("rs_p{:03}q", h.next_number());
        h.items.insert(at, json!({"type": "item_reference", "id": id}));
        Some(())
    }),
    ("reference without storage", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| {
            !h.is_stored() && item["type"] == "message" && item["id"].is_string()
        })?;
        h.items[n] = json!({"type": "item_reference", "id": h.items[n]["id"]});
        Some(())
    }),
    ("output null", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| is_text_output(item))?;
        h.items[n]["output"] = Value::Null;
        Some(())
    }),
    ("output missing", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| is_text_output(item))?;
        h.items[n].as_object_mut()?.remove("output");
        Some(())
    }),
    ("long call_id", |rng, h| {
        let (call, output) = pick_pair(rng, h)?;
        let long = format!("{}_{}", h.items[call]["call_id"].as_str()?, "x".repeat(65));
        h.items[call]["call_id"] = json!(long);
        h.items[output]["call_id"] = json!(long);
        Some(())
    }),
    ("output of another type", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| is_text_output(item))?;
        let other = match h.items[n]["type"].as_str()? {
            "function_call_output" => "custom_tool_call_output",
            _ => "function_call_output",
        };
        h.items[n]["type"] = json!(other);
        Some(())
    }),
    ("blob lost", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| is_reasoning(item) && item["encrypted_content"].is_string())?;
        let number = h.next_number();
        let item = h.items[n].as_object_mut()?;
        item.remove("encrypted_content");
        item.insert("summary".into(), json!([{"type": "summary_text", "text": format!("think <{number}>")}]));
        Some(())
    }),
    ("foreign id", |rng, h| {
        let n = pick_place(rng, &h.items, |_, item| {
            has_own_id(item) && is_call(item) && !KINDS_WITH_REQUIRED_IDS.contains(&kind(item))
        })?;
        let number = h.next_number();
        h.items[n]["id"] = json!(format!("toolu_{number}"));
        Some(())
    }),
    ("head cut off", |rng, h| {
        let cut = 1 + rng.below(h.items.len().min(4));
        (h.items.len() > cut + 1).then(|| drop(h.items.drain(..cut)))
    }),
    ("tail cut off", |rng, h| {
        let cut = 1 + rng.below(h.items.len().min(4));
        (h.items.len() > cut + 1).then(|| h.items.truncate(h.items.len() - cut))
    }),
];

/// Types of items that cannot be sent without their ids.
const KINDS_WITH_REQUIRED_IDS: [&str; 2] = ["computer_call", "local_shell_call"];

pub fn kind(item: &Value) -> &str {
    item["type"].as_str().unwrap_or("message")
}

fn is_output(item: &Value) -> bool {
    kind(item).ends_with("_call_output")
}

fn is_text_output(item: &Value) -> bool {
    ["function_call_output", "custom_tool_call_output"].contains(&kind(item))
}

fn is_call(item: &Value) -> bool {
    item["call_id"].is_string() && !is_output(item)
}

fn is_hosted(item: &Value) -> bool {
    HOSTED_KINDS.contains(&kind(item))
}

fn is_reasoning(item: &Value) -> bool {
    kind(item) == "reasoning"
}

fn is_user(item: &Value) -> bool {
    item["role"] == "user"
}

fn has_own_id(item: &Value) -> bool {
    item["id"].is_string() && !is_output(item) && kind(item) != "item_reference"
}

/// The distance of an item from the reasoning of its group.
fn position_in_group(h: &ItemHistory, n: usize) -> Option<usize> {
    let is_model_item = |item: &Value| is_call(item) || is_hosted(item) || item["role"] == "assistant";
    let before = h.items[..n].iter().rev().take_while(|item| is_model_item(item)).count();
    let follows_reasoning = n.checked_sub(before + 1).is_some_and(|at| is_reasoning(&h.items[at]));
    (follows_reasoning && is_model_item(&h.items[n])).then_some(before + 1)
}

fn remove_item(rng: &mut Rng, h: &mut ItemHistory, holds: impl Fn(&ItemHistory, usize) -> bool) -> Option<()> {
    let n = pick_place(rng, &h.items, |n, _| holds(h, n))?;
    (h.items.len() > 1).then(|| drop(h.items.remove(n)))
}

/// Inserts a copy of an item anywhere after it.
fn duplicate_later(rng: &mut Rng, h: &mut ItemHistory, fits: fn(&Value) -> bool) -> Option<()> {
    let n = pick_place(rng, &h.items, |_, item| fits(item))?;
    let at = n + 1 + rng.below(h.items.len() - n);
    h.items.insert(at, h.items[n].clone());
    Some(())
}

fn strip_id(item: &mut Value) -> Option<()> {
    item.as_object_mut()?.remove("id").map(drop)
}

/// Indices of a random call and its output.
fn pick_pair(rng: &mut Rng, h: &ItemHistory) -> Option<(usize, usize)> {
    let answer = |call: &Value| {
        let key = call["call_id"].as_str().filter(|key| !key.is_empty())?;
        h.items.iter().position(|item| is_output(item) && item["call_id"] == key)
    };
    let call = pick_place(rng, &h.items, |n, item| is_call(item) && answer(item).is_some_and(|at| at > n))?;
    Some((call, answer(&h.items[call])?))
}
