//! A run of `convert` over several documents: its counts, reports and summary.

use std::io::Write;

use crate::report::words::{count, group_digits};
use crate::report::{Diagnostic, DocReport, IgnoredCounts, RunSummary, Style};
use crate::source::{Input, describe_error, display_name};
use crate::target::Severity;

use crate::commands::check::{is_not_conversation, report_nothing_found};
use crate::commands::loss_counts;
use crate::commands::omitted_conversations;
use crate::commands::run::labels::label_of;
use crate::commands::run::walked_files;
use crate::commands::{Failure, Outcome, ReportOutput, Run, print_error, print_note, stderr, unslim};

use super::{Conversion, ConversionError, DenyLoss, DocConversion};

pub(in crate::commands) struct ConvertRun<'r> {
    run: &'r Run,
    pub(in crate::commands) failed: bool,
    lossy: bool,
    records_failed: u64,
    recognised: u64,
    noted: u64,
    unsent: u64,
    summary: RunSummary,
    reports: Vec<DocReport>,
}

impl<'r> ConvertRun<'r> {
    pub(in crate::commands) fn new(run: &'r Run, failed: bool, ignored: IgnoredCounts) -> Self {
        ConvertRun {
            run,
            failed,
            lossy: false,
            records_failed: 0,
            recognised: 0,
            noted: 0,
            unsent: 0,
            summary: RunSummary { ignored, ..RunSummary::default() },
            reports: Vec::new(),
        }
    }

    pub(in crate::commands) fn record(
        &mut self,
        input: &Input,
        done: Result<DocConversion, ConversionError>,
    ) -> Result<(), Failure> {
        let done = match done {
            Ok(done) => done,
            Err(ConversionError::Output(error)) => return Err(error.into()),
            Err(trouble) => {
                print_error(&match trouble {
                    ConversionError::Read(error) | ConversionError::Output(error) => {
                        describe_error(&label_of(input), &error)
                    }
                    ConversionError::Commit(error) => error.to_string(),
                    ConversionError::Clash(usage_error) => usage_error.to_string(),
                    ConversionError::TooManyConversations(n) => format!(
                        "{}: contains {n} conversations, but a file of items holds one; use `-o DIR/` to write one file \
                         per conversation, or `--to responses` for one request per line",
                        display_name(&label_of(input))
                    ),
                });
                self.failed = true;
                return Ok(());
            }
        };
        if done.skipped {
            self.summary.skipped += 1;
            walked_files::report_skipped(self.run, &done.label);
            return Ok(());
        }
        self.summary.count_file(input.database());
        unslim::report_restored(self.run, &done.label, done.references);
        let unknown = done.is_unrecognised && !walked_files::was_conversation(&done.report.diagnostics)
            || is_not_conversation(&done.report);
        self.recognised += u64::from(done.format.is_some() || !unknown);
        self.summary.histories += u64::from(done.converted);
        self.summary.items += done.items;
        let [noted, warnings, errors] = done.counts;
        self.noted += noted;
        self.unsent += done.unsent;
        self.summary.warnings += warnings;
        self.summary.errors += errors;
        self.records_failed += u64::from(done.failed);
        self.lossy |= done.loses;
        self.reports.push(done.report);
        Ok(())
    }

    pub(in crate::commands) fn finish(
        self,
        conversion: &Conversion,
        out: &mut dyn Write,
    ) -> Result<Outcome, Failure> {
        let mut stderr = stderr();
        for output in &self.run.outputs {
            let machine = output.name != "text" && output.name != "concise";
            let style = Style { quiet: machine || self.run.quiet, ..self.run.style };
            // This command prints its own summary for people.
            let none = RunSummary::default();
            let summary = if machine { &self.summary } else { &none };
            let mut report_output = ReportOutput::new(output, style, self.run.is_private())?;
            // With the conversion on standard output, the report goes to standard error.
            let to: &mut dyn Write = if machine && conversion.output.is_some() { out } else { &mut stderr };
            for seen in &self.reports {
                report_output.write(to, |report, out| report.write_doc(seen, out))?;
            }
            report_output.write(to, |report, out| report.finish(summary, out))?;
            report_output.save()?;
        }
        self.reports.iter().filter_map(omitted_conversations::describe).for_each(|words| print_note(&words));
        let failed = self.failed || report_nothing_found(self.run, self.recognised, &self.summary, self.failed);
        if !self.run.quiet && self.summary.files > 0 {
            print_note(&self.summary_line(conversion));
        }
        let denied = (conversion.deny_loss.is_some() || self.run.deny_warnings) && self.lossy;
        let found = self.records_failed > 0 || denied;
        Ok(self.run.outcome(failed, found))
    }

    fn summary_line(&self, conversion: &Conversion) -> String {
        let summary = &self.summary;
        let written = count(summary.histories, "conversation");
        let denied = conversion.deny_loss == Some(DenyLoss::File) && self.lossy;
        let mut text = match (summary.files, denied) {
            (_, true) => format!("{written} would be lossy; nothing was written (--deny-loss)"),
            (1, false) => format!("Converted {written}"),
            (files, false) => format!("Converted {written} ({})", count(files, "file")),
        };
        if self.records_failed > 0 {
            text += &format!("; {} failed", count(self.records_failed, "record"));
        }
        let left_out = self.reports.iter().map(|seen| seen.left_out.len() as u64).sum();
        if left_out > 0 {
            text += &format!("; {} left out", group_digits(left_out));
        }
        if summary.histories + left_out > 0 {
            text += &format!("; {}", loss_counts::describe(summary.warnings, self.noted, self.unsent));
        }
        text.push('.');
        let is_problem = |diagnostic: &&Diagnostic| diagnostic.severity != Severity::Info;
        let counted = self.reports.iter().flat_map(|seen| {
            let similar = seen.similar.iter();
            similar.filter(|like| seen.diagnostics.get(like.representative).as_ref().is_some_and(is_problem))
        });
        let counted: u64 = counted.map(|like| like.count).sum();
        let shown =
            self.reports.iter().flat_map(|seen| &seen.diagnostics).filter(is_problem).count() as u64 + counted;
        let all = summary.warnings + summary.errors;
        if shown < all {
            text += &format!(" {} not shown (--max-diagnostics 0 shows all).", group_digits(all - shown));
        }
        text + &walked_files::describe_skipped(summary)
    }
}
