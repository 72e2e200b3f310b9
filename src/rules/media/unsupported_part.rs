//! RL701: the API or its model does not take a content part of this kind.

use crate::rule::{Check, Evidence, Variant};
use crate::target::{ErrorDetails, Levels};

crate::rule! {
    /// ## What it does
    ///
    /// Finds images, sounds, videos and files that the API, or the model that the request names, does not take: at all, by URL,
    /// by the id of an uploaded file, from a bucket, or in the result of a call. What is not known to be refused is not reported.
    ///
    /// ## Why it matters
    ///
    /// The API rejects the request, in every turn from then on. Each has its own words:
    ///
    /// > Invalid 'messages[3]'. Content blocks are expected to be either text or image_url type.
    ///
    /// > This model doesn't support the video content block that you provided. Update the content block and try again.
    ///
    /// > Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `input_audio`, expected `text`
    ///
    /// > The model returned the following errors: Malformed input request: #/messages/2/content/0: extraneous key [toolResult] is not
    /// > permitted, please reformat your input and try again.
    ///
    /// > Model does not support image modality
    ///
    /// > messages.0.content.1.image.source.base64.data: URL sources are not supported
    ///
    /// > image URLs are not currently supported, please use base64 encoded data instead
    ///
    /// > invalid message format
    ///
    /// > unsupported content[].type
    ///
    /// > Invalid value: 'video_url'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'.
    ///
    /// It happens when a conversation goes on with another model, or when a tool returns a file.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5-mini","messages":[{"role":"user","content":[
    ///  {"type":"text","text":"What is said?"},
    ///  {"type":"input_audio","input_audio":{"data":"SUQzBAAAAAAA","format":"mp3"}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: what the part says would have to be told in another form, or be left out.
    ///
    /// ## Evidence
    ///
    /// Recorded: audio to OpenAI's text models, video and S3 locations to Claude on Bedrock, files in S3 in a result to Nova, other parts
    /// than text to DeepSeek, images to gpt-oss and URLs to Claude on Bedrock (pydantic-ai, rig, llama-stack, chatlas).
    /// Documented: URLs at Claude on Bedrock and Vertex AI (platform.claude.com, vision), parts in results before Gemini 3
    /// (ai.google.dev, function-calling), URLs at Kimi (platform.kimi.ai, use-kimi-vision-model), ollama's `openai.go`. Warnings are
    /// for what only a third party's table of models says.
    UNSUPPORTED_PART, "unsupported-part" tags [Field], Check::External,
    [
        Variant {
            message: "{media} part{media_place}, which this API or model does not take",
            also: &[
                "Url must be a base64 encoded image and cannot start with 'http'",
                "Model '{model}' does not support function 'function_image_chat'",
                "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
                "No endpoints found that support image input",
                "Unknown part type: {type}",
            ],
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place}, which this API or model is not known to take",
            levels: Levels::WARNING,
            also: &[
                "Unexpected content chunk types in {role} message: {type}",
                "Found system messages at indexes {index} and audio chunks",
                "Message content as a list is only supported for user messages.",
                "data did not match any variant of untagged enum ChatCompletionRequestToolMessageContent",
            ],
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place}, which only the audio models of this API take",
            api: Some("Invalid 'messages[{message}]'. Content blocks are expected to be either text or image_url type."),
            error: ErrorDetails { param: Some("messages[{message}]"), ..ErrorDetails::HISTORY },
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place}, which this API does not take",
            api: Some("Failed to deserialize the JSON body into the target type: messages[{message}]: unknown variant `{media}`, expected `text`"),
            evidence: Evidence::Recorded,
            error: ErrorDetails { code: Some("invalid_request_error"), ..ErrorDetails::BODY },
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place}, which this model does not take",
            api: Some("This model doesn't support the {media} content block that you provided. Update the content block and try again."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place} in S3, but this model accepts only inline bytes",
            api: Some("This model doesn't support the s3Uri field. Remove s3Uri and try again."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place} in S3, but this model accepts only inline bytes there",
            api: Some("The model returned the following errors: Malformed input request: #/messages/{message}/content/{block}: extraneous key [toolResult] is not permitted, please reformat your input and try again."),
            error: ErrorDetails::AWS,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place}, but this model takes only text",
            api: Some("Model does not support image modality"),
            error: ErrorDetails { kind: "validation_error", ..ErrorDetails::BODY },
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} block{media_place} with a URL, but this host takes only base64",
            api: Some("messages.{message}.content.{block}.image.source.base64.data: URL sources are not supported"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place} with a URL, but this server takes only base64",
            api: Some("image URLs are not currently supported, please use base64 encoded data instead"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place}, which this server does not take",
            api: Some("invalid message format"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Documented,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place}, which this server does not take",
            api: Some("unsupported content[].type"),
            error: ErrorDetails::BODY,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
        Variant {
            message: "{media} part{media_place}, which only other servers take",
            api: Some("Invalid value: '{media}'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', 'audio', and 'file'."),
            error: ErrorDetails { param: Some("messages[{message}].content[{block}].type"), ..ErrorDetails::HISTORY },
            levels: Levels::WARNING,
            evidence: Evidence::Reported,
            ..Variant::BASE
        },
    ]
}
