//! The client behind a call, as far as a service may tell it something or ask it while the call goes on.
//!
//! Owns: the plain types for that. Who implements them knows the protocol; who uses them does not.
//! Never: promises that a client listens, or that it has a model.

use std::collections::BTreeMap;

use crate::payload::Payload;

/// What a call's client can be told and asked.
pub trait Client: Send + Sync {
    /// Tells how far the call is. Nobody may listen.
    fn progress(&self, step: f64, total: Option<f64>, message: Option<&str>);

    /// How its model can be asked.
    fn sampling(&self) -> Sampling;

    /// Asks its model while the call waits, where [`Sampling::Now`] says that it may. The answers in their order.
    ///
    /// # Errors
    /// What the client said instead, in words.
    fn sample(&self, samples: &[Sample]) -> Result<Vec<String>, String>;

    /// What it brought, where this call is an earlier one with what that one asked for.
    fn brought(&self) -> Option<&Brought>;
}

/// How a client's model can be asked by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// Not at all: the call ends with the question.
    Never,
    /// By a request of the server's, while the call waits.
    Now,
    /// By ending the call with the question, after which the client calls again with the answer.
    ByReturn,
}

/// One question for the client's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Its name among those that are asked together.
    pub key: String,
    pub prompt: String,
    pub system: Option<String>,
    pub max_tokens: u64,
}

/// What a call needs before it can be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asks {
    pub samples: Vec<Sample>,
    /// What this service will know the call by when it comes again. The client gets it sealed.
    pub handle: String,
}

/// What a client brought to a call that it makes again.
#[derive(Debug, Clone, Default)]
pub struct Brought {
    /// Of the service's own [`Asks`], whose seal was whole.
    pub handle: String,
    /// By the names that were given; a model's answer as text, or what else came instead.
    pub answers: BTreeMap<String, Result<String, Payload>>,
}
