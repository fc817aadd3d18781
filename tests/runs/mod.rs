//! Runs: scripts in their processes, answered by the client's model, over pauses, crashes and processes.

mod answers;
mod bounds;
mod budget;
mod cancel;
mod comes_back;
mod durable;
mod effects;
mod evals;
mod forks;
mod hostile;
mod inside;
mod replay;
mod requires;
mod sampling;
mod starts;
mod status;
mod storing;
