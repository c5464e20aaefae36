//! Every text of the pages, in Portuguese and in English one beside the other. A missing text does not compile.

use maud::{Markup, html};

use crate::http::language::Language;

/// Declares a table of texts for each part of the site. A text has a name, a type unless it is a plain text, and its two
/// languages. Functions take the values that a sentence holds.
macro_rules! texts {
    (@kind) => { &'static str };
    (@kind $kind:ty) => { $kind };
    ($($(#[$about:meta])* $table:ident: $Table:ident {
        $($(#[$note:meta])* $text:ident $(: $kind:ty)? = $portuguese:expr, $english:expr;)*
    })*) => {
        $(
            $(#[$about])*
            pub(crate) struct $Table { $($(#[$note])* pub(crate) $text: texts!(@kind $($kind)?),)* }
        )*

        /// All texts in one language.
        pub(crate) struct Texts { $(pub(crate) $table: $Table,)* }

        static PORTUGUESE: Texts = Texts { $($table: $Table { $($text: $portuguese,)* },)* };
        static ENGLISH: Texts = Texts { $($table: $Table { $($text: $english,)* },)* };
    };
}

/// The texts of a language.
pub(crate) fn of(language: Language) -> &'static Texts {
    language.pick(&PORTUGUESE, &ENGLISH)
}

/// A text field of a form.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) label: &'static str,
    pub(crate) help: &'static str,
}

texts! {
    /// Dates, durations and numbers.
    calendar: Calendar {
        /// Monday first.
        weekdays: [&'static str; 7] = ["segunda", "terça", "quarta", "quinta", "sexta", "sábado",
            "domingo"],
            ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
        months: [&'static str; 12] = ["janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho",
            "agosto", "setembro", "outubro", "novembro", "dezembro"],
            ["January", "February", "March", "April", "May", "June", "July", "August", "September",
            "October", "November", "December"];
        /// Between a day, its month and its year.
        of = " de ", " ";
        /// Between the first and the last day of a range.
        to = " a ", " to ";
        /// A date in figures, as chrono formats it.
        short_date = "%d/%m/%Y", "%-d %B %Y";
        /// Between groups of three digits.
        group_separator: char = '.', ',';
        /// One and many of each unit.
        seconds: [&'static str; 2] = ["segundo", "segundos"], ["second", "seconds"];
        minutes: [&'static str; 2] = ["minuto", "minutos"], ["minute", "minutes"];
        hours: [&'static str; 2] = ["hora", "horas"], ["hour", "hours"];
    }

    /// What stands around every page, and words that several pages use.
    layout: Layout {
        /// The language tag of the pages.
        lang = "pt-BR", "en";
        /// The locale as Open Graph writes it.
        locale = "pt_BR", "en_US";
        /// The language in its own words.
        language_name = "Português", "English";
        language = "Idioma", "Language";
        image_alt = "Azulejos azuis e brancos, e as palavras: Brasília, escolhida a dedo.",
            "Blue and white tiles, and the words: Brasília, escolhida a dedo.";
        skip = "Pular para o conteúdo", "Skip to content";
        main_navigation = "Principal", "Main";
        guide = "Guia", "Guide";
        agents = "Agentes", "Agents";
        plans = "Planos", "Plans";
        events = "Eventos", "Events";
        places = "Lugares", "Places";
        search = "Buscar", "Search";
        build = "Para construir", "Build";
        connect_agent = "Conectar um agente", "Connect an agent";
        api_reference = "Referência da API", "API reference";
        account = "Conta", "Account";
        get_key = "Pegar uma chave", "Get a key";
        plans_and_prices = "Planos e preços", "Plans and prices";
        subscribe = "Assinar", "Subscribe";
        candango_story = "Candango é quem veio de todo canto do país erguer Brasília.",
            "Candango: one of the workers who came from all over Brazil to build Brasília.";
        other_story = "Um guia de Brasília, feito à mão.", "A hand-made guide to Brasília.";
        about_preview = "Sobre a prévia", "About the preview";
        /// What the preview leaves out: results, days, the addresses of the sign-up form and of the plans.
        preview: fn(usize, u64, &str, &str) -> Markup =
            |results, days, signup, plans| html! {
                "Esta é a prévia, aberta a todos: o Plano Piloto, " (results) " resultados por busca, eventos dos \
                 próximos " (days) " dias. Com uma " a href=(signup) { "chave, de graça" } ", vêm todos os resultados \
                 e qualquer data. Os " a href=(plans) { "planos pagos" } " abrem o DF inteiro, com endereços, links e \
                 descrições."
            },
            |results, days, signup, plans| html! {
                "This is the preview, open to everybody: Plano Piloto, " (results) " results per search, events of \
                 the next " (days) " days. A " a href=(signup) { "free key" } " gives every result and any date. "
                a href=(plans) { "Paid plans" } " cover the whole Federal District, with addresses, links and \
                 descriptions."
            };
        you_are_in = "Você está em", "You are in";
        all_of_free_area = "Todo o Plano Piloto", "All of Plano Piloto";
        per_month = "por mês", "per month";
        calls_per_month = "consultas por mês", "calls per month";
        bank_slip = "Boleto", "Boleto (bank slip)";
        credit_card = "Cartão de crédito", "Credit card";
    }

    /// The front page.
    home: Home {
        title = "O que há em Brasília", "What is on in Brasília";
        description = "Guia de eventos, shows e lugares de Brasília, escolhidos a dedo: o que há hoje, onde comer, \
             aonde ir.",
            "A hand-picked guide to events, shows and places in Brasília: what is on today, where to eat, where to \
             go.";
        /// The heading, line by line.
        heading: [&'static str; 3] = ["Brasília,", "escolhida", "a dedo."],
            ["Brasília,", "picked", "by hand."];
        lead = "Eventos, shows e lugares do Plano Piloto. Para gente, aplicativos e agentes.",
            "Events, shows and places of Plano Piloto. For people, apps and agents.";
        next_days = "Nos próximos dias", "In the next days";
        search_events = "Buscar eventos", "Search events";
        most_mentioned = "Os lugares mais falados", "Most mentioned places";
        search_places = "Buscar lugares", "Search places";
        by_area = "Por endereço", "By area";
        by_category = "Por gosto", "By category";
        builders = "Para quem constrói", "For developers";
        builders_lead = "O mesmo guia, em JSON, no seu aplicativo. Ou dentro do seu agente, com um endereço só.",
            "The same guide as JSON in your app, or inside your agent with a single address.";
        see_api = "Ver a API", "See the API";
        get_free_key = "Pegar uma chave, de graça", "Get a key for free";
        try_label = "Experimente", "Try";
        example_searches: [&'static str; 4] = ["samba na sexta", "sushi asa sul", "boteco 408 norte",
            "museu"],
            ["samba on friday", "sushi asa sul", "bar 408 norte", "museum"];
    }

    /// The search form and its results.
    search: Search {
        query = "O que você procura", "What you are looking for";
        query_example = "samba na sexta", "samba on friday";
        kind = "O quê", "Kind";
        all = "Tudo", "All";
        when = "Quando", "When";
        any_day = "Qualquer dia", "Any day";
        today = "Hoje", "Today";
        tomorrow = "Amanhã", "Tomorrow";
        weekend = "Fim de semana", "Weekend";
        week = "Próximos 7 dias", "Next 7 days";
        one_day = "Um dia", "One day";
        region = "Onde", "Where";
        category = "Categoria", "Category";
        any_category = "Qualquer uma", "Any";
        /// All subcategories of a category.
        whole_category: fn(&str) -> String = |name| format!("{name}: tudo"), |name| format!("{name}: all");
        title = "Busca", "Search";
        title_events = "Eventos em Brasília", "Events in Brasília";
        title_places = "Lugares em Brasília", "Places in Brasília";
        title_all = "Busca em Brasília", "Search in Brasília";
        /// The title of a search for a text.
        title_of: fn(&str) -> String = |text| format!("{text}: busca"), |text| format!("{text}: search");
        description = "Busca no guia de Brasília.", "Search in the guide to Brasília.";
        no_results = "Nada encontrado com tudo isso junto.", "Nothing found with all of these filters.";
        one_result = "1 resultado", "1 result";
        results: fn(&str) -> String =
            |count| format!("{count} resultados"),
            |count| format!("{count} results");
        /// Follows the count when only so many are shown.
        first_shown: fn(&str) -> String =
            |count| format!(", aqui os primeiros {count}"),
            |count| format!(", showing the first {count}");
        /// The days asked for are outside the preview, which ends on the day given.
        days_left_out: fn(&str) -> String =
            |last| format!("Os dias pedidos ficaram de fora: aqui a busca vai de hoje a {last}."),
            |last| format!("The days you asked for were left out: this search covers today to {last}.");
        key_shows_all_days = "Uma chave, de graça, vê todos.", "A free key shows them all.";
        only_events = "Só eventos", "Events only";
        only_places = "Só lugares", "Places only";
        read_as = "Entendi", "Read as";
        suggestions = "Quem sabe:", "Did you mean:";
        relax = "O que dá para afrouxar:", "Try again:";
        without_text = "sem o texto", "without the text";
        in_free_area = "em todo o Plano Piloto", "in all of Plano Piloto";
        of_any_category = "de qualquer categoria", "of any category";
        next_seven_days = "nos próximos 7 dias", "in the next 7 days";
        look_among_places = "procurar em lugares", "search places";
    }

    /// The page of a place or an event.
    record: Record {
        seal = "Selo do curador", "The curator’s seal";
        over = "Este evento já passou.", "This event is over.";
        date = "Quando", "When";
        time = "Horário", "Time";
        venue = "Local", "Venue";
        neighbourhood = "Bairro", "Neighbourhood";
        region = "Região", "Region";
        price = "Preço", "Price";
        /// What paid plans add, with the address of the plans.
        event_upsell: fn(&str) -> Markup =
            |plans| html! {
                "Atrações, endereço e ingressos estão nos " a href=(plans) { "planos pagos" } ", pela API e pelos \
                 agentes."
            },
            |plans| html! {
                "Line-up, address and tickets come with " a href=(plans) { "paid plans" } ", through the API and \
                 agents."
            };
        place_upsell: fn(&str) -> Markup =
            |plans| html! {
                "Endereço, descrição e links estão nos " a href=(plans) { "planos pagos" } ", pela API e pelos \
                 agentes."
            },
            |plans| html! {
                "Address, description and links come with " a href=(plans) { "paid plans" } ", through the API and \
                 agents."
            };
        nearby = "Por perto", "Nearby";
        /// A category in the whole free area.
        category_in_free_area: fn(&str) -> String =
            |category| format!("{category} em todo o Plano Piloto"),
            |category| format!("{category} in all of Plano Piloto");
    }

    /// The page for an address without a page.
    not_found: NotFound {
        title = "Nada neste endereço", "Nothing at this address";
        lead = "Em Brasília até quem mora se perde de vez em quando. O registro pode ter saído do guia, ou o link \
             veio cortado.",
            "In Brasília even locals get lost now and then. The record may have left the guide, or the link was cut \
             short.";
        back = "Voltar ao guia", "Back to the guide";
    }

    /// Plans and the order form.
    plans: Plans {
        description = "De graça para o Plano Piloto; planos pagos para o DF inteiro, com endereços, descrições e \
             links.",
            "Free for Plano Piloto; paid plans for the whole Federal District, with addresses, descriptions and \
             links.";
        lead = "A mesma chave serve para a API e para os agentes. Mude de plano sem trocar de chave.",
            "One key serves the API and agents alike. Change your plan and keep your key.";
        note = "Preços por mês, em reais. O mês de uso é o mês do calendário de Brasília.",
            "Prices are per month, in Brazilian reais. Calls are counted by the calendar month of Brasília.";
        per_minute = "por minuto", "per minute";
        all_regions = "As 35 regiões do DF", "All 35 regions of the Federal District";
        basic_fields = "Nome, datas, local, bairro, categoria, preço, Instagram",
            "Name, dates, venue, neighbourhood, category, price, Instagram";
        full_fields = "E mais endereço, atrações, ingressos, descrições e links",
            "Plus address, line-up, tickets, descriptions and links";
        soon = "Em breve", "Soon";
        closed = "Os planos pagos ainda não estão abertos. A chave gratuita já funciona, e será a mesma quando \
             abrirem.",
            "Paid plans are not open yet. The free key works already, and will be the same once they are.";
        key_needed = "Para assinar é preciso ter uma chave. ", "To subscribe you need a key. ";
        get_yours = "Pegue a sua, de graça", "Get yours for free";
        how_it_works = "O pagamento é feito numa página à parte, por Pix, boleto ou cartão. Confirmado, a mesma chave \
             muda de plano na hora. Cancele quando quiser: o plano vale até o fim do mês pago.",
            "You pay on a separate page, by Pix, boleto or card. Once the payment is confirmed, the same key is on \
             the new plan at once. Cancel at any time: the plan stays until the end of the paid month.";
        plan = "Plano", "Plan";
        key: Field =
            Field { label: "Sua chave", help: "A que veio por e-mail; começa com cdg_live_." },
            Field { label: "Your key", help: "The one that came by e-mail; it begins with cdg_live_." };
        tax_id: Field =
            Field {
                label: "CPF ou CNPJ",
                help: "Vai para quem recebe o pagamento; aqui ficam só os 4 últimos caracteres.",
            },
            Field {
                label: "CPF or CNPJ",
                help: "The Brazilian tax number. It goes to the payment provider; only its last 4 characters are kept \
                       here.",
            };
        name: Field =
            Field { label: "Nome na cobrança (se quiser)", help: "Como deve aparecer no pagamento." },
            Field { label: "Name on the bill (optional)", help: "As it should appear on the payment." };
        method = "Como pagar", "How to pay";
        choose_later = "Escolher na página de pagamento", "Choose on the payment page";
        submit = "Ir para o pagamento", "Go to payment";
    }

    /// The form that requests a key.
    signup: Signup {
        title = "Pegue uma chave", "Get a key";
        description = "Uma chave gratuita para a API e para os agentes, por e-mail.",
            "A free key for the API and for agents, by e-mail.";
        lead = "De graça, sem cartão. A chave chega por e-mail.",
            "Free, no card needed. The key comes by e-mail.";
        any_date = "Todo o Plano Piloto, qualquer data", "All of Plano Piloto, any date";
        same_key = "A mesma chave na API e nos agentes", "One key for the API and for agents";
        email: Field =
            Field { label: "E-mail", help: "Só para mandar a chave e o que for da conta." },
            Field { label: "E-mail", help: "Only for the key and for your account." };
        name: Field =
            Field { label: "Nome (se quiser)", help: "Como podemos chamar você." },
            Field { label: "Name (optional)", help: "What we may call you." };
        use_case: Field =
            Field { label: "Para que vai usar (se quiser)", help: "Ajuda a cuidar do guia." },
            Field { label: "What you will use it for (optional)", help: "It helps us improve the guide." };
        submit = "Receber a chave", "Send me the key";
    }

    /// The page after a sign-up.
    signup_sent: SignupSent {
        title = "Olhe seu e-mail", "Check your e-mail";
        lead = "Uma chave está a caminho. Se este e-mail já tem uma, vai um código para trocá-la.",
            "A key is on its way. If this address already has one, you get a code that replaces it.";
        spam = "Não chegou? Olhe no spam.", "Nothing there? Check the spam folder.";
        meanwhile = "Enquanto isso, conecte um agente", "Meanwhile, connect an agent";
    }

    /// How to connect agents.
    agents: Agents {
        title = "Conecte seu agente", "Connect your agent";
        description = "O guia de Brasília dentro do Claude, do ChatGPT, do Cursor, do VS Code e do Gemini CLI.",
            "The guide to Brasília inside Claude, ChatGPT, Cursor, VS Code and Gemini CLI.";
        lead = "Um endereço, cinco ferramentas, só leitura. Pergunte “o que tem de samba na sexta?” e o agente \
             consulta o guia.",
            "One address, five tools, read-only. Ask “any samba on Friday?” and the agent looks it up in the guide.";
        server_address = "Endereço do servidor", "Server address";
        /// What an agent gets: the preview's results and days, and the address of the sign-up form.
        keys: fn(usize, u64, &str) -> Markup =
            |results, days, signup| html! {
                "Sem chave, responde a prévia: o Plano Piloto, " (results) " resultados, os próximos "
                (days) " dias. Com uma " a href=(signup) { "chave" } ", vale o seu plano. Guarde a chave numa \
                 variável ou num cofre, nunca numa conversa."
            },
            |results, days, signup| html! {
                "Without a key it answers the preview: Plano Piloto, " (results) " results, the next "
                (days) " days. With a " a href=(signup) { "key" } " it answers what your plan covers. Keep the key in \
                 a variable or a secret store, never in a conversation."
            };
        without_key = "sem chave", "without a key";
        with_key = "com chave", "with a key";
        with_key_heading = "Com uma chave", "With a key";
        no_key_possible = "Aqui não há como mandar uma chave: responde a prévia.",
            "This client cannot send a key: it gets the preview.";
        by_hand = "À mão", "By hand";
        by_hand_steps = "A API responde JSON. Com a chave do e-mail na variável CANDANGO_KEY:",
            "The API answers JSON. With the key from the e-mail in the variable CANDANGO_KEY:";
        claude = "Na web ou no computador: Configurações, Conectores, Adicionar conector personalizado. Cole o \
             endereço.",
            "On the web or the desktop: Settings, Connectors, Add custom connector. Paste the address.";
        claude_code = "No terminal:", "In the terminal:";
        chatgpt = "No modo desenvolvedor: Configurações, Conectores, Criar. Cole o endereço; autenticação: nenhuma.",
            "In developer mode: Settings, Connectors, Create. Paste the address; authentication: none.";
        cursor = "No arquivo .cursor/mcp.json:", "In the file .cursor/mcp.json:";
        vs_code = "No arquivo .vscode/mcp.json:", "In the file .vscode/mcp.json:";
        gemini = "No arquivo ~/.gemini/settings.json:", "In the file ~/.gemini/settings.json:";
    }

    /// The API reference.
    reference: Reference {
        description = "Endpoints, parâmetros, respostas e erros da API do guia de Brasília.",
            "Endpoints, parameters, responses and errors of the API of the guide to Brasília.";
        /// Ends before the link to the document.
        lead = "JSON de ida, JSON de volta. O texto é em inglês, como o documento de que a página é feita: ",
            "JSON in, JSON out. This page is made from ";
        operations = "Operações", "Operations";
        version = "Versão", "Version";
        parameters = "Parâmetros", "Parameters";
        body = "Corpo", "Body";
        responses = "Respostas", "Responses";
        example = "Exemplo", "Example";
        schemas = "Esquemas", "Schemas";
        one_of = "Um destes:", "One of:";
        any_of = "Algum destes:", "Any of:";
        /// Precedes the property that tells variants apart.
        by = "conforme ", "by ";
        required = "obrigatório", "required";
        always = "sempre", "always";
        minimum = "no mínimo", "at least";
        maximum = "no máximo", "at most";
        max_length = "caracteres, no máximo", "characters, at most";
        default = "se faltar", "default";
        for_example = "por exemplo", "for example";
    }

    /// The payment page of the sandbox gateway.
    sandbox: Sandbox {
        title = "Assinatura", "Subscription";
        closed = "Este pedido foi encerrado", "This order was closed";
        declined = "Cartão recusado: tente de novo", "Card declined: try again";
        overdue = "Vencido: ainda pode ser pago", "Overdue: it can still be paid";
        awaiting = "Aguardando pagamento", "Awaiting payment";
        paid = "Pagamento confirmado", "Payment confirmed";
        refunded = "Pagamento devolvido", "Payment refunded";
        paid_next = "A chave é a mesma, já no novo plano.", "Your key stays the same, now on the new plan.";
        refunded_next = "O mês que ele comprou foi retirado.", "The month it bought was taken back.";
        any_method = "Pix, boleto ou cartão", "Pix, boleto or card";
        pay = "Pagar", "Pay";
        decline = "Simular cartão recusado", "Simulate a declined card";
        expire = "Simular vencimento", "Simulate the due date passing";
        refund = "Devolver o pagamento", "Refund the payment";
        method = "Pagamento", "Payment method";
        due = "Vencimento", "Due";
        order = "Pedido", "Order";
        note = "Ambiente de testes: nenhum valor é cobrado. Os botões fazem o que um pagador, um banco e o tempo \
             fariam.",
            "Test environment: nothing is charged. The buttons do what a payer, a bank and time would do.";
    }

    /// Errors that a visitor can cause, as a form shows them. Times to wait are given in words.
    errors: Errors {
        unknown_region = "Não conhecemos esse bairro ou região.", "We do not know that area.";
        ambiguous_region = "Esse endereço existe em mais de um lugar. Qual deles?",
            "That address exists in several places. Which one?";
        unknown_category = "Não conhecemos essa categoria.", "We do not know that category.";
        preview_region = "Sem chave, o guia mostra só o Plano Piloto. As outras regiões do DF estão nos planos \
             pagos.",
            "Without a key the guide shows Plano Piloto only. Paid plans cover the whole Federal District.";
        preview_limited: fn(&str) -> String =
            |wait| format!("As buscas sem chave se esgotaram por ora. Volte em {wait} ou pegue uma chave, de graça."),
            |wait| format!("The searches without a key are used up for now. Come back in {wait}, or get a key for \
             free.");
        text_too_long: fn(usize) -> String =
            |max| format!("Encurte o texto: cabem {max} caracteres."),
            |max| format!("Shorten the text: at most {max} characters.");
        too_many_words: fn(usize) -> String =
            |max| format!("Use menos palavras: no máximo {max}."),
            |max| format!("Use fewer words: at most {max}.");
        invalid_date = "Escolha um dia do calendário.", "Choose a day of the calendar.";
        loading = "O guia está sendo carregado. Tente de novo em um instante.",
            "The guide is loading. Try again in a moment.";
        unavailable = "Não deu certo agora. Tente de novo em um instante.",
            "That did not work. Try again in a moment.";
        invalid_email = "Escreva um e-mail completo, como maria@exemplo.com.br.",
            "Write a complete e-mail address, like maria@example.com.";
        too_many_signups: fn(&str) -> String =
            |wait| format!("Foram pedidos demais com este e-mail ou desta rede. Procure o e-mail anterior, também no \
             spam, ou volte em {wait}."),
            |wait| format!("Too many requests for this e-mail or from this network. Look for the earlier e-mail, in \
             the spam folder too, or come back in {wait}.");
        invalid_key = "Esta chave não vale. Copie a chave inteira do e-mail; ela começa com cdg_live_.",
            "This key is not valid. Copy the whole key from the e-mail; it begins with cdg_live_.";
        too_many_attempts: fn(&str) -> String =
            |wait| format!("Foram tentativas demais. Volte em {wait}."),
            |wait| format!("Too many attempts. Come back in {wait}.");
        billing_closed = "Os planos pagos ainda não estão abertos.", "Paid plans are not open yet.";
        gateway_unavailable = "O meio de pagamento não respondeu. Nada foi cobrado; tente de novo em um instante.",
            "The payment provider did not answer. Nothing was charged; try again in a moment.";
        bad_plan = "Escolha um dos planos.", "Choose one of the plans.";
        bad_tax_id = "Confira o número: um CPF tem 11 dígitos, um CNPJ tem 14 caracteres.",
            "Check the number: a CPF has 11 digits, a CNPJ has 14 characters.";
        bad_method = "Escolha como pagar.", "Choose how to pay.";
        same_plan: fn(&str) -> String =
            |plan| format!("Esta conta já está no plano {plan}. Escolha outro."),
            |plan| format!("This account is already on the {plan} plan. Choose another.");
        /// Any other error, with its message in the API, which is English.
        other: fn(&str) -> String =
            |_| "Não deu certo. Confira o que foi enviado e tente de novo.".to_owned(),
            str::to_owned;
    }
}
