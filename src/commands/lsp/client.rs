//! What the editor can do.

use lsp_types::{ClientCapabilities, PositionEncodingKind};

use super::line_index::ColumnUnit;

/// What the editor can do.
#[derive(Clone, Copy)]
pub struct Client {
    pub unit: ColumnUnit,
    /// Edits can name the version of the text that they are for.
    pub takes_versions: bool,
    /// Actions that cannot be made are shown with the reason.
    pub shows_disabled: bool,
}

impl Client {
    /// An editor that has not said what it can do.
    pub const UNKNOWN: Client = Client { unit: ColumnUnit::Utf16, takes_versions: false, shows_disabled: false };

    pub fn new(capabilities: &ClientCapabilities) -> Self {
        let encodings = capabilities.general.as_ref().and_then(|general| general.position_encodings.as_ref());
        let has_utf8 = encodings.is_some_and(|encodings| encodings.contains(&PositionEncodingKind::UTF8));
        let edits = capabilities.workspace.as_ref().and_then(|workspace| workspace.workspace_edit.as_ref());
        let actions = capabilities.text_document.as_ref().and_then(|text| text.code_action.as_ref());
        Client {
            unit: if has_utf8 { ColumnUnit::Utf8 } else { ColumnUnit::Utf16 },
            takes_versions: edits.and_then(|edits| edits.document_changes).unwrap_or(false),
            shows_disabled: actions.and_then(|actions| actions.disabled_support).unwrap_or(false),
        }
    }
}
