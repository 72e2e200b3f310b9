//! One item as the SDK sends it (`getInputItems` of `@openai/agents-openai` 0.20): its keys in snake case, with what the
//! provider gave besides (`providerData`), and some of them by other names.

use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::string::snake_case;
use crate::json::{Val, name};

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
pub(super) fn sent(item: Val<'_>, base: Base<'_>) -> Option<Pieced> {
    if !item.is_object() {
        return None;
    }
    let text = |val: Val<'_>, key: &str| val.get(key).and_then(|own| own.text()).map(|own| own.into_owned());
    let kind = text(item, "type");
    let kind = kind.as_deref().map_or("message", |kind| std::str::from_utf8(kind).unwrap_or_default());
    let given = item.get("providerData").filter(|given| given.is_object());
    let at = base.of(item);
    let named = |name: &str| Pieced::object(at).with("type", Pieced::text(name, at));
    let out = match kind {
        "message" => {
            let content = item.get(name::content)?;
            let content = if content.is_string() { Pieced::of(content, base) } else { parts(content, base) };
            let out = Pieced::object(at).with("type", Pieced::text("message", at)).with("content", content);
            members(out, item, &["type", "content"], base)
        }
        "function_call_result" => {
            let out = named("function_call_output").with("output", output(item.get(name::output)?, base));
            members(out, item, &["type", "output", "name"], base)
        }
        "reasoning" => {
            let summary = item.get(name::content).into_iter().flat_map(|list| list.elements());
            let part = |own: Val<'_>| {
                let at = base.of(own);
                Pieced::object(at).with("type", Pieced::text("summary_text", at)).with_copy(
                    "text",
                    own.get(name::text),
                    base,
                )
            };
            let out = named("reasoning").with("summary", Pieced::list_of(summary.map(part).collect(), at));
            members(out, item, &["type", "content", "rawContent"], base)
        }
        "hosted_tool_call" => {
            let own = given.and_then(|given| text(given, "type")).or_else(|| text(item, "name"))?;
            let own = String::from_utf8_lossy(&own);
            let name = HOSTED.iter().find(|(old, _)| *old == own).map_or(&*own, |(_, name)| name);
            members(named(name), item, &["type", "name", "arguments", "output"], base)
        }
        "computer_call_result" => {
            let screenshot = item.get(name::output).map(|output| {
                let at = base.of(output);
                Pieced::object(at).with("type", Pieced::text("computer_screenshot", at)).with_copy(
                    "image_url",
                    output.get(name::data),
                    base,
                )
            });
            let out = named("computer_call_output").with("output", screenshot?);
            members(out, item, &["type", "output"], base)
        }
        // What the SDK does not know itself.
        "unknown" => Pieced::object(at),
        kind => members(named(kind), item, &["type"], base),
    };
    Some(match given {
        Some(given) => added(out, given, base),
        None => out,
    })
}

/// The members of an item, but these.
fn members(mut out: Pieced, item: Val<'_>, but: &[&str], base: Base<'_>) -> Pieced {
    for member in item.members() {
        let key = String::from_utf8_lossy(member.key.raw);
        let is_fake = key == "id" && member.val.is(NO_ID);
        if key != "providerData" && !but.contains(&&*key) && !is_fake {
            // A definition of a tool holds names of the user's own.
            let levels = if key == "tools" { 0 } else { LEVELS };
            out = out.with(&snake_case(&key), renamed(member.val, base, levels));
        }
    }
    out
}

/// What the provider gave besides, as far as the item does not say it.
fn added(mut out: Pieced, given: Val<'_>, base: Base<'_>) -> Pieced {
    for member in given.members() {
        let key = snake_case(&String::from_utf8_lossy(member.key.raw));
        if out.get(&key).is_none() {
            out = out.with(&key, renamed(member.val, base, LEVELS));
        }
    }
    out
}

/// A value whose keys are in snake case.
fn renamed(val: Val<'_>, base: Base<'_>, levels: u32) -> Pieced {
    let at = base.of(val);
    match levels.checked_sub(1) {
        Some(levels) if val.is_object() => val.members().fold(Pieced::object(at), |out, member| {
            out.with(&snake_case(&String::from_utf8_lossy(member.key.raw)), renamed(member.val, base, levels))
        }),
        Some(levels) if val.is_array() => {
            Pieced::list_of(val.elements().map(|own| renamed(own, base, levels)).collect(), at)
        }
        _ => Pieced::of(val, base),
    }
}

/// The result of a function: a text, or parts.
fn output(output: Val<'_>, base: Base<'_>) -> Pieced {
    match () {
        () if output.is_array() => parts(output, base),
        () if output.get(name::r#type).is_some_and(|kind| kind.is("text")) => {
            output.get(name::text).map_or_else(|| Pieced::text("", base.of(output)), |text| Pieced::of(text, base))
        }
        () if output.get(name::r#type).is_some_and(|kind| kind.is("image")) => {
            Pieced::list_of(vec![part(output, base)], base.of(output))
        }
        () => Pieced::as_text(output, base),
    }
}

fn parts(list: Val<'_>, base: Base<'_>) -> Pieced {
    Pieced::list_of(list.elements().map(|own| part(own, base)).collect(), base.of(list))
}

fn part(part: Val<'_>, base: Base<'_>) -> Pieced {
    let at = base.of(part);
    let is = |kind: &str| part.get(name::r#type).is_some_and(|own| own.is(kind));
    let typed = |kind: &str| Pieced::object(at).with("type", Pieced::text(kind, at));
    let given = part.get("providerData").filter(|given| given.is_object());
    let out = match () {
        () if is("output_text") => {
            let annotations = given.and_then(|given| given.get(name::annotations)).filter(|own| own.is_array());
            let annotations =
                annotations.map_or_else(|| Pieced::fixed("[]", at), |own| renamed(own, base, LEVELS));
            typed("output_text").with_copy("text", part.get(name::text), base).with("annotations", annotations)
        }
        () if is("input_image") || is("image") => {
            // A text, or an object that says what the text is.
            let image = part.get(name::image);
            let url =
                image.filter(Val::is_string).or_else(|| image?.get(name::url)).or_else(|| part.get("imageUrl"));
            let id = image.and_then(|own| own.get(name::id)).or_else(|| part.get("fileId"));
            let out = typed("input_image").with_copy("detail", part.get(name::detail), base);
            out.with_copy("image_url", url, base).with_copy("file_id", id, base)
        }
        () if is("input_file") => {
            let file = part.get(name::file);
            let text = file.filter(Val::is_string);
            let is_url = text.is_some_and(|own| own.text().is_some_and(|own| own.starts_with(b"https://")));
            let url = text.filter(|_| is_url).or_else(|| file?.get(name::url)).or_else(|| part.get("fileUrl"));
            let data = text.filter(|_| !is_url).or_else(|| part.get(name::fileData));
            let id = file.and_then(|own| own.get(name::id)).or_else(|| part.get("fileId"));
            let out = typed("input_file").with_copy("file_url", url, base).with_copy("file_data", data, base);
            out.with_copy("file_id", id, base).with_copy("filename", part.get(name::filename), base)
        }
        () => members(Pieced::object(at), part, &[], base),
    };
    match given {
        Some(given) => added(out, given, base),
        None => out,
    }
}
