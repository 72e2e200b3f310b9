//! Reads the options of a request from its body, by a table of each API's paths.

use crate::history::{Placed, RequestOptions, SchemaUse, StrictTotals, ThinkingMode};
use crate::json::{KeyName, Val, name};

use super::Record;
use super::schema_faults::{SchemaWalk, strict_totals};

/// The keys from a body down to a value.
struct Path {
    /// The first of them, which most bodies do not have.
    first: KeyName,
    keys: &'static [&'static str],
}

/// A path whose first key is not in the table of names is a compile error.
const fn path(keys: &'static [&'static str]) -> Path {
    let first = match keys {
        [first, ..] => KeyName::find(first.as_bytes()),
        [] => KeyName::NONE,
    };
    assert!(first.is_some(), "the table of names lacks a key");
    Path { first, keys }
}

/// Where an API's requests have their options. The first path that leads to a value counts.
pub struct OptionPaths {
    thinking: &'static [Path],
    budget: &'static [Path],
    effort: &'static [Path],
    level: &'static [Path],
    temperature: &'static [Path],
    top_p: &'static [Path],
    top_k: &'static [Path],
    limit: &'static [Path],
    stop: &'static [Path],
    choice: &'static [Path],
    tools: &'static [Path],
    /// Finds the schemas in a body.
    visit_schemas: fn(Val<'_>, Option<Val<'_>>, &Record<'_>, &mut RequestOptions),
}

pub static ANTHROPIC_OPTIONS: OptionPaths = OptionPaths {
    thinking: &[path(&["thinking", "type"])],
    budget: &[path(&["thinking", "budget_tokens"])],
    effort: &[path(&["output_config", "effort"])],
    level: &[],
    temperature: &[path(&["temperature"])],
    top_p: &[path(&["top_p"])],
    top_k: &[path(&["top_k"])],
    limit: &[path(&["max_tokens"])],
    stop: &[path(&["stop_sequences"])],
    choice: &[path(&["tool_choice"])],
    tools: &[path(&["tools"])],
    visit_schemas: anthropic_schemas,
};

pub static BEDROCK_OPTIONS: OptionPaths = OptionPaths {
    thinking: &[path(&["additionalModelRequestFields", "thinking", "type"])],
    budget: &[path(&["additionalModelRequestFields", "thinking", "budget_tokens"])],
    effort: &[
        path(&["outputConfig", "effort"]),
        path(&["additionalModelRequestFields", "output_config", "effort"]),
    ],
    level: &[],
    temperature: &[path(&["inferenceConfig", "temperature"])],
    top_p: &[path(&["inferenceConfig", "topP"])],
    top_k: &[path(&["additionalModelRequestFields", "top_k"])],
    limit: &[path(&["inferenceConfig", "maxTokens"])],
    stop: &[path(&["inferenceConfig", "stopSequences"])],
    choice: &[path(&["toolConfig", "toolChoice"])],
    tools: &[path(&["toolConfig", "tools"])],
    visit_schemas: no_schemas,
};

pub static CHAT_OPTIONS: OptionPaths = OptionPaths {
    thinking: &[path(&["thinking", "type"])],
    budget: &[],
    effort: &[path(&["reasoning_effort"])],
    level: &[],
    temperature: &[path(&["temperature"])],
    top_p: &[path(&["top_p"])],
    top_k: &[],
    limit: &[path(&["max_completion_tokens"]), path(&["max_tokens"])],
    stop: &[path(&["stop"])],
    choice: &[path(&["tool_choice"])],
    tools: &[path(&["tools"])],
    visit_schemas: chat_schemas,
};

pub static RESPONSES_OPTIONS: OptionPaths = OptionPaths {
    thinking: &[],
    budget: &[],
    effort: &[path(&["reasoning", "effort"])],
    level: &[],
    temperature: &[path(&["temperature"])],
    top_p: &[path(&["top_p"])],
    top_k: &[],
    limit: &[path(&["max_output_tokens"])],
    stop: &[],
    choice: &[path(&["tool_choice"])],
    tools: &[path(&["tools"])],
    visit_schemas: responses_schemas,
};

pub static GEMINI_OPTIONS: OptionPaths = OptionPaths {
    thinking: &[],
    budget: &[
        path(&["generationConfig", "thinkingConfig", "thinkingBudget"]),
        path(&["generation_config", "thinking_config", "thinking_budget"]),
    ],
    effort: &[],
    level: &[
        path(&["generationConfig", "thinkingConfig", "thinkingLevel"]),
        path(&["generation_config", "thinking_config", "thinking_level"]),
    ],
    temperature: &[path(&["generationConfig", "temperature"]), path(&["generation_config", "temperature"])],
    top_p: &[],
    top_k: &[],
    limit: &[],
    stop: &[],
    choice: &[],
    tools: &[path(&["tools"])],
    visit_schemas: gemini_schemas,
};

/// The options of a request; `None` if it has none.
pub fn read_options(body: Val<'_>, record: &Record<'_>, paths: &OptionPaths) -> Option<Box<RequestOptions>> {
    if !body.is_object() {
        return None;
    }
    let names = body.names();
    let find = |paths: &[Path]| {
        let mut there = paths.iter().filter(|path| names.has(path.first));
        there.find_map(|path| body.at(path.keys)).filter(|val| !val.is_null())
    };
    let number = |paths: &[Path]| {
        let val = find(paths)?;
        let value: f64 = std::str::from_utf8(val.raw()).ok()?.parse().ok()?;
        Some(Placed { value, at: record.base.of(val) })
    };
    let tools = find(paths.tools).filter(Val::is_array);
    let thinking = find(paths.thinking);
    let word = |paths: &[Path]| {
        let val = find(paths)?;
        let word = String::from_utf8_lossy(&val.text()?).into_owned();
        Some(Placed { value: word.into(), at: record.base.of(val) })
    };
    let stop = find(paths.stop);
    let mut options = RequestOptions {
        thinking: thinking
            .and_then(|val| Some(Placed { value: ThinkingMode::of(&val.text()?)?, at: record.base.of(val) })),
        budget: number(paths.budget),
        effort: word(paths.effort),
        level: word(paths.level),
        temperature: number(paths.temperature),
        top_p: number(paths.top_p),
        top_k: number(paths.top_k),
        limit: number(paths.limit),
        forced_tool: find(paths.choice).filter(is_forced).map(|val| record.base.of(val)),
        blank_stop: stop
            .and_then(blank_stop)
            .map(|(val, is_empty)| Placed { value: is_empty, at: record.base.of(val) }),
        stop: stop.map(|val| record.base.of(val)),
        has_tools: tools.is_some_and(|tools| tools.count() > 0),
        strict: None,
        schema_faults: Vec::new(),
    };
    (paths.visit_schemas)(body, tools, record, &mut options);
    (options != RequestOptions::default()).then(|| Box::new(options))
}

/// True if the value of `tool_choice` makes the model call a tool.
fn is_forced(choice: &Val<'_>) -> bool {
    const WORDS: [&str; 4] = ["any", "tool", "required", "function"];
    if choice.is_string() {
        return WORDS.iter().any(|word| choice.is(word));
    }
    match choice.get(name::r#type) {
        Some(kind) => WORDS.iter().any(|word| kind.is(word)),
        // Bedrock names the choice with a key.
        None => choice.get("any").or_else(|| choice.get(name::tool)).is_some(),
    }
}

/// The first stop sequence without a visible character, and whether it is empty.
fn blank_stop(stop: Val<'_>) -> Option<(Val<'_>, bool)> {
    let mut texts = stop.elements();
    texts.find_map(|val| {
        let text = val.text()?;
        text.iter().all(u8::is_ascii_whitespace).then_some((val, text.is_empty()))
    })
}

fn no_schemas(_: Val<'_>, _: Option<Val<'_>>, _: &Record<'_>, _: &mut RequestOptions) {}

fn anthropic_schemas(body: Val<'_>, tools: Option<Val<'_>>, record: &Record<'_>, options: &mut RequestOptions) {
    let mut totals = StrictTotals::default();
    for tool in tools.iter().flat_map(Val::elements) {
        let Some(schema) = tool.get(name::input_schema) else { continue };
        SchemaWalk { of: SchemaUse::Tool, record, options }.visit_top(schema);
        if is_strict(tool) {
            SchemaWalk { of: SchemaUse::StrictTool, record, options }.visit_strict(schema, 0);
            totals = totals.plus(strict_totals(schema));
        }
    }
    if let Some(tools) = tools.filter(|_| totals.tools > 0) {
        options.strict = Some(Placed { value: totals, at: record.base.of(tools) });
    }
    let schema = body
        .get(name::output_config)
        .and_then(|config| config.at(&["format", "schema"]))
        .or_else(|| body.get(name::output_format)?.get(name::schema));
    if let Some(schema) = schema {
        SchemaWalk { of: SchemaUse::Output, record, options }.visit_strict(schema, 0);
    }
}

fn is_strict(object: Val<'_>) -> bool {
    object.get(name::strict).and_then(|strict| strict.as_bool()) == Some(true)
}

fn chat_schemas(body: Val<'_>, tools: Option<Val<'_>>, record: &Record<'_>, options: &mut RequestOptions) {
    for function in tools.iter().flat_map(Val::elements).filter_map(|tool| tool.get(name::function)) {
        strict_schema(function, name::parameters, SchemaUse::StrictTool, record, options);
    }
    if let Some(format) = body.get(name::response_format).and_then(|format| format.get(name::json_schema)) {
        strict_schema(format, name::schema, SchemaUse::Output, record, options);
    }
}

fn responses_schemas(body: Val<'_>, tools: Option<Val<'_>>, record: &Record<'_>, options: &mut RequestOptions) {
    for function in tools.iter().flat_map(Val::elements) {
        strict_schema(function, name::parameters, SchemaUse::StrictTool, record, options);
    }
    if let Some(format) = body.get(name::text).and_then(|text| text.get(name::format)) {
        strict_schema(format, name::schema, SchemaUse::Output, record, options);
    }
}

/// Examines the schema under a key of an object, if that is strict.
fn strict_schema(object: Val<'_>, key: KeyName, of: SchemaUse, record: &Record<'_>, options: &mut RequestOptions) {
    if let Some(schema) = object.get(key).filter(|_| is_strict(object)) {
        SchemaWalk { of, record, options }.visit_strict(schema, 0);
    }
}

fn gemini_schemas(body: Val<'_>, tools: Option<Val<'_>>, record: &Record<'_>, options: &mut RequestOptions) {
    for tool in tools.iter().flat_map(Val::elements) {
        let functions = tool.get("functionDeclarations").or_else(|| tool.get("function_declarations"));
        for schema in functions.iter().flat_map(Val::elements).filter_map(|own| own.get(name::parameters)) {
            SchemaWalk { of: SchemaUse::Tool, record, options }.visit_gemini(schema, 0);
        }
    }
    let schema = body
        .at(&["generationConfig", "responseSchema"])
        .or_else(|| body.at(&["generation_config", "response_schema"]));
    if let Some(schema) = schema {
        SchemaWalk { of: SchemaUse::Output, record, options }.visit_gemini(schema, 0);
    }
}
