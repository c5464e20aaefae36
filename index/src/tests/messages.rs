//! Messages as people send them to somebody who knows the city: the wish is one part of several.

use crate::question::query;
use crate::search::page::Nothing;
use crate::tests::closest::{events, places};
use crate::tests::generators::demo_guide;

/// The places that a message lists.
fn listed(message: &str) -> Vec<String> {
    places(demo_guide(), message).1
}

#[test]
fn a_long_message_is_answered_by_the_part_that_asks() {
    for (message, wish) in [
        (
            "que dia, perdi o crachá na piscina do prédio, briguei com o síndico e a chuva molhou meu violão. quero comer \
             num japonês na Asa Sul",
            "japonês na Asa Sul",
        ),
        (
            "my sister flew in from Lisbon with a cold, we spent the morning at the pharmacy and the afternoon at a \
             theatre rehearsal, and now we need a Japanese restaurant in Asa Sul",
            "Japanese restaurant in Asa Sul",
        ),
        (
            "ayer se nos rompió la nevera, mi suegra llora por las plantas y el perro ladra. ¿hay alguna panadería en Asa \
             Norte?",
            "panadería en Asa Norte",
        ),
        (
            "tô exausto, larguei a academia, briguei no condomínio e moro em Taguatinga queria um boteco",
            "boteco em Taguatinga",
        ),
    ] {
        let alone = listed(wish);
        assert!(!alone.is_empty(), "{wish}");
        assert_eq!(listed(message), alone, "{message}");
        let (page, ..) = places(demo_guide(), message);
        let left_out = page.closest.expect("what was told is left out").left_out;
        assert!(left_out.len() >= 3, "{left_out:?}");
    }
}

#[test]
fn what_was_told_says_which_where_a_record_of_the_wish_has_it() {
    let coins = listed("museu de valores");
    let message = "nossa, achei um baú da vovó no sótão, cheio de cédulas e moedas, quase chorei. tem algum museu que \
                   meu pai, colecionador aposentado, possa visitar?";
    let found = listed(message);
    assert!(found.iter().any(|id| coins.contains(id)), "{found:?} of {coins:?}");
    assert!(found.len() < listed("museu").len(), "{found:?}");
}

#[test]
fn what_is_told_beside_the_wish_is_no_town_and_no_errand() {
    let nothing = |message: &str| places(demo_guide(), message).0.nothing;
    assert_eq!(nothing("meu avô nasceu em Salvador. onde tem museu na Asa Sul?"), None);
    assert_eq!(nothing("saí da academia agora, tô com fome. onde tem pizza?"), None);
    assert!(matches!(nothing("onde tem museu em Salvador?"), Some(Nothing::Outside(_))));
    assert!(matches!(nothing("onde tem academia na Asa Sul?"), Some(Nothing::NotListed(_))));
    // the hotel of a bar says where that is
    assert_eq!(nothing("bar no topo de um hotel"), None);
    assert!(matches!(nothing("hotel no topo da cidade"), Some(Nothing::NotListed(_))));
}

#[test]
fn small_talk_around_a_question_asks_for_nothing() {
    let same = |message: &str, wish: &str| assert_eq!(listed(message), listed(wish), "{message}");
    same("mano onde tem pizza na asa sul", "pizza na asa sul");
    same("cara eu tô doido por um sushi", "sushi");
    same("aquele bar com samba, esqueci o nome", "bar com samba");
    same("kd as padarias da asa norte pls", "padarias da asa norte");
    same("a vegetarian-friendly dinner, Indian or Thai", "Indian or Thai");
}

#[test]
fn blocks_are_heard_as_they_are_said() {
    for (heard, written) in [
        ("boteco na quatrocentos e oito norte", "boteco na 408 norte"),
        ("perto da duzentos e dois sul, restaurante", "perto da 202 sul restaurante"),
        ("até duzentos e cinco reais", "ate duzentos e cinco reais"),
        ("cento e doze", "cento e doze"),
    ] {
        assert_eq!(query::words(heard).expect("a short text").folded(), written);
    }
}

#[test]
fn refusals_end_with_their_sentence_and_take_names() {
    let guide = demo_guide();
    let parks = listed("parque ou trilha no Lago Sul");
    assert_eq!(listed("museu não. e parque ou trilha no Lago Sul?"), parks);
    let named = listed("frutos do mar, mas não me mandem pro Coco Bambu");
    assert!(!named.is_empty() && named.iter().all(|id| !id.starts_with("coco-bambu")), "{named:?}");
    assert_eq!(listed("sushi não, quero pizza"), listed("pizza sem sushi"));
    let (_, samba, _) = events(guide, "dizem que aqui não tem roda de samba. quero ir a uma no sábado");
    assert_eq!(samba, events(guide, "roda de samba no sábado").1);
}
