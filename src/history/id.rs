//! The structure of OpenAI ids (observed, undocumented). Ids are `<prefix>_<hex>`. With 50 hex digits (since about
//! October 2025): 16 of lineage, `00` or `01`, 8 of Unix time, the rest random. With 48 (before): time in the first 8,
//! lineage in the last 16. The lineage names the *conversation* and is inherited by later responses, so it does not
//! tell whether two items are of one response; it shows their age, and items spliced in from elsewhere.

/// Lineage and time inside an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IdParts {
    /// 0 if the id has another form.
    pub lineage: u64,
    /// Unix seconds; 0 if the id has another form.
    pub time: u32,
}

/// Times outside 2024 to 2040 mean that the digits are something else.
const PLAUSIBLE: std::ops::Range<u32> = 1_704_067_200..2_208_988_800;

/// Parses an id; the default for any other form.
pub fn parse_id(id: &[u8]) -> IdParts {
    parse_parts(id).unwrap_or_default()
}

fn parse_parts(id: &[u8]) -> Option<IdParts> {
    let hex = id.get(id.iter().position(|b| *b == b'_')? + 1..)?;
    let (lineage, time) = match hex.len() {
        50 if matches!(hex.get(16..18)?, b"00" | b"01") => (hex.get(..16)?, hex.get(18..26)?),
        48 => (hex.get(32..)?, hex.get(..8)?),
        _ => return None,
    };
    let (lineage, time) = (parse_hex(lineage)?, u32::try_from(parse_hex(time)?).ok()?);
    (PLAUSIBLE.contains(&time) && parse_hex(hex.get(26..42)?).is_some()).then_some(IdParts { lineage, time })
}

fn parse_hex(hex: &[u8]) -> Option<u64> {
    hex.iter().try_fold(0u64, |sum, digit| Some(sum << 4 | u64::from(char::from(*digit).to_digit(16)?)))
}

/// True for forms of ids that only clients invent: `msg_<digits>`, `resp_<ms>`, `openai_<ms>`.
pub fn is_synthetic(id: &[u8]) -> bool {
    let end = id.iter().position(|b| *b == b'_');
    let Some((prefix, [_, rest @ ..])) = end.and_then(|end| id.split_at_checked(end)) else { return false };
    if rest.is_empty() || !rest.iter().all(u8::is_ascii_digit) {
        return false;
    }
    match prefix {
        b"msg" => rest.len() <= 20,
        // Current times in milliseconds since 1970 have 13 digits.
        b"resp" | b"openai" => rest.len() == 13,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_give_lineage_and_time() {
        let new = parse_id(b"fc_0c71d6d8526a7a4b006920e0447ea8819da94e572b1f077c44");
        assert_eq!(new, IdParts { lineage: 0x0c71_d6d8_526a_7a4b, time: 0x6920_e044 });
        let old = parse_id(b"rs_68c42de022c881948db7ed1cc2529f2e0202c9ad459e0d23");
        assert_eq!(old, IdParts { lineage: 0x0202_c9ad_459e_0d23, time: 0x68c4_2de0 });
        for other in ["rs_1", "fc", "rs_68c42de0-22c8-8194-8db7-ed1cc2529f2e", "msg_abc"] {
            assert_eq!(parse_id(other.as_bytes()), IdParts::default());
        }
    }

    #[test]
    fn invented_ids_are_recognised() {
        for id in ["msg_17", "resp_1760000000000", "openai_1760000000000"] {
            assert!(is_synthetic(id.as_bytes()), "{id}");
        }
        for id in ["msg_", "msg_a1", "rs_17", "resp_17", "fc_0c71"] {
            assert!(!is_synthetic(id.as_bytes()), "{id}");
        }
    }
}
