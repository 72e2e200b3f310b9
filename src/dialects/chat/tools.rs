//! Reads the tool definitions of Chat Completions requests.

use crate::dialect::Body;
use crate::dialects::common::{self, opaque, read_extras, text};
use crate::json::{Val, name};
use crate::message::{Losses, OpaqueKind, RawJson, Tool, ToolKind};

use super::rows::NAME;

/// Reads a tool definition; one of an unknown type is kept as it is.
pub(super) fn tool(body: &Body<'_>, val: Val<'_>, losses: &mut Losses) -> Tool {
    let function = val.get(name::function).and_then(|own| function(body, own, val, losses));
    let found = function.or_else(|| {
        let own = val.get(name::custom)?;
        let kind = ToolKind::Custom {
            name: text(own, name::name)?,
            description: text(own, name::description),
            format: own.get(name::format).map(flat_format),
        };
        Some(Tool::new(kind, body.at(val)))
    });
    let own = || ToolKind::Opaque(opaque(NAME, OpaqueKind::ServerTool, val));
    found.unwrap_or_else(|| Tool::new(own(), body.at(val)))
}

/// A custom format in the form of the Responses API: there a grammar is not in an object of its own.
fn flat_format(format: Val<'_>) -> RawJson {
    let Some(grammar) = format.get("grammar").filter(|grammar| grammar.count() > 0) else {
        return RawJson::of(format);
    };
    let Some(members) = grammar.raw().strip_prefix(b"{") else { return RawJson::of(format) };
    RawJson::new([br#"{"type":"grammar","#, members].concat())
}

/// Members of a function's definition that are read.
const FUNCTION: [&str; 3] = ["name", "description", "parameters"];
/// Members of the tool around it that are read; some servers accept a definition without that.
const TOOL: [&str; 6] = ["type", "function", "cache_control", "name", "description", "parameters"];

/// Reads the definition of a function, which may be without the tool around it.
pub(super) fn function(body: &Body<'_>, own: Val<'_>, whole: Val<'_>, losses: &mut Losses) -> Option<Tool> {
    let kind = ToolKind::Function {
        name: text(own, name::name)?,
        description: text(own, name::description),
        parameters: own.get(name::parameters).filter(|p| p.is_object()).map(RawJson::of),
    };
    let mut extras = read_extras(body, own, &FUNCTION, losses);
    if own.start() != whole.start() {
        extras.extend(common::read_extras(body, whole, &TOOL, losses));
    }
    Some(Tool {
        cache: whole.get(name::cache_control).map(RawJson::of),
        extras,
        ..Tool::new(kind, body.at(whole))
    })
}
