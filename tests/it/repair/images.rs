//! `fix --images`, `--max-image-bytes`, `--max-image-pixels` and `--max-images`, in every format whose samples have images. The
//! tests are built with the feature `images`.

use std::collections::BTreeSet;

use replaylint::internals::judge::Options;
use replaylint::internals::place::DocId;
use replaylint::internals::repair::{FixOptions, ImageOptions};
use replaylint::internals::report::image_list;
use replaylint::internals::source::Doc;

use crate::formats::nets::samples;
use crate::support::{check, repair};

const NONE: ImageOptions =
    ImageOptions { all: false, shrinks: false, max_bytes: None, max_pixels: None, max_count: None };
const ALL: ImageOptions = ImageOptions { all: true, ..NONE };
const SHRUNK: ImageOptions = ImageOptions { shrinks: true, ..NONE };

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
    let kept = |images: ImageOptions| {
        let text = String::from_utf8(without(text.as_bytes(), images)).expect("UTF-8");
        let is_in = |data: &str| text.contains(&format!("\"{data}\""));
        assert!(text.contains(r#"{"type":"text","text":"t"}"#), "{text}");
        (is_in(&small), is_in(&wide), is_in(&long))
    };
    assert_eq!(kept(NONE), (true, true, true));
    assert_eq!(kept(ALL), (false, false, false));
    assert_eq!(kept(ImageOptions { max_bytes: Some(500), ..NONE }), (true, true, false));
    assert_eq!(kept(ImageOptions { max_pixels: Some(2000), ..NONE }), (true, false, true));
    assert_eq!(kept(ImageOptions { max_count: Some(1), ..NONE }), (false, false, true));
    // The last of those that no other limit removes.
    assert_eq!(kept(ImageOptions { max_count: Some(1), max_bytes: Some(500), ..NONE }), (false, true, false));
    let text = without(text.as_bytes(), ImageOptions { max_pixels: Some(2000), ..NONE });
    assert!(String::from_utf8_lossy(&text).contains("[image omitted: PNG, 3000x10, "), "{text:?}");
}

/// A PNG in base64 that is no drawing: each pixel differs from the one before it.
fn photo(width: u32, height: u32) -> String {
    use base64::Engine;
    use std::io::Write;
    let mut rows = Vec::new();
    let mut state = 1u32;
    for _ in 0..height {
        rows.push(0);
        rows.extend((0..width * 3).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        }));
    }
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&rows).expect("memory");
    let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", header), (b"IDAT", packed.finish().expect("memory")), (b"IEND", Vec::new())] {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(&data);
        bytes.extend((data.len() as u32).to_be_bytes());
        bytes.extend(kind);
        bytes.extend(&data);
        bytes.extend(crc.sum().to_be_bytes());
    }
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// A text with each image in it replaced by another one.
fn with_images(text: &[u8], image: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let images = regex::Regex::new(r"iVBORw0KGgo[A-Za-z0-9+/_=-]*").expect("a pattern");
    images.replace_all(&text, image).into_owned().into_bytes()
}

/// The images of a text as `--images report` lists them.
fn listed(text: &[u8]) -> Vec<String> {
    let doc = Doc::of_bytes(DocId(0), "case", text.to_vec());
    let mut out = Vec::new();
    image_list::write(&image_list::images(&doc, &Options::default(), 1).expect("memory reads"), &mut out)
        .expect("memory writes");
    String::from_utf8(out).expect("UTF-8").lines().map(str::to_owned).collect()
}

#[test]
fn images_of_every_format_can_be_made_smaller() {
    let photo = photo(40, 30);
    let wanted = FixOptions { images: ImageOptions { max_pixels: Some(20), ..SHRUNK }, ..FixOptions::default() };
    let (mut formats, mut failures, mut explained) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
    for (format, file, text) in samples() {
        let text = with_images(&text, &photo);
        let before = listed(&text).iter().filter(|line| line.contains("40x30")).count();
        if before == 0 {
            continue;
        }
        let repaired = repair(&text, &Options::default(), &wanted);
        let after = listed(&repaired.text);
        let left = after.iter().filter(|line| line.contains("40x30")).count();
        let small = after.iter().filter(|line| line.contains("JPEG, 20x15")).count();
        let reasons: BTreeSet<&str> = repaired.fixed.skipped_groups.iter().map(|group| group.reason).collect();
        if left > 0 && reasons.is_empty() || left + small < before {
            failures.push(format!("{format}/{file}: {left} of {before} images are large, and {small} small"));
        }
        explained.extend(reasons);
        // The type is where it was, and right.
        let mismatches = |text: &[u8]| {
            let found = check(text, &Options::default()).findings;
            found.iter().filter(|judged| judged.finding.code.to_string() == "RL704").count()
        };
        if mismatches(&repaired.text) > 0 {
            failures.push(format!("{format}/{file}: a type is not that of its image"));
        }
        // What goes is listed.
        let removed = |at: &replaylint::internals::place::Place| &text[at.start as usize..at.end() as usize];
        let originals = repaired.fixed.removed.iter().map(|removed_value| removed(&removed_value.at));
        let originals = originals.filter(|value| String::from_utf8_lossy(value).contains(&photo)).count();
        if originals < small {
            failures.push(format!("{format}/{file}: {originals} of {small} originals are listed as removed"));
        }
        if !repair(&repaired.text, &Options::default(), &wanted).fixed.patch.is_empty() {
            failures.push(format!("{format}/{file}: a second run changes it"));
        }
        if small > 0 {
            formats.insert(format);
        }
    }
    println!("{explained:#?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(formats.len() >= 40, "only {formats:?}");
}

/// A request to Anthropic with these images, and the reasons for what stays.
fn shrunk(images: &[String], wanted: &FixOptions) -> (String, Vec<&'static str>, Vec<String>) {
    let block = |data: &String| match data.strip_prefix("https:") {
        Some(_) => format!(r#"{{"type":"image","source":{{"type":"url","url":"{data}"}}}}"#),
        None => {
            format!(r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#)
        }
    };
    let blocks: Vec<String> = images.iter().map(block).collect();
    let text = format!(
        r#"{{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{{"role":"user","content":[{}]}}]}}"#,
        blocks.join(",")
    );
    let repaired = repair(text.as_bytes(), &Options::default(), wanted);
    let reasons = repaired.fixed.skipped_groups.iter().map(|group| group.reason).collect();
    let removed = repaired.fixed.removed.iter().map(|removed| {
        let at = removed.at.start as usize..removed.at.end() as usize;
        text[at].trim_matches('"').to_owned()
    });
    (String::from_utf8(repaired.text).expect("UTF-8"), reasons, removed.collect())
}

#[test]
fn limits_of_the_target_are_the_default() {
    let wanted = FixOptions { images: SHRUNK, ..FixOptions::default() };
    let wide = photo(2100, 2);
    // With more than twenty images, each may have 2000 pixels on a side.
    let (text, reasons, removed) = shrunk(&vec![wide.clone(); 21], &wanted);
    assert!(reasons.is_empty() && !text.contains(&wide), "{reasons:?}");
    assert!(
        listed(text.as_bytes()).iter().all(|line| line.contains("JPEG, 2000x2, ")),
        "{:?}",
        listed(text.as_bytes())
    );
    // The originals are what `--dropped` writes.
    assert!(removed.len() == 21 && removed.iter().all(|data| *data == wide));
    let (text, ..) = shrunk(&vec![wide.clone(); 20], &wanted);
    assert_eq!(text.matches(&wide).count(), 20);
    // Those that go do not count.
    let twenty = FixOptions { images: ImageOptions { max_count: Some(20), ..SHRUNK }, ..FixOptions::default() };
    let (text, _, removed) = shrunk(&vec![wide.clone(); 21], &twenty);
    assert_eq!((text.matches(&wide).count(), text.matches("[image omitted: PNG, 2100x2, ").count()), (20, 1));
    assert_eq!(removed.iter().filter(|data| data.contains(&wide)).count(), 1);
}

#[test]
fn what_cannot_be_made_smaller_stays_with_a_reason() {
    let images = ImageOptions { max_pixels: Some(20), ..SHRUNK };
    let wanted = FixOptions { images, ..FixOptions::default() };
    let (url, half) = ("https://example.com/a.png".to_owned(), png(30, 30));
    let (text, reasons, _) = shrunk(&[url.clone(), half.clone(), photo(40, 30)], &wanted);
    assert!(text.contains(&url) && text.contains(&half) && text.contains("image/jpeg"), "{text}");
    assert_eq!(reasons, ["the image is not shrunk: it cannot be decoded"]);
    let lossless = FixOptions { lossless: true, ..wanted };
    let (text, reasons, removed) = shrunk(&[photo(40, 30)], &lossless);
    assert!(text.contains(&photo(40, 30)) && removed.is_empty());
    assert!(reasons.len() == 1, "{reasons:?}");
    // An image within the limits stays as it is, and nothing is said.
    let wanted = FixOptions { images: ImageOptions { max_pixels: Some(40), ..SHRUNK }, ..FixOptions::default() };
    let (text, reasons, _) = shrunk(&[photo(40, 30)], &wanted);
    assert!(text.contains(&photo(40, 30)) && reasons.is_empty());
}

#[test]
fn a_target_without_limits_needs_them() {
    let text = format!(
        r#"{{"model":"gpt-5","input":[{{"role":"user","content":[{{"type":"input_image","image_url":"data:image/png;base64,{}"}}]}}]}}"#,
        photo(40, 30)
    );
    let reasons = |images: ImageOptions| {
        let wanted = FixOptions { images, ..FixOptions::default() };
        let repaired = repair(text.as_bytes(), &Options::default(), &wanted);
        (repaired.text, repaired.fixed.skipped_groups.iter().map(|group| group.reason).collect::<Vec<_>>())
    };
    let (same, why) = reasons(SHRUNK);
    assert!(same == text.as_bytes() && why.iter().all(|why| why.contains("--max-image-bytes")) && !why.is_empty());
    let (text, why) = reasons(ImageOptions { max_bytes: Some(2000), ..SHRUNK });
    let text = String::from_utf8(text).expect("UTF-8");
    let url = text.split('"').find(|part| part.starts_with("data:image/jpeg;base64,")).expect("a JPEG");
    assert!(why.is_empty() && url.len() <= "data:image/jpeg;base64,".len() + 2000);
}
