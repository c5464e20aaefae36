//! Why a file or an address could not be read or written, in Portuguese and English.

use std::io;

use serde_json::error::Category;

use crate::lang::Lang;

/// Why something could not be read or written. What another program says of it is in English, and is left out of
/// sentences in Portuguese where they say the same.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the texts below say what each one means")]
pub enum Why {
    NotAnAddress,
    NotHttps,
    TooLarge {
        mib: usize,
    },
    /// What the server answers.
    Status {
        code: u16,
    },
    TooSlow,
    NoConnection {
        detail: String,
    },
    /// The answer ended, or the request failed otherwise.
    Failed {
        detail: String,
    },
    Missing,
    NotJson {
        line: usize,
        column: usize,
    },
    /// JSON of another form than the file has.
    OtherContent {
        detail: String,
        line: usize,
    },
    DiskFull,
    ReadOnly,
    NotPermitted,
    Other {
        detail: String,
    },
}

impl From<&io::Error> for Why {
    fn from(error: &io::Error) -> Self {
        match error.kind() {
            // a quota, or a limit of file sizes, is a disk that takes no more too
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::DiskFull
            }
            io::ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            io::ErrorKind::PermissionDenied => Self::NotPermitted,
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Other { detail: error.to_string() },
        }
    }
}

impl From<&serde_json::Error> for Why {
    fn from(error: &serde_json::Error) -> Self {
        match error.classify() {
            Category::Data => Self::OtherContent { detail: error.to_string(), line: error.line() },
            _ => Self::NotJson { line: error.line(), column: error.column() },
        }
    }
}

impl Why {
    /// The reason, as it stands in a sentence.
    pub fn text(&self, lang: Lang) -> String {
        match lang {
            Lang::Pt => self.pt(),
            Lang::En => self.en(),
        }
    }

    fn pt(&self) -> String {
        match self {
            Self::NotAnAddress => "não é um endereço".into(),
            Self::NotHttps => "só endereços que começam com https:// são lidos".into(),
            Self::TooLarge { mib } => format!("tem mais de {mib} MiB"),
            Self::Status { code: 404 } => "o servidor responde que não há nada ali (404)".into(),
            Self::Status { code: 401 | 403 } => "o servidor não deixa ler: é preciso compartilhar".into(),
            Self::Status { code } => format!("o servidor responde com o erro {code}"),
            Self::TooSlow => "a resposta demora demais".into(),
            Self::NoConnection { .. } => "não há conexão com o servidor".into(),
            Self::Failed { .. } => "a resposta veio com erro ou pela metade".into(),
            Self::Missing => "o arquivo não existe".into(),
            Self::NotJson { line, column } => {
                format!("o arquivo está danificado na linha {line}, coluna {column}")
            }
            Self::OtherContent { line, .. } => {
                format!("o conteúdo não é o esperado, perto da linha {line}")
            }
            Self::DiskFull => "o disco está cheio".into(),
            Self::ReadOnly => "o disco é só de leitura".into(),
            Self::NotPermitted => "falta permissão".into(),
            Self::Other { detail } => format!("o sistema diz {detail:?}"),
        }
    }

    fn en(&self) -> String {
        match self {
            Self::NotAnAddress => "it is no address".into(),
            Self::NotHttps => "only https:// addresses are read".into(),
            Self::TooLarge { mib } => format!("it is larger than {mib} MiB"),
            Self::Status { code: 401 | 403 } => "the server does not let it be read: share it".into(),
            Self::Status { code } => format!("the server answers {code}"),
            Self::TooSlow => "it takes too long".into(),
            Self::NoConnection { detail } => format!("there is no connection: {detail}"),
            Self::Failed { detail } => format!("the request failed: {detail}"),
            Self::Missing => "the file is missing".into(),
            Self::NotJson { line, column } => {
                format!("the file is damaged at line {line}, column {column}")
            }
            Self::OtherContent { detail, .. } => detail.clone(),
            Self::DiskFull => "the disk is full".into(),
            Self::ReadOnly => "the disk is read-only".into(),
            Self::NotPermitted => "permission is missing".into(),
            Self::Other { detail } => detail.clone(),
        }
    }
}
