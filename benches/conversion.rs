//! Conversion of requests of each dialect to each dialect, losses reported: as a ratio to parsing each of them to
//! `serde_json::Value` and writing that, on one thread.

use std::hint::black_box;
use std::ops::Range;
use std::path::Path;

use replaylint::internals::convert::{CONVERT_DIALECTS, ConvertOptions, ConvertPlan, convert_doc};
use replaylint::internals::dialect::OutputShape;
use replaylint::internals::judge::Options;
use replaylint::internals::source::lines;
use replaylint::internals::target::Severity;
use serde_json::Value;

use super::{DOC, best};

/// A table: a row for each source, a column for each target.
pub fn table(sources: &[(&str, Vec<u8>)], threads: usize) {
    let targets: Vec<_> =
        CONVERT_DIALECTS.iter().filter(|(.., written)| *written == OutputShape::Request).collect();
    let on = if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") };
    println!("convert, {on}: how many times as fast as parsing to Value and writing that on one");
    print!("  {:<12} {:>16}", "from", "parse and write");
    targets.iter().for_each(|(name, ..)| print!(" {name:>10}"));
    println!();
    for (source, data) in sources {
        let (base, records) = parse_and_write(data);
        print!("  {source:<12} {:>11.0} MB/s", data.len() as f64 / 1e6 / base);
        for (_, to, written) in &targets {
            let time = convert(data, records, threads, || ConvertPlan::to(*to, *written));
            print!(" {:>10.2}", base / time);
        }
        println!();
    }
    println!();
}

/// The same of requests that providers accepted, if a corpus of them is beside the checkout: by its formats. All of them, of
/// which half are shorter than a kilobyte, and those of a usual size.
pub fn recorded(root: &Path, bytes: usize) {
    const FORMATS: [(&str, &str); 5] = [
        ("Responses", "openai-responses"),
        ("Chat", "openai-chat"),
        ("Anthropic", "anthropic-messages"),
        ("Gemini", "gemini-contents"),
        ("Bedrock", "bedrock-converse"),
    ];
    let Ok(manifest) = std::fs::read_to_string(root.join("manifest.jsonl")) else {
        println!("no corpus beside the checkout: no recorded requests");
        return;
    };
    let rows: Vec<Value> = manifest.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let of = |(name, format): (&'static str, &str), lengths: Range<usize>| {
        let accepted = rows.iter().filter(|row| row["format"] == format && row["gold"] == "accepted");
        let read = |row: &Value| {
            let text = std::fs::read(root.join(row["path"].as_str()?)).ok()?;
            Some(serde_json::from_slice::<Value>(&text).ok()?.to_string() + "\n")
        };
        let lines = accepted.filter_map(read).filter(|line| lengths.contains(&line.len()) && is_converted(line));
        let lines: Vec<String> = lines.collect();
        let once: usize = lines.iter().map(String::len).sum();
        (name, lines.concat().repeat(bytes.div_ceil(once.max(1))).into_bytes())
    };
    for (title, lengths) in [("", 0..usize::MAX), (" of 2 to 12 kB", 2_000..12_000)] {
        let sources = FORMATS.into_iter().map(|format| of(format, lengths.clone()));
        let sources: Vec<(&str, Vec<u8>)> = sources.filter(|(_, data)| !data.is_empty()).collect();
        println!("recorded requests{title}, repeated");
        table(&sources, 1);
    }
}

/// True if a record has a conversion to each dialect, so that no conversion does less than parsing and writing.
fn is_converted(line: &str) -> bool {
    let options = Options::default();
    let twice = line.repeat(2).into_bytes();
    CONVERT_DIALECTS.iter().filter(|(.., written)| *written == OutputShape::Request).all(|(_, to, written)| {
        let plan = ConvertPlan::to(*to, *written);
        let done = convert_doc(DOC, &twice, &ConvertOptions::new(&options, plan), 1, &mut |_| Ok(()));
        done.is_ok_and(|done| done.converted == 2)
    })
}

/// The time in seconds, and the number of records.
fn parse_and_write(data: &[u8]) -> (f64, u32) {
    let mut out = Vec::with_capacity(data.len() * 2);
    let mut records = 0;
    let time = best(|| {
        out.clear();
        records = 0;
        for (_, line) in lines::split(data) {
            let value = serde_json::from_slice::<serde_json::Value>(line).expect("JSON");
            serde_json::to_writer(&mut out, &value).expect("written");
            out.push(b'\n');
            records += 1;
        }
        black_box(&out);
    });
    (time.as_secs_f64(), records)
}

/// The time in seconds. Asserts that every record is converted: a refused one would cost nothing.
fn convert(data: &Vec<u8>, records: u32, threads: usize, plan: impl Fn() -> ConvertPlan) -> f64 {
    let options = Options::default();
    let mut out = Vec::with_capacity(data.len() * 2);
    let time = best(|| {
        out.clear();
        let how = ConvertOptions {
            min_severity: Severity::Warning,
            max_findings: 100,
            ..ConvertOptions::new(&options, plan())
        };
        let done = convert_doc(DOC, data, &how, threads, &mut |bytes| {
            out.extend_from_slice(bytes);
            Ok(())
        });
        assert_eq!(done.expect("memory reads").converted, records, "each record is converted");
        black_box(&out);
    });
    time.as_secs_f64()
}
