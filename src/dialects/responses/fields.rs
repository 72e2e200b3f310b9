//! The kind of an item and the key that pairs it, from its members.

use crate::dialects::media_parts;
use crate::history::{Family, Flag, Flags, ItemFlags, Kind, Row};
use crate::json::{KeyName, Str, Val, name};

/// The dialect's name.
pub const NAME: &str = "responses";

/// Salt for keys of approvals: they are paired by the id of the request, which must not be mistaken for a call_id.
pub(super) const APPROVAL_SALT: u64 = 0x9e37_79b9_7f4a_7c15;

/// The members of an item that determine its row.
#[derive(Default, Clone, Copy)]
pub(super) struct ResponsesFields<'t> {
    pub kind: Option<Str<'t>>,
    pub role: Option<Str<'t>>,
    pub id: Option<Str<'t>>,
    pub call_id: Option<Str<'t>>,
    pub approval: Option<Str<'t>>,
    pub output: bool,
    /// It has a name or arguments, as only calls do.
    pub named: bool,
    pub result: bool,
    pub execution: Option<Str<'t>>,
    pub status: Option<Str<'t>>,
    pub blob: bool,
    pub pending: bool,
    pub owned: bool,
    /// Its content or output has an image, a sound or a file.
    pub media: bool,
}

impl<'t> ResponsesFields<'t> {
    pub fn of(val: Val<'t>) -> Self {
        let mut fields = ResponsesFields::default();
        for (name, val) in val.named_members() {
            fields.set_member(name, val);
        }
        fields
    }

    fn set_member(&mut self, name: KeyName, val: Val<'t>) {
        match name {
            name::r#type => self.kind = val.as_str(),
            name::role => self.role = val.as_str(),
            name::id => self.id = val.as_str(),
            name::call_id => self.call_id = val.as_str(),
            name::approval_request_id => self.approval = val.as_str(),
            name::output => {
                self.output = true;
                self.media |= media_parts::holds_media(val);
            }
            name::content => self.media |= media_parts::holds_media(val),
            name::name | name::arguments => self.named = true,
            name::result => self.result = val.is_string(),
            name::execution => self.execution = val.as_str(),
            name::status => self.status = val.as_str(),
            name::encrypted_content => self.blob = val.as_str().is_some_and(|s| !s.is_empty()),
            name::pending_safety_checks => self.pending = val.count() > 0,
            name::caller => self.owned = val.get(name::r#type).is_some_and(|t| t.is("program")),
            _ => {}
        }
    }

    /// The kind, from `type`; for items without one, where the API allows that, from the other members.
    pub fn kind(&self) -> Kind {
        match self.kind {
            Some(name) if !name.is_empty() => Kind::of_type(&name.decode()),
            _ if self.role.is_some() => Kind::Message,
            _ if self.call_id.is_some() && self.output => Kind::FunctionCallOutput,
            _ if self.call_id.is_some() && self.named => Kind::FunctionCall,
            // An incomplete call or output: which one is unknown.
            _ if self.call_id.is_some() => Kind::Unknown,
            _ if self.id.is_some() => Kind::ItemReference,
            _ => Kind::Unknown,
        }
    }

    pub fn key(&self, kind: Kind) -> Option<Str<'t>> {
        let key = match (kind, kind.family()?) {
            (Kind::McpApprovalRequest, _) => self.id,
            (_, Family::Approval) => self.approval,
            // The schema pairs these by id, the server by call_id.
            (_, Family::LocalShell) => self.call_id.or(self.id),
            _ => self.call_id,
        };
        key.filter(|s| !s.is_empty())
    }

    pub fn set_flags(&self, row: &mut Row, key: Option<Str<'t>>) {
        let kind = row.kind;
        fn set(row: &mut Row, flag: impl Flag, when: bool) {
            if when {
                row.set(flag);
            }
        }
        let search = kind.family() == Some(Family::ToolSearch);
        let server = search && self.execution.is_some_and(|e| e.is(b"server"));
        set(row, Flags::SERVER_RUN, server);
        set(row, ItemFlags::ANONYMOUS, search && !server && key.is_none());
        set(row, ItemFlags::BLOB, self.blob);
        set(row, ItemFlags::IN_PROGRESS, self.status.is_some_and(|s| s.is(b"in_progress")));
        set(row, Flags::CHECKS_PENDING, kind == Kind::ComputerCall && self.pending);
        set(row, ItemFlags::ID_ONLY, kind == Kind::ImageGenerationCall && !self.result);
        set(row, ItemFlags::OWNED, self.owned);
        set(row, Flags::MEDIA, self.media);
    }
}
