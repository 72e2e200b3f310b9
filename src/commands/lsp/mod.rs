//! `lsp`: a language server for editors, over standard input and output. What it says of a text is what `check`, `fix`,
//! `explain` and `tree` say; it only translates. The editor sends the whole text of a file with each change, and nothing is
//! written but answers. Messages to the editor contain no text of a conversation, because editors keep logs of them.

mod actions;
mod client;
mod document;
mod findings;
mod framing;
mod line_index;
mod outline;
mod repairs;

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Exit, LogMessage, Notification as _, PublishDiagnostics, ShowMessage,
};
use lsp_types::request::{
    CodeActionRequest, DocumentSymbolRequest, HoverRequest, Initialize, Request as _, Shutdown,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, CodeActionProviderCapability,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, DocumentSymbolParams,
    DocumentSymbolResponse, HoverParams, HoverProviderCapability, InitializeParams, InitializeResult,
    LogMessageParams, MessageType, OneOf, PositionEncodingKind, PublishDiagnosticsParams, ServerCapabilities,
    ServerInfo, ShowMessageParams, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::options::UsageError;
use crate::source::bug::{self, Bug};

use super::{Failure, Outcome, Run};

use client::Client;
use document::Document;
use framing::Incoming;
use line_index::ColumnUnit;

/// Where a session is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Begun,
    Initialized,
    ShutDown,
}

struct Server<'s> {
    options: &'s dyn Fn() -> Result<Run, UsageError>,
    out: &'s mut dyn Write,
    client: Client,
    phase: Phase,
    /// The open files, by their addresses.
    documents: BTreeMap<String, Document>,
    /// The last error of a config file, which is said once.
    complaint: Option<String>,
}

/// Why a request has no result.
struct Refusal {
    code: ErrorCode,
    message: String,
}

impl From<UsageError> for Refusal {
    fn from(error: UsageError) -> Self {
        Refusal { code: ErrorCode::RequestFailed, message: error.message }
    }
}

impl From<Bug> for Refusal {
    fn from(bug: Bug) -> Self {
        Refusal { code: ErrorCode::InternalError, message: bug.to_string() }
    }
}

/// Serves an editor until it ends the session or goes away. `options` are read anew for each use, since config files change.
pub fn serve(
    input: impl BufRead + Send + 'static,
    options: &dyn Fn() -> Result<Run, UsageError>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    // What was typed while a text was judged is in the queue, and only the last of it is judged.
    let (sender, queue) = channel();
    std::thread::spawn(move || {
        let mut input = input;
        loop {
            let incoming = framing::read(&mut input);
            let is_last = matches!(incoming, Incoming::End | Incoming::Broken);
            if sender.send(incoming).is_err() || is_last {
                return;
            }
        }
    });
    let mut server = Server {
        options,
        out,
        client: Client::UNKNOWN,
        phase: Phase::Begun,
        documents: BTreeMap::new(),
        complaint: None,
    };
    match server.run(&queue) {
        Err(failure) if failure.is_broken_pipe() => Ok(server.outcome()),
        done => done,
    }
}

impl Server<'_> {
    fn run(&mut self, queue: &Receiver<Incoming>) -> Result<Outcome, Failure> {
        loop {
            let due = self.documents.values().filter_map(|document| document.due).min();
            let wait = due.map_or(Duration::MAX, |due| due.saturating_duration_since(Instant::now()));
            match queue.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) => self.judge_due()?,
                Err(RecvTimeoutError::Disconnected) | Ok(Incoming::End) => return Ok(self.outcome()),
                Ok(Incoming::Broken) => {
                    return Err(
                        UsageError::new("standard input: not a message of the Language Server Protocol").into()
                    );
                }
                // Without an id that can be read, the answer has none.
                Ok(Incoming::Malformed) => {
                    let error =
                        json!({ "code": ErrorCode::ParseError as i32, "message": "the message is not JSON-RPC" });
                    let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
                    write!(self.out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
                    self.out.flush()?;
                }
                Ok(Incoming::Message(Message::Request(request))) => {
                    let (id, done) = self.answer(request)?;
                    let response = match done {
                        Ok(result) => Response { id, result: Some(result), error: None },
                        Err(refusal) => Response::new_err(id, refusal.code as i32, refusal.message),
                    };
                    self.send(response)?;
                }
                Ok(Incoming::Message(Message::Notification(note))) if note.method == Exit::METHOD => {
                    return Ok(self.outcome());
                }
                Ok(Incoming::Message(Message::Notification(note))) => self.note(note)?,
                // Nothing is asked of the editor.
                Ok(Incoming::Message(Message::Response(_))) => {}
            }
        }
    }

    fn outcome(&self) -> Outcome {
        if self.phase == Phase::ShutDown { Outcome::Clean } else { Outcome::Found }
    }

    fn send(&mut self, message: impl Into<Message>) -> Result<(), Failure> {
        Ok(message.into().write(&mut self.out)?)
    }

    fn notify(&mut self, method: &str, params: impl Serialize) -> Result<(), Failure> {
        let params = serde_json::to_value(params).unwrap_or_default();
        self.send(Notification { method: method.to_owned(), params })
    }

    /// The answer to a request. A panic is an answer, too.
    fn answer(&mut self, request: Request) -> Result<(RequestId, Result<Value, Refusal>), Failure> {
        let Request { id, method, params } = request;
        let done = match (self.phase, &*method) {
            (Phase::Begun, Initialize::METHOD) => parse(params).map(|params| self.initialize(&params)),
            (Phase::Begun, _) => {
                Err(refusal(ErrorCode::ServerNotInitialized, "the first request is `initialize`"))
            }
            (Phase::ShutDown, _) | (_, Initialize::METHOD) => {
                Err(refusal(ErrorCode::InvalidRequest, "not at this point of a session"))
            }
            (_, Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            _ => {
                // What is asked for is asked of the text as it is now.
                let asked = params.pointer("/textDocument/uri").and_then(Value::as_str).map(str::to_owned);
                if let Some(uri) = asked
                    && self.documents.get(&uri).is_some_and(|document| document.due.is_some())
                {
                    self.judge(&uri)?;
                }
                bug::catch_panic(|| self.find(&method, params)).unwrap_or_else(|bug| Err(bug.into()))
            }
        };
        Ok((id, done))
    }

    fn initialize(&mut self, params: &InitializeParams) -> Value {
        self.client = Client::new(&params.capabilities);
        self.phase = Phase::Initialized;
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            save: Some(true.into()),
            ..TextDocumentSyncOptions::default()
        };
        let capabilities = ServerCapabilities {
            position_encoding: Some(match self.client.unit {
                ColumnUnit::Utf8 => PositionEncodingKind::UTF8,
                ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
            }),
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, actions::FIX_ALL]),
                ..CodeActionOptions::default()
            })),
            document_symbol_provider: Some(OneOf::Left(true)),
            ..ServerCapabilities::default()
        };
        let version = Some(env!("CARGO_PKG_VERSION").to_owned());
        let server_info = Some(ServerInfo { name: "replaylint".to_owned(), version });
        json!(InitializeResult { capabilities, server_info })
    }

    /// The result of a request about a file.
    fn find(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        match method {
            HoverRequest::METHOD => {
                let HoverParams { text_document_position_params: at, .. } = parse(params)?;
                Ok(json!(findings::hover(self.document(&at.text_document.uri)?, at.position)))
            }
            CodeActionRequest::METHOD => {
                let CodeActionParams { text_document, range, context, .. } = parse(params)?;
                let run = Run { proposes: true, show_content: true, ..(self.options)()? };
                let client = self.client;
                let document = self.document(&text_document.uri)?;
                Ok(json!(actions::actions(&run, document, range, &context, client)?))
            }
            DocumentSymbolRequest::METHOD => {
                let DocumentSymbolParams { text_document, .. } = parse(params)?;
                let run = (self.options)()?;
                let symbols = outline::outline(&run, self.document(&text_document.uri)?)?;
                Ok(json!(DocumentSymbolResponse::Nested(symbols)))
            }
            _ => Err(refusal(ErrorCode::MethodNotFound, "the method is unknown")),
        }
    }

    fn document(&mut self, uri: &Uri) -> Result<&mut Document, Refusal> {
        let found = self.documents.get_mut(uri.as_str());
        found.ok_or_else(|| refusal(ErrorCode::InvalidParams, "the file is not open"))
    }

    /// Handles a notification. One that cannot be read has no answer, but is logged.
    fn note(&mut self, note: Notification) -> Result<(), Failure> {
        if self.phase != Phase::Initialized {
            return Ok(());
        }
        let unit = self.client.unit;
        let read = match &*note.method {
            DidOpenTextDocument::METHOD => parse(note.params).map(|params: DidOpenTextDocumentParams| {
                let opened = params.text_document;
                let key = opened.uri.as_str().to_owned();
                self.documents.insert(key, Document::new(opened.uri, opened.version, opened.text, unit));
            }),
            DidChangeTextDocument::METHOD => parse(note.params).and_then(|params| self.change(params)),
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                // A config file may be among them, or another file of the same log.
                self.documents.values_mut().for_each(|document| document.expire(Duration::ZERO));
                Ok(())
            }
            DidCloseTextDocument::METHOD => match parse::<DidCloseTextDocumentParams>(note.params) {
                Ok(params) => {
                    self.documents.remove(params.text_document.uri.as_str());
                    let nothing = PublishDiagnosticsParams::new(params.text_document.uri, Vec::new(), None);
                    return self.notify(PublishDiagnostics::METHOD, nothing);
                }
                Err(refusal) => Err(refusal),
            },
            _ => Ok(()),
        };
        match read {
            Ok(()) => Ok(()),
            Err(refusal) => self.log(format!("{}: {}", note.method, refusal.message)),
        }
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) -> Result<(), Refusal> {
        let (version, unit) = (params.text_document.version, self.client.unit);
        let document = self.document(&params.text_document.uri)?;
        let Some(last) = params.content_changes.into_iter().next_back() else { return Ok(()) };
        if last.range.is_some() {
            return Err(refusal(ErrorCode::InvalidParams, "a change is the whole text here"));
        }
        document.change(version, last.text, unit);
        Ok(())
    }

    fn judge_due(&mut self) -> Result<(), Failure> {
        let now = Instant::now();
        let is_due = |document: &Document| document.due.is_some_and(|due| due <= now);
        let next = self.documents.iter().find(|(_, document)| is_due(document)).map(|(uri, _)| uri.clone());
        next.map_or(Ok(()), |uri| self.judge(&uri))
    }

    /// Judges a file, and publishes what was found. What cannot be judged has no findings, and it is said why.
    fn judge(&mut self, uri: &str) -> Result<(), Failure> {
        let options = self.options;
        let Some(document) = self.documents.get_mut(uri) else { return Ok(()) };
        document.due = None;
        let judged = bug::catch_panic(|| options().and_then(|run| findings::judge(&run, document)));
        let (judged, complaint) = match judged {
            Ok(Ok(judged)) => (judged, None),
            Ok(Err(error)) => (findings::Judged::default(), Some(error.to_string())),
            Err(bug) => (findings::Judged { bugs: vec![bug.to_string()], ..Default::default() }, None),
        };
        document.findings = judged.findings;
        let (version, address) = (Some(document.version), document.uri.clone());
        let published = PublishDiagnosticsParams::new(address, findings::published(document), version);
        self.notify(PublishDiagnostics::METHOD, published)?;
        for bug in judged.bugs {
            self.log(bug)?;
        }
        if complaint.is_some() && complaint != self.complaint {
            let message = complaint.clone().unwrap_or_default();
            self.notify(ShowMessage::METHOD, ShowMessageParams { typ: MessageType::ERROR, message })?;
        }
        self.complaint = complaint;
        Ok(())
    }

    fn log(&mut self, message: String) -> Result<(), Failure> {
        self.notify(LogMessage::METHOD, LogMessageParams { typ: MessageType::ERROR, message })
    }
}

fn refusal(code: ErrorCode, message: &str) -> Refusal {
    Refusal { code, message: message.to_owned() }
}

/// Reads parameters. The reason for which they cannot be read may quote them, so it is not repeated.
fn parse<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    serde_json::from_value(params).map_err(|_| refusal(ErrorCode::InvalidParams, "the parameters cannot be read"))
}
