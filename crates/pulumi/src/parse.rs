//! Converts the parser's tree to ours. The only importer of the parser; expressions that nest too deeply become
//! unknown.
mod lines;
mod pattern;
mod statement;

use std::sync::Arc;

use oxc_allocator::Allocator;
use oxc_ast::ast::{self, Expression};
use oxc_parser::Parser;
use oxc_span::{GetSpan, SourceType, Span};
use oxc_syntax::operator::{
    AssignmentOperator, BinaryOperator, LogicalOperator, UnaryOperator, UpdateOperator,
};
use smol_str::SmolStr;

use super::guard;
use super::syntax::*;
use super::thread::depth_here;
use base::{FileId, Finding, Place};
use lines::SourceLines;

/// Maximum depth of a tree.
const MAX_DEPTH: usize = 400;
const TOO_DEEP: &str = "a deeply nested statement";

/// Parses a file. A syntax error is one finding.
pub fn parse(text: &str, file: FileId, name: &str) -> Result<Module, Finding> {
    if !guard::is_shallow(text) {
        let message = format!(
            "`{name}` is skipped: it is nested too deeply, or a string is not closed; its resources are \
             missing from the catalogue"
        );
        return Err(Finding::warning(
            "program-syntax",
            Place::start_of(file),
            message,
        ));
    }
    let allocator = Allocator::default();
    let is_script = name.ends_with(".js") || name.ends_with(".mjs") || name.ends_with(".cjs");
    let kind = if is_script {
        SourceType::mjs()
    } else {
        SourceType::ts()
    };
    let parsed = Parser::new(&allocator, text, kind).parse();
    let mut reader = TreeConverter {
        lines: SourceLines::new(text, file),
        depth: 0,
        most_depth: depth_here(MAX_DEPTH),
    };
    if let Some(first) = parsed.diagnostics.errors().next() {
        let label = first.labels.first();
        let place = label.map_or(Place::start_of(file), |label| {
            let start = label.offset();
            reader.lines.place(Span::new(start, start))
        });
        let message = format!(
            "`{name}` cannot be parsed: {first}; its resources are missing from the \
                               catalogue"
        );
        return Err(Finding::warning("program-syntax", place, message));
    }
    Ok(Module {
        body: reader.statements(&parsed.program.body),
    })
}

struct TreeConverter<'t> {
    lines: SourceLines<'t>,
    depth: usize,
    most_depth: usize,
}

fn text(name: impl AsRef<str>) -> SmolStr {
    SmolStr::from(name.as_ref())
}

impl TreeConverter<'_> {
    fn place(&self, node: &impl GetSpan) -> Place {
        self.lines.place(node.span())
    }

    fn leaf(&self, node: &impl GetSpan, kind: ExprKind) -> Expr {
        Expr {
            kind,
            place: self.place(node),
        }
    }

    fn boxed(&mut self, node: &Expression<'_>) -> Box<Expr> {
        Box::new(self.expression(node))
    }

    fn expression(&mut self, node: &Expression<'_>) -> Expr {
        if self.depth >= self.most_depth {
            return self.leaf(node, ExprKind::TooDeep);
        }
        self.depth += 1;
        let expression = self.expression_within(node);
        self.depth -= 1;
        expression
    }

    fn expression_within(&mut self, node: &Expression<'_>) -> Expr {
        let kind = match node {
            Expression::BooleanLiteral(it) => ExprKind::Bool(it.value),
            Expression::NullLiteral(_) => ExprKind::Null,
            Expression::NumericLiteral(it) => ExprKind::Number(it.value),
            Expression::StringLiteral(it) => ExprKind::Text(text(it.value)),
            Expression::RegExpLiteral(it) => {
                let flags = smol_str::format_smolstr!("{}", it.regex.flags);
                ExprKind::Pattern(text(it.regex.pattern.text), flags)
            }
            Expression::TemplateLiteral(it) => ExprKind::Template(self.template(it)),
            Expression::Identifier(it) => match it.name.as_str() {
                "undefined" => ExprKind::Undefined,
                name => ExprKind::Name(name.into()),
            },
            Expression::Super(_) => ExprKind::Super,
            Expression::ThisExpression(_) => ExprKind::This,
            Expression::ArrayExpression(it) => {
                let items = it.elements.iter().map(|element| match element {
                    ast::ArrayExpressionElement::SpreadElement(spread) => {
                        Element::Spread(self.expression(&spread.argument))
                    }
                    ast::ArrayExpressionElement::Elision(_) => Element::Gap,
                    other => other
                        .as_expression()
                        .map_or(Element::Gap, |one| Element::One(self.expression(one))),
                });
                ExprKind::Array(items.collect())
            }
            Expression::ObjectExpression(it) => {
                let entries = it.properties.iter();
                ExprKind::Object(entries.map(|entry| self.property(entry)).collect())
            }
            Expression::ArrowFunctionExpression(it) => {
                let body = match &it.body {
                    ast::ArrowFunctionBody::FunctionBody(body) => {
                        FunctionBody::Block(self.statements(&body.statements))
                    }
                    other => match other.as_expression() {
                        Some(value) => FunctionBody::Value(self.expression(value)),
                        None => FunctionBody::Block(Vec::new()),
                    },
                };
                let (params, rest) = self.params(&it.params);
                ExprKind::Function(Arc::new(Function {
                    name: SmolStr::default(),
                    params,
                    rest,
                    body,
                    form: FunctionForm::Arrow,
                    place: self.place(&**it),
                }))
            }
            Expression::FunctionExpression(it) => ExprKind::Function(self.function(it)),
            Expression::ClassExpression(it) => ExprKind::Class(self.class(it)),
            Expression::AssignmentExpression(it) => ExprKind::Assign {
                target: Box::new(self.target(&it.left)),
                operator: assign(it.operator),
                value: self.boxed(&it.right),
            },
            Expression::UpdateExpression(it) => {
                let operator = match it.operator {
                    UpdateOperator::Increment => Binary::Add,
                    UpdateOperator::Decrement => Binary::Subtract,
                };
                let place = self.place(&**it);
                let one = ExprKind::Number(1.0);
                ExprKind::Assign {
                    target: Box::new(self.simple_target(&it.argument)),
                    operator: Assign::Binary(operator),
                    value: Box::new(Expr { kind: one, place }),
                }
            }
            Expression::AwaitExpression(it) => ExprKind::Await(self.boxed(&it.argument)),
            Expression::BinaryExpression(it) => ExprKind::Binary {
                operator: binary(it.operator),
                left: self.boxed(&it.left),
                right: self.boxed(&it.right),
            },
            Expression::LogicalExpression(it) => ExprKind::Logical {
                operator: logical(it.operator),
                left: self.boxed(&it.left),
                right: self.boxed(&it.right),
            },
            Expression::UnaryExpression(it) => ExprKind::Unary {
                operator: unary(it.operator),
                operand: self.boxed(&it.argument),
            },
            Expression::ConditionalExpression(it) => ExprKind::Conditional {
                test: self.boxed(&it.test),
                yes: self.boxed(&it.consequent),
                no: self.boxed(&it.alternate),
            },
            Expression::CallExpression(it) => self.call(it),
            Expression::NewExpression(it) => ExprKind::New {
                class: self.boxed(&it.callee),
                arguments: self.arguments(&it.arguments),
            },
            Expression::ChainExpression(it) => match &it.expression {
                ast::ChainElement::CallExpression(call) => self.call(call),
                ast::ChainElement::TSNonNullExpression(inner) => {
                    return self.expression(&inner.expression);
                }
                ast::ChainElement::ComputedMemberExpression(member) => self.computed(member),
                ast::ChainElement::StaticMemberExpression(member) => self.member(member),
                ast::ChainElement::PrivateFieldExpression(member) => self.private(member),
            },
            Expression::ComputedMemberExpression(it) => self.computed(it),
            Expression::StaticMemberExpression(it) => self.member(it),
            Expression::PrivateFieldExpression(it) => self.private(it),
            Expression::TaggedTemplateExpression(it) => ExprKind::Tagged {
                tag: self.boxed(&it.tag),
                template: self.template(&it.quasi),
            },
            Expression::SequenceExpression(it) => {
                let all = it.expressions.iter();
                ExprKind::Sequence(all.map(|one| self.expression(one)).collect())
            }
            Expression::ImportExpression(it) => ExprKind::Import(self.boxed(&it.source)),
            Expression::ParenthesizedExpression(it) => return self.expression(&it.expression),
            Expression::TSAsExpression(it) => return self.expression(&it.expression),
            Expression::TSSatisfiesExpression(it) => return self.expression(&it.expression),
            Expression::TSTypeAssertion(it) => return self.expression(&it.expression),
            Expression::TSNonNullExpression(it) => return self.expression(&it.expression),
            Expression::TSInstantiationExpression(it) => return self.expression(&it.expression),
            _ => ExprKind::Other,
        };
        Expr {
            kind,
            place: self.place(node),
        }
    }

    fn call(&mut self, it: &ast::CallExpression<'_>) -> ExprKind {
        ExprKind::Call {
            callee: self.boxed(&it.callee),
            arguments: self.arguments(&it.arguments),
        }
    }

    fn member(&mut self, it: &ast::StaticMemberExpression<'_>) -> ExprKind {
        ExprKind::Member {
            object: self.boxed(&it.object),
            key: text(it.property.name),
        }
    }

    fn private(&mut self, it: &ast::PrivateFieldExpression<'_>) -> ExprKind {
        ExprKind::Member {
            object: self.boxed(&it.object),
            key: smol_str::format_smolstr!("#{}", it.field.name),
        }
    }

    fn computed(&mut self, it: &ast::ComputedMemberExpression<'_>) -> ExprKind {
        ExprKind::Index {
            object: self.boxed(&it.object),
            key: self.boxed(&it.expression),
        }
    }

    fn template(&mut self, it: &ast::TemplateLiteral<'_>) -> Template {
        let texts = it.quasis.iter().map(|part| match part.value.cooked {
            Some(cooked) => text(cooked),
            None => text(part.value.raw),
        });
        Template {
            texts: texts.collect(),
            values: it
                .expressions
                .iter()
                .map(|one| self.expression(one))
                .collect(),
        }
    }

    fn arguments(&mut self, all: &[ast::Argument<'_>]) -> Vec<Element> {
        let items = all.iter().map(|argument| match argument {
            ast::Argument::SpreadElement(spread) => {
                Element::Spread(self.expression(&spread.argument))
            }
            other => other
                .as_expression()
                .map_or(Element::Gap, |one| Element::One(self.expression(one))),
        });
        items.collect()
    }

    fn property(&mut self, entry: &ast::ObjectPropertyKind<'_>) -> Property {
        match entry {
            ast::ObjectPropertyKind::SpreadProperty(spread) => {
                Property::Spread(self.expression(&spread.argument))
            }
            ast::ObjectPropertyKind::ObjectProperty(it) => {
                let value = match it.kind {
                    ast::PropertyKind::Init => self.expression(&it.value),
                    _ => self.leaf(&it.value, ExprKind::Other),
                };
                Property::Value {
                    key: self.key(&it.key),
                    key_place: self.place(&it.key),
                    value,
                }
            }
        }
    }

    fn key(&mut self, key: &ast::PropertyKey<'_>) -> Key {
        match key {
            ast::PropertyKey::StaticIdentifier(it) => Key::Text(text(it.name)),
            ast::PropertyKey::PrivateIdentifier(it) => {
                Key::Text(smol_str::format_smolstr!("#{}", it.name))
            }
            ast::PropertyKey::StringLiteral(it) => Key::Text(text(it.value)),
            ast::PropertyKey::NumericLiteral(it) => {
                Key::Text(smol_str::format_smolstr!("{}", it.value))
            }
            other => match other.as_expression() {
                Some(one) => Key::Computed(self.expression(one)),
                None => Key::Text(SmolStr::default()),
            },
        }
    }

    fn function(&mut self, it: &ast::Function<'_>) -> Arc<Function> {
        let name = it.id.as_ref().map(|id| text(id.name)).unwrap_or_default();
        let (params, rest) = self.params(&it.params);
        let body = it
            .body
            .as_ref()
            .map(|body| self.statements(&body.statements));
        Arc::new(Function {
            name,
            params,
            rest,
            body: FunctionBody::Block(body.unwrap_or_default()),
            form: FunctionForm::Plain,
            place: self.place(it),
        })
    }

    fn class(&mut self, it: &ast::Class<'_>) -> Arc<Class> {
        let mut class = Class {
            name: it.id.as_ref().map(|id| text(id.name)).unwrap_or_default(),
            parent: it
                .heritage
                .as_ref()
                .map(|heritage| self.expression(&heritage.expression)),
            constructor: None,
            methods: Vec::new(),
            fields: Vec::new(),
            place: self.place(it),
        };
        let of = |is_static: bool| {
            if is_static {
                Placement::Static
            } else {
                Placement::Instance
            }
        };
        for element in &it.body.body {
            match element {
                ast::ClassElement::MethodDefinition(method) => {
                    let kind = match method.kind {
                        ast::MethodDefinitionKind::Constructor => {
                            // Overloads without a body only declare types.
                            if method.value.body.is_some() {
                                class.constructor = Some(self.function(&method.value));
                            }
                            continue;
                        }
                        ast::MethodDefinitionKind::Method => MethodKind::Call,
                        ast::MethodDefinitionKind::Get => MethodKind::Get,
                        ast::MethodDefinitionKind::Set => continue,
                    };
                    if let (Key::Text(name), true) =
                        (self.key(&method.key), method.value.body.is_some())
                    {
                        class.methods.push(Method {
                            name,
                            function: self.function(&method.value),
                            of: of(method.r#static),
                            kind,
                        });
                    }
                }
                ast::ClassElement::PropertyDefinition(field) if !field.declare => {
                    if let Key::Text(name) = self.key(&field.key) {
                        class.fields.push(ClassField {
                            name,
                            value: field.value.as_ref().map(|value| self.expression(value)),
                            of: of(field.r#static),
                        });
                    }
                }
                _ => {}
            }
        }
        Arc::new(class)
    }
}

fn exported(name: &ast::ModuleExportName<'_>) -> SmolStr {
    match name {
        ast::ModuleExportName::IdentifierName(it) => text(it.name),
        ast::ModuleExportName::IdentifierReference(it) => text(it.name),
        ast::ModuleExportName::StringLiteral(it) => text(it.value),
    }
}

fn specifiers(all: &[ast::ExportSpecifier<'_>]) -> Vec<(SmolStr, SmolStr)> {
    let values = all
        .iter()
        .filter(|one| one.export_kind != ast::ImportOrExportKind::Type);
    values
        .map(|one| (exported(&one.local), exported(&one.exported)))
        .collect()
}

fn logical(operator: LogicalOperator) -> Logical {
    match operator {
        LogicalOperator::Or => Logical::Or,
        LogicalOperator::And => Logical::And,
        LogicalOperator::Coalesce => Logical::Coalesce,
    }
}

fn binary(operator: BinaryOperator) -> Binary {
    match operator {
        BinaryOperator::Equality | BinaryOperator::StrictEquality => Binary::Equal,
        BinaryOperator::Inequality | BinaryOperator::StrictInequality => Binary::Unequal,
        BinaryOperator::LessThan => Binary::Less,
        BinaryOperator::LessEqualThan => Binary::LessOrEqual,
        BinaryOperator::GreaterThan => Binary::Greater,
        BinaryOperator::GreaterEqualThan => Binary::GreaterOrEqual,
        BinaryOperator::Addition => Binary::Add,
        BinaryOperator::Subtraction => Binary::Subtract,
        BinaryOperator::Multiplication => Binary::Multiply,
        BinaryOperator::Division => Binary::Divide,
        BinaryOperator::Remainder => Binary::Remainder,
        BinaryOperator::In => Binary::In,
        BinaryOperator::Instanceof => Binary::InstanceOf,
        _ => Binary::Other,
    }
}

fn unary(operator: UnaryOperator) -> Unary {
    match operator {
        UnaryOperator::LogicalNot => Unary::Not,
        UnaryOperator::UnaryNegation => Unary::Minus,
        UnaryOperator::UnaryPlus => Unary::Plus,
        UnaryOperator::Typeof => Unary::TypeOf,
        UnaryOperator::Void => Unary::Void,
        _ => Unary::Other,
    }
}

fn assign(operator: AssignmentOperator) -> Assign {
    match operator {
        AssignmentOperator::Assign => Assign::Plain,
        AssignmentOperator::LogicalOr => Assign::Logical(Logical::Or),
        AssignmentOperator::LogicalAnd => Assign::Logical(Logical::And),
        AssignmentOperator::LogicalNullish => Assign::Logical(Logical::Coalesce),
        other => Assign::Binary(other.to_binary_operator().map_or(Binary::Other, binary)),
    }
}
