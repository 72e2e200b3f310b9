//! Keyword arguments as options of the library.

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use replaylint::{Dialect, Options, Orphans, Reasoning};

use super::raise;

type Set = fn(Options, &Bound<'_, PyAny>) -> PyResult<Options>;

/// Every keyword, and what it sets.
static KEYWORDS: [(&str, Set); 22] = [
    ("target", |options, value| options.target(&text(value)?).map_err(raise)),
    ("format", |options, value| options.format(&text(value)?).map_err(raise)),
    ("dialect", |options, value| options.list_of(dialect(&text(value)?)?).map_err(raise)),
    ("store", |options, value| Ok(options.store(value.extract()?))),
    ("model", |options, value| Ok(options.model(text(value)?))),
    ("effort", |options, value| Ok(options.effort(&text(value)?))),
    ("usage", usage),
    ("pointer", |options, value| options.pointer(&text(value)?).map_err(raise)),
    ("select", |options, value| options.select(rules(value)?.iter().map(String::as_str)).map_err(raise)),
    ("ignore", |options, value| options.ignore(rules(value)?.iter().map(String::as_str)).map_err(raise)),
    ("name", |options, value| Ok(options.name(text(value)?))),
    ("orphans", |options, value| Ok(options.orphans(one_of("orphans", &text(value)?, &Orphans::NAMES)?))),
    ("reasoning", |options, value| Ok(options.reasoning(one_of("reasoning", &text(value)?, &Reasoning::NAMES)?))),
    ("lossless", |options, value| Ok(options.lossless(value.extract()?))),
    ("fix_warnings", |options, value| Ok(options.fix_warnings(value.extract()?))),
    ("images", |options, value| options.images(&text(value)?).map_err(raise)),
    ("max_images", |options, value| options.max_images(value.extract()?).map_err(raise)),
    ("max_image_bytes", |options, value| options.max_image_bytes(value.extract()?).map_err(raise)),
    ("max_image_pixels", |options, value| options.max_image_pixels(value.extract()?).map_err(raise)),
    ("account_changed", |options, value| Ok(options.account_changed(value.extract()?))),
    ("for_model", |options, value| Ok(options.for_model(&text(value)?))),
    ("max_tokens", max_tokens),
];

/// The names of the keywords.
#[pyfunction]
pub fn keywords() -> Vec<&'static str> {
    KEYWORDS.iter().map(|(name, _)| *name).collect()
}

/// The options that keyword arguments ask for; one that is `None` is as if it was not given.
pub fn options(kwargs: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::new();
    for (key, value) in kwargs {
        let key = key.cast::<PyString>()?.to_cow()?;
        let Some((name, set)) = KEYWORDS.iter().find(|(name, _)| *name == key) else {
            return Err(PyTypeError::new_err(format!("unexpected keyword argument '{key}'")));
        };
        if value.is_none() {
            continue;
        }
        options = set(options, &value).map_err(|error| {
            let (py, why) = (value.py(), || format!("{name}: {}", error.value(value.py())));
            match (error.is_instance_of::<PyTypeError>(py), error.is_instance_of::<PyOverflowError>(py)) {
                (true, _) => PyTypeError::new_err(why()),
                (_, true) => super::Error::new_err(why()),
                _ => error,
            }
        })?;
    }
    Ok(options)
}

/// The dialect of this name.
pub fn dialect(name: &str) -> PyResult<Dialect> {
    name.parse().map_err(raise)
}

fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract()
}

/// A number of tokens, or that and what is kept.
fn max_tokens(options: Options, value: &Bound<'_, PyAny>) -> PyResult<Options> {
    let (tokens, keep) = match value.extract::<u64>() {
        Ok(tokens) => (tokens, "prompts".to_owned()),
        Err(_) => value.extract::<(u64, String)>()?,
    };
    options.max_tokens(tokens, &keep).map_err(raise)
}

/// One rule, or several.
fn rules(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    match value.cast::<PyString>() {
        Ok(one) => Ok(vec![one.to_cow()?.into_owned()]),
        Err(_) => value.try_iter()?.map(|rule| rule?.extract()).collect(),
    }
}

fn usage(options: Options, value: &Bound<'_, PyAny>) -> PyResult<Options> {
    Ok(match one_of("usage", &text(value)?, &[("request", true), ("log", false)])? {
        true => options.as_request(),
        false => options.as_log(),
    })
}

/// The choice of this name.
pub fn one_of<T: Copy>(key: &str, given: &str, choices: &[(&str, T)]) -> PyResult<T> {
    choices.iter().find(|(name, _)| *name == given).map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        super::Error::new_err(format!("{key} is '{given}', but must be one of {}", names.join(", ")))
    })
}
