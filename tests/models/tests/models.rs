//! Every model under many orders of its threads' steps. A failure prints the order, which `shuttle::replay` repeats.

use wardroom_models::{models, runs};

#[test]
fn memory_leases_stay_within_limits() {
    models::memory_leases_stay_within_limits();
}

#[test]
fn memory_change_wakes_waiter() {
    models::memory_change_wakes_waiter();
}

#[test]
fn request_wakes_waiter() {
    models::request_wakes_waiter();
}

#[test]
fn permits_are_never_exceeded_or_lost() {
    models::permits_are_never_exceeded_or_lost();
}

#[test]
fn run_table_gives_run_to_one_call() {
    runs::models::run_table_gives_run_to_one_call();
}

#[test]
fn dropped_claim_leaves_run_to_next_call() {
    runs::models::dropped_claim_leaves_run_to_next_call();
}

#[test]
fn shared_permits_are_left_to_others() {
    models::shared_permits_are_left_to_others();
}
