//! Functions that encode, decode and hash.

use sha2::{Digest, Sha256, Sha512};

use super::Parameter::{Any, Text};
use super::{Function, at, text_at};
use crate::data::Data;
use crate::engine::value::{Entries, Val};
use crate::engine::{Fail, Run};
use crate::format::{base64, json, read, toml_read, toml_write, yaml};

/// Precedes the errors of JSON that was YAML.
const FROM_YAML: &str = "error unmarshaling JSON: while decoding JSON: ";

pub const FUNCTIONS: &[Function] = &[
    Function::text("b64enc", |text| base64(text.as_bytes()).into()),
    Function::text("b64dec", |text| {
        match ::yaml::decode_base64(&text.replace(['\n', '\r'], "")) {
            Some(bytes) => String::from_utf8_lossy(&bytes).into(),
            None => "illegal base64 data at input byte 0".into(),
        }
    }),
    Function::text("b32enc", |text| base32(text.as_bytes()).into()),
    Function::text("b32dec", |text| match from_base32(text) {
        Some(bytes) => String::from_utf8_lossy(&bytes).into(),
        None => "illegal base32 data at input byte 0".into(),
    }),
    Function::text("sha1sum", |text| hexadecimal(&sha1(text.as_bytes())).into()),
    Function::text("sha256sum", |text| {
        hexadecimal(&Sha256::digest(text.as_bytes())).into()
    }),
    Function::text("sha512sum", |text| {
        hexadecimal(&Sha512::digest(text.as_bytes())).into()
    }),
    Function::text("adler32sum", |text| {
        adler32(text.as_bytes()).to_string().into()
    }),
    Function::fixed("toYaml", &[Any], |run, all| {
        yaml::write(run, at(all, 0), yaml::YamlLayout::Compact).map(Val::text)
    }),
    Function::fixed("mustToYaml", &[Any], |run, all| {
        yaml::write(run, at(all, 0), yaml::YamlLayout::Compact).map(Val::text)
    }),
    Function::fixed("toYamlPretty", &[Any], |run, all| {
        yaml::write(run, at(all, 0), yaml::YamlLayout::Pretty).map(Val::text)
    }),
    Function::fixed("fromYaml", &[Text], |run, all| {
        decoded(run, all, read::yaml, FROM_YAML)
    }),
    Function::fixed("fromYamlArray", &[Text], |run, all| {
        array(run, all, read::yaml, FROM_YAML)
    }),
    Function::fixed("toJson", &[Any], |run, all| {
        written(run, all, json::JsonLayout::Escaped)
    }),
    Function::fixed("mustToJson", &[Any], |run, all| {
        written(run, all, json::JsonLayout::Escaped)
    }),
    Function::fixed("toRawJson", &[Any], |run, all| {
        written(run, all, json::JsonLayout::Raw)
    }),
    Function::fixed("mustToRawJson", &[Any], |run, all| {
        written(run, all, json::JsonLayout::Raw)
    }),
    Function::fixed("toPrettyJson", &[Any], |run, all| {
        written(run, all, json::JsonLayout::Indented)
    }),
    Function::fixed("mustToPrettyJson", &[Any], |run, all| {
        written(run, all, json::JsonLayout::Indented)
    }),
    Function::fixed("fromJson", &[Text], |run, all| {
        decoded(run, all, read::json, "")
    }),
    Function::fixed("fromJsonArray", &[Text], |run, all| {
        array(run, all, read::json, "")
    }),
    Function::fixed("mustFromJson", &[Text], |run, all| {
        run.spent.charge_reading(text_at(all, 0))?;
        let data = read::json(text_at(all, 0)).map_err(Fail::new)?;
        Ok(Val::from_data(&data))
    }),
    Function::fixed("toToml", &[Any], |run, all| {
        toml_write::write(run, at(all, 0)).map(Val::text)
    }),
    Function::fixed("mustToToml", &[Any], |run, all| {
        toml_write::write(run, at(all, 0)).map(Val::text)
    }),
    Function::fixed("fromToml", &[Text], |run, all| {
        decoded(run, all, toml_read::read, "")
    }),
];

fn written(run: &mut Run, all: &[Val], layout: json::JsonLayout) -> Result<Val, Fail> {
    json::write(run, at(all, 0), layout).map(Val::text)
}

/// A map; if the text is none, one that says why.
fn decoded(
    run: &mut Run,
    all: &[Val],
    read: fn(&str) -> Result<Data, String>,
    prefix: &str,
) -> Result<Val, Fail> {
    run.spent.charge_reading(text_at(all, 0))?;
    let message = match read(text_at(all, 0)) {
        Ok(data @ Data::Map(_)) => return Ok(Val::from_data(&data)),
        Ok(Data::Null) => return Ok(Val::map(Entries::new())),
        Ok(other) => {
            let kind = kind(&other);
            format!(
                "{prefix}json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
            )
        }
        Err(message) => message,
    };
    Ok(Val::map(Entries::from([(
        "Error".into(),
        Val::text(message),
    )])))
}

/// A list; if the text is none, one that says why.
fn array(
    run: &mut Run,
    all: &[Val],
    read: fn(&str) -> Result<Data, String>,
    prefix: &str,
) -> Result<Val, Fail> {
    run.spent.charge_reading(text_at(all, 0))?;
    let message = match read(text_at(all, 0)) {
        Ok(data @ Data::List(_)) => return Ok(Val::from_data(&data)),
        Ok(Data::Null) => return Ok(Val::list(Vec::new())),
        Ok(other) => {
            let kind = kind(&other);
            format!("{prefix}json: cannot unmarshal {kind} into Go value of type []interface {{}}")
        }
        Err(message) => message,
    };
    Ok(Val::list(vec![Val::text(message)]))
}

fn kind(data: &Data) -> &'static str {
    match data {
        Data::Null => "null",
        Data::Bool(_) => "bool",
        Data::Int(_) | Data::Float(_) => "number",
        Data::Text(_) => "string",
        Data::List(_) => "array",
        Data::Map(_) => "object",
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn adler32(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

/// SHA-1, which charts use for short names; nothing here depends on its strength.
fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut state = [
        0x6745_2301u32,
        0xEFCD_AB89,
        0x98BA_DCFE,
        0x1032_5476,
        0xC3D2_E1F0,
    ];
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in message.chunks_exact(64) {
        let mut words = [0u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes
                .iter()
                .fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        for at in 16..80 {
            let mixed = words[at - 3] ^ words[at - 8] ^ words[at - 14] ^ words[at - 16];
            words[at] = mixed.rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (at, word) in words.iter().enumerate() {
            let (mixed, constant) = match at / 20 {
                0 => (b & c | !b & d, 0x5A82_7999),
                1 => (b ^ c ^ d, 0x6ED9_EBA1),
                2 => (b & c | b & d | c & d, 0x8F1B_BCDC),
                _ => (b ^ c ^ d, 0xCA62_C1D6u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e);
            let next = next.wrapping_add(constant).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (sum, value) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(value);
        }
    }
    let mut out = [0; 20];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}

const BASE_32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn base32(bytes: &[u8]) -> String {
    let mut out = String::new();
    for part in bytes.chunks(5) {
        let mut bits = 0u64;
        for at in 0..5 {
            bits = bits << 8 | u64::from(part.get(at).copied().unwrap_or(0));
        }
        let used = (part.len() * 8).div_ceil(5);
        for at in 0..8 {
            let digit = BASE_32[(bits >> (35 - at * 5) & 31) as usize];
            out.push(if at < used { char::from(digit) } else { '=' });
        }
    }
    out
}

fn from_base32(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0u64, 0, Vec::new());
    for byte in text.trim_end_matches('=').bytes() {
        let digit = BASE_32.iter().position(|known| *known == byte)?;
        bits = bits << 5 | digit as u64;
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xFF) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standards() {
        assert_eq!(
            hexadecimal(&sha1(b"abc")),
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        );
        assert_eq!(adler32(b"Wikipedia"), 300_286_872);
        assert_eq!(base32(b"fooba"), "MZXW6YTB");
        assert_eq!(base32(b"f"), "MY======");
        assert_eq!(from_base32("MZXW6YTB").unwrap(), b"fooba");
    }
}
