//! Converts the parser's statements.

use super::*;

impl TreeConverter<'_> {
    pub(super) fn statements(&mut self, all: &[ast::Statement<'_>]) -> Vec<Stmt> {
        let mut statements = Vec::with_capacity(all.len());
        for one in all {
            statements.extend(self.statement(one));
        }
        statements
    }

    pub(super) fn block(&mut self, it: &ast::Statement<'_>) -> Vec<Stmt> {
        match it {
            ast::Statement::BlockStatement(block) if self.depth < self.most_depth => {
                self.statements(&block.body)
            }
            other => self.statement(other).into_iter().collect(),
        }
    }

    pub(super) fn statement(&mut self, it: &ast::Statement<'_>) -> Option<Stmt> {
        if self.depth >= self.most_depth {
            return Some(Stmt::Other(TOO_DEEP, self.place(it)));
        }
        self.depth += 1;
        let statement = self.statement_within(it);
        self.depth -= 1;
        statement
    }

    pub(super) fn statement_within(&mut self, it: &ast::Statement<'_>) -> Option<Stmt> {
        use ast::Statement as S;
        let place = self.place(it);
        Some(match it {
            S::ExpressionStatement(one) => Stmt::Expr(self.expression(&one.expression)),
            S::BlockStatement(block) => Stmt::Block(self.statements(&block.body)),
            S::ReturnStatement(one) => {
                Stmt::Return(one.argument.as_ref().map(|it| self.expression(it)), place)
            }
            S::IfStatement(one) => Stmt::If {
                test: self.expression(&one.test),
                yes: self.block(&one.consequent),
                no: one
                    .alternate
                    .as_ref()
                    .map(|it| self.block(it))
                    .unwrap_or_default(),
            },
            S::ForStatement(one) => Stmt::For {
                start: match &one.init {
                    Some(ast::ForStatementInit::VariableDeclaration(it)) => {
                        vec![self.declare(it)]
                    }
                    Some(other) => other
                        .as_expression()
                        .map(|it| Stmt::Expr(self.expression(it)))
                        .into_iter()
                        .collect(),
                    None => Vec::new(),
                },
                test: one.test.as_ref().map(|it| self.expression(it)),
                next: one.update.as_ref().map(|it| self.expression(it)),
                body: self.block(&one.body),
                place,
            },
            S::ForOfStatement(one) => Stmt::ForOf {
                pattern: self.left(&one.left),
                over: self.expression(&one.right),
                body: self.block(&one.body),
            },
            S::ForInStatement(one) => Stmt::ForIn {
                pattern: self.left(&one.left),
                over: self.expression(&one.right),
                body: self.block(&one.body),
            },
            S::WhileStatement(one) => Stmt::While {
                test: self.expression(&one.test),
                body: self.block(&one.body),
                runs: LoopTest::First,
            },
            S::DoWhileStatement(one) => Stmt::While {
                test: self.expression(&one.test),
                body: self.block(&one.body),
                runs: LoopTest::Last,
            },
            S::SwitchStatement(one) => Stmt::Switch {
                on: self.expression(&one.discriminant),
                cases: one
                    .cases
                    .iter()
                    .map(|case| {
                        let test = case.test.as_ref().map(|it| self.expression(it));
                        (test, self.statements(&case.consequent))
                    })
                    .collect(),
            },
            S::TryStatement(one) => Stmt::Try {
                block: self.statements(&one.block.body),
                finally: match &one.finalizer {
                    Some(block) => self.statements(&block.body),
                    None => Vec::new(),
                },
            },
            S::LabeledStatement(one) => return self.statement(&one.body),
            S::ThrowStatement(_) => Stmt::Throw,
            S::BreakStatement(_) => Stmt::Break,
            S::ContinueStatement(_) => Stmt::Continue,
            S::EmptyStatement(_) | S::DebuggerStatement(_) => return None,
            S::WithStatement(_) => Stmt::Other("`with`", place),
            S::ImportDeclaration(one) => return self.import(one, place),
            S::ExportAllDeclaration(one) => {
                if one.export_kind == ast::ImportOrExportKind::Type {
                    return None;
                }
                Stmt::ExportAll {
                    from: text(one.source.value),
                    under: one.exported.as_ref().map(exported),
                    place,
                }
            }
            S::ExportDefaultDeclaration(one) => {
                use ast::ExportDefaultDeclarationKind as Kind;
                let kind = match &one.declaration {
                    Kind::FunctionDeclaration(function) => {
                        ExprKind::Function(self.function(function))
                    }
                    Kind::ClassDeclaration(class) => ExprKind::Class(self.class(class)),
                    Kind::TSInterfaceDeclaration(_) => return None,
                    other => match other.as_expression() {
                        Some(it) => return Some(Stmt::ExportDefault(self.expression(it))),
                        None => return None,
                    },
                };
                Stmt::ExportDefault(Expr { kind, place })
            }
            S::ExportDeclaration(one) => {
                let declaration = self.declaration(&one.declaration, place)?;
                Stmt::Export(Box::new(declaration))
            }
            S::ExportNamedDeclaration(one) => {
                if one.export_kind == ast::ImportOrExportKind::Type {
                    return None;
                }
                Stmt::ExportNames {
                    from: None,
                    names: specifiers(&one.specifiers),
                    place,
                }
            }
            S::ExportFromDeclaration(one) => {
                if one.export_kind == ast::ImportOrExportKind::Type {
                    return None;
                }
                Stmt::ExportNames {
                    from: Some(text(one.source.value)),
                    names: specifiers(&one.specifiers),
                    place,
                }
            }
            S::TSExportAssignment(one) => Stmt::ExportDefault(self.expression(&one.expression)),
            S::TSNamespaceExportDeclaration(_) => return None,
            other => return self.declaration(other.as_declaration()?, place),
        })
    }

    pub(super) fn declaration(&mut self, it: &ast::Declaration<'_>, place: Place) -> Option<Stmt> {
        use ast::Declaration as D;
        Some(match it {
            D::VariableDeclaration(one) if one.declare => return None,
            D::VariableDeclaration(one) => self.declare(one),
            D::FunctionDeclaration(one) => {
                // An overload without a body only declares types.
                one.body.as_ref()?;
                Stmt::Function(self.function(one))
            }
            D::ClassDeclaration(one) => Stmt::Class(self.class(one)),
            D::TSEnumDeclaration(one) => {
                let members = one.body.members.iter().filter_map(|member| {
                    let name = match &member.id {
                        ast::TSEnumMemberName::Identifier(id) => text(id.name),
                        ast::TSEnumMemberName::String(it) => text(it.value),
                        ast::TSEnumMemberName::ComputedString(it) => text(it.value),
                        ast::TSEnumMemberName::ComputedTemplateString(_) => return None,
                    };
                    let value = member.initializer.as_ref();
                    Some((name, value.map(|it| self.expression(it))))
                });
                Stmt::Enum {
                    name: text(one.id.name),
                    members: members.collect(),
                    place,
                }
            }
            D::TSImportEqualsDeclaration(one) => match &one.module_reference {
                ast::TSModuleReference::ExternalModuleReference(it) => Stmt::Import {
                    from: text(it.expression.value),
                    names: vec![(Imported::All, text(one.id.name))],
                    place,
                },
                _ => Stmt::Other("a namespace alias", place),
            },
            D::TSNamespaceDeclaration(one) if !one.declare => Stmt::Other("a namespace", place),
            _ => return None,
        })
    }

    pub(super) fn declare(&mut self, it: &ast::VariableDeclaration<'_>) -> Stmt {
        let all = it.declarations.iter().map(|one| {
            let pattern = self.pattern(&one.id);
            let value = one.init.as_ref().map(|value| self.expression(value));
            (pattern, value)
        });
        Stmt::Declare(all.collect())
    }

    pub(super) fn left(&mut self, it: &ast::ForStatementLeft<'_>) -> BindingPattern {
        match it {
            ast::ForStatementLeft::VariableDeclaration(one) => match one.declarations.first() {
                Some(first) => self.pattern(&first.id),
                None => BindingPattern::Other,
            },
            other => match other.as_assignment_target() {
                Some(target) => self.target(target),
                None => BindingPattern::Other,
            },
        }
    }

    pub(super) fn import(&mut self, it: &ast::ImportDeclaration<'_>, place: Place) -> Option<Stmt> {
        if it.import_kind == ast::ImportOrExportKind::Type {
            return None;
        }
        use ast::ImportDeclarationSpecifier as Specifier;
        let names = it.specifiers.iter().flatten().filter_map(|one| {
            Some(match one {
                Specifier::ImportSpecifier(one) => {
                    if one.import_kind == ast::ImportOrExportKind::Type {
                        return None;
                    }
                    let name = exported(&one.imported);
                    let imported = match name.as_str() {
                        "default" => Imported::Default,
                        _ => Imported::Name(name),
                    };
                    (imported, text(one.local.name))
                }
                Specifier::ImportDefaultSpecifier(one) => (Imported::Default, text(one.local.name)),
                Specifier::ImportNamespaceSpecifier(one) => (Imported::All, text(one.local.name)),
            })
        });
        Some(Stmt::Import {
            from: text(it.source.value),
            names: names.collect(),
            place,
        })
    }
}
