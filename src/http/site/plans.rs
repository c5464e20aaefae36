//! Plans with their prices, the form that orders one, and the form that asks for a key. What was sent wrong is told
//! beside its field; keys and tax numbers are never sent back. Uses [`super::layout`], [`super::i18n`] and
//! [`crate::domain::plan`].

use index::View;

use super::super::html::{Language, escaped};
use super::i18n::{self, Plain};
use super::layout::{About, Frame, address, put};
use crate::domain::plan::{Plan, Plans, Row, reais};

/// What stood in a form that was sent, field by field, and what was wrong with it.
#[derive(Default)]
pub(super) struct Sent<'a> {
    pub(super) fields: Vec<(&'static str, &'a str)>,
    pub(super) wrong: Option<Plain>,
}

impl Sent<'_> {
    fn of(&self, field: &str) -> &str {
        self.fields.iter().find(|(name, _)| *name == field).map_or("", |(_, text)| *text)
    }

    /// The attributes of a field: where the cursor goes and what describes it, when it is the one at fault.
    fn attributes(&self, field: &str) -> String {
        match &self.wrong {
            Some(wrong) if wrong.field == Some(field) => {
                format!(" aria-invalid=\"true\" aria-describedby=\"{field}-no {field}-help\" autofocus")
            }
            _ => format!(" aria-describedby=\"{field}-help\""),
        }
    }

    /// What is wrong with a field.
    fn no(&self, out: &mut String, field: &str) {
        if let Some(wrong) = self.wrong.as_ref().filter(|wrong| wrong.field == Some(field)) {
            put(
                out,
                &["<p class=\"no\" role=\"alert\" id=\"", field, "-no\">", &escaped(&wrong.sentence), "</p>"],
            );
        }
    }

    /// What is wrong with none of them.
    fn no_at_all(&self, out: &mut String, fields: &[&str]) {
        let unplaced = |wrong: &&Plain| wrong.field.is_none_or(|field| !fields.contains(&field));
        if let Some(wrong) = self.wrong.as_ref().filter(unplaced) {
            put(
                out,
                &[
                    "<p class=\"no\" role=\"alert\" tabindex=\"-1\" autofocus>",
                    &escaped(&wrong.sentence),
                    "</p>",
                ],
            );
        }
    }
}

/// A field of text with its label, its help and what is wrong with it.
struct Field {
    name: &'static str,
    label: &'static str,
    help: &'static str,
    attributes: &'static str,
}

impl Field {
    fn write(&self, out: &mut String, sent: &Sent<'_>) {
        let Field { name, label, help, attributes } = *self;
        put(out, &["<div class=\"field\"><label for=\"", name, "\">", label, "</label>"]);
        sent.no(out, name);
        put(
            out,
            &[
                "<input id=\"",
                name,
                "\" name=\"",
                name,
                "\" value=\"",
                &escaped(sent.of(name)),
                "\" ",
                attributes,
            ],
        );
        put(out, &[&sent.attributes(name), "><p class=\"help\" id=\"", name, "-help\">", help, "</p></div>"]);
    }
}

/// Plans and prices, and the form that orders one.
pub(super) fn page(frame: &Frame, plans: &Plans, language: Language, sent: &Sent<'_>) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let title = say("Planos e preços", "Plans and prices");
    let description = say(
        "De graça para o Plano Piloto; planos pagos para o DF inteiro, com endereços, descrições e links.",
        "Free for Plano Piloto; paid plans for the whole Federal District, with addresses, descriptions \
         and links.",
    );
    let listed = sent.wrong.is_none();
    let about = About { title, description, path: "/plans", query: "", listed };
    frame.page(language, &about, |out| {
        put(out, &["<div class=\"wide narrow-top\"><h1>", title, "</h1><p class=\"lead\">"]);
        put(out, &[say(
            "A mesma chave serve para a API e para os agentes. Mude de plano sem trocar de chave.",
            "One key serves the API and agents alike. Change your plan and keep your key.",
        )]);
        put(out, &["</p><ul class=\"plans\">"]);
        for plan in Plan::ALL {
            offer(out, frame, language, &plans.row(plan));
        }
        put(out, &["</ul>\n<p class=\"note\">", say(
            "Preços por mês, em reais. O mês de uso é o mês do calendário de Brasília.",
            "Prices are per month, in Brazilian reais. Calls are counted by the calendar month of Brasília.",
        ), "</p>\n"]);
        subscribe(out, frame, plans, language, sent);
        put(out, &["</div>\n"]);
    })
}

fn offer(out: &mut String, frame: &Frame, language: Language, row: &Row) {
    let say = |portuguese, english| language.pick(portuguese, english);
    let Row { plan, figures, all_regions, view } = *row;
    let id = plan.as_str();
    let price = match figures.price_cents {
        0 => "R$ 0".to_owned(),
        cents => reais(cents),
    };
    put(out, &["<li class=\"plan\"><h2>", plan.title(), "</h2><p class=\"price\">", &price]);
    put(out, &[" <small>", say("por mês", "a month"), "</small></p><ul>"]);
    let calls = i18n::number(language, figures.per_month);
    let minute = i18n::number(language, figures.per_minute);
    put(out, &["<li><b>", &calls, "</b> ", say("consultas por mês", "calls a month"), "</li>"]);
    put(out, &["<li>", &minute, " ", say("por minuto", "a minute"), "</li>"]);
    let where_to = if all_regions {
        say("As 35 regiões do DF", "All 35 regions of the Federal District")
    } else {
        "Plano Piloto"
    };
    put(out, &["<li>", where_to, "</li>"]);
    let fields = match view {
        View::Basic => say(
            "Nome, datas, local, bairro, categoria, preço, Instagram",
            "Name, dates, venue, neighbourhood, category, price, Instagram",
        ),
        View::Full => say(
            "E mais endereço, atrações, ingressos, descrições e links",
            "And address, line-up, tickets, descriptions and links",
        ),
    };
    put(out, &["<li>", fields, "</li></ul>"]);
    if plan == Plan::Free {
        let [prefix, signup] = address(language, "/signup");
        put(
            out,
            &[
                "<p><a class=\"button\" href=\"",
                prefix,
                signup,
                "\">",
                say("Pegar uma chave", "Get a key"),
                "</a></p>",
            ],
        );
    } else if frame.payments_open {
        let [prefix, plans] = address(language, "/plans");
        put(
            out,
            &["<p><a class=\"button button-quiet\" href=\"", prefix, plans, "?plan=", id, "#subscribe\">"],
        );
        put(out, &[say("Assinar", "Subscribe"), " <span class=\"unseen\">", plan.title(), "</span></a></p>"]);
    } else {
        put(out, &["<p class=\"note\">", say("Em breve", "Soon"), "</p>"]);
    }
    put(out, &["</li>"]);
}

fn subscribe(out: &mut String, frame: &Frame, plans: &Plans, language: Language, sent: &Sent<'_>) {
    let say = |portuguese, english| language.pick(portuguese, english);
    put(
        out,
        &["<section class=\"part split\" aria-labelledby=\"subscribe\"><div><h2 id=\"subscribe\" \
             tabindex=\"-1\">"],
    );
    put(out, &[say("Assinar", "Subscribe"), "</h2>"]);
    if !frame.payments_open {
        put(
            out,
            &[
                "<p>",
                say(
                    "Os planos pagos ainda não estão abertos. A chave gratuita já funciona, e será a mesma \
                     quando abrirem.",
                    "Paid plans are not open yet. The free key works already, and will be the same once \
                     they are.",
                ),
                "</p></div></section>\n",
            ],
        );
        return;
    }
    let [prefix, signup] = address(language, "/signup");
    put(out, &["<p>", say("Para assinar é preciso ter uma chave. ", "To subscribe you need a key. ")]);
    put(
        out,
        &[
            "<a href=\"",
            prefix,
            signup,
            "\">",
            say("Pegue a sua, de graça", "Get yours for free"),
            "</a>.</p><p>",
        ],
    );
    put(
        out,
        &[
            say(
                "O pagamento é feito numa página à parte, por Pix, boleto ou cartão. Confirmado, a mesma \
                 chave muda de plano na hora. Cancele quando quiser: o plano vale até o fim do mês pago.",
                "You pay on a separate page, by Pix, boleto or card. Once it is confirmed, the same key is \
                 on the new plan at once. Cancel at any time: the plan stays until the end of the paid \
                 month.",
            ),
            "</p></div>\n",
        ],
    );
    let [prefix, path] = address(language, "/plans");
    put(out, &["<form class=\"sheet\" method=\"post\" action=\"", prefix, path, "\">"]);
    sent.no_at_all(out, &["plan", "key", "tax_id", "name", "method"]);
    put(out, &["<fieldset class=\"choice\"><legend>", say("Plano", "Plan"), "</legend>"]);
    sent.no(out, "plan");
    let chosen = Plan::ALL.into_iter().find(|plan| plan.as_str() == sent.of("plan")).unwrap_or(Plan::Pro);
    for plan in Plan::ALL.into_iter().filter(|plan| *plan != Plan::Free) {
        let id = plan.as_str();
        let checked = if plan == chosen { " checked" } else { "" };
        put(
            out,
            &[
                "<label for=\"plan-",
                id,
                "\"><input type=\"radio\" name=\"plan\" id=\"plan-",
                id,
                "\" value=\"",
                id,
            ],
        );
        put(
            out,
            &[
                "\"",
                checked,
                "><span>",
                plan.title(),
                " <small>",
                &reais(plans.row(plan).figures.price_cents),
            ],
        );
        put(out, &["</small></span></label>"]);
    }
    put(out, &["</fieldset>"]);
    let fields = [
        Field {
            name: "key",
            label: say("Sua chave", "Your key"),
            help: say(
                "A que veio por e-mail; começa com cdg_live_.",
                "The one that came by mail; it begins with cdg_live_.",
            ),
            attributes: "type=\"password\" required maxlength=\"128\" autocomplete=\"off\"",
        },
        Field {
            name: "tax_id",
            label: say("CPF ou CNPJ", "CPF or CNPJ"),
            help: say(
                "Vai para quem recebe o pagamento; aqui ficam só os 4 últimos caracteres.",
                "The Brazilian tax number. It goes to the payment provider; only its last 4 characters are \
                 kept here.",
            ),
            attributes: "type=\"text\" required maxlength=\"24\" autocomplete=\"off\" spellcheck=\"false\"",
        },
        Field {
            name: "name",
            label: say("Nome na cobrança (se quiser)", "Name on the bill (optional)"),
            help: say("Como deve aparecer no pagamento.", "As it should appear on the payment."),
            attributes: "type=\"text\" maxlength=\"120\" autocomplete=\"name\"",
        },
    ];
    fields.iter().for_each(|field| field.write(out, sent));
    put(out, &["<div class=\"field\"><label for=\"method\">", say("Como pagar", "How to pay"), "</label>"]);
    sent.no(out, "method");
    put(out, &["<select id=\"method\" name=\"method\">"]);
    for (value, name) in [
        ("", say("Escolher na página de pagamento", "Choose on the payment page")),
        ("PIX", "Pix"),
        ("BOLETO", say("Boleto", "Boleto (bank slip)")),
        ("CREDIT_CARD", say("Cartão de crédito", "Credit card")),
    ] {
        let selected = if sent.of("method") == value { " selected" } else { "" };
        put(out, &["<option value=\"", value, "\"", selected, ">", name, "</option>"]);
    }
    put(out, &["</select></div><button type=\"submit\">", say("Ir para o pagamento", "Go to payment")]);
    put(out, &["</button></form></section>\n"]);
}

/// The form that asks for a key.
pub(super) fn signup(frame: &Frame, plans: &Plans, language: Language, sent: &Sent<'_>) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let title = say("Pegue uma chave", "Get a key");
    let description = say(
        "Uma chave gratuita para a API e para os agentes, por e-mail.",
        "A free key for the API and for agents, by mail.",
    );
    let about = About { title, description, path: "/signup", query: "", listed: sent.wrong.is_none() };
    frame.page(language, &about, |out| {
        put(out, &["<div class=\"wide narrow-top split\"><div><h1>", title, "</h1><p class=\"lead\">"]);
        put(
            out,
            &[say(
                "De graça, sem cartão. A chave chega por e-mail.",
                "Free, no card. The key comes by mail.",
            )],
        );
        let calls = i18n::number(language, plans.free.per_month);
        put(
            out,
            &[
                "</p><ul class=\"plain\"><li><b>",
                &calls,
                "</b> ",
                say("consultas por mês", "calls a month"),
                "</li><li>",
            ],
        );
        put(out, &[say("Todo o Plano Piloto, qualquer data", "All of Plano Piloto, any date"), "</li><li>"]);
        put(
            out,
            &[
                say("A mesma chave na API e nos agentes", "One key for the API and for agents"),
                "</li></ul></div>\n",
            ],
        );
        let [prefix, path] = address(language, "/signup");
        put(out, &["<form class=\"sheet\" method=\"post\" action=\"", prefix, path, "\">"]);
        sent.no_at_all(out, &["email", "name", "company", "use_case"]);
        let fields = [
            Field {
                name: "email",
                label: say("E-mail", "E-mail"),
                help: say(
                    "Só para mandar a chave e o que for da conta.",
                    "Only for the key and for your account.",
                ),
                attributes: "type=\"email\" required maxlength=\"254\" autocomplete=\"email\"",
            },
            Field {
                name: "name",
                label: say("Nome (se quiser)", "Name (optional)"),
                help: say("Como podemos chamar você.", "What we may call you."),
                attributes: "type=\"text\" maxlength=\"120\" autocomplete=\"name\"",
            },
            Field {
                name: "use_case",
                label: say("Para que vai usar (se quiser)", "What you will use it for (optional)"),
                help: say("Ajuda a cuidar do guia.", "It helps us tend the guide."),
                attributes: "type=\"text\" maxlength=\"500\" autocomplete=\"off\"",
            },
        ];
        fields.iter().for_each(|field| field.write(out, sent));
        put(
            out,
            &[
                "<button type=\"submit\">",
                say("Receber a chave", "Send me the key"),
                "</button></form></div>\n",
            ],
        );
    })
}

/// What is said after a sign-up: the same to everybody.
pub(super) fn sent(frame: &Frame, language: Language) -> String {
    let say = |portuguese, english| language.pick(portuguese, english);
    let title = say("Olhe seu e-mail", "Look into your mail");
    let about = About { title, description: title, path: "/signup/sent", query: "", listed: false };
    frame.page(language, &about, |out| {
        frame.strip(out, 1_960);
        put(out, &["<div class=\"wide lost\"><h1>", title, "</h1><p class=\"lead\" role=\"status\">"]);
        put(
            out,
            &[say(
                "Uma chave está a caminho. Se este e-mail já tem uma, vai um código para trocá-la.",
                "A key is on its way. If this address has one already, a code for a new one is.",
            )],
        );
        let [prefix, agents] = address(language, "/agents");
        put(
            out,
            &[
                "</p><p>",
                say("Não chegou? Olhe no spam.", "Nothing there? Look into the spam folder."),
                "</p>",
            ],
        );
        put(
            out,
            &[
                "<p class=\"more\"><a href=\"",
                prefix,
                agents,
                "\">",
                say("Enquanto isso, conecte um agente", "Meanwhile, connect an agent"),
            ],
        );
        put(out, &["</a></p></div>\n"]);
    })
}
