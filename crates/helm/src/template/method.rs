//! Methods of `.Files`, which is a map of texts by path, and the parts of `.Capabilities` that only a cluster knows.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::parse::Operand;
use super::{Value, capabilities};
use base::glob::{self, Stars};

/// The receiver and method of a call on `.Files`; `None` for other operands.
pub fn on_files(operand: &Operand) -> Option<(Operand, &str)> {
    let split = |chain: &[SmolStr]| {
        let (_, holder) = chain.split_last()?;
        (holder.last()? == "Files").then(|| holder.to_vec())
    };
    match operand {
        Operand::Dot(chain) => Some((Operand::Dot(split(chain)?), chain.last()?)),
        Operand::Variable(name, chain) => {
            let holder = Operand::Variable(name.clone(), split(chain)?);
            Some((holder, chain.last()?))
        }
        _ => None,
    }
}

/// The result of a method; `None` if it is not supported.
pub fn call(files: &Value, method: &str, arguments: &[Value]) -> Option<Value> {
    let (Value::Map(files), [Value::Text(asked)]) = (files, arguments) else {
        return None;
    };
    let value = match method {
        "Get" => files.get(asked).cloned().unwrap_or_else(|| Value::text("")),
        "Lines" => match files.get(asked) {
            Some(Value::Text(text)) => Value::list(text.trim_end().split('\n').map(Value::text)),
            _ => Value::list(std::iter::empty()),
        },
        "Glob" => chosen(files, asked),
        _ => return None,
    };
    Some(value)
}

fn chosen(files: &BTreeMap<SmolStr, Value>, pattern: &str) -> Value {
    let chosen = files
        .iter()
        .filter(|(path, _)| glob::matches(pattern, path, Stars::Deep));
    Value::map(chosen.map(|(path, text)| (path.clone(), text.clone())))
}

/// Whether a cluster serves the API that a call on `.Capabilities.APIVersions` asks for; `None` for other operands, and if
/// it depends on the cluster.
pub fn on_apis(operand: &Operand, argument: &Operand) -> Option<Value> {
    let chain = match operand {
        Operand::Dot(chain) => chain,
        Operand::Variable(name, chain) if name.is_empty() => chain,
        _ => return None,
    };
    let [.., capabilities, apis, has] = chain.as_slice() else {
        return None;
    };
    let is_asked = capabilities == "Capabilities" && apis == "APIVersions" && has == "Has";
    match argument {
        Operand::Literal(Value::Text(api)) if is_asked => {
            capabilities::serves(api).map(Value::Bool)
        }
        _ => None,
    }
}

/// Why an operand is unsupported because only a cluster knows it; `None` for others.
pub fn cluster_only_reason(operand: &Operand) -> Option<String> {
    let chain = match operand {
        Operand::Dot(chain) => chain,
        Operand::Variable(name, chain) if name.is_empty() => chain,
        _ => return None,
    };
    (chain.first()? == "Capabilities").then(|| {
        let asked = chain.join(".");
        format!("`.{asked}` depends on the cluster")
    })
}
