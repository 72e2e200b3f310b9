//! One pass over the images, sounds, videos and files of a history, for the rules of the family `media`. What a target checks
//! is in `targets/media.rs`; the rules' own files contain their pages and messages. A history without such parts costs a look
//! at the flags of its rows.

use std::cell::OnceCell;

use crate::dialect::BLOCK;
use crate::dialects::media_parts::{self, MediaPart, SourceForm};
use crate::history::{Code, Finding, Flags, Row, codes, work_counter};
use crate::json::edit::RecordBase;
use crate::json::name;
use crate::message::MediaKind;
use crate::message::media_bytes::{decoded_len, is_base64, size_of_base64, type_of_base64};
use crate::place::Place;
use crate::rule::{FindingSink, RuleContext};
use crate::target::media::{MediaCheck, MediaLimit};
use crate::targets::media::MediaProfile;

use super::media::{media_without_prefix, mismatched_media_type};

/// The bytes of the base64 text of an image are checked to be one only if there are enough of them.
const FEW: usize = 16;

/// What can be done about an image: `fix` changes images only if it is asked to.
const LARGE_IMAGE: &str = "`replaylint fix --images shrink FILE` makes it smaller; --max-image-bytes alone replaces large \
                           images with a text";
const WIDE_IMAGE: &str = "`replaylint fix --images shrink FILE` makes it smaller; `--max-image-pixels 8000` alone replaces \
                          images with longer sides with a text";
const WIDE_IMAGE_OF_MANY: &str = "`replaylint fix --images shrink FILE` makes it smaller; `--max-image-pixels 2000` alone \
                                  replaces images with longer sides with a text";
const TOO_MANY: &str = "which of them to leave out is the user's decision; `replaylint fix --images keep-last=1 FILE` keeps \
                        only the last image";
const NO_DATA: &str =
    "the data are not in the file; `replaylint fix --images drop FILE` replaces images with a text";
const NO_IMAGE: &str =
    "the bytes are not an image; `replaylint fix --images drop FILE` replaces images with a text";
const NOT_DECODED: &str =
    "the data cannot be decoded; `replaylint fix --images drop FILE` replaces images with a text";

/// The reason why a part stays: with what can be done about it, if it is an image.
fn reason(part: &MediaPart<'_>, image: &'static str, other: &'static str) -> &'static str {
    if part.kind == MediaKind::Image { image } else { other }
}

/// True if a history has parts for this pass.
pub fn has_media(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.has(Flags::MEDIA))
}

/// Reports what a target, and the model of the history, refuse of its media.
pub fn report(cx: &RuleContext<'_>, profile: &MediaProfile, out: &mut FindingSink) {
    let mut pass = MediaPass { profile, totals: Totals::default(), findings: Vec::new() };
    for row in cx.history.rows.iter().filter(|row| row.has_own_media()) {
        let first = pass.findings.len();
        // Places in a JSON string, or in damaged text, are not those of the text that is read.
        let is_exact = !row.has(Flags::EMBEDDED) && !row.has(Flags::FROZEN);
        let base = RecordBase::new(row.at.doc, row.at.start);
        cx.text.with_item(row, &mut |item| {
            media_parts::for_each(item, &mut |part| {
                let at = if is_exact { base.of(part.val) } else { row.at };
                pass.see(&PartOfRow { row, part, at, side: OnceCell::new() });
            });
        });
        pass.keep_first_of_each(first);
    }
    pass.check_totals(cx);
    out.findings.append(&mut pass.findings);
}

/// A part, and the row of its item.
struct PartOfRow<'r, 't> {
    row: &'r Row,
    part: MediaPart<'t>,
    at: Place,
    /// The longest side of the image in pixels, which several limits ask for.
    side: OnceCell<Option<u32>>,
}

impl PartOfRow<'_, '_> {
    fn longest_side(&self, data: &[u8]) -> Option<u32> {
        *self.side.get_or_init(|| size_of_base64(data).map(|(width, height)| width.max(height)))
    }

    fn finding(&self, code: Code, variant: u8) -> Finding {
        Finding::new(code, *self.row).variant(variant).with_partner(self.at)
    }
}

/// An image whose size is known.
struct SizedImage {
    row: Row,
    at: Place,
    side: u32,
}

/// What is counted over a whole history.
#[derive(Default)]
struct Totals {
    /// The rows of all parts, and their kinds.
    parts: Vec<(Row, Place, MediaKind)>,
    /// Images that exceed the limit for requests with many.
    large: Vec<SizedImage>,
}

struct MediaPass<'p> {
    profile: &'p MediaProfile,
    totals: Totals,
    findings: Vec<Finding>,
}

impl MediaPass<'_> {
    fn see(&mut self, found: &PartOfRow<'_, '_>) {
        let part = &found.part;
        self.totals.parts.push((*found.row, found.at, part.kind));
        // What the model made is not known to be refused.
        if found.row.has(Flags::RECORDED) {
            return;
        }
        if let Some(answer) = self.profile.refusal(part.kind, part.form, part.is_in_result) {
            let finding = found.finding(codes::UNSUPPORTED_PART, answer as u8);
            self.findings.push(finding.never("the part has no form that is accepted here"));
            return;
        }
        if part.form == SourceForm::Url {
            let finding = found.finding(codes::UNFETCHED_MEDIA, 0);
            self.findings.push(finding.never("the file does not contain what is at the URL"));
        }
        let data = part.data();
        let profile = self.profile;
        for check in &profile.checks {
            self.check(found, data.as_deref(), check);
        }
    }

    fn check(&mut self, found: &PartOfRow<'_, '_>, data: Option<&[u8]>, check: &MediaCheck) {
        let part = &found.part;
        let filled = data.filter(|data| !data.is_empty());
        match *check {
            MediaCheck::Types(kinds, types, answer) if kinds.contains(&part.kind) => {
                self.check_type(found, answer as u8, |mime| types.contains(&mime));
            }
            MediaCheck::ResultTypes(kinds, types, answer) if part.is_in_result && kinds.contains(&part.kind) => {
                self.check_type(found, answer as u8, |mime| types.contains(&mime));
            }
            MediaCheck::NoTypes(forms, start, answer)
                if part.kind == MediaKind::File && forms.contains(&part.form) =>
            {
                self.check_type(found, answer as u8, |mime| !mime.starts_with(start));
            }
            MediaCheck::DeclaredType(answer) if mismatched_media_type::actual_type(part).is_some() => {
                let finding = found.finding(codes::MISMATCHED_MEDIA_TYPE, answer as u8);
                self.findings.push(finding.edit_value(&mismatched_media_type::CORRECT));
            }
            MediaCheck::KnownBytes(answer) if part.kind == MediaKind::Image => {
                let unknown = filled.is_some_and(|data| data.len() >= FEW && !is_image(data) && is_base64(data));
                if unknown {
                    let finding = found.finding(codes::MISMATCHED_MEDIA_TYPE, answer as u8);
                    self.findings.push(finding.never(NO_IMAGE));
                }
            }
            MediaCheck::Data(answer) if data.is_some_and(<[u8]>::is_empty) && !is_reported_url(part) => {
                let finding = found.finding(codes::EMPTY_MEDIA, answer as u8);
                self.findings.push(finding.never(reason(part, NO_DATA, "the data are not in the file")));
            }
            MediaCheck::Base64(answer)
                if part.form == SourceForm::Data && filled.is_some_and(|data| !is_base64(data)) =>
            {
                let finding = found.finding(codes::INVALID_BASE64, answer as u8);
                self.findings.push(finding.never(reason(part, NOT_DECODED, "the data cannot be decoded")));
            }
            MediaCheck::Prefix(kinds, answer)
                if part.form == SourceForm::BareData
                    && filled.is_some()
                    && kinds.contains(&part.kind)
                    && !is_reported_url(part) =>
            {
                let finding = found.finding(codes::MEDIA_WITHOUT_PREFIX, answer as u8);
                self.findings.push(match media_without_prefix::missing_prefix(part) {
                    Some(_) => finding.edit_value(&media_without_prefix::PREFIX),
                    None => finding.never("neither its bytes nor its name show the type"),
                });
            }
            MediaCheck::Limit(limit, certainty) => {
                if let Some(data) = filled {
                    self.check_limit(found, data, limit, certainty as u8);
                }
            }
            _ => {}
        }
    }

    fn check_type(&mut self, found: &PartOfRow<'_, '_>, variant: u8, accepts: impl Fn(&str) -> bool) {
        let part = &found.part;
        let declared = part.declared_type();
        let Some(mime) = declared.as_deref().or_else(|| part.likely_type()) else { return };
        let mime = mime.split(';').next().unwrap_or(mime).trim();
        // The fix of the other rule gives it the right type.
        let is_mismatched = self.checks_declared_type() && mismatched_media_type::actual_type(part).is_some();
        if !accepts(mime) && !is_mismatched {
            let finding = found.finding(codes::MEDIA_TYPE, variant);
            self.findings.push(finding.never("its content would have to be converted"));
        }
    }

    fn checks_declared_type(&self) -> bool {
        self.profile.checks.iter().any(|check| matches!(check, MediaCheck::DeclaredType(_)))
    }

    fn check_limit(&mut self, found: &PartOfRow<'_, '_>, data: &[u8], limit: MediaLimit, variant: u8) {
        let part = &found.part;
        let is_image = part.kind == MediaKind::Image;
        let (code, length, most) = match limit {
            MediaLimit::ImageText(most) if is_image => (codes::LARGE_MEDIA, data.len() as u64, most),
            MediaLimit::ImageBytes(most) if is_image => (codes::LARGE_MEDIA, decoded_len(data), most),
            MediaLimit::FileBytes(most, except) if part.kind == MediaKind::File => {
                let mime = part.declared_type();
                if mime.is_some_and(|mime| except.contains(&&*mime)) {
                    return;
                }
                (codes::LARGE_MEDIA, decoded_len(data), most)
            }
            MediaLimit::Side(most) if is_image => {
                let Some(side) = found.longest_side(data) else { return };
                (codes::LARGE_IMAGE, u64::from(side), most)
            }
            MediaLimit::SideOfMany(_, most) if is_image => {
                if let Some(side) = found.longest_side(data).filter(|side| *side > most) {
                    self.totals.large.push(SizedImage { row: *found.row, at: found.at, side });
                }
                return;
            }
            _ => return,
        };
        if length > u64::from(most) {
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            let finding = found.finding(code, variant).arg(length).limit(most);
            let why = if code == codes::LARGE_IMAGE { WIDE_IMAGE } else { LARGE_IMAGE };
            self.findings.push(finding.never(reason(part, why, "it would have to be made smaller")));
        }
    }

    /// Of several findings of one item that say the same, keeps the first.
    fn keep_first_of_each(&mut self, from: usize) {
        let mut seen: Vec<(Code, u8)> = Vec::new();
        let is_repeated = |finding: &mut Finding| {
            work_counter::count();
            let key = (finding.code, finding.variant);
            let is_known = seen.contains(&key);
            if !is_known {
                seen.push(key);
            }
            is_known
        };
        // A history may have many images: those of the rows before are not looked at again.
        self.findings.extract_if(from.., is_repeated).for_each(drop);
    }

    /// Checks the limits of whole requests.
    fn check_totals(&mut self, cx: &RuleContext<'_>) {
        let images = self.totals.parts.iter().filter(|(.., kind)| *kind == MediaKind::Image).count();
        for check in &self.profile.checks {
            let MediaCheck::Limit(limit, certainty) = *check else { continue };
            match limit {
                MediaLimit::Count(kinds, most) => {
                    let counted = || self.totals.parts.iter().filter(|(.., kind)| kinds.contains(kind));
                    if let Some((row, at, _)) = counted().nth(most as usize) {
                        let count = u32::try_from(counted().count()).unwrap_or(u32::MAX);
                        let finding = Finding::new(codes::TOO_MANY_MEDIA, *row).variant(certainty as u8);
                        let finding = finding.with_partner(*at).arg(count).limit(most);
                        self.findings.push(finding.never(TOO_MANY));
                        // A higher limit of the same target adds nothing.
                        break;
                    }
                }
                MediaLimit::SideOfMany(many, most) if images > many as usize => {
                    for image in &self.totals.large {
                        let finding =
                            Finding::new(codes::LARGE_IMAGE, image.row).variant(super::media::large_image::MANY);
                        let finding = finding.with_partner(image.at).arg(image.side).limit(most);
                        self.findings.push(finding.never(WIDE_IMAGE_OF_MANY));
                    }
                }
                _ => {}
            }
        }
        self.check_body(cx);
    }

    fn check_body(&mut self, cx: &RuleContext<'_>) {
        let limits = self.profile.checks.iter().filter_map(|check| match check {
            MediaCheck::Limit(MediaLimit::Body(most), certainty) => Some((*most, *certainty)),
            _ => None,
        });
        let Some((most, certainty)) = limits.min_by_key(|(most, _)| *most) else { return };
        let rows = cx.history.rows.iter().filter(|row| row.part != BLOCK);
        let items = || rows.map(|row| u64::from(row.at.len)).sum();
        let size: u64 = cx.history.settings.body.map_or_else(items, |body| u64::from(body.at.len));
        let Some((row, ..)) = self.totals.parts.last().filter(|_| size > u64::from(most)) else { return };
        let finding = Finding::new(codes::LARGE_BODY, *row).variant(certainty as u8);
        let finding = finding.arg(u32::try_from(size).unwrap_or(u32::MAX)).limit(most);
        self.findings.push(finding.never(TOO_MANY));
    }
}

fn is_image(data: &[u8]) -> bool {
    type_of_base64(data).is_some_and(|mime| mime.starts_with("image/"))
}

/// True for an image of the Responses API without a valid URL, which RL654 reports.
fn is_reported_url(part: &MediaPart<'_>) -> bool {
    part.form == SourceForm::BareData && part.val.get(name::r#type).is_some_and(|kind| kind.is("input_image"))
}
