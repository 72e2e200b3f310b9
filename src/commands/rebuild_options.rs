//! What `rebuild` was asked for, and where its product goes.

use std::io::Write;

use crate::options::Misuse;
use crate::rebuild::{Budget, Policy};
use crate::repair::FixOptions;
use crate::source::ReadAt;
use crate::source::outputs::{commit, product};

use super::run::outcome::{Failure, unwritten};
use super::run::products;
use super::run::products::Copies;
use super::tree::Told;

/// Options of `rebuild`.
pub struct Wanted {
    /// The node; the current leaf if it is not named.
    pub at: Option<String>,
    pub policy: Policy,
    pub ask: Option<String>,
    pub budget: Option<Budget>,
    pub fix: FixOptions,
    pub told: Told,
    pub output: Option<Copies>,
    /// Who carries the requests of an event stream out.
    pub provider: Option<&'static str>,
}

/// Writes a body where it was asked for.
pub(super) fn print(body: &dyn ReadAt, wanted: &Wanted, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(at) = product::not_unicode_at(body, 0, body.len())? {
        let what = format!(
            "the request would not be valid UTF-8 (at byte {at}), because a text of the conversation is not; nothing was written"
        );
        return Err(Misuse::new(what).help("run `replaylint check` to see which text").into());
    }
    match &wanted.output {
        Some(Copies { to, existing }) => {
            let lost = product::write_new(to, body, *existing).map_err(unwritten)?;
            products::say_lost(&to.to_string_lossy(), &lost);
        }
        None => commit::copy(body, out)?,
    }
    Ok(())
}
