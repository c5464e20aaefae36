//! What answers look like, told as data: a name, a type, when it is there, what it is for. Whoever writes an answer
//! tells its shape beside it; the documents and the tools of agents are made of that. Tests hold real answers to the
//! shapes, with nothing left over on either side. Uses nothing.

/// An object that is answered.
#[derive(Debug)]
pub struct Shape {
    /// What the documents call it.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What it holds, in order.
    pub fields: &'static [Field],
}

impl Shape {
    /// Whether it is a record of the guide: something that a plan may hide part of.
    pub fn is_record(&self) -> bool {
        self.fields.iter().any(|field| field.presence == Presence::Paid)
    }

    /// The names of the fields that are there so often.
    pub fn names(&self, presence: Presence) -> impl Iterator<Item = &'static str> {
        self.fields.iter().filter(move |field| field.presence == presence).map(|field| field.name)
    }
}

/// A field of an object.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub kind: Type,
    /// When it is there.
    pub presence: Presence,
    /// What it is for.
    pub about: &'static str,
}

impl Field {
    /// A field that is always there.
    pub const fn always(name: &'static str, kind: Type, about: &'static str) -> Field {
        Field { name, kind, presence: Presence::Always, about }
    }

    /// A field that is there when there is something to tell.
    pub const fn maybe(name: &'static str, kind: Type, about: &'static str) -> Field {
        Field { name, kind, presence: Presence::Maybe, about }
    }

    /// A field of paid plans, there when the curator knows it.
    pub const fn paid(name: &'static str, kind: Type, about: &'static str) -> Field {
        Field { name, kind, presence: Presence::Paid, about }
    }
}

/// When a field is there. It is never null and never blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Always.
    Always,
    /// When there is something to tell.
    Maybe,
    /// On paid plans, when there is something to tell.
    Paid,
}

/// What a field is.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    /// Yes or no.
    Boolean,
    /// Yes, or no, and never the other.
    Only(bool),
    /// A whole number that is not negative.
    Integer,
    /// A text.
    Text,
    /// A day, as YYYY-MM-DD.
    Date,
    /// A time of the day, as HH:MM.
    Time,
    /// A moment, by RFC 3339.
    Moment,
    /// An address, as a URI.
    Link,
    /// An API key.
    Key,
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// An object.
    Object(&'static Shape),
    /// A list of objects.
    List(&'static Shape),
    /// A list of texts.
    Texts,
    /// Whole numbers by name.
    Counts,
}
