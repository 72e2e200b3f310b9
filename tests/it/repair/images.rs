//! `fix --images`, `--max-image-bytes`, `--max-image-pixels` and `--max-images`, in every format whose samples have images.

use std::collections::BTreeSet;

use replaylint::internals::judge::Options;
use replaylint::internals::place::DocId;
use replaylint::internals::repair::{FixOptions, ImageOptions};
use replaylint::internals::report::image_list;
use replaylint::internals::source::Doc;

use crate::formats::nets::samples;
use crate::support::{check, repair};

const ALL: ImageOptions = ImageOptions { all: true, max_bytes: None, max_pixels: None, max_count: None };

fn count_images(text: &[u8]) -> usize {
    let doc = Doc::of_bytes(DocId(0), "case", text.to_vec());
    image_list::images(&doc, &Options::default(), 1).expect("memory reads").len()
}

fn without(text: &[u8], images: ImageOptions) -> Vec<u8> {
    repair(text, &Options::default(), &FixOptions { images, ..FixOptions::default() }).text
}

#[test]
fn all_images_of_every_format_can_be_replaced() {
    let (mut formats, mut failures) = (BTreeSet::new(), Vec::new());
    for (format, file, text) in samples() {
        let before = count_images(&text);
        if before == 0 {
            continue;
        }
        let wanted = FixOptions { images: ALL, ..FixOptions::default() };
        let repaired = repair(&text, &Options::default(), &wanted);
        let left = count_images(&repaired.text);
        let is_explained = !repaired.fixed.skipped_groups.is_empty();
        let name = |text: &[u8]| check(text, &Options::default()).format.map(|format| format.info().name);
        if left > 0 && !is_explained {
            failures.push(format!("{format}/{file}: {left} of {before} images are left"));
        }
        if name(&text) != name(&repaired.text) {
            failures.push(format!("{format}/{file}: is no longer of its format"));
        }
        if left == 0 && !repair(&repaired.text, &Options::default(), &wanted).fixed.patch.is_empty() {
            failures.push(format!("{format}/{file}: a second run changes it"));
        }
        if left < before {
            formats.insert(format);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(formats.len() >= 40, "only {formats:?}");
}

/// The first bytes of a PNG of this size, in base64.
fn png(width: u32, height: u32) -> String {
    use base64::Engine;
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 6, 0, 0, 0]);
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn limits_select_images() {
    let image = |data: &str| {
        format!(r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#)
    };
    let (small, wide, long) = (png(10, 10), png(3000, 10), format!("{}{}", png(10, 10), "AAAA".repeat(200)));
    let text = format!(
        r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{{"role":"user","content":[{{"type":"text","text":"t"}},{},{},{}]}}]}}"#,
        image(&small),
        image(&wide),
        image(&long)
    );
    let none = ImageOptions::default();
    let kept = |images: ImageOptions| {
        let text = String::from_utf8(without(text.as_bytes(), images)).expect("UTF-8");
        let is_in = |data: &str| text.contains(&format!("\"{data}\""));
        assert!(text.contains(r#"{"type":"text","text":"t"}"#), "{text}");
        (is_in(&small), is_in(&wide), is_in(&long))
    };
    assert_eq!(kept(none), (true, true, true));
    assert_eq!(kept(ALL), (false, false, false));
    assert_eq!(kept(ImageOptions { max_bytes: Some(500), ..none }), (true, true, false));
    assert_eq!(kept(ImageOptions { max_pixels: Some(2000), ..none }), (true, false, true));
    assert_eq!(kept(ImageOptions { max_count: Some(1), ..none }), (false, false, true));
    // The last of those that no other limit removes.
    assert_eq!(kept(ImageOptions { max_count: Some(1), max_bytes: Some(500), ..none }), (false, true, false));
    let text = without(text.as_bytes(), ImageOptions { max_pixels: Some(2000), ..none });
    assert!(String::from_utf8_lossy(&text).contains("[image omitted: PNG, 3000x10, "), "{text:?}");
}
