//! The texts of the pages of an account, a table for each language.

use super::Field;

/// The pages of an account.
pub(crate) struct Account {
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) enter: &'static str,
    pub(crate) enter_lead: &'static str,
    /// The same on the way to a page of the account.
    pub(crate) enter_for: fn(&str) -> String,
    pub(crate) email: Field,
    pub(crate) mail_code: &'static str,
    pub(crate) with_key: &'static str,
    pub(crate) key: Field,
    pub(crate) enter_with_key: &'static str,
    pub(crate) no_account: &'static str,
    pub(crate) lost_key: &'static str,
    pub(crate) code_title: &'static str,
    pub(crate) code_lead: &'static str,
    /// For who comes with a code, when none was asked for just now.
    pub(crate) type_code: &'static str,
    pub(crate) type_code_lead: &'static str,
    pub(crate) code: Field,
    pub(crate) enter_with_code: &'static str,
    /// A session that began with a key is not enough.
    pub(crate) needs_code: &'static str,
    pub(crate) needs_code_lead: &'static str,
    pub(crate) key_session: &'static str,
    pub(crate) sign_out: &'static str,
    pub(crate) plan: &'static str,
    pub(crate) status: &'static str,
    /// The states of a subscription, in the order of their type.
    pub(crate) statuses: [&'static str; 5],
    pub(crate) paid_until: &'static str,
    pub(crate) renews: &'static str,
    /// The end of a plan that is canceled, and what stands before the plan that follows.
    pub(crate) ends: &'static str,
    pub(crate) then: &'static str,
    pub(crate) subscribe_again: &'static str,
    pub(crate) pay_now: &'static str,
    pub(crate) calls: &'static str,
    pub(crate) month: &'static str,
    pub(crate) minute: &'static str,
    /// Between a number and the limit.
    pub(crate) of: &'static str,
    pub(crate) month_ends: &'static str,
    pub(crate) no_calls: &'static str,
    pub(crate) change_plan: &'static str,
    pub(crate) change_plan_lead: &'static str,
    /// What else to know of a paid plan, a sentence each.
    pub(crate) plan_terms: &'static [&'static str],
    /// What the paid time of one plan is worth: whole days of another, of which there may be none.
    pub(crate) plan_worth: fn(i64, &str) -> String,
    /// The plan that the account has, beside its name.
    pub(crate) current_plan: &'static str,
    pub(crate) new_key: &'static str,
    pub(crate) new_key_lead: &'static str,
    pub(crate) replace_key: &'static str,
    pub(crate) your_new_key: &'static str,
    pub(crate) shown_once: &'static str,
    /// A form that works once was sent again.
    pub(crate) used: &'static str,
    pub(crate) used_lead: &'static str,
    pub(crate) cancel: &'static str,
    /// What a cancellation does, with the day on which the plan ends.
    pub(crate) cancel_lead: fn(&str) -> String,
    pub(crate) confirm_cancel: &'static str,
    pub(crate) keep_plan: &'static str,
    /// What it does to an order that waits beside the plan, with the plan of that, and the way to withdraw it alone.
    pub(crate) cancel_order_too: fn(&str) -> String,
    pub(crate) withdraw_alone: &'static str,
    /// The same for an order that waits for its first payment: its plan and its number.
    pub(crate) withdraw: &'static str,
    pub(crate) withdraw_lead: fn(&str, &str) -> String,
    pub(crate) confirm_withdraw: &'static str,
    /// The way to the page that says whom to ask.
    pub(crate) ask_refund: &'static str,
    pub(crate) nothing_to_cancel: &'static str,
    /// What follows a cancellation, and the withdrawal of an order.
    pub(crate) canceled: &'static str,
    pub(crate) withdrawn: &'static str,
    /// The same, with the day on which the plan ends.
    pub(crate) already_canceled: fn(&str) -> String,
    pub(crate) payments: &'static str,
    pub(crate) no_payments: &'static str,
    pub(crate) columns: [&'static str; 4],
    pub(crate) pending: &'static str,
    /// A charge that cannot be paid any more.
    pub(crate) closed: &'static str,
    pub(crate) paid: &'static str,
    pub(crate) refunded: &'static str,
    /// What can be done about a payment.
    pub(crate) withdraw_this: &'static str,
    pub(crate) refund_this: &'static str,
    pub(crate) data: &'static str,
    pub(crate) data_lead: &'static str,
    pub(crate) name: &'static str,
    pub(crate) company: &'static str,
    pub(crate) use_case: &'static str,
    pub(crate) since: &'static str,
    pub(crate) keys: &'static str,
    pub(crate) live_key: &'static str,
    pub(crate) kept: &'static str,
    pub(crate) kept_items: &'static [&'static str],
    pub(crate) change_address: &'static str,
    pub(crate) change_address_lead: &'static str,
    pub(crate) new_address: Field,
    pub(crate) new_address_code_lead: &'static str,
    /// For who comes with a code, when none was asked for just now.
    pub(crate) type_new_address_code_lead: &'static str,
    pub(crate) confirm_address: &'static str,
    pub(crate) address_taken: &'static str,
    pub(crate) export: &'static str,
    pub(crate) delete: &'static str,
    pub(crate) delete_lead: &'static str,
    pub(crate) stays: &'static str,
    pub(crate) stays_items: &'static [&'static str],
    pub(crate) delete_email: Field,
    pub(crate) confirm_delete: &'static str,
    pub(crate) wrong_email: &'static str,
    pub(crate) deleted: &'static str,
    pub(crate) deleted_lead: &'static str,
    pub(crate) recover: &'static str,
    pub(crate) recover_lead: &'static str,
    pub(crate) recover_code: &'static str,
    pub(crate) recover_code_lead: &'static str,
    pub(crate) payment: &'static str,
    pub(crate) paid_title: &'static str,
    pub(crate) paid_active: &'static str,
    pub(crate) paid_unknown: &'static str,
    /// What else came of an order: a title and a sentence each.
    pub(crate) no_order: [&'static str; 2],
    pub(crate) order_waiting: [&'static str; 2],
    pub(crate) order_refused: [&'static str; 2],
    pub(crate) order_overdue: [&'static str; 2],
    pub(crate) order_closed: [&'static str; 2],
    pub(crate) order_refunded: [&'static str; 2],
    pub(crate) see_account: &'static str,
    pub(crate) order_signed_in: &'static str,
}

pub(crate) const PORTUGUESE: Account = Account {
    title: "Minha conta",
    description: "Plano, uso, chave, pagamentos e dados da sua conta.",
    enter: "Entre na sua conta",
    enter_lead: "Mandamos um código para o seu e-mail. Não há senha.",
    enter_for: |page| {
        format!(
            "“{page}” mostra ou muda uma conta, por isso é preciso entrar antes. Mandamos um código para o e-mail dela, e \
             depois você vai direto para lá. Não há senha."
        )
    },
    email: Field { label: "E-mail", help: "O da sua conta." },
    mail_code: "Mandar o código",
    with_key: "Ou com a chave, só para ver plano e uso",
    key: Field {
        label: "Sua chave",
        help: "Começa com cdg_live_. Para dados, cancelamento e nova chave é preciso o código.",
    },
    enter_with_key: "Entrar com a chave",
    no_account: "Ainda não tem conta? Pegue uma chave, de graça",
    lost_key: "Perdeu a chave?",
    code_title: "Confira seu e-mail",
    code_lead: "Se este e-mail tem uma conta, vai um código para ele. Vale por 24 horas, uma vez. Cada e-mail recebe poucos \
                códigos para entrar por hora: se nenhum chegar, use o último deles.",
    type_code: "Entre com o código",
    type_code_lead: "Escreva o e-mail da conta e o código que ele recebeu. Não tem um código, ou o seu venceu? Peça outro.",
    code: Field { label: "Código", help: "Doze letras e números, como 01AB-23CD-45EF." },
    enter_with_code: "Entrar",
    needs_code: "É preciso o código do e-mail",
    needs_code_lead: "Você entrou com a chave, que mostra só plano e uso. Dados, pagamentos, cancelamento e nova chave são para \
                      quem lê o e-mail da conta.",
    key_session: "Você entrou com a chave: aqui aparecem só plano e uso.",
    sign_out: "Sair",
    plan: "Plano",
    status: "Assinatura",
    statuses: ["Nenhuma", "Aguardando pagamento", "Ativa", "Em atraso", "Cancelada"],
    paid_until: "Pago até",
    renews: "Renova todo mês",
    ends: "Termina em",
    then: "depois",
    subscribe_again: "Assinar de novo",
    pay_now: "Ir para o pagamento",
    calls: "Uso",
    month: "Este mês",
    minute: "Este minuto",
    of: "de",
    month_ends: "Recomeça em",
    no_calls: "Nenhuma consulta neste mês.",
    change_plan: "Mudar de plano",
    change_plan_lead: "O pagamento é feito numa página à parte. Confirmado, a mesma chave muda de plano na hora.",
    plan_terms: &[
        "Um plano pago renova todo mês até ser cancelado; cancelado, vale até o fim do mês pago.",
        "Se a renovação não for paga, o plano vale mais 3 dias (por boleto, 5) e passa a ser o gratuito.",
        "Uma mudança de plano vale quando é paga. O que resta do plano anterior vira dias do novo, pelo seu valor, e a próxima \
         cobrança vem quando eles acabam.",
        "As consultas já feitas no mês continuam contando.",
    ],
    plan_worth: |days, plan| match days {
        0 => format!("O que resta do seu plano vale menos de um dia de {plan}."),
        1 => format!("O que resta do seu plano vale mais 1 dia de {plan}."),
        _ => format!("O que resta do seu plano vale mais {days} dias de {plan}."),
    },
    current_plan: "plano atual",
    new_key: "Nova chave",
    new_key_lead: "A nova chave aparece uma vez, na próxima página. A atual deixa de valer na hora, em todos os servidores, e as \
                   outras sessões terminam.",
    replace_key: "Trocar a chave agora",
    your_new_key: "Sua nova chave",
    shown_once: "Copie agora: ela não aparece de novo. Também vai por e-mail. A antiga já não vale.",
    used: "Isto já foi feito",
    used_lead: "O formulário foi enviado outra vez, ou a conta mudou depois que ele foi aberto. Agora nada foi feito: vale o que já \
                apareceu, que não aparece de novo. Uma chave nova também vai por e-mail.",
    cancel: "Cancelar a assinatura",
    cancel_lead: |day| {
        format!(
            "Nada mais será cobrado. O plano continua ativo até {day} e depois passa a ser o gratuito, com a mesma chave."
        )
    },
    confirm_cancel: "Confirmar o cancelamento",
    keep_plan: "Manter o plano",
    cancel_order_too: |plan| format!("O pedido do plano {plan}, que espera o pagamento, também é encerrado."),
    withdraw_alone: "Desistir só do pedido e manter o plano",
    withdraw: "Desistir do pedido",
    withdraw_lead: |plan, order| {
        format!(
            "O pedido do plano {plan} que espera o pagamento ({order}) é encerrado, e nada é cobrado por ele. O que já está \
             pago continua como está."
        )
    },
    confirm_withdraw: "Encerrar o pedido",
    ask_refund: "Desistiu, em até sete dias da compra? Peça o dinheiro de volta",
    canceled: "A assinatura foi cancelada, e nada mais será cobrado. A data em que o plano termina está abaixo.",
    withdrawn: "O pedido foi encerrado, e nada será cobrado por ele.",
    nothing_to_cancel: "Não há assinatura ativa para cancelar, nem pedido em aberto.",
    already_canceled: |day| {
        format!("A assinatura já foi cancelada, e nada mais será cobrado. O plano continua ativo até {day}.")
    },
    payments: "Pagamentos",
    no_payments: "Nenhum pagamento ainda.",
    columns: ["Data", "Plano e pedido", "Valor", "Situação"],
    pending: "Aguardando",
    closed: "Encerrado",
    paid: "Pago",
    refunded: "Devolvido",
    withdraw_this: "Desistir deste pedido",
    refund_this: "Pedir devolução",
    data: "Meus dados",
    data_lead: "Isto é o que guardamos de você.",
    name: "Nome",
    company: "Empresa",
    use_case: "Para que usa",
    since: "Conta desde",
    keys: "Chaves",
    live_key: "ativa",
    kept: "O que fica guardado",
    kept_items: &[
        "O e-mail e o que você escreveu no cadastro",
        "Um resumo de cada chave, que não permite mostrá-la, com o começo e o fim dela",
        "Tokens de navegador, com suas origens, e endereços de calendário: um resumo de cada um, com os 4 últimos caracteres",
        "O endereço dos avisos (webhook) e o segredo que os assina, até você os remover",
        "Quantas consultas a conta fez, por mês e por ação; nunca o que foi perguntado",
        "Pedidos e pagamentos, com os 4 últimos caracteres do CPF ou CNPJ; o resto fica com quem recebe o pagamento",
    ],
    change_address: "Mudar o e-mail",
    change_address_lead: "Mandamos um código para o novo e-mail. Só quando ele for usado a conta muda, e o e-mail antigo recebe um \
                          aviso. As outras sessões terminam; a chave continua a mesma.",
    new_address: Field { label: "Novo e-mail", help: "O que vai valer para entrar e receber mensagens." },
    new_address_code_lead: "Vai um código para o novo e-mail. Vale por 24 horas, uma vez.",
    type_new_address_code_lead: "Escreva o novo e-mail e o código que ele recebeu. Não tem um código, ou o seu venceu? Peça outro.",
    confirm_address: "Mudar o e-mail agora",
    address_taken: "Outra conta já tem este e-mail. Nada mudou.",
    export: "Baixar tudo (JSON)",
    delete: "Excluir a conta",
    delete_lead: "A assinatura é cancelada, as chaves deixam de valer e tudo o que guardamos é apagado na hora. Não há volta, e o \
                  tempo pago se perde.",
    stays: "O que a lei manda guardar",
    stays_items: &[
        "O que foi pago, quando e por qual plano, sem nome nem e-mail: cinco anos (CTN 173 e 174)",
        "Que a conta foi excluída e quando, sem nome nem e-mail: prova da exclusão (LGPD 37)",
        "Cópias de segurança mais antigas, até serem apagadas",
        "Nome, endereço e CPF ou CNPJ no meio de pagamento, pelas regras dele",
    ],
    delete_email: Field {
        label: "Escreva o e-mail da conta",
        help: "Para confirmar que é esta a conta a excluir.",
    },
    confirm_delete: "Excluir a conta para sempre",
    wrong_email: "Este não é o e-mail da conta. Nada foi excluído.",
    deleted: "A conta foi excluída",
    deleted_lead: "As chaves já não valem e nada mais será cobrado.",
    recover: "Recuperar a chave",
    recover_lead: "Perdeu a chave? Mandamos um código para o e-mail da conta. A chave antiga só deixa de valer quando o código for \
                   usado, e com ele você também entra na conta.",
    recover_code: "Trocar o código por uma nova chave",
    recover_code_lead: "Se este e-mail tem uma conta, vai um código para ele. Vale por 24 horas, uma vez. Cada e-mail recebe poucos \
                        códigos para uma nova chave por hora: se nenhum chegar, use o último deles.",
    payment: "Seu pagamento",
    paid_title: "Obrigado!",
    paid_active: "O pagamento foi confirmado, e o plano está ativo. A chave é a mesma.",
    paid_unknown: "Assim que o pagamento for confirmado, a mesma chave muda de plano. Entre para ver.",
    no_order: [
        "Nenhum pedido em aberto",
        "Esta conta não tem pedido a pagar. Para assinar, escolha um plano na sua conta.",
    ],
    order_waiting: [
        "Pagamento pendente",
        "O pagamento ainda não foi confirmado. Já pagou? Pix e cartão levam segundos; boleto, até três dias úteis: recarregue a \
         página para ver.",
    ],
    order_refused: [
        "O cartão foi recusado",
        "O pagamento não passou, e nada foi cobrado. Seu plano não mudou. Para tentar de novo, siga até o pagamento, ou faça \
         outro pedido pela sua conta.",
    ],
    order_overdue: [
        "O pagamento venceu",
        "O prazo passou, e o pagamento não foi confirmado. Ele ainda pode ser feito: siga até o pagamento.",
    ],
    order_closed: [
        "O pedido foi encerrado",
        "Ele não foi pago e nada será cobrado por ele. Sua conta mostra o plano de agora. Para assinar, faça outro pedido.",
    ],
    order_refunded: [
        "O pagamento voltou",
        "O pagamento do último pedido foi devolvido ou contestado, e o plano que ele comprou não está ativo. Para assinar, \
         faça outro pedido.",
    ],
    see_account: "Ver a conta",
    order_signed_in: "Já tem conta? Escolha ou mude o plano na sua conta, sem copiar a chave",
};

pub(crate) const ENGLISH: Account = Account {
    title: "Your account",
    description: "Plan, usage, key, payments and data of your account.",
    enter: "Sign in to your account",
    enter_lead: "We send a code to your e-mail. There is no password.",
    enter_for: |page| {
        format!(
            "“{page}” shows or changes an account, so you have to sign in first. We send a code to its e-mail, and then you \
             go straight there. There is no password."
        )
    },
    email: Field { label: "E-mail", help: "The one of your account." },
    mail_code: "Send the code",
    with_key: "Or with your key, to see plan and usage only",
    key: Field {
        label: "Your key",
        help: "It begins with cdg_live_. Data, cancelling and a new key need the code.",
    },
    enter_with_key: "Sign in with the key",
    no_account: "No account yet? Get a key, free of charge",
    lost_key: "Lost your key?",
    code_title: "Check your e-mail",
    code_lead: "If this e-mail has an account, a code is on its way. It works for 24 hours, once. Each e-mail gets few codes to \
                sign in with an hour: if none arrives, use the last of those.",
    type_code: "Sign in with the code",
    type_code_lead: "Type the e-mail of the account and the code that it got. No code, or is yours too old? Ask for another.",
    code: Field { label: "Code", help: "Twelve letters and digits, like 01AB-23CD-45EF." },
    enter_with_code: "Sign in",
    needs_code: "This needs the code in an e-mail",
    needs_code_lead: "You signed in with the key, which shows plan and usage only. Data, payments, cancelling and a new key are for \
                      whoever reads the mailbox of the account.",
    key_session: "You signed in with the key: only plan and usage are shown.",
    sign_out: "Sign out",
    plan: "Plan",
    status: "Subscription",
    statuses: ["None", "Awaiting payment", "Active", "Past due", "Canceled"],
    paid_until: "Paid until",
    renews: "Renews every month",
    ends: "Ends on",
    then: "then",
    subscribe_again: "Subscribe again",
    pay_now: "Go to the payment",
    calls: "Usage",
    month: "This month",
    minute: "This minute",
    of: "of",
    month_ends: "Starts again on",
    no_calls: "No calls this month.",
    change_plan: "Change plan",
    change_plan_lead: "You pay on a page of its own. Once that is confirmed, the same key changes its plan at once.",
    plan_terms: &[
        "A paid plan renews every month until it is canceled; once it is, it lasts to the end of the paid month.",
        "If the renewal is not paid, the plan lasts 3 days more (by bank slip 5) and becomes the free one.",
        "A change of plan takes effect when it is paid. What is left of the plan before becomes days of the new one, by its worth, \
         and the next charge comes when they end.",
        "Calls that were made this month still count.",
    ],
    plan_worth: |days, plan| match days {
        0 => format!("What is left of your plan is worth less than a day of {plan}."),
        1 => format!("What is left of your plan is worth 1 more day of {plan}."),
        _ => format!("What is left of your plan is worth {days} more days of {plan}."),
    },
    current_plan: "current plan",
    new_key: "New key",
    new_key_lead: "The new key is shown once, on the next page. The present one stops working at once, on every server, and other \
                   sessions end.",
    replace_key: "Replace the key now",
    your_new_key: "Your new key",
    shown_once: "Copy it now: it is not shown again. It also comes by e-mail. The old one does not work any more.",
    used: "This was done already",
    used_lead: "The form was sent again, or the account has changed since it was opened. Nothing was done now: what was shown before \
                stays in force, and is not shown again. A new key also comes by e-mail.",
    cancel: "Cancel the subscription",
    cancel_lead: |day| {
        format!(
            "Nothing more will be charged. The plan stays active until {day} and becomes the free one after that, with the same key."
        )
    },
    confirm_cancel: "Confirm the cancellation",
    keep_plan: "Keep the plan",
    cancel_order_too: |plan| {
        format!("The order of the {plan} plan, which waits for its payment, is closed too.")
    },
    withdraw_alone: "Withdraw the order alone and keep the plan",
    withdraw: "Withdraw the order",
    withdraw_lead: |plan, order| {
        format!(
            "The order of the {plan} plan that waits for its payment ({order}) is closed, and nothing is charged for it. \
             What is paid already stays as it is."
        )
    },
    confirm_withdraw: "Close the order",
    ask_refund: "Changed your mind, within seven days of the purchase? Ask for your money back",
    canceled: "The subscription is canceled, and nothing more will be charged. The day on which the plan ends is below.",
    withdrawn: "The order is closed, and nothing will be charged for it.",
    nothing_to_cancel: "There is neither an active subscription to cancel nor an open order.",
    already_canceled: |day| {
        format!(
            "The subscription is canceled already, and nothing more will be charged. The plan stays active until {day}."
        )
    },
    payments: "Payments",
    no_payments: "No payments yet.",
    columns: ["Date", "Plan and order", "Amount", "State"],
    pending: "Awaited",
    closed: "Closed",
    paid: "Paid",
    refunded: "Refunded",
    withdraw_this: "Withdraw this order",
    refund_this: "Ask for a refund",
    data: "Your data",
    data_lead: "This is what we keep of you.",
    name: "Name",
    company: "Company",
    use_case: "What you use it for",
    since: "Account since",
    keys: "Keys",
    live_key: "works",
    kept: "What is kept",
    kept_items: &[
        "The e-mail address and what you wrote at sign-up",
        "A hash of each key, which cannot show it, with its first and last characters",
        "Browser tokens, with their origins, and calendar addresses: a hash of each, with its last 4 characters",
        "The address of the webhook and the secret that signs what it gets, until you remove it",
        "How many calls the account made, by month and by action; never what was asked",
        "Orders and payments, with the last 4 characters of the tax number; the rest stays with the payment provider",
    ],
    change_address: "Change the e-mail",
    change_address_lead: "We send a code to the new address. Only when it is used the account changes, and the old address gets a \
                          notice. Other sessions end; the key stays the same.",
    new_address: Field { label: "New e-mail", help: "The one to sign in with and to get messages at." },
    new_address_code_lead: "A code is on its way to the new address. It works for 24 hours, once.",
    type_new_address_code_lead: "Type the new e-mail and the code that it got. No code, or is yours too old? Ask for another.",
    confirm_address: "Change the e-mail now",
    address_taken: "Another account has this e-mail already. Nothing has changed.",
    export: "Download everything (JSON)",
    delete: "Delete the account",
    delete_lead: "The subscription is canceled, the keys stop working, and all that we keep is erased at once. This cannot be undone, \
                  and paid time is lost.",
    stays: "What the law demands to keep",
    stays_items: &[
        "What was paid, when and for which plan, without name or address: five years (CTN 173, 174)",
        "That the account was deleted and when, without name or address: proof of the erasure (LGPD 37)",
        "Older backups, until those are deleted",
        "Name, address and tax number at the payment provider, by its own rules",
    ],
    delete_email: Field {
        label: "Type the e-mail of the account",
        help: "To confirm that this is the account to delete.",
    },
    confirm_delete: "Delete the account for ever",
    wrong_email: "This is not the e-mail of the account. Nothing was deleted.",
    deleted: "The account is deleted",
    deleted_lead: "Its keys do not work any more, and nothing more will be charged.",
    recover: "Recover your key",
    recover_lead: "Lost your key? We send a code to the e-mail of the account. The old key stops working only when the code is used, \
                   which also signs you in.",
    recover_code: "Exchange the code for a new key",
    recover_code_lead: "If this e-mail has an account, a code is on its way. It works for 24 hours, once. Each e-mail gets few codes \
                        for a new key an hour: if none arrives, use the last of those.",
    payment: "Your payment",
    paid_title: "Thank you!",
    paid_active: "The payment is confirmed, and the plan is active. The key stays the same.",
    paid_unknown: "Once the payment is confirmed, the same key changes its plan. Sign in to see.",
    no_order: [
        "No open order",
        "This account has no order to pay. To subscribe, choose a plan in your account.",
    ],
    order_waiting: [
        "Payment pending",
        "The payment is not confirmed yet. Have you paid? Pix and cards take seconds, bank slips up to three working days: reload \
         the page to see.",
    ],
    order_refused: [
        "The card was declined",
        "The payment did not go through, and nothing was charged. Your plan has not changed. To try again, go on to the payment, \
         or place another order from your account.",
    ],
    order_overdue: [
        "The payment is overdue",
        "The due date has passed, and the payment is not confirmed. It can still be made: go on to the payment.",
    ],
    order_closed: [
        "The order was closed",
        "It was not paid, and nothing will be charged for it. Your account shows the plan of now. To subscribe, place another order.",
    ],
    order_refunded: [
        "The payment went back",
        "The payment of the latest order was refunded or disputed, and the plan that it bought is not active. To subscribe, place \
         another order.",
    ],
    see_account: "See your account",
    order_signed_in: "Have an account? Choose or change the plan in your account, without copying the key",
};
