//! Options as JavaScript gives them: those of the library, with names in camel case.

use replaylint::Options;
use serde_json::{Map, Value};

use crate::{Answer, plain, told};

/// The options of a call. The dialect is that of a list of items: it says nothing of other documents.
pub(crate) fn options(json: &str, list: bool) -> Answer<Options> {
    let given: Map<String, Value> = serde_json::from_str(json).map_err(|error| plain(&error))?;
    let given = given.iter().filter(|(name, _)| list || *name != "dialect");
    given.fold(Ok(Options::new()), |options, (name, value)| options?.set(&snake_case(name), value)).map_err(told)
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
