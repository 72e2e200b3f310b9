//! Flags: yes-or-no facts about a row that rules ask for. There are three sets, one for all rows and one for each of the
//! two grammars, so that no bit has two meanings and none can be asked of the wrong set.

/// Declares a set: its flags get one bit each, in order. More flags than bits do not compile.
macro_rules! flags {
    ($(#[$about:meta])+ $set:ident($bits:ty) { $($(#[$doc:meta])+ $flag:ident,)+ }) => {
        $(#[$about])+
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct $set($bits);

        impl $set {
            pub const NONE: $set = $set(0);

            flags!(@ $set, 0, $($(#[$doc])+ $flag,)+);

            pub const fn has(self, other: $set) -> bool {
                self.0 & other.0 == other.0
            }

            pub const fn set(&mut self, other: $set) {
                self.0 |= other.0;
            }

            /// Those that are in the other, too.
            pub const fn only(self, other: $set) -> $set {
                $set(self.0 & other.0)
            }

            /// Those that are not in the other.
            pub const fn without(self, other: $set) -> $set {
                $set(self.0 & !other.0)
            }
        }

        impl std::ops::BitOr for $set {
            type Output = $set;

            fn bitor(self, other: $set) -> $set {
                $set(self.0 | other.0)
            }
        }
    };
    (@ $set:ident, $bit:expr, $(#[$doc:meta])+ $flag:ident, $($rest:tt)*) => {
        $(#[$doc])+
        pub const $flag: $set = $set(1 << ($bit));

        flags!(@ $set, $bit + 1, $($rest)*);
    };
    (@ $set:ident, $bit:expr,) => {};
}

flags! {
    /// Of rows of any dialect.
    Flags(u16) {
        /// The item lies in a JSON string: its bytes are escaped, and it is not edited.
        EMBEDDED,
        /// The item lies in a recorded response, not in a request.
        RECORDED,
        /// Made from something that is no item: has the place of its cause and is never edited.
        SYNTHETIC,
        /// The text of the record is damaged, or not UTF-8: it is read, and never edited.
        FROZEN,
        /// Its text is what another system stores of an item, not the item as the API takes it: its fields are not
        /// judged.
        FOREIGN,
        /// Says more about an item that another row represents: its result, the same call once more. The `key` ties
        /// them.
        CONTINUES,
        /// It is in no list: it can be changed, and not taken out.
        ALONE,
        /// A call, or its result, of a kind that clients run as a rule. The server ran this one.
        SERVER_RUN,
        /// A call that must not run before someone has confirmed it: it has pending safety checks.
        CHECKS_PENDING,
        /// The key that pairs call and output is longer than the API takes.
        LONG_KEY,
        /// The record lies in a damaged line whose text can be repaired; then the item can be edited. Comes with `FROZEN`.
        DAMAGED,
        /// Its record is longer than records may be: it was not read, and never is.
        UNREAD,
    }
}

flags! {
    /// Of items of the Responses API.
    ItemFlags(u32) {
        /// Reasoning carries an encrypted blob.
        BLOB,
        /// `status` is `in_progress`: what a stream's `added` event carries.
        IN_PROGRESS,
        /// A hosted item whose payload is not in the item, only its id.
        ID_ONLY,
        /// Called by a program; that is who is answered.
        OWNED,
        /// A call that pairs by order because it has no call_id (tool search).
        ANONYMOUS,
        /// The item's id has a form that only clients invent.
        SYNTHETIC_ID,
        /// The item's id is longer than the API takes.
        LONG_ID,
        /// The item's id is an empty text: the member is there, and names nothing.
        EMPTY_ID,
        /// Several stored elements may be about the same item: all but the first continue it.
        SHARED,
        /// Stored in a format that has no such item without an id.
        BOUND,
        // What only few targets mind, noted by the table of field rules.
        /// Text of the model without `annotations`.
        BARE_TEXT,
        /// A message without content.
        EMPTY_CONTENT,
        /// A call that names the namespace of its tool.
        NAMESPACED,
        /// A message of the role `system`.
        SYSTEM,
        /// Reasoning without an id.
        FRESH,
        /// Reasoning without its own text.
        WORDLESS,
    }
}

flags! {
    /// Of messages that hold blocks, and of their blocks.
    BlockFlags(u16) {
        /// A result that is a message of its own, and no block of one.
        MESSAGE,
        /// A message says something besides its block rows: a text as its content.
        CONTENT,
        /// The text, or all content, is empty.
        EMPTY,
        /// The text is nothing but white space.
        BLANK,
        /// The content is null.
        NULL,
        /// There is no content at all.
        ABSENT,
        /// A message's calls are a member of their own, beside its content, which goes with the last of them.
        CALLS_APART,
        /// Thinking, or a call, carries its provider's signature.
        SIGNED,
        /// The provider is asked to cache the prompt up to here.
        CACHED,
        /// What the model thought is in a member of the message.
        REASONED,
        /// The key is nine letters and digits.
        NINE,
        /// A result that refers to tools.
        REFERS,
        /// A result of a session whose text seems to hold a NUL character.
        NUL,
    }
}
