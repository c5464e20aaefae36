//! The sentences in Portuguese.

use chrono::{Datelike, NaiveDate, Weekday};
use snapshots::limits::{MAX_RUN_DAYS, YEARS};
use snapshots::recur::WINDOW_DAYS;

use super::{changes, first_of, of_others, places, some_of, translated};
use crate::columns::name_of;
use crate::problem::{Contact, Lang, Problem, Wanted};

/// Who adds what the lists of categories and areas lack: a curator of sheets does not edit the files of the folder.
const KEEPER: &str = "quem cuida das listas do guia";

/// Weekdays as days of each week: "toda sexta e todo sábado".
fn each(weekdays: &[Weekday]) -> String {
    let each = weekdays.iter().map(|day| match day {
        Weekday::Mon => "toda segunda",
        Weekday::Tue => "toda terça",
        Weekday::Wed => "toda quarta",
        Weekday::Thu => "toda quinta",
        Weekday::Fri => "toda sexta",
        Weekday::Sat => "todo sábado",
        Weekday::Sun => "todo domingo",
    });
    each.collect::<Vec<_>>().join(" e ")
}

/// The weekday of a day and which one of the month it is: "1º sábado do mês".
fn of_month(day: NaiveDate) -> String {
    let (weekday, ordinal) = match day.weekday() {
        Weekday::Mon => ("segunda", "ª"),
        Weekday::Tue => ("terça", "ª"),
        Weekday::Wed => ("quarta", "ª"),
        Weekday::Thu => ("quinta", "ª"),
        Weekday::Fri => ("sexta", "ª"),
        Weekday::Sat => ("sábado", "º"),
        Weekday::Sun => ("domingo", "º"),
    };
    match day.day0() / 7 + 1 {
        5 if ordinal == "ª" => format!("última {weekday} do mês"),
        5 => format!("último {weekday} do mês"),
        nth => format!("{nth}{ordinal} {weekday} do mês"),
    }
}

impl Problem {
    pub(crate) fn pt(&self) -> (String, String) {
        use Problem as P;
        let day = |day: &NaiveDate| format!("{}/{}", day.format("%d/%m"), day.year());
        let said = |what: &str, fix: &str| (what.to_owned(), fix.to_owned());
        match self {
            P::Unreadable { why } => {
                (format!("não pode ser lido: {}", why.text(Lang::Pt)), "confira o arquivo ou o endereço".into())
            }
            P::OldExcel => said("não é .xlsx nem .csv", "salve como Pasta de Trabalho do Excel (.xlsx)"),
            P::PasswordProtected => said(
                "tem senha, e por isso não pode ser lido",
                "no Excel: Arquivo > Informações > Proteger Pasta de Trabalho > Criptografar com Senha, apague a senha e \
                 salve",
            ),
            P::HiddenRow => said(
                "a linha está oculta e foi lida mesmo assim",
                "se não é do guia, apague-a ou escreva sim na coluna oculto",
            ),
            P::StruckRow => said(
                "o nome está riscado, e a linha foi lida mesmo assim",
                "apague a linha, ou escreva cancelado na coluna situação",
            ),
            P::SheetOfStatus { name } => (
                format!("a aba se chama {name:?}, e os seus eventos foram lidos como os outros"),
                "escreva a situação de cada um na coluna situação, ou oculte a aba".into(),
            ),
            P::WebPage { is_file: true } => said(
                "é uma página da web, não uma planilha, seja qual for o nome do arquivo",
                "abra-o no Excel e salve como Pasta de Trabalho do Excel (.xlsx)",
            ),
            P::WebPage { .. } => said(
                "o endereço dá uma página, não uma planilha",
                "no Google Planilhas: Arquivo > Compartilhar > Publicar na Web, formato CSV ou XLSX",
            ),
            P::NoHeader => said(
                "não tem linha de cabeçalho",
                "a primeira linha dá nomes às colunas, como nome, bairro, categoria",
            ),
            P::NoSheet => said(
                "não tem aba de lugares nem de eventos",
                "dê à aba o nome Lugares ou Eventos, e cabeçalhos como nome e categoria",
            ),
            P::Required => said("está vazio", "preencha; sem isto a linha não serve"),
            P::NoArea => said("está vazio, e também a região", "preencha o bairro ou a região"),
            P::BrokenFormula { shown } => {
                (format!("a fórmula dá {shown}"), "corrija a fórmula ou digite o valor".into())
            }
            P::DateForText => {
                said("o Excel fez uma data do texto", "formate a célula como Texto e digite de novo")
            }
            P::LostLetters => said("há letras perdidas (\u{fffd})", "digite o texto de novo"),
            P::TooLong { by, max } => (
                format!("tem {by} caracteres a mais"),
                format!("encurte para {max} ou menos; nada é cortado sozinho"),
            ),
            P::TooMany { max } => {
                (format!("tem mais de {max} itens"), format!("deixe os {max} mais importantes"))
            }
            P::UnknownCategory { typed, nearest } => (
                format!("{typed:?} não é uma categoria"),
                match nearest {
                    Some(label) => format!("seria {label:?}? escolha uma da lista, ou peça a nova a {KEEPER}"),
                    None => format!("escolha uma da lista, ou peça a nova a {KEEPER}"),
                },
            ),
            P::CategoryOfOtherKind { typed } => (
                format!("{typed:?} é categoria da outra aba"),
                "lugares e eventos têm categorias próprias: escolha outra".into(),
            ),
            P::UnknownArea { typed, nearest } => (
                format!("{typed:?} não é bairro nem região"),
                match nearest {
                    Some(name) => format!("seria {name:?}? escolha um da lista, ou peça o novo a {KEEPER}"),
                    None => format!("escolha um da lista, ou peça o novo a {KEEPER}"),
                },
            ),
            P::Ambiguous { typed, candidates } => (
                format!("{typed:?} pode ser mais de uma coisa"),
                format!("escreva {}", candidates.join(" ou ")),
            ),
            P::AreaElsewhere { area, region } => {
                (format!("{area:?} fica em {region:?}"), "corrija o bairro ou a região".into())
            }
            P::NotADate { typed } => (format!("{typed:?} não é uma data"), "escreva como 05/12/2026".into()),
            P::OpenEnded { typed, day: first } => (
                format!("{typed:?} diz só em que dia começa"),
                format!(
                    "escreva {}, e na coluna repete como se repete, ou na coluna data final o último dia",
                    day(first)
                ),
            ),
            P::NoSuchDay { typed } => (format!("{typed:?} não existe no calendário"), "corrija o dia".into()),
            P::DayOrMonth { row, typed } => (
                format!(
                    "pode ter o dia ou o mês primeiro, e na planilha há {typed:?} (linha {row}), que tem o mês primeiro"
                ),
                "escreva o mês por extenso, como 5 dez 2026, ou o dia primeiro em todas as linhas; no Google Planilhas, \
                 Arquivo > Configurações > Localidade: Brasil faz isso sozinho"
                    .into(),
            ),
            P::RelativeDay { typed } => {
                (format!("{typed:?} muda todo dia"), "escreva a data, como 05/12/2026".into())
            }
            P::EndBeforeStart => said(
                "o fim é antes do começo",
                "troque as duas datas ou corrija a errada; na virada do ano, escreva o ano das duas",
            ),
            P::NoDate => {
                said("está vazio, e o evento não se repete", "escreva a data, ou como ele se repete")
            }
            P::NotATime { typed } => {
                (format!("{typed:?} não é uma hora"), "escreva como 19h30 ou 19h às 22h".into())
            }
            P::NotARepeat { typed } => (
                format!("{typed:?} não é uma repetição conhecida"),
                "escreva como toda sexta, 1º sábado do mês, todo dia 25".into(),
            ),
            P::BadRule { typed } => (
                format!("{typed:?} não é uma regra que sirva aqui"),
                "escreva como toda sexta, 1º sábado do mês, todo dia 25; o último dia vai na coluna repete até".into(),
            ),
            P::RepeatNeedsDate => said("não diz em que dia começa", "escreva a primeira data na coluna data"),
            P::ExceptWithoutRepeat => said("há uma exceção sem repetição", "diga como o evento se repete"),
            P::NotYesNo { typed } => (format!("{typed:?} não é sim nem não"), "escreva sim ou não".into()),
            P::NotAStatus { typed } => (
                format!("{typed:?} não é uma situação"),
                "escreva cancelado, adiado ou esgotado, ou deixe vazio".into(),
            ),
            P::NotALink { typed } => {
                (format!("{typed:?} não é um link"), "copie o endereço inteiro, de https:// em diante".into())
            }
            P::NotAHandle { typed } => (
                format!("{typed:?} não é um perfil do Instagram"),
                "escreva só o nome do perfil, com letras, números, pontos e _".into(),
            ),
            P::NotANumber { typed, wanted } => (
                format!("{typed:?} não é um número que sirva aqui"),
                match wanted {
                    Wanted::Whole(least) => format!("escreva um número inteiro, {least} ou mais"),
                    Wanted::Degrees(example) => format!("escreva como {example}"),
                },
            ),
            P::WouldEmpty { count } => (
                format!("a planilha não tem linhas, e os {count} registros da pasta sumiriam"),
                "confira a planilha; se é isso mesmo, importe com --over".into(),
            ),
            P::VenueWithoutArea { typed, nearest } => (
                format!("{typed:?} não é um lugar do guia, e não há bairro nem região"),
                match nearest {
                    Some(name) => {
                        format!("seria {name:?}? corrija o local, ou preencha o bairro ou a região")
                    }
                    None => "corrija o local, ou preencha o bairro ou a região".into(),
                },
            ),
            P::UnknownPlace { typed } => (
                format!("{typed:?} não é id nem nome de um lugar do guia"),
                "corrija, ou acrescente o lugar na aba Lugares".into(),
            ),
            P::PlaceRenamed { typed, now, .. } => (
                format!("o lugar {typed:?} agora se chama {now:?}, pela linha com o id dele"),
                format!("escreva {now:?}; ou ponha o nome antigo na coluna outros nomes do lugar"),
            ),
            P::SeveralRepeats { typed } => (
                format!("{typed:?} diz dias de toda semana e dias de uma vez por mês"),
                "use duas linhas, uma para cada repetição".into(),
            ),
            P::Check { what, fix } | P::CheckElsewhere { what, fix, .. } => {
                (translated(what, Lang::Pt), translated(fix, Lang::Pt))
            }
            P::PlaceRemoved { place, events } => (
                match &**events {
                    [one] => format!("o lugar {place} sai, e o evento {one} é nele"),
                    _ => format!(
                        "o lugar {place} sai, e {} eventos são nele: {}",
                        events.len(),
                        first_of(events)
                    ),
                },
                "deixe o lugar na planilha, ou importe também a planilha de eventos sem ele".into(),
            ),
            P::ColumnGone { pt, count, first, is_refused, .. } => {
                let (of, lose) = (if *count == 1 { "registro" } else { "registros" }, if *is_refused { "perderia" } else { "perde" });
                let lose = if *count == 1 { lose.to_owned() } else { format!("{lose}m") };
                (
                    format!("não há mais a coluna {pt:?}, e {count} {of} {lose} o que ela dizia ({})", some_of(first, *count)),
                    if *is_refused {
                        "traga a coluna de volta, ou dê este nome à que a contém; se é para esvaziar, deixe-a só com o \
                         cabeçalho, ou importe com --over"
                            .into()
                    } else {
                        "confira; se não devia, traga a coluna de volta e importe de novo".into()
                    },
                )
            }
            P::OthersUnknown => said(
                "outros mudaram a pasta depois da última importação, e isso não pode ser comparado com a planilha",
                "veja o que a planilha muda; se é isso mesmo, importe com --over",
            ),
            P::UnknownEncoding => said(
                "não se sabe em que codificação estão os acentos",
                "salve como CSV UTF-8: no Excel, Arquivo > Salvar como > CSV UTF-8",
            ),
            P::DamagedWorkbook => said(
                "não é uma pasta do Excel, ou está danificada",
                "abra-a no Excel e salve de novo como .xlsx",
            ),
            P::WorkbookTooLarge => said(
                "tem células longe demais, ou é grande demais",
                "deixe só as colunas e linhas do guia; apague o que está muito à direita",
            ),
            P::NoFiles => {
                said("a pasta não tem planilha", "ponha nela arquivos .xlsx ou .csv, ou nomeie outra")
            }
            P::HiddenSheet => said("está oculta e não foi lida", "se a aba é do guia, mostre-a (Reexibir)"),
            P::MissingColumn { pt, .. } => (
                format!("falta a coluna {pt:?}"),
                "acrescente-a, ou dê este nome à coluna que a contém".into(),
            ),
            P::MoreCells { separator } => (
                format!(
                    "a linha tem mais células que o cabeçalho, talvez por um {separator} dentro de um texto"
                ),
                "ponha o texto entre aspas (\")".into(),
            ),
            P::OpenQuote => said(
                "tem aspas (\") que não fecham e levam junto as linhas seguintes",
                "feche as aspas no fim do texto, ou apague-as",
            ),
            P::ValueWithoutHeader => said(
                "tem um valor sob um cabeçalho vazio, que não foi lido",
                "dê um nome à coluna, ou apague o valor; veja se a linha não está deslocada",
            ),
            P::Uncalculated => said(
                "tem uma fórmula cujo valor o arquivo não guarda",
                "abra-o no Excel ou no LibreOffice e salve, ou digite o valor",
            ),
            P::Merged { .. } => said(
                "está mesclada com a célula de cima, e só a primeira linha tem o valor",
                "desfaça a mesclagem e escreva o valor em cada linha",
            ),
            P::UnknownColumn { typed, nearest } => (
                format!("a coluna {typed:?} não é conhecida"),
                nearest.map_or_else(
                    || "não foi lida".to_owned(),
                    |near| format!("não foi lida; seria {near:?}?"),
                ),
            ),
            P::RenamedColumn { typed, nearest } => (
                format!("a coluna {typed:?} não é conhecida, e falta a coluna {nearest:?}"),
                format!("se são os dados dela, mude o nome da coluna para {nearest:?}; senão, acrescente-a"),
            ),
            P::NearColumn { typed, read } => {
                (format!("a coluna {typed:?}"), format!("foi lida como {read:?}"))
            }
            P::RepeatedColumn { other } => (
                format!("quer dizer o mesmo que a coluna {other}, que foi lida"),
                "esta não foi lida".into(),
            ),
            P::SameColumn { other } => (
                format!("quer dizer o mesmo que a coluna {other}, e não se sabe qual das duas vale"),
                "deixe só uma, ou dê à outra um nome que diga o que ela é, como \"obs interna\"".into(),
            ),
            P::MeansEmpty { typed } => (format!("{typed:?} quer dizer vazio"), "deixe a célula vazia".into()),
            P::Mojibake => said("tinha letras trocadas, como SÃ£o", "foi consertado; confira"),
            P::Invisible => said("tinha caracteres invisíveis", "foram tirados"),
            P::LineBreak => said("tinha quebras de linha", "viraram espaços"),
            P::DoubleSpace => said("tinha espaços dobrados", "ficou um só"),
            P::SmartQuotes => said("tinha aspas curvas", "viraram aspas simples e retas"),
            P::Mended { typed, read } => (format!("{typed:?} foi lido como {read:?}"), "confira".into()),
            P::YearAssumed { day: read } => {
                (format!("falta o ano; foi lido {}", day(read)), "escreva o ano".into())
            }
            P::MonthFirst { day: read } => {
                (format!("o mês vinha antes do dia; foi lido {}", day(read)), "escreva dia/mês/ano".into())
            }
            P::WeekdayDiffers { day: read } => {
                (format!("{} é outro dia da semana", day(read)), "confira a data".into())
            }
            P::TimeAssumed { read } => (format!("foi lido como {read}"), "escreva como 19h30".into()),
            P::TimeInDate => said("a data tinha também a hora", "deixe ali só o dia, e a hora na coluna do horário"),
            P::EndOfRepeat { until } => (
                "a data final é de quando o evento já se repetiu".into(),
                format!("foi lida como o fim da repetição: até {}", day(until)),
            ),
            P::Contradicts { typed, cell, other } => (
                format!("diz {typed:?}, mas {cell} diz {other:?}"),
                "corrija a célula errada ou deixe-a vazia".into(),
            ),
            P::StartsAtEndOfDay { typed } => (
                format!("{typed:?} começa às 24h, o fim do dia"),
                "escreva 00:00 com a data do dia seguinte, ou 23:59".into(),
            ),
            P::YearOutOfRange { day: read } => (
                format!("a data {} está fora dos anos do guia", day(read)),
                format!("corrija o ano: de {} a {}", YEARS.start(), YEARS.end()),
            ),
            P::TooLongRun { days } => (
                format!("o evento duraria {days} dias"),
                format!("corrija o ano; o máximo são {MAX_RUN_DAYS} dias"),
            ),
            P::EndsAsItStarts => said("termina na hora em que começa", "corrija a hora final, ou tire-a"),
            P::NoOccurrence => said(
                "a repetição não dá nenhum dia daqui em diante",
                "corrija a repetição, o fim dela ou as exceções, ou apague a linha",
            ),
            P::BeyondWindow { day: first } => (
                format!(
                    "o evento começa em {}, e dos que se repetem o guia só mostra os próximos {WINDOW_DAYS} dias",
                    day(first)
                ),
                "corrija o ano; se está certo, deixe até lá só a primeira data, sem as outras nem a repetição".into(),
            ),
            P::WeekdaysUnclear { typed } => (
                format!("{typed:?} não diz se é todo dia ou só nesses dias da semana"),
                "escreva como sextas, 04/12/2026 a 18/12/2026; se é todo dia, tire o dia da semana".into(),
            ),
            P::EndOfSeveral => said(
                "há uma data final, e vários dias: não se sabe de qual deles ela é",
                "tire a data final, ou faça uma linha para cada período",
            ),
            P::NotAPrice { typed } => (
                format!("{typed:?} não é um preço"),
                "escreva como R$ 20, R$ 20 a R$ 40 ou grátis; telefone, link e hora vão em outras colunas"
                    .into(),
            ),
            P::SeveralPlaces { typed, count, listed, .. } => (
                format!("há {count} lugares com o nome {typed:?}: {}", places(listed, "linha")),
                "escreva o id de um deles na coluna lugar do guia, ou o bairro ou a região dele".into(),
            ),
            P::NoSuchFile => said("o arquivo não existe", "confira o nome e a pasta"),
            P::NotPermitted => said("o arquivo não pode ser aberto", "peça permissão para ler o arquivo"),
            P::FileTooLarge { mib } => {
                (format!("o arquivo tem mais de {mib} MiB"), "deixe só as planilhas do guia".into())
            }
            P::PublicContact { what } => (
                match what {
                    Contact::Telephone => "tem um número de telefone, que aparece para todos no guia".into(),
                    Contact::Mail => "tem um endereço de e-mail, que aparece para todos no guia".into(),
                },
                "tire-o do texto, ou ponha-o na coluna nota, que não aparece; se é para todos, deixe assim"
                    .into(),
            ),
            P::StatusInName { typed, status } => (
                format!("está vazio, e o nome diz {typed:?}"),
                format!(
                    "escreva {:?} nesta coluna e tire-o do nome; se faz parte do nome, escreva \"confirmado\"",
                    match *status {
                        "cancelled" => "cancelado",
                        "sold_out" => "esgotado",
                        _ => "adiado",
                    }
                ),
            ),
            P::AllDay { typed } => {
                (format!("{typed:?} não é uma hora; ficou sem hora"), "deixe a célula vazia".into())
            }
            P::CentsApart { read, cents } => (
                format!(
                    "foi lido como {read:?}, e a célula seguinte, que não foi lida, tem {cents:?}: são os centavos?"
                ),
                format!("ponha o preço entre aspas no arquivo: \"{read},{cents}\""),
            ),
            P::SlashSessions { typed, count, read } => {
                let count = if *count == 2 { "duas".to_owned() } else { count.to_string() };
                (
                    format!("{typed:?} foi lido como {count} sessões: {read}"),
                    "se vai de uma hora até a outra, escreva como 9h às 18h; se são sessões, como 9h e 18h"
                        .into(),
                )
            }
            P::LongNight { read, hours } => (
                format!("foi lido como {read}, que são {hours} horas"),
                "confira as duas horas; se passa de um dia, escreva também a data final".into(),
            ),
            P::SecondHandle { read, typed } => (
                format!("de {typed:?} só o perfil {read:?} foi lido"),
                "deixe um perfil; os outros podem ficar na coluna nota".into(),
            ),
            P::AddressInOtherPart { area, other } => (
                format!("o endereço é de {area:?}, e o bairro é {other:?}"),
                "corrija o endereço ou o bairro".into(),
            ),
            P::ExchangedId => said(
                "o nome da linha é o que a pasta tem com outro id",
                "veja se os ids trocaram de linha: cada um fica com o seu nome; se os nomes é que mudaram, deixe assim",
            ),
            P::SampleSheet => said(
                "tem nome de modelo, exemplo ou rascunho e não foi lida",
                "se a aba é do guia, mude o nome para Lugares ou Eventos",
            ),
            P::NotesSkipped => said(
                "parecem títulos ou notas e não foram lidas",
                "se são registros, preencha as outras colunas",
            ),
            P::SheetChanges { count, first } => (
                format!(
                    "a pasta não vem de uma planilha, e a planilha muda {count} {} dela: {}",
                    if *count == 1 { "registro" } else { "registros" },
                    changes(first, Lang::Pt)
                ),
                "se a planilha é mais velha que a pasta, escreva nela o que vale e importe de novo".into(),
            ),
            P::OutOfBounds { typed, least, greatest, lacks_minus, are_swapped, example } => (
                format!("{typed:?} fica fora do mapa do guia, que vai de {least} a {greatest}"),
                match example {
                    _ if *are_swapped => "latitude e longitude estão trocadas: troque-as".into(),
                    _ if *lacks_minus => "falta o sinal de menos antes do número".into(),
                    Some(example) => format!("escreva como {example}"),
                    None => "confira no mapa e corrija".into(),
                },
            ),
            P::Over => said("o evento já passou", "apague a linha, ou corrija a data"),
            P::IdleExcept => said("numa das exceções não haveria nada", "corrija o dia, ou tire-o"),
            P::Twins => said(
                "outra linha tem o mesmo nome e a mesma área",
                "apague uma das duas, ou distinga-as pelo nome",
            ),
            P::UnknownVenue => said(
                "não é o nome de um lugar do guia",
                "corrija, ou acrescente o lugar na aba Lugares; se não é do guia, deixe assim",
            ),
            P::HttpTickets => {
                said("há um link que começa por http://", "escreva https://, na coluna link de ingressos")
            }
            P::FarFromArea => {
                said("a posição fica longe do bairro ou da região", "confira a posição, o bairro e a região")
            }
            P::FarOff => said("o evento começa daqui a mais de dois anos", "confira o ano"),
            P::OffRule => said(
                "neste dia o evento não acontece, pela repetição",
                "escreva o primeiro dia da repetição, ou corrija a repetição",
            ),
            P::NotServed { what, fix } => (translated(what, Lang::Pt), translated(fix, Lang::Pt)),
            P::NotShown => {
                said("o evento não aparece no dia em que acontece", "corrija este dia, ou deixe-o vazio")
            }
            P::OtherArea => said(
                "o lugar fica em outro bairro ou região que o evento",
                "corrija o local, ou o bairro e a região; com o lugar certo, podem ficar vazios",
            ),
            P::AddressElsewhere => {
                said("o endereço é de outra região", "corrija o endereço, ou o bairro e a região")
            }
            P::NotRead { file } => (
                format!("o arquivo {file:?} não foi lido"),
                "salve-o como .xlsx ou .csv, ou tire-o da pasta".into(),
            ),
            P::EveryMonth { first, next } => (
                format!("foi lido como todo dia {} do mês: {}", first.day(), next.iter().map(day).collect::<Vec<_>>().join(", ")),
                format!("se é isso, escreva \"todo dia {}\"; senão, escreva {:?}", first.day(), of_month(*first)),
            ),
            P::EveryWeek { typed, weekdays } => (
                format!("{typed:?} foi lido como toda semana, sem fim"),
                format!("se é um dia só, escreva a data, como 05/12/2026; senão, escreva {}", each(weekdays)),
            ),
            P::UntilWithoutRepeat => said(
                "diz até quando o evento se repete, e ele não se repete",
                "não foi usado; diga como se repete",
            ),
            P::EndWithoutStart => {
                said("falta a hora de começo", "a hora final não foi usada; escreva as duas")
            }
            P::HttpLink => said("o link começava por http://", "foi escrito com https://; confira se abre"),
            P::CompletedLink => said("o link não começava por https://", "foi completado; confira se abre"),
            P::EncodedLink => said("o link tinha espaços ou acentos", "foram codificados; confira se abre"),
            P::HandleMended { read } => {
                (format!("o perfil foi lido como {read:?}"), "escreva só o nome do perfil".into())
            }
            P::PostLink => {
                said("é link de uma publicação, não de um perfil", "ficou só como link do Instagram")
            }
            P::AreaFromAddress { read } => {
                (format!("está vazio; pelo endereço é {read:?}"), "confira".into())
            }
            P::ListedTwice { typed } => (format!("{typed:?} aparece duas vezes"), "ficou uma".into()),
            P::TimeForLastDay { typed } => (
                format!("{typed:?} é uma hora, e esta coluna é a do último dia"),
                "se a coluna tem horas, dê a ela o nome \"hora final\"".into(),
            ),
            P::BelongsTo { field } => {
                let column = name_of(field, Lang::Pt);
                (format!("isto é da coluna {column}, e foi para ela"), "escreva lá".into())
            }
            P::BarePrice => said("é um número sem R$, e foi lido em reais", "confira"),
            P::LinesJoined => said("tinha quebras de linha", "viraram vírgulas"),
            P::HtmlCodes => said("tinha códigos de HTML, como &amp;", "viraram as letras que eles dizem"),
            P::QuestionMarks => said(
                "tem um ? dentro de uma palavra, talvez no lugar de uma letra que se perdeu",
                "se é isso, digite o texto de novo",
            ),
            P::ClosedInName { typed } => (
                format!("o nome diz {typed:?}, e o lugar aparece no guia como aberto"),
                "se fechou, apague a linha ou escreva sim na coluna oculto; se não, tire isto do nome".into(),
            ),
            P::PrecisionAlone => {
                said("faltam a latitude e a longitude", "a precisão não foi usada; escreva as três, ou nenhuma")
            }
            P::IdsFollowNames => said(
                "os ids trocaram de linha, e cada registro ficou com o que já era do seu nome",
                "ao ordenar a planilha, selecione também a coluna dos ids",
            ),
            P::IdChanged { before, now } => (
                format!("o id mudou de {before:?} para {now:?}"),
                format!("se foi sem querer, escreva {before:?} de novo: os links para o registro usam o antigo"),
            ),
            P::PlaceGone { typed } => (
                format!("o lugar {typed:?} saiu da planilha de lugares, e o evento é nele"),
                "traga o lugar de volta, ou corrija o local; assim o evento fica sem o lugar".into(),
            ),
            P::SheetGone { sheet, is_of_places } => (
                format!(
                    "a última importação leu {sheet:?}, que não está mais no arquivo; os {} da pasta ficam como estão",
                    if *is_of_places { "lugares" } else { "eventos" }
                ),
                "traga a aba de volta; se é para esvaziar, deixe-a só com o cabeçalho e importe com --over".into(),
            ),
            P::HalfDescription => {
                said("falta a descrição na outra língua", "a descrição não foi usada; escreva as duas")
            }
            P::HalfPosition => {
                said("falta a outra coordenada", "a posição não foi usada; escreva latitude e longitude")
            }
            P::BadId { typed, read } => {
                (format!("{typed:?} não serve de id"), format!("ficou {read:?}; ids têm a-z, 0-9 e hífen"))
            }
            P::TwinId { typed, read } => (
                format!("{typed:?} já é o id de outra linha"),
                format!("esta ficou {read:?}; linhas copiadas: apague o id"),
            ),
            P::ColumnOfOtherKind => said("esta coluna é da outra aba", "não foi lida"),
            P::NoRecords { .. } => said(
                "nem a planilha nem a pasta têm lugares ou eventos",
                "preencha a planilha e importe de novo",
            ),
            P::Vanishes { count: 1, first } => {
                ("1 registro da pasta não está na planilha e some".to_owned(), first.join(", "))
            }
            P::Vanishes { count, first } => (
                format!("{count} registros da pasta não estão na planilha e somem"),
                format!("os primeiros: {}", first.join(", ")),
            ),
            P::KeptOfOthers { changes } => (
                format!(
                    "outros mudaram isto depois da última importação, e foi mantido: {}",
                    of_others(changes, Lang::Pt)
                ),
                "escreva na planilha o que vale; para valer a planilha, importe com --over".into(),
            ),
            P::ReplacesOthers { changes } => (
                format!(
                    "outros mudaram isto depois da última importação, e a planilha também: {}",
                    of_others(changes, Lang::Pt)
                ),
                "vale a planilha; confira se é isso".into(),
            ),
            P::IdsNotWritten { why } => (
                format!("os ids não foram escritos na planilha: {}", why.text(Lang::Pt)),
                "os nomes os guardam por enquanto; não mude nomes antes de importar de novo".into(),
            ),
            P::IdsBeside { file } => (
                "os ids não podem ser escritos na planilha sem risco".into(),
                format!("estão em {file:?}: copie a coluna id para a planilha"),
            ),
            P::OpenElsewhere => said(
                "os ids não foram escritos: o arquivo está aberto em outro programa",
                "feche-o e importe de novo",
            ),
            P::ChangedMeanwhile => {
                said("os ids não foram escritos: o arquivo mudou durante a importação", "importe de novo")
            }
            P::IdsNeedColumn => said(
                "os ids não podem ser escritos neste endereço",
                "os nomes os guardam; para mudar um nome, copie antes o id para uma coluna id",
            ),
            P::Empty => said("está vazio", "preencha quando souber"),
            P::SheetSkipped => said("não é aba de lugares nem de eventos", "não foi lida"),
            P::PrecisionAssumed => said("a posição não tem precisão", "foi suposta em 50 m"),
        }
    }
}
