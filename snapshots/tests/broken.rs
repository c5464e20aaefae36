//! Each folder in `broken/` has exactly one defect, and `check` reports it.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use chrono::NaiveDate;
use snapshots::{Defects, File, Files, check};

/// The folder, and the expected defect: file, id, field, and a part of its line.
type Row = (&'static str, File, Option<&'static str>, Option<&'static str>, &'static str);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    ("alias-of-another-type", File::Places, Some("bar-da-esquina"), Some("aliases[0]"), "is a number, not a text"),
    ("alias-said-twice", File::Places, Some("bar-da-esquina"), Some("aliases[1]"), "is listed twice"),
    ("aliases-not-a-list", File::Regions, Some("plano-piloto"), Some("aliases"), "is a text, not a list"),
    ("ambiguous-code-with-region", File::AddressCodes, Some("QI"), Some("region"), "an ambiguous code names a region"),
    ("american-spelling", File::Regions, Some("plano-piloto"), Some("neighborhoods"), "did you mean \"neighbourhoods\"?"),
    ("area-positioned-twice", File::Positions, Some("Asa Norte"), Some("area"), "is listed twice"),
    ("area-without-position", File::Positions, Some("Asa Norte"), Some("position"), "is missing"),
    ("bad-category-slug", File::Categories, Some("música"), Some("slug"), "is not an id"),
    ("bad-id", File::Places, Some("Bar_da_Esquina"), Some("id"), "is not an id"),
    ("bad-rule", File::Events, Some("show-de-rua"), Some("repeat.rule"), "is not a valid RRULE"),
    ("bad-time", File::Events, Some("show-de-rua"), Some("start_time"), "write HH:MM"),
    ("bad-zone-slug", File::Regions, Some("Oeste!"), Some("slug"), "is not an id"),
    ("bidi-character", File::Places, Some("bar-da-esquina"), Some("name"), "U+202E"),
    ("blank-at-the-end", File::Places, Some("bar-da-esquina"), Some("name"), "begins or ends with a space"),
    ("block-of-unknown-code", File::Positions, Some("SQNN 408"), Some("address"), "did you mean \"SQN\"?"),
    ("block-said-twice", File::Positions, Some("SQN 208"), Some("also[0]"), "\"sqn 408\" is also an entry of \"SQN 408\""),
    ("block-with-two-words", File::Positions, Some("SQN Quadra Bloco 408"), Some("address"), "at most one word"),
    ("block-without-number", File::Positions, Some("SQN Norte"), Some("address"), "does not end with a whole number"),
    ("bounds-upside-down", File::Positions, None, Some("bounds.south"), "is not below north, -16.06"),
    ("bounds-without-north", File::Positions, None, Some("bounds.north"), "is missing"),
    ("categories-missing", File::Categories, None, Some("categories"), "is missing"),
    ("category-of-itself", File::Categories, Some("bar"), Some("parent"), "would contain itself"),
    ("category-said-twice", File::Places, Some("bar-da-esquina"), Some("also[0]"), "is listed twice"),
    ("code-across-regions", File::AddressCodes, Some("SQN"), Some("neighbourhoods[0]"), "is not in \"Plano Piloto\""),
    ("code-in-small-letters", File::AddressCodes, Some("Sqn"), Some("code"), "is not in capitals"),
    ("code-of-unknown-neighbourhood", File::AddressCodes, Some("SQN"), Some("neighbourhoods[0]"), "did you mean \"Asa Norte\"?"),
    ("code-of-unknown-region", File::AddressCodes, Some("SQN"), Some("region"), "is not a known region"),
    ("code-without-region", File::AddressCodes, Some("SQN"), Some("region"), "is missing beside neighbourhoods"),
    ("control-character", File::Places, Some("bar-da-esquina"), Some("style"), "U+0007"),
    ("date-in-another-form", File::Events, Some("show-de-rua"), Some("date"), "write a real date as YYYY-MM-DD"),
    ("date-out-of-range", File::Events, Some("show-de-rua"), Some("date"), "is out of range"),
    ("description-in-one-language", File::Places, Some("bar-da-esquina"), Some("description.en"), "is missing"),
    ("duplicate-area-name", File::Regions, Some("w3-norte"), Some("name"), "is also the name of \"asa-norte\""),
    ("duplicate-category", File::Categories, Some("show"), Some("slug"), "is also the slug of"),
    ("duplicate-code", File::AddressCodes, Some("SQN"), Some("code"), "is also the code of"),
    ("duplicate-id", File::Places, Some("bar-da-esquina"), Some("id"), "is also the id of record #1"),
    ("duplicate-label", File::Categories, Some("boteco"), Some("en"), "is also the en of"),
    ("duplicate-region-slug", File::Regions, Some("plano-piloto"), Some("slug"), "is also the slug of"),
    ("duplicate-spanish-label", File::Categories, Some("bar"), Some("es"), "is also the es of \"show\""),
    ("empty-name", File::Places, Some("bar-da-esquina"), Some("name"), "is empty"),
    ("empty-spanish-label", File::Categories, Some("show"), Some("es"), "is empty"),
    ("end-before-date", File::Events, Some("show-de-rua"), Some("end_date"), "is before the date"),
    ("endless-run", File::Events, Some("show-de-rua"), Some("end_date"), "would run for 1101 days"),
    ("event-category-on-a-place", File::Places, Some("bar-da-esquina"), Some("category"), "is a category for events only"),
    ("event-with-series", File::Events, Some("show-de-rua"), Some("series"), "is not a known field"),
    ("fractional-mentions", File::Places, Some("bar-da-esquina"), Some("mentions"), "is 1.5"),
    ("guide-bad-moment", File::Guide, None, Some("curated_at"), "is not a date and time"),
    ("guide-without-name", File::Guide, None, Some("name"), "is missing"),
    ("handle-as-address", File::Places, Some("bar-da-esquina"), Some("instagram"), "links.instagram"),
    ("handle-with-at", File::Places, Some("bar-da-esquina"), Some("instagram"), "without the @: \"bardaesquina\""),
    ("handle-with-blank", File::Places, Some("bar-da-esquina"), Some("instagram"), "is not an Instagram handle"),
    ("http-link", File::Places, Some("bar-da-esquina"), Some("links.website"), "https://bar.example.br"),
    ("huge-mentions", File::Places, Some("bar-da-esquina"), Some("mentions"), "whole number from 0"),
    ("landmark-sharing-a-name", File::Positions, Some("Torre"), Some("aliases[0]"), "\"torres da TV\" is also a name of \"Torre de TV\""),
    ("landmark-without-name", File::Positions, Some("#1"), Some("name"), "is missing"),
    ("landmark-without-words", File::Positions, Some("Torre de TV"), Some("aliases[0]"), "holds no word to search for"),
    ("latitude-as-text", File::Positions, Some("Asa Norte"), Some("position.lat"), "is a text, not a number of degrees"),
    ("latitude-off-the-globe", File::Positions, Some("Asa Norte"), Some("position.lat"), "is -157.6; write degrees from -90 to 90"),
    ("licence-of-two-lines", File::Positions, None, Some("licence"), "U+000A"),
    ("link-with-blank", File::Places, Some("bar-da-esquina"), Some("links.instagram"), "percent-encode"),
    ("link-without-host", File::Places, Some("bar-da-esquina"), Some("links.tickets"), "has no valid host"),
    ("long-address", File::Places, Some("bar-da-esquina"), Some("address"), "is 501 characters long"),
    ("long-alias", File::Places, Some("bar-da-esquina"), Some("aliases[0]"), "is 121 characters long"),
    ("long-credit", File::Positions, None, Some("credit"), "is 501 characters long"),
    ("long-description", File::Places, Some("bar-da-esquina"), Some("description.en"), "is 2001 characters long"),
    ("long-id", File::Places, Some("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), Some("id"), "1 to 80"),
    ("long-landmark", File::Positions, Some("TTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT"), Some("name"), "is 121 characters long"),
    ("long-lineup", File::Events, Some("show-de-rua"), Some("lineup"), "is 501 characters long"),
    ("long-name", File::Places, Some("bar-da-esquina"), Some("name"), "is 121 characters long"),
    ("long-price", File::Places, Some("bar-da-esquina"), Some("price"), "is 201 characters long"),
    ("long-style", File::Places, Some("bar-da-esquina"), Some("style"), "is 201 characters long"),
    ("long-synonym", File::Synonyms, Some("ponte"), Some("[1]"), "is 61 characters long"),
    ("long-tickets", File::Events, Some("show-de-rua"), Some("tickets"), "is 501 characters long"),
    ("long-venue", File::Events, Some("show-de-rua"), Some("venue"), "is 201 characters long"),
    ("longitude-off-the-globe", File::Positions, Some("Asa Norte"), Some("position.lon"), "write degrees from -180 to 180"),
    ("map-area-without-slug", File::Map, None, Some("shapes[0].area"), "is missing"),
    ("map-of-unknown-area", File::Map, None, Some("shapes[0].area"), "is not the slug of a region"),
    ("map-point-of-one-number", File::Map, None, Some("shapes[0].points[3]"), "is not a point"),
    ("map-point-out-of-bounds", File::Map, None, Some("shapes[0].points[0]"), "a point is [lat, lon]"),
    ("map-polygon-of-two-points", File::Map, None, Some("shapes[0].points"), "write at least 3"),
    ("map-unknown-role", File::Map, None, Some("shapes[0].role"), "did you mean \"water\"?"),
    ("map-upside-down", File::Map, None, Some("bounds"), "are upside down"),
    ("map-water-with-area", File::Map, None, Some("shapes[0].area"), "remove it"),
    ("map-without-bounds", File::Map, None, Some("bounds"), "is missing beside shapes"),
    ("mentions-as-text", File::Places, Some("bar-da-esquina"), Some("mentions"), "is a text, not a whole number"),
    ("missing-category", File::Places, Some("bar-da-esquina"), Some("category"), "is missing"),
    ("missing-date", File::Events, Some("show-de-rua"), Some("date"), "add \"date\", or \"repeat\""),
    ("missing-file", File::AddressCodes, None, None, "the file is missing"),
    ("missing-id", File::Places, Some("#1"), Some("id"), "is missing"),
    ("missing-label", File::Categories, Some("musica"), Some("en"), "is missing"),
    ("missing-name", File::Places, Some("bar-da-esquina"), Some("name"), "is missing"),
    ("missing-region", File::Places, Some("bar-da-esquina"), Some("region"), "is missing"),
    ("name-as-number", File::Places, Some("bar-da-esquina"), Some("name"), "is a number, not a text"),
    ("near-nothing", File::Categories, Some("boteco"), Some("near[0]"), "did you mean \"bar\"?"),
    ("negative-mentions", File::Places, Some("bar-da-esquina"), Some("mentions"), "is -1"),
    ("neighbourhood-by-its-alias", File::Places, Some("bar-da-esquina"), Some("neighbourhood"), "did you mean \"Asa Norte\"?"),
    ("neighbourhood-in-another-region", File::Places, Some("bar-da-esquina"), Some("neighbourhood"), "but in \"Taguatinga\""),
    ("no-records", File::Places, None, None, "neither places nor events"),
    ("no-regions", File::Regions, None, Some("regions"), "holds no region"),
    ("no-such-day", File::Events, Some("show-de-rua"), Some("date"), "is not a day of the calendar"),
    ("not-a-list", File::Places, None, None, "does not hold a list"),
    ("not-an-object", File::Regions, None, None, "holds a list, not an object"),
    ("not-json", File::Events, None, None, "line 2 column 2"),
    ("not-listed-and-listed", File::Guide, None, Some("not_listed[0]"), "is a term of the category show"),
    ("not-listed-area", File::Guide, None, Some("not_listed[0]"), "is a name of the area \"Plano Piloto\""),
    ("not-listed-as-text", File::Guide, None, Some("not_listed"), "is a text, not a list"),
    ("not-listed-twice", File::Guide, None, Some("not_listed[1]"), "\"Hotéis\" is listed twice"),
    ("not-utf8", File::Places, None, None, "line 2 is not valid UTF-8"),
    ("null-field", File::Places, Some("bar-da-esquina"), Some("style"), "leave the field out"),
    ("outside-naming-an-area", File::Regions, None, Some("outside[1]"), "\"Brasilia\" is a name of the area \"Plano Piloto\""),
    ("outside-said-twice", File::Regions, None, Some("outside[1]"), "is listed twice"),
    ("part-of-itself", File::Regions, Some("w3-norte"), Some("part_of"), "would contain itself"),
    ("part-of-nothing", File::Regions, Some("w3-norte"), Some("part_of"), "did you mean \"Asa Norte\"?"),
    ("place-category-on-an-event", File::Events, Some("show-de-rua"), Some("category"), "is a category for places only"),
    ("place-out-of-bounds", File::Places, Some("bar-da-esquina"), Some("position.lat"), "-23.55 is not within the bounds"),
    ("position-as-list", File::Events, Some("show-de-rua"), Some("position"), "is a list, not an object"),
    ("position-of-unknown-area", File::Positions, Some("Asa Nrote"), Some("area"), "did you mean \"Asa Norte\"?"),
    ("position-out-of-bounds", File::Positions, Some("Torre de TV"), Some("position.lon"), "-47.2 is not within the bounds"),
    ("positions-without-bounds", File::Positions, None, Some("bounds"), "is missing beside positions"),
    ("precision-in-fractions", File::Positions, Some("SQN 408"), Some("position.precision_m"), "is 0.5; write whole metres"),
    ("precision-of-nothing", File::Positions, Some("SQN 408"), Some("position.precision_m"), "is 0; write whole metres"),
    ("record-not-an-object", File::Places, Some("#1"), None, "is a text, not an object"),
    ("region-is-a-neighbourhood", File::Places, Some("bar-da-esquina"), Some("region"), "write it as neighbourhood, with region \"Plano Piloto\""),
    ("relative-link", File::Places, Some("bar-da-esquina"), Some("links.google_maps"), "is not an absolute https link"),
    ("repeat-as-text", File::Events, Some("show-de-rua"), Some("repeat"), "is a text, not an object"),
    ("repeat-except-no-day", File::Events, Some("show-de-rua"), Some("repeat.except[0]"), "is not a day"),
    ("repeat-onto-another-id", File::Events, Some("missa-2026-12-25"), Some("id"), "has the form of a date of \"missa\""),
    ("repeat-until-no-day", File::Events, Some("show-de-rua"), Some("repeat.until"), "is not a day"),
    ("repeat-with-end-and-no-date", File::Events, Some("show-de-rua"), Some("end_date"), "has an end_date and no date"),
    ("repeat-with-long-id", File::Events, Some("ssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssssss"), Some("id"), "gets a date appended"),
    ("repeat-without-rule", File::Events, Some("show-de-rua"), Some("repeat.rule"), "is missing"),
    ("rule-with-odd-weekday", File::Events, Some("show-de-rua"), Some("repeat.rule"), "is not like SU, 2SU or -1SU"),
    ("rule-with-until", File::Events, Some("show-de-rua"), Some("repeat.rule"), "contains UNTIL"),
    ("rule-within-a-day", File::Events, Some("show-de-rua"), Some("repeat.rule"), "repeats within a day"),
    ("rule-without-a-start", File::Events, Some("show-de-rua"), Some("repeat.rule"), "has no date to count from"),
    ("rule-without-days", File::Events, Some("show-de-rua"), Some("repeat"), "gives no date"),
    ("seal-as-text", File::Places, Some("bar-da-esquina"), Some("uau"), "true or false"),
    ("shared-by-nothing", File::Categories, Some("pub"), Some("slugs[1]"), "is not a known category"),
    ("short-synonym", File::Synonyms, Some("ponte"), Some("[1]"), "is one character long"),
    ("short-time", File::Events, Some("show-de-rua"), Some("start_time"), "write HH:MM"),
    ("spanish-synonym-said-twice", File::Categories, Some("show"), Some("synonyms_es[1]"), "is listed twice"),
    ("suggested-by-a-term", File::Categories, Some("boteco"), Some("suggested_by[1]"), "\"pub\" is a term of the category bar"),
    ("suggested-by-an-area", File::Categories, Some("boteco"), Some("suggested_by[0]"), "is a name of the area \"Asa Norte\""),
    ("suggested-twice", File::Categories, Some("boteco"), Some("suggested_by[1]"), "\"Petiscos\" is listed twice"),
    ("synonym-in-two-groups", File::Synonyms, Some("passarela"), Some("[1]"), "\"Puentes\" is also in the group of \"ponte\""),
    ("synonym-naming-an-area", File::Synonyms, Some("ala norte"), Some("[1]"), "is a name of the area \"Asa Norte\""),
    ("synonym-of-another-type", File::Synonyms, Some("ponte"), Some("[1]"), "is a number, not a text"),
    ("synonym-said-twice", File::Synonyms, Some("Pôr da Lua"), Some("[1]"), "\"por luas\" is listed twice"),
    ("synonym-without-words", File::Synonyms, Some("ponte"), Some("[1]"), "holds no word to search for"),
    ("synonyms-as-text", File::Synonyms, Some("#2"), None, "is a text, not a list"),
    ("synonyms-joining-categories", File::Synonyms, Some("apresentação"), None, "joins two categories: \"show\" is a term of show, \"boteco\" of boteco"),
    ("synonyms-of-nothing", File::Synonyms, Some("#2"), None, "has fewer than two entries"),
    ("synonyms-of-one-word", File::Synonyms, Some("ponte"), None, "has fewer than two entries"),
    ("synonyms-without-groups", File::Synonyms, None, Some("groups"), "is missing"),
    ("too-many-aliases", File::Places, Some("bar-da-esquina"), Some("aliases"), "holds 31 entries"),
    ("too-many-categories", File::Places, Some("bar-da-esquina"), Some("also"), "holds 11 entries"),
    ("too-many-names", File::Positions, Some("Torre de TV"), Some("aliases"), "holds 31 entries"),
    ("too-many-synonyms", File::Synonyms, Some("ponte 1"), None, "holds 41 entries"),
    ("unknown-category", File::Places, Some("bar-da-esquina"), Some("category"), "did you mean \"boteco\"?"),
    ("unknown-field", File::Places, Some("bar-da-esquina"), Some("adress"), "did you mean \"address\"?"),
    ("unknown-further-category", File::Places, Some("bar-da-esquina"), Some("also[0]"), "is not a known category"),
    ("unknown-kind", File::Categories, Some("bar"), Some("kind"), "is not a kind"),
    ("unknown-link", File::Places, Some("bar-da-esquina"), Some("links.web_site"), "did you mean \"website\"?"),
    ("unknown-neighbourhood", File::Places, Some("bar-da-esquina"), Some("neighbourhood"), "did you mean \"Asa Norte\"?"),
    ("unknown-parent", File::Categories, Some("show"), Some("parent"), "did you mean \"musica\"?"),
    ("unknown-reading", File::AddressCodes, Some("QI"), Some("readings[0]"), "neither a known region nor"),
    ("unknown-region", File::Places, Some("bar-da-esquina"), Some("region"), "did you mean \"Plano Piloto\"?"),
    ("unknown-region-of-an-event", File::Events, Some("show-de-rua"), Some("region"), "did you mean \"Taguatinga\"?"),
    ("unknown-zone", File::Regions, Some("taguatinga"), Some("zone"), "did you mean \"Oeste\"?"),
    ("wing-of-nothing", File::AddressCodes, Some("Asa Leste"), Some("neighbourhood"), "is not a known neighbourhood"),
    ("wing-without-words", File::AddressCodes, Some("Asa Norte"), Some("words"), "holds no word"),
    ("wordy-not-listed", File::Guide, None, Some("not_listed[0]"), "is 5 words long"),
    ("wordy-synonym", File::Synonyms, Some("ponte"), Some("[1]"), "is 5 words long"),
    ("written-of-unknown-region", File::AddressCodes, Some("W3 Norte"), Some("region"), "did you mean \"Plano Piloto\"?"),
    ("zero-width-character", File::Places, Some("bar-da-esquina"), Some("name"), "U+200B"),
    ("bad-end-time", File::Events, Some("show-de-rua"), Some("end_time"), "is not a time"),
    ("dates-as-text", File::Events, Some("show-de-rua"), Some("repeat.dates"), "is a text, not a list"),
    ("dates-no-day", File::Events, Some("show-de-rua"), Some("repeat.dates[1]"), "is not a day"),
    ("end-time-alone", File::Events, Some("show-de-rua"), Some("end_time"), "stands without start_time"),
    ("end-time-at-the-start", File::Events, Some("show-de-rua"), Some("end_time"), "is the hour at which it begins"),
    ("event-at-a-place-with-empty-region", File::Events, Some("show-de-rua"), Some("region"), "is empty"),
    ("event-at-no-place", File::Events, Some("show-de-rua"), Some("place"), "did you mean \"bar-da-esquina\"?"),
    ("free-false", File::Places, Some("bar-da-esquina"), Some("free"), "leave the field out unless it is true"),
    ("hidden-as-text", File::Places, Some("bar-da-esquina"), Some("hidden"), "is a text, not true or false"),
    ("long-note", File::Places, Some("bar-da-esquina"), Some("note"), "is 1001 characters long"),
    ("note-of-two-lines", File::Places, Some("bar-da-esquina"), Some("note"), "U+000A"),
    ("session-as-text", File::Events, Some("show-de-rua"), Some("sessions[2]"), "is a text, not an object"),
    ("session-without-start", File::Events, Some("show-de-rua"), Some("sessions[2].start_time"), "is missing"),
    ("sessions-beside-a-time", File::Events, Some("show-de-rua"), Some("sessions"), "stand beside start_time"),
    ("sessions-out-of-order", File::Events, Some("show-de-rua"), Some("sessions[1].start_time"), "10:00 does not come after 18:00"),
    ("shown-out-of-range", File::Places, Some("bar-da-esquina"), Some("show_until"), "is out of range"),
    ("shown-until-before-from", File::Places, Some("bar-da-esquina"), Some("show_until"), "is before show_from"),
    ("single-session", File::Events, Some("show-de-rua"), Some("sessions"), "holds a single session"),
    ("status-as-flag", File::Events, Some("show-de-rua"), Some("status"), "is true or false, not a text"),
    ("too-many-dates", File::Events, Some("show-de-rua"), Some("repeat.dates"), "holds 1001 entries"),
    ("too-many-exceptions", File::Events, Some("show-de-rua"), Some("repeat.except"), "holds 1001 entries; keep the 1000 that matter most"),
    ("too-many-sessions", File::Events, Some("show-de-rua"), Some("sessions"), "holds 25 entries"),
    ("unknown-status", File::Events, Some("show-de-rua"), Some("status"), "did you mean \"cancelled\"?"),
];

fn broken() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/broken"))
}

/// Checks a folder of `broken/`, with missing files taken from `broken/base/`.
fn checked(name: &str) -> Result<snapshots::Snapshot, Defects> {
    let folder = tempfile::tempdir().unwrap();
    for file in File::ALL {
        let own = broken().join(name);
        if own.join(format!("{file}.missing")).exists() {
            continue;
        }
        let from = if own.join(file.name()).exists() { own } else { broken().join("base") };
        fs::copy(from.join(file.name()), folder.path().join(file.name())).unwrap();
    }
    check(&Files::read(folder.path()), "2026-11-21".parse::<NaiveDate>().unwrap())
}

#[test]
fn the_base_has_no_defect() {
    let snapshot = checked("base").unwrap();
    assert_eq!((snapshot.places.len(), snapshot.events.len()), (1, 1));
}

#[test]
fn each_defect_is_reported_alone_with_its_place() {
    let mut failures = Vec::new();
    for (name, file, id, field, part) in ROWS {
        let Err(defects) = checked(name) else {
            failures.push(format!("{name}: no defect"));
            continue;
        };
        let defect = &defects.listed[0];
        let matches = defects.listed.len() == 1
            && defect.file == *file
            && defect.id.as_deref() == *id
            && defect.field.as_deref() == *field
            && defect.to_string().contains(part)
            && !defect.fix.is_empty();
        if !matches {
            failures.push(format!("{name}: expected {file} {id:?} {field:?} {part:?}, got:\n{defects}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn folders_and_rows_correspond() {
    let folders: BTreeSet<String> = fs::read_dir(broken())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name != "base" && name != "many-at-once")
        .collect();
    let rows: BTreeSet<String> = ROWS.iter().map(|row| row.0.to_owned()).collect();
    assert_eq!(folders, rows);
}

#[test]
fn all_defects_are_reported_at_once() {
    let defects = checked("many-at-once").unwrap_err();
    let reported: BTreeSet<(File, Option<&str>, Option<&str>)> = defects
        .listed
        .iter()
        .map(|defect| (defect.file, defect.id.as_deref(), defect.field.as_deref()))
        .collect();
    let expected = [
        (File::Guide, None, Some("name")),
        (File::Guide, None, Some("curated_at")),
        (File::Regions, Some("taguatinga"), Some("zone")),
        (File::Guide, None, Some("not_listed[0]")),
        (File::Categories, None, None),
        (File::Synonyms, Some("ponte"), None),
        (File::Synonyms, Some("df"), Some("[0]")),
        (File::Positions, None, Some("credit")),
        (File::Positions, None, Some("bounds")),
        (File::Positions, Some("Asa Norte"), Some("position.lat")),
        (File::Positions, Some("Asa Norte"), Some("position.lon")),
        (File::Positions, Some("Asa Norte"), Some("position.precision_m")),
        (File::Positions, Some("408"), Some("position")),
        (File::Places, Some("A"), Some("id")),
        (File::Places, Some("A"), Some("name")),
        (File::Places, Some("A"), Some("region")),
        (File::Places, Some("A"), Some("links.website")),
        (File::Places, Some("A"), Some("mentions")),
        (File::Places, Some("A"), Some("colour")),
        (File::Places, Some("#2"), Some("id")),
        (File::Places, Some("#2"), Some("neighbourhood")),
        (File::Events, Some("e"), Some("end_date")),
        (File::Events, Some("e"), Some("start_time")),
        (File::Events, Some("#2"), None),
        (File::Events, Some("e"), Some("date")),
        (File::Events, Some("e"), Some("id")),
    ];
    assert_eq!(reported, expected.into_iter().collect(), "{defects}");
    assert_eq!(defects.listed.len(), expected.len(), "{defects}");
}

#[test]
fn defects_serialise_with_file_names() {
    let defects = checked("unknown-region").unwrap_err();
    let json = serde_json::to_value(&defects).unwrap();
    assert_eq!(json["listed"][0]["file"], "places.json");
    assert_eq!(json["listed"][0]["field"], "region");
    assert_eq!(json["more"], 0);
}
