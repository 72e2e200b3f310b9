//! Media that are too large for a case in a file: of the size that a target refuses, and just below it.

use replaylint::internals::judge::Options;
use replaylint::internals::targets;

use crate::support::{codes, diagnostics};

/// The base64 text of a PNG of 16 by 16 pixels, and enough after it that the text is this long.
fn png(length: usize) -> String {
    let head = "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAAf8/9h";
    format!("{head}{}", "A".repeat(length - head.len()))
}

fn found(target: &str, text: &str) -> Vec<String> {
    let options = Options { target: targets::by_name(target), ..Options::default() };
    codes(&diagnostics(text.as_bytes(), &options))
}

fn anthropic(images: &[String]) -> String {
    let block = |data: &String| {
        format!(r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#)
    };
    let blocks: Vec<String> = images.iter().map(block).collect();
    format!(
        r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{{"role":"user","content":[{}]}}]}}"#,
        blocks.join(",")
    )
}

fn chat(model: &str, images: &[String]) -> String {
    let part =
        |data: &String| format!(r#"{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{data}"}}}}"#);
    let parts: Vec<String> = images.iter().map(part).collect();
    format!(r#"{{"model":"{model}","messages":[{{"role":"user","content":[{}]}}]}}"#, parts.join(","))
}

const MB: usize = 1024 * 1024;

#[test]
fn large_images_are_found() {
    assert_eq!(found("anthropic", &anthropic(&[png(10 * MB + 4)])), ["RL708"]);
    assert!(found("anthropic", &anthropic(&[png(10 * MB)])).is_empty());
    // Others count the decoded bytes.
    assert_eq!(found("deepseek-chat", &chat("deepseek-flash", &[png(43 * MB)])), ["RL708"]);
    assert!(found("deepseek-chat", &chat("deepseek-flash", &[png(42 * MB)])).is_empty());
}

#[test]
fn large_requests_are_found() {
    let images = vec![png(7 * MB); 5];
    assert_eq!(found("anthropic", &anthropic(&images)), ["RL711"]);
    assert!(found("anthropic", &anthropic(&images[1..])).is_empty());
    let images = vec![png(10 * MB); 5];
    assert_eq!(found("deepseek-chat", &chat("deepseek-flash", &images)), ["RL711"]);
}

#[test]
fn many_images_are_found() {
    let images = vec![png(100); 601];
    assert_eq!(found("anthropic", &anthropic(&images)), ["RL710"]);
    assert_eq!(found("deepseek-chat", &chat("deepseek-flash", &images)), ["RL710"]);
    assert!(found("deepseek-chat", &chat("deepseek-flash", &images[1..])).is_empty());
}
