//! Words that join and exclude in a question: "bar ou café", "sem carne", "not vegan", "except malls".

use crate::grammar::language::Language;

/// What a word or phrase does to the wishes around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    /// One of the two wishes is enough.
    Or,
    /// Another wish, which ends what is excluded: "first a museum, then pizza" asks for both, which no record is.
    Then,
    /// Both wishes, or either when they are of one kind and nothing meets both.
    And,
    /// The next wish is to be taken away.
    Not,
    /// The next wish is to be taken away, in a sentence of its own, which a comma ends: "my kid hates museums, parks".
    Dislikes,
    /// The record that is named next is known to who asks for another, and to be taken away: "fui no Calaf, tem outro
    /// samba?".
    Known,
    /// The next place is where to search from: "perto de", "near".
    Near,
    /// Where somebody says they are is where to search from: "tô na rodoviária, o que dá pra ver a pé?".
    OnFoot,
}

impl Operator {
    /// Whether what follows is excluded.
    pub(crate) fn excludes(self) -> bool {
        matches!(self, Operator::Not | Operator::Dislikes | Operator::Known)
    }
}

/// Folded phrases, separated by commas, and the only language that they count in; `None` for all.
pub(crate) const PHRASES: &[(Operator, Option<Language>, &str)] = &[
    (Operator::Or, None, "ou, or, vs, versus"),
    (
        Operator::Then,
        None,
        "primeira vez, pela primeira vez, primera vez, first time, primeiro um, primeiro uma, primero un, \
         primero una, first a, first an, first the, then, and then, depois um, depois uma, e depois um, \
         e depois uma, e depois, luego, y luego, despues un, despues una, y despues, y despues un, y despues una, \
         followed by, seguido de, seguida de",
    ),
    (Operator::Or, Some(Language::Spanish), "o, u"),
    // not without the town
    (
        Operator::And,
        None,
        "e, and, sem sair de, sem sair da, sem sair do, sin salir de, sin salir del, without leaving",
    ),
    (Operator::And, Some(Language::Spanish), "y"),
    (
        Operator::Not,
        None,
        "sem, nem, ni, nor, neither, sem ser, sem ter, sem ter que, sem precisar, sem precisar de, sem precisar ser, \
         exceto, menos, menos de, tirando, nao, nao seja, nao quero, que nao seja, que nao sejam, q nao seja, \
         mas nao, n seja, n sejam, q n seja, q n sejam, que n seja, que n sejam, n quero, mas n, nada de, fora de, \
         fora do, fora da, not, not a, not the one, not the ones, not the one in, not the ones in, \
         not the one inside, not the ones inside, but not, but not the one, but not the ones, but not the ones in, \
         but not the ones inside, but no, but never, with no, nothing with, nothing that is, nada com, nada con, \
         without, without being, without having to be, except, except for, excluding, not counting, apart from, \
         sem contar, sem contar com, sin contar, sin contar con, aparte de, aparte del, outside, outside of, \
         other than, anywhere but, anything but, everything but, no more, cansei de, cansei do, cansei da, \
         cansado de, cansada de, cansados de, enjoei de, enjoei do, enjoei da, chega de, farto de, sick of, \
         tired of, bored of, bored with, enough of, harto de, harta de, hartos de, me canse de, aburrido de, \
         besides, aside from, already saw, already seen, already visited, already been to, already went to, \
         already went to the, already been to the, already visited the, already knows, already know, already did, \
         already done, alem da, alem do, alem das, alem dos, ja conheco, ja conhecemos, ja fui ao, ja fui a, \
         ja fui no, ja fui na, ja fomos ao, ja fomos a, ja fomos no, ja fomos na, ja vi, ja vimos, ja visitei, \
         ja visitamos, ya conozco, ya conocemos, ya fui a, ya fui al, ya fuimos a, ya fuimos al, ya vi, ya vimos, \
         ya visite, ya visitamos, ademas de, ademas del, that is not, excluir, excluindo, exclua, excluye, \
         excluyendo, exclude, any day but, any day except, any weekday but, any night but, every day but, \
         all days but, nao me manda pra, nao me manda pro, nao me mande para, nao me mande pra, nao me mande pro, \
         nao me mandem para, nao me mandem pra, nao me mandem pro, nao me leve a, nao me leva pro, nao me leve pro, \
         nao me levem pro, nao me levem pra, nao me indiquem, nao me indique, nao me indica, no me manden a, \
         no me manden al, no me lleven a, no me lleven al, don t send us to, don t take me to, don t take us to, \
         don t suggest, nothing in a, nothing inside a, nada dentro de, dispensa, dispenso, dispensamos, had it with, \
         had enough of, fed up with, sem pagar um, sem ter que pagar um, sin pagar un, sin tener que pagar un, \
         without paying for a, nao vale, nao valem, so nao vale, \
         so nao pode ser, no vale, no valen, menos o, menos a, don t send me to, that isn t, don t want, \
         don t want a, dont want, dont want a, do not want, not into, sin, sin ser, sin tener que, \
         sin tener que ser, excepto, que no sea, que no sean, no quiero, pero no, pero sin, fuera de, fuera del, \
         nada que sea, cheaper than, less expensive than, better than, mais barato que, mais barata que, \
         mais barato do que, mais barata do que, melhor que, melhor do que, mas barato que, mas barata que, \
         mejor que, que nao tenha, que nao tenham, que nao tem, q nao tenha, q nao tem, que n tenha, que n tem, \
         que nao toque, que nao toquem, que nao toca, que nao sirva, que nao sirvam, que nao serve, que nao servem, \
         que nao venda, que nao vendam, que nao vende, que nao vendem, que nao fique, que nao fiquem, que nao fica, \
         que nao ficam, que nao esteja, que nao esta, que nao passa, que nao passam, que nao passe, que nao passem, \
         que no tenga, que no tengan, que no tiene, que no tienen, que no sirva, que no sirvan, que no este, \
         que no esten, que no venda, que no vendan, that doesn t have, that don t have, that does not have, \
         that do not have, nao tenha, nao tenham, n tenha, n tenham, nao toque, nao toquem, nao sirva, nao sirvam, \
         nao fique, nao fiquem, no tenga, no tengan, no sirva, no sirvan, that doesn t serve, that don t serve, \
         that doesn t play, that don t play, that are not, that aren t, that is not in, that are not in, \
         that isn t in, that aren t in, nao e, nao e um, nao e uma, nao sao, nao eh, n e, n eh, is not, is not a, \
         isn t, isn t a, are not, aren t, no es, no es un, no es una, no son, no sea, no sean",
    ),
    (
        Operator::Dislikes,
        None,
        "nao gosto de, nao curto, odeio, detesto, n gosto de, n curto, don t like, dont like, do not like, hate, \
         no me gusta, no me gustan, odio, odeia, odeiam, odiamos, detesta, detestam, nao gosta de, nao gostam de, \
         nao gostamos de, n gosta de, nao curte, nao curtem, nao suporta, nao suportam, nao suporto, nao aguento, \
         nao aguento mais, nao aguenta, nao aguenta mais, nao come, nao comem, nao como, nao comemos, n come, \
         n como, nao bebe, nao bebem, nao bebemos, tem alergia a, tem alergia ao, tenho alergia a, tenho alergia ao, \
         com alergia a, com alergia ao, alergia a, alergia ao, alergico a, alergico ao, alergica a, alergica ao, \
         alergicos a, intolerante a, tem medo de, tenho medo de, hates, doesn t like, doesnt like, doesn t eat, \
         doesnt eat, doesn t drink, don t eat, dont eat, don t drink, dont drink, can t stand, cant stand, \
         can t eat, cant eat, allergic to, allergy to, intolerant to, afraid of, scared of, no le gusta, \
         no le gustan, no les gusta, no les gustan, no nos gusta, no nos gustan, odia, odian, no soporta, \
         no soporto, no come, no comen, no comemos, no bebe, no beben, alergia al, alergica al, alergico al, \
         miedo a, miedo de, nao gosto, nao gosta, nao gostam, nao gostamos, n gosto, nao posso comer, \
         nao pode comer, nao podem comer, nao consigo comer, nao consumo, nao consome, nao bebo, tem medo do, \
         tem medo da, tenho medo do, tenho medo da, no puedo comer, no puede comer, no bebo, does not eat, \
         does not drink, does not like, do not eat, do not drink, can not eat, cannot eat, won t eat, shouldn t eat, \
         don t really like, doesn t really like, dislike, dislikes, alergia de, alergia com, alergica de, \
         alergico de, allergy, allergies, allergies to, intolerante ao, intolerante al, intolerancia a, \
         intolerancia ao, intolerancia al, alergicos ao, alergicas a, alergicas ao, detestamos",
    ),
    (
        Operator::Known,
        None,
        "ja foi ao, ja foi a, ja foi no, ja foi na, ja foi em, ja fui em, ja fomos em, ja conhece, ja conhecem, \
         ya conoce, ya conocen, fui ao, fui a, fui no, fui na, fui em, fui al, fomos ao, fomos a, fomos no, fomos na, \
         fomos em, fuimos a, \
         fuimos al, estive no, estive na, estive em, estivemos no, estivemos na, estuve en, estuvimos en, conheci o, \
         conheci a, conhecemos o, conhecemos a, conoci el, conoci la, visitei, visitei o, visitei a, visite el, \
         visite la, adorei o, adorei a, amei o, amei a, gostei do, gostei da, gostamos do, gostamos da, me gusto el, \
         me gusto la, parecido com, parecida com, parecidos com, parecidas com, parecido a, parecida a, parecido al, \
         similar a, similar ao, similar al, similar to, similar to the, went to, went to the, been to, been to the, \
         have been to, have been to the, ve been to, ve been to the, visited, visited the, loved, loved the, liked, \
         liked the, saw, saw the, have seen, have seen the, ve seen, ve seen the",
    ),
    // Portuguese "no" is "in the"
    (Operator::Not, Some(Language::English), "no"),
    (Operator::Not, Some(Language::Spanish), "no, salvo"),
    (
        Operator::Near,
        None,
        "closer to, nearer to, nearer, mais perto de, mais perto do, mais perto da, mas cerca de, mas cerca del, \
         perto de, perto do, perto da, perto dos, perto das, perto dali, perto de la, pertinho de, pertinho do, \
         pertinho da, ao lado de, ao lado do, ao lado da, do lado do, do lado da, proximo a, proximo ao, proximo de, \
         proximo da, proximo do, proxima a, proxima ao, proxima de, proxima da, proxima do, proximos a, proximos ao, \
         proximos da, proximos do, ali na, ali no, nas proximidades de, nas proximidades da, nas proximidades do, \
         nas imediacoes de, nas imediacoes da, nas imediacoes do, por volta da, por volta do, arredores de, \
         arredores da, arredores do, nos arredores de, nos arredores da, nos arredores do, ao redor de, ao redor da, \
         ao redor do, em volta de, em volta da, em volta do, em torno de, em torno da, em torno do, no entorno de, \
         no entorno da, no entorno do, em frente a, em frente ao, em frente da, em frente do, vizinho a, vizinho ao, \
         vizinho da, vizinho do, vizinha a, vizinha ao, a pe da, a pe do, a pe de, colado na, colado no, \
         nas redondezas de, nas redondezas da, nas redondezas do, na frente de, na frente da, na frente do, \
         atras da, atras do, a dois passos de, a dois passos da, a dois passos do, a poucos passos de, \
         a poucos passos da, a poucos passos do, descendo no, descendo na, descendo do, descendo da, steps from, \
         a few steps from, around the corner from, detras de, detras del, pegado a, pegado al, a un paso de, \
         a un paso del, a dos cuadras de, a dos cuadras del, saindo do, saindo da, sai do, sai da, saio do, saio da, \
         saimos do, saimos da, acabei de sair do, acabei de sair da, depois de visitar, depois de conhecer, \
         saliendo del, salgo del, salgo de la, acabo de salir del, acabo de salir de la, despues de visitar, \
         leaving the, just left, just left the, after visiting, near, nearby, near to, near there, near it, \
         close by, close to, closest to, nearest to, nearest, next to, beside, not far from, walking distance, \
         within walking distance, walking distance of, walking distance from, not too far from, not far away from, \
         nao longe de, nao longe do, nao longe da, nao muito longe de, nao muito longe do, nao muito longe da, \
         no lejos de, no lejos del, no muy lejos de, no muy lejos del, short walk from, vicinity of, \
         in the vicinity of, across from, in front of, cerca de, cerca del, cerca de alli, cerca de ahi, al lado de, \
         al lado del, junto a, junto al, cercano a, cercano al, cercana a, cercana al, alrededor de, alrededor del, \
         alrededores de, alrededores del, en los alrededores de, en los alrededores del, frente a, frente al, \
         a pocos pasos de, a pocos pasos del, a la vuelta de, a la vuelta del, por ali, por ali perto, ali perto, \
         around there, around it, na mesma quadra, na mesma quadra de, na mesma quadra do, na mesma quadra da, \
         na mesma rua de, na mesma rua do, na mesma rua da, on the same block, on the same block as, \
         on the same street as, en la misma cuadra, en la misma cuadra de, en la misma cuadra del, \
         en la misma calle de, en la misma calle del, por ahi, por ahi cerca, ahi cerca, por alli, por alli cerca, \
         alli cerca",
    ),
    (Operator::OnFoot, None, "a pe, a pie, on foot, caminhando, andando, caminando, walking"),
    (Operator::Near, Some(Language::English), "around"),
    (Operator::Near, Some(Language::Portuguese), "perto, pertinho"),
    (Operator::Near, Some(Language::Spanish), "cerca"),
];

/// Units of distance, in metres.
#[rustfmt::skip]
pub(crate) const DISTANCES: &[(&str, u32)] = &[
    ("m", 1), ("metro", 1), ("metros", 1), ("meters", 1), ("metres", 1), ("km", 1_000), ("kms", 1_000), ("quilometro", 1_000),
    ("quilometros", 1_000), ("kilometro", 1_000), ("kilometros", 1_000), ("kilometer", 1_000), ("kilometers", 1_000),
    ("kilometre", 1_000), ("kilometres", 1_000),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::tokens::{Tokens, operator};

    #[test]
    fn words_join_and_exclude_in_the_language_of_the_question() {
        use Language::{English, Portuguese, Spanish};
        for (text, language, read_as) in [
            ("ou", Portuguese, Some((1, Operator::Or))),
            ("o", Spanish, Some((1, Operator::Or))),
            ("o", Portuguese, None),
            ("y", Spanish, Some((1, Operator::And))),
            ("no", Portuguese, None),
            ("no", Spanish, Some((1, Operator::Not))),
            ("no", English, Some((1, Operator::Not))),
            ("no more", Portuguese, Some((2, Operator::Not))),
            ("but no samba", Portuguese, Some((2, Operator::Not))),
            ("que não seja bar", Portuguese, Some((3, Operator::Not))),
            ("outside of town", English, Some((2, Operator::Not))),
            ("outside the city", English, Some((1, Operator::Not))),
            ("fui no Calaf", Portuguese, None),
            ("fui no Calaf, tem outro samba?", Portuguese, Some((2, Operator::Known))),
            ("saw the Cathedral, what other churches", English, Some((2, Operator::Known))),
            ("perto da UnB", Portuguese, Some((2, Operator::Near))),
            ("samba", Portuguese, None),
        ] {
            let tokens = Tokens::new(text);
            assert_eq!(operator(&tokens.all(), 0, language), read_as, "{text}");
        }
    }
}
