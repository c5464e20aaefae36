//! The sentences of the check of a guide, in Portuguese. The crate snapshots writes them in English, also into the JSON
//! that programs read; here each has its other half.

/// A sentence in English, with `{}` where it quotes something, and in Portuguese with the same quotes in order. The
/// first that fits counts, so that longer ones come before those that fit their beginnings.
#[rustfmt::skip]
const SENTENCES: &[(&str, &str)] = &[
    // files
    ("the file is missing", "o arquivo não existe"),
    ("add {} to the snapshot folder; README.md of the snapshots crate shows what it holds", "ponha {} na pasta do guia; `candango snapshot init` faz uma pasta com ele"),
    ("the file cannot be read: {}", "o arquivo não pode ser lido: {}"),
    ("check the path and its permissions", "verifique o caminho e as permissões"),
    ("the file is larger than {} MiB", "o arquivo tem mais de {} MiB"),
    ("reduce the number of records", "diminua o número de registros"),
    ("line {} is not valid UTF-8", "a linha {} não é UTF-8"),
    ("save the file as UTF-8", "salve o arquivo como UTF-8"),
    ("is not valid JSON: {}", "não é JSON: {}"),
    ("correct the file at that line and column", "corrija o arquivo nessa linha e coluna"),
    ("does not hold a list: {}", "não é uma lista: {}"),
    ("write it as [ {...}, {...} ]", "escreva [ {...}, {...} ]"),
    ("write it as { ... }", "escreva { ... }"),
    ("the snapshot holds neither places nor events", "o guia não tem lugares nem eventos"),
    ("add records to places.json or events.json", "ponha lugares ou eventos, por exemplo com uma planilha"),
    ("the snapshot holds {} places and events", "o guia tem {} lugares e eventos"),
    ("keep at most {} in sum", "fique com no máximo {} ao todo"),
    ("places and dated events hold {} MiB of text", "lugares e eventos com suas datas têm {} MiB de texto"),
    ("shorten texts or remove records; {} MiB is the most", "encurte textos ou retire registros; o máximo são {} MiB"),
    ("regions.json has no area with the slug {}, which the free plan covers; add it, or correct the setting plans.free.area", "falta em regions.json a área com o slug {}, a do plano grátis; acrescente-a, ou corrija a configuração plans.free.area"),
    // fields
    ("is {}, not {}", "é {}, e não {}"),
    ("leave the field out when it is unknown", "deixe o campo de fora quando não se sabe"),
    ("leave the field out unless it is true", "deixe o campo de fora, se não é true"),
    ("is missing beside neighbourhoods", "falta ao lado de neighbourhoods"),
    ("is missing beside positions", "falta ao lado das posições"),
    ("is missing beside shapes", "falta ao lado de shapes"),
    ("is missing", "falta"),
    ("is false", "é false"),
    ("is empty", "está vazio"),
    ("is not a known field", "não é um campo conhecido"),
    ("known are: {}", "os conhecidos são: {}"),
    ("did you mean {}? Save the source as UTF-8", "seria {}? Salve a origem como UTF-8"),
    ("did you mean {}?", "seria {}?"),
    ("give it a text, or leave the field out", "dê um texto, ou deixe o campo de fora"),
    ("leave the field out: the place has a region", "deixe o campo de fora: o lugar tem uma região"),
    ("{} is not a day of the calendar", "{} não é um dia do calendário"),
    ("write a real date as YYYY-MM-DD", "escreva uma data que existe, como AAAA-MM-DD"),
    ("{} is not a date and time", "{} não é data e hora"),
    ("{} is not a time", "{} não é uma hora"),
    ("write HH:MM, from 00:00 to 23:59", "escreva HH:MM, de 00:00 a 23:59"),
    ("write a whole number from {} to {}", "escreva um número inteiro de {} a {}"),
    ("write whole metres, from {} to {}", "escreva metros inteiros, de {} a {}"),
    ("write degrees from {} to {}, south of the equator below 0: {}", "escreva graus de {} a {}, ao sul do equador abaixo de 0: {}"),
    ("write degrees from {} to {}, west of Greenwich below 0: {}", "escreva graus de {} a {}, a oeste de Greenwich abaixo de 0: {}"),
    ("add \"date\", or \"repeat\" for an event that repeats", "acrescente \"date\", ou \"repeat\" se o evento se repete"),
    ("write one of {}, or leave the field out", "escreva um destes: {}, ou deixe o campo de fora"),
    ("write one of {}", "escreva um destes: {}"),
    ("{} is not a status", "{} não é uma situação"),
    ("{} is not a kind", "{} não é um tipo"),
    // texts
    ("{} begins or ends with a space", "{} começa ou termina com um espaço"),
    ("remove the spaces around it", "tire os espaços em volta"),
    ("contains the control or invisible character {}", "contém o caractere invisível ou de controle {}"),
    ("remove it; a text is one line of visible characters", "tire-o; um texto é uma linha de caracteres visíveis"),
    ("is {} characters long and gets a date appended for each day", "tem {} caracteres, e ganha uma data para cada dia"),
    ("is {} characters long", "tem {} caracteres"),
    ("shorten it to {} or fewer", "encurte para {} ou menos"),
    ("use at most {}", "no máximo {}"),
    ("holds {} entries", "tem {} itens"),
    ("keep the {} that matter most", "fique com os {} mais importantes"),
    ("{} is listed twice", "{} está listado duas vezes"),
    ("remove the second one", "tire o segundo"),
    ("list each category once", "liste cada categoria uma vez"),
    ("keep one of the two", "fique com um dos dois"),
    ("{} is not an id", "{} não é um id"),
    ("use 1 to {} lower-case letters a-z, digits and hyphens", "use de 1 a {} letras minúsculas a-z, dígitos e hifens"),
    ("{} is also the id of record #{}", "{} é também o id do registro #{}"),
    ("give record #{} an id of its own", "dê ao registro #{} um id próprio"),
    ("{} is also the {} of {}", "{} é também o {} de {}"),
    ("give each its own", "dê um próprio a cada um"),
    ("{} is not an absolute https link", "{} não é um link https inteiro"),
    ("write https://{} if the site answers there, else leave it out", "escreva https://{} se o site responde assim, senão deixe de fora"),
    ("write the whole address, from https:// on", "escreva o endereço inteiro, a partir de https://"),
    ("{} has no valid host", "{} não tem um site válido"),
    ("write it as https://host/path", "escreva como https://site/caminho"),
    ("{} contains a character that is not allowed in a link", "{} contém um caractere que não pode estar num link"),
    ("percent-encode spaces, accents, quotes and brackets", "copie o link da barra de endereços, sem espaços e acentos"),
    ("{} is not an Instagram handle", "{} não é um perfil do Instagram"),
    ("write the handle alone; the address goes to links.instagram", "escreva só o perfil; o endereço vai em links.instagram"),
    ("write it without the @: {}", "escreva sem o @: {}"),
    ("use 1 to {} letters, digits, dots and underscores", "use de 1 a {} letras, dígitos, pontos e sublinhados"),
    // places and categories
    ("{} is not the id of a place", "{} não é o id de um lugar"),
    ("use the id of a place in places.json, or write the name as venue", "use o id de um lugar de places.json, ou escreva o nome como venue"),
    ("{} is not a known region", "{} não é uma região conhecida"),
    ("write it as neighbourhood, with region {}", "escreva como neighbourhood, com a região {}"),
    ("use the name of a region in regions.json, or add it there", "use o nome de uma região de regions.json, ou acrescente lá"),
    ("{} is not in {} but in {}", "{} não fica em {}, e sim em {}"),
    ("correct the one or the other: region {} would fit", "corrija um ou outro: a região {} combinaria"),
    ("{} is not a known neighbourhood", "{} não é um bairro conhecido"),
    ("use the name of a neighbourhood in regions.json, or add it there", "use o nome de um bairro de regions.json, ou acrescente lá"),
    ("{} is neither a known region nor a known neighbourhood", "{} não é uma região nem um bairro conhecido"),
    ("use a name of regions.json", "use um nome de regions.json"),
    ("{} is a category for events only", "{} é uma categoria só de eventos"),
    ("{} is a category for places only", "{} é uma categoria só de lugares"),
    ("use one for events, or change its kind in categories.json", "use uma de eventos, ou mude o tipo dela em categories.json"),
    ("use one for places, or change its kind in categories.json", "use uma de lugares, ou mude o tipo dela em categories.json"),
    ("{} is not a known category", "{} não é uma categoria conhecida"),
    ("use a slug of categories.json, or add it there", "use um slug de categories.json, ou acrescente lá"),
    ("use a slug of categories.json", "use um slug de categories.json"),
    // days and hours
    ("stand beside start_time or end_time", "estão ao lado de start_time ou end_time"),
    ("write each hour in sessions only", "escreva as horas só em sessions"),
    ("holds a single session", "tem uma sessão só"),
    ("write it as start_time and end_time, or add the others", "escreva como start_time e end_time, ou acrescente as outras"),
    ("{} does not come after {}", "{} não vem depois de {}"),
    ("list the sessions of a day in order, each once", "liste as sessões de um dia em ordem, cada uma uma vez"),
    ("stands without start_time", "está sem start_time"),
    ("add the start_time, or remove the end_time", "acrescente start_time, ou tire end_time"),
    ("is the hour at which it begins", "é a hora em que começa"),
    ("correct it, or leave it out", "corrija, ou deixe de fora"),
    ("{} is before show_from, {}", "{} vem antes de show_from, {}"),
    ("swap them, or correct the one that is wrong", "troque os dois, ou corrija o que está errado"),
    ("{} is out of range", "{} está fora do que se aceita"),
    ("use a year from {} to {}", "use um ano de {} a {}"),
    ("{} is before the date, {}", "{} vem antes da data, {}"),
    ("the event would run for {} days", "o evento duraria {} dias"),
    ("correct the year; {} days is the most", "corrija o ano; o máximo são {} dias"),
    ("an event that repeats has an end_date and no date", "um evento que se repete tem end_date e não tem date"),
    ("add the date of the first run, so that its length is known", "acrescente a data da primeira vez, para se saber quanto dura"),
    ("{} has the form of a date of {}", "{} tem a forma de uma data de {}"),
    ("give one of the two another id, or add the day to except and rename it", "dê outro id a um dos dois, ou ponha o dia em except e mude o nome"),
    ("the rule is not a valid RRULE: {}", "a regra não é uma RRULE: {}"),
    ("write it like FREQ=WEEKLY;BYDAY=SU or FREQ=YEARLY;BYEASTER=-2", "escreva como FREQ=WEEKLY;BYDAY=SU ou FREQ=YEARLY;BYEASTER=-2"),
    ("the rule repeats within a day", "a regra se repete dentro de um dia"),
    ("use FREQ=DAILY, WEEKLY, MONTHLY or YEARLY, without BYHOUR, BYMINUTE and BYSECOND", "use FREQ=DAILY, WEEKLY, MONTHLY ou YEARLY, sem BYHOUR, BYMINUTE e BYSECOND"),
    ("the rule contains UNTIL", "a regra contém UNTIL"),
    ("write the last day in repeat.until, as YYYY-MM-DD", "escreva o último dia em repeat.until, como AAAA-MM-DD"),
    ("the rule does not define its days alone, and the event has no date to count from", "a regra não diz sozinha os dias, e o evento não tem data para contar"),
    ("add the event's first date, or name the days (BYDAY, BYMONTHDAY, BYEASTER)", "acrescente a primeira data, ou diga os dias (BYDAY, BYMONTHDAY, BYEASTER)"),
    ("it gives no date from {} to {}", "não dá nenhuma data de {} a {}"),
    ("correct the rule, dates, until and except, or remove the event", "corrija a regra, as datas, until e except, ou retire o evento"),
    // positions
    ("lat and lon are swapped: swap them, or correct the bounds of positions.json", "lat e lon estão trocados: troque-os, ou corrija os limites de positions.json"),
    ("correct it, or the bounds of positions.json", "corrija, ou corrija os limites de positions.json"),
    ("{} is not within the bounds, {} to {}", "{} não está dentro dos limites, de {} a {}"),
    ("is {} km from the middle of {}", "fica a {} km do meio de {}"),
    ("check the position, the neighbourhood and the region", "verifique a posição, o bairro e a região"),
    // warnings
    ("{} has a link with http://", "{} tem um link com http://"),
    ("write https:// if the shop answers there, and in links.tickets", "escreva https:// se a loja responde assim, e em links.tickets"),
    ("the place {} is in {}", "o lugar {} fica em {}"),
    ("correct the place, or the neighbourhood and the region", "corrija o lugar, ou o bairro e a região"),
    ("{} is in {}, and the record in {}", "{} fica em {}, e o registro em {}"),
    ("correct the address, or the neighbourhood and the region", "corrija o endereço, ou o bairro e a região"),
    ("has the name and area of {}", "tem o nome e a área de {}"),
    ("remove one of the two, or tell them apart by name", "retire um dos dois, ou dê nomes que os distingam"),
    ("{} is the name of no place", "{} não é o nome de nenhum lugar"),
    ("add the place, or leave it if it is none", "acrescente o lugar, ou deixe assim se não é um"),
    ("was over on {}", "acabou em {}"),
    ("remove the event, or correct its dates", "retire o evento, ou corrija as datas"),
    ("remove the event, or correct its date", "retire o evento, ou corrija a data"),
    ("has no more dates", "não tem mais datas"),
    ("nothing takes place on {} by the rule", "pela regra nada acontece em {}"),
    ("nothing takes place on {}", "nada acontece em {}"),
    ("correct the day, or remove it", "corrija o dia, ou tire-o"),
    ("{} is more than two years ahead", "{} está a mais de dois anos"),
    ("check the year", "verifique o ano"),
    ("{} is before the event, {}", "{} vem antes do evento, {}"),
    ("{} is after the event, {}", "{} vem depois do evento, {}"),
    ("write the first day of the rule, or correct the rule", "escreva o primeiro dia da regra, ou corrija a regra"),
    ("the guide was finished on {}, more than {} days ago", "o guia foi terminado em {}, há mais de {} dias"),
    ("add what is new, and write today", "acrescente o que há de novo, e escreva hoje"),
    ("no event takes place in the next {} days", "nenhum evento acontece nos próximos {} dias"),
    ("add the next events", "acrescente os próximos eventos"),
    ("{} has two spaces in a row", "{} tem dois espaços seguidos"),
    ("leave one of them", "deixe um só"),
    ("{} looks wrongly decoded", "{} parece mal decodificado"),
    ("stands twice in the same object, and the last one counts", "está duas vezes no mesmo objeto, e vale a última"),
    ("remove one of them", "tire uma delas"),
    ("is no longer shown: its last day was {}", "já não aparece: o último dia foi {}"),
    ("is shown only from {} on", "só aparece a partir de {}"),
    ("the place {} is hidden", "o lugar {} está oculto"),
    ("the place {} is shown only until {}", "o lugar {} só aparece até {}"),
    ("the place {} is shown only from {} on", "o lugar {} só aparece a partir de {}"),
    ("correct show_until, or remove the place", "corrija show_until, ou retire o lugar"),
    ("correct show_from, if that is too late", "corrija show_from, se é tarde demais"),
    ("show the place, or write another one", "mostre o lugar, ou escreva outro"),
    // what a publication loses
    ("places fall from {} to {}, by more than {} %", "os lugares caem de {} para {}, mais de {} %"),
    ("events fall from {} to {}, by more than {} %", "os eventos caem de {} para {}, mais de {} %"),
    ("region {} had {} places and events and has none any more", "a região {} tinha {} lugares e eventos, e não tem mais nenhum"),
    ("category {} had {} places and events and has none any more", "a categoria {} tinha {} lugares e eventos, e não tem mais nenhum"),
    // two snapshots compared
    ("no difference", "nenhuma diferença"),
    ("places: {} added, {} removed, {} changed", "lugares: {} a mais, {} a menos, {} mudados"),
    ("events: {} added, {} removed, {} changed", "eventos: {} a mais, {} a menos, {} mudados"),
    ("regions: {} added, {} removed, {} changed", "regiões: {} a mais, {} a menos, {} mudadas"),
    ("neighbourhoods: {} added, {} removed, {} changed", "bairros: {} a mais, {} a menos, {} mudados"),
    ("categories: {} added, {} removed, {} changed", "categorias: {} a mais, {} a menos, {} mudadas"),
    ("address codes: {} added, {} removed, {} changed", "códigos de endereço: {} a mais, {} a menos, {} mudados"),
    ("synonyms: {} added, {} removed, {} changed", "sinônimos: {} a mais, {} a menos, {} mudados"),
    ("also changed: {}", "mudou também: {}"),
    // the beginnings of others
    ("add {}", "acrescente {}"),
    ("is {}", "é {}"),
];

/// What a value is, and what it should be.
const KINDS: &[(&str, &str)] = &[
    ("true or false", "true ou false"),
    ("a number", "um número"),
    ("a whole number", "um número inteiro"),
    ("a text", "um texto"),
    ("a list", "uma lista"),
    ("an object", "um objeto"),
];

/// A sentence in Portuguese; `None` when it is not known.
pub(super) fn portuguese(sentence: &str) -> Option<String> {
    SENTENCES.iter().find_map(|(english, portuguese)| {
        let quotes = quotes(sentence, english)?;
        let mut parts = portuguese.split("{}");
        let mut text = parts.next().unwrap_or_default().to_owned();
        for (quote, part) in quotes.iter().zip(parts) {
            let kind = KINDS.iter().find(|(english, _)| english == quote);
            text.push_str(kind.map_or(quote, |(_, portuguese)| portuguese));
            text.push_str(part);
        }
        Some(text)
    })
}

/// What a sentence quotes where a pattern has `{}`; `None` when it is another sentence. What follows a quote is looked
/// for from its left, and the end of the pattern at the end of the sentence.
fn quotes<'s>(sentence: &'s str, pattern: &str) -> Option<Vec<&'s str>> {
    let mut parts = pattern.split("{}").peekable();
    let mut rest = sentence.strip_prefix(parts.next()?)?;
    let mut quotes = Vec::new();
    while let Some(part) = parts.next() {
        let (quote, after) = match parts.peek() {
            None => (rest.strip_suffix(part)?, ""),
            Some(_) => rest.split_once(part)?,
        };
        quotes.push(quote);
        rest = after;
    }
    rest.is_empty().then_some(quotes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_of_a_sentence_quote_as_much() {
        for (english, portuguese) in SENTENCES {
            assert_eq!(english.matches("{}").count(), portuguese.matches("{}").count(), "{english}");
        }
    }

    #[test]
    fn no_sentence_hides_a_later_one() {
        for (english, expected) in SENTENCES {
            let sentence = english.replace("{}", "\"x\"");
            assert_eq!(portuguese(&sentence), Some(expected.replace("{}", "\"x\"")), "{english}");
        }
    }

    #[test]
    fn quotes_are_kept_as_they_are() {
        let said = portuguese("\"Bar; is missing\" is the name of no place");
        assert_eq!(said.as_deref(), Some("\"Bar; is missing\" não é o nome de nenhum lugar"));
        assert_eq!(portuguese("nobody knows this"), None);
    }
}
