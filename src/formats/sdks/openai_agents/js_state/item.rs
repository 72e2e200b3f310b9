//! The translation of an item, as the SDK sends it (`getInputItems` of `@openai/agents-openai` 0.20): with keys in snake
//! case, the members of `providerData`, and some other names.

use crate::json::edit::RecordBase;
use crate::json::string::snake_case;
use crate::json::{Member, Val, name};
use crate::message::write::JsonWriter;
use crate::message::{RawJson, Text};
use crate::place::Place;

/// Types of hosted tools in the SDK's first versions (`providerData.type`), and their types in the API.
const HOSTED: [(&str, &str); 4] = [
    ("web_search", "web_search_call"),
    ("file_search", "file_search_call"),
    ("code_interpreter", "code_interpreter_call"),
    ("image_generation", "image_generation_call"),
];

/// The id that the SDK gives to items of other APIs. It is not sent.
const FAKE_ID: &str = "FAKE_ID";

/// The number of levels of nested objects whose keys are converted.
const LEVELS: u32 = 8;

/// The item as it is sent; `None` if the value is not an item.
pub(super) fn translate(item: Val<'_>, base: RecordBase<'_>) -> Option<RawJson> {
    if !item.is_object() {
        return None;
    }
    let text = |val: Val<'_>, key: &str| val.get(key).and_then(|own| own.text()).map(|own| own.into_owned());
    let kind = text(item, "type");
    let kind = kind.as_deref().map_or("message", |kind| std::str::from_utf8(kind).unwrap_or_default());
    let provider_data = provider_data(item);
    let typed = |name: &str| ObjectBuilder::typed(name, base.of(item));
    let out = match kind {
        "message" => {
            let content = item.get(name::content)?;
            let content = if content.is_string() { RawJson::copied(content, base) } else { parts(content, base) };
            typed("message").with("content", content).copy_members(item, &["type", "content"], base)
        }
        "function_call_result" => {
            let out = typed("function_call_output").with("output", output(item.get(name::output)?, base));
            out.copy_members(item, &["type", "output", "name"], base)
        }
        "reasoning" => {
            let list = item.get(name::content).into_iter().flat_map(|list| list.elements());
            let part = |own: Val<'_>| {
                ObjectBuilder::typed("summary_text", base.of(own)).copy("text", own.get(name::text), base).raw()
            };
            let out = typed("reasoning").with("summary", array(list.map(part), base.of(item)));
            out.copy_members(item, &["type", "content", "rawContent"], base)
        }
        "hosted_tool_call" => {
            let own = provider_data
                .and_then(|provider_data| text(provider_data, "type"))
                .or_else(|| text(item, "name"))?;
            let own = String::from_utf8_lossy(&own);
            let name = HOSTED.iter().find(|(old, _)| *old == own).map_or(&*own, |(_, name)| name);
            typed(name).copy_members(item, &["type", "name", "arguments", "output"], base)
        }
        "computer_call_result" => {
            let output = item.get(name::output)?;
            let screenshot = ObjectBuilder::typed("computer_screenshot", base.of(output));
            let screenshot = screenshot.copy("image_url", output.get(name::data), base).raw();
            typed("computer_call_output").with("output", screenshot).copy_members(item, &["type", "output"], base)
        }
        // An item of a type that the SDK does not know.
        "unknown" => ObjectBuilder::of(base.of(item)),
        kind => typed(kind).copy_members(item, &["type"], base),
    };
    Some(out.add_missing(provider_data, base).raw())
}

fn provider_data(val: Val<'_>) -> Option<Val<'_>> {
    val.get("providerData").filter(|provider_data| provider_data.is_object())
}

/// An object under construction.
struct ObjectBuilder {
    at: Place,
    members: Vec<(String, RawJson)>,
}

impl ObjectBuilder {
    fn of(at: Place) -> ObjectBuilder {
        ObjectBuilder { at, members: Vec::new() }
    }

    fn typed(name: &str, at: Place) -> ObjectBuilder {
        ObjectBuilder::of(at).with("type", RawJson::build(at, |w| w.plain(name)))
    }

    fn with(mut self, key: &str, val: RawJson) -> ObjectBuilder {
        self.members.push((key.to_owned(), val));
        self
    }

    fn copy(self, key: &str, val: Option<Val<'_>>, base: RecordBase<'_>) -> ObjectBuilder {
        match val {
            Some(val) => self.with(key, RawJson::copied(val, base)),
            None => self,
        }
    }

    /// Adds the members of an item, except these.
    fn copy_members(mut self, item: Val<'_>, except: &[&str], base: RecordBase<'_>) -> ObjectBuilder {
        for member in item.members() {
            let key = String::from_utf8_lossy(member.key.raw);
            let is_fake = key == "id" && member.val.is(FAKE_ID);
            if key != "providerData" && !except.contains(&&*key) && !is_fake {
                // The definition of a tool contains names chosen by the user.
                let levels = if key == "tools" { 0 } else { LEVELS };
                self = self.with(&snake_case(&key), with_snake_case_keys(member.val, base, levels));
            }
        }
        self
    }

    /// Adds the members of `providerData` that the item does not have.
    fn add_missing(mut self, provider_data: Option<Val<'_>>, base: RecordBase<'_>) -> ObjectBuilder {
        for member in provider_data.into_iter().flat_map(|provider_data| provider_data.members()) {
            let key = snake_case(&String::from_utf8_lossy(member.key.raw));
            if !self.members.iter().any(|(own, _)| *own == key) {
                self = self.with(&key, with_snake_case_keys(member.val, base, LEVELS));
            }
        }
        self
    }

    fn raw(&self) -> RawJson {
        let member = |w: &mut JsonWriter<'_>, (key, val): &(String, RawJson)| w.key(key).raw(val);
        RawJson::build(self.at, |w| w.object(|w| self.members.iter().for_each(|own| member(w, own))))
    }
}

fn array(elements: impl Iterator<Item = RawJson>, at: Place) -> RawJson {
    RawJson::build(at, |w| w.array(|w| elements.for_each(|own| w.raw(&own))))
}

/// A value with its keys in snake case.
fn with_snake_case_keys(val: Val<'_>, base: RecordBase<'_>, levels: u32) -> RawJson {
    let at = base.of(val);
    match levels.checked_sub(1) {
        Some(levels) if val.is_object() => {
            let key = |member: &Member<'_>| snake_case(&String::from_utf8_lossy(member.key.raw));
            let add = |out: ObjectBuilder, member: Member<'_>| {
                out.with(&key(&member), with_snake_case_keys(member.val, base, levels))
            };
            val.members().fold(ObjectBuilder::of(at), add).raw()
        }
        Some(levels) if val.is_array() => {
            array(val.elements().map(|own| with_snake_case_keys(own, base, levels)), at)
        }
        _ => RawJson::copied(val, base),
    }
}

/// The output of a function: a text, or parts.
fn output(output: Val<'_>, base: RecordBase<'_>) -> RawJson {
    let is = |kind: &str| output.get(name::r#type).is_some_and(|own| own.is(kind));
    let at = base.of(output);
    match output.get(name::text) {
        _ if output.is_array() => parts(output, base),
        Some(text) if is("text") => RawJson::copied(text, base),
        None if is("text") => RawJson::synthetic("\"\"", at),
        _ if is("image") => array(std::iter::once(part(output, base)), at),
        _ => RawJson::build(at, |w| w.text(&Text::of_json(output, base))),
    }
}

fn parts(list: Val<'_>, base: RecordBase<'_>) -> RawJson {
    array(list.elements().map(|own| part(own, base)), base.of(list))
}

fn part(part: Val<'_>, base: RecordBase<'_>) -> RawJson {
    let at = base.of(part);
    let is = |kind: &str| part.get(name::r#type).is_some_and(|own| own.is(kind));
    let provider_data = provider_data(part);
    let out = match () {
        () if is("output_text") => {
            let annotations = provider_data
                .and_then(|provider_data| provider_data.get(name::annotations))
                .filter(|own| own.is_array());
            let annotations = annotations
                .map_or_else(|| RawJson::synthetic("[]", at), |own| with_snake_case_keys(own, base, LEVELS));
            let out = ObjectBuilder::typed("output_text", at).copy("text", part.get(name::text), base);
            out.with("annotations", annotations)
        }
        () if is("input_image") || is("image") => {
            // A URL, or an object with a URL or an id.
            let image = part.get(name::image);
            let url =
                image.filter(Val::is_string).or_else(|| image?.get(name::url)).or_else(|| part.get("imageUrl"));
            let id = image.and_then(|own| own.get(name::id)).or_else(|| part.get("fileId"));
            let out = ObjectBuilder::typed("input_image", at).copy("detail", part.get(name::detail), base);
            out.copy("image_url", url, base).copy("file_id", id, base)
        }
        () if is("input_file") => {
            let file = part.get(name::file);
            let text = file.filter(Val::is_string);
            let is_url = text.is_some_and(|own| own.text().is_some_and(|own| own.starts_with(b"https://")));
            let url = text.filter(|_| is_url).or_else(|| file?.get(name::url)).or_else(|| part.get("fileUrl"));
            let data = text.filter(|_| !is_url).or_else(|| part.get(name::fileData));
            let id = file.and_then(|own| own.get(name::id)).or_else(|| part.get("fileId"));
            let out =
                ObjectBuilder::typed("input_file", at).copy("file_url", url, base).copy("file_data", data, base);
            out.copy("file_id", id, base).copy("filename", part.get(name::filename), base)
        }
        () => ObjectBuilder::of(at).copy_members(part, &[], base),
    };
    out.add_missing(provider_data, base).raw()
}
