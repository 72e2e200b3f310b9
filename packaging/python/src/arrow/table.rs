//! Record batches, for any Arrow library.

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

pub fn refuse(error: ArrowError) -> PyErr {
    crate::Error::new_err(error.to_string())
}

/// A table, as a stream of record batches. Who takes it moves the content out of its capsule and marks what it leaves there
/// as released, so that it is freed once.
#[pyclass(frozen, subclass, module = "replaylint")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// A batch for the rows of each chunk. `results` has one for each row that is not null, in their order; `columns` makes
    /// columns of those of a chunk.
    pub fn new<R>(
        chunks: &[Vec<Option<&[u8]>>],
        results: Vec<R>,
        columns: impl Fn(&[Option<R>]) -> Result<Vec<(&'static str, ArrayRef)>, ArrowError>,
    ) -> Result<Self, ArrowError> {
        let mut results = results.into_iter();
        let batch = |rows: &[Option<R>]| {
            let columns = columns(rows)?.into_iter().map(|(name, column)| (name, column, true));
            RecordBatch::try_from_iter_with_nullable(columns)
        };
        let schema = batch(&[])?.schema();
        let batches = chunks.iter().map(|rows| {
            let rows: Vec<Option<R>> = rows.iter().map(|row| row.and_then(|_| results.next())).collect();
            batch(&rows)
        });
        Ok(Table { schema, batches: batches.collect::<Result<_, _>>()? })
    }

    pub fn batches(&self) -> &[RecordBatch] {
        &self.batches
    }
}

#[pymethods]
impl Table {
    /// The interface lets a schema be asked for, and lets that be ignored.
    #[pyo3(signature = (_requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        _requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let batches = RecordBatchIterator::new(self.batches.clone().into_iter().map(Ok), self.schema.clone());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        PyCapsule::new_with_value(
            py,
            FFI_ArrowSchema::try_from(self.schema.as_ref()).map_err(refuse)?,
            c"arrow_schema",
        )
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        let names: Vec<&str> = self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        format!("<Table: {} rows of {}>", self.__len__(), names.join(", "))
    }
}

/// A table of one batch, which can be taken as such.
#[pyclass(frozen, extends = Table, module = "replaylint")]
pub struct Batch(RecordBatch);

impl Batch {
    pub fn new(batch: RecordBatch) -> Self {
        Batch(batch)
    }
}

#[pymethods]
impl Batch {
    #[pyo3(signature = (_requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        _requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref()).map_err(refuse)?;
        let array = FFI_ArrowArray::new(&StructArray::from(self.0.clone()).into_data());
        Ok((
            PyCapsule::new_with_value(py, schema, c"arrow_schema")?,
            PyCapsule::new_with_value(py, array, c"arrow_array")?,
        ))
    }
}
