//! The texts of the form that adds something to a list, a table for each language.

use super::Field;

/// The form, and why a link is not taken.
pub(crate) struct Joining {
    pub(crate) title: &'static str,
    pub(crate) link: Field,
    pub(crate) submit: &'static str,
    pub(crate) no_link: &'static str,
    pub(crate) foreign: &'static str,
    pub(crate) other_page: &'static str,
    pub(crate) not_in_guide: &'static str,
}

pub(crate) const PORTUGUESE: Joining = Joining {
    title: "Juntar à lista",
    link: Field {
        label: "Link",
        help: "Cole o endereço da página de um evento ou lugar, ou o de outra lista.",
    },
    submit: "Juntar",
    no_link: "Isto não é um link. Cole o endereço inteiro da página.",
    foreign: "Este link é de outro site. Só entra na lista o que está neste guia.",
    other_page: "Este link não é de um evento, de um lugar nem de uma lista.",
    not_in_guide: "Isto não está no guia, ou já saiu dele.",
};

pub(crate) const ENGLISH: Joining = Joining {
    title: "Add to the list",
    link: Field {
        label: "Link",
        help: "Paste the address of the page of an event or a place, or of another list.",
    },
    submit: "Add",
    no_link: "This is no link. Paste the whole address of the page.",
    foreign: "This link is of another site. A list holds what is in this guide.",
    other_page: "This link is of no event, place or list.",
    not_in_guide: "This is not in the guide, or no longer.",
};
