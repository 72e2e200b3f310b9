//! The library: the commands on bytes in memory or on JSON values. It reads no files, prints nothing, and starts threads
//! only for batches.
#![warn(missing_docs)]

mod convert;
mod dialect;
mod diff;
mod error;
mod fix;
mod items;
mod many;
mod named_options;
mod options;
mod page;
mod report;
mod request;
mod validate;

pub use convert::{Converted, convert};
pub use dialect::Dialect;
pub use diff::diff;
pub use error::Error;
pub use fix::{Fixed, fix};
pub use items::{ConvertedItems, FixedItems, check_items, convert_items, diff_items, fix_items};
pub use many::{check_many, fix_many};
pub use options::Options;
pub use page::{View, page};
pub use report::{Report, check};
pub use request::{CheckedConversation, CheckedRequest, check_request};
pub use validate::validate;
