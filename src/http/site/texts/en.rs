//! The texts of the pages in English.

use maud::html;

use super::*;

pub(super) const TEXTS: Texts = Texts {
    lang: "en",
    locale: "en_US",
    language_name: "English",
    language: "Language",
    calendar: Calendar {
        weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
        months: [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ],
        of: " ",
        to: " to ",
        short_date: "%-d %B %Y",
        group_separator: ",",
        seconds: ["second", "seconds"],
        minutes: ["minute", "minutes"],
        hours: ["hour", "hours"],
    },
    layout: Layout {
        image_alt: "Blue and white tiles, and the words: Brasília, escolhida a dedo.",
        skip: "Skip to content",
        main_navigation: "Main",
        guide: "Guide",
        agents: "Agents",
        plans: "Plans",
        events: "Events",
        places: "Places",
        search: "Search",
        build: "Build",
        connect_agent: "Connect an agent",
        api_reference: "API reference",
        account: "Account",
        get_key: "Get a key",
        plans_and_prices: "Plans and prices",
        subscribe: "Subscribe",
        candango_story: "Candango: one of the workers who came from all over Brazil to build Brasília.",
        other_story: "A hand-made guide to Brasília.",
        about_preview: "About the preview",
        preview: |results, days, signup, plans| {
            html! {
                "This is the preview, open to everybody: Plano Piloto, " (results) " results per search, events of the \
                 next " (days) " days. A " a href=(signup) { "free key" } " gives every result and any date. "
                a href=(plans) { "Paid plans" } " cover the whole Federal District, with addresses, links and \
                 descriptions."
            }
        },
        you_are_in: "You are in",
        all_of_free_area: "All of Plano Piloto",
        per_month: "per month",
        calls_per_month: "calls per month",
        bank_slip: "Boleto (bank slip)",
        credit_card: "Credit card",
    },
    home: Home {
        title: "What is on in Brasília",
        description: "A hand-picked guide to events, shows and places in Brasília: what is on today, where to eat, where \
                      to go.",
        heading: ["Brasília,", "picked", "by hand."],
        lead: "Events, shows and places of Plano Piloto. For people, apps and agents.",
        next_days: "In the next days",
        search_events: "Search events",
        most_mentioned: "Most mentioned places",
        search_places: "Search places",
        by_area: "By area",
        by_category: "By category",
        builders: "For developers",
        builders_lead: "The same guide as JSON in your app, or inside your agent with a single address.",
        see_api: "See the API",
        get_free_key: "Get a key for free",
        try_label: "Try",
        example_searches: ["samba on friday", "sushi asa sul", "bar 408 norte", "museum"],
    },
    search: Search {
        query: "What you are looking for",
        query_example: "samba on friday",
        kind: "Kind",
        all: "All",
        when: "When",
        any_day: "Any day",
        today: "Today",
        tomorrow: "Tomorrow",
        weekend: "Weekend",
        week: "Next 7 days",
        one_day: "One day",
        region: "Where",
        category: "Category",
        any_category: "Any",
        whole_category: |name| format!("{name}: all"),
        title: "Search",
        title_events: "Events in Brasília",
        title_places: "Places in Brasília",
        title_all: "Search in Brasília",
        title_of: |text| format!("{text}: search"),
        description: "Search in the guide to Brasília.",
        closest: "Nothing meets the whole question; these are the closest, without",
        searched_in: "Searched in",
        searched_on: "On",
        not_known: "The guide does not know about",
        next_day: "The next day with something like it is",
        no_results: "Nothing found with all of these filters.",
        one_result: "1 result",
        results: |count| format!("{count} results"),
        first_shown: |count| format!(", showing the first {count}"),
        days_left_out: |last| {
            format!("The days you asked for were left out: this search covers today to {last}.")
        },
        key_shows_all_days: "A free key shows them all.",
        only_events: "Events only",
        only_places: "Places only",
        read_as: "Read as",
        suggestions: "Did you mean:",
        relax: "Try again:",
        without_text: "without the text",
        in_free_area: "in all of Plano Piloto",
        of_any_category: "of any category",
        next_seven_days: "in the next 7 days",
        look_among_places: "search places",
    },
    record: Record {
        seal: "The curator’s seal",
        over: "This event is over.",
        date: "When",
        time: "Time",
        venue: "Venue",
        neighbourhood: "Neighbourhood",
        region: "Region",
        price: "Price",
        event_upsell: |plans| {
            html! {
                "Line-up, address and tickets come with " a href=(plans) { "paid plans" } ", through the API and agents."
            }
        },
        place_upsell: |plans| {
            html! {
                "Address, description and links come with " a href=(plans) { "paid plans" } ", through the API and \
                 agents."
            }
        },
        nearby: "Nearby",
        category_in_free_area: |category| format!("{category} in all of Plano Piloto"),
    },
    not_found: NotFound {
        title: "Nothing at this address",
        lead: "In Brasília even locals get lost now and then. The record may have left the guide, or the link was cut \
               short.",
        back: "Back to the guide",
    },
    plans: Plans {
        description: "Free for Plano Piloto; paid plans for the whole Federal District, with addresses, descriptions and \
                      links.",
        lead: "One key serves the API and agents alike. Change your plan and keep your key.",
        note: "Prices are per month, in Brazilian reais. Calls are counted by the calendar month of Brasília.",
        per_minute: "per minute",
        all_regions: "All 35 regions of the Federal District",
        basic_fields: "Name, dates, venue, neighbourhood, category, price, Instagram",
        full_fields: "Plus address, line-up, tickets, descriptions and links",
        soon: "Soon",
        closed: "Paid plans are not open yet. The free key works already, and will be the same once they are.",
        key_needed: "To subscribe you need a key. ",
        get_yours: "Get yours for free",
        how_it_works: "You pay on a separate page, by Pix, boleto or card. Once the payment is confirmed, the same key is \
                       on the new plan at once. Cancel at any time: the plan stays until the end of the paid month.",
        plan: "Plan",
        key: Field { label: "Your key", help: "The one that came by e-mail; it begins with cdg_live_." },
        tax_id: Field {
            label: "CPF or CNPJ",
            help: "The Brazilian tax number. It goes to the payment provider; only its last 4 characters are kept here.",
        },
        name: Field { label: "Name on the bill (optional)", help: "As it should appear on the payment." },
        method: "How to pay",
        choose_later: "Choose on the payment page",
        submit: "Go to payment",
    },
    signup: Signup {
        title: "Get a key",
        description: "A free key for the API and for agents, by e-mail.",
        lead: "Free, no card needed. The key comes by e-mail.",
        any_date: "All of Plano Piloto, any date",
        same_key: "One key for the API and for agents",
        email: Field { label: "E-mail", help: "Only for the key and for your account." },
        name: Field { label: "Name (optional)", help: "What we may call you." },
        use_case: Field {
            label: "What you will use it for (optional)",
            help: "It helps us improve the guide.",
        },
        submit: "Send me the key",
    },
    signup_sent: SignupSent {
        title: "Check your e-mail",
        lead: "A key is on its way. If this address already has one, you get a code that replaces it.",
        spam: "Nothing there? Check the spam folder.",
        meanwhile: "Meanwhile, connect an agent",
    },
    agents: Agents {
        title: "Connect your agent",
        description: "The guide to Brasília inside Claude, ChatGPT, Cursor, VS Code and Gemini CLI.",
        lead: "One address, five tools, read-only. Ask “any samba on Friday?” and the agent looks it up in the guide.",
        server_address: "Server address",
        keys: |results, days, signup| {
            html! {
                "Without a key it answers the preview: Plano Piloto, " (results) " results, the next " (days) " days. \
                 With a " a href=(signup) { "key" } " it answers what your plan covers. Keep the key in a variable or a \
                 secret store, never in a conversation."
            }
        },
        without_key: "without a key",
        with_key: "with a key",
        with_key_heading: "With a key",
        no_key_possible: "This client cannot send a key: it gets the preview.",
        by_hand: "By hand",
        by_hand_steps: "The API answers JSON. With the key from the e-mail in the variable CANDANGO_KEY:",
        claude: "On the web or the desktop: Settings, Connectors, Add custom connector. Paste the address.",
        claude_code: "In the terminal:",
        chatgpt: "In developer mode: Settings, Connectors, Create. Paste the address; authentication: none.",
        cursor: "In the file .cursor/mcp.json:",
        vs_code: "In the file .vscode/mcp.json:",
        gemini: "In the file ~/.gemini/settings.json:",
    },
    reference: Reference {
        description: "Endpoints, parameters, responses and errors of the API of the guide to Brasília.",
        lead: "JSON in, JSON out. This page is made from ",
        operations: "Operations",
        version: "Version",
        parameters: "Parameters",
        body: "Body",
        responses: "Responses",
        example: "Example",
        schemas: "Schemas",
        one_of: "One of:",
        any_of: "Any of:",
        by: "by ",
        required: "required",
        always: "always",
        minimum: "at least",
        maximum: "at most",
        max_length: "characters, at most",
        default: "default",
        for_example: "for example",
    },
    sandbox: Sandbox {
        title: "Subscription",
        closed: "This order was closed",
        declined: "Card declined: try again",
        overdue: "Overdue: it can still be paid",
        awaiting: "Awaiting payment",
        paid: "Payment confirmed",
        refunded: "Payment refunded",
        paid_next: "Your key stays the same, now on the new plan.",
        refunded_next: "The month it bought was taken back.",
        any_method: "Pix, boleto or card",
        pay: "Pay",
        decline: "Simulate a declined card",
        expire: "Simulate the due date passing",
        refund: "Refund the payment",
        method: "Payment method",
        due: "Due",
        order: "Order",
        note: "Test environment: nothing is charged. The buttons do what a payer, a bank and time would do.",
    },
    errors: Errors {
        unknown_region: "We do not know that area.",
        ambiguous_region: "That address exists in several places. Which one?",
        unknown_category: "We do not know that category.",
        preview_region: "Without a key the guide shows Plano Piloto only. Paid plans cover the whole Federal District.",
        preview_limited: |wait| {
            format!(
                "The searches without a key are used up for now. Come back in {wait}, or get a key for free."
            )
        },
        text_too_long: |max| format!("Shorten the text: at most {max} characters."),
        too_many_values: |max| format!("Choose fewer values: at most {max}."),
        invalid_date: "Choose a day of the calendar.",
        loading: "The guide is loading. Try again in a moment.",
        unavailable: "That did not work. Try again in a moment.",
        invalid_email: "Write a complete e-mail address, like maria@example.com.",
        too_many_signups: |wait| {
            format!(
                "Too many requests for this e-mail or from this network. Look for the earlier e-mail, in the spam folder \
                 too, or come back in {wait}."
            )
        },
        invalid_key: "This key is not valid. Copy the whole key from the e-mail; it begins with cdg_live_.",
        too_many_attempts: |wait| format!("Too many attempts. Come back in {wait}."),
        billing_closed: "Paid plans are not open yet.",
        gateway_unavailable: "The payment provider did not answer. Nothing was charged; try again in a moment.",
        bad_plan: "Choose one of the plans.",
        bad_tax_id: "Check the number: a CPF has 11 digits, a CNPJ has 14 characters.",
        bad_method: "Choose how to pay.",
        same_plan: |plan| format!("This account is already on the {plan} plan. Choose another."),
        other: str::to_owned,
    },
};
