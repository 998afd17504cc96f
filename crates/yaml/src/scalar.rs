//! Scalars: their text as written, and their type by the rules of kustomize's YAML library.

use std::num::NonZeroU32;

use smol_str::SmolStr;

use super::timestamp;

/// A scalar as written: its text and style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    pub text: SmolStr,
    pub style: Style,
    /// Scalars of one object with the same number are one value (anchor and aliases): changing one changes all.
    pub shared: Option<NonZeroU32>,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    Quoted,
    Block,
}

/// A scalar's value as Kubernetes sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScalarKind<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(&'a str),
}

impl Scalar {
    pub fn plain(text: impl Into<SmolStr>) -> Scalar {
        Scalar {
            text: text.into(),
            style: Style::Plain,
            shared: None,
        }
    }

    pub fn string(text: impl Into<SmolStr>) -> Scalar {
        Scalar {
            text: text.into(),
            style: Style::Quoted,
            shared: None,
        }
    }

    /// A text as kustomize writes it: quoted only if it would be read as another type.
    pub fn written(text: impl Into<SmolStr>) -> Scalar {
        let plain = Scalar::plain(text);
        let is_text = matches!(plain.kind(), ScalarKind::Str(_))
            && plain.word().is_none()
            && plain.timestamp().is_none();
        if is_text {
            plain
        } else {
            Scalar::string(plain.text)
        }
    }

    pub fn is_null(&self) -> bool {
        self.style == Style::Plain
            && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// The boolean that YAML 1.1, and so a kustomization, reads a plain `yes`, `off` and the like as.
    pub fn word(&self) -> Option<bool> {
        if self.style != Style::Plain {
            return None;
        }
        match self.text.as_str() {
            "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
            "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
            _ => None,
        }
    }

    /// A plain timestamp in its JSON form.
    pub fn timestamp(&self) -> Option<String> {
        (self.style == Style::Plain)
            .then(|| timestamp::normal_form(&self.text))
            .flatten()
    }

    /// Whether two scalars are equal as data: `1e3` is `1000`.
    pub fn same(&self, other: &Scalar) -> bool {
        match (self.kind(), other.kind()) {
            (ScalarKind::Int(a), ScalarKind::Float(b)) => a as f64 == b,
            (ScalarKind::Float(a), ScalarKind::Int(b)) => a == b as f64,
            (ScalarKind::Str(a), ScalarKind::Str(b)) => {
                a == b || {
                    let shown = |scalar: &Scalar, text: &str| {
                        scalar.timestamp().unwrap_or_else(|| text.to_owned())
                    };
                    shown(self, a) == shown(other, b)
                }
            }
            (a, b) => a == b,
        }
    }

    pub fn kind(&self) -> ScalarKind<'_> {
        let text = self.text.as_str();
        if self.style != Style::Plain {
            return ScalarKind::Str(text);
        }
        match text {
            "" | "~" | "null" | "Null" | "NULL" => return ScalarKind::Null,
            "true" | "True" | "TRUE" => return ScalarKind::Bool(true),
            "false" | "False" | "FALSE" => return ScalarKind::Bool(false),
            _ => {}
        }
        let number = text
            .as_bytes()
            .first()
            .is_some_and(|first| first.is_ascii_digit() || b"+-.".contains(first));
        if !number {
            return ScalarKind::Str(text);
        }
        integer(text)
            .map(ScalarKind::Int)
            .or_else(|| float(text).map(ScalarKind::Float))
            .unwrap_or(ScalarKind::Str(text))
    }
}

fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if !digits.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let value = if digits.contains('_') {
        i64::from_str_radix(&digits.replace('_', ""), radix)
    } else {
        i64::from_str_radix(digits, radix)
    };
    value
        .ok()
        .map(|value| if negative { -value } else { value })
}

fn float(text: &str) -> Option<f64> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    let looks_like_a_number = text
        .bytes()
        .all(|b| b.is_ascii_digit() || b"+-.eE_".contains(&b))
        && text.bytes().any(|b| b.is_ascii_digit());
    if !looks_like_a_number {
        return None;
    }
    // A number out of range is text.
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_have_the_type_that_kubernetes_gives_them() {
        for (text, kind) in [
            ("", ScalarKind::Null),
            ("~", ScalarKind::Null),
            ("true", ScalarKind::Bool(true)),
            ("yes", ScalarKind::Str("yes")),
            ("0777", ScalarKind::Int(511)),
            ("0x1F", ScalarKind::Int(31)),
            ("-12", ScalarKind::Int(-12)),
            ("1e3", ScalarKind::Float(1000.0)),
            ("1.2.3", ScalarKind::Str("1.2.3")),
            ("1.10", ScalarKind::Float(1.1)),
            ("10m", ScalarKind::Str("10m")),
            ("0900", ScalarKind::Float(900.0)),
            ("-", ScalarKind::Str("-")),
            ("2026-03-05", ScalarKind::Str("2026-03-05")),
        ] {
            assert_eq!(Scalar::plain(text).kind(), kind, "{text}");
        }
    }

    #[test]
    fn quoted_scalars_are_strings() {
        assert_eq!(Scalar::string("true").kind(), ScalarKind::Str("true"));
        assert_eq!(Scalar::string("").kind(), ScalarKind::Str(""));
    }
}
