//! The texts of the page of the webhook, a table for each language.

use super::Field;

/// The page of the webhook.
pub(crate) struct Webhook {
    pub(crate) title: &'static str,
    pub(crate) lead: &'static str,
    pub(crate) without: &'static str,
    pub(crate) url: Field,
    pub(crate) set: &'static str,
    pub(crate) new_secret: &'static str,
    pub(crate) bad_url: &'static str,
    pub(crate) private: &'static str,
    pub(crate) queue_full: &'static str,
    pub(crate) current: &'static str,
    pub(crate) last: &'static str,
    pub(crate) nothing_sent: &'static str,
    pub(crate) test: &'static str,
    pub(crate) remove: &'static str,
    pub(crate) your_secret: &'static str,
    pub(crate) shown_once: &'static str,
    pub(crate) how: &'static str,
    /// Of the first steps in the documentation.
    pub(crate) in_docs: &'static str,
    pub(crate) in_docs_how: &'static str,
}

pub(crate) const PORTUGUESE: Webhook = Webhook {
    title: "Avisos (webhook)",
    lead: "O seu servidor fica sabendo de cada publicação do guia (snapshot.published) e quando 80 % e 100 % das consultas do mês \
           foram usadas (quota.80, quota.100).",
    without: "Sem endereço, os avisos de consultas vão por e-mail.",
    url: Field { label: "Endereço", help: "Começa com https:// e é da internet pública." },
    set: "Salvar o endereço",
    new_secret: "Salvar cria um segredo novo, mostrado uma vez, e descarta o que esperava por outro endereço.",
    bad_url: "Escreva um endereço que comece com https://, sem usuário nem #, de até 500 caracteres.",
    private: "Este endereço é de uma rede privada. Use um da internet pública.",
    queue_full: "Já esperam tantas mensagens por este endereço quantas cabem, e o teste não foi mandado. Veja o último envio.",
    current: "Endereço atual",
    last: "Último envio",
    nothing_sent: "Nada enviado ainda",
    test: "Mandar um teste",
    remove: "Remover o endereço",
    your_secret: "O segredo das assinaturas",
    shown_once: "Copie agora: ele não aparece de novo.",
    how: "Com ele, as bibliotecas de Standard Webhooks conferem os cabeçalhos webhook-id, webhook-timestamp e webhook-signature.",
    in_docs: "Avisos no seu servidor",
    in_docs_how: "Um webhook conta ao seu servidor quando o guia é publicado e quando as consultas do mês chegam a 80 % e a 100 %. As \
                  mensagens são assinadas como diz Standard Webhooks e repetidas por três dias até uma resposta 2xx; a mesma pode \
                  chegar duas vezes, com o mesmo webhook-id.",
};

pub(crate) const ENGLISH: Webhook = Webhook {
    title: "Webhook",
    lead: "Your server is told of each publication of the guide (snapshot.published), and when 80 % and 100 % of the calls of the month \
           are used (quota.80, quota.100).",
    without: "Without an address, e-mails tell of the calls.",
    url: Field { label: "Address", help: "It begins with https:// and is of the public internet." },
    set: "Save the address",
    new_secret: "Saving makes a new secret, which is shown once, and drops what waits for another address.",
    bad_url: "Write an address that begins with https://, without a user or a #, of 500 characters at most.",
    private: "This address is of a private network. Use one of the public internet.",
    queue_full: "As many messages as may wait for this address do, and the test was not sent. See the last message.",
    current: "Present address",
    last: "Last message",
    nothing_sent: "Nothing sent yet",
    test: "Send a test",
    remove: "Remove the address",
    your_secret: "The secret of the signatures",
    shown_once: "Copy it now: it is not shown again.",
    how: "With it the libraries of Standard Webhooks verify the headers webhook-id, webhook-timestamp and webhook-signature.",
    in_docs: "Telling your server",
    in_docs_how: "A webhook tells your server when the guide is published, and when the calls of the month reach 80 % and 100 %. Messages \
                  are signed as Standard Webhooks say and repeated for three days until an answer is 2xx; the same one may arrive \
                  twice, with the same webhook-id.",
};
