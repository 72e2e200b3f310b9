//! Columns of strings or binary, from any Arrow library.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, GenericBinaryArray, GenericStringArray, LargeBinaryArray,
    OffsetSizeTrait,
};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3_arrow::input::AnyArray;

use super::table::{Batch, Table, refuse};

/// A column of transcripts.
pub struct Transcripts {
    /// Its chunks, as bytes.
    chunks: Vec<ArrayRef>,
    /// What it was given as.
    kind: DataType,
    /// It was one array, not a stream of chunks.
    is_array: bool,
}

impl Transcripts {
    /// The rows of each chunk.
    pub fn rows(&self) -> Vec<Vec<Option<&[u8]>>> {
        self.chunks.iter().map(rows).collect()
    }

    /// Transcripts as a chunk of such a column.
    pub fn column<'t>(&self, rows: impl Iterator<Item = Option<&'t [u8]>>) -> Result<ArrayRef, ArrowError> {
        Ok(match &self.kind {
            DataType::Utf8 => Arc::new(GenericStringArray::try_from_binary(binary::<i32>(rows)?)?),
            DataType::LargeUtf8 => Arc::new(GenericStringArray::try_from_binary(binary::<i64>(rows)?)?),
            DataType::Utf8View => Arc::new(rows.collect::<BinaryViewArray>().to_string_view()?),
            DataType::Binary => Arc::new(binary::<i32>(rows)?),
            DataType::LargeBinary => Arc::new(binary::<i64>(rows)?),
            _ => Arc::new(rows.collect::<BinaryViewArray>()),
        })
    }

    /// A table of these rows for Python: for an array it is a record batch.
    pub fn answer(&self, py: Python<'_>, table: Table) -> PyResult<Py<Table>> {
        match table.batches() {
            [batch] if self.is_array => {
                let batch = Batch::new(batch.clone());
                Ok(Bound::new(py, PyClassInitializer::from(table).add_subclass(batch))?.into_super().unbind())
            }
            _ => Py::new(py, table),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Transcripts {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let methods = ["__arrow_c_array__", "__arrow_c_stream__"];
        if !methods.iter().any(|method| object.hasattr(method).unwrap_or(false)) {
            return Err(unfit(&object.get_type().name()?.to_cow()?));
        }
        let given: AnyArray = object.extract()?;
        let is_array = matches!(given, AnyArray::Array(_));
        let kind = given.field()?.data_type().clone();
        let chunks =
            given.into_reader()?.map(|chunk| as_bytes(&chunk.map_err(refuse)?)).collect::<PyResult<_>>()?;
        Ok(Transcripts { chunks, kind, is_array })
    }
}

fn unfit(kind: &str) -> PyErr {
    PyTypeError::new_err(format!("transcripts are an Arrow column of strings or binary, not {kind}"))
}

/// The bytes of strings, without a copy. Nothing relies on their being UTF-8, because another library has made them.
fn as_bytes(array: &ArrayRef) -> PyResult<ArrayRef> {
    Ok(match array.data_type() {
        DataType::Utf8 => Arc::new(BinaryArray::from(array.as_string::<i32>().clone())),
        DataType::LargeUtf8 => Arc::new(LargeBinaryArray::from(array.as_string::<i64>().clone())),
        DataType::Utf8View => Arc::new(array.as_string_view().clone().to_binary_view()),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Arc::clone(array),
        other => return Err(unfit(&other.to_string())),
    })
}

fn rows(bytes: &ArrayRef) -> Vec<Option<&[u8]>> {
    match bytes.data_type() {
        DataType::Binary => bytes.as_binary::<i32>().iter().collect(),
        DataType::LargeBinary => bytes.as_binary::<i64>().iter().collect(),
        _ => bytes.as_binary_view().iter().collect(),
    }
}

/// The builder of an array panics if it becomes too long for its offsets.
fn binary<'t, O: OffsetSizeTrait>(
    rows: impl Iterator<Item = Option<&'t [u8]>>,
) -> Result<GenericBinaryArray<O>, ArrowError> {
    let rows: Vec<Option<&[u8]>> = rows.collect();
    let total = rows.iter().flatten().map(|row| row.len()).sum();
    match O::from_usize(total) {
        Some(_) => Ok(rows.into_iter().collect()),
        None => Err(ArrowError::OffsetOverflowError(total)),
    }
}
