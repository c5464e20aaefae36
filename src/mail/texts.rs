//! The texts of the mails: one table for each language.
//!
//! A line that is indented by four spaces is shown as it is, to be copied; other lines of a block form a paragraph. A
//! blank line separates blocks. A line after `-> ` is the address to go to, and the line below it is what its button
//! says. `[words](address)` in a paragraph is a link, which the text shows as "words (address)". `{name}` is replaced
//! by a value: `{service}` and `{url}` are known in every mail. Portuguese takes the name of the service as masculine.

/// The subject and the body of a mail.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) subject: &'static str,
    pub(super) body: &'static str,
}

/// The mails in one language.
#[derive(Debug)]
pub(super) struct Texts {
    /// How a day is written, as chrono's `format` takes it.
    pub(super) day: &'static str,
    /// The same of a moment in Brasília.
    pub(super) moment: &'static str,
    /// `{key}`
    pub(super) welcome: Text,
    /// `{code}`
    pub(super) recovery: Text,
    /// `{code}`
    pub(super) sign_in: Text,
    /// `{code}`: to the new address.
    pub(super) new_address: Text,
    /// To the old address.
    pub(super) moved: Text,
    /// `{key}`
    pub(super) rotated: Text,
    /// `{at}`: the new key is not known any more.
    pub(super) rotated_before: Text,
    /// `{plan}`, `{until}`, `{paid_plan}`, `{amount}`, `{date}`, `{order}`
    pub(super) paid: Text,
    /// Between reais and centavos.
    pub(super) decimal_point: &'static str,
    /// Follows a paid one, if the plan renews: `{until}`
    pub(super) renews: &'static str,
    /// Follows the one about the first payment of an order, from which on the law grants a withdrawal.
    pub(super) refund: &'static str,
    /// The account is gone.
    pub(super) erased: Text,
    /// `{plan}`, `{until}`: the plan is still active.
    pub(super) overdue: Text,
    /// The plan never began.
    pub(super) overdue_at_first: Text,
    pub(super) declined: Text,
    /// `{plan}`, `{until}`: other months are paid.
    pub(super) refunded: Text,
    /// Nothing else is paid.
    pub(super) refunded_all: Text,
    /// `{plan}`: nothing else is paid, and the plan is given.
    pub(super) refunded_beside_grant: Text,
    /// `{plan}`, `{until}`
    pub(super) canceled: Text,
    pub(super) ended: Text,
    /// `{plan}`
    pub(super) plan: Text,
    /// `{plan}`
    pub(super) quota_low: Text,
    /// `{plan}`
    pub(super) quota_spent: Text,
    /// `{list}`
    pub(super) asked: Text,
    pub(super) test: Text,
    /// `{reader}`, `{area}`: whether somebody wants the weekly letter, and about which area.
    pub(super) confirm_letter: Text,
    /// The link of the weekly letter to all of the weekend.
    pub(super) whole_weekend: &'static str,
    /// Follows the weekly letter.
    pub(super) letter_foot: &'static str,
    /// The link that ends the weekly letter, and its address: `{reader}`.
    pub(super) stop_letter: &'static str,
    pub(super) stop_address: &'static str,
    /// Follows a mail about a charge that can be paid: `{pay_url}`.
    pub(super) pay: &'static str,
    /// The link of a mail about payments: to the account, or to its plans where one may be ordered.
    pub(super) account_link: &'static str,
    pub(super) plans_link: &'static str,
    /// In the text alone: of every mail about payments, and of those to somebody who has not just paid.
    pub(super) billing_lines: &'static str,
    pub(super) subscribe_line: &'static str,
}

pub(super) static PORTUGUESE: Texts = Texts {
    day: "%d/%m/%Y",
    moment: "%d/%m/%Y, às %-Hh%M (horário de Brasília)",
    welcome: Text {
        subject: "sua chave",
        body: r#"
Olá! Esta é a sua chave para o {service}; plano, uso e dados ficam na sua conta.

-> {url}/conta
Abrir minha conta

    {key}

Guarde bem a chave: só fica conosco um resumo dela, que não permite mostrá-la de novo. Se a perder,
[peça outra]({url}/conta/recuperar).

Não foi você que pediu? Então pode ignorar esta mensagem.

~

Para experimentar:

    curl {url}/v1 \
      -H 'content-type: application/json' \
      -H 'x-api-key: {key}' \
      -d '{"action":"search_events","q":"samba"}'
"#,
    },
    recovery: Text {
        subject: "código para uma nova chave",
        body: r#"
Olá! Com este código você recebe uma nova chave do {service}:

-> {url}/conta/recuperar
Trocar o código por uma chave

    {code}

Ele vale por 24 horas, uma única vez. Não o passe a ninguém: no site ele também abre a sua conta. Alguém, esperamos que
você, pediu uma chave para este endereço, que já tem uma. As chaves antigas só deixam de valer quando o código for usado.

Não foi você que pediu? Então pode ignorar esta mensagem: nada muda.

~

O mesmo, sem o site:

    curl {url}/v1/keys/recover/confirm \
      -H 'content-type: application/json' \
      -d '{"email":"SEU_EMAIL","code":"{code}"}'
"#,
    },
    sign_in: Text {
        subject: "código para entrar",
        body: "
Olá! Com este código você entra na sua conta do {service}:

-> {url}/conta/codigo
Entrar com o código

    {code}

Ele vale por 24 horas, uma única vez. Não o passe a ninguém. A API está em {url}/v1, e a sua chave continua a mesma.

Não foi você que pediu? Então pode ignorar esta mensagem: sem o código ninguém entra.
",
    },
    new_address: Text {
        subject: "código para mudar o e-mail",
        body: "
Olá! Com este código a sua conta do {service} passa a ter este e-mail:

-> {url}/conta/email
Mudar o e-mail

    {code}

Ele vale por 24 horas, uma única vez, na página em que você pediu a mudança. A API está em {url}/v1, e a sua chave continua a
mesma.

Não foi você que pediu? Então pode ignorar esta mensagem: nada muda.
",
    },
    moved: Text {
        subject: "sua conta tem outro e-mail",
        body: "
Olá! O e-mail da sua conta do {service} foi mudado, e este endereço já não serve para entrar. As mensagens vão agora para o novo.
A API está em {url}/v1, e a sua chave continua a mesma.

Não foi você que mudou? Então escreva já a quem opera o serviço:

-> {url}/contato
Escrever a quem opera
",
    },
    rotated: Text {
        subject: "sua nova chave",
        body: r#"
Olá! Sua chave do {service} foi trocada. Esta é a nova; a antiga já não vale.

-> {url}/conta
Abrir minha conta

    {key}

Não foi você que trocou? Então alguém conhecia a antiga: [peça outra já]({url}/conta/recuperar).

~

Para experimentar:

    curl {url}/v1 \
      -H 'content-type: application/json' \
      -H 'x-api-key: {key}' \
      -d '{"action":"search_events","q":"samba"}'
"#,
    },
    rotated_before: Text {
        subject: "sua chave foi trocada",
        body: "
Olá! Sua chave do {service} foi trocada em {at}, e a antiga já não vale.

A nova foi entregue na resposta ao pedido e não está nesta mensagem, porque não a guardamos. Se ela não chegou até você,
ou se não foi você que a trocou, [peça outra]({url}/conta/recuperar). Pela API: POST {url}/v1/keys/recover.
",
    },
    paid: Text {
        subject: "pagamento confirmado",
        body: "
Olá! Recebemos o seu pagamento, obrigado. O plano {plan} do {service} está ativo e pago até {until}. A sua chave continua
a mesma.

    Plano: {paid_plan}
    Valor: {amount}
    Data: {date}
    Pedido: {order}
    Pago até: {until}
",
    },
    decimal_point: ",",
    renews: "
O plano renova todo mês até você [cancelar]({url}/conta/cancelar); a próxima cobrança vence por volta de {until}.
",
    refund: "
Desistiu, em até sete dias desta compra? Peça o dinheiro de volta, com o número do pedido, pela
[página de contato]({url}/contato).
",
    erased: Text {
        subject: "sua conta foi excluída",
        body: "
Olá! A sua conta do {service} foi excluída, com tudo o que guardávamos dela: as chaves de {url}/v1 já não valem, e nada mais será
cobrado. O tempo que estava pago acabou com ela. Esta é a última mensagem.

Não foi você que a excluiu? Então alguém leu o seu e-mail ou usou a sua sessão: escreva a quem opera o serviço.

-> {url}/contato
Escrever a quem opera
",
    },
    overdue: Text {
        subject: "pagamento em atraso",
        body: "
Olá! O pagamento da sua conta do {service} venceu. O plano {plan} continua ativo até {until} e depois passa a ser o
gratuito.
",
    },
    overdue_at_first: Text {
        subject: "pagamento em atraso",
        body: "
Olá! O pagamento da sua conta do {service} venceu, e o plano ainda não começou.
",
    },
    declined: Text {
        subject: "cartão recusado",
        body: "
Olá! O cartão não foi aceito para o pagamento da sua conta do {service}.
",
    },
    refunded: Text {
        subject: "pagamento devolvido",
        body: "
Olá! Um pagamento da sua conta do {service} foi devolvido ou contestado, e o mês que ele comprou saiu dela. O plano {plan} está
pago até {until}.
",
    },
    refunded_all: Text {
        subject: "pagamento devolvido",
        body: "
Olá! O pagamento da sua conta do {service} foi devolvido ou contestado. O seu plano agora é o gratuito.
",
    },
    refunded_beside_grant: Text {
        subject: "pagamento devolvido",
        body: "
Olá! Um pagamento da sua conta do {service} foi devolvido ou contestado, e o mês que ele comprou saiu dela. O seu plano agora é o
{plan}, que você tem sem pagar.
",
    },
    canceled: Text {
        subject: "assinatura cancelada",
        body: "
Olá! A sua assinatura do {service} foi cancelada, e nada mais será cobrado. O plano {plan} continua ativo até {until} e
depois passa a ser o gratuito, com a mesma chave.
",
    },
    quota_low: Text {
        subject: "80 % das consultas do mês",
        body: "
Olá! A sua conta do {service} já usou 80 % das consultas do mês no plano {plan}. Quando acabarem, as próximas são recusadas
até o mês seguinte; um plano maior vale na hora, com a mesma chave.

Prefere um aviso no seu servidor? Na sua conta há webhooks.
",
    },
    quota_spent: Text {
        subject: "as consultas do mês acabaram",
        body: "
Olá! A sua conta do {service} usou todas as consultas do mês no plano {plan}: as próximas são recusadas até o mês seguinte. Um
plano maior vale na hora, com a mesma chave.
",
    },
    asked: Text {
        subject: "o que procuraram e não encontraram",
        body: "
Olá! Na semana passada as pessoas procuraram isto no {service} e não encontraram. Cada linha diz quantas vezes, quantos
clientes (ao menos), se não houve nada (0) ou só algo próximo (~), as palavras e como foram entendidas:

    {list}

Veja a lista inteira com candango asked. Ela conta as buscas em {url}/v1, em {url}/mcp e no site, e só o que ao menos três
clientes pediram no mesmo dia; quem pediu não fica guardado.
",
    },
    test: Text {
        subject: "e-mail de teste",
        body: r#"
Olá! Este é um e-mail de teste do {service}: o envio funciona. A API está em {url}/v1.
"#,
    },
    ended: Text {
        subject: "seu plano terminou",
        body: "
Olá! O seu plano pago do {service} terminou. A sua chave continua valendo, no plano gratuito.
",
    },
    plan: Text {
        subject: "seu plano mudou",
        body: "
Olá! O seu plano do {service} agora é {plan}: quem opera o serviço o mudou. A sua chave continua a mesma.
",
    },
    confirm_letter: Text {
        subject: "confirme a carta do fim de semana",
        body: "
Olá! Alguém, esperamos que você, pediu a carta do fim de semana do {service} para este endereço: o fim de semana em Brasília{area}, toda quinta
às 17h. Para recebê-la, confirme.

-> {url}/sexta/confirm?r={reader}
Quero receber a carta

Não foi você que pediu? Então pode ignorar esta mensagem: sem a confirmação nada mais chega, e em 7 dias este endereço é
apagado.
",
    },
    whole_weekend: "Ver o fim de semana inteiro",
    letter_foot: "
Você recebe esta carta porque a confirmou. Para parar, abra este link e aperte o botão; este endereço é apagado:
",
    stop_letter: "Parar de receber",
    stop_address: "{url}/sexta/stop?r={reader}",
    pay: "
Você pode pagar aqui:

-> {pay_url}
Ir para o pagamento
",
    account_link: "
-> {url}/conta
Abrir minha conta
",
    plans_link: "
Para assinar um plano:

-> {url}/conta/plano
Escolher um plano
",
    billing_lines: "
Sua conta: {url}/conta. Pela API, para ver a assinatura: POST {url}/v1/billing/status.
",
    subscribe_line: "
Para assinar pela API: POST {url}/v1/billing/checkout.
",
};

pub(super) static ENGLISH: Texts = Texts {
    day: "%Y-%m-%d",
    moment: "%Y-%m-%d at %H:%M (Brasília time)",
    welcome: Text {
        subject: "your key",
        body: r#"
Hello! This is your key for {service}; your plan, calls and data are in your account.

-> {url}/en/account
Open your account

    {key}

Keep the key safe: we keep only a hash of it and cannot show it again. If you lose it,
[ask for another]({url}/en/account/recover).

It was not you who asked? Then just ignore this message.

~

To try it:

    curl {url}/v1 \
      -H 'content-type: application/json' \
      -H 'x-api-key: {key}' \
      -d '{"action":"search_events","q":"samba"}'
"#,
    },
    recovery: Text {
        subject: "a code for a new key",
        body: r#"
Hello! With this code you get a new key for {service}:

-> {url}/en/account/recover
Exchange the code for a key

    {code}

It works for 24 hours, and once. Give it to nobody: on the site it also opens your account. Someone, we hope you, asked for
a key for this address, which has one already. Your old keys stop working only when the code is used.

It was not you who asked? Then just ignore this message: nothing changes.

~

The same without the site:

    curl {url}/v1/keys/recover/confirm \
      -H 'content-type: application/json' \
      -d '{"email":"YOUR_EMAIL","code":"{code}"}'
"#,
    },
    sign_in: Text {
        subject: "a code to sign in",
        body: "
Hello! With this code you sign in to your {service} account:

-> {url}/en/account/code
Sign in with the code

    {code}

It works for 24 hours, and once. Give it to nobody. The API is at {url}/v1, and your key stays the same.

It was not you who asked? Then just ignore this message: without the code nobody gets in.
",
    },
    new_address: Text {
        subject: "a code to change your e-mail",
        body: "
Hello! With this code your {service} account gets this e-mail address:

-> {url}/en/account/email
Change the e-mail

    {code}

It works for 24 hours, and once, on the page where you asked for the change. The API is at {url}/v1, and your key stays the
same.

It was not you who asked? Then just ignore this message: nothing changes.
",
    },
    moved: Text {
        subject: "your account has another e-mail",
        body: "
Hello! The e-mail address of your {service} account was changed, and this one does not sign in any more. Messages go to the new
one now. The API is at {url}/v1, and your key stays the same.

It was not you who changed it? Then write to the operator of the service at once:

-> {url}/en/contact
Write to the operator
",
    },
    rotated: Text {
        subject: "your new key",
        body: r#"
Hello! Your {service} key was replaced. This is the new one; the old one does not work any more.

-> {url}/en/account
Open your account

    {key}

It was not you who replaced it? Then someone knew the old one: [ask for another now]({url}/en/account/recover).

~

To try it:

    curl {url}/v1 \
      -H 'content-type: application/json' \
      -H 'x-api-key: {key}' \
      -d '{"action":"search_events","q":"samba"}'
"#,
    },
    rotated_before: Text {
        subject: "your key was replaced",
        body: "
Hello! Your {service} key was replaced on {at}, and the old one does not work any more.

The new one was in the answer to the request. It is not in this message, because we do not keep it. If it did not reach
you, or if it was not you who replaced it, [ask for another]({url}/en/account/recover). Over the API: POST
{url}/v1/keys/recover.
",
    },
    paid: Text {
        subject: "payment confirmed",
        body: "
Hello! We have your payment, thank you. The {plan} plan of {service} is active and paid until {until}. Your key stays the
same.

    Plan: {paid_plan}
    Amount: {amount}
    Date: {date}
    Order: {order}
    Paid until: {until}
",
    },
    decimal_point: ".",
    renews: "
The plan renews every month until you [cancel it]({url}/en/account/cancel); the next charge is due about {until}.
",
    refund: "
Changed your mind, within seven days of this purchase? Ask for your money back, with the number of the order, on the
[contact page]({url}/en/contact).
",
    erased: Text {
        subject: "your account was deleted",
        body: "
Hello! Your account of {service} was deleted, with all that we kept of it: the keys of {url}/v1 work no longer, and nothing more will
be charged. The time that was paid ended with it. This is the last message.

It was not you who deleted it? Then somebody read your mail or used your session: write to the operator of the service.

-> {url}/en/contact
Write to the operator
",
    },
    overdue: Text {
        subject: "payment overdue",
        body: "
Hello! Your payment for {service} is overdue. The {plan} plan stays active until {until} and becomes the free one after
that.
",
    },
    overdue_at_first: Text {
        subject: "payment overdue",
        body: "
Hello! Your payment for {service} is overdue, and the plan has not begun.
",
    },
    declined: Text {
        subject: "card declined",
        body: "
Hello! The card was declined for your payment for {service}.
",
    },
    refunded: Text {
        subject: "payment refunded",
        body: "
Hello! A payment for {service} was refunded or disputed, and the month it bought was taken back. The {plan} plan is paid
until {until}.
",
    },
    refunded_all: Text {
        subject: "payment refunded",
        body: "
Hello! Your payment for {service} was refunded or disputed. Your plan is the free one now.
",
    },
    refunded_beside_grant: Text {
        subject: "payment refunded",
        body: "
Hello! A payment for {service} was refunded or disputed, and the month it bought was taken back. Your plan is {plan}
now, which you have without payment.
",
    },
    canceled: Text {
        subject: "subscription canceled",
        body: "
Hello! Your subscription to {service} was canceled, and nothing more will be charged. The {plan} plan stays active until
{until} and becomes the free one after that, with the same key.
",
    },
    quota_low: Text {
        subject: "80 % of the calls of the month",
        body: "
Hello! Your account at {service} has used 80 % of the calls of the month on the {plan} plan. Once they are used up, further
ones are refused until the next month; a larger plan counts at once, with the same key.

Would you rather have your server told? Your account has webhooks.
",
    },
    quota_spent: Text {
        subject: "the calls of the month are used up",
        body: "
Hello! Your account at {service} has used all calls of the month on the {plan} plan: further ones are refused until the next
month. A larger plan counts at once, with the same key.
",
    },
    asked: Text {
        subject: "what people asked and did not find",
        body: "
Hello! Last week people asked {service} for this and did not find it. Each line says how often, by how many callers (at
least), whether there was nothing (0) or only something close (~), the words, and how they were understood:

    {list}

The command candango asked prints the whole list. It counts searches of {url}/v1, {url}/mcp and the site, and only what at
least three callers asked on one day; who asked is not kept.
",
    },
    test: Text {
        subject: "test mail",
        body: r#"
Hello! This is a test mail of {service}: sending works. The API is at {url}/v1.
"#,
    },
    ended: Text {
        subject: "your plan has ended",
        body: "
Hello! Your paid plan of {service} has ended. Your key keeps working, on the free plan.
",
    },
    plan: Text {
        subject: "your plan has changed",
        body: "
Hello! Your plan of {service} is {plan} now: the operator of the service has changed it. Your key stays the same.
",
    },
    confirm_letter: Text {
        subject: "confirm the weekend letter",
        body: "
Hello! Someone, we hope you, asked for the weekend letter of {service} for this address: the weekend in Brasília{area}, each Thursday at
17:00. To get it, confirm.

-> {url}/en/friday/confirm?r={reader}
I want the letter

It was not you who asked? Then just ignore this message: unless you confirm nothing else comes, and this address is deleted in
7 days.
",
    },
    whole_weekend: "See the whole weekend",
    letter_foot: "
You get this letter because you confirmed it. To stop it, open this link and press the button; this address is deleted:
",
    stop_letter: "Stop the letter",
    stop_address: "{url}/en/friday/stop?r={reader}",
    pay: "
You can pay here:

-> {pay_url}
Go to the payment
",
    account_link: "
-> {url}/en/account
Open your account
",
    plans_link: "
To subscribe to a plan:

-> {url}/en/account/plan
Choose a plan
",
    billing_lines: "
Your account: {url}/en/account. Over the API, to see the subscription: POST {url}/v1/billing/status.
",
    subscribe_line: "
To subscribe over the API: POST {url}/v1/billing/checkout.
",
};
