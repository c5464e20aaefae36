//! Records as schema.org has them, for the machines that read pages: what is known and nothing else. Uses
//! [`super::record_view`] only.

use super::layout::put;
use super::record_view::Record;

/// What schema.org calls places of a category, where it has a word narrower than "Place".
pub(super) fn place(slug: &str) -> Option<&'static str> {
    Some(match slug {
        "gastronomia" => "FoodEstablishment",
        "restaurante" => "Restaurant",
        "cafe" => "CafeOrCoffeeShop",
        "padaria" | "confeitaria" => "Bakery",
        "sorveteria" | "acai" => "IceCreamShop",
        "lanchonete" | "hamburgueria" => "FastFoodRestaurant",
        "bar" => "BarOrPub",
        "cervejaria" => "Brewery",
        "balada" => "NightClub",
        "casa-de-show" => "MusicVenue",
        "teatro" => "PerformingArtsTheater",
        "cinema" => "MovieTheater",
        "museu" => "Museum",
        "galeria" => "ArtGallery",
        "biblioteca" => "Library",
        "livraria" | "sebo" => "BookStore",
        "shopping" => "ShoppingCenter",
        "compras" => "Store",
        "feira" => "Place",
        "parque" => "Park",
        "zoologico" => "Zoo",
        "lago-e-praia" => "Beach",
        "templo" => "PlaceOfWorship",
        "monumento" | "arquitetura" => "LandmarksOrHistoricalBuildings",
        "estadio" => "StadiumOrArena",
        "clube" => "SportsClub",
        _ => return None,
    })
}

/// Appends a place or an event as JSON-LD, in a block of its own. `kind` is its type.
pub(super) fn write(out: &mut String, kind: &str, record: &Record<'_>, url: &[&str], category: &str) {
    out.push_str("<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\"@type\":\"");
    put(out, &[kind, "\",\"name\":"]);
    text(out, &record.name);
    out.push_str(",\"url\":");
    text(out, &url.concat());
    if let Some(date) = record.date {
        put(out, &[",\"startDate\":\"", &date.to_string()]);
        if !record.start_time.is_empty() {
            // Brasília has kept this offset, summer and winter, since 2019
            put(out, &["T", &record.start_time, ":00-03:00"]);
        }
        out.push('"');
        if let Some(end) = record.end_date {
            put(out, &[",\"endDate\":\"", &end.to_string(), "\""]);
        }
        out.push_str(",\"location\":{\"@type\":\"Place\",\"name\":");
        text(out, if record.venue.is_empty() { record.area() } else { &record.venue });
        address(out, record);
        out.push('}');
        offer(out, &record.price);
    } else {
        address(out, record);
        if !record.price.is_empty() && is_business(kind) {
            out.push_str(",\"priceRange\":");
            text(out, &record.price);
        }
    }
    if !category.is_empty() {
        out.push_str(",\"keywords\":");
        text(out, category);
    }
    if !record.instagram.is_empty() {
        out.push_str(",\"sameAs\":");
        text(out, &["https://www.instagram.com/", &record.instagram, "/"].concat());
    }
    out.push_str("}</script>\n");
}

/// Whether schema.org has places of a type as businesses, which alone have a price range.
fn is_business(kind: &str) -> bool {
    !matches!(
        kind,
        "Place"
            | "Museum"
            | "Park"
            | "Zoo"
            | "Beach"
            | "PlaceOfWorship"
            | "LandmarksOrHistoricalBuildings"
            | "MusicVenue"
            | "PerformingArtsTheater"
    )
}

fn address(out: &mut String, record: &Record<'_>) {
    out.push_str(",\"address\":{\"@type\":\"PostalAddress\",\"addressLocality\":");
    let area = match (&*record.neighbourhood, &*record.region) {
        ("", region) => region.to_owned(),
        (neighbourhood, region) => [neighbourhood, region].join(", "),
    };
    text(out, &area);
    out.push_str(",\"addressRegion\":\"DF\",\"addressCountry\":\"BR\"}");
}

/// The price, when one is known: as a number where it is one.
fn offer(out: &mut String, price: &str) {
    if price.is_empty() {
        return;
    }
    out.push_str(",\"offers\":{\"@type\":\"Offer\",");
    match amount(price) {
        Some(amount) => put(out, &["\"price\":\"", &amount, "\",\"priceCurrency\":\"BRL\"}"]),
        None => {
            out.push_str("\"description\":");
            text(out, price);
            out.push('}');
        }
    }
}

/// A price that is one amount: "R$ 20", "R$ 19,90", "grátis".
fn amount(price: &str) -> Option<String> {
    let price = price.trim().to_lowercase();
    if ["grátis", "gratis", "gratuito", "entrada franca", "free"].contains(&price.as_str()) {
        return Some("0".to_owned());
    }
    let digits = price.strip_prefix("r$")?.trim();
    let (whole, cents) = digits.split_once(',').unwrap_or((digits, "00"));
    let plain = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let whole = whole.replace('.', "");
    (plain(&whole) && plain(cents) && cents.len() == 2).then(|| format!("{whole}.{cents}"))
}

/// Appends a JSON string that cannot end the block it stands in.
fn text(out: &mut String, text: &str) {
    // few texts have anything to escape; the two separators of lines that scripts mind begin with 0xE2
    let plain = |byte: u8| byte >= b' ' && !matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&' | 0xE2);
    if text.bytes().all(plain) {
        return put(out, &["\"", text, "\""]);
    }
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            char if char < ' ' || matches!(char, '\u{2028}' | '\u{2029}') => {
                out.push_str(&format!("\\u{:04x}", u32::from(char)));
            }
            char => out.push(char),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn block(record: &Record, kind: &str) -> Value {
        let mut out = String::new();
        write(&mut out, kind, record, &["https://guia.example", "/x"], "Bar");
        let inner = out.strip_prefix("<script type=\"application/ld+json\">").unwrap();
        let inner = inner.trim_end().strip_suffix("</script>").unwrap();
        assert!(!inner.contains('<'), "{inner}");
        serde_json::from_str(inner).unwrap()
    }

    #[test]
    fn a_name_cannot_end_the_block() {
        let name = "</script><b>\"\\ &\u{2028}";
        let record = Record { name: name.into(), region: "Plano Piloto".into(), ..Record::default() };
        let told = block(&record, "BarOrPub");
        assert_eq!(told["name"], name);
        assert_eq!(told["address"]["addressLocality"], "Plano Piloto");
        assert!(told.get("offers").is_none() && told.get("priceRange").is_none());
    }

    #[test]
    fn an_event_tells_what_is_known() {
        let record = Record {
            name: "Choro".into(),
            date: "2026-11-26".parse().ok(),
            start_time: "19:30".into(),
            venue: "Clube".into(),
            price: "R$ 1.020,50".into(),
            ..Record::default()
        };
        let told = block(&record, "Event");
        assert_eq!(told["startDate"], "2026-11-26T19:30:00-03:00");
        assert!(told.get("endDate").is_none());
        assert_eq!(told["location"]["name"], "Clube");
        assert_eq!(told["offers"]["price"], "1020.50");
    }

    #[test]
    fn prices_are_numbers_only_when_they_are_one() {
        assert_eq!(amount("R$ 20").as_deref(), Some("20.00"));
        assert_eq!(amount("Grátis").as_deref(), Some("0"));
        for vague in ["R$ 20 a R$ 40", "$$", "R$", "R$ 20,5", "consumação"] {
            assert_eq!(amount(vague), None, "{vague}");
        }
    }
}
