//! The worker (`replaylint serve`) as a function of WebAssembly: a request in the memory of the module gives an answer there.
//! The exports are plain functions on numbers, so that any runtime can call them.
#![allow(unsafe_code)]

use replaylint::internals::commands::serve;

/// Memory for a request of this length, which the caller writes before it calls [`replaylint_answer`].
#[unsafe(no_mangle)]
pub extern "C" fn replaylint_alloc(len: u32) -> *mut u8 {
    leak(vec![0; len as usize])
}

/// Frees an answer.
///
/// # Safety
///
/// `at` and `len` are those of an answer, which is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn replaylint_free(at: *mut u8, len: u32) {
    // SAFETY: `leak` made the slice, with this length, and the caller gives it back once.
    drop(unsafe { owned(at, len) });
}

/// Answers a request, and frees it. The answer is a line of JSON; its address is in the upper half of the result, its length in
/// the lower one.
///
/// # Safety
///
/// `at` is the result of [`replaylint_alloc`] for the same length, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn replaylint_answer(at: *mut u8, len: u32) -> u64 {
    // SAFETY: as the caller promises, `leak` made the slice, with this length.
    let request = unsafe { owned(at, len) };
    let mut answer = Vec::new();
    serve::answer(&request, &mut answer);
    let len = answer.len() as u64;
    (leak(answer) as u64) << 32 | len
}

fn leak(bytes: Vec<u8>) -> *mut u8 {
    Box::into_raw(bytes.into_boxed_slice()).cast()
}

/// # Safety
///
/// `at` is what [`leak`] returned for bytes of this length, and nobody else uses it.
unsafe fn owned(at: *mut u8, len: u32) -> Box<[u8]> {
    // SAFETY: as the caller promises.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(at, len as usize)) }
}
