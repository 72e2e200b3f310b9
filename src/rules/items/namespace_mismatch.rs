//! RL412: the namespace of a call is missing, or not known to the server.

use foldhash::HashMap;

use crate::history::{Finding, Kind, RepairAct};
use crate::json::{Val, name};
use crate::place::Place;
use crate::rule::{Check, Evidence, FindingSink, Loss, RuleContext, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds function calls without `namespace` whose tool is defined only inside a namespace: in the request's
    /// `tools`, by a tool search, or by additional tools. For servers without namespaces: finds calls that have
    /// one.
    ///
    /// ## Why it matters
    ///
    /// The server rejects the history with HTTP 400:
    ///
    /// > Missing namespace for function_call 'x'. It does not exist in the default namespace. Round-trip the model's function_call item with its namespace field included.
    ///
    /// It happens when a client rebuilds calls from their name and arguments. Other servers reject the field itself:
    ///
    /// > Unknown parameter: 'input[1].namespace'.
    ///
    /// ## Example
    ///
    /// ```json
    /// [{"type":"tool_search_output","call_id":null,"execution":"server","status":"completed",
    ///   "tools":[{"type":"namespace","name":"crm","tools":[{"type":"function","name":"find"}]}]},
    ///  {"type":"function_call","call_id":"call_1","name":"find","arguments":"{}"},
    ///  {"type":"function_call_output","call_id":"call_1","output":"ok"}]
    /// ```
    ///
    /// ## Fix
    ///
    /// The namespace is added if only one namespace has a tool of that name. For servers without namespaces, removing
    /// it is off by default.
    ///
    /// ## Evidence
    ///
    /// Reported: pi#7709, openai/codex#23839, copilot-cli#4519, vercel/ai#20265, langchain#36096; rejected as unknown:
    /// CLIProxyAPI#4224. 34 recorded accepted calls have one.
    NAMESPACE_MISMATCH, "namespace-mismatch" of "responses" tags [Field], Check::History(check),
    [
        Variant {
            message: "{type} {call_id} has no namespace, but its tool is defined in one",
            related: "the definition of the tool",
            api: Some(
                "Missing namespace for function_call '{name}'. It does not exist in the default namespace. Round-trip the \
                 model's function_call item with its namespace field included.",
            ),
            evidence: Evidence::Reported,
            fix: "add the namespace in which the tool is defined",
            loss: Loss::Lossless,
            error: ErrorDetails { param: Some("input[{index}].namespace"), ..ErrorDetails::HISTORY },
            ..Variant::BASE
        },
        Variant {
            message: "{type} {call_id} has a namespace, which this server may not know",
            api: Some("Unknown parameter: 'input[{index}].namespace'."),
            levels: Levels::OFF,
            evidence: Evidence::Reported,
            fix: "remove the namespace",
            error: ErrorDetails {
                param: Some("input[{index}].namespace"),
                code: Some("unknown_parameter"),
                ..ErrorDetails::HISTORY
            },
            ..Variant::BASE
        },
    ]
}

/// The namespace in which the tool of a name is defined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolNamespace {
    /// Outside of any namespace.
    Default,
    /// In this namespace only, by the item at this place.
    Namespace(String, Place),
    /// In several namespaces.
    Several(Place),
}

/// The tools that items of a history define, by name; empty if none defines a namespace.
pub fn tool_namespaces(cx: &RuleContext<'_>) -> HashMap<Vec<u8>, ToolNamespace> {
    let mut homes = HashMap::default();
    let defines = |kind| matches!(kind, Kind::ToolSearchOutput | Kind::AdditionalTools);
    for row in cx.history.rows.iter().filter(|row| defines(row.kind)) {
        cx.text.with_item(row, &mut |item| {
            if let Some(tools) = item.get(name::tools) {
                add_definitions(tools, row.at, &mut homes);
            }
        });
    }
    if let Some(tools) = cx.history.settings.tools {
        cx.text.with_value(tools, &mut |list| add_definitions(list, tools, &mut homes));
    }
    if homes.values().all(|home| *home == ToolNamespace::Default) {
        homes.clear();
    }
    homes
}

fn add_definitions(tools: Val<'_>, at: Place, homes: &mut HashMap<Vec<u8>, ToolNamespace>) {
    for tool in tools.elements() {
        let Some(name) = tool.get(name::name).and_then(|name| name.text()) else { continue };
        if !tool.get(name::r#type).is_some_and(|kind| kind.is("namespace")) {
            homes.insert(name.into_owned(), ToolNamespace::Default);
            continue;
        }
        let namespace = String::from_utf8_lossy(&name).into_owned();
        let inner = tool.get(name::tools).into_iter().flat_map(|tools| tools.elements());
        for name in inner.filter_map(|tool| tool.get(name::name)?.text()) {
            let here = ToolNamespace::Namespace(namespace.clone(), at);
            homes
                .entry(name.into_owned())
                .and_modify(|home| match home {
                    ToolNamespace::Namespace(other, at) if *other != namespace => {
                        *home = ToolNamespace::Several(*at)
                    }
                    _ => {}
                })
                .or_insert(here);
        }
    }
}

/// The name of a call without a namespace; `None` for other calls.
pub fn bare_name(call: Val<'_>) -> Option<Vec<u8>> {
    let bare = call.get(name::namespace).is_none_or(|namespace| namespace.is_null());
    call.get(name::name).filter(|_| bare).and_then(|name| name.text()).map(|name| name.into_owned())
}

fn check(cx: &RuleContext<'_>, out: &mut FindingSink) {
    let homes = tool_namespaces(cx);
    if homes.is_empty() {
        return;
    }
    for row in cx.history.rows.iter().filter(|row| row.kind == Kind::FunctionCall) {
        let mut home = None;
        cx.text.with_item(row, &mut |call| home = bare_name(call).and_then(|name| homes.get(&name)));
        let finding = Finding::new(RULE.code, *row);
        match home {
            Some(ToolNamespace::Namespace(_, at)) => {
                out.add(finding.with_partner(*at).act(RepairAct::SetNamespace))
            }
            Some(ToolNamespace::Several(at)) => {
                out.add(finding.with_partner(*at).never("several namespaces have a tool of this name"))
            }
            Some(ToolNamespace::Default) | None => {}
        }
    }
}
