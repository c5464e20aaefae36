//! How to connect an agent, and the first call by hand. Uses [`super::layout`].

use super::super::html::{Language, escaped};
use super::layout::{About, Frame, address, put};

/// How a client is told of the endpoint.
struct Client {
    name: &'static str,
    /// What to do, in both languages; `{url}` is the endpoint.
    steps: (&'static str, &'static str),
    /// What to paste without a key, and what with one.
    plain: &'static str,
    keyed: &'static str,
}

const CLIENTS: [Client; 6] = [
    Client {
        name: "Claude",
        steps: (
            "Na web ou no computador: Configurações, Conectores, Adicionar conector personalizado. \
             Cole o endereço.",
            "On the web or the desktop: Settings, Connectors, Add custom connector. Paste the address.",
        ),
        plain: "{url}",
        keyed: r#"{
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
        steps: ("No terminal:", "In the terminal:"),
        plain: "claude mcp add --transport http candango {url}",
        keyed: r#"claude mcp add --transport http candango {url} \
  --header "Authorization: Bearer $CANDANGO_KEY""#,
    },
    Client {
        name: "ChatGPT",
        steps: (
            "No modo desenvolvedor: Configurações, Conectores, Criar. Cole o endereço; autenticação: \
             nenhuma.",
            "In developer mode: Settings, Connectors, Create. Paste the address; authentication: none.",
        ),
        plain: "{url}",
        keyed: "",
    },
    Client {
        name: "Cursor",
        steps: ("No arquivo .cursor/mcp.json:", "In the file .cursor/mcp.json:"),
        plain: r#"{
  "mcpServers": {
    "candango": { "url": "{url}" }
  }
}"#,
        keyed: r#"{
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
        steps: ("No arquivo .vscode/mcp.json:", "In the file .vscode/mcp.json:"),
        plain: r#"{
  "servers": {
    "candango": { "type": "http", "url": "{url}" }
  }
}"#,
        keyed: r#"{
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
        steps: ("No arquivo ~/.gemini/settings.json:", "In the file ~/.gemini/settings.json:"),
        plain: r#"{
  "mcpServers": {
    "candango": { "httpUrl": "{url}" }
  }
}"#,
        keyed: r#"{
  "mcpServers": {
    "candango": {
      "httpUrl": "{url}",
      "headers": { "Authorization": "Bearer $CANDANGO_KEY" }
    }
  }
}"#,
    },
];

/// A block of code, with a name for those who do not see it.
pub(super) fn code(out: &mut String, name: &str, text: &str) {
    put(
        out,
        &[
            "<div class=\"code\"><pre tabindex=\"0\" role=\"group\" aria-label=\"",
            &escaped(name),
            "\"><code>",
        ],
    );
    // between tags quotes are what they are, and code is full of them
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    put(out, &[&text, "</code></pre></div>"]);
}

/// The page.
pub(super) fn page(frame: &Frame, language: Language) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let title = say("Conecte seu agente", "Connect your agent");
    let description = say(
        "O guia de Brasília dentro do Claude, do ChatGPT, do Cursor, do VS Code e do Gemini CLI.",
        "The guide to Brasília inside Claude, ChatGPT, Cursor, VS Code and Gemini CLI.",
    );
    let about = About { title, description, path: "/agents", query: "", listed: true };
    let url = format!("{}/mcp", frame.base);
    frame.page(language, &about, |out| {
        put(out, &["<div class=\"wide narrow-top\"><h1>", title, "</h1><p class=\"lead\">"]);
        put(out, &[say(
            "Um endereço, cinco ferramentas, só leitura. Pergunte “o que tem de samba na sexta?” e o \
             agente consulta o guia.",
            "One address, five tools, read-only. Ask “any samba on Friday?” and the agent looks it up in \
             the guide.",
        )]);
        put(out, &["</p>"]);
        code(out, say("Endereço do servidor", "Address of the server"), &url);
        let [prefix, signup] = address(language, "/signup");
        put(out, &["<p>", say(
            "Sem chave, responde a prévia: o Plano Piloto, 5 resultados, os próximos 7 dias. Com uma ",
            "Without a key it answers the preview: Plano Piloto, 5 results, the next 7 days. With a ",
        ), "<a href=\"", prefix, signup, "\">", say("chave", "key"), "</a>"]);
        put(out, &[say(
            ", vale o seu plano. Guarde a chave numa variável ou num cofre, nunca numa conversa.</p>",
            ", your plan counts. Keep the key in a variable or a secret store, never in a conversation.</p>",
        )]);
        for (at, client) in CLIENTS.iter().enumerate() {
            let id = format!("client-{at}");
            put(out, &["<section class=\"part client\" aria-labelledby=\"", &id, "\"><h2 id=\"", &id, "\">"]);
            put(out, &[client.name, "</h2><div><p>", say(client.steps.0, client.steps.1), "</p>"]);
            let named = |what: &str| format!("{}: {what}", client.name);
            code(out, &named(say("sem chave", "without a key")), &client.plain.replace("{url}", &url));
            if client.keyed.is_empty() {
                put(out, &["<p class=\"note\">", say(
                    "Aqui não há como mandar uma chave: responde a prévia.",
                    "There is no way to send a key here: the preview answers.",
                ), "</p>"]);
            } else {
                put(out, &["<details><summary>", say("Com uma chave", "With a key"), "</summary>"]);
                code(out, &named(say("com chave", "with a key")), &client.keyed.replace("{url}", &url));
                put(out, &["</details>"]);
            }
            put(out, &["</div></section>"]);
        }
        put(out, &["<section class=\"part client\" aria-labelledby=\"by-hand\"><h2 id=\"by-hand\">"]);
        put(out, &[say("À mão", "By hand")]);
        put(out, &["</h2><div><p>", say(
            "A API responde JSON. Com a chave do e-mail na variável CANDANGO_KEY:",
            "The API answers JSON. With the key from the mail in the variable CANDANGO_KEY:",
        ), "</p>"]);
        let curl = format!(
            "curl -s {}/v1 \\\n  -H \"x-api-key: $CANDANGO_KEY\" \\\n  \
             -H 'content-type: application/json' \\\n  \
             -d '{{\"action\":\"search_places\",\"q\":\"boteco 408 norte\"}}'",
            frame.base
        );
        code(out, "curl", &curl);
        let [prefix, api] = address(language, "/api");
        let reference = say("Referência da API", "API reference");
        put(out, &["<p class=\"more\"><a href=\"", prefix, api, "\">", reference, "</a></p>"]);
        put(out, &["</div></section></div>\n"]);
    })
}
