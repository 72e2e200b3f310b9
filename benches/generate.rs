//! Generated transcripts of any size, with faults at known places: session logs like Codex's, and one request per line. The
//! share of bytes in long strings decides the speed of everything, so messages are long, escaped, and now and then not
//! ASCII, as they are in real logs (a real rollout of 2025 has 900 bytes a line).

use std::io::{self, Write};

/// The numbers of injected faults, by the rule that should find them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultCounts {
    /// RL101
    pub missing_outputs: usize,
    /// RL102
    pub orphan_outputs: usize,
    /// RL105, of different content
    pub duplicate_outputs: usize,
}

impl FaultCounts {
    pub fn total(&self) -> usize {
        self.missing_outputs + self.orphan_outputs + self.duplicate_outputs
    }
}

/// The layout of histories in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogShape {
    /// A Codex rollout: all lines are one history.
    Rollout,
    /// A Responses request per line.
    Requests,
}

/// Writes about `bytes` bytes. One record in `fault_every` has a fault.
pub fn generate(
    shape: LogShape,
    bytes: u64,
    fault_every: u64,
    seed: u64,
    out: &mut dyn Write,
) -> io::Result<FaultCounts> {
    let mut generator =
        LogGenerator { random: seed | 1, faults: FaultCounts::default(), calls: 0, fault_every, records: 0 };
    let mut written = 0;
    if shape == LogShape::Rollout {
        written += line(
            out,
            r#"{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"s","cwd":"/w","model_provider":"openai","cli_version":"0.146.0"}}"#,
        )?;
    }
    while written < bytes {
        written += match shape {
            LogShape::Rollout => generator.turn(out)?,
            LogShape::Requests => generator.request(out)?,
        };
    }
    Ok(generator.faults)
}

fn line(out: &mut dyn Write, text: &str) -> io::Result<u64> {
    out.write_all(text.as_bytes())?;
    out.write_all(b"\n")?;
    Ok(text.len() as u64 + 1)
}

struct LogGenerator {
    random: u64,
    faults: FaultCounts,
    calls: u64,
    fault_every: u64,
    records: u64,
}

const SENTENCES: [&str; 8] = [
    "The function returns early when the list is empty, so the loop below never sees a missing head. ",
    r#"fn main() {\n    let path = std::env::args().nth(1).unwrap();\n    println!(\"{path}\");\n}\n"#,
    r#"{\"command\":[\"bash\",\"-lc\",\"rg -n 'TODO' src | head -50\"],\"workdir\":\"/srv/app\",\"timeout_ms\":10000} "#,
    r#"error[E0308]: mismatched types\n  --> src/lib.rs:42:13\n   |\n42 |     let x: u32 = \"a\";\n   |            ---   ^^^ expected `u32`\n"#,
    "Let me read the file first, then change the one place that matters, and run the tests again. ",
    "Größe, naïveté, 日本語のテキスト, emoji 🙂 and other text that is not ASCII. ",
    "total 48 drwxr-xr-x 5 user user 4096 Nov 21 10:00 . -rw-r--r-- 1 user user 1071 Nov 21 10:00 Cargo.toml ",
    r"\u00e9\u00e8 written as escapes, as Python does it, with \u65e5\u672c\u8a9e too. ",
];

impl LogGenerator {
    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % n
    }

    fn text(&mut self, about: u64) -> String {
        let mut text = String::new();
        while (text.len() as u64) < about {
            text.push_str(SENTENCES[self.below(8) as usize]);
        }
        text
    }

    fn blob(&mut self) -> String {
        let mut text = String::from("gAAAAAB");
        for _ in 0..40 {
            text.push_str(&format!("{:016x}", self.below(u64::MAX)));
        }
        text
    }

    /// The items of one turn: a question, thoughts, calls with their outputs, an answer.
    fn items(&mut self, calls: u64) -> Vec<String> {
        let mut items = Vec::new();
        let about = 100 + self.below(600);
        let question = self.text(about);
        items.push(format!(
            r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{question}"}}]}}"#
        ));
        for _ in 0..calls {
            self.calls += 1;
            let id = format!("call_{:024x}", self.calls);
            let blob = self.blob();
            items.push(format!(r#"{{"type":"reasoning","summary":[],"encrypted_content":"{blob}"}}"#));
            let call = format!(
                r#"{{"type":"function_call","name":"shell","arguments":"{{\"command\":[\"bash\",\"-lc\",\"sed -n 1,200p src/lib.rs\"]}}","call_id":"{id}"}}"#
            );
            let about = 200 + self.below(4000);
            let output = self.text(about);
            let output = format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"{output}"}}"#);
            self.records += 1;
            match self.records % (self.fault_every * 3) {
                0 => {
                    // Its reasoning is removed with it, or the orphan would be a run of its own.
                    items.pop();
                    items.push(output);
                    self.faults.orphan_outputs += 1;
                }
                n if n == self.fault_every => {
                    items.push(call);
                    self.faults.missing_outputs += 1;
                }
                n if n == self.fault_every * 2 => {
                    items.push(call);
                    items.push(output);
                    items.push(format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"again"}}"#));
                    self.faults.duplicate_outputs += 1;
                }
                _ => {
                    items.push(call);
                    items.push(output);
                }
            }
        }
        let about = 200 + self.below(1500);
        let answer = self.text(about);
        items.push(format!(
            r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{answer}"}}]}}"#
        ));
        items
    }

    fn turn(&mut self, out: &mut dyn Write) -> io::Result<u64> {
        let mut written = line(
            out,
            r#"{"timestamp":"2026-01-01T00:00:01.000Z","type":"event_msg","payload":{"type":"task_started","turn_id":"t"}}"#,
        )?;
        let calls = 1 + self.below(12);
        for item in self.items(calls) {
            written += line(
                out,
                &format!(r#"{{"timestamp":"2026-01-01T00:00:02.345Z","type":"response_item","payload":{item}}}"#),
            )?;
            if self.below(3) == 0 {
                let message = self.text(300);
                written += line(
                    out,
                    &format!(
                        r#"{{"timestamp":"2026-01-01T00:00:03.456Z","type":"event_msg","payload":{{"type":"agent_message","message":"{message}"}}}}"#
                    ),
                )?;
            }
        }
        Ok(written)
    }

    fn request(&mut self, out: &mut dyn Write) -> io::Result<u64> {
        let mut items = Vec::new();
        for _ in 0..1 + self.below(8) {
            let calls = 1 + self.below(8);
            items.extend(self.items(calls));
        }
        let body = format!(
            r#"{{"model":"gpt-5.5","store":false,"include":["reasoning.encrypted_content"],"input":[{}],"stream":true}}"#,
            items.join(",")
        );
        line(out, &body)
    }
}
