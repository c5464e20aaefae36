//! Words for what is of a country, in the masculine, the feminine and both plurals of three languages. A cuisine or a
//! music is of one country, so that no other country's stands for it.

/// Folded, sorted.
#[rustfmt::skip]
const DEMONYMS: &[&str] = &[
    "alema", "alemaes", "aleman", "alemana", "alemanas", "alemanes", "alemao", "alemas", "angolan", "angolana",
    "angolanas", "angolano", "angolanos", "angolena", "angolenas", "angoleno", "angolenos", "argentina", "argentinas",
    "argentine", "argentinian", "argentino", "argentinos", "armenia", "armenian", "armenias", "armenio", "armenios",
    "australian", "australiana", "australianas", "australiano", "australianos", "austriaca", "austriacas", "austriaco",
    "austriacos", "austrian", "belga", "belgas", "belgian", "bolivian", "boliviana", "bolivianas", "boliviano",
    "bolivianos", "britanica", "britanicas", "britanico", "britanicos", "british", "camarones", "camaronesa",
    "camaronesas", "camaroneses", "canadense", "canadenses", "canadian", "canadiense", "canadienses", "cantonese",
    "checa", "checas", "checo", "checos", "chilean", "chilena", "chilenas", "chileno", "chilenos", "chines", "chinesa",
    "chinesas", "chinese", "chineses", "chino", "chinos", "colombian", "colombiana", "colombianas", "colombiano",
    "colombianos", "coreana", "coreanas", "coreano", "coreanos", "croata", "croatas", "croatian", "croato", "croatos",
    "cuban", "cubana", "cubanas", "cubano", "cubanos", "czech", "danes", "danesa", "danesas", "daneses", "danish",
    "dinamarques", "dinamarquesa", "dinamarquesas", "dinamarqueses", "dutch", "ecuadorian", "ecuatoriana",
    "ecuatorianas", "ecuatoriano", "ecuatorianos", "egipcia", "egipcias", "egipcio", "egipcios", "egyptian",
    "equatoriana", "equatorianas", "equatoriano", "equatorianos", "escoces", "escocesa", "escocesas", "escoceses",
    "espanhois", "espanhol", "espanhola", "espanholas", "espanol", "espanola", "espanolas", "espanoles", "ethiopian",
    "etiopa", "etiopas", "etiope", "etiopes", "etiopo", "etiopos", "filipina", "filipinas", "filipino", "filipinos",
    "finlandes", "finlandesa", "finlandesas", "finlandeses", "finnish", "frances", "francesa", "francesas", "franceses",
    "french", "georgian", "georgiana", "georgianas", "georgiano", "georgianos", "german", "greek", "grega", "gregas",
    "grego", "gregos", "griega", "griegas", "griego", "griegos", "haitian", "haitiana", "haitianas", "haitiano",
    "haitianos", "havaiana", "havaianas", "havaiano", "havaianos", "hawaiana", "hawaianas", "hawaiano", "hawaianos",
    "hawaiian", "holandes", "holandesa", "holandesas", "holandeses", "hungara", "hungaras", "hungarian", "hungaro",
    "hungaros", "indian", "indiana", "indianas", "indiano", "indianos", "indonesia", "indonesian", "indonesias",
    "indonesio", "indonesios", "ingles", "inglesa", "inglesas", "ingleses", "irani", "iranian", "iraniana", "iranianas",
    "iraniano", "iranianos", "iranies", "irish", "irlandes", "irlandesa", "irlandesas", "irlandeses", "israelense",
    "israelenses", "israeli", "israelies", "italian", "italiana", "italianas", "italiano", "italianos", "jamaican",
    "jamaicana", "jamaicanas", "jamaicano", "jamaicanos", "japanese", "japones", "japonesa", "japonesas", "japoneses",
    "korean", "lebanese", "libanes", "libanesa", "libanesas", "libaneses", "malaia", "malaias", "malaio", "malaios",
    "malasio", "malaysian", "marroqui", "marroquies", "marroquina", "marroquinas", "marroquino", "marroquinos",
    "mexican", "mexicana", "mexicanas", "mexicano", "mexicanos", "mongois", "mongol", "mongolian", "moroccan",
    "nepales", "nepalesa", "nepalesas", "nepalese", "nepaleses", "nigerian", "nigeriana", "nigerianas", "nigeriano",
    "nigerianos", "noruegas", "noruego", "noruegos", "noruegues", "norueguesa", "norueguesas", "noruegueses",
    "norwegian", "pakistani", "paquistanes", "paquistanesa", "paquistanesas", "paquistaneses", "paquistani",
    "paquistanies", "paraguaia", "paraguaias", "paraguaio", "paraguaios", "paraguaya", "paraguayan", "paraguayas",
    "paraguayo", "paraguayos", "persa", "persas", "persian", "peruana", "peruanas", "peruano", "peruanos", "peruvian",
    "polaca", "polacas", "polaco", "polacos", "polish", "polones", "polonesa", "polonesas", "poloneses", "portugues",
    "portuguesa", "portuguesas", "portuguese", "portugueses", "romanian", "romena", "romenas", "romeno", "romenos",
    "rumana", "rumanas", "rumano", "rumanos", "rusa", "rusas", "ruso", "rusos", "russa", "russas", "russian", "russo",
    "russos", "scottish", "senegales", "senegalesa", "senegalesas", "senegalese", "senegaleses", "siriana", "sirianas",
    "siriano", "sirianos", "sirias", "sirio", "sirios", "spanish", "sueca", "suecas", "sueco", "suecos", "suica",
    "suicas", "suico", "suicos", "suizas", "suizo", "suizos", "swedish", "swiss", "syrian", "tailandes", "tailandesa",
    "tailandesas", "tailandeses", "tcheca", "tchecas", "tcheco", "tchecos", "thai", "tibetan", "tibetana", "tibetanas",
    "tibetano", "tibetanos", "turca", "turcas", "turco", "turcos", "turkish", "ucraniana", "ucranianas", "ucraniano",
    "ucranianos", "ukrainian", "uruguaia", "uruguaias", "uruguaio", "uruguaios", "uruguaya", "uruguayan", "uruguayas",
    "uruguayo", "uruguayos", "venezolana", "venezolanas", "venezolano", "venezolanos", "venezuelan", "venezuelana",
    "venezuelanas", "venezuelano", "venezuelanos", "vietnamese", "vietnamita", "vietnamitas",
];

/// Whether a folded word says of which country something is.
pub(crate) fn is_demonym(word: &str) -> bool {
    DEMONYMS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        assert!(DEMONYMS.is_sorted());
    }
}
