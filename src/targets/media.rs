//! Which target takes which parts besides text, for which models. The first matching row of a part decides; a part without a
//! row is not known to be refused.
//!
//! Sources: recorded requests with their answers; the providers' pages on images and files; the sources of ollama and of
//! llama.cpp; botocore's model of Bedrock. `Reported` is a third party's table of models, or a thread.

use crate::dialects::media_parts::SourceForm;
use crate::message::MediaKind;
use crate::message::smaller_image::ImageLimits;
use crate::target::Target;
use crate::target::media::{MediaCheck, MediaLimit, PartRefusal, PartRow, matches_model};

use super::media_checks::CHECKS;

use MediaKind::{Audio, File, Image, Video};
use PartRefusal as R;
use SourceForm::{BareData, Bucket, Data, Id, Url};

const ALL: &[MediaKind] = &[Image, Audio, Video, File];

const fn refused(
    targets: &'static [&'static str],
    models: &'static [&'static str],
    kinds: &'static [MediaKind],
    answer: PartRefusal,
) -> PartRow {
    PartRow { targets, models, kinds, forms: &[], in_results: None, answer: Some(answer) }
}

const fn accepted(
    targets: &'static [&'static str],
    models: &'static [&'static str],
    kinds: &'static [MediaKind],
) -> PartRow {
    PartRow { targets, models, kinds, forms: &[], in_results: None, answer: None }
}

const fn of_form(forms: &'static [SourceForm], row: PartRow) -> PartRow {
    PartRow { forms, ..row }
}

const fn in_results(row: PartRow) -> PartRow {
    PartRow { in_results: Some(true), ..row }
}

/// Models of OpenAI that answer text and images only. Those of another name may be an Azure deployment of any model.
const TEXT_MODELS: &[&str] = &["gpt-3.5", "gpt-4", "gpt-5", "gpt-6", "chatgpt-", "o1", "o3", "o4"];

/// Names of clouds that serve Claude: the region and vendor of Bedrock, the version of Vertex AI.
const CLAUDE_ON_CLOUDS: &[&str] = &["*anthropic.", "*@"];

/// The table.
#[rustfmt::skip]
static PARTS: &[PartRow] = &[
    // OpenAI's Chat Completions, with the audio models first.
    accepted(&["chat"], &["gpt-4o-audio", "gpt-4o-mini-audio", "gpt-audio", "*audio"], &[Audio]),
    refused(&["chat"], &["*openai.gpt-oss"], &[Image], R::NoModality),
    refused(&["chat-compatible"], &["*openai.gpt-oss"], &[Image], R::NoModality),
    of_form(&[Data], refused(&["chat"], TEXT_MODELS, &[Audio], R::ChatAudio)),
    refused(&["chat"], TEXT_MODELS, &[Video], R::ChatType),
    of_form(&[Url], refused(&["chat"], TEXT_MODELS, &[Audio, File], R::ChatType)),
    in_results(refused(&["chat"], TEXT_MODELS, ALL, R::Reported)),
    // DeepSeek: images since September 2026, for some models.
    refused(&["deepseek-chat", "deepseek"], &["deepseek-v4-pro"], &[Image], R::Reported),
    refused(&["deepseek-chat"], &[""], &[Audio, Video, File], R::UnknownVariant),
    // Kimi takes data and ids of uploaded files.
    of_form(&[Url], refused(&["kimi"], &[""], &[Image, Video], R::Known)),
    refused(&["glm"], &["glm-4.5$", "glm-4.5-air", "glm-4.6$", "glm-4.7", "glm-5$", "glm-5.1", "glm-5.2"], &[Image, Video], R::Reported),
    refused(&["dashscope"], &["qwen3-max", "qwen3.7-max", "qwen3-coder"], &[Image, Audio, Video], R::Reported),
    refused(&["minimax"], &["MiniMax-M2", "minimax-m2"], &[Image, Video], R::Reported),
    refused(&["groq"], &["gpt-oss", "llama-3.1", "llama-3.3", "qwen3-32b"], &[Image], R::Reported),
    refused(&["groq"], &[""], &[File], R::Reported),
    accepted(&["cerebras"], &["gemma-4-31b", "qwen-3.8-27b"], &[Image]),
    refused(&["cerebras"], &["gpt-oss", "llama", "qwen-3-", "zai-glm", "glm-"], &[Image], R::Reported),
    refused(&["cerebras"], &[""], &[Audio, Video], R::Reported),
    of_form(&[Data, BareData], refused(&["xai"], &[""], &[File], R::Reported)),
    // Local servers. llama.cpp fetches URLs only if it was built to.
    of_form(&[Url], refused(&["llamacpp"], &[""], &[Image], R::Reported)),
    refused(&["llamacpp"], &[""], &[Video], R::LlamaPart),
    refused(&["llamacpp"], &[""], &[File], R::Reported),
    of_form(&[Url], refused(&["ollama"], &[""], &[Image], R::OllamaUrl)),
    refused(&["ollama"], &[""], &[Video, File], R::OllamaPart),
    // Claude on other clouds than its own.
    of_form(&[Url], refused(&["anthropic"], CLAUDE_ON_CLOUDS, &[Image, File], R::AnthropicUrl)),
    of_form(&[Id], refused(&["anthropic"], &["*anthropic."], &[Image, File], R::Known)),
    of_form(&[Id], refused(&["anthropic"], &["*@"], &[Image, File], R::Reported)),
    // Gemini takes parts in results from Gemini 3 on.
    in_results(refused(&["gemini"], &["gemini-1", "gemini-2", "gemma"], ALL, R::Known)),
    // Bedrock, by the family of the model. RL592 reports documents in S3 outside of results.
    refused(&["bedrock"], &["claude-"], &[Video], R::BedrockBlock),
    of_form(&[Bucket], refused(&["bedrock"], &["claude-"], &[Image], R::BedrockBucket)),
    refused(&["bedrock", "bedrock-nova"], &["amazon.nova-micro"], &[Image, Video, File], R::Reported),
    of_form(&[Bucket], in_results(refused(&["bedrock", "bedrock-nova"], &["amazon.nova"], &[Video, File], R::NovaResult))),
    accepted(&["bedrock"], &["amazon.nova"], &[Image, Video, File]),
    in_results(refused(&["bedrock"], &["gpt-5", "gpt-6"], &[Image], R::Reported)),
    refused(&["bedrock"], &["gpt-oss", "deepseek.", "zai.", "minimax.", "mistral.devstral"], &[Image, Audio, Video], R::Reported),
    accepted(&["bedrock"], &["qwen.qwen3-vl"], &[Image]),
    refused(&["bedrock"], &["qwen."], &[Image, Audio, Video], R::Reported),
    refused(&["bedrock"], &[""], &[Video], R::Reported),
];

/// The rows that apply to a target and a model.
pub struct MediaProfile {
    parts: Vec<&'static PartRow>,
    pub checks: Vec<MediaCheck>,
}

impl MediaProfile {
    pub fn of(target: &Target, model: Option<&str>) -> MediaProfile {
        let applies = |targets: &[&str], models: &[&str]| {
            targets.contains(&target.name) && models.iter().any(|pattern| matches_model(pattern, model))
        };
        let checks = CHECKS.iter().filter(|row| applies(row.targets, row.models)).map(|row| row.check);
        MediaProfile {
            parts: PARTS.iter().filter(|row| applies(row.targets, row.models)).collect(),
            checks: checks.collect(),
        }
    }

    /// What the target takes of one image in a request with so many.
    pub fn image_limits(&self, images: usize) -> ImageLimits {
        let least = |own: &mut Option<u32>, most: u32| *own = Some(own.map_or(most, |own| own.min(most)));
        let mut limits = ImageLimits::default();
        for check in &self.checks {
            match *check {
                MediaCheck::Limit(MediaLimit::ImageText(most), _) => least(&mut limits.text, most),
                MediaCheck::Limit(MediaLimit::ImageBytes(most), _) => least(&mut limits.bytes, most),
                MediaCheck::Limit(MediaLimit::Side(most), _) => least(&mut limits.side, most),
                MediaCheck::Limit(MediaLimit::SideOfMany(many, most), _) if images > many as usize => {
                    least(&mut limits.side, most);
                }
                _ => {}
            }
        }
        limits
    }

    /// How a part is refused; `None` if it is accepted or nothing is known.
    pub fn refusal(&self, kind: MediaKind, form: SourceForm, is_in_result: bool) -> Option<PartRefusal> {
        let fits = |row: &&&PartRow| {
            row.kinds.contains(&kind)
                && (row.forms.is_empty() || row.forms.contains(&form))
                && row.in_results.is_none_or(|inside| inside == is_in_result)
        };
        self.parts.iter().find(fits)?.answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets::{TARGETS, by_name};

    fn refusal(target: &str, model: &str, kind: MediaKind, form: SourceForm) -> Option<PartRefusal> {
        let model = Some(model).filter(|model| !model.is_empty());
        by_name(target).and_then(|target| MediaProfile::of(target, model).refusal(kind, form, false))
    }

    #[test]
    fn rows_name_targets() {
        let names = PARTS.iter().map(|row| row.targets).chain(CHECKS.iter().map(|row| row.targets));
        for name in names.flatten() {
            assert!(TARGETS.iter().any(|target| target.name == *name), "{name}");
        }
    }

    #[test]
    fn many_images_may_be_smaller() {
        let limits =
            |images| by_name("anthropic").map(|target| MediaProfile::of(target, None).image_limits(images));
        let of = |side| Some(ImageLimits { text: Some(10 << 20), bytes: None, side: Some(side) });
        assert_eq!((limits(20), limits(21)), (of(8000), of(2000)));
    }

    #[test]
    fn models_differ() {
        assert_eq!(refusal("chat", "gpt-5-mini", Audio, Data), Some(R::ChatAudio));
        assert_eq!(refusal("chat", "gpt-4o-audio-preview", Audio, Data), None);
        assert_eq!(refusal("chat", "", Audio, Data), None);
        assert_eq!(refusal("deepseek-chat", "deepseek-v4-flash", Image, Data), None);
        assert_eq!(refusal("deepseek-chat", "deepseek-v4-pro", Image, Data), Some(R::Reported));
        assert_eq!(refusal("deepseek-chat", "deepseek-flash", File, Data), Some(R::UnknownVariant));
        assert_eq!(
            refusal("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0", Video, Data),
            Some(R::BedrockBlock)
        );
        assert_eq!(refusal("bedrock", "us.amazon.nova-2-lite-v1:0", Video, Data), None);
        assert_eq!(refusal("anthropic", "claude-opus-4-5@20251101", Image, Url), Some(R::AnthropicUrl));
        assert_eq!(refusal("anthropic", "claude-opus-4-5", Image, Url), None);
        assert_eq!(refusal("bedrock", "qwen.qwen3-vl-235b", Image, Data), None);
        assert_eq!(refusal("bedrock", "qwen.qwen3-32b-v1:0", Image, Data), Some(R::Reported));
    }
}
