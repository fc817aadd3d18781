//! Resolved requests: owned values that know what they cost, and run once.
//!
//! Owns: [`Work`], which a service returns for a request, and [`Cost`], by which the protocol chooses the thread.
//! Never: repeats a step. Work that turns out to cost more continues as other work, with what was found so far.

use super::{RequestInfo, ServiceError};

/// Where work runs, from the cheapest to the most expensive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cost {
    /// On the protocol's own thread: microseconds, for cached data or one small file.
    Inline,
    /// On a worker thread: any amount of time, but no large document.
    Worker,
    /// On one of a few threads, with a large-response permit: any amount of work.
    Large,
}

/// The rest of a request: an owned value that knows its cost, and runs once.
#[must_use = "work does nothing until it runs"]
pub struct Work<T> {
    cost: Cost,
    uses_client: bool,
    run: Run<T>,
}

type Run<T> = Box<dyn FnOnce(&RequestInfo) -> Result<Step<T>, ServiceError> + Send>;

/// The outcome of running [`Work`].
pub enum Step<T> {
    Done(T),
    /// What remains costs more than what was run.
    Next(Work<T>),
}

impl<T: 'static> Work<T> {
    /// Creates work of this cost.
    pub fn new(cost: Cost, run: impl FnOnce(&RequestInfo) -> Result<T, ServiceError> + Send + 'static) -> Self {
        Self::in_steps(cost, move |info| run(info).map(Step::Done))
    }

    /// Creates work of this cost that may continue at a higher cost.
    pub fn in_steps(
        cost: Cost,
        run: impl FnOnce(&RequestInfo) -> Result<Step<T>, ServiceError> + Send + 'static,
    ) -> Self {
        Self { cost, uses_client: false, run: Box::new(run) }
    }

    /// Creates work that is done already.
    pub fn done(value: T) -> Self
    where
        T: Send,
    {
        Self::new(Cost::Inline, move |_| Ok(value))
    }

    /// Returns the same work, which sends notifications or input requests to its client.
    pub fn with_client(self) -> Self {
        Self { uses_client: true, ..self }
    }

    /// Returns the same work, no step of which costs less: for a result whose conversion costs more than the result.
    pub fn at_least(self, cost: Cost) -> Self {
        let Self { cost: own, uses_client, run } = self;
        let run = move |info: &RequestInfo| match run(info)? {
            Step::Next(next) => Ok(Step::Next(next.at_least(cost))),
            done @ Step::Done(_) => Ok(done),
        };
        Self { cost: own.max(cost), uses_client, run: Box::new(run) }
    }

    #[must_use]
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Whether [`RequestInfo::client`] is needed.
    #[must_use]
    pub fn uses_client(&self) -> bool {
        self.uses_client
    }

    /// Runs the work, up to where it costs more.
    ///
    /// # Errors
    /// As the request's.
    pub fn run(self, info: &RequestInfo) -> Result<Step<T>, ServiceError> {
        (self.run)(info)
    }

    /// Runs all of the work on this thread.
    ///
    /// # Errors
    /// As the request's.
    pub fn finish(self, info: &RequestInfo) -> Result<T, ServiceError> {
        let mut work = self;
        loop {
            match work.run(info)? {
                Step::Done(value) => return Ok(value),
                Step::Next(next) => work = next,
            }
        }
    }

    /// Runs all of the work on this thread; `None` if any of it costs more than `limit`.
    ///
    /// # Errors
    /// As the request's.
    pub fn finish_within(self, limit: Cost, info: &RequestInfo) -> Result<Option<T>, ServiceError> {
        let mut work = self;
        while work.cost <= limit {
            match work.run(info)? {
                Step::Done(value) => return Ok(Some(value)),
                Step::Next(next) => work = next,
            }
        }
        Ok(None)
    }

    /// Returns work that converts the result, at the same cost.
    pub fn and_then<U: 'static>(self, convert: impl FnOnce(T) -> Result<U, ServiceError> + Send + 'static) -> Work<U> {
        self.and_continue(|value, _| convert(value).map(Step::Done))
    }

    /// Returns work that continues with the result, at the same cost at first.
    pub fn and_continue<U: 'static>(
        self,
        proceed: impl FnOnce(T, &RequestInfo) -> Result<Step<U>, ServiceError> + Send + 'static,
    ) -> Work<U> {
        let Self { cost, uses_client, run } = self;
        let run = move |info: &RequestInfo| match run(info)? {
            Step::Done(value) => proceed(value, info),
            Step::Next(next) => Ok(Step::Next(next.and_continue(proceed))),
        };
        Work { cost, uses_client, run: Box::new(run) }
    }

    /// Returns work that shows how it ended, at the same cost.
    pub fn inspect(self, show: impl FnOnce(Result<&T, &ServiceError>, &RequestInfo) + Send + 'static) -> Self {
        let Self { cost, uses_client, run } = self;
        let run = move |info: &RequestInfo| match run(info) {
            Ok(Step::Next(next)) => Ok(Step::Next(next.inspect(show))),
            Ok(Step::Done(value)) => {
                show(Ok(&value), info);
                Ok(Step::Done(value))
            }
            Err(error) => {
                show(Err(&error), info);
                Err(error)
            }
        };
        Self { cost, uses_client, run: Box::new(run) }
    }

    /// Returns work that continues with the error, at the same cost at first.
    pub fn or_continue(
        self,
        recover: impl FnOnce(ServiceError, &RequestInfo) -> Result<Step<T>, ServiceError> + Send + 'static,
    ) -> Self {
        let Self { cost, uses_client, run } = self;
        let run = move |info: &RequestInfo| match run(info) {
            Ok(Step::Next(next)) => Ok(Step::Next(next.or_continue(recover))),
            Ok(done) => Ok(done),
            Err(error) => recover(error, info),
        };
        Self { cost, uses_client, run: Box::new(run) }
    }

    /// Returns work that converts the error, at the same cost.
    pub fn map_error(self, convert: impl FnOnce(ServiceError) -> ServiceError + Send + 'static) -> Self {
        let Self { cost, uses_client, run } = self;
        let run = move |info: &RequestInfo| match run(info) {
            Ok(Step::Next(next)) => Ok(Step::Next(next.map_error(convert))),
            done => done.map_err(convert),
        };
        Self { cost, uses_client, run: Box::new(run) }
    }
}
