//! Flags: boolean facts about a row that rules ask for. There are three sets, one for all rows and one for each of the
//! two grammars, so that no bit has two meanings and none can be read from the wrong set.

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

            /// The intersection.
            pub const fn only(self, other: $set) -> $set {
                $set(self.0 & other.0)
            }

            /// The difference.
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
    /// Flags of rows of any dialect.
    Flags(u16) {
        /// The item is inside a JSON string: its bytes are escaped, and it is not edited.
        EMBEDDED,
        /// The item is in a recorded response, not in a request.
        RECORDED,
        /// Synthesised from something that is not an item: has the place of its cause and is never edited.
        SYNTHETIC,
        /// The text of the record is damaged, or not UTF-8: it is read, and never edited.
        FROZEN,
        /// Its text is another system's stored form of an item, not that of the API: its fields are not checked.
        FOREIGN,
        /// Continues an item that another row represents, with its result or the same call again. The `key` ties them.
        CONTINUES,
        /// It is not in a list: it can be changed, but not removed.
        ALONE,
        /// A call or its result of a kind that clients usually run, run by the server.
        SERVER_RUN,
        /// A call that must not run before someone has confirmed it: it has pending safety checks.
        CHECKS_PENDING,
        /// The key that pairs call and output is longer than the API accepts.
        LONG_KEY,
        /// The record is in a damaged line whose text can be repaired; then the item can be edited. Set together with
        /// `FROZEN`.
        DAMAGED,
        /// Its record is longer than records may be: it was not read, and never is.
        UNREAD,
        /// A message that the client inserted in the user's name: it begins no turn.
        INSERTED,
        /// It is, or contains, an image, a sound, a video or a file.
        MEDIA,
    }
}

flags! {
    /// Flags of items of the Responses API.
    ItemFlags(u32) {
        /// Reasoning carries an encrypted blob.
        BLOB,
        /// `status` is `in_progress`: what a stream's `added` event carries.
        IN_PROGRESS,
        /// A hosted item that has only its id, not its payload.
        ID_ONLY,
        /// Called by a program, which gets the output.
        OWNED,
        /// A call that pairs by order because it has no call_id (tool search).
        ANONYMOUS,
        /// The item's id has a form that only clients invent.
        SYNTHETIC_ID,
        /// The item's id is longer than the API accepts.
        LONG_ID,
        /// The item's id is an empty string.
        EMPTY_ID,
        /// Several stored elements may be about the same item: all but the first continue it.
        SHARED,
        /// Stored in a format in which such an item must have an id.
        BOUND,
        // For rules that few targets enforce, set by the table of field rules.
        /// Text of the model without `annotations`.
        BARE_TEXT,
        /// A message without content.
        EMPTY_CONTENT,
        /// A call with the namespace of its tool.
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
    /// Flags of messages that contain blocks, and of their blocks.
    BlockFlags(u16) {
        /// A result that is a message, not a block of one.
        MESSAGE,
        /// A message has content besides its block rows: a string.
        CONTENT,
        /// The text, or all content, is empty.
        EMPTY,
        /// The text is nothing but white space.
        BLANK,
        /// The content is null.
        NULL,
        /// There is no content at all.
        ABSENT,
        /// The calls of a message are a separate member, which is removed with the last of them.
        CALLS_APART,
        /// Thinking, or a call, has its provider's signature.
        SIGNED,
        /// The provider is asked to cache the prompt up to here.
        CACHED,
        /// The message has a member with the model's reasoning.
        REASONED,
        /// The key is nine letters and digits.
        NINE,
        /// A result that refers to tools.
        REFERS,
        /// A result of a session whose text seems to hold a NUL character.
        NUL,
        /// A call of a tool whose name its API rejects.
        BAD_NAME,
    }
}
