//! Fragments: a sentence that a terminal or a person cut. A run of its words is enough if only one rule uses them.

use foldhash::HashMap;

use super::template::{beginning, pieces};

/// Consecutive words that a fragment has at least.
const MIN_WORDS: usize = 3;
/// Letters that a fragment has at least, and letters of its rare words.
const MIN_LETTERS: usize = 16;
const MIN_RARE_LETTERS: usize = 10;
/// Rare words that are proof; or fewer of them, if they are in this part of one template or of its first
/// sentence.
const PROOF_WORDS: usize = 5;
const SHARE_WORDS: usize = 3;
const MOST_OF_TEMPLATE: (usize, usize) = (3, 5);

/// Words that any error has.
#[rustfmt::skip]
const COMMON: [&str; 89] = [
    "a", "access", "after", "all", "an", "and", "any", "api", "are", "array", "as", "at", "be", "been",
    "before", "but", "by", "can", "cannot", "content", "does", "during", "empty", "end", "error", "expected",
    "field", "following", "for", "from", "got", "has", "have", "id", "if", "in", "input", "instead",
    "invalid", "is", "it", "item", "its", "maximum", "message", "messages", "missing", "model", "must",
    "name", "no", "not", "object", "of", "on", "one", "only", "or", "parameter", "please", "provided",
    "request", "required", "should", "start", "string", "supported", "text", "that", "the", "there", "this",
    "to", "too", "try", "type", "until", "use", "valid", "value", "was", "were", "when", "which", "will",
    "with", "without", "would", "your",
];

/// The runs of words that templates have, by their first [`MIN_WORDS`] words.
pub struct Fragments {
    pieces: Vec<FragmentPiece>,
    starts: HashMap<[String; MIN_WORDS], Vec<(usize, usize)>>,
    lengths: HashMap<usize, WordCounts>,
}

/// A template's own text between two names.
struct FragmentPiece {
    template: usize,
    /// Words of the template before it.
    before: usize,
}

/// The number of words of a template, and of its first sentence.
#[derive(Clone, Copy, Default)]
struct WordCounts {
    all: usize,
    first: usize,
}

/// A run of words that a text shares with some templates.
pub struct WordRun {
    /// The templates, by the numbers that they came with.
    pub templates: Vec<usize>,
    pub letters: usize,
    /// Bytes of the text.
    pub span: (usize, usize),
    /// It has enough words, or most of those of each template: else it only resembles them.
    pub proves: bool,
}

impl Fragments {
    pub fn new<'t>(templates: impl Iterator<Item = (usize, &'t str)>) -> Self {
        let mut this = Fragments { pieces: Vec::new(), starts: HashMap::default(), lengths: HashMap::default() };
        for (template, text) in templates {
            let first = beginning(text).into_iter().flat_map(pieces).map(|piece| words(piece).count()).sum();
            let mut lengths = WordCounts { all: 0, first };
            for piece in pieces(text) {
                let words: Vec<String> = words(piece).map(|(_, word)| word.to_ascii_lowercase()).collect();
                for (at, three) in words.windows(MIN_WORDS).enumerate() {
                    if let Ok(three) = <[String; MIN_WORDS]>::try_from(three.to_vec()) {
                        this.starts.entry(three).or_default().push((this.pieces.len(), at));
                    }
                }
                this.pieces.push(FragmentPiece { template, before: lengths.all });
                lengths.all += words.len();
            }
            this.lengths.insert(template, lengths);
        }
        this
    }

    /// The longest run of words that is not found by chance, with the templates that have it. Linear in the length of the
    /// text.
    pub fn longest(&self, text: &str) -> Option<WordRun> {
        let words: Vec<(usize, &str)> = words(text).collect();
        let lower: Vec<String> = words.iter().map(|(_, word)| word.to_ascii_lowercase()).collect();
        let mut best: Option<WordRun> = None;
        // Runs that end at the word before, by piece and place in it, with the word at which they began.
        let mut open: HashMap<(usize, usize), usize> = HashMap::default();
        for (at, three) in lower.windows(MIN_WORDS).enumerate() {
            let Ok(three) = <&[String; MIN_WORDS]>::try_from(three) else { break };
            let mut next = HashMap::default();
            for &(piece, place) in self.starts.get(three).into_iter().flatten() {
                let began =
                    place.checked_sub(1).and_then(|before| open.get(&(piece, before))).copied().unwrap_or(at);
                next.insert((piece, place), began);
            }
            open = next;
            let Some(&began) = open.values().min() else { continue };
            let end = at + MIN_WORDS;
            let (Some(run), Some([first, .., last])) = (lower.get(began..end), words.get(began..end)) else {
                continue;
            };
            let letters: usize = run.iter().map(String::len).sum();
            if letters < MIN_LETTERS
                || rare_letters(run) < MIN_RARE_LETTERS
                || best.as_ref().is_some_and(|best| best.proves && best.letters >= letters)
            {
                continue;
            }
            let found = open.iter().filter(|(_, from)| **from == began);
            // Whether the run is most of the sentence that it is in.
            let mut templates: Vec<(usize, bool)> = found
                .filter_map(|((piece, place), _)| Some((self.pieces.get(*piece)?, place + MIN_WORDS)))
                .map(|(piece, end)| {
                    let WordCounts { all, first } = self.lengths.get(&piece.template).copied().unwrap_or_default();
                    let length = if piece.before + end <= first { first } else { all };
                    (piece.template, run.len() * MOST_OF_TEMPLATE.1 >= length * MOST_OF_TEMPLATE.0)
                })
                .collect();
            templates.sort_unstable_by_key(|(template, is_most)| (*template, !is_most));
            templates.dedup_by_key(|(template, _)| *template);
            // What an apostrophe cuts off is no word.
            let rare = run.iter().filter(|word| word.len() > 2 && !is_common(word)).count();
            let enough = rare >= PROOF_WORDS;
            let proves = enough || rare >= SHARE_WORDS && templates.iter().any(|(_, is_most)| *is_most);
            if !enough && proves {
                // In the others the words are a small part.
                templates.retain(|(_, is_most)| *is_most);
            }
            let templates: Vec<usize> = templates.into_iter().map(|(template, _)| template).collect();
            if best.as_ref().is_none_or(|best| (proves, letters) > (best.proves, best.letters)) {
                best = Some(WordRun { templates, letters, span: (first.0, last.0 + last.1.len()), proves });
            }
        }
        best
    }
}

fn rare_letters(run: &[String]) -> usize {
    run.iter().filter(|word| !is_common(word)).map(String::len).sum()
}

/// True if any error may contain a word, given in lower case.
pub fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// The words of a text, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(move |c| !word(c))
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }

    #[test]
    fn a_run_of_telling_words_is_found() {
        let templates = [
            "No tool output found for {noun} {call_id}.",
            "No tool call found for {noun}.",
            "{a} is not supported with this model.",
        ];
        let fragments = Fragments::new(templates.into_iter().enumerate());
        let found = |text: &str| {
            fragments.longest(text).map(|run| (run.templates, text[run.span.0..run.span.1].to_owned()))
        };
        assert_eq!(found("400: no tool output found"), Some((vec![0], "no tool output found".to_owned())));
        assert_eq!(
            found("it said 'tool output found for' something"),
            Some((vec![0], "tool output found for".to_owned()))
        );
        assert!(found("No tool").is_none());
        assert!(found("temperature is not supported with this model").is_none());
    }

    #[test]
    fn a_run_proves_by_five_words_or_by_most_of_a_template() {
        let templates = [
            "Please ensure that the number of function response parts is equal to the number of function call parts.",
            "No tool output found for {noun} {call_id}.",
        ];
        let fragments = Fragments::new(templates.into_iter().enumerate());
        let proves = |text: &str| fragments.longest(text).map(|run| run.proves);
        assert_eq!(proves("number of function response parts is equal"), Some(true));
        assert_eq!(proves("the number of function response parts"), Some(false));
        assert_eq!(proves("no tool output found"), Some(true));
        // Fifteen letters are in too many texts.
        assert_eq!(proves("tool output found"), None);
    }
}
