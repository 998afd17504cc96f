//! The grammar of post-build expressions: a text becomes parts, each plain text or a `${…}`. Knows no values.
//! It looks like bash and is not: [`Operator`] says where it differs.

use std::borrow::Cow;

use super::BadExpression;

/// Whether a text has anything to substitute.
pub(super) fn has_expressions(text: &str) -> bool {
    let mut pairs = text.as_bytes().windows(2);
    pairs.any(|pair| matches!(pair, [b'$', b'{' | b'$']))
}

/// Appends the parts of a text. On an error, `parts` holds what came before it.
pub(super) fn parse<'t>(text: &'t str, parts: &mut Vec<Segment<'t>>) -> Result<(), BadExpression> {
    let mut reader = ExpressionParser { text, position: 0 };
    while let Some(part) = reader.part(b"", Escapes::Dollar, 1)? {
        parts.push(part);
    }
    Ok(())
}

#[derive(Debug)]
pub(super) enum Segment<'t> {
    Text(Cow<'t, str>),
    Expression(Expression<'t>),
}

impl Segment<'_> {
    /// How long it is as written.
    pub(super) fn len(&self) -> usize {
        match self {
            Segment::Text(text) => text.len(),
            Segment::Expression(expression) => expression.source.len(),
        }
    }
}

#[derive(Debug)]
pub(super) struct Expression<'t> {
    /// The whole of it, as written.
    pub(super) source: &'t str,
    pub(super) offset: usize,
    pub(super) name: &'t str,
    pub(super) operator: Operator,
    pub(super) arguments: Vec<Segment<'t>>,
}

impl Expression<'_> {
    pub(super) fn bad(&self, reason: &str) -> BadExpression {
        BadExpression {
            offset: self.offset,
            // Arguments are left out, because they may contain secrets.
            message: format!("`${{{}…}}` cannot be evaluated: {reason}", self.name),
        }
    }
}

/// The operation that an expression applies to its variable's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    /// `${v}`, and also `${v,^}` and `${v^,}`, which Flux takes and ignores.
    Value,
    /// `=`, `:=`, `:-`, `:+` and `:?` all mean the same: the value, or the argument where the value is empty, whether
    /// or not it is set. `${v-d}`, `${v+d}` and `${v?d}` are refused.
    Default,
    /// `${#v}`, in bytes.
    Length,
    LowerFirst,
    Lower,
    UpperFirst,
    Upper,
    /// `${v:position:length}`, in bytes. A number that does not parse, such as ` -1`, gives the whole value.
    Substring,
    /// `#`, `##`, `%` and `%%`. A match is never empty.
    Trim(TrimmedEnd, MatchLength),
    ReplaceFirst,
    ReplaceAll,
    /// `/#` and `/%`, which do nothing when the replacement is left empty.
    ReplaceAt(TrimmedEnd),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrimmedEnd {
    Prefix,
    Suffix,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchLength {
    Shortest,
    Longest,
}

/// Deeper nesting than this is not something that a person wrote.
const MAX_DEPTH: usize = 32;

/// Which two characters stand for the second of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    /// None: most arguments keep `$$` unchanged.
    None,
    /// `$$`, outside expressions.
    Dollar,
    /// `$$`, `\/` and `\\`, in the arguments of a replacement.
    All,
}

struct ExpressionParser<'t> {
    text: &'t str,
    position: usize,
}

impl<'t> ExpressionParser<'t> {
    /// One expression, or the text up to an expression or one of the `stops`; `None` if there is neither.
    fn part(
        &mut self,
        stops: &[u8],
        escapes: Escapes,
        depth: usize,
    ) -> Result<Option<Segment<'t>>, BadExpression> {
        if self.next_is(b"${") {
            return Ok(Some(Segment::Expression(self.expression(depth)?)));
        }
        let start = self.position;
        let text = self.run(stops, escapes);
        Ok((self.position > start).then_some(Segment::Text(text)))
    }

    fn run(&mut self, stops: &[u8], escapes: Escapes) -> Cow<'t, str> {
        let mut unescaped = String::new();
        let mut start = self.position;
        while let Some(byte) = self.peek() {
            base::steps::count(1);
            // Nearly every byte means itself.
            if !matches!(byte, b'$' | b'\\') && !stops.contains(&byte) {
                self.position += 1;
                continue;
            }
            if self.next_is(b"${") {
                break;
            }
            let is_escape = match escapes {
                Escapes::None => false,
                Escapes::Dollar => self.next_is(b"$$"),
                Escapes::All => [b"$$", br"\/", br"\\"]
                    .iter()
                    .any(|pair| self.next_is(*pair)),
            };
            if is_escape {
                unescaped.push_str(&self.text[start..self.position]);
                start = self.position + 1;
                self.position += 2;
            } else if stops.contains(&byte) {
                break;
            } else {
                self.position += 1;
            }
        }
        let last = &self.text[start..self.position];
        if unescaped.is_empty() {
            return Cow::Borrowed(last);
        }
        Cow::Owned(unescaped + last)
    }

    /// An expression, of which `${` is next.
    fn expression(&mut self, depth: usize) -> Result<Expression<'t>, BadExpression> {
        let offset = self.position;
        if depth > MAX_DEPTH {
            let message = format!("expressions are nested more than {MAX_DEPTH} levels deep");
            return Err(BadExpression { offset, message });
        }
        self.position += 2;
        let is_length = self.peek() == Some(b'#');
        self.position += usize::from(is_length);
        let name = self.take_while(|c| c.is_alphabetic() || c.is_ascii_digit() || c == '_');
        let mut arguments = Vec::new();
        let operator = match self.peek() {
            _ if name.is_empty() => Err(Refusal::Because("the variable name is missing")),
            _ if is_length => Ok(Operator::Length),
            Some(b':' | b'=') => self.default_or_substring(&mut arguments, depth),
            Some(b',' | b'^') => Ok(self.casing()),
            Some(mark @ (b'#' | b'%')) => self.trim(mark, &mut arguments, depth),
            Some(b'/') => self.replacement(&mut arguments, depth),
            Some(b'-' | b'+' | b'?') => Err(Refusal::Because("a default must start with `:-` or `:=`")),
            Some(b'}') => Ok(Operator::Value),
            _ => Err(Refusal::Because("expected `}` or an operator after the name")),
        }
        .and_then(|operator| match self.peek() {
            Some(b'}') => Ok(operator),
            _ => Err(Refusal::Because("the closing `}` is missing")),
        })
        .map_err(|refusal| match refusal {
            Refusal::Inside(bad) => bad,
            Refusal::Because(reason) => BadExpression {
                offset,
                message: format!(
                    "Flux cannot parse the expression at `${{{name}`: {reason}; for a literal `${{`, write \
                     `$${{`"
                ),
            },
        })?;
        self.position += 1;
        Ok(Expression {
            source: &self.text[offset..self.position],
            offset,
            name,
            operator,
            arguments,
        })
    }

    /// After a name, from `:` or `=` on. A default is any sequence of text and expressions, none included.
    fn default_or_substring(
        &mut self,
        arguments: &mut Vec<Segment<'t>>,
        depth: usize,
    ) -> Result<Operator, Refusal> {
        let defaults = [b":=", b":-", b":?", b":+"];
        let is_default =
            self.peek() == Some(b'=') || defaults.iter().any(|mark| self.next_is(*mark));
        if is_default {
            self.position += if self.peek() == Some(b':') { 2 } else { 1 };
            while let Some(part) = self.part(b"}", Escapes::None, depth + 1)? {
                arguments.push(part);
            }
            return Ok(Operator::Default);
        }
        self.position += 1;
        if self.peek().is_none_or(|byte| !byte.is_ascii()) {
            return Err(Refusal::Because("the offset is not a number"));
        }
        arguments.push(self.argument(b":}", depth)?);
        if !self.take_while(|c| c == ':').is_empty() {
            arguments.push(self.argument(b"}", depth)?);
        }
        Ok(Operator::Substring)
    }

    fn casing(&mut self) -> Operator {
        match self.take_up_to_two(b",^") {
            "," => Operator::LowerFirst,
            ",," => Operator::Lower,
            "^" => Operator::UpperFirst,
            "^^" => Operator::Upper,
            _ => Operator::Value,
        }
    }

    fn trim(
        &mut self,
        mark: u8,
        arguments: &mut Vec<Segment<'t>>,
        depth: usize,
    ) -> Result<Operator, Refusal> {
        let extent = match self.take_up_to_two(&[mark]).len() {
            1 => MatchLength::Shortest,
            _ => MatchLength::Longest,
        };
        arguments.push(self.argument(b"}", depth)?);
        Ok(match mark {
            b'#' => Operator::Trim(TrimmedEnd::Prefix, extent),
            _ => Operator::Trim(TrimmedEnd::Suffix, extent),
        })
    }

    fn replacement(
        &mut self,
        arguments: &mut Vec<Segment<'t>>,
        depth: usize,
    ) -> Result<Operator, Refusal> {
        self.position += 1;
        let operator = match self.peek() {
            Some(b'/') => Operator::ReplaceAll,
            Some(b'#') => Operator::ReplaceAt(TrimmedEnd::Prefix),
            Some(b'%') => Operator::ReplaceAt(TrimmedEnd::Suffix),
            _ => Operator::ReplaceFirst,
        };
        self.position += usize::from(operator != Operator::ReplaceFirst);
        // Only a slash ends the pattern, a brace does not. The pattern may be empty; older releases refuse that.
        let pattern = self.part(b"/", Escapes::All, depth + 1)?;
        arguments.push(pattern.unwrap_or(Segment::Text(Cow::Borrowed(""))));
        if self.take_while(|c| c == '/').is_empty() {
            return Err(Refusal::Because("the second `/` is missing"));
        }
        arguments.extend(self.part(b"}", Escapes::All, depth + 1)?);
        Ok(operator)
    }

    fn argument(&mut self, stops: &[u8], depth: usize) -> Result<Segment<'t>, Refusal> {
        let argument = self.part(stops, Escapes::None, depth + 1)?;
        argument.ok_or(Refusal::Because(
            "the argument after the operator is missing",
        ))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn next_is(&self, expected: &[u8]) -> bool {
        self.text.as_bytes()[self.position..].starts_with(expected)
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'t str {
        let rest = &self.text[self.position..];
        let taken = &rest[..rest.find(|c| !accept(c)).unwrap_or(rest.len())];
        self.position += taken.len();
        taken
    }

    /// Up to two bytes out of a set that is ASCII.
    fn take_up_to_two(&mut self, set: &[u8]) -> &'t str {
        let start = self.position;
        while self.position - start < 2 && self.peek().is_some_and(|byte| set.contains(&byte)) {
            self.position += 1;
        }
        &self.text[start..self.position]
    }
}

/// Why an expression was not read.
enum Refusal {
    Because(&'static str),
    /// An expression in its arguments is bad.
    Inside(BadExpression),
}

impl From<BadExpression> for Refusal {
    fn from(bad: BadExpression) -> Self {
        Refusal::Inside(bad)
    }
}
