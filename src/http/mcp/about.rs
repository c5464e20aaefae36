//! What the endpoint publishes about itself, rendered once from the configuration and the table of actions.

use bytes::Bytes;
use maud::{DOCTYPE, html};
use serde_json::{Value, json};

use super::era::{Era, LEGACY, MODERN};
use super::prompts;
use super::resources;
use super::tools;
use crate::config::Config;
use crate::quota::permit::{PREVIEW_DAYS, PREVIEW_RESULTS};

/// The version of the service.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How long lists may be cached, in milliseconds: they change only with a new version of the service.
const LISTS_TTL_MS: u32 = 300_000;

/// How long a resource may be cached, in milliseconds: a new snapshot may be published any time.
const RESOURCE_TTL_MS: u32 = 60_000;

/// The rendered documents and results.
pub(super) struct About {
    pub(super) legacy: Era,
    pub(super) modern: Era,
    /// Results of `initialize`, by version, in the order of [`LEGACY`].
    initialized: Vec<String>,
    /// `GET /mcp/server-card`.
    pub(super) server_card: Bytes,
    /// `GET /.well-known/ai-catalog.json`.
    pub(super) catalog: Bytes,
    /// `GET /mcp/server.json`, for the MCP registry.
    pub(super) registry: Bytes,
    /// The page for browsers.
    pub(super) page: Bytes,
    /// The answer to clients that look for OAuth.
    pub(super) no_oauth: Bytes,
}

/// The icon as SVG.
pub(super) const ICON_SVG: &[u8] = include_bytes!("icon.svg");
/// The icon as PNG, 64 by 64 pixels.
pub(super) const ICON_PNG: &[u8] = include_bytes!("icon.png");

const DESCRIPTION: &str =
    "Curated guide to events, shows and places in Brasília and the Federal District, Brazil.";

impl About {
    /// Renders everything.
    pub(super) fn new(config: &Config) -> About {
        let name = &config.service_name;
        let base = config.base_url.as_str();
        let service = Service { config, title: format!("{name}: guide to Brasília") };
        let bytes = |value: Value| Bytes::from(value.to_string());
        About {
            legacy: service.legacy(),
            modern: service.modern(),
            initialized: LEGACY.map(|version| service.initialized(version).to_string()).into(),
            server_card: bytes(service.server_card()),
            catalog: bytes(service.catalog()),
            registry: bytes(service.registry_entry()),
            page: page(name, base, config.service_site.as_str()).into(),
            no_oauth: bytes(json!({
                "error": "invalid_request",
                "error_description": "This server does not use OAuth. Send your API key as authorization: Bearer <key>, \
                                      or in the header x-api-key; without a key it answers a preview.",
            })),
        }
    }

    /// The result of `initialize` for a client of `version`: that version if it is served, else the newest.
    pub(super) fn initialized(&self, version: &str) -> &str {
        let at = LEGACY.iter().position(|known| *known == version).unwrap_or(0);
        &self.initialized[at]
    }
}

/// The service as its documents describe it.
struct Service<'a> {
    config: &'a Config,
    title: String,
}

impl Service<'_> {
    /// The results that are the same for everybody, without the fields of an era.
    fn lists() -> Vec<(&'static str, Value)> {
        vec![
            ("tools/list", json!({ "tools": tools::list() })),
            ("resources/list", json!({ "resources": resources::list() })),
            ("resources/templates/list", json!({ "resourceTemplates": resources::templates() })),
            ("prompts/list", json!({ "prompts": prompts::list() })),
        ]
    }

    fn legacy(&self) -> Era {
        let mut lists = Self::lists();
        lists.push(("ping", json!({})));
        Era::new(String::new(), "", String::new(), &lists)
    }

    fn modern(&self) -> Era {
        let identity = |server: Value| {
            format!(
                ",\"resultType\":\"complete\",\"_meta\":{{\"io.modelcontextprotocol/serverInfo\":{server}}}"
            )
        };
        let cache = |ttl: u32, scope: &str| format!(",\"ttlMs\":{ttl},\"cacheScope\":\"{scope}\"");
        let (for_lists, for_resources) = (cache(LISTS_TTL_MS, "public"), cache(RESOURCE_TTL_MS, "private"));
        let mut era = Era::new(identity(self.short_info()), &for_lists, for_resources, &Self::lists());
        let discover = json!({
            "supportedVersions": MODERN,
            "capabilities": Self::capabilities(),
            "instructions": self.instructions(),
        });
        let discover = [("server/discover", discover)];
        era.extend(Era::new(identity(self.info()), &for_lists, String::new(), &discover));
        era
    }

    fn initialized(&self, version: &str) -> Value {
        json!({
            "protocolVersion": version,
            "capabilities": Self::capabilities(),
            "serverInfo": self.info(),
            "instructions": self.instructions(),
        })
    }

    fn capabilities() -> Value {
        json!({ "tools": {}, "resources": {}, "prompts": {}, "completions": {} })
    }

    /// Name and version only: every result of the newer era repeats them.
    fn short_info(&self) -> Value {
        json!({ "name": "candango", "title": self.title, "version": VERSION })
    }

    fn info(&self) -> Value {
        let mut info = self.short_info();
        info["description"] = json!(DESCRIPTION);
        info["websiteUrl"] = json!(self.config.service_site.as_str());
        info["icons"] = self.icons();
        info
    }

    fn icons(&self) -> Value {
        let base = self.config.base_url.as_str();
        json!([
            { "src": format!("{base}/mcp/icon.svg"), "mimeType": "image/svg+xml", "sizes": ["any"] },
            { "src": format!("{base}/mcp/icon.png"), "mimeType": "image/png", "sizes": ["64x64"] },
        ])
    }

    fn server_card(&self) -> Value {
        let versions: Vec<&str> = LEGACY.iter().rev().chain(&MODERN).copied().collect();
        let mut remote = self.remote();
        remote["supportedProtocolVersions"] = json!(versions);
        self.card("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", remote)
    }

    fn registry_entry(&self) -> Value {
        let schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
        self.card(schema, self.remote())
    }

    fn card(&self, schema: &str, remote: Value) -> Value {
        json!({
            "$schema": schema,
            "name": format!("{}/candango", reversed(&self.config.base_url.host())),
            "title": self.title,
            "description": DESCRIPTION,
            "version": VERSION,
            "websiteUrl": self.config.service_site.as_str(),
            "icons": self.icons(),
            "remotes": [remote],
        })
    }

    fn remote(&self) -> Value {
        let key_header = json!({
            "name": "Authorization",
            "description": "Bearer and an API key. Without it the preview is answered.",
            "isRequired": false,
            "isSecret": true,
        });
        let url = format!("{}/mcp", self.config.base_url.as_str());
        json!({ "type": "streamable-http", "url": url, "headers": [key_header] })
    }

    fn catalog(&self) -> Value {
        json!({
            "specVersion": "1.0",
            "host": { "displayName": self.config.service_name },
            "entries": [{
                "identifier": format!("urn:air:{}:candango", self.config.base_url.host()),
                "displayName": self.title,
                "description": DESCRIPTION,
                "type": "application/mcp-server-card+json",
                "url": format!("{}/mcp/server-card", self.config.base_url.as_str()),
            }],
        })
    }

    fn instructions(&self) -> String {
        let (name, base) = (&self.config.service_name, self.config.base_url.as_str());
        format!(
            "{name} is a hand-curated guide to events, shows and places in Brasília and the Federal District, Brazil. \
             Ask search_events or search_places in Portuguese, English or Spanish, then get_place. match=closest: not all \
             of q is met; interpreted says what was left out. Opening hours, parking and prices are mostly not known \
             (not_known). Brasília time. Without a key: Plano Piloto, {PREVIEW_RESULTS} results, the next {PREVIEW_DAYS} \
             days, basic fields; keys: POST {base}/v1/signup. Credit results as attribution says."
        )
    }
}

/// A host in reverse DNS notation: `guia.example` becomes `example.guia`, an IP address `local`.
fn reversed(host: &str) -> String {
    let is_name = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
        && host.bytes().any(|byte| byte.is_ascii_alphabetic());
    if is_name { host.rsplit('.').collect::<Vec<_>>().join(".") } else { "local".to_owned() }
}

/// The page that a browser gets at the address of the endpoint.
fn page(name: &str, base: &str, site: &str) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { (name) " for AI agents" }
            }
            body {
                h1 { (name) " for AI agents" }
                p {
                    "This address is for programs: add " code { (base) "/mcp" } " to your assistant as an MCP server \
                     (Streamable HTTP). Without a key it answers a preview; with an API key, your plan."
                }
                p { a href=(site) { (name) } }
            }
        }
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about() -> About {
        About::new(&Config::load(None, [], &[]).unwrap())
    }

    #[test]
    fn instructions_are_short() {
        let result: Value = serde_json::from_str(about().initialized("2025-06-18")).unwrap();
        assert_eq!(result["protocolVersion"], "2025-06-18");
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.chars().count() < 600, "{}", instructions.chars().count());
        assert!(about().initialized("1999-01-01").contains("\"2025-11-25\""));
    }

    #[test]
    fn lists_are_json_in_both_eras_and_cacheable_in_the_newer() {
        let about = about();
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            let legacy: Value = serde_json::from_str(about.legacy.list(method).unwrap()).unwrap();
            assert!(legacy.get("ttlMs").is_none() && legacy.get("resultType").is_none());
            let modern: Value = serde_json::from_str(about.modern.list(method).unwrap()).unwrap();
            assert_eq!(
                (&modern["resultType"], &modern["cacheScope"]),
                (&json!("complete"), &json!("public"))
            );
            assert_eq!(modern["_meta"]["io.modelcontextprotocol/serverInfo"]["version"], VERSION);
        }
        let discover: Value = serde_json::from_str(about.modern.list("server/discover").unwrap()).unwrap();
        assert_eq!(discover["supportedVersions"], json!(MODERN));
        assert!(about.modern.list("ping").is_none() && about.legacy.list("server/discover").is_none());
    }

    #[test]
    fn names_use_the_reversed_host() {
        assert_eq!(reversed("guia.example"), "example.guia");
        assert_eq!(reversed("127.0.0.1"), "local");
        assert_eq!(reversed("[::1]"), "local");
        assert_eq!(reversed("localhost"), "localhost");
    }
}
