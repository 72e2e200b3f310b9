//! RL707: base64 data stand where a data URL is expected.

use crate::dialects::media_parts::{self, MediaPart, SourceForm};
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::json::value_edit::{EditRefusal, ValueEdit};
use crate::message::MediaKind;
use crate::message::media_bytes::{is_base64, type_of_base64};
use crate::place::Edit;
use crate::rule::{Check, Evidence, Loss, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds files and images whose data are plain base64, where the API expects a data URL.
    ///
    /// ## Why it matters
    ///
    /// OpenAI rejects the request with HTTP 400:
    ///
    /// > Invalid file data: 'messages[0].content[1].file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type
    /// > (e.g. 'data:application/pdf;base64,JVBERi0xLjQKJ…'), but got a value without the 'data:' prefix.
    ///
    /// It happens when a part comes from an API that keeps type and data apart.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-4o","messages":[{"role":"user","content":[
    ///  {"type":"file","file":{"filename":"a.pdf","file_data":"JVBERi0xLjQKJcfs"}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// `data:`, the type and `;base64,` are put before the data, if the bytes or the name of the file show the type.
    ///
    /// ## Evidence
    ///
    /// Recorded three times for files at OpenAI (lingua); OpenRouter accepted one. Inferred for images and for the Responses API.
    MEDIA_WITHOUT_PREFIX, "media-without-prefix" tags [Field], Check::External,
    [
        Variant {
            message: "{media} part{media_place} whose data have no `data:` prefix",
            api: Some("Invalid file data: 'messages[{message}].content[{block}].file.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,JVBERi0xLjQKJ...'), but got a value without the 'data:' prefix."),
            also: &["Invalid file data: '{path}'. Expected a base64-encoded data URL with an application/pdf MIME type"],
            error: ErrorDetails { param: Some("messages[{message}].content[{block}].file.file_data"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Recorded,
            fix: "put `data:`, the type and `;base64,` before the data",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} whose data have no `data:` prefix",
            levels: Levels::WARNING,
            evidence: Evidence::Inferred,
            fix: "put `data:`, the type and `;base64,` before the data",
            loss: Loss::Lossless,
            ..Variant::BASE
        },
    ]
}

/// Puts the missing start of a data URL before the data of each part of an item.
pub static PREFIX: ValueEdit = ValueEdit::by(put_prefixes);

/// The missing start of the data URL of a file or an image, if its bytes or its name show its type.
pub fn missing_prefix(part: &MediaPart<'_>) -> Option<String> {
    let data = part.filled_data().filter(|data| part.form == SourceForm::BareData && is_base64(data))?;
    let mime = type_of_base64(&data).or_else(|| part.likely_type())?;
    // An archive may be a document of several kinds, which only its name shows.
    let mime = match mime {
        "application/zip" | "application/msword" => part.likely_type()?,
        mime => mime,
    };
    let fits = part.kind != MediaKind::Image || mime.starts_with("image/");
    fits.then(|| format!("data:{mime};base64,"))
}

fn put_prefixes(item: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
    for part in media_parts::parts(item) {
        if let (Some(prefix), Some(source)) = (missing_prefix(&part), part.source) {
            let at = source.start() + 1;
            out.push(Edit::replace(base.place(at, at), prefix));
        }
    }
    Ok(())
}
