//! The images of a document, for `fix --images report`.

use std::io::{self, Write};

use foldhash::HashSet;

use crate::dialects::media_parts::{self, MediaPart};
use crate::history::turns::{TurnCounter, messages};
use crate::history::{Flags, Row};
use crate::judge::{self, HistoryVisitor, JudgedHistory};
use crate::message::media_bytes::decoded_len;
use crate::message::smaller_image::ImageFacts;
use crate::place::Place;
use crate::source::{Doc, display_name};

use super::Location;
use super::locator::locate_places;
use super::segment_locations;
use super::words::{byte_size, count};

/// An image of a document.
pub struct ListedImage {
    path: String,
    location: Location,
    facts: ImageInRow,
}

/// An image in an item, before its place is known as a line.
struct ImageInRow {
    at: Place,
    flags: Flags,
    /// Its number among the media of its item.
    number: u32,
    /// The number of the turn, from 1; 0 before the first.
    turn: u32,
    is_in_result: bool,
    /// Type, size in pixels and bytes; `None` for an image that is not in the file.
    facts: Option<String>,
    bytes: u64,
}

impl ImageInRow {
    fn of(row: &Row, turn: u32, number: u32, part: &MediaPart<'_>) -> ImageInRow {
        let data = part.filled_data();
        ImageInRow {
            at: row.at,
            flags: row.flags,
            number,
            turn,
            is_in_result: part.is_in_result || row.kind.is_output(),
            facts: data.as_deref().map(|data| ImageFacts::of(data).to_string()),
            bytes: data.as_deref().map_or(0, decoded_len),
        }
    }
}

/// Collects the images of each history.
struct ImageCollector;

impl HistoryVisitor for ImageCollector {
    type Output = Vec<ImageInRow>;

    fn needs_findings(&self) -> bool {
        false
    }

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<Vec<ImageInRow>> {
        let (mut images, mut turns) = (Vec::new(), TurnCounter::default());
        for message in messages(&case.cx.history.rows) {
            turns.add(message);
            for row in message.iter().filter(|row| row.has_own_media()) {
                case.cx.text.with_item(row, &mut |item| {
                    let found = media_parts::images(item);
                    images.extend(found.map(|(number, part)| ImageInRow::of(row, turns.count, number, &part)));
                });
            }
        }
        (!images.is_empty()).then_some(images)
    }

    fn renumber(_: &mut Vec<ImageInRow>, _: u32) {}
}

/// The images of a document, in the order of its histories; one that several histories share is there once.
pub fn images(doc: &Doc, options: &judge::Options, threads: usize) -> io::Result<Vec<ListedImage>> {
    let found = judge::judge(doc.id, &*doc.bytes, options, threads, &ImageCollector)?;
    let mut images: Vec<ImageInRow> = found.outputs.into_iter().flatten().collect();
    let mut known = HashSet::default();
    images.retain(|image| known.insert((image.at, image.number)));
    let wanted: Vec<(Place, Flags)> = images.iter().map(|image| (image.at, image.flags)).collect();
    let locations = locate_places(doc.id, &*doc.bytes, found.container, &found.lines, &wanted)?;
    let listed = images.into_iter().map(|facts| {
        let mut location = locations.get(&facts.at).cloned().unwrap_or_default();
        let path = segment_locations::map(&doc.segments, &mut location);
        ListedImage { path: path.unwrap_or(&doc.label).to_owned(), location, facts }
    });
    Ok(listed.collect())
}

/// Writes a line for each image.
pub fn write(images: &[ListedImage], out: &mut dyn Write) -> io::Result<()> {
    for ListedImage { path, location: Location { line, column, .. }, facts } in images {
        let turn = if facts.turn > 0 { format!("turn {}, ", facts.turn) } else { String::new() };
        let place = if facts.is_in_result { ", in a tool result" } else { "" };
        let facts = facts.facts.as_deref().unwrap_or("not in the file (a URL or an id)");
        writeln!(out, "{}:{line}:{column}: {turn}image: {facts}{place}", display_name(path))?;
    }
    Ok(())
}

/// The sum of the images.
pub fn summary(images: &[ListedImage]) -> String {
    let bytes = images.iter().map(|image| image.facts.bytes).sum();
    match images.len() as u64 {
        0 => "No images.".to_owned(),
        n => format!("{}, {}.", count(n, "image"), byte_size(bytes)),
    }
}
