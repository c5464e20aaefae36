//! The scripts, each with what it shares with others before it. Uses the crate `redis`.

use std::sync::LazyLock;

use redis::Script;

macro_rules! scripts {
    ($($name:ident = $($file:literal),+;)*) => {
        $(pub(super) static $name: LazyLock<Script> =
            LazyLock::new(|| Script::new(concat!($(include_str!($file), "\n"),+)));)*
    };
}

scripts! {
    GREET = "greet.lua";
    BEGIN = "begin.lua";
    ISSUE = "epoch.lua", "accounts.lua", "issue.lua";
    ACCOUNT = "epoch.lua", "accounts.lua", "account.lua";
    PROFILE = "epoch.lua", "profile.lua";
    KEYS = "epoch.lua", "keys.lua";
    HOLDER = "epoch.lua", "accounts.lua", "holder.lua";
    REVOKE = "epoch.lua", "accounts.lua", "revoke.lua";
    REPLACE = "epoch.lua", "accounts.lua", "replace.lua";
    WELCOME = "epoch.lua", "accounts.lua", "welcome.lua";
    SET_PLAN = "epoch.lua", "set_plan.lua";
    TALLY = "epoch.lua", "tally.lua";
    INVITE = "epoch.lua", "accounts.lua", "invite.lua";
    COLLECT = "epoch.lua", "collect.lua";
    PUT_OFF = "epoch.lua", "put_off.lua";
    DISCARD = "epoch.lua", "discard.lua";
    KEEP_CODE = "epoch.lua", "keep_code.lua";
    REDEEM = "epoch.lua", "accounts.lua", "redeem.lua";
    BOOKS = "epoch.lua", "books.lua";
    ENTER = "epoch.lua", "accounts.lua", "notices.lua", "enter.lua";
    PAYER = "epoch.lua", "payer.lua";
    DUE_BOOKS = "epoch.lua", "due_books.lua";
    RECEIVE = "epoch.lua", "receive.lua";
    NOTICES = "epoch.lua", "take_notices.lua";
    SETTLE = "epoch.lua", "notices.lua", "settle.lua";
    LEASE = "epoch.lua", "life.lua", "lease.lua";
    STATEMENTS = "epoch.lua", "statements.lua";
    CALL_IN = "epoch.lua", "call_in.lua";
    ATTEND = "epoch.lua", "life.lua", "attend.lua";
    BEAT = "epoch.lua", "life.lua", "beat.lua";
    NOTICED = "epoch.lua", "life.lua", "noticed.lua";
    LEAVE = "epoch.lua", "leave.lua";
}
