//! HCL, Terraform's native syntax. With `repeat.rs`, the only importer of the parser, which limits nesting itself.

use std::ops::Range;

use hcl_edit::Span;
use hcl_edit::expr::{
    BinaryOperator, Expression, FuncCall, ObjectKey, TraversalOperator, UnaryOperator,
};
use hcl_edit::parser;
use hcl_edit::structure as hcl;
use hcl_edit::template::{Directive, Element, Template};
use smol_str::SmolStr;

use super::repeat::{self, RenamedKeys};
use super::{
    Accessor, Attribute, Block, Body, Expr, ExprKind, ForExpr, LoopNames, Operator, TemplatePart,
};
use base::{FileId, Finding, Place};

/// A function that does not exist, for what cannot be evaluated.
const UNKNOWN: SmolStr = SmolStr::new_static("::");

/// Parses a file.
pub fn parse(text: &str, file: FileId) -> Result<Body, Finding> {
    super::refuse_long(text, file)?;
    let (parsed, repeated) = repeat::parse_body(text);
    let lines = HclLines {
        repeated,
        ..HclLines::new(text, file)
    };
    match parsed {
        Ok(body) => Ok(lines.body(&body)),
        Err(_) if let Some((at, placeholder)) = placeholder(text) => {
            let message = format!(
                "this file has the placeholder `{placeholder}`, so it counts as a template"
            );
            let place = lines.place(at..at + placeholder.len());
            Err(Finding::info("terraform-invalid", place, message)
                .help("no action needed: it is read once the placeholder is filled in"))
        }
        Err(error) => {
            let at = error.location().offset().min(text.len());
            let message = format!("this is not valid HCL: {}", error.message());
            Err(
                Finding::error("terraform-invalid", lines.place(at..at), message)
                    .help("run `terraform validate` in its directory for details"),
            )
        }
    }
}

/// The first text in capitals and angle brackets, such as `<CLUSTER_NAME>`, which somebody replaces before the file is used.
fn placeholder(text: &str) -> Option<(usize, &str)> {
    let starts = text.match_indices('<');
    starts.map(|(at, _)| at).find_map(|at| {
        let rest = &text[at + 1..];
        let end =
            rest.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))?;
        let is_it = end > 1 && rest[end..].starts_with('>');
        is_it.then(|| (at, &text[at..at + end + 2]))
    })
}

/// A string of a JSON file, which may be a template; all of it has one place.
pub fn text_kind(text: &str, place: Place) -> ExprKind {
    if !text.contains("${") && !text.contains("%{") {
        return ExprKind::Text(text.into());
    }
    let lines = HclLines {
        whole: Some(place),
        ..HclLines::new(text, place.file)
    };
    match parser::parse_template(text) {
        Ok(template) => lines.template(template.iter()),
        Err(_) => ExprKind::Call(UNKNOWN, Vec::new()),
    }
}

/// Parses a template file.
pub fn parse_template(text: &str, file: FileId) -> Option<Vec<TemplatePart>> {
    let template = parser::parse_template(text).ok()?;
    Some(HclLines::new(text, file).parts(&template))
}

/// Parses an expression in a string of a JSON file.
pub fn parse_expression(text: &str, place: Place) -> Option<Expr> {
    let expression: Expression = text.parse().ok()?;
    let lines = HclLines {
        whole: Some(place),
        ..HclLines::new(text, place.file)
    };
    Some(lines.expr(&expression))
}

/// The start of each line.
struct HclLines<'t> {
    text: &'t str,
    file: FileId,
    starts: Vec<usize>,
    /// Duplicate keys that were renamed, by position.
    repeated: RenamedKeys,
    /// The place of everything, for text inside a JSON string.
    whole: Option<Place>,
}

impl<'t> HclLines<'t> {
    fn new(text: &'t str, file: FileId) -> HclLines<'t> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        HclLines {
            text,
            file,
            starts: starts.collect(),
            repeated: RenamedKeys::default(),
            whole: None,
        }
    }

    /// A span of several lines has no length.
    fn place(&self, span: Range<usize>) -> Place {
        if let Some(whole) = self.whole {
            return whole;
        }
        let line = self.starts.partition_point(|start| *start <= span.start);
        let start = self.starts[line - 1];
        let chars = |range: Range<usize>| {
            let text = self.text.get(range).unwrap_or_default();
            text.chars().count() as u32
        };
        let is_one_line = !self
            .text
            .get(span.clone())
            .unwrap_or_default()
            .contains('\n');
        Place {
            file: self.file,
            line: line as u32,
            column: chars(start..span.start) + 1,
            len: if is_one_line { chars(span) } else { 0 },
        }
    }

    fn place_of(&self, node: &dyn Span) -> Place {
        match node.span() {
            Some(span) => self.place(span),
            None => self.whole.unwrap_or(Place::start_of(self.file)),
        }
    }

    fn body(&self, body: &hcl::Body) -> Body {
        let mut converted = Body::default();
        for structure in body.iter() {
            match structure {
                hcl::Structure::Attribute(attribute) => {
                    let is_kept = matches!(attribute.key.as_str(), "type" | "version");
                    let span = attribute.value.span().filter(|_| is_kept);
                    converted.attributes.push(Attribute {
                        name: attribute.key.as_str().into(),
                        value: self.expr(&attribute.value),
                        written: span
                            .map(|span| super::written(self.text.get(span).unwrap_or_default())),
                    });
                }
                hcl::Structure::Block(block) => converted.blocks.push(self.block(block)),
            }
        }
        converted
    }

    fn block(&self, block: &hcl::Block) -> Block {
        let start = block.ident.span().unwrap_or_default();
        let last = block.labels.last().and_then(|label| label.span());
        let end = last.map_or(start.end, |span| span.end);
        Block {
            kind: block.ident.as_str().into(),
            labels: block
                .labels
                .iter()
                .map(|label| label.as_str().into())
                .collect(),
            body: self.body(&block.body),
            place: self.place(start.start..end.max(start.end)),
        }
    }

    fn boxed(&self, expr: &Expression) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    fn expr(&self, expr: &Expression) -> Expr {
        let kind = match expr {
            Expression::Null(_) => ExprKind::Null,
            Expression::Bool(value) => ExprKind::Bool(*value.value()),
            Expression::Number(number) => {
                ExprKind::Number(number.value().as_f64().unwrap_or(f64::NAN))
            }
            Expression::String(text) => ExprKind::Text(text.value().as_str().into()),
            Expression::Array(items) => {
                ExprKind::List(items.iter().map(|item| self.expr(item)).collect())
            }
            Expression::Object(object) => {
                let entries = object
                    .iter()
                    .map(|(key, value)| (self.key(key), self.expr(value.expr())));
                ExprKind::Object(repeat::last_entries(entries.collect(), &self.repeated))
            }
            Expression::StringTemplate(template) => self.template(template.iter()),
            Expression::HeredocTemplate(heredoc) => {
                return self.heredoc(expr, &heredoc.template);
            }
            Expression::Parenthesis(inner) => return self.expr(inner.inner()),
            Expression::Variable(name) => ExprKind::Name(name.as_str().into()),
            Expression::Conditional(it) => ExprKind::If(Box::new([
                self.expr(&it.cond_expr),
                self.expr(&it.true_expr),
                self.expr(&it.false_expr),
            ])),
            Expression::FuncCall(call) => self.call(call),
            Expression::Traversal(it) => {
                let steps = it.operators.iter().map(|step| self.step(step.value()));
                ExprKind::Get(self.boxed(&it.expr), steps.collect())
            }
            Expression::UnaryOp(it) => match it.operator.value() {
                UnaryOperator::Neg => ExprKind::Minus(self.boxed(&it.expr)),
                UnaryOperator::Not => ExprKind::Not(self.boxed(&it.expr)),
            },
            Expression::BinaryOp(it) => ExprKind::Binary(
                operator(*it.operator.value()),
                Box::new([self.expr(&it.lhs_expr), self.expr(&it.rhs_expr)]),
            ),
            Expression::ForExpr(it) => ExprKind::For(Box::new(ForExpr {
                names: LoopNames {
                    key: it.intro.key_var.as_ref().map(|name| name.as_str().into()),
                    value: it.intro.value_var.as_str().into(),
                },
                collection: self.expr(&it.intro.collection_expr),
                key: it.key_expr.as_ref().map(|key| self.expr(key)),
                value: self.expr(&it.value_expr),
                is_grouped: it.grouping,
                condition: it.cond.as_ref().map(|cond| self.expr(&cond.expr)),
            })),
        };
        Expr {
            kind,
            place: self.place_of(expr),
        }
    }

    fn key(&self, key: &ObjectKey) -> Expr {
        let start = match key {
            ObjectKey::Ident(name) => name.span(),
            ObjectKey::Expression(expr) => expr.span(),
        };
        let again = start.and_then(|span| Some((self.repeated.get(&span.start)?, span)));
        if let Some((name, span)) = again {
            return Expr {
                kind: ExprKind::Text(name.clone()),
                place: self.place(span),
            };
        }
        match key {
            ObjectKey::Ident(name) => Expr {
                kind: ExprKind::Text(name.as_str().into()),
                place: self.place_of(name),
            },
            ObjectKey::Expression(expr) => self.expr(expr),
        }
    }

    fn call(&self, call: &FuncCall) -> ExprKind {
        let args = call.args.iter().map(|arg| self.expr(arg)).collect();
        let name: SmolStr = match call.name.namespace.is_empty() {
            true => call.name.name.as_str().into(),
            // Computed by a provider.
            false => UNKNOWN,
        };
        if call.args.expand_final() {
            ExprKind::CallWith(name, args)
        } else {
            ExprKind::Call(name, args)
        }
    }

    fn step(&self, step: &TraversalOperator) -> Accessor {
        match step {
            TraversalOperator::AttrSplat(_) | TraversalOperator::FullSplat(_) => Accessor::Each,
            TraversalOperator::GetAttr(name) => Accessor::Name(name.as_str().into()),
            TraversalOperator::Index(index) => Accessor::Index(self.expr(index)),
            TraversalOperator::LegacyIndex(index) => Accessor::Index(Expr {
                kind: ExprKind::Number(*index.value() as f64),
                place: self.place_of(index),
            }),
        }
    }

    /// The place of a heredoc is its first character, as in YAML.
    fn heredoc(&self, whole: &Expression, template: &Template) -> Expr {
        let mut place = self.place_of(whole);
        if let Some(span) = template.span() {
            let rest = self.text.get(span.start..).unwrap_or_default();
            let indent = rest.len() - rest.trim_start_matches([' ', '\t']).len();
            place = self.place(span.start + indent..span.start + indent);
        }
        Expr {
            kind: self.template(template.iter()),
            place,
        }
    }

    fn template<'e>(&self, elements: impl Iterator<Item = &'e Element>) -> ExprKind {
        let mut parts = self.elements(elements);
        match parts.as_slice() {
            [] => ExprKind::Text(SmolStr::default()),
            [TemplatePart::Text(_)] => match parts.pop() {
                Some(TemplatePart::Text(text)) => ExprKind::Text(text),
                _ => ExprKind::Template(parts),
            },
            _ => ExprKind::Template(parts),
        }
    }

    fn parts(&self, template: &Template) -> Vec<TemplatePart> {
        self.elements(template.iter())
    }

    fn elements<'e>(&self, elements: impl Iterator<Item = &'e Element>) -> Vec<TemplatePart> {
        let parts = elements.map(|element| match element {
            Element::Literal(text) => TemplatePart::Text(text.value().as_str().into()),
            Element::Interpolation(it) => TemplatePart::Value(self.expr(&it.expr)),
            Element::Directive(directive) => match &**directive {
                Directive::If(it) => TemplatePart::If(
                    self.expr(&it.if_expr.cond_expr),
                    self.parts(&it.if_expr.template),
                    it.else_expr
                        .as_ref()
                        .map(|other| self.parts(&other.template))
                        .unwrap_or_default(),
                ),
                Directive::For(it) => TemplatePart::For(
                    LoopNames {
                        key: it.for_expr.key_var.as_ref().map(|key| key.as_str().into()),
                        value: it.for_expr.value_var.as_str().into(),
                    },
                    self.expr(&it.for_expr.collection_expr),
                    self.parts(&it.for_expr.template),
                ),
            },
        });
        parts.collect()
    }
}

fn operator(operator: BinaryOperator) -> Operator {
    match operator {
        BinaryOperator::Eq => Operator::Equal,
        BinaryOperator::NotEq => Operator::NotEqual,
        BinaryOperator::LessEq => Operator::LessEqual,
        BinaryOperator::GreaterEq => Operator::GreaterEqual,
        BinaryOperator::Less => Operator::Less,
        BinaryOperator::Greater => Operator::Greater,
        BinaryOperator::Plus => Operator::Plus,
        BinaryOperator::Minus => Operator::Minus,
        BinaryOperator::Mul => Operator::Times,
        BinaryOperator::Div => Operator::Divided,
        BinaryOperator::Mod => Operator::Modulo,
        BinaryOperator::And => Operator::And,
        BinaryOperator::Or => Operator::Or,
    }
}
