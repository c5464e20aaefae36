//! How scripts take and answer accounts, keys and mails.

use data_encoding::HEXLOWER;
use redis::{FromRedisValue, ParsingError, RedisWrite, ToRedisArgs, Value};

use crate::domain::account::{
    Account, AccountId, DeliveryId, Email, HolderId, MailId, MailerId, ReaderId, TokenId,
};
use crate::domain::api_key::{KeyHash, KeyRecord};
use crate::domain::clock::UnixMillis;
use crate::domain::code::CodeHash;
use crate::domain::language::Language;
use crate::domain::mail::MailKind;
use crate::domain::plan::Plan;
use crate::domain::reader::Reader;
use crate::domain::token::Scope;
use crate::store::RotationMail;

/// A value that scripts take as text.
macro_rules! written {
    ($type:ty) => {
        impl ToRedisArgs for $type {
            fn write_redis_args<W: RedisWrite + ?Sized>(&self, out: &mut W) {
                self.as_str().write_redis_args(out);
            }
        }
    };
}

/// Values that scripts take and answer as text.
macro_rules! texts {
    ($($type:ty),+) => {$(
        written!($type);

        impl FromRedisValue for $type {
            fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
                let parsed = String::from_redis_value(value)?.parse::<$type>();
                parsed.map_err(|error| error.to_string().into())
            }
        }
    )+};
}

texts!(Email, MailKind, Plan, Scope);

/// Ids, which scripts answer as they were stored.
macro_rules! ids {
    ($($type:ty),+) => {$(
        written!($type);

        impl FromRedisValue for $type {
            fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
                String::from_redis_value(value).map(<$type>::from_stored)
            }
        }
    )+};
}

ids!(AccountId, DeliveryId, HolderId, MailId, MailerId, ReaderId, TokenId);

impl ToRedisArgs for UnixMillis {
    fn write_redis_args<W: RedisWrite + ?Sized>(&self, out: &mut W) {
        self.0.write_redis_args(out);
    }
}

impl FromRedisValue for UnixMillis {
    fn from_redis_value(value: Value) -> Result<UnixMillis, ParsingError> {
        i64::from_redis_value(value).map(UnixMillis)
    }
}

impl ToRedisArgs for KeyHash {
    fn write_redis_args<W: RedisWrite + ?Sized>(&self, out: &mut W) {
        HEXLOWER.encode(&self.0).write_redis_args(out);
    }
}

impl FromRedisValue for KeyHash {
    fn from_redis_value(value: Value) -> Result<KeyHash, ParsingError> {
        let text = String::from_redis_value(value)?;
        let bytes = HEXLOWER.decode(text.as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(KeyHash).ok_or("a stored key has an invalid hash".into())
    }
}

impl ToRedisArgs for CodeHash {
    fn write_redis_args<W: RedisWrite + ?Sized>(&self, out: &mut W) {
        HEXLOWER.encode(&self.0).write_redis_args(out);
    }
}

impl ToRedisArgs for Language {
    fn write_redis_args<W: RedisWrite + ?Sized>(&self, out: &mut W) {
        self.code().write_redis_args(out);
    }
}

impl FromRedisValue for Reader {
    fn from_redis_value(value: Value) -> Result<Reader, ParsingError> {
        let (id, email, language, area, asked_at, confirmed_at) = redis::from_redis_value(value)?;
        let language: String = language;
        let language = Language::from_tag(&language).unwrap_or(Language::Portuguese);
        Ok(Reader { id, email, language, area, asked_at, confirmed_at })
    }
}

impl FromRedisValue for Account {
    fn from_redis_value(value: Value) -> Result<Account, ParsingError> {
        let (id, email, plan, created_at, is_blocked) = redis::from_redis_value(value)?;
        Ok(Account { id, email, plan, created_at, is_blocked })
    }
}

/// A new key as scripts take it: hash, first4, last4, created_at.
pub(super) fn key_fields(key: &KeyRecord) -> (KeyHash, &str, &str, UnixMillis) {
    (key.hash, &key.first4, &key.last4, key.created_at)
}

/// A mail to queue as scripts take it: id, due time and owner.
pub(super) fn mail_fields(mail: &RotationMail) -> (&MailId, UnixMillis, &MailerId) {
    (&mail.id, mail.due_at, &mail.owner)
}
