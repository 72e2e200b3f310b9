//! RL702: the server could not fetch what is at a URL.

use crate::rule::{Check, Evidence, Variant};
use crate::target::Levels;

crate::rule! {
    /// ## What it does
    ///
    /// Describes images and files by URL, which the server fetches for each request. No file shows whether it can, so that nothing
    /// is reported; with `--proven`, and by `explain --error`, these parts are named.
    ///
    /// ## Why it matters
    ///
    /// If the server cannot fetch one of them, it rejects the request with HTTP 400:
    ///
    /// > Error while downloading https://example.com/a.png.
    ///
    /// > Cannot fetch content from the provided URL. Please ensure the URL is valid and accessible by Vertex AI.
    ///
    /// Signed URLs expire, and sites keep robots away: then a conversation that was accepted yesterday is refused today.
    ///
    /// ## Example
    ///
    /// ```json
    /// {"model":"gpt-5-mini","messages":[{"role":"user","content":[
    ///  {"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}]}
    /// ```
    ///
    /// ## Fix
    ///
    /// None: the content is not in the file. Fetch it and send it as base64.
    ///
    /// ## Evidence
    ///
    /// Recorded: OpenAI, Azure, Gemini on AI Studio and on Vertex AI, llama.cpp (openllmetry, pydantic-ai, llama-stack, lingua, rig);
    /// many more URLs were fetched.
    UNFETCHED_MEDIA, "unfetched-media" tags [Field], Check::External,
    [
        Variant {
            message: "{media} part{media_place} with a URL, which the server must be able to fetch",
            also: &[
                "Error while downloading {url}.",
                "Cannot fetch content from the provided URL.",
                "The provided image url can not be accessed. status code: {status}.",
                "error: cannot make GET request",
            ],
            levels: Levels::OFF,
            evidence: Evidence::Recorded,
            ..Variant::BASE
        },
    ]
}
