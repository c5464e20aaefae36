//! The sentences of an import in Portuguese and English: what is the case, after the name of the column, and how to fix
//! it or what was done.

use chrono::NaiveDate;
use snapshots::limits::{MAX_RUN_DAYS, YEARS};

use crate::problem::Problem;

impl Problem {
    pub(crate) fn pt(&self) -> (String, String) {
        use Problem as P;
        let day = |day: &NaiveDate| day.format("%d/%m/%Y").to_string();
        let said = |what: &str, fix: &str| (what.to_owned(), fix.to_owned());
        match self {
            P::Unreadable { why } => {
                (format!("não pode ser lido: {why}"), "confira o arquivo ou o endereço".into())
            }
            P::OldExcel => said("não é .xlsx nem .csv", "salve como Pasta de Trabalho do Excel (.xlsx)"),
            P::WebPage => said(
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
            P::UnknownCategory { typed } => (
                format!("{typed:?} não é uma categoria"),
                "escolha uma da lista, ou acrescente-a em categories.json".into(),
            ),
            P::CategoryOfOtherKind { typed } => (
                format!("{typed:?} é categoria da outra aba"),
                "lugares e eventos têm categorias próprias: escolha outra".into(),
            ),
            P::UnknownArea { typed } => (
                format!("{typed:?} não é bairro nem região"),
                "escolha um da lista, ou acrescente-o em regions.json".into(),
            ),
            P::Ambiguous { typed, candidates } => (
                format!("{typed:?} pode ser mais de uma coisa"),
                format!("escreva {}", candidates.join(" ou ")),
            ),
            P::AreaElsewhere { area, region } => {
                (format!("{area:?} fica em {region:?}"), "corrija o bairro ou a região".into())
            }
            P::NotADate { typed } => (format!("{typed:?} não é uma data"), "escreva como 05/12/2026".into()),
            P::NoSuchDay { typed } => (format!("{typed:?} não existe no calendário"), "corrija o dia".into()),
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
            P::NotANumber { typed } => {
                (format!("{typed:?} não é um número que sirva aqui"), "escreva um número".into())
            }
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
            P::Check { what, fix } | P::CheckElsewhere { what, fix } => (what.clone(), fix.clone()),
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
            P::NearColumn { typed, read } => {
                (format!("a coluna {typed:?}"), format!("foi lida como {read:?}"))
            }
            P::RepeatedColumn => said("há outra coluna igual antes", "só a primeira foi lida"),
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
            P::TimeInDate => said("a data tinha também a hora", "vale se a coluna do horário está vazia"),
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
            P::OutOfBounds { least, greatest } => (
                format!("a posição fica fora do mapa do guia, que vai de {least} a {greatest}"),
                "corrija; latitude e longitude estão trocadas?".into(),
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
            P::EveryWeek { typed } => (
                format!("{typed:?} foi lido como toda semana, sem fim"),
                "se é um dia só, escreva a data, como 05/12/2026; senão, escreva como todo sábado".into(),
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
            P::PriceMoved { to } => {
                (format!("isto não é preço e foi para a coluna {to}"), "escreva lá".into())
            }
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
            P::Vanishes { count, first } => (
                format!("{count} registros da pasta não estão na planilha e somem"),
                format!("os primeiros: {}", first.join(", ")),
            ),
            P::KeptOfOthers { changes } => (
                format!(
                    "outros mudaram isto depois da última importação, e foi mantido: {}",
                    changes.join("; ")
                ),
                "escreva na planilha o que vale; para valer a planilha, importe com --over".into(),
            ),
            P::ReplacesOthers { changes } => (
                format!(
                    "outros mudaram isto depois da última importação, e a planilha também: {}",
                    changes.join("; ")
                ),
                "vale a planilha; confira se é isso".into(),
            ),
            P::IdsNotWritten { why } => (
                format!("os ids não foram escritos na planilha: {why}"),
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

    pub(crate) fn en(&self) -> (String, String) {
        use Problem as P;
        let said = |what: &str, fix: &str| (what.to_owned(), fix.to_owned());
        match self {
            P::Unreadable { why } => {
                (format!("cannot be read: {why}"), "check the file or the address".into())
            }
            P::OldExcel => said("is neither .xlsx nor .csv", "save it as an Excel workbook (.xlsx)"),
            P::WebPage => said(
                "the address gives a web page, not a sheet",
                "in Google Sheets: File > Share > Publish to web, format CSV or XLSX",
            ),
            P::NoHeader => said(
                "has no header row",
                "the first row names the columns, such as name, neighbourhood, category",
            ),
            P::NoSheet => said(
                "has no sheet of places or events",
                "name the sheet Places or Events, with headers such as name and category",
            ),
            P::Required => said("is empty", "fill it in; the row is of no use without it"),
            P::NoArea => said("is empty, and so is the region", "fill in the neighbourhood or the region"),
            P::BrokenFormula { shown } => {
                (format!("the formula gives {shown}"), "correct the formula or type the value".into())
            }
            P::DateForText => {
                said("Excel made a date of the text", "format the cell as Text and type it again")
            }
            P::LostLetters => said("letters are lost (\u{fffd})", "type the text again"),
            P::TooLong { by, max } => (
                format!("is {by} characters too long"),
                format!("shorten it to {max} or fewer; nothing is cut"),
            ),
            P::TooMany { max } => {
                (format!("holds more than {max} entries"), format!("keep the {max} that matter most"))
            }
            P::UnknownCategory { typed } => (
                format!("{typed:?} is not a category"),
                "choose one of the list, or add it to categories.json".into(),
            ),
            P::CategoryOfOtherKind { typed } => (
                format!("{typed:?} is a category of the other sheet"),
                "places and events have their own categories: choose another".into(),
            ),
            P::UnknownArea { typed } => (
                format!("{typed:?} is neither a neighbourhood nor a region"),
                "choose one of the list, or add it to regions.json".into(),
            ),
            P::Ambiguous { typed, candidates } => {
                (format!("{typed:?} may mean several things"), format!("write {}", candidates.join(" or ")))
            }
            P::AreaElsewhere { area, region } => {
                (format!("{area:?} is in {region:?}"), "correct the neighbourhood or the region".into())
            }
            P::NotADate { typed } => {
                (format!("{typed:?} is not a date"), "write it as 05/12/2026, the day first".into())
            }
            P::NoSuchDay { typed } => {
                (format!("{typed:?} is no day of the calendar"), "correct the day".into())
            }
            P::RelativeDay { typed } => {
                (format!("{typed:?} changes every day"), "write the date, such as 05/12/2026".into())
            }
            P::EndBeforeStart => said(
                "the end is before the start",
                "swap the two dates or correct the wrong one; over new year, write the year of both",
            ),
            P::NoDate => said("is empty, and the event does not repeat", "write the date, or how it repeats"),
            P::NotATime { typed } => {
                (format!("{typed:?} is not a time"), "write it as 19:30 or 19h to 22h".into())
            }
            P::NotARepeat { typed } => (
                format!("{typed:?} is not a known repetition"),
                "write it as every friday, 1st saturday of the month, day 25 of each month".into(),
            ),
            P::RepeatNeedsDate => {
                said("does not say on which day it begins", "write the first date in the column date")
            }
            P::ExceptWithoutRepeat => {
                said("there is an exception without a repetition", "say how the event repeats")
            }
            P::NotYesNo { typed } => (format!("{typed:?} is neither yes nor no"), "write yes or no".into()),
            P::NotAStatus { typed } => (
                format!("{typed:?} is not a status"),
                "write cancelled, postponed or sold out, or leave it empty".into(),
            ),
            P::NotALink { typed } => {
                (format!("{typed:?} is not a link"), "copy the whole address, from https:// on".into())
            }
            P::NotAHandle { typed } => (
                format!("{typed:?} is not an Instagram handle"),
                "write the handle alone: letters, digits, dots and _".into(),
            ),
            P::NotANumber { typed } => {
                (format!("{typed:?} is not a number that fits here"), "write a number".into())
            }
            P::WouldEmpty { count } => (
                format!("the sheet has no rows, and the {count} records of the folder would vanish"),
                "look at the sheet; if that is right, import with --over".into(),
            ),
            P::VenueWithoutArea { typed, nearest } => (
                format!("{typed:?} is no place of the guide, and there is neither neighbourhood nor region"),
                match nearest {
                    Some(name) => format!(
                        "is it {name:?}? correct the venue, or fill in the neighbourhood or the region"
                    ),
                    None => "correct the venue, or fill in the neighbourhood or the region".into(),
                },
            ),
            P::UnknownPlace { typed } => (
                format!("{typed:?} is neither the id nor the name of a place of the guide"),
                "correct it, or add the place to the sheet of places".into(),
            ),
            P::Check { what, fix } | P::CheckElsewhere { what, fix } => (what.clone(), fix.clone()),
            P::UnknownEncoding => said(
                "the encoding of the accents cannot be told",
                "save it as CSV UTF-8: in Excel, File > Save As > CSV UTF-8",
            ),
            P::DamagedWorkbook => {
                said("is no Excel workbook, or is damaged", "open it in Excel and save it again as .xlsx")
            }
            P::WorkbookTooLarge => said(
                "has cells too far out, or is too large",
                "keep the columns and rows of the guide alone; delete what is far to the right",
            ),
            P::NoFiles => {
                said("the folder has no sheet", "put .xlsx or .csv files into it, or name another one")
            }
            P::HiddenSheet => {
                said("is hidden and was not read", "if the sheet is part of the guide, unhide it")
            }
            P::MissingColumn { en, .. } => (
                format!("the column {en:?} is missing"),
                "add it, or give this name to the column that holds it".into(),
            ),
            P::MoreCells { separator } => (
                format!("the row has more cells than the header, most likely by a {separator} within a text"),
                "put the text in quotes (\")".into(),
            ),
            P::OpenQuote => said(
                "has a quote (\") that does not close, and takes in the rows below",
                "close it at the end of the text, or delete it",
            ),
            P::ValueWithoutHeader => said(
                "has a value under an empty header, which was not read",
                "name the column, or delete the value; check that the row is not shifted",
            ),
            P::Uncalculated => said(
                "holds a formula whose value the file does not store",
                "open it in Excel or LibreOffice and save it, or type the value",
            ),
            P::Merged { .. } => said(
                "is merged with the cell above, and only the first row has the value",
                "unmerge the cells and write the value in each row",
            ),
            P::UnknownColumn { typed, nearest } => (
                format!("the column {typed:?} is not known"),
                nearest.map_or_else(
                    || "it was not read".to_owned(),
                    |near| format!("it was not read; did you mean {near:?}?"),
                ),
            ),
            P::NearColumn { typed, read } => {
                (format!("the column {typed:?}"), format!("was read as {read:?}"))
            }
            P::RepeatedColumn => said("an earlier column is the same", "only the first was read"),
            P::MeansEmpty { typed } => (format!("{typed:?} means empty"), "leave the cell empty".into()),
            P::Mojibake => said("had garbled letters, such as SÃ£o", "it was mended; check it"),
            P::Invisible => said("had invisible characters", "they were removed"),
            P::LineBreak => said("had line breaks", "they became spaces"),
            P::DoubleSpace => said("had double spaces", "one of them stays"),
            P::SmartQuotes => said("had curly quotes", "they became straight ones"),
            P::Mended { typed, read } => (format!("{typed:?} was read as {read:?}"), "check it".into()),
            P::YearAssumed { day } => {
                (format!("the year is missing; it was read as {day}"), "write the year".into())
            }
            P::MonthFirst { day } => (
                format!("the month came before the day; it was read as {day}"),
                "write day/month/year".into(),
            ),
            P::WeekdayDiffers { day } => {
                (format!("{day} is another day of the week"), "check the date".into())
            }
            P::TimeAssumed { read } => (format!("was read as {read}"), "write it as 19:30".into()),
            P::TimeInDate => said("the date held the time too", "it counts if the column of times is empty"),
            P::EndOfRepeat { until } => (
                "the last day is one on which the event has repeated already".into(),
                format!("it was read as the end of the repetition: until {until}"),
            ),
            P::Contradicts { typed, cell, other } => (
                format!("says {typed:?}, but {cell} says {other:?}"),
                "correct the cell that is wrong, or leave it empty".into(),
            ),
            P::StartsAtEndOfDay { typed } => (
                format!("{typed:?} starts at 24:00, the end of the day"),
                "write 00:00 with the date of the next day, or 23:59".into(),
            ),
            P::YearOutOfRange { day } => (
                format!("the date {day} is outside the years of a guide"),
                format!("correct the year: from {} to {}", YEARS.start(), YEARS.end()),
            ),
            P::TooLongRun { days } => (
                format!("the event would run for {days} days"),
                format!("correct the year; {MAX_RUN_DAYS} days is the most"),
            ),
            P::EndsAsItStarts => said("ends at the hour at which it begins", "correct the end, or remove it"),
            P::NoOccurrence => said(
                "the repetition gives no day from now on",
                "correct the repetition, its end or the exceptions, or delete the row",
            ),
            P::OutOfBounds { least, greatest } => (
                format!(
                    "the position is outside the map of the guide, which goes from {least} to {greatest}"
                ),
                "correct it; are latitude and longitude swapped?".into(),
            ),
            P::Over => said("the event is over", "delete the row, or correct the date"),
            P::IdleExcept => {
                said("on one of the exceptions nothing would take place", "correct the day, or remove it")
            }
            P::Twins => said(
                "another row has the same name and area",
                "delete one of the two, or tell them apart by name",
            ),
            P::UnknownVenue => said(
                "is not the name of a place of the guide",
                "correct it, or add the place to the sheet Places; if it is not of the guide, leave it",
            ),
            P::HttpTickets => {
                said("a link begins with http://", "write https://, in the column of ticket links")
            }
            P::FarFromArea => said(
                "the position is far from the neighbourhood or region",
                "check the position, the neighbourhood and the region",
            ),
            P::FarOff => said("the event begins more than two years ahead", "check the year"),
            P::OffRule => said(
                "on this day the event does not take place, by its repetition",
                "write the first day of the repetition, or correct the repetition",
            ),
            P::NotShown => said(
                "the event is not shown on the day on which it takes place",
                "correct this day, or leave it empty",
            ),
            P::OtherArea => said(
                "the place is in another neighbourhood or region than the event",
                "correct the venue, or the neighbourhood and the region; with the right place they may stay empty",
            ),
            P::AddressElsewhere => said(
                "the address is in another region",
                "correct the address, or the neighbourhood and the region",
            ),
            P::NotRead { file } => (
                format!("the file {file:?} was not read"),
                "save it as .xlsx or .csv, or remove it from the folder".into(),
            ),
            P::EveryWeek { typed } => (
                format!("{typed:?} was read as every week, without end"),
                "for one day write the date, such as 05/12/2026; otherwise write it as every saturday".into(),
            ),
            P::UntilWithoutRepeat => said(
                "it says until when the event repeats, and it does not repeat",
                "it was not used; say how it repeats",
            ),
            P::EndWithoutStart => said("the start time is missing", "the end time was not used; write both"),
            P::HttpLink => {
                said("the link began with http://", "it was written with https://; check that it opens")
            }
            P::CompletedLink => {
                said("the link did not begin with https://", "it was completed; check that it opens")
            }
            P::EncodedLink => {
                said("the link had spaces or accents", "they were encoded; check that it opens")
            }
            P::HandleMended { read } => {
                (format!("the handle was read as {read:?}"), "write the handle alone".into())
            }
            P::PostLink => {
                said("is the link of a post, not of a profile", "it is kept as the Instagram link only")
            }
            P::AreaFromAddress { read } => {
                (format!("is empty; by the address it is {read:?}"), "check it".into())
            }
            P::ListedTwice { typed } => (format!("{typed:?} is listed twice"), "one was kept".into()),
            P::PriceMoved { to } => {
                (format!("this is no price and went to the column {to}"), "write it there".into())
            }
            P::HalfDescription => {
                said("the description in the other language is missing", "it was not used; write both")
            }
            P::HalfPosition => said(
                "the other coordinate is missing",
                "the position was not used; write latitude and longitude",
            ),
            P::BadId { typed, read } => (
                format!("{typed:?} cannot be an id"),
                format!("it became {read:?}; ids have a-z, 0-9 and hyphens"),
            ),
            P::TwinId { typed, read } => (
                format!("{typed:?} is the id of another row already"),
                format!("this one became {read:?}; in copied rows clear the id"),
            ),
            P::ColumnOfOtherKind => said("this column belongs to the other sheet", "it was not read"),
            P::Vanishes { count, first } => (
                format!("{count} records of the folder are not in the sheets and vanish"),
                format!("the first: {}", first.join(", ")),
            ),
            P::KeptOfOthers { changes } => (
                format!("others changed this since the last import, and it stays: {}", changes.join("; ")),
                "write into the sheet what holds; to let the sheet win, import with --over".into(),
            ),
            P::ReplacesOthers { changes } => (
                format!(
                    "others changed this since the last import, and so did the sheet: {}",
                    changes.join("; ")
                ),
                "the sheet wins; see that this is meant".into(),
            ),
            P::IdsNotWritten { why } => (
                format!("the ids were not written into the sheet: {why}"),
                "the names keep them for now; import again before you change names".into(),
            ),
            P::IdsBeside { file } => (
                "the ids cannot be written into the sheet without risk".into(),
                format!("they are in {file:?}: copy the column id into the sheet"),
            ),
            P::OpenElsewhere => said(
                "the ids were not written: the file is open in another program",
                "close it and import again",
            ),
            P::ChangedMeanwhile => {
                said("the ids were not written: the file changed during the import", "import again")
            }
            P::IdsNeedColumn => said(
                "the ids cannot be written to this address",
                "the names keep them; before you change a name, copy its id into a column id",
            ),
            P::Empty => said("is empty", "fill it in when you know it"),
            P::SheetSkipped => said("is no sheet of places or events", "it was not read"),
            P::PrecisionAssumed => said("the position has no precision", "50 m was assumed"),
        }
    }
}
