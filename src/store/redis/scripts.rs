//! The Lua scripts, each joined with what it shares with others. A script is run again when the connection breaks
//! before its answer arrives: those in `scripts` may run twice, and those in `once_scripts` remember their answer.

use std::fmt::Write as _;
use std::sync::LazyLock;

use redis::Script;

use crate::domain::mail::MailKind;
use crate::store::rows::{KEY_SESSION, REVOKED_KEY_KEPT_MILLIS, REVOKED_KEYS_KEPT};

/// The version of what is stored. It grows with a change that an older program would misread: such a program is refused
/// from then on. What is only added needs no new version, so that two versions can serve side by side.
pub(super) const SCHEMA: i64 = 1;

/// A script that has its effect once, however often a request runs it.
pub(super) struct OnceScript(pub(super) Script);

/// A script behind what every script knows and checks.
fn script(source: &str) -> Script {
    let mut text = format!(
        "local SCHEMA, KEY_SESSION = {SCHEMA}, '{KEY_SESSION}'\n\
         local REVOKED_KEYS_KEPT, REVOKED_KEY_KEPT_MILLIS = {REVOKED_KEYS_KEPT}, {REVOKED_KEY_KEPT_MILLIS}\n\
         local OPENS_ACCESS = {{}}\n"
    );
    for kind in MailKind::opening_access() {
        // writing to a text cannot fail
        let _ = writeln!(text, "OPENS_ACCESS['{kind}'] = true");
    }
    text += include_str!("scripts/state.lua");
    text += "\n";
    text += source;
    Script::new(&text)
}

macro_rules! pieces {
    ($($file:literal),+) => {
        concat!($(include_str!(concat!("scripts/", $file, ".lua")), "\n"),+)
    };
}

macro_rules! scripts {
    ($($name:ident = $($file:literal),+;)*) => {
        $(pub(super) static $name: LazyLock<Script> = LazyLock::new(|| script(pieces!($($file),+)));)*
    };
}

macro_rules! once_scripts {
    ($($name:ident = $($file:literal),+;)*) => {
        $(pub(super) static $name: LazyLock<OnceScript> = LazyLock::new(|| {
            OnceScript(script(concat!("local function run()\n", pieces!($($file),+), "end\n", pieces!("once"))))
        });)*
    };
}

scripts! {
    IDENTIFY = "identify";
    BEGIN = "begin";
    ISSUE_KEY = "epoch", "accounts", "issue_key";
    ACCOUNT = "epoch", "accounts", "account";
    PROFILE = "epoch", "profile";
    KEYS = "epoch", "keys";
    ACCOUNT_OF_KEY = "epoch", "accounts", "account_of_key";
    REVOKE_KEY = "epoch", "accounts", "revoke_key";
    REPLACE_KEYS = "epoch", "accounts", "replace_keys";
    SET_PLAN = "epoch", "accounts", "set_plan";
    ADD_TOKEN = "epoch", "accounts", "add_token";
    TOKENS = "epoch", "tokens";
    ACCOUNT_OF_TOKEN = "epoch", "accounts", "account_of_token";
    HOOK = "epoch", "hook";
    QUEUE_FOR = "epoch", "deliveries", "queue_for";
    NOTIFY = "epoch", "accounts", "deliveries", "notify";
    NOTIFY_ALL = "epoch", "accounts", "deliveries", "notify_all";
    TAKE_DUE_DELIVERIES = "epoch", "deliveries", "take_due_deliveries";
    RECORD_ATTEMPT = "epoch", "deliveries", "record_attempt";
    SAVE_CODE = "epoch", "codes", "save_code";
    SAVE_MAILED_CODE = "epoch", "codes", "save_mailed_code";
    SAVE_KEY_SESSION = "epoch", "codes", "save_key_session";
    REDEEM_RECOVERY_CODE = "epoch", "accounts", "codes", "limits", "redeem_recovery_code";
    EXCHANGE_CODE = "epoch", "accounts", "codes", "limits", "exchange_code";
    ACCOUNT_OF_SESSION = "epoch", "accounts", "codes", "account_of_session";
    MAIL_NEW_ADDRESS = "epoch", "accounts", "mail_new_address";
    END_SESSION = "epoch", "codes", "end_session";
    TAKE_DUE_MAILS = "epoch", "accounts", "take_due_mails";
    HASTEN_MAILS = "epoch", "hasten_mails";
    POSTPONE_MAIL = "epoch", "postpone_mail";
    DELETE_MAIL = "epoch", "accounts", "delete_mail";
    ISSUE_WELCOME_KEY = "epoch", "accounts", "issue_welcome_key";
    QUEUE_MAIL = "epoch", "accounts", "queue_mail";
    SAVE_ASKED = "epoch", "save_asked";
    ASKED = "epoch", "asked";
    SAVE_SUGGESTION = "epoch", "save_suggestion";
    CLOSE_SUGGESTION = "epoch", "close_suggestion";
    SAVE_READER = "epoch", "save_reader";
    READER = "epoch", "readers", "reader";
    CONFIRM_READER = "epoch", "confirm_reader";
    TAKE_DUE_READERS = "epoch", "readers", "take_due_readers";
    RESCHEDULE_READER = "epoch", "reschedule_reader";
    SUBSCRIPTION_RECORD = "epoch", "subscription_record";
    ACCOUNT_OF_REFERENCE = "epoch", "account_of_reference";
    TAKE_DUE_SUBSCRIPTIONS = "epoch", "take_due_subscriptions";
    TAKE_DUE_WEBHOOK_EVENTS = "epoch", "take_due_webhook_events";
    FINISH_WEBHOOK_EVENT = "epoch", "webhook_events", "finish_webhook_event";
    LEASE = "epoch", "processes", "replication", "lease";
    LEASES = "epoch", "processes", "leases";
    RECALL = "epoch", "recall";
    REGISTER = "epoch", "replication", "register";
    HEARTBEAT = "epoch", "replication", "heartbeat";
    IS_HANDLED = "epoch", "processes", "replication", "is_handled";
    LEAVE = "epoch", "leave";
    ROWS = "epoch", "rows";
    SERVING = "epoch", "processes", "serving";
    SET_BLOCK = "epoch", "accounts", "deliveries", "set_block";
    SET_EMAIL = "epoch", "accounts", "set_email";
    ERASING = "epoch", "erasing";
    SETTINGS = "epoch", "settings";
    BACKLOG = "epoch", "backlog";
    NOTE_BACKUP = "epoch", "note_backup";
}

once_scripts! {
    COUNT_ATTEMPT = "epoch", "limits", "count_attempt";
    REQUEST_ACCESS = "epoch", "accounts", "limits", "request_access";
    REVOKE_TOKEN = "epoch", "revoke_token";
    SET_HOOK = "epoch", "deliveries", "set_hook";
    REDEEM_NEW_ADDRESS = "epoch", "accounts", "codes", "redeem_new_address";
    DELETE_READER = "epoch", "delete_reader";
    SAVE_SUBSCRIPTION = "epoch", "accounts", "webhook_events", "save_subscription";
    SAVE_WEBHOOK_EVENT = "epoch", "save_webhook_event";
    BEGIN_FILL = "epoch", "begin_fill";
    INSERT_ROWS = "epoch", "accounts", "deliveries", "insert_rows";
    END_FILL = "epoch", "end_fill";
    ERASE = "epoch", "accounts", "deliveries", "erase";
    ERASE_PAGE = "epoch", "erase_page";
}
