//! The default of every setting. `candango.example.toml` lists the same; a test compares the two.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use toml::{Table, Value};

use super::url::HttpUrl;
use crate::domain::plan::Plans;

pub(super) const DATA: &str = "./data";
pub(super) const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);

/// Every setting with its default, given those that other defaults depend on; `base_url` if it is set.
pub(super) fn defaults(data: &Path, listen: SocketAddr, base_url: Option<&str>) -> Table {
    let within = |scheme: &str, name: &str| Value::from(format!("{scheme}{}", data.join(name).display()));
    let numbers = |pairs: &[(&str, i64)]| -> Value {
        pairs.iter().map(|&(name, number)| (name.to_owned(), number.into())).collect::<Table>().into()
    };
    let own_url = HttpUrl::of(listen);
    let is_local = listen.ip().is_loopback();
    let payments = if is_local { "sandbox" } else { "none" };
    let mail = if is_local { within("outbox:", "outbox") } else { "none".into() };
    let asaas = Table::from_iter([
        ("url".to_owned(), Value::from("https://api.asaas.com/v3")),
        ("api_key".to_owned(), "".into()),
        ("webhook_token".to_owned(), "".into()),
    ]);
    // the plans are numbers and a text, which TOML can always hold
    let plans = Table::try_from(Plans::default()).unwrap_or_default();
    let settings: [(&str, Value); _] = [
        ("data", data.display().to_string().into()),
        ("listen", listen.to_string().into()),
        ("ops_listen", "127.0.0.1:9090".into()),
        ("base_url", own_url.clone().into()),
        ("service_name", "Candango".into()),
        ("service_site", base_url.map_or(own_url, str::to_owned).into()),
        ("depot", within("", "depot")),
        ("store", within("sqlite:", "candango.db")),
        ("mail", mail),
        ("mail_from", "Candango <guia@localhost>".into()),
        ("owner_email", "".into()),
        ("contact_email", "".into()),
        ("payments", payments.into()),
        ("trusted_proxies", Value::Array(Vec::new())),
        ("allowed_hosts", Value::Array(Vec::new())),
        ("allowed_origins", Value::Array(Vec::new())),
        ("log", "info".into()),
        ("log_requests", "errors".into()),
        ("asaas", asaas.into()),
        ("plans", plans.into()),
        ("webhooks", Table::from_iter([("allow_private".to_owned(), Value::from(false))]).into()),
        ("browser_tokens", numbers(&[("per_minute", 60)])),
        ("calendars", numbers(&[("per_minute", 60)])),
        ("preview", numbers(&[("per_minute", 10), ("per_day", 200), ("per_minute_all", 600)])),
        ("site_searches", numbers(&[("per_minute", 60), ("per_day", 3_000), ("per_minute_all", 3_000)])),
        (
            "signup",
            numbers(&[
                ("per_address_day", 10),
                ("per_address_burst", 3),
                ("rotations_per_hour", 5),
                ("owner_calls_per_minute", 30),
                ("per_ip_hour", 5),
                ("per_ip_day", 20),
            ]),
        ),
        (
            "limits",
            numbers(&[
                ("body_bytes", 65_536),
                ("body_memory_bytes", 67_108_864),
                ("connections", 10_000),
                ("connections_per_address", 256),
                ("header_timeout_ms", 5_000),
                ("request_timeout_ms", 20_000),
                ("idle_timeout_ms", 60_000),
                ("trust_window_ms", 15_000),
                ("start_wait_ms", 30_000),
                ("lame_duck_ms", 2_000),
                ("drain_ms", 10_000),
                ("workers", 0),
            ]),
        ),
    ];
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
