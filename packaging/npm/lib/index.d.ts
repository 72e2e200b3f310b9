/** A document: JSON or JSON Lines as text or bytes, a request body, or a list of items or messages. */
export type Input = string | Uint8Array | ArrayBuffer | object;

export type Dialect = "responses" | "chat" | "anthropic" | "gemini" | "bedrock";
export type Severity = "error" | "warning" | "info";

/** How a document is read and judged: the flags of the command line, by the same names. */
export interface Options {
  /** The API that the conversation is replayed to; `replaylint targets` lists them. */
  target?: string;
  /** The stored format; else it is detected. */
  format?: string;
  /** The grammar of a list of items or messages; pointers then lead into the list. */
  dialect?: Dialect;
  /** Whether the server stores the items. */
  store?: boolean;
  model?: string;
  effort?: string;
  /** Whether it is about to be sent, or was written down as it happened. */
  as?: "request" | "log";
  /** JSON Pointer from each record to the conversation. */
  pointer?: string;
  /** Only these rules: codes, prefixes or names. */
  select?: string[];
  /** All but these rules. */
  ignore?: string[];
  /** What reports call the document. */
  name?: string;
  /** The model that goes on with the conversation: MODEL, TARGET:MODEL or TARGET. */
  forModel?: string;
  /** The conversation goes on in another account than the one that wrote it. */
  accountChanged?: boolean;
}

export interface FixOptions extends Options {
  orphans?: "auto" | "drop" | "stub" | "text";
  reasoning?: "auto" | "reference" | "inline" | "keep" | "strip";
  /** What is done with images: a text in place of all or of all but the last, or smaller ones in place of those above a limit. */
  images?: "drop" | `keep-last=${number}` | "shrink";
  /** All but the last so many images become a text. */
  maxImages?: number;
  /** Images of more bytes, in base64, become a text, or are shrunk. */
  maxImageBytes?: number;
  /** Images of which a side has more pixels become a text, or are shrunk. */
  maxImagePixels?: number;
  /** Shorten to about so many tokens (estimated), from the oldest end. */
  maxTokens?: number;
  /** What maxTokens keeps: "prompts", "last=3" or both, "prompts,last=3" [default: prompts]. */
  keep?: string;
  /** Only fixes that take nothing from what the model saw. */
  lossless?: boolean;
  /** Also the fixes of warnings that are not made by default. */
  fixWarnings?: boolean;
}

/** A range of bytes of UTF-8. */
export interface Span {
  start: number;
  end: number;
}

export interface Place {
  line: number;
  column: number;
  span: Span;
  pointer: string;
  inner_pointer?: string;
}

export interface Diagnostic extends Place {
  rule: string;
  name: string;
  severity: Severity;
  message: string;
  path: string;
  history: number | null;
  record: number;
  id: string | null;
  call_id: string | null;
  related: (Place & { message: string })[];
  /** The page of the rule. */
  url: string;
  /** What the provider says to this, word for word. */
  api_message: string | null;
  evidence: "recorded" | "reported" | "documented" | "inferred";
  target: string;
  fix: { title: string; loss: "lossless" | "adds" | "lossy"; default: boolean; flag: string | null } | null;
  no_fix: string | null;
}

export interface Summary {
  files: number;
  histories: number;
  items: number;
  errors: number;
  warnings: number;
  fixable: number;
  skipped: number;
}

export interface Report {
  version: number;
  summary: Summary;
  inputs: { path: string; format: string | null; targets: string[]; histories: number; items: number }[];
  diagnostics: Diagnostic[];
}

export interface Change {
  rule: string;
  path: string;
  pointer: string;
  line: number;
  column: number;
  action: "drop" | "move" | "stub" | "rewrite" | "strip";
  what: string;
  loss: "lossless" | "adds" | "lossy";
  bytes: number;
  /** Number of the user's turn that the item is in, from 1. */
  turn: number | null;
}

export interface Fixed<T> extends Report {
  /** What was given, repaired; the very same where nothing was changed. */
  value: T;
  changed: boolean;
  changes: Change[];
  fixed: { dropped: number; moved: number; stubbed: number; rewritten: number };
}

export interface Converted {
  /** A request body for each conversation. */
  requests: Record<string, unknown>[];
  histories: number;
  failed: number;
  /** Everything that was lost. */
  losses: Report;
}

export interface DiffSummary {
  same: number;
  changed: number;
  moved: number;
  added: number;
  removed: number;
  renamed: number;
  settings: number;
  unpaired: number;
}

export interface DiffSide {
  record: number;
  pointer: string;
  bytes: number;
}

export interface ValueChange {
  action: "changed" | "added" | "removed";
  /** Names joined by dots; JSON in a text has paths as well. */
  path: string;
  /** JSON, with texts and numbers masked. */
  before: string | null;
  after: string | null;
  words: WordReplacement[];
}

/** Words of a long text that changed, masked, and where they begin in the text before. */
export interface WordReplacement {
  line: number;
  character: number;
  before: string;
  after: string;
}

export interface Diff {
  version: number;
  summary: DiffSummary;
  reordered: boolean;
  histories: {
    before: number | null;
    after: number | null;
    label: string | null;
    summary: DiffSummary;
    /** Items that the second document has after the end of the first one. */
    appended: number;
    /** Where the provider's prompt cache ends, if a request changed before its end. */
    cache: { at: string; pointer: string | null; kept: number } | null;
    entries: {
      action: "changed" | "moved" | "added" | "removed";
      changed: boolean;
      kind: string;
      id: string | null;
      before: DiffSide | null;
      after: DiffSide | null;
      changes: ValueChange[];
    }[];
    renamed: { of: "call" | "item"; before: string; after: string; items: number }[];
    settings: {
      action: string;
      name: string;
      part: string | null;
      before: string | null;
      after: string | null;
      words: WordReplacement[];
    }[];
    /** What the documents hold and their agents do not send. */
    unsent: { side: "before" | "after"; reason: string; record: number; pointer: string; bytes: number }[];
  }[];
}

export interface Explained {
  version: number;
  recognised: {
    rule: string | null;
    name: string | null;
    api_message: string;
    template: string;
    captures: Record<string, string>;
    target: string | null;
    also: { code: string; name: string }[];
    topic: string | null;
    because: string | null;
    remedy: string;
  }[];
  nearest?: { api_message: string; rule: string | null }[];
}

/** Why a document could not be judged, or an option not be set. */
export class ReplaylintError extends Error {
  /** What to do about it. */
  help?: string;
}

/** What a guard does, and the options of its repairs; `format`, `dialect` and `pointer` are told by the request. */
export interface GuardOptions extends Omit<FixOptions, "as" | "dialect" | "format" | "name" | "pointer"> {
  /** Called for each conversation that was repaired, or would be refused. The report has no content of it. */
  onChange?: (report: GuardReport) => void;
  /** Changes nothing, and only calls `onChange`. */
  reportOnly?: boolean;
  /** Throws where a request would be refused and cannot be repaired, or not be judged; else it is sent as it is. */
  strict?: boolean;
}

/** What remains after a repair, or what the provider would refuse. */
export interface GuardReport extends Report {
  /** The repairs that were made; none if the conversation is sent as it is. */
  changes: Change[];
  /** The end of the URL's path: `responses`, `messages/count_tokens`, `generateContent`; of the AI SDK's messages `messages`. */
  endpoint: string;
}

/** A middleware of the AI SDK, of each version of its specification. */
export interface GuardMiddleware {
  specificationVersion: "v3";
  transformParams: <P extends { prompt: any }>(given: { params: P }) => Promise<P>;
}

/** A `fetch` for SDKs that repairs the body of each request right before it is sent [default: the global `fetch`]. */
export function guardFetch<F extends typeof globalThis.fetch = typeof globalThis.fetch>(fetch?: F, options?: GuardOptions): F;
/** Messages of the AI SDK with calls and results in the order that providers ask for; the very same where nothing was changed. */
export function guardMessages<M>(messages: M[], options?: GuardOptions): M[];
/** The same as middleware for `wrapLanguageModel`. */
export function guardMiddleware(options?: GuardOptions): GuardMiddleware;
/** What a provider would reject of a document. */
export function check(input: Input, options?: Options): Report;
/** Repairs a document as far as it is legal for its target; an object gives an object, a text a text. */
export function fix<T extends Input>(input: T, options?: FixOptions): Fixed<T>;
/** Conversations as requests of another dialect. */
export function convert(input: Input, to: Dialect, options?: Options): Converted;
/** What became of the items of one document in another. */
export function diff(before: Input, after: Input, options?: Options): Diff;
/** What a provider's error message means. */
export function explain(message: string): Explained;
/** The version of replaylint. Browsers know it after `init`. */
export const version: string;

/** Loads the WebAssembly. Browsers await it before the first call; Node has it already. */
export default function init(
  source?: string | URL | Response | Promise<Response> | ArrayBuffer | Uint8Array | WebAssembly.Module,
): Promise<void>;
