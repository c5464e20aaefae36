//! Words about what the guide does not know (opening hours, parking, prices...), in Portuguese, English and Spanish.
//! They neither filter nor are corrected; an answer names them.

/// What a phrase asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hint {
    /// When a place is open.
    OpeningHours,
    /// At what time: of an event the answer says so, of a place it asks when that is open.
    StartTime,
    /// Where to leave a car.
    Parking,
    /// Internet.
    Wifi,
    /// Whether animals are welcome.
    Pets,
    /// Booking a table.
    Reservations,
    /// What guests think.
    Ratings,
    /// How to call.
    Phone,
    /// Whether a wheelchair gets in.
    Access,
    /// How to pay.
    Payment,
    /// Quiet, lively, romantic: how it feels there.
    Atmosphere,
    /// Whether it keeps the rain off.
    Indoors,
    /// Whom it suits, beside children, who have a category.
    Company,
    /// Cheap, expensive, how much: prices are texts, which do not compare.
    Price,
    /// How to get there.
    Transport,
    /// Whether it brings the food or packs it.
    Delivery,
    /// What a religion or an intolerance allows.
    Diet,
    /// Costs nothing: a wish for the records whose price says so.
    Free,
}

impl Hint {
    /// The names in answers.
    pub const NAMES: [&str; 16] = [
        Hint::OpeningHours.as_str(),
        Hint::Parking.as_str(),
        Hint::Wifi.as_str(),
        Hint::Pets.as_str(),
        Hint::Reservations.as_str(),
        Hint::Ratings.as_str(),
        Hint::Phone.as_str(),
        Hint::Access.as_str(),
        Hint::Payment.as_str(),
        Hint::Price.as_str(),
        Hint::Atmosphere.as_str(),
        Hint::Indoors.as_str(),
        Hint::Company.as_str(),
        Hint::Transport.as_str(),
        Hint::Delivery.as_str(),
        Hint::Diet.as_str(),
    ];

    /// Whether the records whose text has a word of it are those that are meant. A price is no thing, a way there no
    /// place, and who comes along no dish ("massas de família").
    pub(crate) fn may_filter(self) -> bool {
        !matches!(self, Hint::Price | Hint::Transport | Hint::Company)
    }

    /// Whether a category that the same words name is a wish too: healthy food is no promise of food without gluten,
    /// but the best that the guide knows.
    pub(crate) fn goes_with_category(self) -> bool {
        self == Hint::Diet
    }

    /// The name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Hint::OpeningHours | Hint::StartTime => "opening_hours",
            Hint::Parking => "parking",
            Hint::Wifi => "wifi",
            Hint::Pets => "pets",
            Hint::Reservations => "reservations",
            Hint::Ratings => "ratings",
            Hint::Phone => "phone",
            Hint::Access => "access",
            Hint::Payment => "payment",
            Hint::Atmosphere => "atmosphere",
            Hint::Indoors => "indoors",
            Hint::Company => "company",
            Hint::Transport => "transport",
            Hint::Delivery => "delivery",
            Hint::Diet => "diet",
            Hint::Price | Hint::Free => "price",
        }
    }
}

/// Folded phrases, separated by commas.
pub(crate) const PHRASES: &[(Hint, &str)] = &[
    (
        Hint::OpeningHours,
        "aberto, aberta, abertos, abertas, aberto agora, aberta agora, abertos agora, abertas agora, abre, abrem, abrir, \
         fecha, fecham, fechar, funciona, funcionam, funcionando, funcionamento, \
         horario de funcionamento, horas abre, 24 horas, 24 hour, 24 h, vinte e quatro horas, ate tarde, ate mais tarde, \
         open, open now, open late, late night, late at night, tarde da noite, opens, opening hours, opening times, \
         business hours, closes, closing time, \
         24 hours, abierto, abierta, abiertos, abiertas, abierto ahora, abiertos ahora, abren, cierra, \
         cierran, \
         horario de apertura, hasta tarde",
    ),
    (
        Hint::StartTime,
        "horario, horarios, que horas, a que horas, que horas comeca, a que horas comeca, what time, what time does, a que hora, \
         que hora, a que hora empieza",
    ),
    (
        Hint::Parking,
        "estacionamento, estacionar, com estacionamento, vaga, vagas, manobrista, parking, parking lot, car park, \
         with parking, valet, aparcamiento, estacionamiento, aparcar",
    ),
    (
        Hint::Wifi,
        "wifi, wi fi, internet, tomada, tomadas, power outlet, power outlets, outlets, sockets, plug, plugs, enchufe, enchufes",
    ),
    (
        Hint::Pets,
        "pet, pets, pet friendly, petfriendly, dog friendly, aceita pet, aceita pets, aceita cachorro, aceitam cachorro, \
         cachorro, cachorros, cachorrinho, doguinho, doguinhos, dog, dogs, doggy, with dog, perro, perros, mascota, mascotas, admite perros, animais",
    ),
    (
        Hint::Reservations,
        "reserva, reservas, reservar, reserva de mesa, reservar mesa, reservar uma mesa, reservar una mesa, \
         mesa para, table for, reservation, reservations, booking, book a table, reserve, aceita reserva, \
         hacer reserva",
    ),
    (
        Hint::Ratings,
        "avaliacao, avaliacoes, bem avaliado, bem avaliada, bem avaliados, melhor avaliado, mais bem avaliado, nota, \
         notas, estrelas, rating, ratings, rated, top rated, best rated, well rated, highest rated, review, reviews, \
         stars, resenas, valorado, mejor valorado, opiniones, estrellas, bom atendimento, bem atendido, good service, \
         great service, buen servicio, buena atencion",
    ),
    (
        Hint::Phone,
        "telefone, telefones, numero de telefone, whatsapp, zap, contato, phone, phone number, telephone, telefono, \
         numero de telefono, contacto",
    ),
    (
        Hint::Access,
        "acessivel, acessiveis, acessibilidade, cadeirante, cadeirantes, cadeira de rodas, rampa, accessible, wheelchair, \
         wheelchair accessible, accessibility, accesible, accesibles, silla de ruedas, sillas de ruedas, cadeiras de rodas, \
         wheelchairs",
    ),
    (
        Hint::Payment,
        "cartao, cartoes, cartao de credito, aceita cartao, pix, aceita pix, vale refeicao, ticket refeicao, \
         vale alimentacao, credit card, credit cards, debit card, cash only, cash, tarjeta, tarjetas, \
         tarjeta de credito, efectivo",
    ),
    (
        Hint::Atmosphere,
        "tranquilo, tranquila, tranquilos, tranquilas, mais tranquilo, bem tranquilo, sossegado, sossegada, calmo, calma, \
         silencioso, silenciosa, silenciosos, silenciosas, romantico, romantica, romanticos, romanticas, romantic, namorar, \
         pra namorar, para namorar, cool, cooler, coolest, nicest, cute, cutest, prettiest, loveliest, lovely, trendiest, \
         sem barulho, sem turistas, sin turistas, no tourists, \
         without tourists, without crowds, pouco barulho, animado, animada, animados, animadas, agitado, \
         agitada, badalado, badalada, lotado, lotada, vazio, aconchegante, aconchegantes, charmoso, charmosa, intimista, \
         descontraido, descontraida, despojado, gostoso, gostosa, gostosinho, diferente, diferentes, diferentao, \
         divertido, \
         divertida, divertidos, divertidas, instagramavel, instagramaveis, quiet, quieter, peaceful, calm, relaxed, \
         relaxing, chill, laid back, lively, \
         crowded, not crowded, not too crowded, noisy, not noisy, not too loud, cozy, cosy, charming, intimate, \
         casual, fun, funky, hip, trendy, \
         unusual, instagrammable, tranquilito, callado, sin ruido, acogedor, acogedora, acogedores, relajado, \
         relajada, movido, ambientado, encantador, relaxar, descansar, desestressar, relax, unwind, relajarme, \
         relajarse, \
         pra foto, para foto, pra fotos, para fotos, pra tirar foto, pra tirar fotos, for photos, for pictures, \
         tirar foto, tirar fotos, tirar umas fotos, fotografar, take photos, take pictures, photo spot, photo spots, \
         sacar fotos, \
         tomar fotos, hacer fotos",
    ),
    (
        Hint::Indoors,
        "chuva, na chuva, com chuva, dia de chuva, dias de chuva, dia chuvoso, chuvoso, chovendo, chover, chove, se chover, \
         coberto, coberta, cobertos, cobertas, lugar coberto, lugar fechado, rain, rainy, raining, in the rain, rainy day, rainy days, \
         if it rains, it rains, \
         rains, indoor, indoors, lluvia, dia de lluvia, lluvioso, dia lluvioso, lloviendo, llueve, si llueve, \
         bajo techo, \
         techado",
    ),
    (
        Hint::Company,
        "namorados, com visita, com visitas, recebendo visita, recebendo visitas, a friend, um amigo, uma \
         amiga, un amigo, una amiga, idoso, idosa, idosos, idosas, amigos, amigas, os amigos, as amigas, \
         colegas, casal, para casal, a dois, pra dois, para dois, sozinho, sozinha, grupo grande, turma \
         grande, adolescente, adolescentes, elderly, seniors, friends, with friends, colleagues, coworkers, \
         for two, couple, couples, alone, by myself, solo traveler, large group, big group, teenager, \
         teenagers, teens, mayores, para dos, pareja, en pareja, grupo de amigos, primeiro encontro, encontro \
         romantico, first date, date night, primera cita, primeiro date, crush, meu crush, minha crush, o \
         crush, comemorar, comemorar aniversario, comemorar meu aniversario, comemorar o aniversario, \
         comemorar um aniversario, festejar, celebrate, celebrate a birthday, celebrate my birthday, \
         celebrate our anniversary, celebrar, celebrar cumpleanos, celebrar mi cumpleanos, celebrar un \
         cumpleanos",
    ),
    (
        Hint::Transport,
        "metro, de metro, by metro, by subway, subway, en metro, de onibus, onibus, de bus, bus, by bus, \
         autobus, en autobus, colectivo, de uber, by uber, en uber, by taxi, de taxi, en taxi, taxi ride, \
         a pe, a pie, on foot, de carro, sem carro, nao tenho carro, don t have a car, no tengo auto, \
         no tengo coche, without a car, without car, sin coche, sin auto, sin carro, by car, en coche, \
         en auto, how do i get to, how do you get to, how to get to, how can i get to, how far is, \
         como chego, como chegar, como ir, como se chega, como llego, como llegar, como se llega, \
         como puedo llegar, public transport, transporte publico",
    ),
    (
        Hint::Delivery,
        "delivery, delivers, que entrega, que entregue, entrega em casa, entregas, ifood, take away, takeaway, take out, \
         takeout, para viagem, pra viagem, a domicilio",
    ),
    (
        Hint::Diet,
        "halal, kosher, kasher, sem lactose, zero lactose, lactose free, without lactose, dairy free, \
         sin lactosa, nut free, low carb, cetogenica, cetogenico, keto, sem gluten, sin gluten, gluten free, \
         without gluten, no gluten, celiaco, celiaca, celiacos, celiac, coeliac, gluten allergy, \
         gluten allergies, gluten intolerant, gluten intolerance, lactose intolerant, lactose intolerance, \
         milk allergy, intolerancia a la lactosa",
    ),
    (
        Hint::Price,
        "barato, barata, baratos, baratas, baratinho, baratinha, baratinhos, em conta, mais em conta, \
         economico, economica, economicos, economicas, preco, precos, bom preco, preco bom, preco justo, \
         quanto custa, custa, custam, quanto e, valor, valores, pouco dinheiro, pouca grana, \
         sem gastar muito, gastando pouco, gastar pouco, nao muito caro, caro, caros, caras, chique, \
         chiques, sofisticado, sofisticada, luxo, luxuoso, cheap, cheaper, cheapest, affordable, \
         inexpensive, budget, on a budget, low cost, not expensive, not too expensive, nao posso gastar, \
         nao posso gastar muito, nao quero gastar, nao quero gastar muito, nao tenho dinheiro, \
         nao tenho grana, sem dinheiro, sem grana, can t spend much, don t want to spend much, no money, \
         no puedo gastar mucho, no quiero gastar mucho, no tengo dinero, no tengo plata, sin dinero, \
         sin plata, expensive, fancy, upscale, fine dining, luxury, price, prices, how much, how much is, \
         how much does, cost, costs, poca plata, poco dinero, gastar poco, gastando poco, cuanto cuesta, \
         cuesta, precio, precios, no muy caro, lujo, lujoso, elegante, elegantes, elegant, ingresso, ingressos, \
         valor do ingresso, preco do ingresso, preco da entrada, valor da entrada, quanto custa a entrada, \
         quanto e a entrada, quanto custa o ingresso, how much is the ticket, ticket price, ticket prices, \
         boleto, boletos, precio de la entrada, cuanto cuesta la entrada",
    ),
    (
        Hint::Free,
        "gratis, gratuito, gratuita, gratuitos, gratuitas, de graca, entrada franca, entrada livre, \
         entrada gratuita, entrada gratis, sem gastar, sem gastar nada, sem gastar dinheiro, \
         sem gastar um real, sem gastar um centavo, sem pagar, sem pagar nada, sem precisar pagar, \
         sem ter que pagar, 0800, free, for free, free of charge, free entry, free entrance, free admission, \
         no cost, without paying, without having to pay, without spending, without spending money, \
         de gratis, gratuitamente, entrada libre, sin pagar, sin tener que pagar, sin gastar, \
         sin gastar dinero, sin gastar nada",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::fold::fold;
    use crate::grammar::tokens::{Tokens, hint};

    #[test]
    fn the_longest_phrase_is_read() {
        for (text, taken, found) in [
            ("aberto agora", 2, Hint::OpeningHours),
            ("open", 1, Hint::OpeningHours),
            ("sem gastar muito", 3, Hint::Price),
            ("sem gastar nada hoje", 3, Hint::Free),
            ("de graça", 2, Hint::Free),
            ("wi-fi", 2, Hint::Wifi),
            ("Silla de ruedas", 3, Hint::Access),
        ] {
            let tokens = Tokens::new(text);
            assert_eq!(hint(&tokens.all(), 0), Some((taken, found)), "{text}");
        }
        for text in ["samba", "de", "sem carne", ""] {
            assert_eq!(hint(&Tokens::new(text).all(), 0), None, "{text}");
        }
    }

    #[test]
    fn phrases_are_folded_and_said_once() {
        let mut seen = std::collections::HashSet::new();
        for (hint, list) in PHRASES {
            assert!(Hint::NAMES.contains(&hint.as_str()));
            for phrase in list.split(',').map(str::trim) {
                assert_eq!(fold(phrase), phrase);
                assert!(seen.insert(phrase), "{phrase}");
            }
        }
    }
}
