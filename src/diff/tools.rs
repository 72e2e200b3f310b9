//! The tools of a request by name.

use foldhash::HashMap;

use crate::json::Val;

use super::equivalence::{TWO_SPELLINGS, camel_case_key};

/// Settings that are lists of tools.
pub const TOOLS: [&str; 2] = ["tools", "functions"];

/// True if both values are lists of objects, or missing.
pub fn are_tool_lists(old: Option<Val<'_>>, new: Option<Val<'_>>) -> bool {
    let is_list =
        |val: Option<Val<'_>>| val.is_none_or(|val| val.is_array() && val.elements().all(|e| e.is_object()));
    is_list(old) && is_list(new)
}

/// The tools of a list by name; several with one name are numbered. Function declarations in one tool are tools of their
/// own.
pub fn tools_by_name<'t>(dialect: &str, list: Option<Val<'t>>) -> Vec<(String, Val<'t>)> {
    let mut tools: Vec<(String, Val<'t>)> = Vec::new();
    let mut times: HashMap<String, u32> = HashMap::default();
    let mut add = |name: String, val: Val<'t>| {
        let n = times.entry(name.clone()).or_default();
        *n += 1;
        tools.push((if *n == 1 { name } else { format!("{name} ({n})") }, val));
    };
    for tool in list.iter().flat_map(Val::elements) {
        if !TWO_SPELLINGS.contains(&dialect) {
            add(tool_name(tool), tool);
            continue;
        }
        for member in tool.members() {
            let key = camel_case_key(dialect, &member.key.decode());
            match key == DECLARATIONS {
                true => member.val.elements().for_each(|own| add(tool_name(own), own)),
                false => add(String::from_utf8_lossy(&key).into_owned(), member.val),
            }
        }
    }
    tools
}

const DECLARATIONS: &[u8] = b"functionDeclarations";

/// The name of a tool, or its type without a name.
fn tool_name(tool: Val<'_>) -> String {
    const PATHS: [&[&str]; 6] = [
        &["function", "name"],
        &["custom", "name"],
        &["toolSpec", "name"],
        &["name"],
        &["server_label"],
        &["type"],
    ];
    let named = PATHS.iter().find_map(|path| tool.at(path).and_then(|name| name.text()));
    let own = named.or_else(|| tool.members().next().map(|member| member.key.decode()));
    own.map_or_else(|| "without a name".to_owned(), |name| String::from_utf8_lossy(&name).into_owned())
}
