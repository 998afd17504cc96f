//! Commands in the text of a script, with the variables that the script sets itself. Text in, commands out: nothing is
//! run, and a word with a variable that is not known is no word.

use smol_str::SmolStr;

use super::{Namespace, Reads};
use base::hash::HashMap;

/// A command as the text states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedCommand {
    pub text: SmolStr,
    pub line: u32,
    /// The directory that it is run in.
    pub directory: String,
    /// A path from that directory; from the root if it starts with `/`.
    pub target: String,
    pub reads: Reads,
    pub namespace: Namespace,
    pub cluster: Option<SmolStr>,
}

/// The longest value that a variable keeps.
const MAX_VALUE: usize = 1_024;
/// Variables within variables, deeper than people write them.
const MAX_DEPTH: usize = 8;

/// The commands in a text that lies in `home`.
pub fn stated(text: &str, home: &str, is_dir: &dyn Fn(&str) -> bool) -> Vec<StatedCommand> {
    let mut script = Script {
        home: home.to_owned(),
        directory: home.to_owned(),
        values: HashMap::default(),
        lists: HashMap::default(),
        is_dir,
        found: Vec::new(),
    };
    let mut number = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        number += 1;
        let first = number;
        let mut whole = line.trim().to_owned();
        // A list of words may have a line for each.
        while is_open_list(&whole) && whole.len() < 4 * MAX_VALUE {
            let Some(next) = lines.next() else { break };
            number += 1;
            whole.push(' ');
            whole.push_str(next.trim());
        }
        while whole.ends_with('\\') && whole.len() < 4 * MAX_VALUE {
            whole.pop();
            let Some(next) = lines.next() else { break };
            number += 1;
            whole.push_str(next.trim());
        }
        script.line(&whole, first);
    }
    script.found
}

struct Script<'a> {
    home: String,
    directory: String,
    /// What variables hold; none if that is not known.
    values: HashMap<SmolStr, Option<String>>,
    lists: HashMap<SmolStr, Vec<String>>,
    is_dir: &'a dyn Fn(&str) -> bool,
    found: Vec<StatedCommand>,
}

impl Script<'_> {
    fn line(&mut self, line: &str, number: u32) {
        if line.starts_with("```") {
            // Each block of a document is run from the start.
            self.directory = self.home.clone();
            return;
        }
        if line.starts_with('#') {
            return;
        }
        if let Some((name, list)) = list(line) {
            self.lists.insert(name.into(), words(list));
            return;
        }
        if let Some((name, value)) = assignment(line) {
            let value = self.value(value, 0).filter(|it| it.len() <= MAX_VALUE);
            self.values.insert(name.into(), value);
            return;
        }
        let mut built: Option<String> = None;
        for (command, is_piped) in commands(line) {
            let words = self.with_lists(words(command));
            let built_before = built.take().filter(|_| is_piped);
            match words.first().map(String::as_str) {
                Some("cd" | "pushd") => self.enter(words.get(1)),
                Some("popd") => self.directory = self.home.clone(),
                _ => {
                    built = self.output_of_kustomize(&words);
                    self.apply(command, &words, built_before, number);
                }
            }
        }
    }

    /// Words with the content of lists in place of their names.
    fn with_lists(&self, words: Vec<String>) -> Vec<String> {
        let list = |word: &str| {
            let name = word.strip_prefix("${")?.strip_suffix("[@]}")?;
            self.lists.get(name)
        };
        let all = words.into_iter().flat_map(|word| match list(&word) {
            Some(words) => words.clone(),
            None => vec![word],
        });
        all.collect()
    }

    fn enter(&mut self, word: Option<&String>) {
        let Some(path) = word.and_then(|word| self.value(word, 0)) else {
            return;
        };
        let path = joined(&self.directory, &path);
        if (self.is_dir)(&path) {
            self.directory = path;
        }
    }

    /// The directory whose kustomization a command prints.
    fn output_of_kustomize(&self, words: &[String]) -> Option<String> {
        let at = words.iter().position(|word| word == "kustomize")?;
        let before = at.checked_sub(1).map(|before| words[before].as_str());
        let is_own = words.get(at + 1).is_some_and(|word| word == "build");
        let after = match (is_own, before) {
            (true, _) => at + 2,
            (false, Some("kubectl" | "oc")) => at + 1,
            _ => return None,
        };
        let target = words[after.min(words.len())..]
            .iter()
            .find(|word| !word.starts_with('-'));
        target.map_or(Some(".".to_owned()), |word| self.value(word, 0))
    }

    fn apply(&mut self, command: &str, words: &[String], built: Option<String>, line: u32) {
        let is_client = |word: &String| matches!(last_part(word), "kubectl" | "oc");
        let Some(start) = words.iter().position(is_client) else {
            return;
        };
        let words = &words[start + 1..];
        let is_dry = |word: &String| word.starts_with("--dry-run") && !word.ends_with("=none");
        if words.iter().any(is_dry) || !has_verb(words) {
            return;
        }
        let options = Options::read(words);
        let namespace = match options.namespace {
            None => Namespace::Default,
            Some(word) => match self.value(word, 0) {
                Some(name) if !name.is_empty() => Namespace::Named(name.into()),
                _ => Namespace::Unknown,
            },
        };
        let context = options.context.and_then(|word| self.value(word, 0));
        let cluster = context.as_deref().and_then(cluster_of);
        let is_below = options.is_recursive;
        let files = options.files.iter().map(|word| {
            let reads = if is_below {
                Reads::FilesBelow
            } else {
                Reads::Files
            };
            (self.value(word, 0), reads)
        });
        let directories = options.kustomizations.iter();
        let directories = directories.map(|word| (self.value(word, 0), Reads::Kustomization));
        let piped = built
            .filter(|_| options.files.contains(&"-"))
            .map(|target| (Some(target), Reads::Kustomization));
        let targets: Vec<(String, Reads)> = files
            .chain(directories)
            .chain(piped)
            .filter_map(|(target, reads)| Some((target?, reads)))
            .filter(|(target, _)| target != "-" && !target.contains("://"))
            .collect();
        let text: SmolStr = command.trim_matches(['`', ' ']).into();
        for (target, reads) in targets {
            self.found.push(StatedCommand {
                text: text.clone(),
                line,
                directory: self.directory.clone(),
                target: target.trim_start_matches("./").to_owned(),
                reads,
                namespace: namespace.clone(),
                cluster: cluster.clone(),
            });
        }
    }

    /// A word with its variables filled in; none if one of them is not known.
    fn value(&self, word: &str, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH || word.contains("{{") {
            return None;
        }
        let word = unquoted(word.trim());
        let mut value = String::new();
        let mut rest = word;
        while let Some(at) = rest.find(['$', '`']) {
            value.push_str(&rest[..at]);
            let (own, after) = expression(&rest[at..])?;
            value.push_str(&self.evaluated(own, depth + 1)?);
            if value.len() > MAX_VALUE {
                return None;
            }
            rest = after;
        }
        value.push_str(rest);
        let is_odd = value.contains(['<', '>', '*', '`', '\\']) || value.len() > MAX_VALUE;
        (!is_odd).then_some(value)
    }

    fn evaluated(&self, expression: Expression<'_>, depth: usize) -> Option<String> {
        match expression {
            Expression::Variable(inner) => {
                let (name, default) = match inner.split_once(":-").or(inner.split_once(":=")) {
                    Some((name, default)) => (name, Some(default)),
                    None => (inner, None),
                };
                match (self.values.get(name), default) {
                    (Some(Some(known)), _) => Some(known.clone()),
                    (_, Some(default)) => self.value(default, depth),
                    _ if matches!(name, "SCRIPT_DIR" | "CURDIR" | "PWD") => {
                        Some(format!("/{}", self.home))
                    }
                    _ => None,
                }
            }
            Expression::Command(command) => {
                let command = command.trim();
                if let Some(path) = command.strip_prefix("basename ") {
                    return Some(last_part(&self.value(path, depth)?).to_owned());
                }
                if command.contains("show-toplevel") {
                    return Some("/".to_owned());
                }
                // `$(cd "$(dirname "$0")" && pwd)`, in any of the ways people write it.
                let is_own = command.contains("BASH_SOURCE") || command.contains("$0");
                let up = command.contains("/..") || command.contains("cd ..");
                let is_home = command.contains("dirname") && is_own && !up;
                is_home.then(|| format!("/{}", self.home))
            }
        }
    }
}

/// Options of `kubectl apply` that say what it applies, and where.
#[derive(Default)]
struct Options<'w> {
    files: Vec<&'w str>,
    kustomizations: Vec<&'w str>,
    namespace: Option<&'w str>,
    context: Option<&'w str>,
    is_recursive: bool,
}

impl<'w> Options<'w> {
    fn read(words: &'w [String]) -> Options<'w> {
        let mut options = Options::default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (word, None),
            };
            match name {
                "-R" | "--recursive" => options.is_recursive = value != Some("false"),
                "-f" | "--filename" => options.files.extend(value.or_else(|| words.next())),
                "-Rf" => {
                    options.is_recursive = true;
                    options.files.extend(words.next());
                }
                "-k" | "--kustomize" => {
                    options
                        .kustomizations
                        .extend(value.or_else(|| words.next()));
                }
                "-n" | "--namespace" => options.namespace = value.or_else(|| words.next()),
                "--context" | "--cluster" => options.context = value.or_else(|| words.next()),
                _ => {}
            }
        }
        options
    }
}

fn has_verb(words: &[String]) -> bool {
    let mut verbs = words.iter().map(String::as_str);
    verbs.any(|word| matches!(word, "apply" | "create" | "replace"))
}

/// The name of the cluster in a context: clouds put it last.
fn cluster_of(context: &str) -> Option<SmolStr> {
    let name = match context.strip_prefix("gke_") {
        Some(rest) => rest.rsplit('_').next()?,
        None => context.rsplit('/').next()?,
    };
    (!name.is_empty()).then(|| name.into())
}

/// `NAME=value` with the words before it that scripts and Makefiles use.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let mut line = line;
    for word in ["export ", "local ", "readonly ", "declare "] {
        line = line.strip_prefix(word).unwrap_or(line).trim_start();
    }
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?']).trim_end();
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    // `NAME=value command` sets the variable for one command only.
    let value = value.trim();
    let is_one = value.starts_with(['"', '\'', '$']) || !value.contains(' ');
    (is_name && is_one).then_some((name, value))
}

/// `NAME=(word word)`.
fn list(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("local ").unwrap_or(line).trim_start();
    let (name, rest) = line.split_once("=(")?;
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let words = rest.strip_suffix(')')?;
    (is_name && !name.is_empty()).then_some((name, words))
}

/// Whether a line begins a list and does not end it.
fn is_open_list(line: &str) -> bool {
    let name = line.strip_prefix("local ").unwrap_or(line).split_once("=(");
    name.is_some_and(|(name, rest)| !name.contains([' ', '$', '"']) && !rest.contains(')'))
}

/// The commands of a line, each with whether it reads the output of the one before it.
fn commands(line: &str) -> Vec<(&str, bool)> {
    let mut commands = Vec::new();
    let mut quote: Option<char> = None;
    let (mut start, mut is_piped) = (0, false);
    let mut depth = 0_usize;
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, '|' | '&' | ';' | '`') if depth == 0 => {
                commands.push((line[start..at].trim(), is_piped));
                is_piped = letter == '|';
                start = at + 1;
            }
            _ => {}
        }
    }
    commands.push((line[start..].trim(), is_piped));
    commands.retain(|(command, _)| !command.is_empty());
    commands
}

/// The words of a command. Quotes stay, so that a word knows whether it had some.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote: Option<char> = None;
    let mut depth = 0_usize;
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ' ' | '\t') if depth == 0 => {
                words.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    let mut words: Vec<String> = words
        .into_iter()
        .map(|word| unquoted(&word).to_owned())
        .collect();
    // Lists and Makefiles put something before a command.
    while words
        .first()
        .is_some_and(|word| matches!(word.as_str(), "-" | "@" | "$" | "run:" | "sudo" | ">"))
    {
        words.remove(0);
    }
    words
}

fn unquoted(word: &str) -> &str {
    let inner = |quote: char| word.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(word)
}

enum Expression<'t> {
    Variable(&'t str),
    Command(&'t str),
}

/// The expression that a text starts with, and what follows it.
fn expression(text: &str) -> Option<(Expression<'_>, &str)> {
    let rest = text.strip_prefix('$')?;
    if let Some(inner) = rest.strip_prefix('{') {
        let end = closing(inner, '{', '}')?;
        return Some((Expression::Variable(&inner[..end]), &inner[end + 1..]));
    }
    if let Some(inner) = rest.strip_prefix('(') {
        let end = closing(inner, '(', ')')?;
        let own = &inner[..end];
        let is_name = own
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let expression = if is_name {
            Expression::Variable(own)
        } else {
            Expression::Command(own)
        };
        return Some((expression, &inner[end + 1..]));
    }
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
    (end > 0).then(|| (Expression::Variable(&rest[..end]), &rest[end..]))
}

/// The position of the bracket that closes one which is open already.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

fn last_part(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// A path from a directory, with `.` and `..` left for whoever resolves it.
fn joined(directory: &str, path: &str) -> String {
    match path.strip_prefix('/') {
        Some(from_root) => from_root.to_owned(),
        None if directory.is_empty() => path.trim_start_matches("./").to_owned(),
        None => format!("{directory}/{}", path.trim_start_matches("./")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> StatedCommand {
        let mut stated = stated(text, "apps/shop", &|path| path == "apps/shop");
        assert_eq!(stated.len(), 1, "{text}");
        stated.remove(0)
    }

    #[test]
    fn options_say_what_is_applied_and_where() {
        let plain = one("kubectl apply -f .");
        assert_eq!((plain.target.as_str(), plain.reads), (".", Reads::Files));
        assert_eq!(plain.namespace, Namespace::Default);
        let built =
            one("  - kubectl --context arn:aws:eks:eu:1:cluster/live -n shop apply -k ./prod");
        assert_eq!(built.target, "prod");
        assert_eq!(built.reads, Reads::Kustomization);
        assert_eq!(built.namespace, Namespace::Named("shop".into()));
        assert_eq!(built.cluster.as_deref(), Some("live"));
        let below = one("oc apply -n \"$1\" -Rf resources/");
        assert_eq!(below.reads, Reads::FilesBelow);
        assert_eq!(below.namespace, Namespace::Unknown);
    }

    #[test]
    fn the_output_of_kustomize_is_applied() {
        let piped = one("kustomize build overlays/prod | kubectl apply -f -");
        assert_eq!(piped.target, "overlays/prod");
        assert_eq!(piped.reads, Reads::Kustomization);
        let piped = one("kubectl kustomize . | sed s/a/b/ && kubectl apply -f one.yaml");
        assert_eq!(piped.target, "one.yaml");
    }

    #[test]
    fn a_script_knows_its_own_variables() {
        let text = "ROOT=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd -P)\n\
                    app=$(basename \"${ROOT}\")\n\
                    name=\"blue\"\n\
                    own=\"gke_acme_europe_${name}\"\n\
                    context=\"${CONTEXT:-${own}}\"\n\
                    pushd \"${ROOT}\" >/dev/null\n\
                    kubectl --context=\"${context}\" \\\n  --namespace=\"${app}\" apply -f .\n";
        let stated = one(text);
        assert_eq!(stated.directory, "apps/shop");
        assert_eq!(stated.namespace, Namespace::Named("shop".into()));
        assert_eq!(stated.cluster.as_deref(), Some("blue"));
        assert_eq!(stated.line, 7);
    }

    #[test]
    fn a_list_holds_the_start_of_a_command() {
        let text = "local client=(\n  kubectl\n  --namespace=shop\n)\n\"${client[@]}\" apply -f one.yaml\n";
        let stated = one(text);
        assert_eq!(stated.target, "one.yaml");
        assert_eq!(stated.namespace, Namespace::Named("shop".into()));
    }

    #[test]
    fn what_changes_nothing_is_no_command() {
        for text in [
            "kubectl apply --dry-run=client -f .",
            "kubectl delete -f .",
            "# kubectl apply -f .",
            "kubectl apply -f https://example.org/a.yaml",
            "kubectl apply -f \"$FILE\"",
            "kubectl apply -f <your-file>",
            "cat a.yaml | kubectl apply -f -",
        ] {
            assert_eq!(stated(text, "", &|_| true), [], "{text}");
        }
    }
}
