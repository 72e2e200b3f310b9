//! One item as the SDK sends it (`getInputItems` of `@openai/agents-openai` 0.20): its keys in snake case, with what the
//! provider gave besides (`providerData`), and some of them by other names.

use crate::json::edit::Base;
use crate::json::string::snake_case;
use crate::json::{Member, Val, name};
use crate::message::write::Writer;
use crate::message::{Raw, Text};
use crate::place::Place;

/// Names that `providerData.type` of a hosted tool had in the SDK's first versions.
const HOSTED: [(&str, &str); 4] = [
    ("web_search", "web_search_call"),
    ("file_search", "file_search_call"),
    ("code_interpreter", "code_interpreter_call"),
    ("image_generation", "image_generation_call"),
];

/// The id that the SDK gives to items of other APIs; it is not sent.
const NO_ID: &str = "FAKE_ID";

/// Objects in objects that are renamed, too.
const LEVELS: u32 = 8;

/// The item as it is sent. `None` for what is not an item.
pub(super) fn sent(item: Val<'_>, base: Base<'_>) -> Option<Raw> {
    if !item.is_object() {
        return None;
    }
    let text = |val: Val<'_>, key: &str| val.get(key).and_then(|own| own.text()).map(|own| own.into_owned());
    let kind = text(item, "type");
    let kind = kind.as_deref().map_or("message", |kind| std::str::from_utf8(kind).unwrap_or_default());
    let given = given(item);
    let typed = |name: &str| Object::typed(name, base.of(item));
    let out = match kind {
        "message" => {
            let content = item.get(name::content)?;
            let content = if content.is_string() { Raw::copied(content, base) } else { parts(content, base) };
            typed("message").with("content", content).members(item, &["type", "content"], base)
        }
        "function_call_result" => {
            let out = typed("function_call_output").with("output", output(item.get(name::output)?, base));
            out.members(item, &["type", "output", "name"], base)
        }
        "reasoning" => {
            let list = item.get(name::content).into_iter().flat_map(|list| list.elements());
            let part = |own: Val<'_>| {
                Object::typed("summary_text", base.of(own)).copy("text", own.get(name::text), base).raw()
            };
            let out = typed("reasoning").with("summary", array(list.map(part), base.of(item)));
            out.members(item, &["type", "content", "rawContent"], base)
        }
        "hosted_tool_call" => {
            let own = given.and_then(|given| text(given, "type")).or_else(|| text(item, "name"))?;
            let own = String::from_utf8_lossy(&own);
            let name = HOSTED.iter().find(|(old, _)| *old == own).map_or(&*own, |(_, name)| name);
            typed(name).members(item, &["type", "name", "arguments", "output"], base)
        }
        "computer_call_result" => {
            let output = item.get(name::output)?;
            let screenshot = Object::typed("computer_screenshot", base.of(output));
            let screenshot = screenshot.copy("image_url", output.get(name::data), base).raw();
            typed("computer_call_output").with("output", screenshot).members(item, &["type", "output"], base)
        }
        // What the SDK does not know itself.
        "unknown" => Object::of(base.of(item)),
        kind => typed(kind).members(item, &["type"], base),
    };
    Some(out.given(given, base).raw())
}

fn given(val: Val<'_>) -> Option<Val<'_>> {
    val.get("providerData").filter(|given| given.is_object())
}

/// An object in the making.
struct Object {
    at: Place,
    members: Vec<(String, Raw)>,
}

impl Object {
    fn of(at: Place) -> Object {
        Object { at, members: Vec::new() }
    }

    fn typed(name: &str, at: Place) -> Object {
        Object::of(at).with("type", Raw::build(at, |w| w.plain(name)))
    }

    fn with(mut self, key: &str, val: Raw) -> Object {
        self.members.push((key.to_owned(), val));
        self
    }

    fn copy(self, key: &str, val: Option<Val<'_>>, base: Base<'_>) -> Object {
        match val {
            Some(val) => self.with(key, Raw::copied(val, base)),
            None => self,
        }
    }

    /// The members of an item, but these.
    fn members(mut self, item: Val<'_>, but: &[&str], base: Base<'_>) -> Object {
        for member in item.members() {
            let key = String::from_utf8_lossy(member.key.raw);
            let is_fake = key == "id" && member.val.is(NO_ID);
            if key != "providerData" && !but.contains(&&*key) && !is_fake {
                // A definition of a tool holds names of the user's own.
                let levels = if key == "tools" { 0 } else { LEVELS };
                self = self.with(&snake_case(&key), renamed(member.val, base, levels));
            }
        }
        self
    }

    /// What the provider gave besides, as far as the item does not say it.
    fn given(mut self, given: Option<Val<'_>>, base: Base<'_>) -> Object {
        for member in given.into_iter().flat_map(|given| given.members()) {
            let key = snake_case(&String::from_utf8_lossy(member.key.raw));
            if !self.members.iter().any(|(own, _)| *own == key) {
                self = self.with(&key, renamed(member.val, base, LEVELS));
            }
        }
        self
    }

    fn raw(&self) -> Raw {
        let member = |w: &mut Writer<'_>, (key, val): &(String, Raw)| w.key(key).raw(val);
        Raw::build(self.at, |w| w.object(|w| self.members.iter().for_each(|own| member(w, own))))
    }
}

fn array(elements: impl Iterator<Item = Raw>, at: Place) -> Raw {
    Raw::build(at, |w| w.array(|w| elements.for_each(|own| w.raw(&own))))
}

/// A value whose keys are in snake case.
fn renamed(val: Val<'_>, base: Base<'_>, levels: u32) -> Raw {
    let at = base.of(val);
    match levels.checked_sub(1) {
        Some(levels) if val.is_object() => {
            let key = |member: &Member<'_>| snake_case(&String::from_utf8_lossy(member.key.raw));
            let add = |out: Object, member: Member<'_>| out.with(&key(&member), renamed(member.val, base, levels));
            val.members().fold(Object::of(at), add).raw()
        }
        Some(levels) if val.is_array() => array(val.elements().map(|own| renamed(own, base, levels)), at),
        _ => Raw::copied(val, base),
    }
}

/// The result of a function: a text, or parts.
fn output(output: Val<'_>, base: Base<'_>) -> Raw {
    let is = |kind: &str| output.get(name::r#type).is_some_and(|own| own.is(kind));
    let at = base.of(output);
    match output.get(name::text) {
        _ if output.is_array() => parts(output, base),
        Some(text) if is("text") => Raw::copied(text, base),
        None if is("text") => Raw::named("\"\"", at),
        _ if is("image") => array(std::iter::once(part(output, base)), at),
        _ => Raw::build(at, |w| w.text(&Text::of_json(output, base))),
    }
}

fn parts(list: Val<'_>, base: Base<'_>) -> Raw {
    array(list.elements().map(|own| part(own, base)), base.of(list))
}

fn part(part: Val<'_>, base: Base<'_>) -> Raw {
    let at = base.of(part);
    let is = |kind: &str| part.get(name::r#type).is_some_and(|own| own.is(kind));
    let given = given(part);
    let out = match () {
        () if is("output_text") => {
            let annotations = given.and_then(|given| given.get(name::annotations)).filter(|own| own.is_array());
            let annotations = annotations.map_or_else(|| Raw::named("[]", at), |own| renamed(own, base, LEVELS));
            let out = Object::typed("output_text", at).copy("text", part.get(name::text), base);
            out.with("annotations", annotations)
        }
        () if is("input_image") || is("image") => {
            // A text, or an object that says what the text is.
            let image = part.get(name::image);
            let url =
                image.filter(Val::is_string).or_else(|| image?.get(name::url)).or_else(|| part.get("imageUrl"));
            let id = image.and_then(|own| own.get(name::id)).or_else(|| part.get("fileId"));
            let out = Object::typed("input_image", at).copy("detail", part.get(name::detail), base);
            out.copy("image_url", url, base).copy("file_id", id, base)
        }
        () if is("input_file") => {
            let file = part.get(name::file);
            let text = file.filter(Val::is_string);
            let is_url = text.is_some_and(|own| own.text().is_some_and(|own| own.starts_with(b"https://")));
            let url = text.filter(|_| is_url).or_else(|| file?.get(name::url)).or_else(|| part.get("fileUrl"));
            let data = text.filter(|_| !is_url).or_else(|| part.get(name::fileData));
            let id = file.and_then(|own| own.get(name::id)).or_else(|| part.get("fileId"));
            let out = Object::typed("input_file", at).copy("file_url", url, base).copy("file_data", data, base);
            out.copy("file_id", id, base).copy("filename", part.get(name::filename), base)
        }
        () => Object::of(at).members(part, &[], base),
    };
    out.given(given, base).raw()
}
