//! How to connect agents, and the first call by hand.

use maud::{Markup, html};

use crate::http::site::layout::components::{code, more};
use crate::http::site::layout::{Layout, Meta};
use crate::http::site::texts::Agents;
use crate::quota::permit::{PREVIEW_DAYS, PREVIEW_RESULTS};

/// How a client is configured. `{url}` stands for the address of the server.
struct Client {
    name: &'static str,
    steps: fn(&Agents) -> &'static str,
    without_key: &'static str,
    /// Empty if the client cannot send a key.
    with_key: &'static str,
}

const CLIENTS: [Client; 6] = [
    Client {
        name: "Claude",
        steps: |words| words.claude,
        without_key: "{url}",
        with_key: r#"{
  "mcpServers": {
    "candango": {
      "command": "npx",
      "args": ["mcp-remote", "{url}", "--header", "Authorization:${AUTH}"],
      "env": { "AUTH": "Bearer cdg_live_..." }
    }
  }
}"#,
    },
    Client {
        name: "Claude Code",
        steps: |words| words.claude_code,
        without_key: "claude mcp add --transport http candango {url}",
        with_key: r#"claude mcp add --transport http candango {url} \
  --header "Authorization: Bearer $CANDANGO_KEY""#,
    },
    Client { name: "ChatGPT", steps: |words| words.chatgpt, without_key: "{url}", with_key: "" },
    Client {
        name: "Cursor",
        steps: |words| words.cursor,
        without_key: r#"{
  "mcpServers": {
    "candango": { "url": "{url}" }
  }
}"#,
        with_key: r#"{
  "mcpServers": {
    "candango": {
      "url": "{url}",
      "headers": { "Authorization": "Bearer ${env:CANDANGO_KEY}" }
    }
  }
}"#,
    },
    Client {
        name: "VS Code",
        steps: |words| words.vs_code,
        without_key: r#"{
  "servers": {
    "candango": { "type": "http", "url": "{url}" }
  }
}"#,
        with_key: r#"{
  "inputs": [
    { "type": "promptString", "id": "key", "description": "API key", "password": true }
  ],
  "servers": {
    "candango": {
      "type": "http",
      "url": "{url}",
      "headers": { "Authorization": "Bearer ${input:key}" }
    }
  }
}"#,
    },
    Client {
        name: "Gemini CLI",
        steps: |words| words.gemini,
        without_key: r#"{
  "mcpServers": {
    "candango": { "httpUrl": "{url}" }
  }
}"#,
        with_key: r#"{
  "mcpServers": {
    "candango": {
      "httpUrl": "{url}",
      "headers": { "Authorization": "Bearer $CANDANGO_KEY" }
    }
  }
}"#,
    },
];

/// The page. `question` finds something in the guide; empty without a guide.
pub(crate) fn page(layout: &Layout, question: &str) -> String {
    let words = &layout.texts.agents;
    let meta =
        Meta { title: words.title, description: words.description, path: "/agents", query: "", listed: true };
    let url = format!("{}/mcp", layout.base);
    let curl = format!(
        "curl -s {}/v1 \\\n  -H \"x-api-key: $CANDANGO_KEY\" \\\n  -H 'content-type: application/json' \\\n  \
         -d '{{\"action\":\"search_places\",\"q\":\"boteco 408 norte\"}}'",
        layout.base
    );
    let main = html! {
        div.wide.narrow-top {
            h1 { (words.title) }
            p.lead { ((words.lead)(question)) }
            (code(words.server_address, &url))
            p { ((words.keys)(PREVIEW_RESULTS, PREVIEW_DAYS, &layout.path("/signup"))) }
            @for (at, client) in CLIENTS.iter().enumerate() {
                (section(&format!("client-{at}"), client.name, &client.render(words, &url)))
            }
            (section("by-hand", words.by_hand, &html! {
                p { (words.by_hand_steps) }
                (code("curl", &curl))
                (more(&layout.path("/api"), layout.texts.layout.api_reference))
            }))
        }
    };
    layout.page(&meta, main)
}

impl Client {
    fn render(&self, words: &Agents, url: &str) -> Markup {
        let block =
            |what: &str, text: &str| code(&format!("{}: {what}", self.name), &text.replace("{url}", url));
        html! {
            p { ((self.steps)(words)) }
            (block(words.without_key, self.without_key))
            @if self.with_key.is_empty() {
                p.note { (words.no_key_possible) }
            } @else {
                details {
                    summary { (words.with_key_heading) }
                    (block(words.with_key, self.with_key))
                }
            }
        }
    }
}

fn section(id: &str, title: &str, content: &Markup) -> Markup {
    html! {
        section.part.client aria-labelledby=(id) {
            h2 id=(id) { (title) }
            div { (content) }
        }
    }
}
