//! Python objects as JSON. What is written is what `json.dumps` writes, in less than half of its time: it would take as
//! long as the check itself.

use std::io::Write;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Deeper than any conversation; a list that contains itself ends here.
const DEEPEST: usize = 1000;

/// An object as JSON. One that JSON has no type for is replaced by what `default` makes of it.
pub fn dump(value: &Bound<'_, PyAny>, default: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let mut out = Vec::with_capacity(1024);
    write(&mut out, value, default, 0)?;
    Ok(out)
}

fn write(out: &mut Vec<u8>, value: &Bound<'_, PyAny>, default: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err("circular reference, or nested too deeply"));
    }
    if let Ok(text) = value.cast::<PyString>() {
        string(out, text)
    } else if let Ok(dict) = value.cast::<PyDict>() {
        out.push(b'{');
        for (n, (key, value)) in dict.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            match key.cast::<PyString>() {
                Ok(key) => string(out, key)?,
                Err(_) => other_key(out, &key)?,
            }
            out.push(b':');
            write(out, &value, default, depth + 1)?;
        }
        out.push(b'}');
        Ok(())
    } else if let Ok(list) = value.cast::<PyList>() {
        array(out, list.iter(), default, depth)
    } else if let Ok(tuple) = value.cast::<PyTuple>() {
        array(out, tuple.iter(), default, depth)
    } else if scalar(out, value)? {
        Ok(())
    } else {
        write(out, &default.call1((value,))?, default, depth + 1)
    }
}

fn array<'py>(
    out: &mut Vec<u8>,
    values: impl Iterator<Item = Bound<'py, PyAny>>,
    default: &Bound<'py, PyAny>,
    depth: usize,
) -> PyResult<()> {
    out.push(b'[');
    for (n, value) in values.enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write(out, &value, default, depth + 1)?;
    }
    out.push(b']');
    Ok(())
}

/// Writes what is neither text nor holds anything, if this is such a value.
fn scalar(out: &mut Vec<u8>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if value.is_none() {
        out.extend_from_slice(b"null");
    } else if let Ok(flag) = value.cast::<PyBool>() {
        out.extend_from_slice(if flag.is_true() { b"true" } else { b"false" });
    } else if let Ok(int) = value.cast::<PyInt>() {
        match int.extract::<i64>() {
            Ok(small) => write!(out, "{small}")?,
            // Of a subclass, an enumeration say, the number is meant, not its name.
            Err(_) => out.extend(
                int.py().get_type::<PyInt>().call_method1("__repr__", (int,))?.extract::<String>()?.bytes(),
            ),
        }
    } else if let Ok(float) = value.cast::<PyFloat>() {
        match float.value() {
            nan if nan.is_nan() => out.extend_from_slice(b"NaN"),
            f64::INFINITY => out.extend_from_slice(b"Infinity"),
            f64::NEG_INFINITY => out.extend_from_slice(b"-Infinity"),
            _ => out.extend(
                float.py().get_type::<PyFloat>().call_method1("__repr__", (float,))?.extract::<String>()?.bytes(),
            ),
        }
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// A key that is not a string, as `json.dumps` takes it.
fn other_key(out: &mut Vec<u8>, key: &Bound<'_, PyAny>) -> PyResult<()> {
    out.push(b'"');
    if !scalar(out, key)? {
        return Err(PyTypeError::new_err(format!(
            "a key of a conversation is of type {}",
            key.get_type().name()?
        )));
    }
    out.push(b'"');
    Ok(())
}

fn string(out: &mut Vec<u8>, text: &Bound<'_, PyString>) -> PyResult<()> {
    let Ok(text) = text.to_str() else {
        // A lone surrogate has no UTF-8. As an escape it is passed on, to be reported.
        let escaped = text.py().import("json")?.call_method1("dumps", (text,))?;
        out.extend_from_slice(escaped.cast::<PyString>()?.to_str()?.as_bytes());
        return Ok(());
    };
    out.push(b'"');
    let bytes = text.as_bytes();
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0..=31 => b"",
            _ => continue,
        };
        out.extend_from_slice(bytes.get(from..at).unwrap_or_default());
        match escape {
            b"" => write!(out, "\\u{byte:04x}")?,
            escape => out.extend_from_slice(escape),
        }
        from = at + 1;
    }
    out.extend_from_slice(bytes.get(from..).unwrap_or_default());
    out.push(b'"');
    Ok(())
}
