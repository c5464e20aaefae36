//! Every text of the pages, one table for each language: a translator edits one file, and a missing text does not
//! compile.

mod account;
mod calendars;
mod directory;
mod en;
mod joining;
mod letter;
mod pt;
mod search;
mod tokens;
mod webhook;

use maud::Markup;
use snapshots::Status;

use crate::http::language::Language;

/// The texts of a language.
pub(crate) fn of(language: Language) -> &'static Texts {
    match language {
        Language::Portuguese => &pt::TEXTS,
        Language::English => &en::TEXTS,
    }
}

/// All texts in one language. Functions take the values that a sentence holds.
pub(crate) struct Texts {
    /// The language tag of the pages.
    pub(crate) lang: &'static str,
    /// The locale as Open Graph writes it.
    pub(crate) locale: &'static str,
    /// The language in its own words.
    pub(crate) language_name: &'static str,
    pub(crate) language: &'static str,
    pub(crate) calendar: Calendar,
    pub(crate) layout: Layout,
    pub(crate) home: Home,
    pub(crate) search: search::Search,
    pub(crate) agenda: Agenda,
    pub(crate) listing: Listing,
    pub(crate) record: Record,
    pub(crate) series: Series,
    pub(crate) take: Take,
    pub(crate) not_found: NotFound,
    pub(crate) plans: Plans,
    pub(crate) signup: Signup,
    pub(crate) signup_sent: SignupSent,
    pub(crate) agents: Agents,
    pub(crate) reference: Reference,
    pub(crate) sandbox: Sandbox,
    pub(crate) errors: Errors,
    pub(crate) account: account::Account,
    pub(crate) tokens: tokens::Tokens,
    pub(crate) calendars: calendars::Calendars,
    pub(crate) webhook: webhook::Webhook,
    pub(crate) about: About,
    pub(crate) suggest: Suggest,
    pub(crate) directory: directory::Directory,
    pub(crate) joining: joining::Joining,
    pub(crate) letter: letter::Letter,
    pub(crate) privacy: Document,
    pub(crate) terms: Document,
    pub(crate) contact: Document,
    pub(crate) docs: Docs,
    pub(crate) service: Service,
}

/// The first steps with the API.
pub(crate) struct Docs {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) ask: &'static str,
    /// With the results and the days of the preview.
    pub(crate) ask_how: fn(usize, u64) -> String,
    pub(crate) try_it: &'static str,
    pub(crate) key: &'static str,
    pub(crate) key_how: &'static str,
    pub(crate) answer: &'static str,
    /// Whose answer the example is.
    pub(crate) answer_of: &'static str,
    pub(crate) examples: &'static str,
    /// Of a search, of pages, of an error.
    pub(crate) example_titles: [&'static str; 3],
    pub(crate) agent: &'static str,
    pub(crate) agent_how: &'static str,
    pub(crate) further: &'static str,
    pub(crate) try_title: &'static str,
    pub(crate) try_lead: &'static str,
    pub(crate) same_question: &'static str,
    pub(crate) same_how: &'static str,
}

/// The errors, the changes and the state of the service.
pub(crate) struct Service {
    pub(crate) docs: &'static str,
    pub(crate) errors: &'static str,
    pub(crate) errors_lead: &'static str,
    pub(crate) status_code: &'static str,
    pub(crate) code: &'static str,
    pub(crate) remedy: &'static str,
    pub(crate) changelog: &'static str,
    pub(crate) changelog_about: &'static str,
    pub(crate) changelog_lead: &'static str,
    /// Unfolds so many changes.
    pub(crate) changelog_more: fn(usize) -> String,
    /// Leads to the feed, which has all.
    pub(crate) changelog_older: &'static str,
    pub(crate) status: &'static str,
    pub(crate) all_well: &'static str,
    pub(crate) no_guide: &'static str,
    pub(crate) no_keys: &'static str,
    pub(crate) guide: &'static str,
    pub(crate) keys: &'static str,
    pub(crate) works: &'static str,
    pub(crate) fails: &'static str,
    pub(crate) edition: &'static str,
    pub(crate) finished: &'static str,
    /// The age of the snapshot in hours.
    pub(crate) age: fn(u32) -> String,
    pub(crate) version: &'static str,
    pub(crate) status_note: &'static str,
}

/// A page of prose. `{contact}`, `{payment}`, `{takeover}`, `{report}`, `{service}` and `{site}` stand for what the
/// settings say.
pub(crate) struct Document {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    /// Markdown.
    pub(crate) text: &'static str,
}

/// Who makes the guide, and what is in it.
pub(crate) struct About {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) lead: &'static str,
    /// How things get in, and what the seal means: a heading and a paragraph each.
    pub(crate) sections: [(&'static str, &'static str); 3],
    pub(crate) edition: &'static str,
    pub(crate) finished: &'static str,
    /// What the free area and the whole guide have: places and dates of events.
    pub(crate) counts: fn(&str, &str) -> String,
    pub(crate) free_area: &'static str,
    pub(crate) whole_guide: &'static str,
    pub(crate) coverage: &'static str,
    pub(crate) coverage_lead: &'static str,
    /// "244 of 506".
    pub(crate) of: fn(&str, &str) -> String,
    /// Fields of places, as `about.rs` counts them.
    pub(crate) place_fields: [&'static str; 5],
    /// Fields of events.
    pub(crate) event_fields: [&'static str; 4],
}

/// The form for suggestions, and the page that follows it.
pub(crate) struct Suggest {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) lead: &'static str,
    /// Before the page that the suggestion is about.
    pub(crate) about: &'static str,
    pub(crate) text: Field,
    pub(crate) contact: Field,
    /// The label of the field that only programs fill in.
    pub(crate) trap: &'static str,
    pub(crate) submit: &'static str,
    pub(crate) sent: &'static str,
    pub(crate) sent_lead: &'static str,
    pub(crate) back: &'static str,
    /// On the page of a record.
    pub(crate) changed: &'static str,
    /// How to reach who runs the service: with an address, and without.
    pub(crate) write_to: fn(&str) -> String,
    pub(crate) write_here: &'static str,
    /// How to write about a payment, an account that somebody else took over, and a security fault: with an
    /// address, and without.
    pub(crate) to_write: [&'static str; 3],
    pub(crate) to_write_here: [&'static str; 3],
}

/// Dates, durations and numbers.
pub(crate) struct Calendar {
    /// Monday first.
    pub(crate) weekdays: [&'static str; 7],
    pub(crate) months: [&'static str; 12],
    /// The first day of a month, before its name.
    pub(crate) first: &'static str,
    /// Between a day, its month and its year.
    pub(crate) of: &'static str,
    /// Between the first and the last day of a range.
    pub(crate) to: &'static str,
    /// Between how often something takes place and the last time.
    pub(crate) until: &'static str,
    /// A date in figures, as chrono formats it.
    pub(crate) short_date: &'static str,
    /// A time, as `HH:MM`, in the words of the language.
    pub(crate) time: fn(&str) -> String,
    /// How often something takes place, as within a sentence: "every Monday", Monday first.
    pub(crate) every: [&'static str; 7],
    pub(crate) every_day: &'static str,
    /// From the first to the last of several weekdays.
    pub(crate) weekdays_from: fn(&str, &str) -> String,
    /// Every second week, on a weekday.
    pub(crate) fortnightly: fn(&str) -> String,
    /// On a day of every month.
    pub(crate) day_of_month: fn(u32) -> String,
    /// On the n-th weekday of every month, Monday being 0; `None` is the last.
    pub(crate) in_month: fn(Option<u32>, usize, &str) -> String,
    /// Before the last of several.
    pub(crate) and: &'static str,
    /// Between groups of three digits.
    pub(crate) group_separator: &'static str,
    /// One and many of each unit.
    pub(crate) seconds: [&'static str; 2],
    pub(crate) minutes: [&'static str; 2],
    pub(crate) hours: [&'static str; 2],
}

/// What stands around every page, and words that several pages use.
pub(crate) struct Layout {
    /// On the picture beside links to the front page.
    pub(crate) card: &'static str,
    pub(crate) skip: &'static str,
    pub(crate) main_navigation: &'static str,
    pub(crate) guide: &'static str,
    pub(crate) agenda: &'static str,
    pub(crate) map: &'static str,
    /// The list of the visitor, in the navigation.
    pub(crate) list: &'static str,
    pub(crate) events: &'static str,
    pub(crate) places: &'static str,
    pub(crate) search: &'static str,
    pub(crate) build: &'static str,
    pub(crate) connect_agent: &'static str,
    pub(crate) api_reference: &'static str,
    pub(crate) account: &'static str,
    pub(crate) who: &'static str,
    pub(crate) get_key: &'static str,
    pub(crate) plans_and_prices: &'static str,
    pub(crate) subscribe: &'static str,
    /// Chooses a plan by its name.
    pub(crate) choose_plan: fn(&str) -> String,
    pub(crate) candango_story: &'static str,
    pub(crate) other_story: &'static str,
    /// Before the name of the service, in the credit of a page.
    pub(crate) tips_by: &'static str,
    /// Before the credit of positions.
    pub(crate) positions: &'static str,
    pub(crate) about_preview: &'static str,
    /// What the site leaves out: the addresses of the sign-up form, of the plans and of what is known.
    pub(crate) preview: fn(&str, &str, &str) -> Markup,
    pub(crate) pages: &'static str,
    pub(crate) next_page: &'static str,
    pub(crate) you_are_in: &'static str,
    pub(crate) all_of_free_area: &'static str,
    pub(crate) per_month: &'static str,
    /// After their number.
    pub(crate) calls_per_month: fn(u32) -> &'static str,
    pub(crate) bank_slip: &'static str,
    pub(crate) credit_card: &'static str,
}

/// The front page.
pub(crate) struct Home {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    /// The heading, line by line.
    pub(crate) heading: [&'static str; 3],
    pub(crate) lead: &'static str,
    /// Leads to what is for children.
    pub(crate) with_children: &'static str,
    pub(crate) next_days: &'static str,
    pub(crate) whole_month: &'static str,
    pub(crate) most_mentioned: &'static str,
    pub(crate) all_places: &'static str,
    pub(crate) by_area: &'static str,
    pub(crate) all_areas: &'static str,
    pub(crate) by_category: &'static str,
    pub(crate) builders: &'static str,
    pub(crate) builders_lead: &'static str,
    pub(crate) see_api: &'static str,
    pub(crate) get_free_key: &'static str,
    pub(crate) try_label: &'static str,
    /// A search for a category in an area.
    pub(crate) search_in: fn(&str, &str) -> String,
    /// A search for a category on a weekday, Monday being 0.
    pub(crate) search_on: fn(&str, usize) -> String,
}

/// What is on by day.
pub(crate) struct Agenda {
    pub(crate) today: &'static str,
    pub(crate) tomorrow: &'static str,
    pub(crate) weekend: &'static str,
    pub(crate) next_weekend: &'static str,
    /// The next weekend, with its days.
    pub(crate) next_weekend_on: fn(&str) -> String,
    /// The title of a month.
    pub(crate) month: fn(&str, i32) -> String,
    /// The description of a page by its title.
    pub(crate) description: fn(&str) -> String,
    pub(crate) tonight: &'static str,
    /// What began yesterday and goes on after midnight.
    pub(crate) still_on: &'static str,
    /// The evening of a day: its weekday and its date.
    pub(crate) evening_of: fn(&str, &str) -> String,
    pub(crate) nothing_tonight: &'static str,
    pub(crate) night_places: &'static str,
    /// Places to go out to, on days after today.
    pub(crate) night: &'static str,
    /// Before links to the bars of areas.
    pub(crate) more_bars: &'static str,
    pub(crate) whole_day: &'static str,
    /// What is on at an hour that is not known.
    pub(crate) untimed_today: &'static str,
    /// Morning, afternoon, night, and without a time.
    pub(crate) parts: [&'static str; 4],
    pub(crate) days: &'static str,
    pub(crate) months: &'static str,
    /// Unfolds those after the next ones.
    pub(crate) later_months: &'static str,
    /// The number of events.
    pub(crate) events: fn(u32) -> String,
    /// How many have ended, or began hours ago.
    pub(crate) begun: fn(usize) -> String,
    /// Before events that an earlier day of the page lists.
    pub(crate) also: &'static str,
    /// Of a weekend of which nothing is left that has an hour, above the next one.
    pub(crate) weekend_is_over: &'static str,
    pub(crate) nothing: &'static str,
    pub(crate) nothing_in_month: &'static str,
    /// Of a day or a month that is over.
    pub(crate) past: &'static str,
    pub(crate) next_day: &'static str,
    /// Before the next dates of a series.
    pub(crate) then: &'static str,
    /// Before the last day of a run of days.
    pub(crate) until: &'static str,
    pub(crate) in_month: &'static str,
}

/// The page of an area, of a category, or of a category in an area.
pub(crate) struct Listing {
    /// The description of a page by its title.
    pub(crate) description: fn(&str) -> String,
    /// The title of a page after the first.
    pub(crate) page: fn(&str, usize) -> String,
    pub(crate) events: fn(usize) -> String,
    pub(crate) places: fn(usize) -> String,
    /// A category in the whole city, in a title.
    pub(crate) in_city: fn(&str) -> String,
    pub(crate) this_week: &'static str,
    pub(crate) later: &'static str,
    /// What the page of an area lists, in its title.
    pub(crate) places_and_events: &'static str,
    pub(crate) only_places: &'static str,
    pub(crate) only_events: &'static str,
    pub(crate) inside: &'static str,
    pub(crate) by_category: &'static str,
    pub(crate) by_area: &'static str,
    pub(crate) around: &'static str,
    pub(crate) related: &'static str,
    /// Beside a category that is within no other.
    pub(crate) other_topics: &'static str,
}

/// The page of a series.
pub(crate) struct Series {
    pub(crate) next_dates: &'static str,
    /// Unfolds those after the next ones.
    pub(crate) later_dates: &'static str,
    pub(crate) all_dates: &'static str,
    /// Before the next date.
    pub(crate) next: &'static str,
    pub(crate) date_is_over: &'static str,
    pub(crate) not_on_that_day: &'static str,
}

/// The page of a place or an event.
pub(crate) struct Record {
    pub(crate) seal: &'static str,
    pub(crate) over: &'static str,
    pub(crate) time: &'static str,
    /// Of an event whose hour is not known.
    pub(crate) no_time: &'static str,
    pub(crate) neighbourhood: &'static str,
    pub(crate) region: &'static str,
    pub(crate) price: &'static str,
    /// The price of what costs nothing.
    pub(crate) free: &'static str,
    /// What became of an event: in a list, and as a sentence.
    pub(crate) cancelled: (&'static str, &'static str),
    pub(crate) postponed: (&'static str, &'static str),
    pub(crate) sold_out: (&'static str, &'static str),
    /// The fields of [`PAID_FIELDS`](crate::actions::PAID_FIELDS), in the same order; `location`, the last of them, has
    /// no name.
    pub(crate) paid_fields: [&'static str; 5],
    /// What paid plans add: the fields, and the address of the plans.
    pub(crate) paid: fn(&str, &str) -> Markup,
    /// The events at a place, and the others at the venue of one.
    pub(crate) events_here: &'static str,
    pub(crate) more_here: &'static str,
    /// The lists that a record is in.
    pub(crate) nearby: &'static str,
    /// A category in the whole free area.
    pub(crate) category_in_free_area: fn(&str) -> String,
}

impl Record {
    /// What became of an event: in a list, and as a sentence.
    pub(crate) fn status(&self, status: Status) -> (&'static str, &'static str) {
        match status {
            Status::Cancelled => self.cancelled,
            Status::Postponed => self.postponed,
            Status::SoldOut => self.sold_out,
        }
    }
}

/// What people take along: calendars, feeds, lists, the map.
pub(crate) struct Take {
    pub(crate) add_to_calendar: &'static str,
    /// The same of a series.
    pub(crate) add_all_dates: &'static str,
    pub(crate) directions: &'static str,
    /// Sends a message by WhatsApp.
    pub(crate) share: &'static str,
    /// What a script shows besides: a button that shares the page, or copies its address.
    pub(crate) share_page: &'static str,
    pub(crate) copy_link: &'static str,
    pub(crate) link_copied: &'static str,
    /// Adds a record to the list of the visitor.
    pub(crate) keep: &'static str,
    /// A record that is in the list.
    pub(crate) kept: &'static str,
    pub(crate) ways: &'static str,
    /// What is near in metres, and what is in the same area.
    pub(crate) near_here: &'static str,
    pub(crate) same_neighbourhood: &'static str,
    pub(crate) same_region: &'static str,
    /// At most a kilometre away.
    pub(crate) a_walk: &'static str,
    /// So many kilometres away.
    pub(crate) away: fn(u32) -> String,
    pub(crate) same_day: &'static str,
    pub(crate) all_of_day: &'static str,
    /// Before the calendar and the feed of a page.
    pub(crate) follow: &'static str,
    pub(crate) subscribe: &'static str,
    pub(crate) calendar: &'static str,
    pub(crate) feed: &'static str,
    pub(crate) list: &'static str,
    /// The title of a list that is not the visitor's own, and what makes it so.
    pub(crate) list_shared: &'static str,
    pub(crate) list_add: &'static str,
    pub(crate) list_description: &'static str,
    pub(crate) list_empty: &'static str,
    /// The most that a list holds, when it is full, and when more was asked for.
    pub(crate) list_limit: fn(usize) -> String,
    pub(crate) list_full: fn(usize) -> String,
    /// So many items are no longer in the guide.
    pub(crate) list_gone: fn(usize) -> String,
    pub(crate) list_calendar: &'static str,
    pub(crate) change_list: &'static str,
    /// Where the list is when no script keeps it.
    pub(crate) list_in_address: &'static str,
    /// Takes a record out of the list.
    pub(crate) remove: fn(&str) -> String,
    pub(crate) remove_gone: &'static str,
    pub(crate) map: &'static str,
    pub(crate) map_description: &'static str,
    /// The map with an area lit.
    pub(crate) map_of: fn(&str) -> String,
    /// What is on by area: this evening, and today where the evening has nothing.
    pub(crate) tonight_by_area: &'static str,
    pub(crate) today_by_area: &'static str,
    /// The water on the map.
    pub(crate) lake: &'static str,
    /// What the colour and the number of an area say: of this evening, or of the whole day.
    pub(crate) legend: fn(bool) -> &'static str,
    pub(crate) map_nothing: &'static str,
    pub(crate) areas: &'static str,
    /// What the number beside each area is.
    pub(crate) areas_note: &'static str,
    /// Leads from an embedded list to its page.
    pub(crate) whole_page: &'static str,
    /// Unfolds how to embed a page.
    pub(crate) embed: &'static str,
}

/// The page for an address without a page.
pub(crate) struct NotFound {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) back: &'static str,
    pub(crate) today: &'static str,
}

/// Plans and the order form.
pub(crate) struct Plans {
    pub(crate) description: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) note: &'static str,
    pub(crate) per_minute: &'static str,
    pub(crate) all_regions: &'static str,
    pub(crate) basic_fields: &'static str,
    pub(crate) full_fields: &'static str,
    /// That records may lack fields, with the address of the page that counts them.
    pub(crate) known: fn(&str) -> Markup,
    pub(crate) soon: &'static str,
    pub(crate) closed: &'static str,
    pub(crate) key_needed: &'static str,
    pub(crate) get_yours: &'static str,
    pub(crate) how_it_works: &'static str,
    pub(crate) plan: &'static str,
    pub(crate) key: Field,
    /// The same in a form that comes back: a secret is not put into a page.
    pub(crate) key_again: Field,
    pub(crate) tax_id: Field,
    pub(crate) name: Field,
    pub(crate) method: &'static str,
    pub(crate) choose_later: &'static str,
    pub(crate) submit: &'static str,
}

/// A text field of a form.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) label: &'static str,
    pub(crate) help: &'static str,
}

/// The list of what an account has made, where each can be revoked.
pub(crate) struct TokenList {
    pub(crate) none: &'static str,
    pub(crate) columns: [&'static str; 3],
    pub(crate) revoke: &'static str,
}

/// The form that requests a key.
pub(crate) struct Signup {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) any_date: &'static str,
    pub(crate) same_key: &'static str,
    pub(crate) email: Field,
    pub(crate) name: Field,
    pub(crate) use_case: Field,
    pub(crate) submit: &'static str,
}

/// The page after a sign-up.
pub(crate) struct SignupSent {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) spam: &'static str,
    pub(crate) meanwhile: &'static str,
}

/// How to connect agents.
pub(crate) struct Agents {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    /// With a question that an agent may be asked; empty without a guide.
    pub(crate) lead: fn(&str) -> String,
    pub(crate) server_address: &'static str,
    /// What an agent gets: the preview's results and days, and the address of the sign-up form.
    pub(crate) keys: fn(usize, u64, &str) -> Markup,
    pub(crate) without_key: &'static str,
    pub(crate) with_key: &'static str,
    pub(crate) with_key_heading: &'static str,
    pub(crate) no_key_possible: &'static str,
    pub(crate) by_hand: &'static str,
    pub(crate) by_hand_steps: &'static str,
    pub(crate) claude: &'static str,
    pub(crate) claude_code: &'static str,
    pub(crate) chatgpt: &'static str,
    pub(crate) cursor: &'static str,
    pub(crate) vs_code: &'static str,
    pub(crate) gemini: &'static str,
}

/// The API reference.
pub(crate) struct Reference {
    pub(crate) description: &'static str,
    /// Ends before the link to the document.
    pub(crate) lead: &'static str,
    pub(crate) operations: &'static str,
    pub(crate) version: &'static str,
    pub(crate) parameters: &'static str,
    pub(crate) body: &'static str,
    pub(crate) responses: &'static str,
    pub(crate) example: &'static str,
    pub(crate) schemas: &'static str,
    /// Before the actions of an endpoint, each with a page.
    pub(crate) actions: &'static str,
    pub(crate) one_of: &'static str,
    pub(crate) any_of: &'static str,
    /// Precedes the property that tells variants apart.
    pub(crate) by: &'static str,
    pub(crate) required: &'static str,
    pub(crate) always: &'static str,
    pub(crate) minimum: &'static str,
    pub(crate) maximum: &'static str,
    pub(crate) max_length: &'static str,
    pub(crate) default: &'static str,
    pub(crate) for_example: &'static str,
    /// Before the type of the items of a list.
    pub(crate) list_of: &'static str,
    pub(crate) any: &'static str,
    /// Where a parameter is sent: the name that OpenAPI has for the place.
    pub(crate) place: fn(&str) -> &'static str,
}

/// The payment page of the sandbox gateway.
pub(crate) struct Sandbox {
    pub(crate) title: &'static str,
    pub(crate) closed: &'static str,
    pub(crate) declined: &'static str,
    pub(crate) overdue: &'static str,
    pub(crate) overdue_declined: &'static str,
    pub(crate) awaiting: &'static str,
    pub(crate) paid: &'static str,
    pub(crate) refunded: &'static str,
    pub(crate) paid_next: &'static str,
    pub(crate) refunded_next: &'static str,
    pub(crate) any_method: &'static str,
    pub(crate) pay: &'static str,
    pub(crate) decline: &'static str,
    pub(crate) expire: &'static str,
    pub(crate) refund: &'static str,
    pub(crate) method: &'static str,
    pub(crate) due: &'static str,
    pub(crate) order: &'static str,
    pub(crate) note: &'static str,
}

/// Errors that a visitor can cause, as a form shows them. Times to wait are given in words.
pub(crate) struct Errors {
    pub(crate) unknown_region: &'static str,
    pub(crate) ambiguous_region: &'static str,
    pub(crate) unknown_category: &'static str,
    pub(crate) preview_region: &'static str,
    pub(crate) many_searches: fn(&str) -> String,
    pub(crate) many_searches_today: &'static str,
    pub(crate) text_too_long: fn(usize) -> String,
    pub(crate) too_many_values: fn(usize) -> String,
    pub(crate) invalid_date: &'static str,
    pub(crate) loading: &'static str,
    pub(crate) unavailable: &'static str,
    pub(crate) invalid_email: &'static str,
    pub(crate) too_many_signups: fn(&str) -> String,
    pub(crate) invalid_key: &'static str,
    pub(crate) account_blocked: &'static str,
    pub(crate) too_many_attempts: fn(&str) -> String,
    /// A further page of a search whose address is no longer good.
    pub(crate) old_page: &'static str,
    /// Suggestions of a network, which many people may share.
    pub(crate) too_many_suggestions: fn(&str) -> String,
    /// Of all readers together.
    pub(crate) too_many_today: fn(&str) -> String,
    pub(crate) signup_closed: &'static str,
    pub(crate) billing_closed: &'static str,
    pub(crate) gateway_unavailable: &'static str,
    pub(crate) bad_plan: &'static str,
    pub(crate) bad_tax_id: &'static str,
    pub(crate) bad_method: &'static str,
    pub(crate) missing_text: &'static str,
    /// The title of the page for a form that was not taken.
    pub(crate) refused: &'static str,
    pub(crate) foreign_form: &'static str,
    pub(crate) same_plan: fn(&str) -> String,
    pub(crate) invalid_code: &'static str,
    /// Any other error, with its message in the API, which is English.
    pub(crate) other: fn(&str) -> String,
}
