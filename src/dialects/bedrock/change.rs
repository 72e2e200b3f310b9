//! Changes within a message, a block, or the request around them.

use std::collections::BTreeSet;

use crate::dialect::{Cannot, Change};
use crate::history::Act;
use crate::json::edit::{Base, add_element, add_member, remove_members};
use crate::json::{Tape, Val, scan, string};
use crate::place::Edit;

/// What can be mended in a message, a block, or a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub enum Mend {
    /// Make a call's `input` an object.
    Input,
    /// Say in a result that is an error that the tool said nothing.
    ErrorText,
    /// Put a text beside a message's documents.
    DocumentText,
    /// Take out of a document's name what may not stand there; in a result, out of those of all its documents.
    DocumentName,
    /// Take the signature of reasoning away.
    StripSignature,
    /// Of a request: define the tools that were called.
    ToolConfig,
}

const MENDS: [Mend; 6] =
    [Mend::Input, Mend::ErrorText, Mend::DocumentText, Mend::DocumentName, Mend::StripSignature, Mend::ToolConfig];

const NO_OUTPUT: &str = "the tool gave no output";
const ATTACHED: &str = "see the attached document";

/// A document's name may be this many characters long (AWS API reference, DocumentBlock).
pub const NAME_LIMIT: usize = 200;

/// Where a longer one is cut: a number to tell it from another may come behind it.
const CUT: usize = NAME_LIMIT - 10;

impl Mend {
    pub const fn act(self) -> Act {
        Act::Field(self as u16)
    }

    /// Whether a document may be called so. The underscore is not documented, and accepted in live probes.
    pub fn allows_name(name: &[u8]) -> bool {
        let allowed = |b: &u8| b.is_ascii_alphanumeric() || b"_ -()[]".contains(b);
        !name.is_empty()
            && name.len() <= NAME_LIMIT
            && name.iter().all(allowed)
            && !name.windows(2).any(|pair| pair == b"  ")
    }

    /// The documents in a tool's result.
    pub fn inner_documents<'t>(block: Val<'t>) -> impl Iterator<Item = Val<'t>> {
        let content = block.at(&["toolResult", "content"]).filter(Val::is_array);
        content.into_iter().flat_map(|content| content.elements()).filter_map(|part| part.get("document"))
    }
}

pub(super) fn change(change: &Change, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match change {
        Change::Rename(key) => {
            let paths = [["toolUse", "toolUseId"], ["toolResult", "toolUseId"], ["document", "name"]];
            let old = paths.iter().find_map(|path| item.at(path)).ok_or(Cannot("the block has no id"))?;
            out.push(Edit::replace(base.of(old), string::quoted(key)));
            Ok(())
        }
        Change::Field(number) => match MENDS.get(usize::from(*number)) {
            Some(mend) => mended(*mend, item, base, out),
            None => Err(Cannot("the field does not exist")),
        },
        _ => Err(Cannot("no message of this dialect has such a field")),
    }
}

const NO_FIELD: Cannot = Cannot("the block has no such field");

fn mended(mend: Mend, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
    match mend {
        Mend::Input => {
            let call = item.get("toolUse").ok_or(NO_FIELD)?;
            match call.get("input") {
                Some(input) => out.push(Edit::replace(base.of(input), object_of(input))),
                None => add_member(call, br#""input":{}"#.to_vec(), base, out)?,
            }
        }
        Mend::ErrorText => {
            let content = item.at(&["toolResult", "content"]).ok_or(NO_FIELD)?;
            add_element(content, text_block(NO_OUTPUT), base, out)?;
        }
        Mend::DocumentText => {
            add_element(item.get("content").ok_or(NO_FIELD)?, text_block(ATTACHED), base, out)?;
        }
        Mend::DocumentName => {
            for document in item.get("document").into_iter().chain(Mend::inner_documents(item)) {
                let name = document.get("name").ok_or(NO_FIELD)?;
                let text = name.text().ok_or(Cannot("the name is not a string"))?;
                if !Mend::allows_name(&text) {
                    out.push(Edit::replace(base.of(name), string::quoted(&allowed_name(&text))));
                }
            }
        }
        Mend::StripSignature => {
            let text = item.at(&["reasoningContent", "reasoningText"]).ok_or(NO_FIELD)?;
            remove_members(text, &["signature"], base, out)?;
        }
        Mend::ToolConfig => match item.get("toolConfig") {
            // A second member of this name would leave it to the reader which one counts.
            Some(old) => out.push(Edit::replace(base.of(old), tool_config(item))),
            None => add_member(item, [br#""toolConfig":"#.as_slice(), &tool_config(item)].concat(), base, out)?,
        },
    }
    Ok(())
}

fn text_block(text: &str) -> Vec<u8> {
    [br#"{"text":"#.as_slice(), &string::quoted(text), b"}"].concat()
}

/// An object that says what an input says. Arguments that other APIs keep as a text are read.
fn object_of(input: Val<'_>) -> Vec<u8> {
    if input.is_null() {
        return b"{}".to_vec();
    }
    let text = input.text().unwrap_or_default();
    let mut tape = Tape::new();
    let read = scan(&text, &mut tape).ok().and_then(|()| tape.root(&text)).filter(Val::is_object);
    match read {
        Some(object) => object.raw().to_vec(),
        None if input.is_string() && text.trim_ascii().is_empty() => b"{}".to_vec(),
        None => [br#"{"input":"#, input.raw(), b"}"].concat(),
    }
}

fn allowed_name(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    let mut out = String::new();
    for c in text.chars() {
        let c = if c.is_ascii_alphanumeric() || "_-()[]".contains(c) { c } else { ' ' };
        if out.len() < CUT && !(c == ' ' && (out.is_empty() || out.ends_with(' '))) {
            out.push(c);
        }
    }
    let out = out.trim_end();
    if out.is_empty() { "document".to_owned() } else { out.to_owned() }
}

/// Definitions of the tools that a request's messages call: their names, and nothing about their arguments.
fn tool_config(body: Val<'_>) -> Vec<u8> {
    let messages = body.get("messages").into_iter().flat_map(|messages| messages.elements());
    let blocks = messages.filter_map(|message| message.get("content")).flat_map(|content| content.elements());
    let names: BTreeSet<&[u8]> = blocks
        .filter_map(|block| block.at(&["toolUse", "name"]))
        .filter(Val::is_string)
        .map(|name| name.raw())
        .collect();
    let spec = |name: &[u8]| {
        [br#"{"toolSpec":{"name":"#, name, br#","inputSchema":{"json":{"type":"object"}}}}"#].concat()
    };
    let tools: Vec<Vec<u8>> = names.into_iter().map(spec).collect();
    [br#"{"tools":["#.as_slice(), &tools.join(&b","[..]), b"]}"].concat()
}
