//! The syntax tree of a program: TypeScript without types. Every expression knows its place. Plain data.

use std::sync::Arc;

use smol_str::SmolStr;

use base::Place;

/// One file.
#[derive(Debug, Default)]
pub struct Module {
    pub body: Vec<Stmt>,
}

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub place: Place,
}

#[derive(Debug)]
pub enum ExprKind {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(SmolStr),
    Template(Template),
    Tagged {
        tag: Box<Expr>,
        template: Template,
    },
    Array(Vec<Element>),
    Object(Vec<Property>),
    Name(SmolStr),
    This,
    Super,
    Member {
        object: Box<Expr>,
        key: SmolStr,
    },
    Index {
        object: Box<Expr>,
        key: Box<Expr>,
    },
    Call {
        callee: Box<Expr>,
        arguments: Vec<Element>,
    },
    New {
        class: Box<Expr>,
        arguments: Vec<Element>,
    },
    Function(Arc<Function>),
    Class(Arc<Class>),
    Conditional {
        test: Box<Expr>,
        yes: Box<Expr>,
        no: Box<Expr>,
    },
    Logical {
        operator: Logical,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Binary {
        operator: Binary,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Unary {
        operator: Unary,
        operand: Box<Expr>,
    },
    Assign {
        target: Box<BindingPattern>,
        operator: Assign,
        value: Box<Expr>,
    },
    Await(Box<Expr>),
    /// A comma expression; the last value counts.
    Sequence(Vec<Expr>),
    /// A dynamic import, or `require`.
    Import(Box<Expr>),
    /// A regular expression and its flags.
    Pattern(SmolStr, SmolStr),
    /// An expression that cannot be evaluated.
    Other,
    /// An expression that nests too deeply.
    TooDeep,
}

/// The texts of a template literal, and the expressions between them.
#[derive(Debug)]
pub struct Template {
    pub texts: Vec<SmolStr>,
    pub values: Vec<Expr>,
}

/// An element of an array or an argument of a call.
#[derive(Debug)]
pub enum Element {
    One(Expr),
    Spread(Expr),
    Gap,
}

#[derive(Debug)]
pub enum Property {
    Value {
        key: Key,
        key_place: Place,
        value: Expr,
    },
    Spread(Expr),
}

#[derive(Debug)]
pub enum Key {
    Text(SmolStr),
    Computed(Expr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logical {
    Or,
    And,
    Coalesce,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    InstanceOf,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    Not,
    Minus,
    Plus,
    TypeOf,
    Void,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assign {
    Plain,
    Logical(Logical),
    Binary(Binary),
}

#[derive(Debug)]
pub struct Function {
    pub name: SmolStr,
    pub params: Vec<Param>,
    pub rest: Option<BindingPattern>,
    pub body: FunctionBody,
    pub form: FunctionForm,
    pub place: Place,
}

/// Where a function gets its `this` from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FunctionForm {
    Arrow,
    Plain,
}

#[derive(Debug)]
pub struct Param {
    pub pattern: BindingPattern,
    pub default: Option<Expr>,
    /// Whether it is a parameter property, which declares a field.
    pub is_field: bool,
}

#[derive(Debug)]
pub enum FunctionBody {
    Block(Vec<Stmt>),
    Value(Expr),
}

#[derive(Debug)]
pub struct Class {
    pub name: SmolStr,
    pub parent: Option<Expr>,
    pub constructor: Option<Arc<Function>>,
    pub methods: Vec<Method>,
    pub fields: Vec<ClassField>,
    pub place: Place,
}

#[derive(Debug)]
pub struct Method {
    pub name: SmolStr,
    pub function: Arc<Function>,
    pub of: Placement,
    pub kind: MethodKind,
}

/// Whether a member is static.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    Static,
    Instance,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodKind {
    Call,
    Get,
}

#[derive(Debug)]
pub struct ClassField {
    pub name: SmolStr,
    pub value: Option<Expr>,
    pub of: Placement,
}

#[derive(Debug)]
pub enum BindingPattern {
    Name(SmolStr),
    Object {
        entries: Vec<(Key, BindingPattern)>,
        rest: Option<Box<BindingPattern>>,
    },
    Array {
        items: Vec<Option<BindingPattern>>,
        rest: Option<Box<BindingPattern>>,
    },
    Default(Box<BindingPattern>, Box<Expr>),
    /// A field or element that is assigned to.
    Place(Box<Expr>),
    Other,
}

#[derive(Debug)]
pub enum Stmt {
    Expr(Expr),
    Declare(Vec<(BindingPattern, Option<Expr>)>),
    Function(Arc<Function>),
    Class(Arc<Class>),
    Enum {
        name: SmolStr,
        members: Vec<(SmolStr, Option<Expr>)>,
        place: Place,
    },
    Return(Option<Expr>, Place),
    If {
        test: Expr,
        yes: Vec<Stmt>,
        no: Vec<Stmt>,
    },
    For {
        start: Vec<Stmt>,
        test: Option<Expr>,
        next: Option<Expr>,
        body: Vec<Stmt>,
        place: Place,
    },
    ForOf {
        pattern: BindingPattern,
        over: Expr,
        body: Vec<Stmt>,
    },
    ForIn {
        pattern: BindingPattern,
        over: Expr,
        body: Vec<Stmt>,
    },
    While {
        test: Expr,
        body: Vec<Stmt>,
        runs: LoopTest,
    },
    Switch {
        on: Expr,
        cases: Vec<(Option<Expr>, Vec<Stmt>)>,
    },
    Try {
        block: Vec<Stmt>,
        finally: Vec<Stmt>,
    },
    Block(Vec<Stmt>),
    Throw,
    Break,
    Continue,
    Import {
        from: SmolStr,
        names: Vec<(Imported, SmolStr)>,
        place: Place,
    },
    /// Names of this file or another, with the names they are exported under.
    ExportNames {
        from: Option<SmolStr>,
        names: Vec<(SmolStr, SmolStr)>,
        place: Place,
    },
    ExportAll {
        from: SmolStr,
        under: Option<SmolStr>,
        place: Place,
    },
    Export(Box<Stmt>),
    ExportDefault(Expr),
    Other(&'static str, Place),
}

/// Whether a loop tests its condition before the first iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopTest {
    First,
    Last,
}

#[derive(Debug)]
pub enum Imported {
    Name(SmolStr),
    Default,
    All,
}
