//! Options of a request that a model or its server may refuse: thinking, sampling, limits, schemas. Each is kept with its
//! place, so that a rule judges it without reading the request again.

use crate::place::Place;

/// A value of a request, and its place.
#[derive(Clone, PartialEq, Debug)]
pub struct Placed<T> {
    pub value: T,
    pub at: Place,
}

/// What `thinking.type` asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThinkingMode {
    /// Thinking with a budget of tokens.
    Enabled,
    /// The model decides.
    Adaptive,
    /// Thinking only between the calls of a turn.
    BetweenTools,
    Disabled,
}

impl ThinkingMode {
    pub fn of(name: &[u8]) -> Option<ThinkingMode> {
        Some(match name {
            b"enabled" => ThinkingMode::Enabled,
            b"adaptive" => ThinkingMode::Adaptive,
            b"between_tools" => ThinkingMode::BetweenTools,
            b"disabled" => ThinkingMode::Disabled,
            _ => return None,
        })
    }
}

/// The use of a schema in a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchemaUse {
    /// The parameters of a tool.
    Tool,
    /// The parameters of a tool whose calls must fit them.
    StrictTool,
    /// The form of the answer.
    Output,
}

/// A property of a JSON schema that some provider refuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SchemaFault {
    /// `oneOf`, `anyOf` or `allOf` at the top.
    TopUnion,
    /// The top has no `type`.
    NoType,
    /// The type of the top is not `object`.
    OtherType,
    /// An object without `additionalProperties: false`.
    Open,
    /// `oneOf` below the top.
    OneOf,
    /// A limit on numbers, texts or lists: `minimum`, `maxLength` …
    Bound,
    /// A property that is not in `required`.
    Optional,
    /// `default`.
    Default,
    /// A key that Gemini's own schemas do not have.
    Foreign,
    /// A list of types.
    TypeList,
    /// A list without `items`.
    NoItems,
}

/// A fault of a schema: the use of the schema, and the place of the fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlacedFault {
    pub of: SchemaUse,
    pub fault: SchemaFault,
    pub at: Place,
}

/// What grammars for strict tools limit, for all strict tools of a request together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StrictTotals {
    pub tools: u32,
    /// Properties that `required` does not list.
    pub optional: u32,
    /// Schemas with a list of types or with `anyOf`.
    pub unions: u32,
    /// Schemas that contain themselves.
    pub recursive: u32,
}

impl StrictTotals {
    /// The most that Anthropic's grammars accept, by its own sentences.
    pub const MOST: StrictTotals = StrictTotals { tools: 20, optional: 24, unions: 16, recursive: 0 };

    /// The numbers, those of `MOST` in the same order.
    pub fn numbers(self) -> [u32; 4] {
        [self.tools, self.optional, self.unions, self.recursive]
    }

    pub fn plus(self, other: StrictTotals) -> StrictTotals {
        StrictTotals {
            tools: self.tools + other.tools,
            optional: self.optional + other.optional,
            unions: self.unions + other.unions,
            recursive: self.recursive + other.recursive,
        }
    }

    pub fn exceeds(self) -> bool {
        self.numbers().into_iter().zip(Self::MOST.numbers()).any(|(number, most)| number > most)
    }
}

/// The options of a request.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RequestOptions {
    pub thinking: Option<Placed<ThinkingMode>>,
    /// The budget for thinking, in tokens.
    pub budget: Option<Placed<f64>>,
    /// The effort as a word.
    pub effort: Option<Placed<Box<str>>>,
    /// Gemini's thinking level.
    pub level: Option<Placed<Box<str>>>,
    pub temperature: Option<Placed<f64>>,
    pub top_p: Option<Placed<f64>>,
    pub top_k: Option<Placed<f64>>,
    /// The limit of output tokens.
    pub limit: Option<Placed<f64>>,
    /// The value that makes the model call a tool.
    pub forced_tool: Option<Place>,
    /// The first stop sequence without a visible character; true if it is empty.
    pub blank_stop: Option<Placed<bool>>,
    /// The list of stop sequences.
    pub stop: Option<Place>,
    pub has_tools: bool,
    /// What its strict tools need of a grammar, and the place of its tools; `None` if no tool is strict.
    pub strict: Option<Placed<StrictTotals>>,
    /// The first fault of each kind, for each use.
    pub schema_faults: Vec<PlacedFault>,
}

impl RequestOptions {
    /// The places of the temperature unless it is 1, of `top_p` unless that is accepted, and of `top_k`.
    pub fn sampling(&self, accepts_top_p: impl Fn(f64) -> bool) -> [Option<Place>; 3] {
        let at = |own: Option<&Placed<f64>>| own.map(|own| own.at);
        [
            at(self.temperature.as_ref().filter(|own| own.value != 1.0)),
            at(self.top_p.as_ref().filter(|own| !accepts_top_p(own.value))),
            at(self.top_k.as_ref()),
        ]
    }

    /// Adds a fault, unless one of its kind is known for the same use.
    pub fn add_fault(&mut self, new: PlacedFault) {
        if !self.schema_faults.iter().any(|known| (known.of, known.fault) == (new.of, new.fault)) {
            self.schema_faults.push(new);
        }
    }
}
