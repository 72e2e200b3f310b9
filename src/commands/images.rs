//! `fix --images report`: lists the images of conversations, and changes nothing.

use std::io::Write;

use crate::options::UsageError;
use crate::report::image_list::{self, ListedImage};
use crate::source::describe_error;

use super::run::Inputs;
use super::run::labels::label_of;
use super::{Failure, Outcome, Run, print_error};

pub fn report(run: &Run, out: &mut dyn Write) -> Result<Outcome, Failure> {
    if run.outputs.iter().any(|output| output.name != "text" || output.file.is_some()) {
        return Err(UsageError::new("the list of images is text on standard output only").into());
    }
    let Inputs { all: inputs, mut failed, .. } = run.inputs()?;
    let (mut all, mut ended): (Vec<ListedImage>, _) = (Vec::new(), Ok(()));
    run.each_doc(
        &inputs,
        |doc, threads| {
            let doc = doc?;
            image_list::images(&doc, run.lints.options_for(&doc.label), threads)
        },
        |input, found| {
            match found {
                Ok(images) => {
                    ended = image_list::write(&images, out);
                    all.extend(images);
                }
                Err(error) => {
                    print_error(&describe_error(&label_of(input), &error));
                    failed = true;
                }
            }
            ended.is_ok()
        },
    );
    ended?;
    if !run.quiet {
        writeln!(out, "{}", image_list::summary(&all))?;
    }
    Ok(if failed { Outcome::Failed } else { Outcome::Clean })
}
