//! Measures the image on which the trial runs and compares it with the pinned one.

use super::fault::TrialError;
use crate::model::image::{Basis, RunnerImage};
use crate::model::refusal::Code;
use crate::model::trial::Image;
use crate::sys::image::{Measured, fingerprint, measure};

/// The image of this machine: what was given, else the strongest id that it can show by itself.
///
/// The fingerprint is measured whatever the id rests on. A fingerprint that was given has to be
/// the measured one: nothing is claimed that can be looked at.
///
/// # Errors
/// When what was given is no image id, or not this machine.
pub fn of_machine(given: Option<&str>) -> Result<Image, TrialError> {
    let measured = fingerprint();
    let image = match given.filter(|given| *given != "auto") {
        None => stronger(&measured),
        Some(given) => given
            .parse::<RunnerImage>()
            .map_err(|error| refused(error.to_string()))?,
    };
    if image.basis() == Basis::Host && image != measured.image {
        return Err(refused(format!(
            "{image} was given, and this machine is {}",
            measured.image
        )));
    }
    Ok(Image {
        id: image.to_string(),
        fingerprint: measured.image.to_string(),
    })
}

fn stronger(measured: &Measured) -> RunnerImage {
    let strongest = measure();
    if strongest.image.basis() > Basis::Host {
        strongest.image
    } else {
        measured.image.clone()
    }
}

/// Refuses any image but the one that the fixture ledger pins.
///
/// # Errors
/// When it is another one.
pub fn expect(image: &Image, pinned: &str) -> Result<(), TrialError> {
    match image.id == pinned {
        true => Ok(()),
        false => Err(refused(format!(
            "the trial would run on {}, and the fixture ledger pins {pinned}",
            image.id
        ))),
    }
}

fn refused(message: String) -> TrialError {
    let fix = "judge on the pinned image and name it with --runner-image ID, or land a range that pins this one: \
               git reins fixture pin --epoch NEW --runner-image auto && git reins fixture commit";
    TrialError::Refused {
        code: Code::FixtureEpochUnpinned,
        message,
        fix: fix.to_owned(),
    }
}
