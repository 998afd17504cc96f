//! Random histories with merges and clocks that go back: the answer is what git says, with and without a cache.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use proptest::prelude::*;

use super::*;

const PATHS: &[&str] = &["a", "b", "c", "d/x", "d/y", "d/e/z"];

/// A commit, as numbers that are taken for what is there.
#[derive(Debug, Clone)]
struct Step {
    /// How far back each parent is.
    parents: Vec<usize>,
    /// Seconds since the commit before; clocks may go back.
    passed: i64,
    /// By path, which parent's file it has, or a new one, or none.
    choices: Vec<u8>,
}

fn step() -> impl Strategy<Value = Step> {
    let passed = prop_oneof![
        4 => Just(0_i64),
        4 => Just(1),
        4 => 1..5000_i64,
        2 => -9000..0_i64,
    ];
    (
        proptest::collection::vec(0..5_usize, 1..4),
        passed,
        proptest::collection::vec(0..8_u8, PATHS.len()),
    )
        .prop_map(|(parents, passed, choices)| Step {
            parents,
            passed,
            choices,
        })
}

/// Makes the commits, and returns their ids.
fn imported(root: &Path, steps: &[Step]) -> Vec<String> {
    let mut stream = String::new();
    let mut trees: Vec<BTreeMap<&str, String>> = Vec::new();
    let mut time = 1_700_000_000;
    for (number, step) in steps.iter().enumerate() {
        time += step.passed;
        let mut parents: Vec<usize> = Vec::new();
        for back in &step.parents {
            if let Some(parent) = number.checked_sub(back + 1)
                && !parents.contains(&parent)
            {
                parents.push(parent);
            }
        }
        let mut tree = BTreeMap::new();
        for (path, choice) in PATHS.iter().zip(&step.choices) {
            let content = match choice {
                0 => Some(format!("{number}")),
                1 => None,
                // The first parent most often, as in life.
                choice => {
                    let parent = match choice {
                        2 => parents.get(1),
                        3 => parents.get(2),
                        _ => None,
                    };
                    let parent = parent.or(parents.first());
                    parent.and_then(|parent| trees[*parent].get(path).cloned())
                }
            };
            if let Some(content) = content {
                tree.insert(*path, content);
            }
        }
        writeln!(stream, "commit refs/heads/c{number}\nmark :{}", number + 1).unwrap();
        for role in ["author", "committer"] {
            writeln!(
                stream,
                "{role} N{} <n@example.org> {time} +0000",
                number % 3
            )
            .unwrap();
        }
        stream.push_str("data 0\n");
        for (place, parent) in parents.iter().enumerate() {
            let verb = if place == 0 { "from" } else { "merge" };
            writeln!(stream, "{verb} :{}", parent + 1).unwrap();
        }
        stream.push_str("deleteall\n");
        for (path, content) in &tree {
            writeln!(
                stream,
                "M 644 inline {path}\ndata {}\n{content}",
                content.len()
            )
            .unwrap();
        }
        trees.push(tree);
    }
    let mut import = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(["fast-import", "--quiet", "--force"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = import.stdin.take().unwrap();
    input.write_all(stream.as_bytes()).unwrap();
    drop(input);
    assert!(import.wait().unwrap().success());
    let ids = printed(
        root,
        &["for-each-ref", "--format=%(refname:short) %(objectname)"],
    );
    let by_name: BTreeMap<&str, &str> = ids
        .lines()
        .filter_map(|line| line.split_once(' '))
        .collect();
    (0..steps.len())
        .map(|number| by_name[format!("c{number}").as_str()].to_owned())
        .collect()
}

/// Last commit of each file according to `git log`. None if no commit within the limit changed it.
fn oracle(directory: &Path, commit: &str, options: &[&str]) -> BTreeMap<String, Option<String>> {
    let mut args = vec!["log", "--format=>%H", "--name-only", "-c", "--no-renames"];
    args.extend(options);
    args.extend([commit, "--", "."]);
    let log = printed(directory, &args);
    let prefix = printed(directory, &["rev-parse", "--show-prefix"]);
    let mut last: BTreeMap<String, String> = BTreeMap::new();
    let mut current = "";
    for line in log.lines() {
        if let Some(id) = line.strip_prefix('>') {
            current = id;
        } else if let Some(path) = line.strip_prefix(prefix.trim()) {
            let entry = last.entry(path.to_owned());
            entry.or_insert_with(|| current.to_owned());
        }
    }
    let listed = printed(directory, &["ls-tree", "-r", "--name-only", commit]);
    let files = listed.lines();
    files
        .map(|path| (path.to_owned(), last.get(path).cloned()))
        .collect()
}

fn told(answer: &LastChanges) -> BTreeMap<String, Option<String>> {
    let files = answer.files.iter();
    files
        .map(|(path, last)| {
            let commit = match last {
                Last::Change(at) => Some(answer.changes[*at].commit.clone()),
                Last::Before => None,
            };
            (path.clone(), commit)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_cache_never_changes_an_answer(
        steps in proptest::collection::vec(step(), 6..16),
        order in proptest::collection::vec(0..16_usize, 5),
        window in 2..9_usize,
        bytes in prop_oneof![3 => Just(LIMITS.bytes), 1 => 60..400_usize],
        is_below in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("repo");
        fs::create_dir_all(top.join("d")).unwrap();
        if git(&top, "2026-01-01", &["init", "-q"]).is_none() {
            return Ok(());
        }
        let ids = imported(&top, &steps);
        let (root, prefix) = if is_below { (top.join("d"), "d/") } else { (top, "") };
        let limits = WalkLimits { bytes, ..limited_to(window) };
        let cache = Cache::new(dir.path().join("cache"), &root, prefix, &limits);
        let heads = ids.iter().chain(order.iter().map(|at| &ids[at % ids.len()]));
        for id in heads {
            let git = at_commit(&root, id, prefix);
            let cold = last_changes(&git, &root, &limits, None).unwrap();
            let warm = last_changes(&git, &root, &limits, Some(&cache)).unwrap();
            prop_assert_eq!(&cold, &warm);
            // From the cache alone.
            let again = last_changes(&git, &root, &limits, Some(&cache)).unwrap();
            prop_assert_eq!(&cold, &again);
            if bytes == LIMITS.bytes {
                let most = format!("-n{window}");
                let said = oracle(&root, id, &["--sparse", &most]);
                prop_assert_eq!(told(&cold), said);
            }
        }
        // Without limits, as it was before there were any.
        for id in ids.iter().rev().take(3) {
            let git = at_commit(&root, id, prefix);
            let all = last_changes(&git, &root, &limited_to(1000), None).unwrap();
            prop_assert_eq!(told(&all), oracle(&root, id, &[]));
        }
    }
}

#[test]
fn a_clock_that_went_back_has_git_walk_again() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("repo");
    fs::create_dir(&root).unwrap();
    if git(&root, "2026-01-01", &["init", "-q"]).is_none() {
        return;
    }
    let step = |parents: &[usize], passed, changed: usize| {
        let mut choices = vec![7; PATHS.len()];
        choices[changed] = 0;
        Step {
            parents: parents.to_vec(),
            passed,
            choices,
        }
    };
    // A line of commits, each ten seconds after the one before. Then one whose clock is far behind, and a newer one
    // on top of it; and another that has the slow one and its parent as parents.
    let steps = [
        step(&[0], 0, 3),
        step(&[0], 10, 0),
        step(&[0], 10, 1),
        step(&[0], 10, 1),
        step(&[0], 10, 1),
        step(&[0], -100, 0),
        step(&[0], 200, 2),
        step(&[1, 2], 10, 3),
    ];
    let ids = imported(&root, &steps);
    let limits = limited_to(5);
    let cache = Cache::new(dir.path().join("cache"), &root, "", &limits);
    let at = |id: &str| at_commit(&root, id, "");
    last_changes(&at(&ids[6]), &root, &limits, Some(&cache)).unwrap();
    let warm = last_changes(&at(&ids[7]), &root, &limits, Some(&cache)).unwrap();
    assert_eq!(told(&warm)["a"].as_deref(), Some(ids[1].as_str()));
    assert_eq!(last_changes(&at(&ids[7]), &root, &limits, None), Some(warm));
}
