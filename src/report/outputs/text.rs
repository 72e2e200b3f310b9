//! Text for people: each finding with a look at its item, the provider's words, and what `fix` would do.

use std::collections::BTreeMap;
use std::io::{self, Write};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, SourceCode, SourceSpan, SpanContents,
};

use crate::formats::agents::self_repair;
use crate::source::display_name;
use crate::target::Severity;

use crate::report::command_line::CommandLine;
use crate::report::counts;
use crate::report::counts::Kinds;
use crate::report::losses::Losses;
use crate::report::words::{count, cut, glued, grouped, unglued};
use crate::report::{Diagnostic, Report, Seen, Style, Summary};

pub(in crate::report) struct Text {
    style: Style,
    handler: GraphicalReportHandler,
    /// For what names commands, which are not broken.
    unbroken: GraphicalReportHandler,
    shown: usize,
    left: u64,
    /// What conversions lose, of all docs.
    losses: Losses,
    /// Rule → (name, how often), for the statistics.
    rules: BTreeMap<String, (&'static str, u64)>,
}

impl Text {
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
        Text { style, handler, unbroken, shown: 0, left: 0, losses: Losses::default(), rules: BTreeMap::new() }
    }

    fn count(&mut self, diagnostic: &Diagnostic, count: u64) {
        self.rules.entry(diagnostic.rule.to_string()).or_insert((diagnostic.name, 0)).1 += count;
    }

    /// Shows a finding with a look at its item.
    fn in_full(&mut self, diagnostic: &Diagnostic, out: &mut dyn Write) -> io::Result<()> {
        if self.style.limit.is_some_and(|limit| self.shown >= limit) {
            self.left += 1;
            return Ok(());
        }
        self.shown += 1;
        let mut page = String::new();
        let shown = Shown::new(diagnostic, self.style.width);
        let handler = if shown.names_commands() { &self.unbroken } else { &self.handler };
        handler.render_report(&mut page, &shown).map_err(io::Error::other)?;
        // The handler begins with an empty line; ours comes after it.
        writeln!(out, "{}\n", unglued(page.trim_matches('\n')))
    }
}

impl Report for Text {
    fn doc(&mut self, doc: &Seen, out: &mut dyn Write) -> io::Result<()> {
        let mut told: Vec<&Diagnostic> = doc.diagnostics.iter().filter(|d| self.style.tells(d)).collect();
        for diagnostic in &told {
            self.count(diagnostic, 1);
        }
        let more = doc.more.iter().filter_map(|more| Some((doc.diagnostics.get(more.like)?, more.count)));
        let more: Vec<(&Diagnostic, u64)> = more.collect();
        more.iter().for_each(|(like, count)| self.count(like, *count));
        if self.style.grouped {
            told.retain(|diagnostic| !self.losses.take(diagnostic));
        }
        let kinds = Kinds::of(told, &more, &self.style);
        for diagnostic in kinds.in_full {
            self.in_full(diagnostic, out)?;
        }
        for others in &kinds.others {
            if let Some(line) = counts::line(others, &self.style) {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let (single, lines) = std::mem::take(&mut self.losses).told(&self.style);
        for diagnostic in &single {
            self.in_full(diagnostic, out)?;
        }
        if !lines.is_empty() {
            writeln!(out, "{lines}")?;
        }
        if self.style.statistics && !self.rules.is_empty() {
            let mut rules: Vec<_> = self.rules.iter().collect();
            rules.sort_by_key(|(code, (_, n))| (std::cmp::Reverse(*n), (*code).clone()));
            for (code, (name, n)) in rules {
                writeln!(out, "{:>8}  {code}  {name}", grouped(*n))?;
            }
            writeln!(out)?;
        }
        finish(&self.style, self.left, summary, out)
    }

    fn is_for_people(&self) -> bool {
        true
    }
}

/// The last lines: what was not shown, what was found, what `fix` would do.
pub(super) fn finish(style: &Style, left: u64, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    // Whoever asks for the results alone is to know that these are not all.
    if left > 0 {
        writeln!(out, "… and {} (--max-diagnostics 0 shows all)", count(left, "more finding"))?;
    }
    if style.quiet {
        return Ok(());
    }
    if summary.files == 0 {
        return Ok(());
    }
    if !summary.read_as.is_empty() {
        writeln!(out, "Read as {}.", read_as(summary))?;
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
        writeln!(out, "No problems found in {among}.")?;
    } else {
        let all = summary.errors + summary.warnings;
        let which = match summary.fixable {
            1 if all == 1 => "it".to_owned(),
            n if n == all => "all".to_owned(),
            n => format!("{} of them", grouped(n)),
        };
        let fix = summary.fix();
        let preview = match () {
            () if fix.is_filter() => "",
            () if summary.packed => " (preview without -o)",
            () => " (preview without -w)",
        };
        let fixed = match (summary.fixable, offers(summary, true)) {
            (0, None) => "No fix is available.".to_owned(),
            (0, Some(offers)) => format!("None is fixed by default: {offers}."),
            (_, None) => format!("Fix {which} with `{fix}`{preview}."),
            (_, Some(offers)) => format!("Fix {which} with `{fix}`{preview}; {offers}."),
        };
        writeln!(out, "Found {} in {among}. {fixed}", found.join(" and "))?;
    }
    let unreported = [(summary.known, "in the baseline"), (summary.accepted, "accepted by [[ignore]]")];
    let unreported = unreported.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{} {why}", grouped(*n)));
    let unreported: Vec<String> = unreported.collect();
    if !unreported.is_empty() {
        writeln!(out, "Not reported: {}.", unreported.join(", "))?;
    }
    for (line, count) in &summary.healed {
        if let Some(words) = self_repair::words((*line, *count)) {
            writeln!(out, "{words}; this is not an error (`{}` reports it).", as_request())?;
        }
    }
    match open_logs(summary) {
        Some(line) => writeln!(out, "{line}"),
        None => Ok(()),
    }
}

/// Kinds of files that the summary names, at most.
const KINDS: usize = 4;

/// What the files were taken for: the format, and the API that they were judged for.
fn read_as(summary: &Summary) -> String {
    let mut kinds: Vec<_> = summary.read_as.iter().collect();
    kinds.sort_by_key(|(_, files)| std::cmp::Reverse(**files));
    let named = kinds.iter().take(KINDS).map(|(kind, files)| {
        let targets = if kind.targets.is_empty() { "no target".to_owned() } else { kind.targets.join(", ") };
        match kinds.len() {
            1 => format!("{}, judged for {targets}", kind.format),
            _ => format!("{} for {targets} ({})", kind.format, count(**files, "file")),
        }
    });
    let mut named: Vec<String> = named.collect();
    if kinds.len() > KINDS {
        named.push(format!("{} more kinds (--output-format json lists all)", kinds.len() - KINDS));
    }
    named.join(", ")
}

/// The command that fixes what is not fixed by default, for each flag that does, and how many findings it fixes.
pub fn offers(summary: &Summary, writes: bool) -> Option<String> {
    let flags = [(summary.with_warnings, "--fix-warnings"), (summary.with_safety, "--acknowledge-safety")];
    let more = if summary.fixable > 0 { " more" } else { "" };
    let fix = || if writes { summary.fix() } else { CommandLine::new("fix").on_all() };
    let told: Vec<String> = flags
        .into_iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, flag)| format!("`{}` fixes {}{more}", fix().flag(flag), grouped(n)))
        .collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// The command that judges what is stored.
fn as_request() -> CommandLine {
    CommandLine::new("check").with("--as", "request").on_all()
}

/// Says that logs end in an open call, and what to do about it.
fn open_logs(summary: &Summary) -> Option<String> {
    let logs = match summary.open_logs {
        0 => return None,
        1 => "1 log ends in an unanswered call".to_owned(),
        n => format!("{} logs end in unanswered calls", grouped(n)),
    };
    Some(format!("{logs} (pending; `{}` treats it as an error).", as_request()))
}

/// A diagnostic as miette sees it.
#[derive(Debug)]
struct Shown<'d> {
    diagnostic: &'d Diagnostic,
    source: Option<Line>,
}

impl<'d> Shown<'d> {
    fn new(diagnostic: &'d Diagnostic, width: usize) -> Self {
        let spot = &diagnostic.spot;
        // The line's number and the frame stand in front of the text.
        let room = width.saturating_sub(spot.line.to_string().len() + 5).max(20);
        let source = diagnostic.snippet.as_ref().map(|snippet| Line {
            text: cut(&snippet.text, room),
            name: display_name(&diagnostic.path).into_owned(),
            line: spot.line,
            column: spot.column,
        });
        Shown { diagnostic, source }
    }

    fn names_commands(&self) -> bool {
        let names = |text: &str| text.contains("`replaylint ");
        names(&self.diagnostic.message) || self.diagnostic.why_not().is_some_and(|why| names(&why))
    }

    fn label(&self) -> String {
        let spot = &self.diagnostic.spot;
        if spot.pointer.is_empty() { format!("record {}", self.diagnostic.record) } else { spot.pointers() }
    }
}

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&glued(&self.diagnostic.message))
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn code(&self) -> Option<Box<dyn std::fmt::Display + '_>> {
        let (severity, rule) = (self.diagnostic.severity.name(), self.diagnostic.rule);
        let name = self.diagnostic.name;
        if self.source.is_some() {
            return Some(Box::new(format!("{severity} {rule} {name}")));
        }
        // Without a look at the item there is no frame to name the place.
        let (path, spot) = (display_name(&self.diagnostic.path), &self.diagnostic.spot);
        Some(Box::new(format!("{severity} {rule} {name} {path}:{}:{}", spot.line, spot.column)))
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
            let spot = &related.spot;
            lines.push(format!(
                "{}: line {}, column {}, {}",
                related.message,
                spot.line,
                spot.column,
                spot.pointers()
            ));
        }
        if let Some(api) = &self.diagnostic.api_message {
            lines.push(format!("the API says: {api}"));
        }
        match (&self.diagnostic.fix, self.diagnostic.why_not()) {
            (Some(fix), _) => {
                lines.push(format!("fix ({}): {}", fix.terms(), fix.title));
            }
            // A message may say it itself.
            (None, Some(why)) if self.diagnostic.message.ends_with(&*why) => {}
            (None, Some(why)) => lines.push(glued(&format!("no fix: {why}")).into_owned()),
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
struct Line {
    text: String,
    name: String,
    line: u64,
    column: u64,
}

impl SourceCode for Line {
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
