//! The error codes of the service `alc`, and those that it shares.
//!
//! Never: changes a code that clients know.

pub use wardroom_service::error_code::{
    BUSY, CANCELLED, DISK_FULL, FOLDER_REMOVED, HELPER_GONE, INVALID_ARGUMENTS, NOT_FOUND, NOT_PERMITTED,
    OUT_OF_MEMORY, READ_ONLY,
};

wardroom_service::error_codes! {
    ALIAS_NOT_FOUND = "ALIAS_NOT_FOUND": "No alias has that name.";
    ALREADY_ANSWERED = "ALREADY_ANSWERED": "The query was answered before.";
    CARD_EXISTS = "CARD_EXISTS": "A card of that id exists, and cards are not replaced.";
    CARD_NOT_FOUND = "CARD_NOT_FOUND": "No card has that id.";
    CARD_TOO_LARGE = "CARD_TOO_LARGE": "The card would be over its size limit.";
    DIED = "DIED": "The strategy's process ended by itself.";
    DIVERGED = "DIVERGED": "The script makes other calls than its journal has.";
    EVAL_TOO_LARGE = "EVAL_TOO_LARGE": "The eval would be over its size limit.";
    EXISTS = "EXISTS": "Something of that name exists, and the call does not replace it.";
    FETCH_FAILED = "FETCH_FAILED": "The fetch failed.";
    GIT_UNAVAILABLE = "GIT_UNAVAILABLE": "Only a server with `[network] git` fetches repositories, and this process is none.";
    INTERNAL = "INTERNAL": "The server failed; its log says why.";
    INVALID = "INVALID": "The arguments are well formed and contradict each other or a rule.";
    INVALID_ADDRESS = "INVALID_ADDRESS": "The address does not name a Git repository.";
    INVALID_CARD = "INVALID_CARD": "The card does not have the form of a card.";
    INVALID_CONFIG = "INVALID_CONFIG": "The configuration that the call names cannot be read.";
    INVALID_DIRECTION = "INVALID_DIRECTION": "The direction is unknown.";
    INVALID_EVAL_ID = "INVALID_EVAL_ID": "The eval id breaks the rules for ids.";
    INVALID_ID = "invalid_id": "The id of a package to extract breaks the rules for ids.";
    INVALID_NAME = "INVALID_NAME": "The name breaks the rules for names.";
    INVALID_NAMESPACE = "INVALID_NAMESPACE": "The namespace breaks the rules for names.";
    INVALID_ORDER_BY = "INVALID_ORDER_BY": "The order has an error.";
    INVALID_PATH = "INVALID_PATH": "The path breaks the rules for paths.";
    INVALID_SCOPE = "INVALID_SCOPE": "The scope does not go with the other arguments.";
    INVALID_SESSION_ID = "INVALID_SESSION_ID": "The session id breaks the rules for ids.";
    INVALID_SORT = "INVALID_SORT": "The order has an error.";
    INVALID_VERBOSE = "INVALID_VERBOSE": "The level of detail is unknown.";
    INVALID_WHERE = "INVALID_WHERE": "The filter has an error.";
    IN_THE_WAY = "IN_THE_WAY": "Something that is not a folder has that name.";
    KEY_ALREADY_SET = "KEY_ALREADY_SET": "The card has that key, which is not replaced.";
    LEAVES_TREE = "LEAVES_TREE": "A link leads outside the tree of files.";
    LIMIT_TOO_LARGE = "LIMIT_TOO_LARGE": "The limit is over its cap.";
    LINKED = "LINKED": "The package is a link.";
    LINT_FAILED = "LINT_FAILED": "The packages have lint errors.";
    LOG_TOO_LARGE = "LOG_TOO_LARGE": "The transcript would be over its size limit.";
    MALFORMED = "MALFORMED": "A file does not have its format.";
    MANIFEST_UNREADABLE = "MANIFEST_UNREADABLE": "The manifest of installed packages cannot be read.";
    MISSING_INPUTS = "MISSING_INPUTS": "The call lacks inputs that the strategy declares as required.";
    NETWORK_OFF = "NETWORK_OFF": "The operator has not switched fetching on.";
    NEWER_FORMAT = "NEWER_FORMAT": "A newer version of wardroom wrote the file.";
    NOTE_TOO_LARGE = "NOTE_TOO_LARGE": "The note is over its size limit.";
    NOTE_TOO_LONG = "NOTE_TOO_LONG": "The note of an alias is over its length limit.";
    NOT_ALLOWED = "NOT_ALLOWED": "The address is not among those that the operator allows.";
    NOT_A_COLLECTION = "NOT_A_COLLECTION": "The folder is not a collection of cards.";
    NOT_A_NUMBER = "NOT_A_NUMBER": "The stored value is not a number.";
    NOT_A_PACKAGE = "NOT_A_PACKAGE": "The folder is not a package, or the name does not fit a package.";
    NOT_COMPLETED = "NOT_COMPLETED": "The run has not ended, so that its result cannot be stored as an eval.";
    NOT_LINKED = "NOT_LINKED": "The package is installed, not linked.";
    NOT_MOUNTED = "NOT_MOUNTED": "The path is not below a folder that the operator granted.";
    NOT_READ = "NOT_READ": "The file that holds the code cannot be read.";
    NOT_REPLACED = "NOT_REPLACED": "What stands there was not made by this tool and is not replaced.";
    NOT_SUPPORTED = "NOT_SUPPORTED": "The call exists in the original system, which does not support it either.";
    NO_PROJECT = "NO_PROJECT": "No project was found.";
    NO_RUNS = "NO_RUNS": "This server has no processes for strategies.";
    NO_SCORES = "NO_SCORES": "The eval has no aggregated scores.";
    OUT_OF_RANGE = "OUT_OF_RANGE": "A number is over its cap.";
    PRESET_CATALOG = "PRESET_CATALOG": "The project asks for another version of the catalog of presets.";
    PROJECTION_UNAVAILABLE = "PROJECTION_UNAVAILABLE": "The projection exists, and this server does not produce it.";
    PROTECTED = "PROTECTED": "No tool may read or write that path, or the call may not replace that file.";
    REFUSED = "REFUSED": "The tree of files holds something that is not copied.";
    SAME_NAME = "SAME_NAME": "Two packages of the call have one name.";
    SAMPLES_EXIST = "SAMPLES_EXIST": "The card has samples, which are not replaced.";
    SAMPLE_TOO_LARGE = "SAMPLE_TOO_LARGE": "A sample is over its size limit.";
    SCRIPT = "SCRIPT": "The strategy raised an error.";
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND": "No run has that session id, or the run has expired.";
    SOURCE_NOT_UTF8 = "not_utf8": "The source is not UTF-8 text.";
    SOURCE_SYNTAX = "syntax": "The source is not Lua. `details` has line and column.";
    SOURCE_TOO_DEEP = "too_deep": "The source nests deeper than the limit. `details` has line and column.";
    SOURCE_TOO_LARGE = "too_large": "The source is over its size limit.";
    SOURCE_TOO_MUCH = "too_much": "The metadata of the source is over its limits.";
    STATE_MALFORMED = "STATE_MALFORMED": "A file of stored state does not have its format.";
    STATE_TOO_LARGE = "STATE_TOO_LARGE": "The run's stored state would be over its size limit.";
    STORE = "STORE": "The run's records cannot be read or written.";
    TIMED_OUT = "TIMED_OUT": "The fetch took longer than its limit.";
    TOO_LARGE = "TOO_LARGE": "The data that the call would read or store is over its size limit.";
    TOO_MANY_ALIASES = "TOO_MANY_ALIASES": "The table of aliases would be over its size limit.";
    TOO_MANY_CARDS = "TOO_MANY_CARDS": "The answer would hold more cards than the limit.";
    TOO_MANY_LONG_CARDS = "TOO_MANY_LONG_CARDS": "The search would have to read more long cards than the limit.";
    TOO_MANY_RUNS = "TOO_MANY_RUNS": "As many runs wait on this AppDir as the limit allows.";
    TOO_MANY_SAMPLES = "TOO_MANY_SAMPLES": "The filter would have to parse more samples than the limit.";
    UNKNOWN_OPERATION = "UNKNOWN_OPERATION": "The script asks for an operation that does not exist.";
    UNKNOWN_PRESET = "UNKNOWN_PRESET": "No preset has that name.";
    UNKNOWN_PROJECTION = "UNKNOWN_PROJECTION": "No projection has that name.";
    UNKNOWN_QUERY = "UNKNOWN_QUERY": "The run has no query of that id.";
    UNKNOWN_SINK = "UNKNOWN_SINK": "No mirror of cards has that URI.";
    UNREADABLE = "UNREADABLE": "The run's journal cannot be read.";
    UNSUPPORTED_LOCK = "UNSUPPORTED_LOCK": "The lock file has a version that this server does not know.";
    VERSION_MISSING = "VERSION_MISSING": "The package states no version.";
    WHICH_QUERY = "WHICH_QUERY": "Several queries wait, and the call does not say which one it answers.";
}
