//! Tools that a provider defines and the client runs: a shell, an editor, a screen. Their calls are answered by the client
//! like those of a function, so any other API takes them as functions with the same input.
//!
//! Sources: Anthropic's pages on the bash, text editor, computer use and memory tools; OpenAI's request types.

use crate::message::ClientTool;

/// The members of the user's location in a web search tool.
pub const LOCATION: [&str; 4] = ["city", "region", "country", "timezone"];

const ANTHROPIC: &str = "anthropic";
const RESPONSES: &str = "responses";

/// Tools by the prefix of their types; the first match applies.
static TOOLS: [ClientTool; 10] = [
    ClientTool {
        dialect: ANTHROPIC,
        kind: "bash_",
        name: "bash",
        description: "Run a command in a bash shell that stays open between calls.",
        schema: r#"{"type":"object","properties":{"command":{"type":"string","description":"The command to run."},"restart":{"type":"boolean","description":"Restart the shell."}}}"#,
    },
    ClientTool {
        dialect: ANTHROPIC,
        kind: "text_editor_20250728",
        name: "str_replace_based_edit_tool",
        description: "View, create and edit files.",
        schema: EDITOR,
    },
    ClientTool {
        dialect: ANTHROPIC,
        kind: "text_editor_20250429",
        name: "str_replace_based_edit_tool",
        description: "View, create and edit files.",
        schema: EDITOR,
    },
    ClientTool {
        dialect: ANTHROPIC,
        kind: "text_editor_",
        name: "str_replace_editor",
        description: "View, create and edit files.",
        schema: EDITOR,
    },
    ClientTool {
        dialect: ANTHROPIC,
        kind: "computer_",
        name: "computer",
        description: "Use a computer by its screen, mouse and keyboard.",
        schema: r#"{"type":"object","properties":{"action":{"type":"string"},"coordinate":{"type":"array","items":{"type":"integer"}},"start_coordinate":{"type":"array","items":{"type":"integer"}},"text":{"type":"string"},"scroll_direction":{"type":"string","enum":["up","down","left","right"]},"scroll_amount":{"type":"integer"},"duration":{"type":"number"},"region":{"type":"array","items":{"type":"integer"}}},"required":["action"]}"#,
    },
    ClientTool {
        dialect: ANTHROPIC,
        kind: "memory_",
        name: "memory",
        description: "Store and read files in a folder that is kept between conversations.",
        schema: r#"{"type":"object","properties":{"command":{"type":"string","enum":["view","create","str_replace","insert","delete","rename"]},"path":{"type":"string"},"view_range":{"type":"array","items":{"type":"integer"}},"file_text":{"type":"string"},"old_str":{"type":"string"},"new_str":{"type":"string"},"insert_line":{"type":"integer"},"insert_text":{"type":"string"},"old_path":{"type":"string"},"new_path":{"type":"string"}},"required":["command"]}"#,
    },
    ClientTool {
        dialect: RESPONSES,
        kind: "local_shell",
        name: "local_shell",
        description: "Run a command on the local machine.",
        schema: r#"{"type":"object","properties":{"type":{"type":"string","enum":["exec"]},"command":{"type":"array","items":{"type":"string"}},"env":{"type":"object","additionalProperties":{"type":"string"}},"timeout_ms":{"type":"integer"},"user":{"type":"string"},"working_directory":{"type":"string"}},"required":["command"]}"#,
    },
    ClientTool {
        dialect: RESPONSES,
        kind: "shell",
        name: "shell",
        description: "Run commands in a shell.",
        schema: r#"{"type":"object","properties":{"commands":{"type":"array","items":{"type":"string"}},"timeout_ms":{"type":"integer"},"max_output_length":{"type":"integer"}},"required":["commands"]}"#,
    },
    ClientTool {
        dialect: RESPONSES,
        kind: "apply_patch",
        name: "apply_patch",
        description: "Create, update or delete a file by a diff.",
        schema: r#"{"type":"object","properties":{"type":{"type":"string","enum":["create_file","update_file","delete_file"]},"path":{"type":"string"},"diff":{"type":"string"}},"required":["type","path"]}"#,
    },
    ClientTool {
        dialect: RESPONSES,
        kind: "computer",
        name: "computer",
        description: "Use a computer by its screen, mouse and keyboard.",
        schema: r#"{"type":"object","properties":{"type":{"type":"string","enum":["click","double_click","drag","keypress","move","screenshot","scroll","type","wait"]},"x":{"type":"integer"},"y":{"type":"integer"},"button":{"type":"string"},"keys":{"type":"array","items":{"type":"string"}},"path":{"type":"array","items":{"type":"object"}},"scroll_x":{"type":"integer"},"scroll_y":{"type":"integer"},"text":{"type":"string"}},"required":["type"]}"#,
    },
];

const EDITOR: &str = r#"{"type":"object","properties":{"command":{"type":"string","enum":["view","create","str_replace","insert","undo_edit"]},"path":{"type":"string"},"file_text":{"type":"string"},"old_str":{"type":"string"},"new_str":{"type":"string"},"insert_line":{"type":"integer"},"insert_text":{"type":"string"},"view_range":{"type":"array","items":{"type":"integer"}}},"required":["command","path"]}"#;

/// The tool of this type.
pub fn find(dialect: &str, kind: &[u8]) -> Option<&'static ClientTool> {
    TOOLS.iter().find(|tool| tool.dialect == dialect && kind.starts_with(tool.kind.as_bytes()))
}
