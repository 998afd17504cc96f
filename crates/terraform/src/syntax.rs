//! A small syntax tree with places, for both HCL and JSON. A file that cannot be parsed costs one finding. Text in,
//! tree out.

pub mod json;
mod native;
mod repeat;

use smol_str::SmolStr;

use base::{Effect, FileId, Finding, Place};

pub use native::{parse, parse_expression, parse_template};

/// Maximum size of a file.
const MAX_BYTES: usize = 2 * 1024 * 1024;
/// Maximum length of a type as written.
const MAX_WRITTEN: usize = 600;

/// The contents of a file or block.
#[derive(Debug, Default)]
pub struct Body {
    pub attributes: Vec<Attribute>,
    pub blocks: Vec<Block>,
}

/// A name and its expression.
#[derive(Debug)]
pub struct Attribute {
    pub name: SmolStr,
    pub value: Expr,
    /// The source text of a type, which is no value, and of a version, which is shown as written if unknown.
    pub(crate) written: Option<SmolStr>,
}

/// A block with its kind and labels: `resource "aws_vpc" "main"`.
#[derive(Debug)]
pub struct Block {
    pub kind: SmolStr,
    pub labels: Vec<SmolStr>,
    pub body: Body,
    /// Its name and labels.
    pub place: Place,
}

/// An expression that knows its place.
#[derive(Debug, Clone)]
pub struct Expr {
    pub(crate) kind: ExprKind,
    pub place: Place,
}

/// The kind of an expression.
#[derive(Debug, Clone)]
pub enum ExprKind {
    Null,
    Bool(bool),
    Number(f64),
    Text(SmolStr),
    List(Vec<Expr>),
    Object(Vec<(Expr, Expr)>),
    Template(Vec<TemplatePart>),
    /// A bare name, to which accessors may be applied.
    Name(SmolStr),
    Get(Box<Expr>, Vec<Accessor>),
    If(Box<[Expr; 3]>),
    Call(SmolStr, Vec<Expr>),
    /// A call whose last argument is expanded (`...`).
    CallWith(SmolStr, Vec<Expr>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Operator, Box<[Expr; 2]>),
    For(Box<ForExpr>),
}

/// A step of a reference: an attribute, an index or a splat.
#[derive(Debug, Clone)]
pub enum Accessor {
    Name(SmolStr),
    Index(Expr),
    /// Every element of a list (`[*]`).
    Each,
}

#[derive(Debug, Clone)]
pub enum TemplatePart {
    Text(SmolStr),
    Value(Expr),
    If(Expr, Vec<TemplatePart>, Vec<TemplatePart>),
    For(LoopNames, Expr, Vec<TemplatePart>),
}

/// The names of the key and value in a `for` expression.
#[derive(Debug, Clone)]
pub struct LoopNames {
    pub key: Option<SmolStr>,
    pub value: SmolStr,
}

/// A `for` expression.
#[derive(Debug, Clone)]
pub struct ForExpr {
    pub names: LoopNames,
    pub collection: Expr,
    pub key: Option<Expr>,
    pub value: Expr,
    pub is_grouped: bool,
    pub condition: Option<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Equal,
    NotEqual,
    And,
    Or,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divided,
    Modulo,
}

fn refuse_long(text: &str, file: FileId) -> Result<(), Finding> {
    if text.len() <= MAX_BYTES {
        return Ok(());
    }
    let message = format!(
        "this Terraform file is {} MiB, larger than the limit of {} MiB",
        text.len() >> 20,
        MAX_BYTES >> 20
    );
    let finding = Finding::warning("terraform-invalid", Place::start_of(file), message);
    Err(finding.help("split it").effect(Effect::TooLarge))
}

/// A type on one line, without comments.
fn written(text: &str) -> SmolStr {
    let lines = text.lines().map(|line| line[..comment(line)].trim());
    let mut whole = String::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let is_open = whole.ends_with(['(', '{', '[', ',']) || line.starts_with([')', '}', ']']);
        whole += match (whole.is_empty(), is_open) {
            (true, _) => "",
            (false, true) => " ",
            // Line ends separate attributes.
            (false, false) => ", ",
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        whole += &words.join(" ");
    }
    match whole.char_indices().nth(MAX_WRITTEN) {
        Some((at, _)) => format!("{}…", &whole[..at]).into(),
        None => whole.into(),
    }
}

/// Where the comment of a line starts, or its end. `//` inside a string, as in an address, is none.
fn comment(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut is_quoted = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        base::steps::count(1);
        match byte {
            b'\\' if is_quoted => at += 1,
            b'"' => is_quoted = !is_quoted,
            b'#' if !is_quoted => return at,
            b'/' if !is_quoted && bytes.get(at + 1) == Some(&b'/') => return at,
            _ => {}
        }
        at += 1;
    }
    line.len()
}

impl Block {
    /// Whether a variable or output is secret: it is marked `sensitive`, or its name says so.
    pub fn is_secret(&self) -> bool {
        let is_stated = self.body.is_true("sensitive") || self.body.is_true("ephemeral");
        let mut names = self.labels.iter();
        is_stated || names.any(|name| secret::is_secret_name(name))
    }
}

impl Body {
    /// The expression of an attribute.
    pub fn get(&self, name: &str) -> Option<&Expr> {
        let mut attributes = self.attributes.iter();
        attributes
            .find(|attribute| attribute.name == name)
            .map(|attribute| &attribute.value)
    }

    /// An attribute as written, if that was kept.
    pub fn written(&self, name: &str) -> Option<&SmolStr> {
        let mut attributes = self.attributes.iter();
        let found = attributes.find(|attribute| attribute.name == name);
        found.and_then(|attribute| attribute.written.as_ref())
    }

    /// The text of an attribute that is a literal.
    pub fn text(&self, name: &str) -> Option<&SmolStr> {
        match &self.get(name)?.kind {
            ExprKind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The blocks of a kind.
    pub fn blocks<'b>(&'b self, kind: &'b str) -> impl Iterator<Item = &'b Block> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }

    /// Whether an attribute is the literal `true`.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        matches!(
            self.get(name).map(|expr| &expr.kind),
            Some(ExprKind::Bool(true))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> Finding {
        parse(text, FileId(0)).unwrap_err()
    }

    #[test]
    fn everything_knows_its_place() {
        let text = "variable \"name\" {\n  type = object({\n    a = string # why\n    b   =  list(any)\n  })\n  default = \"ä${1}\"\n}\n";
        let body = parse(text, FileId(3)).unwrap();
        let block = &body.blocks[0];
        assert_eq!(
            (block.place.line, block.place.column, block.place.len),
            (1, 1, 15)
        );
        let kind = &block.body.attributes[0];
        assert_eq!(
            kind.written.as_deref(),
            Some("object({ a = string, b = list(any) })")
        );
        let default = block.body.get("default").unwrap();
        assert_eq!(
            (default.place.line, default.place.column, default.place.len),
            (6, 13, 7)
        );
    }

    #[test]
    fn an_address_in_a_type_is_no_comment() {
        let text = "a = object({\n  url = optional(string, \"https://x.io/#a\\\"b\") // why\n  b = any\n})\n";
        assert_eq!(
            written(text),
            "a = object({ url = optional(string, \"https://x.io/#a\\\"b\"), b = any })"
        );
    }

    #[test]
    fn a_text_of_several_lines_begins_at_its_first_character() {
        let body = parse("a = <<-EOT\n    x: 1\n      y: 2\n  EOT\n", FileId(0)).unwrap();
        let text = body.get("a").unwrap();
        assert_eq!((text.place.line, text.place.column), (2, 5));
        assert!(matches!(&text.kind, ExprKind::Text(text) if text == "x: 1\n  y: 2\n"));
    }

    #[test]
    fn what_is_no_hcl_is_told_with_its_place() {
        let finding = failure("a = 1\nb = {\n  c = ]\n}\n");
        assert_eq!((finding.rule, finding.place.line), ("terraform-invalid", 3));
    }

    #[test]
    fn a_file_that_somebody_fills_in_is_no_mistake() {
        let finding = failure("a = 1\nb = { argocd_<CLUSTER_NAME> = 1 }\n");
        assert_eq!(
            (finding.severity, finding.place.line),
            (base::Severity::Info, 2)
        );
        assert!(finding.message.contains("`<CLUSTER_NAME>`"));
        for text in ["a = <b>\n", "a = 1 < 2 B>\n", "a = <>\n"] {
            assert_eq!(failure(text).severity, base::Severity::Error, "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_and_a_long_chain_is_no_trouble() {
        let deep = [
            format!("a = {}{}\n", "[".repeat(10_000), "]".repeat(10_000)),
            format!("a = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000)),
            format!("{}{}", "a {\n".repeat(10_000), "}\n".repeat(10_000)),
            format!("a = {}1{}\n", "\"${".repeat(10_000), "}\"".repeat(10_000)),
            format!("a = {}true\n", "!".repeat(10_000)),
            format!("a = {}1\n", "a ? b : ".repeat(10_000)),
            format!("a = 1{}\n", " + 1".repeat(10_000)),
            "a = \"".repeat(10_000),
        ];
        for text in deep {
            assert_eq!(failure(&text).rule, "terraform-invalid");
        }
        assert!(parse(&format!("a = b{}\n", ".c".repeat(10_000)), FileId(0)).is_ok());
        assert_eq!(failure(&"# a\n".repeat(1 << 20)).rule, "terraform-invalid");
    }
}
