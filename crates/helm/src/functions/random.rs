//! Random values, keys and certificates. They become placeholders that are the same in every run.

use super::regex::WeighedRegex;
use sha2::{Digest, Sha256};
use smol_str::SmolStr;

use super::Parameter::{Any, Int, List, Text};
use super::{Function, int_at, text_at};
use crate::engine::value::{Entries, MapKind, Val};
use crate::engine::{Fail, Run};
use base::hash::HashMap;

/// Every placeholder begins with this, unless it has fewer characters.
pub const MARK: &str = "placeholder";

/// The state that functions keep during a run.
#[derive(Debug, Default)]
pub struct State {
    pub regexes: HashMap<SmolStr, Result<WeighedRegex, String>>,
    /// The template that is being rendered, and how many placeholders it has.
    template: SmolStr,
    placeholders: u32,
}

impl State {
    /// Begins another template, so that its placeholders do not depend on those of others.
    pub fn begin(&mut self, template: SmolStr) {
        self.template = template;
        self.placeholders = 0;
    }

    /// A name for a value that differs in each run of Helm.
    pub fn placeholder(&mut self) -> String {
        self.placeholders += 1;
        let seed = format!("{} {}", self.template, self.placeholders);
        let digest = Sha256::digest(seed.as_bytes());
        let letters = digest
            .iter()
            .take(8)
            .map(|byte| char::from(b'a' + byte % 26));
        MARK.chars().chain(letters).collect()
    }
}

pub const FUNCTIONS: &[Function] = &[
    Function::fixed("randAlphaNum", &[Int], letters),
    Function::fixed("randAlpha", &[Int], letters),
    Function::fixed("randAscii", &[Int], letters),
    Function::fixed("randNumeric", &[Int], |run, all| {
        let length = length(run, all)?;
        Ok(Val::text(
            "1234567890".repeat(length / 10 + 1)[..length].to_owned(),
        ))
    }),
    Function::fixed("randBytes", &[Int], |run, all| {
        let text = letters(run, all)?;
        let text = text.as_str().unwrap_or_default();
        Ok(Val::text(crate::format::base64(text.as_bytes())))
    }),
    Function::fixed("randInt", &[Int, Int], |_, all| {
        if int_at(all, 1) <= int_at(all, 0) {
            return Err(Fail::new("invalid argument to Intn"));
        }
        Ok(Val::Int(int_at(all, 0)))
    }),
    Function::fixed("uuidv4", &[], |run, _| {
        let seed = run.state.placeholder();
        let digest = Sha256::digest(seed.as_bytes());
        let hexadecimal: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let (a, b, c, d) = (
            &hexadecimal[..8],
            &hexadecimal[8..12],
            &hexadecimal[12..15],
            &hexadecimal[15..18],
        );
        Ok(Val::text(format!(
            "{a}-{b}-4{c}-8{d}-{}",
            &hexadecimal[18..30]
        )))
    }),
    Function::fixed("shuffle", &[Text], placeholder),
    Function::fixed("bcrypt", &[Text], placeholder),
    Function::fixed("htpasswd", &[Text, Text], |run, all| {
        let name = text_at(all, 0);
        if name.contains(':') {
            return Ok(Val::text(format!("invalid username: {name}")));
        }
        Ok(Val::text(format!("{name}:{}", run.state.placeholder())))
    }),
    Function::fixed(
        "derivePassword",
        &[Int, Text, Text, Text, Text],
        placeholder,
    ),
    Function::fixed("encryptAES", &[Text, Text], placeholder),
    Function::fixed("decryptAES", &[Text, Text], placeholder),
    Function::fixed("genPrivateKey", &[Text], |run, _| {
        Ok(Val::text(pem(run, "PRIVATE KEY")))
    }),
    Function::fixed("genCA", &[Text, Int], certificate),
    Function::fixed("genCAWithKey", &[Text, Int, Text], certificate),
    Function::fixed("genSelfSignedCert", &[Text, List, List, Int], certificate),
    Function::fixed(
        "genSelfSignedCertWithKey",
        &[Text, List, List, Int, Text],
        certificate,
    ),
    Function::fixed("genSignedCert", &[Text, List, List, Int, Any], certificate),
    Function::fixed(
        "genSignedCertWithKey",
        &[Text, List, List, Int, Any, Text],
        certificate,
    ),
    Function::fixed("buildCustomCert", &[Text, Text], |_, all| {
        let decode = |nth: usize| {
            let bytes = yaml::decode_base64(text_at(all, nth));
            let bytes = bytes.ok_or_else(|| Fail::new("unable to decode base64 certificate"))?;
            Ok(Val::text(String::from_utf8_lossy(&bytes)))
        };
        Ok(of_parts(decode(0)?, decode(1)?))
    }),
];

fn length(run: &mut Run, all: &[Val]) -> Result<usize, Fail> {
    let length = usize::try_from(int_at(all, 0)).unwrap_or(0);
    run.spent.charge_text(length)?;
    Ok(length)
}

fn letters(run: &mut Run, all: &[Val]) -> Result<Val, Fail> {
    let length = length(run, all)?;
    let mut text = run.state.placeholder();
    let short = text.len().saturating_sub(length);
    if short > 0 {
        // What tells them apart is at the end.
        text.drain(..short.min(text.len()));
    }
    text.extend(std::iter::repeat_n('x', length.saturating_sub(text.len())));
    Ok(Val::text(text))
}

fn placeholder(run: &mut Run, _: &[Val]) -> Result<Val, Fail> {
    Ok(Val::text(run.state.placeholder()))
}

fn pem(run: &mut Run, kind: &str) -> String {
    let name = run.state.placeholder();
    format!("-----BEGIN {kind}-----\n{name}\n-----END {kind}-----\n")
}

fn certificate(run: &mut Run, _: &[Val]) -> Result<Val, Fail> {
    let certificate = Val::text(pem(run, "CERTIFICATE"));
    let key = Val::text(pem(run, "RSA PRIVATE KEY"));
    Ok(of_parts(certificate, key))
}

fn of_parts(certificate: Val, key: Val) -> Val {
    let entries = Entries::from([("Cert".into(), certificate), ("Key".into(), key)]);
    Val::of_kind(entries, MapKind::Struct("sprig.certificate"))
}
