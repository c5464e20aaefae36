//! The texts of the pages in English.

use maud::html;

use super::*;

pub(crate) const TEXTS: Texts = Texts {
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
        first: "1",
        of: " ",
        to: " to ",
        until: " until ",
        short_date: "%-d %B %Y",
        time: str::to_owned,
        every: [
            "every Monday",
            "every Tuesday",
            "every Wednesday",
            "every Thursday",
            "every Friday",
            "every Saturday",
            "every Sunday",
        ],
        every_day: "every day",
        weekdays_from: |first, last| format!("{first} to {last}"),
        fortnightly: |weekday| format!("every second {weekday}"),
        day_of_month: |day| format!("on day {day} of every month"),
        in_month: |nth, _, name| {
            let nth = match nth {
                Some(1) => "first",
                Some(2) => "second",
                Some(3) => "third",
                Some(4) => "fourth",
                Some(_) => "fifth",
                None => "last",
            };
            format!("{nth} {name} of the month")
        },
        and: " and ",
        group_separator: ",",
        seconds: ["second", "seconds"],
        minutes: ["minute", "minutes"],
        hours: ["hour", "hours"],
    },
    layout: Layout {
        card: "Events, shows and places in Brasília",
        skip: "Skip to content",
        main_navigation: "Main",
        guide: "Guide",
        agenda: "Calendar",
        map: "Map",
        list: "List",
        events: "Events",
        places: "Places",
        search: "Search",
        build: "Build",
        connect_agent: "Connect an agent",
        api_reference: "API reference",
        account: "Account",
        who: "Who makes it",
        get_key: "Get a key",
        plans_and_prices: "Plans and prices",
        subscribe: "Subscribe",
        choose_plan: |plan| format!("Choose the {plan} plan"),
        candango_story: "Candango: one of the workers who came from all over Brazil to build Brasília. The curator’s notes are in \
                         Portuguese.",
        other_story: "A hand-made guide to Brasília. The curator’s notes are in Portuguese.",
        tips_by: "Tips by",
        positions: "Positions:",
        about_preview: "What the site shows",
        preview: |signup, plans, known| {
            html! {
                "The site shows Plano Piloto, and is the same for everybody. " a href=(plans) { "Paid plans" } " open the \
                 whole Federal District through the API and to AI agents, with addresses, links and descriptions "
                a href=(known) { "where the curator knows them" } ". A " a href=(signup) { "free key" } " brings what the \
                 site shows to your app and your agent."
            }
        },
        pages: "Pages",
        next_page: "Next page",
        you_are_in: "You are in",
        all_of_free_area: "All of Plano Piloto",
        per_month: "per month",
        calls_per_month: |number| if number == 1 { "call per month" } else { "calls per month" },
        bank_slip: "Boleto (bank slip)",
        credit_card: "Credit card",
    },
    home: Home {
        title: "What is on in Brasília",
        description: "A hand-picked guide to events, shows and places in Brasília: what is on today, where to eat, where \
                      to go.",
        heading: ["Brasília,", "picked", "by hand."],
        lead: "Events, shows and places of Plano Piloto. For people, apps and agents.",
        with_children: "With children",
        next_days: "Coming up",
        whole_month: "The whole month",
        most_mentioned: "Most mentioned places",
        all_places: "All places",
        by_area: "By area",
        all_areas: "All of Plano Piloto",
        by_category: "By category",
        builders: "For developers",
        builders_lead: "The same guide as JSON in your app, or inside your agent with a single address.",
        see_api: "See the API",
        get_free_key: "Get a key for free",
        try_label: "Try",
        search_in: |category, area| format!("{category} in {area}"),
        search_on: |category, weekday| {
            const DAYS: [&str; 7] =
                ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
            format!("{category} on {}", DAYS[weekday])
        },
    },
    search: search::ENGLISH,
    agenda: Agenda {
        today: "Today in Brasília",
        tomorrow: "Tomorrow in Brasília",
        weekend: "This weekend in Brasília",
        next_weekend: "Next weekend in Brasília",
        next_weekend_on: |days| format!("Next weekend: {days}"),
        month: |month, year| format!("Calendar of {month} {year}"),
        description: |title| format!("{title}: hand-picked events, shows and fairs of Plano Piloto."),
        tonight: "Tonight",
        still_on: "Began yesterday and is still on",
        evening_of: |weekday, date| format!("{weekday} evening, {date}"),
        nothing_tonight: "No event with a known hour is listed for tonight. To go out:",
        night_places: "To go out:",
        night: "To go out at night",
        more_bars: "More bars:",
        whole_day: "All of today",
        untimed_today: "Time not listed: check before you go.",
        parts: ["Morning", "Afternoon", "Evening", "Time not listed"],
        days: "Days",
        months: "Months",
        later_months: "Later",
        events: |count| match count {
            1 => "1 event".to_owned(),
            count => format!("{count} events"),
        },
        begun: |count| match count {
            1 => "1 began earlier".to_owned(),
            count => format!("{count} began earlier"),
        },
        also: "Also on this day:",
        weekend_is_over: "Nothing with an hour is left of this weekend: this is the next one.",
        nothing: "Nothing is listed on this day.",
        nothing_in_month: "Nothing is listed in this month.",
        past: "The guide does not keep days that have passed.",
        next_day: "The next day with events:",
        then: "then:",
        until: "until",
        in_month: "In this month",
    },
    listing: Listing {
        description: |title| format!("{title}: this week’s events and hand-picked places of the guide."),
        page: |title, page| format!("{title}, page {page}"),
        events: |count| match count {
            1 => "1 event".to_owned(),
            count => format!("{count} events"),
        },
        places: |count| match count {
            1 => "1 place".to_owned(),
            count => format!("{count} places"),
        },
        in_city: |category| format!("{category} in Brasília"),
        this_week: "This week",
        later: "Later",
        places_and_events: "places and events",
        only_places: "places",
        only_events: "events",
        inside: "Neighbourhoods",
        by_category: "By category",
        by_area: "By area",
        around: "Nearby",
        related: "Similar",
        other_topics: "Other topics",
    },
    record: Record {
        seal: "The curator’s seal",
        over: "This event is over.",
        time: "Time",
        no_time: "not listed, check before you go",
        neighbourhood: "Neighbourhood",
        region: "Region",
        price: "Price",
        free: "Free",
        cancelled: ("Cancelled", "This event was cancelled."),
        postponed: ("Postponed", "This event was postponed. The new date is not known yet."),
        sold_out: ("Sold out", "Tickets are sold out."),
        paid_fields: ["address", "line-up", "tickets", "description", "links"],
        paid: |what, plans| {
            html! {
                (what) ": with the " a href=(plans) { "paid plans" } " of the API."
            }
        },
        events_here: "Events here",
        more_here: "More at this venue",
        nearby: "See also",
        category_in_free_area: |category| format!("{category} in all of Plano Piloto"),
    },
    series: Series {
        next_dates: "Next dates",
        later_dates: "More dates",
        all_dates: "All dates",
        next: "The next:",
        date_is_over: "this date is over.",
        not_on_that_day: "it is not on that day.",
    },
    take: Take {
        add_to_calendar: "Add to calendar",
        add_all_dates: "Add all dates",
        directions: "Get directions",
        share: "Send by WhatsApp",
        share_page: "Share link",
        copy_link: "Copy link",
        link_copied: "Link copied",
        keep: "Save",
        kept: "Saved ✓",
        ways: "Take it along",
        near_here: "Near here",
        same_neighbourhood: "In the same neighbourhood",
        same_region: "In the same region",
        a_walk: "less than 1 km away",
        away: |km| format!("about {km} km away"),
        same_day: "On the same day",
        all_of_day: "Everything on this day",
        follow: "Follow:",
        subscribe: "subscribe in a calendar",
        calendar: ".ics file",
        feed: "Atom",
        list: "My list",
        list_shared: "Shared list",
        list_add: "Save to my list",
        list_description: "A list from the guide to keep, print or send.",
        list_empty: "This list is empty. Use “Save” on the page of an event or a place.",
        list_limit: |most| format!("A list has at most {most} items"),
        list_full: |most| format!("A list has at most {most} items; the first are here."),
        list_gone: |count| match count {
            1 => "1 item is no longer in the guide.".to_owned(),
            _ => format!("{count} items are no longer in the guide."),
        },
        list_calendar: "All events (.ics)",
        change_list: "Change the list",
        list_in_address: "Without JavaScript the list is only in the address of this page: keep the link.",
        remove: |name| format!("Remove {name}"),
        remove_gone: "Remove what is no longer in the guide",
        map: "Map of Brasília",
        map_description: "What is on today in Plano Piloto, by neighbourhood, on the map.",
        map_of: |area| format!("Map of Brasília: {area}"),
        tonight_by_area: "Tonight, by neighbourhood",
        today_by_area: "Today, by neighbourhood",
        lake: "Lake Paranoá",
        legend: |is_tonight| match is_tonight {
            true => "blue: something is on tonight; the number is that of events",
            false => "blue: something is on today; the number is that of events",
        },
        map_nothing: "No event is listed for today.",
        areas: "All neighbourhoods",
        areas_note: "The number is that of places and events in the guide, added up.",
        whole_page: "See everything",
        embed: "For your site",
    },
    not_found: NotFound {
        title: "Nothing at this address",
        lead: "In Brasília even locals get lost now and then. The record may have left the guide, or the link was cut \
               short.",
        back: "Back to the guide",
        today: "What is on today",
    },
    plans: Plans {
        description: "Free for Plano Piloto; paid plans for the whole Federal District, through the API and to AI agents.",
        lead: "Plans are for the API and for AI agents, with one key. They do not change the site, which is the same for \
               everybody.",
        note: "Prices are per month, in Brazilian reais. Calls are counted by the calendar month of Brasília.",
        per_minute: "per minute",
        all_regions: "All 35 regions of the Federal District",
        basic_fields: "Name, dates, venue, neighbourhood, category, price and Instagram, where the curator knows them",
        full_fields: "Plus address, line-up, tickets, descriptions and links, where the curator knows them",
        known: |known| {
            html! {
                "A record has the fields that the curator knows, and no plan has the others. "
                a href=(known) { "How many records have each field" } "."
            }
        },
        soon: "Soon",
        closed: "Paid plans are not open yet. The free key works already, and will be the same once they are.",
        key_needed: "No account yet? To subscribe you need a key. ",
        get_yours: "Get yours for free",
        how_it_works: "You pay on a separate page, by Pix, boleto or card. Once the payment is confirmed, the same key is \
                       on the new plan at once.",
        plan: "Plan",
        key: Field { label: "Your key", help: "The one that came by e-mail; it begins with cdg_live_." },
        key_again: Field {
            label: "Your key, again",
            help: "Paste the key once more: to keep it safe, it does not come back with the form.",
        },
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
        lead: |question| {
            let ask = if question.is_empty() { "what is on" } else { &format!("“{question}”") };
            format!("One address, five tools, read-only. Ask {ask} and the agent looks it up in the guide.")
        },
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
        actions: "Actions",
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
        list_of: "list of ",
        any: "any value",
        place: |place| match place {
            "path" => "in the path",
            "query" => "in the query",
            "header" => "in a header",
            _ => "",
        },
    },
    sandbox: Sandbox {
        title: "Subscription",
        closed: "This order was closed",
        declined: "Card declined: try again",
        overdue: "Overdue: it can still be paid",
        overdue_declined: "Overdue, with the card declined: it can still be paid",
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
        preview_region: "The site shows Plano Piloto only, and is the same for everybody. Paid plans open the other regions of \
                         the Federal District through the API and to AI agents.",
        many_searches_today: "This network has searched very often today. The search opens again tomorrow; the other pages stay open.",
        many_searches: |wait| {
            format!(
                "Many searches from this address in a short time. Search again in {wait}; the other pages stay open."
            )
        },
        text_too_long: |max| format!("Shorten the text: at most {max} characters."),
        too_many_values: |max| format!("Choose fewer values: at most {max}."),
        invalid_date: "We do not know that day. Choose one of the calendar.",
        loading: "The guide is loading. Try again in a moment.",
        unavailable: "That did not work. Try again in a moment.",
        invalid_email: "Write a complete e-mail address, like maria@example.com.",
        too_many_signups: |wait| {
            format!(
                "Too many requests for this e-mail. Look for the earlier e-mail, in the spam folder \
                 too, or come back in {wait}."
            )
        },
        invalid_key: "This key is not valid. Copy the whole key from the e-mail; it begins with cdg_live_.",
        account_blocked: "This account is blocked. Write to the operator of the service.",
        too_many_attempts: |wait| format!("Too many attempts. Come back in {wait}."),
        old_page: "The address of this page of results is no longer good. Search again.",
        too_many_suggestions: |wait| {
            format!(
                "This network has sent the messages that we accept in a day. Many people may use the same network, such as that of a \
                 mobile operator or of a building. Come back in {wait}."
            )
        },
        too_many_today: |wait| {
            format!("We got too many messages today, from all readers. Come back in {wait}.")
        },
        signup_closed: "Sign-up is closed: this service sends no e-mail. Ask its operator for a key.",
        billing_closed: "Paid plans are not open yet.",
        gateway_unavailable: "The payment provider did not answer. Nothing was charged; try again in a moment.",
        bad_plan: "Choose one of the plans.",
        bad_tax_id: "A valid CPF or CNPJ is missing. Type all its digits again, also the last two.",
        bad_method: "Choose how to pay.",
        missing_text: "Write the suggestion.",
        refused: "This form was not taken",
        foreign_form: "It came from another address, so nothing was done. Open the page on this site and send it from there.",
        same_plan: |plan| format!("This account is already on the {plan} plan. Choose another."),
        invalid_code: "This code is wrong, expired or used. Check it, or ask for another.",
        other: str::to_owned,
    },
    account: account::ENGLISH,
    tokens: tokens::ENGLISH,
    calendars: calendars::ENGLISH,
    webhook: webhook::ENGLISH,
    about: About {
        title: "About the guide",
        description: "Who makes the guide, how things get in, what UAU means, and what it knows and does not know.",
        lead: "A hand-picked guide to Brasília: each event and each place was read, checked and written by a person.",
        sections: [
            (
                "How things get in",
                "A curator reads listings, profiles and tips, checks date and place, and writes the record; the price is there \
                 when the source gives it. Nobody pays to get in, or to be shown first. What is not known stays empty instead of made up.",
            ),
            (
                "What UAU means",
                "It is the seal of the curator: what they would take a friend to. It is no rating, cannot be bought, and is rare.",
            ),
            ("In which order", "Places come by how often the sources mention them; events by their date."),
        ],
        edition: "The edition in service",
        finished: "Finished on",
        counts: |places, events| {
            let places = if places == "1" { "1 place".to_owned() } else { format!("{places} places") };
            let events = if events == "1" {
                "1 date of an event".to_owned()
            } else {
                format!("{events} dates of events")
            };
            format!("{places} and {events}")
        },
        free_area: "In the Plano Piloto",
        whole_guide: "In the whole Federal District",
        coverage: "What is known",
        coverage_lead: "Of how many records of the whole guide each thing is known. Fields of paid plans are only counted here.",
        of: |known, all| format!("{known} of {all}"),
        place_fields: ["Address", "Neighbourhood", "Price", "Instagram", "Description"],
        event_fields: ["Address", "Time", "Price", "Neighbourhood"],
    },
    suggest: Suggest {
        title: "Make a suggestion",
        description: "Tell us what the guide lacks or what has changed.",
        lead: "Is a place missing? Has an event moved? Tell us in a few lines; a curator reads them all.",
        about: "About the page",
        text: Field {
            label: "What is missing or has changed",
            help: "At most 1,000 characters. A link helps us to check.",
        },
        contact: Field {
            label: "Your contact (optional)",
            help: "E-mail or phone, only to ask about the suggestion. It is deleted when that is done.",
        },
        trap: "Leave this field empty",
        submit: "Send",
        sent: "Thank you",
        sent_lead: "The suggestion has reached the curator.",
        back: "Back to the guide",
        changed: "Has something changed? Tell us",
        write_to: |address| format!("Write to [{address}](mailto:{address})."),
        write_here: "Write with the [form for suggestions](/en/suggest), and leave a contact for the answer.",
        to_write: [
            "write from the e-mail of the account, with the number of the order",
            "write at once, from the e-mail that the account had",
            "write in private; the address is in [security.txt](/.well-known/security.txt)",
        ],
        to_write_here: [
            "there is no address for it. Write the number of the order and what you ask for in the [form for suggestions](/en/suggest), \
             and leave the e-mail of the account as your contact: only who runs the guide reads what is written there, and the answer \
             goes to that e-mail",
            "there is no address for it. Tell at once what happened in the [form for suggestions](/en/suggest), and leave the e-mail \
             that the account had as your contact",
            "there is no address for it. Say in the [form for suggestions](/en/suggest) that you found one, without the \
             details, and leave a contact: only who runs the guide reads what is written there",
        ],
    },
    directory: directory::ENGLISH,
    joining: joining::ENGLISH,
    letter: letter::ENGLISH,
    privacy: Document {
        title: "Privacy",
        description: "What the service keeps of you, for how long, and whom to ask.",
        text: include_str!("pages/privacidade.en.txt"),
    },
    terms: Document {
        title: "Terms of use",
        description: "Keep, show, credit.",
        text: include_str!("pages/termos.en.txt"),
    },
    contact: Document {
        title: "Contact",
        description: "How to reach who makes the guide.",
        text: include_str!("pages/contato.en.txt"),
    },
    docs: Docs {
        title: "Getting started",
        lead: "From the first question, without a key, to your code: in curl, TypeScript and Python, and in your agent.",
        ask: "Ask without a key",
        ask_how: |results, days| {
            format!(
                "The preview answers right here, with the Plano Piloto, {results} results and the next {days} days."
            )
        },
        try_it: "Try a question",
        key: "Get a key",
        key_how: "Free, by e-mail. Keep it in the variable CANDANGO_KEY and ask:",
        answer: "The answer",
        answer_of: "The answer to a free key, on an example day. Paid plans add the address, the position and their other \
                    fields:",
        examples: "Examples",
        example_titles: ["A search", "All pages", "An error, and how long to wait"],
        agent: "Connect your agent",
        agent_how: "The same data as tools, at one address: Claude, ChatGPT, Cursor, VS Code and Gemini CLI.",
        further: "Further",
        try_title: "Try the API",
        try_lead: "Ask the preview, and take the same question to your code. It counts as a search of the site.",
        same_question: "The same question in your code",
        same_how: "With a key in the variable CANDANGO_KEY the answer is that of your plan; over MCP, without a key, that of the preview.",
    },
    service: Service {
        docs: "Documentation",
        errors: "Errors",
        errors_lead: "Errors share one body: error, code and request_id. Program by the code; the sentences may change.",
        status_code: "Status",
        code: "code",
        remedy: "What to do",
        changelog: "Changes",
        changelog_about: "What changed in each version of the service and the API.",
        changelog_lead: "What changed in the API and the site, version by version: first what clients must act on.",
        changelog_more: |count| match count {
            1 => "One more change".to_owned(),
            _ => format!("{count} more changes"),
        },
        changelog_older: "Older changes, in the Atom feed",
        status: "Status",
        all_well: "Everything works.",
        no_guide: "The guide is not served right now.",
        no_keys: "The site and the preview work; calls with a key fail right now.",
        guide: "Guide, site and preview",
        keys: "Calls with a key",
        works: "works",
        fails: "does not work",
        edition: "Edition",
        finished: "Finished",
        age: |hours| match hours {
            0 => "less than an hour ago".to_owned(),
            1 => "1 hour ago".to_owned(),
            2..=47 => format!("{hours} hours ago"),
            hours => format!("{} days ago", hours / 24),
        },
        version: "Version of the service",
        status_note: "This page is made at this moment, by the server that answered. If it does not open, the service is down.",
    },
};
