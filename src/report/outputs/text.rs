//! Text for people: each finding with a snippet of its item, the provider's message, and the fix.

use std::collections::BTreeMap;
use std::io::{self, Write};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, SourceCode, SourceSpan, SpanContents,
};

use crate::format::{Format, Layout};
use crate::formats;
use crate::formats::agents::resume;
use crate::judge;
use crate::source::display_name;
use crate::target::Severity;
use crate::targets;

use crate::report::command_line::CommandLine;
use crate::report::conversion_losses::ConversionLosses;
use crate::report::grouping;
use crate::report::grouping::DiagnosticGroups;
use crate::report::words::{count, glue_commands, group_digits, truncate, unglue, write_wrapped};
use crate::report::{Diagnostic, DocReport, InputKind, Reporter, RunSummary, Style};

/// The output `text`.
pub(in crate::report) struct TextReporter {
    style: Style,
    handler: GraphicalReportHandler,
    /// For texts with commands, which are not broken.
    unbroken: GraphicalReportHandler,
    shown: usize,
    omitted: u64,
    /// Losses of conversions, of all documents.
    losses: ConversionLosses,
    /// Rule → (name, how often), for the statistics.
    rules: BTreeMap<String, (&'static str, u64)>,
}

impl TextReporter {
    pub(in crate::report) fn new(style: Style) -> Self {
        let mut theme = if style.unicode { GraphicalTheme::unicode() } else { GraphicalTheme::ascii() };
        if !style.color {
            theme.styles = miette::ThemeStyles::none();
        }
        let handler = GraphicalReportHandler::new_themed(theme).with_width(style.width).with_context_lines(0);
        let unbroken = handler
            .clone()
            .with_break_words(false)
            .with_word_separator(textwrap::WordSeparator::AsciiSpace)
            .with_word_splitter(textwrap::WordSplitter::NoHyphenation);
        TextReporter {
            style,
            handler,
            unbroken,
            shown: 0,
            omitted: 0,
            losses: ConversionLosses::default(),
            rules: BTreeMap::new(),
        }
    }

    fn count(&mut self, diagnostic: &Diagnostic, count: u64) {
        self.rules.entry(diagnostic.rule.to_string()).or_insert((diagnostic.name, 0)).1 += count;
    }

    /// Writes a finding with a snippet of its item.
    fn write_in_full(&mut self, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
        if self.style.limit.is_some_and(|limit| self.shown >= limit) {
            self.omitted += 1;
            return Ok(());
        }
        self.shown += 1;
        let mut page = String::new();
        let shown = MietteDiagnostic::new(diagnostic, self.style.width);
        let handler = if shown.names_commands() { &self.unbroken } else { &self.handler };
        handler.render_report(&mut page, &shown).map_err(io::Error::other)?;
        // The handler begins with an empty line; here it ends with one.
        writeln!(out, "{}\n", unglue(page.trim_matches('\n')))
    }
}

impl Reporter for TextReporter {
    fn write_doc(&mut self, doc: &DocReport, out: &mut dyn Write) -> io::Result<()> {
        let mut listed: Vec<&Diagnostic> =
            doc.diagnostics.iter().filter(|d| self.style.shows_to_people(d)).collect();
        for diagnostic in &listed {
            self.count(diagnostic, 1);
        }
        let more =
            doc.similar.iter().filter_map(|more| Some((doc.diagnostics.get(more.representative)?, more.count)));
        let more: Vec<(&Diagnostic, u64)> = more.collect();
        more.iter().for_each(|(like, count)| self.count(like, *count));
        if self.style.grouped {
            listed.retain(|diagnostic| !self.losses.add(diagnostic));
            more.iter().for_each(|(like, count)| self.losses.add_similar(like, *count));
        }
        let kinds = DiagnosticGroups::of(listed, &more, &self.style);
        self.omitted += kinds.only_counted;
        for diagnostic in kinds.in_full {
            self.write_in_full(diagnostic, out)?;
        }
        for others in &kinds.others {
            if let Some(line) = grouping::summary_line(others, &self.style) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
        let (single, lines) = std::mem::take(&mut self.losses).into_lines(&self.style);
        for diagnostic in &single {
            self.write_in_full(diagnostic, out)?;
        }
        if !lines.is_empty() {
            writeln!(out, "{lines}")?;
        }
        if self.style.statistics && !self.rules.is_empty() {
            let mut rules: Vec<_> = self.rules.iter().collect();
            rules.sort_by_key(|(code, (_, n))| (std::cmp::Reverse(*n), (*code).clone()));
            for (code, (name, n)) in rules {
                writeln!(out, "{:>8}  {code}  {name}", group_digits(*n))?;
            }
            writeln!(out)?;
        }
        finish(&self.style, self.omitted, summary, out)
    }

    fn is_for_people(&self) -> bool {
        true
    }
}

/// Writes the closing lines: findings that were not shown, totals, and how to fix them.
pub(super) fn finish(style: &Style, omitted: u64, summary: &RunSummary, out: &mut dyn Write) -> io::Result<()> {
    // Also with --quiet: it must be clear that these are not all results.
    if omitted > 0 {
        write_prose(
            &format!("… and {} (show all with --max-diagnostics 0)", count(omitted, "more finding")),
            style,
            out,
        )?;
    }
    if style.quiet {
        return Ok(());
    }
    if summary.files == 0 {
        return Ok(());
    }
    if !summary.input_kinds.is_empty() {
        write_prose(&formats_line(summary), style, out)?;
    }
    let skipped = if summary.skipped > 0 { format!(", {} skipped", summary.skipped) } else { String::new() };
    let ignored = summary.ignored.words().map(|words| format!(", {words} ignored")).unwrap_or_default();
    let among = format!(
        "{} ({}{skipped}{ignored})",
        count(summary.histories, "conversation"),
        count(summary.files, "file")
    );
    let found: Vec<String> = [(summary.errors, "error"), (summary.warnings, "warning")]
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| count(n, what))
        .collect();
    if found.is_empty() {
        write_prose(&format!("No problems found in {among}."), style, out)?;
    } else {
        let all = summary.errors + summary.warnings;
        let which = match summary.fixable {
            1 if all == 1 => "it".to_owned(),
            n if n == all => "all".to_owned(),
            n => format!("{} of them", group_digits(n)),
        };
        let fix = summary.fix_command();
        let preview = match () {
            () if fix.is_filter() => "",
            () if summary.packed => " (preview without -o)",
            () => " (preview without -w)",
        };
        let fixed = match (summary.fixable, fix_offers(summary, true)) {
            (0, None) => "No fix is available.".to_owned(),
            (0, Some(offers)) if summary.in_copy == all => format!("No fix is possible in place; {offers}."),
            (0, Some(offers)) => format!("No fix is applied by default; {offers}."),
            (_, None) => format!("Fix {which} with `{fix}`{preview}."),
            (_, Some(offers)) => format!("Fix {which} with `{fix}`{preview}; {offers}."),
        };
        write_prose(&format!("Found {} in {among}. {fixed}", found.join(" and ")), style, out)?;
    }
    let unreported = [(summary.in_baseline, "in the baseline"), (summary.accepted, "accepted by [[ignore]]")];
    let unreported =
        unreported.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{} {why}", group_digits(*n)));
    let unreported: Vec<String> = unreported.collect();
    if !unreported.is_empty() {
        write_prose(&format!("Not reported: {}.", unreported.join(", ")), style, out)?;
    }
    for (line, count) in &summary.agent_acts {
        if let Some(words) = resume::describe((*line, *count)) {
            let text = format!("{words}, so this is not an error (`{}` reports it).", as_request());
            write_prose(&text, style, out)?;
        }
    }
    match open_logs(summary) {
        Some(line) => write_prose(&line, style, out),
        None => Ok(()),
    }
}

/// Writes sentences, wrapped to the width.
fn write_prose(text: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_wrapped(text, style.width, "", "", out)
}

/// Kinds of files that the summary names, at most.
const KINDS: usize = 4;

/// The formats of the files, and the targets that they were checked against.
fn formats_line(summary: &RunSummary) -> String {
    let mut kinds: Vec<_> = summary.input_kinds.iter().collect();
    if let [(InputKind { format, targets }, _)] = kinds.as_slice() {
        let is_foreign = matches!(targets.as_slice(), [name] if is_converted(format, name));
        let converted = if is_foreign { ", converted in memory" } else { "" };
        return match targets.as_slice() {
            [] => format!("Format: {format}."),
            targets => format!("Format: {format}. Checked against: {}{converted}.", targets.join(", ")),
        };
    }
    kinds.sort_by_key(|(_, files)| std::cmp::Reverse(**files));
    let named = kinds.iter().take(KINDS).map(|(kind, files)| {
        let files = count(**files, "file");
        match kind.targets.as_slice() {
            [] => format!("{} ({files})", kind.format),
            targets => format!("{} for {} ({files})", kind.format, targets.join(", ")),
        }
    });
    let mut named: Vec<String> = named.collect();
    if let Some(more) = kinds.len().checked_sub(KINDS).filter(|more| *more > 0) {
        named.push(format!("{} (list all with --output-format json)", count(more as u64, "more format")));
    }
    format!("Formats: {}.", named.join(", "))
}

/// True if requests of a format were converted to the dialect of a target to check them. A stored session may have any
/// dialect.
fn is_converted(format: &str, target: &str) -> bool {
    let is_request = |format: &&'static dyn Format| matches!(format.layout(), Layout::Envelope(_));
    let pair = formats::by_name(format).filter(is_request).zip(targets::by_name(target));
    pair.is_some_and(|(format, target)| !judge::shares_dialect(format.info(), target))
}

/// Commands that fix what is not fixed by default, one per flag, and how many findings each fixes; `None` without any.
pub fn fix_offers(summary: &RunSummary, writes: bool) -> Option<String> {
    let flags = [(summary.with_warnings, "--fix-warnings"), (summary.with_safety, "--acknowledge-safety")];
    let more = if summary.fixable > 0 { " more" } else { "" };
    let fix = || if writes { summary.fix_command() } else { CommandLine::new("fix").on_all_inputs() };
    let mut listed: Vec<String> = flags
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, flag)| format!("`{}` fixes {}{more}", fix().flag(flag), group_digits(n)))
        .collect();
    if summary.in_copy > 0 {
        let install = CommandLine::new("fix").flag("--install").on_all_inputs();
        listed.push(format!("`{install}` fixes {}{more} in a copy", group_digits(summary.in_copy)));
    }
    (!listed.is_empty()).then(|| listed.join(", "))
}

/// The command that checks what is stored as a request.
fn as_request() -> CommandLine {
    CommandLine::new("check").with("--as", "request").on_all_inputs()
}

/// A sentence about logs that end in an open call, and how to treat these as errors; `None` without any.
fn open_logs(summary: &RunSummary) -> Option<String> {
    let logs = match summary.open_logs {
        0 => return None,
        1 => "1 log ends in an unanswered call".to_owned(),
        n => format!("{} logs end in unanswered calls", group_digits(n)),
    };
    let errors = if summary.open_logs == 1 { "it as an error" } else { "them as errors" };
    Some(format!("{logs} (pending; `{}` treats {errors}).", as_request()))
}

/// A diagnostic for miette.
#[derive(Debug)]
struct MietteDiagnostic<'d> {
    diagnostic: &'d Diagnostic,
    source: Option<SnippetLine>,
}

impl<'d> MietteDiagnostic<'d> {
    fn new(diagnostic: &'d Diagnostic, width: usize) -> Self {
        let location = &diagnostic.location;
        // The line's number and the frame precede the text.
        let room = width.saturating_sub(location.line.to_string().len() + 5).max(20);
        let source = diagnostic.snippet.as_ref().map(|snippet| SnippetLine {
            text: truncate(&snippet.text, room),
            name: display_name(&diagnostic.path).into_owned(),
            line: location.line,
            column: location.column,
        });
        MietteDiagnostic { diagnostic, source }
    }

    fn names_commands(&self) -> bool {
        let names = |text: &str| text.contains("`replaylint ");
        names(&self.diagnostic.message) || self.diagnostic.no_fix_reason().is_some_and(|why| names(&why))
    }

    fn label(&self) -> String {
        let location = &self.diagnostic.location;
        if location.pointer.is_empty() {
            format!("record {}", self.diagnostic.record)
        } else {
            location.pointers()
        }
    }
}

impl std::fmt::Display for MietteDiagnostic<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&glue_commands(&self.diagnostic.message))
    }
}

impl std::error::Error for MietteDiagnostic<'_> {}

impl miette::Diagnostic for MietteDiagnostic<'_> {
    fn code(&self) -> Option<Box<dyn std::fmt::Display + '_>> {
        let (severity, rule) = (self.diagnostic.severity.name(), self.diagnostic.rule);
        let name = self.diagnostic.name;
        if self.source.is_some() {
            return Some(Box::new(format!("{severity} {rule} {name}")));
        }
        // Without a snippet there is no frame to show the location.
        let (path, location) = (display_name(&self.diagnostic.path), &self.diagnostic.location);
        Some(Box::new(format!("{severity} {rule} {name} {path}:{}:{}", location.line, location.column)))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn help(&self) -> Option<Box<dyn std::fmt::Display + '_>> {
        let mut lines = Vec::new();
        for related in &self.diagnostic.related {
            let location = &related.location;
            lines.push(format!(
                "{}: line {}, column {}, {}",
                related.message,
                location.line,
                location.column,
                location.pointers()
            ));
        }
        if let Some(api) = &self.diagnostic.api_message {
            lines.push(format!("the API says: {api}"));
        }
        match (&self.diagnostic.fix, self.diagnostic.no_fix_reason()) {
            (Some(fix), _) => {
                lines.push(format!("fix ({}): {}", fix.terms(), fix.title));
            }
            // A message may contain the reason.
            (None, Some(why)) if self.diagnostic.message.ends_with(&*why) => {}
            (None, Some(why)) => lines.push(glue_commands(&format!("no automatic fix: {why}")).into_owned()),
            (None, None) => {}
        }
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|line| line as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let line = self.source.as_ref()?;
        let label = LabeledSpan::new(Some(self.label()), 0, line.text.len());
        Some(Box::new(std::iter::once(label)))
    }
}

/// One short line, wherever in the file it is: miette never sees the file, so a line of 30 MB costs nothing.
#[derive(Debug)]
struct SnippetLine {
    text: String,
    name: String,
    line: u64,
    column: u64,
}

impl SourceCode for SnippetLine {
    fn read_span<'a>(
        &'a self,
        _: &SourceSpan,
        _: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let span = SourceSpan::new(0.into(), self.text.len());
        let from_zero = |n: u64| usize::try_from(n.saturating_sub(1)).unwrap_or(usize::MAX);
        let (line, column) = (from_zero(self.line), from_zero(self.column));
        let contents =
            miette::MietteSpanContents::new_named(self.name.clone(), self.text.as_bytes(), span, line, column, 1);
        Ok(Box::new(contents))
    }
}
