//! Why the latest published snapshot is not in service, for the log, `/readyz` and the metrics.

use std::sync::Arc;

use parking_lot::Mutex;

use super::error::PublishError;
use crate::metrics::SnapshotMetrics;
use crate::outage::Outage;

/// Why the latest published snapshot is not in service. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Failure(Arc<Mutex<Option<String>>>);

impl Failure {
    /// The message, if the latest attempt failed.
    pub(crate) fn message(&self) -> Option<String> {
        self.0.lock().clone()
    }
}

/// What fails of reading the depot, of publishing, and of making the guide in service anew.
pub(super) struct Failures {
    shown: Failure,
    reading: Outage,
    publishing: Outage,
    /// Why the guide in service could not be made anew for another day or with what is hidden.
    not_remade: Option<String>,
    metrics: SnapshotMetrics,
}

impl Failures {
    pub(super) fn new(metrics: SnapshotMetrics) -> Failures {
        Failures {
            shown: Failure::default(),
            reading: Outage::new("the depot cannot be read"),
            publishing: Outage::new("a snapshot did not go live"),
            not_remade: None,
            metrics,
        }
    }

    /// Where the message is shown.
    pub(super) fn shown(&self) -> Failure {
        self.shown.clone()
    }

    /// Whether the guide in service is that of today, with what is hidden now.
    pub(super) fn is_remade(&self) -> bool {
        self.not_remade.is_none()
    }

    /// What the depot names is live, as it is to be served now.
    pub(super) fn live(&mut self) {
        self.not_remade = None;
        self.reading.succeeded();
        self.publishing.succeeded();
        self.show(None);
    }

    /// The depot was read, and has nothing new.
    pub(super) fn nothing_new(&self) {
        if self.reading.succeeded() {
            self.show(self.not_remade.clone());
        }
        // refused once and for all: nothing tries it again, but it is still not live
        if let Some(message) = self.shown.message() {
            self.publishing.failed(&message);
        }
    }

    /// The depot was read, and names what is live; the guide is still that of another day, or shows what is hidden now.
    pub(super) fn still_not_remade(&self) {
        self.reading.succeeded();
        if let Some(message) = &self.not_remade {
            self.publishing.failed(message);
            self.show(Some(message.clone()));
        }
    }

    /// The guide in service was made anew.
    pub(super) fn remade(&mut self) {
        // a publication that was refused stays refused
        if let Some(message) = self.not_remade.take()
            && self.shown.message() == Some(message)
        {
            self.publishing.succeeded();
            self.show(None);
        }
    }

    /// The guide in service could not be made anew.
    pub(super) fn not_remade(&mut self, error: &PublishError) {
        self.not_remade = Some(error.to_string());
    }

    /// Something failed; `message` says what, and what became of it.
    pub(super) fn failed(&self, error: &PublishError, message: String) {
        let is_new = if matches!(error, PublishError::Depot(_)) {
            self.reading.failed(&message)
        } else {
            self.reading.succeeded();
            let is_other = self.shown.message().as_ref() != Some(&message);
            if is_other {
                // another snapshot, or another reason
                self.publishing.succeeded();
            }
            self.publishing.failed(&message);
            is_other
        };
        if is_new {
            self.metrics.publish_failures.inc();
        }
        self.show(Some(message));
    }

    fn show(&self, message: Option<String>) {
        self.metrics.publish_failing.set(message.is_some().into());
        *self.shown.0.lock() = message;
    }
}
