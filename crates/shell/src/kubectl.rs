//! kubectl: what the commands in a text apply, such as `kubectl apply -k overlays/prod`. Text in, commands out: nothing is
//! run.

pub mod table;

use crate::{Command, ScriptStep, Word};
use base::text::last_part;
use smol_str::SmolStr;

/// A command that applies manifests, as a text states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apply {
    /// As written, without what belongs to other commands of its line.
    pub text: SmolStr,
    pub line: u32,
    /// The directory that it is run in.
    pub directory: String,
    pub target: ApplyTarget,
    pub reads: Reads,
    /// Whether another program may change it in between.
    pub is_filtered: bool,
    pub namespace: Namespace,
    /// The cluster that it names as its context.
    pub cluster: Option<SmolStr>,
}

/// What a command applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApplyTarget {
    /// A path from the directory of the command; from the root if it starts with `/`.
    Path(String),
    /// Any path that ends like this, since it begins with a variable.
    End(String),
}

/// What a command reads of its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reads {
    /// The output of the target's kustomization.
    Kustomization,
    /// A file, or the files directly in a directory.
    Files,
    /// The files in a directory and below it.
    FilesBelow,
}

/// The namespace of objects that state none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Namespace {
    /// The command names none.
    Default,
    Named(SmolStr),
    /// It depends on a variable that is not known here.
    Unknown,
}

/// The commands that apply manifests, in a text that lies in `home`.
pub fn applies(text: &str, home: &str, is_dir: &dyn Fn(&str) -> bool) -> Vec<Apply> {
    let mut found = Vec::new();
    for step in crate::steps(text, home, is_dir) {
        let commands = &step.pipeline.commands;
        for (at, command) in commands.iter().enumerate() {
            of_command(command, &commands[..at], &step, &mut found);
        }
    }
    found
}

/// The namespaces that commands of a text create, such as `kubectl create namespace shop`. People call the client by other
/// names, too, such as `kubectl-home`.
pub fn created_namespaces(text: &str, home: &str, is_dir: &dyn Fn(&str) -> bool) -> Vec<SmolStr> {
    let is_client = |word: &str| {
        let name = last_part(word);
        name == "oc" || name == "kubectl" || name.starts_with("kubectl-")
    };
    let steps = crate::steps(text, home, is_dir);
    let commands = steps.iter().flat_map(|step| &step.pipeline.commands);
    let created = commands.filter_map(|command| {
        let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
        let start = words.iter().position(|word| is_client(word))?;
        let plain = words[start + 1..]
            .iter()
            .filter(|word| !word.starts_with('-'));
        let plain: Vec<&str> = plain.copied().collect();
        let at = plain.iter().position(|word| *word == "create")?;
        match plain[at + 1..] {
            ["namespace" | "ns" | "namespaces", name, ..] if is_known(name) => Some(name.into()),
            _ => None,
        }
    });
    created.collect()
}

/// Adds what a command applies. `before` are those whose output it reads.
fn of_command(command: &Command, before: &[Command], step: &ScriptStep, found: &mut Vec<Apply>) {
    let is_client = |word: &Word| matches!(last_part(&word.text), "kubectl" | "oc");
    let Some(start) = command.words.iter().position(is_client) else {
        return;
    };
    let words = &command.words[start + 1..];
    let is_dry = |word: &Word| word.text.starts_with("--dry-run") && !word.text.ends_with("=none");
    let is_verb = |word: &Word| matches!(word.text.as_str(), "apply" | "create" | "replace");
    if words.iter().any(is_dry) || !words.iter().any(is_verb) {
        return;
    }
    let options = ApplyOptions::read(words);
    let namespace = match options.namespace {
        None => Namespace::Default,
        Some(name) if is_known(name) && !name.is_empty() => Namespace::Named(name.into()),
        Some(_) => Namespace::Unknown,
    };
    let context = options.context.filter(|context| is_known(context));
    let cluster = context.and_then(cluster_of);
    let of_files = if options.is_recursive {
        Reads::FilesBelow
    } else {
        Reads::Files
    };
    let files = options.files.iter().map(|file| (*file, of_files, false));
    let directories = options.kustomizations.iter();
    let directories = directories.map(|directory| (*directory, Reads::Kustomization, false));
    let built = built(before).filter(|_| options.files.contains(&"-"));
    let built = built.map(|(directory, is_last)| (directory, Reads::Kustomization, !is_last));
    for (target, reads, is_filtered) in files.chain(directories).chain(built) {
        let Some(target) = ApplyTarget::read(target) else {
            continue;
        };
        found.push(Apply {
            text: command.text.as_str().into(),
            line: step.line,
            directory: step.directory.clone(),
            target,
            reads,
            is_filtered,
            namespace: namespace.clone(),
            cluster: cluster.clone(),
        });
    }
}

/// The directory whose kustomization one of these commands prints, and whether it is the last of them.
fn built(commands: &[Command]) -> Option<(&str, bool)> {
    let mut turns = commands.iter().rev().enumerate();
    turns.find_map(|(after, command)| Some((built_by(command)?, after == 0)))
}

/// The directory that `kustomize build` or `kubectl kustomize` names.
fn built_by(command: &Command) -> Option<&str> {
    let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
    let at = words.iter().position(|word| *word == "kustomize")?;
    let after = match (&words[..at], &words[at + 1..]) {
        (_, ["build", after @ ..]) => after,
        ([.., "kubectl" | "oc"], after) => after,
        _ => return None,
    };
    let named = after.iter().find(|word| !word.starts_with('-'));
    Some(named.copied().unwrap_or("."))
}

impl ApplyTarget {
    fn read(text: &str) -> Option<ApplyTarget> {
        if text == "-" || text.contains("://") {
            return None;
        }
        let path = text.trim_start_matches("./");
        if is_known(path) {
            return Some(ApplyTarget::Path(path.to_owned()));
        }
        let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
        let end: Vec<&str> = parts.into_iter().skip_while(|it| !is_known(it)).collect();
        // One name alone may be that of many directories.
        let is_end = end.len() > 1 && end.iter().all(|part| is_known(part));
        is_end.then(|| ApplyTarget::End(end.join("/")))
    }
}

/// Whether a word holds no variable, pattern or placeholder, in quotes or not.
fn is_known(text: &str) -> bool {
    !text.contains(['$', '`', '{', '<', '>', '*', '\\', '…'])
}

/// Options of `kubectl apply` that say what it applies, and where.
#[derive(Default)]
struct ApplyOptions<'w> {
    files: Vec<&'w str>,
    kustomizations: Vec<&'w str>,
    namespace: Option<&'w str>,
    context: Option<&'w str>,
    is_recursive: bool,
}

impl<'w> ApplyOptions<'w> {
    fn read(words: &'w [Word]) -> ApplyOptions<'w> {
        let mut options = ApplyOptions::default();
        let mut words = words.iter().map(|word| word.text.as_str());
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

/// The name of the cluster in a context: clouds put it last.
fn cluster_of(context: &str) -> Option<SmolStr> {
    let name = match context.strip_prefix("gke_") {
        Some(rest) => rest.rsplit('_').next()?,
        None => context.rsplit('/').next()?,
    };
    (!name.is_empty()).then(|| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Apply {
        let mut found = applies(text, "apps/shop", &|path| path == "apps/shop");
        assert_eq!(found.len(), 1, "{text}");
        found.remove(0)
    }

    fn path(path: &str) -> ApplyTarget {
        ApplyTarget::Path(path.to_owned())
    }

    #[test]
    fn options_say_what_is_applied_and_where() {
        let plain = one("kubectl apply -f .");
        assert_eq!((plain.target, plain.reads), (path("."), Reads::Files));
        assert_eq!(plain.namespace, Namespace::Default);
        let built =
            one("  - kubectl --context arn:aws:eks:eu:1:cluster/live -n shop apply -k ./prod");
        assert_eq!(built.target, path("prod"));
        assert_eq!(built.reads, Reads::Kustomization);
        assert_eq!(built.namespace, Namespace::Named("shop".into()));
        assert_eq!(built.cluster.as_deref(), Some("live"));
        let below = one("oc apply -n \"$1\" -Rf resources/");
        assert_eq!(below.reads, Reads::FilesBelow);
        assert_eq!(below.namespace, Namespace::Unknown);
    }

    #[test]
    fn a_command_creates_the_namespace_that_it_names() {
        let text = "kubectl create namespace shop\nkubectl-home --context a create ns till --dry-run=client -o yaml | kubectl apply -f -\n\
                    kubectl create namespace $NAME\nkubectl get namespace cart\nkubectl create secret generic namespace\n";
        let found = created_namespaces(text, "", &|_| false);
        assert_eq!(found, ["shop", "till"]);
    }

    #[test]
    fn a_command_names_the_directory_that_it_applies() {
        let end = |text: &str| ApplyTarget::End(text.to_owned());
        for (line, target) in [
            ("kubectl apply -k ./flux/config", path("flux/config")),
            ("kubectl apply --server-side --kustomize=a/b", path("a/b")),
            (
                "- kubectl apply -k \"{{ .DIR }}/boot/flux\"",
                end("boot/flux"),
            ),
            ("kubectl apply -k {{ .DIR }}/boot/flux", end("boot/flux")),
            ("kubectl apply -k $DIR/boot/flux/", end("boot/flux")),
            ("run `kubectl apply -k apps/x`, then wait", path("apps/x")),
            ("(kubectl apply -k apps/x)", path("apps/x")),
        ] {
            let found = one(line);
            assert_eq!(
                (found.target, found.reads),
                (target, Reads::Kustomization),
                "{line}"
            );
        }
    }

    #[test]
    fn the_output_of_kustomize_is_applied() {
        for (line, target, reads, is_filtered) in [
            (
                "kustomize build --enable-helm cni | kubectl apply -f -",
                "cni",
                Reads::Kustomization,
                false,
            ),
            (
                "kubectl kustomize | kubectl apply -f -",
                ".",
                Reads::Kustomization,
                false,
            ),
            (
                "kustomize build cni | envsubst | kubectl apply -f -",
                "cni",
                Reads::Kustomization,
                true,
            ),
            (
                "kubectl kustomize . | sed s/a/b/ && kubectl apply -f one.yaml",
                "one.yaml",
                Reads::Files,
                false,
            ),
        ] {
            let found = one(line);
            assert_eq!((found.target, found.reads), (path(target), reads), "{line}");
            assert_eq!(found.is_filtered, is_filtered, "{line}");
        }
    }

    #[test]
    fn a_script_knows_the_cluster_and_the_namespace() {
        let text = "app=$(basename \"$PWD\")\nown=\"gke_acme_europe_blue\"\n\
                    client=(\n  kubectl\n  --context=\"${CONTEXT:-${own}}\"\n)\n\
                    \"${client[@]}\" \\\n  --namespace=\"${app}\" apply -f .\n";
        let found = one(text);
        assert_eq!(found.directory, "apps/shop");
        assert_eq!(found.namespace, Namespace::Named("shop".into()));
        assert_eq!(found.cluster.as_deref(), Some("blue"));
        assert_eq!(
            (found.line, found.text.as_str()),
            (7, "\"${client[@]}\" --namespace=\"${app}\" apply -f .")
        );
    }

    #[test]
    fn what_changes_nothing_is_no_command() {
        for text in [
            "kubectl apply --dry-run=client -f .",
            "kubectl delete -f .",
            "kubectl delete -k apps/x",
            "# kubectl apply -f .",
            "kubectl get pods && apply -k x",
            "kubectl apply -f https://example.org/a.yaml",
            "kubectl apply -f \"$FILE\"",
            "kubectl apply -f <your-file>",
            "kubectl apply -k \"<your>/<directory>\"",
            "cat a.yaml | kubectl apply -f -",
        ] {
            assert_eq!(applies(text, "", &|_| true), [], "{text}");
        }
    }
}
