//! What targets check of the content of media: their types, their bytes, and how much they take.
//!
//! Sources: the providers' pages on images and files, botocore's model of Bedrock, SDK types, recorded refusals; reports
//! and measurements by users where a row says `Reported`.

use crate::dialects::media_parts::SourceForm;
use crate::message::MediaKind;
use crate::target::media::{
    Base64Refusal, Certainty, EmptyRefusal, MediaCheck, MediaLimit, MediaRow, MismatchRefusal, PrefixRefusal,
    TypeRefusal,
};

use Certainty::{Documented, Reported};
use MediaCheck::{Base64, Data, DeclaredType, KnownBytes, Limit, NoTypes, Prefix, ResultTypes, Types};
use MediaKind::{Audio, File, Image, Video};

/// OpenAI's own servers in the dialect of Responses.
const OPENAI: &[&str] = &["openai", "openai-stateless", "azure", "codex"];
/// Servers that are not known to check base64 in a certain way: what cannot be decoded is of no use to any of them.
const OTHERS: &[&str] = &[
    "xai",
    "deepseek",
    "openai-compatible",
    "chat-compatible",
    "mistral",
    "deepseek-chat",
    "kimi",
    "cerebras",
    "groq",
    "xai-chat",
    "openrouter",
    "dashscope",
    "glm",
    "minimax",
    "chat-template",
    "vllm",
    "llamacpp",
    "ollama",
    "anthropic",
    "gemini",
    "bedrock",
    "bedrock-nova",
];
const BEDROCK: &[&str] = &["bedrock", "bedrock-nova"];
const ANY: &[&str] = &[""];
/// Claude models with a context of 200,000 tokens.
const SMALL_CLAUDE: &[&str] = &[
    "claude-3",
    "claude-haiku-4",
    "claude-opus-4-0",
    "claude-opus-4-1",
    "claude-opus-4-5",
    "claude-opus-4$",
    "claude-opus-4-2",
];

const CLAUDE_IMAGES: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];
const GEMINI_IMAGES: &[&str] = &["image/png", "image/jpeg", "image/jpg", "image/webp", "image/heic", "image/heif"];
const GEMINI_RESULTS: &[&str] =
    &["image/png", "image/jpeg", "image/jpg", "image/webp", "application/pdf", "text/plain"];
const PDF: &[&str] = &["application/pdf"];
const PDF_AND_DOCX: &[&str] =
    &["application/pdf", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"];
const BEDROCK_FILES: &[&str] = &[
    "application/pdf",
    "text/csv",
    "application/msword",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.ms-excel",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "text/html",
    "text/plain",
    "text/markdown",
];

const MB: u32 = 1024 * 1024;

const fn row(targets: &'static [&'static str], models: &'static [&'static str], check: MediaCheck) -> MediaRow {
    MediaRow { targets, models, check }
}

const fn limit(
    targets: &'static [&'static str],
    models: &'static [&'static str],
    most: MediaLimit,
    certainty: Certainty,
) -> MediaRow {
    MediaRow { targets, models, check: Limit(most, certainty) }
}

/// The table. All matching rows apply.
#[rustfmt::skip]
pub static CHECKS: &[MediaRow] = &[
    // Types.
    row(OPENAI, ANY, NoTypes(&[SourceForm::Data], "audio/", TypeRefusal::ResponsesFile)),
    row(OPENAI, ANY, NoTypes(&[SourceForm::Data], "video/", TypeRefusal::ResponsesFile)),
    row(OPENAI, ANY, NoTypes(&[SourceForm::Url], "audio/", TypeRefusal::ResponsesUrl)),
    row(OPENAI, ANY, NoTypes(&[SourceForm::Url], "video/", TypeRefusal::ResponsesUrl)),
    row(&["chat"], ANY, Types(&[File], PDF, TypeRefusal::Reported)),
    row(&["anthropic"], ANY, Types(&[Image], CLAUDE_IMAGES, TypeRefusal::Anthropic)),
    row(&["gemini"], ANY, Types(&[Image], GEMINI_IMAGES, TypeRefusal::Reported)),
    row(&["gemini"], ANY, ResultTypes(&[Audio, Video, File], GEMINI_RESULTS, TypeRefusal::Reported)),
    row(BEDROCK, ANY, Types(&[Image], CLAUDE_IMAGES, TypeRefusal::Known)),
    row(BEDROCK, ANY, Types(&[File], BEDROCK_FILES, TypeRefusal::Known)),
    row(&["xai-chat", "xai"], ANY, Types(&[Image], &["image/png", "image/jpeg", "image/jpg"], TypeRefusal::Reported)),
    row(&["deepseek-chat", "deepseek"], ANY, KnownBytes(MismatchRefusal::ReportedBytes)),
    // Types and bytes. DeepSeek ignores the declared type.
    row(&["anthropic"], ANY, DeclaredType(MismatchRefusal::Anthropic)),
    row(&["anthropic"], ANY, KnownBytes(MismatchRefusal::AnthropicBytes)),
    row(BEDROCK, &["claude-"], DeclaredType(MismatchRefusal::Reported)),
    row(BEDROCK, &["claude-"], KnownBytes(MismatchRefusal::ReportedBytes)),
    row(&["llamacpp", "ollama"], ANY, KnownBytes(MismatchRefusal::ReportedBytes)),
    // Data.
    row(&["anthropic"], ANY, Data(EmptyRefusal::Anthropic)),
    row(BEDROCK, ANY, Data(EmptyRefusal::Known)),
    row(&["chat", "gemini"], ANY, Data(EmptyRefusal::Inferred)),
    row(OPENAI, ANY, Data(EmptyRefusal::Inferred)),
    row(&["chat"], ANY, Base64(Base64Refusal::Chat)),
    row(OPENAI, ANY, Base64(Base64Refusal::Known)),
    row(OTHERS, ANY, Base64(Base64Refusal::Inferred)),
    row(&["chat"], ANY, Prefix(&[File], PrefixRefusal::ChatFile)),
    row(&["chat"], ANY, Prefix(&[Image], PrefixRefusal::Inferred)),
    row(OPENAI, ANY, Prefix(&[File], PrefixRefusal::Inferred)),
    // Limits.
    limit(&["anthropic"], ANY, MediaLimit::ImageText(10 * MB), Reported),
    limit(&["anthropic"], ANY, MediaLimit::Side(8000), Documented),
    limit(&["anthropic"], ANY, MediaLimit::SideOfMany(20, 2000), Reported),
    limit(&["anthropic"], SMALL_CLAUDE, MediaLimit::Count(&[Image, File], 100), Reported),
    limit(&["anthropic"], ANY, MediaLimit::Count(&[Image, File], 600), Reported),
    limit(&["anthropic"], ANY, MediaLimit::Body(32 * MB), Reported),
    limit(BEDROCK, &["claude-"], MediaLimit::Side(8000), Reported),
    limit(BEDROCK, ANY, MediaLimit::Count(&[File], 5), Reported),
    limit(BEDROCK, &["claude-opus-4", "claude-sonnet-4", "claude-haiku-4", "claude-opus-5", "claude-sonnet-5", "claude-haiku-5"], MediaLimit::FileBytes(4_718_592, PDF), Reported),
    limit(BEDROCK, &["claude-3"], MediaLimit::FileBytes(4_718_592, &[]), Reported),
    limit(BEDROCK, &["amazon.nova"], MediaLimit::FileBytes(4_718_592, PDF_AND_DOCX), Reported),
    limit(&["deepseek-chat", "deepseek"], ANY, MediaLimit::ImageBytes(32 * MB), Documented),
    limit(&["deepseek-chat", "deepseek"], ANY, MediaLimit::Count(&[Image], 600), Documented),
    limit(&["deepseek-chat", "deepseek"], ANY, MediaLimit::Body(48 * MB), Documented),
    limit(&["mistral"], ANY, MediaLimit::Count(&[Image], 8), Reported),
    limit(&["mistral"], ANY, MediaLimit::ImageBytes(15 * MB), Reported),
    limit(&["mistral"], ANY, MediaLimit::Side(8000), Reported),
    limit(&["groq"], ANY, MediaLimit::Count(&[Image], 5), Reported),
    limit(&["groq"], ANY, MediaLimit::ImageBytes(5 * MB), Reported),
    limit(&["groq"], ANY, MediaLimit::Side(5760), Reported),
    limit(&["xai-chat", "xai"], ANY, MediaLimit::ImageBytes(20 * MB), Reported),
    limit(&["gemini"], ANY, MediaLimit::Count(&[Video], 10), Reported),
];
