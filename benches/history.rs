//! What git facts cost in a repository of 200,000 commits: on the first run, on the second, and after one more commit,
//! beside `git log -n 20000 --name-only`. Prints a table and fails when a bound is broken, or when a run with a cache
//! gives other facts than one without. A number as an argument is the number of commits, for a quick look.

mod profile;

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use catalog::input::repo::{GitUse, LastChange, Repo};

type Outcome<T> = Result<T, Box<dyn Error>>;

const COMMITS: usize = 200_000;
const FILES: usize = 3_000;
/// Every so many commits, one comes by a merge.
const MERGED: usize = 10;
/// The machine may be busy: of so many runs, the best counts.
const ROUNDS: usize = 7;

/// Beside `git log`, on the first run and on the second.
const MAX_FIRST: f64 = 1.0;
const MAX_SECOND: f64 = 0.1;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let outcome = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["measure", repo, plain] => measure(Path::new(repo), Path::new(plain)).map(|()| 0),
        // `cargo test --all-targets` runs this too, and is not meant to wait for it.
        ref args if !args.contains(&"--bench") => {
            println!("run `cargo bench --profile dist` for the figures");
            Ok(0)
        }
        ref args => {
            profile::print();
            bench(
                args.iter()
                    .find_map(|one| one.parse().ok())
                    .unwrap_or(COMMITS),
            )
        }
    };
    match outcome {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            println!("the benchmark could not run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How many bounds are broken.
fn bench(commits: usize) -> Outcome<usize> {
    let directory = tempfile::tempdir()?;
    let repo = directory.path().join("repo");
    let started = Instant::now();
    let plain = directory.path().join("plain");
    write(&repo, commits)?;
    // The same files without a git repository around them.
    let prefix = format!("--prefix={}/", plain.display());
    git(&repo, &["checkout-index", "--all", &prefix])?;
    let facts = |cache: &str| facts(&repo, &plain, &directory.path().join(cache));
    println!(
        "{commits} commits and {FILES} files, made in {:.0} s\n",
        started.elapsed().as_secs_f64()
    );
    let log = best(|| log(&repo))?.0;
    // Each first run has a cache of its own. The others continue from the last of these.
    let mut number = 0;
    let first = best(|| {
        number += 1;
        facts(&format!("cache-{number}"))
    })?;
    let last = format!("cache-{ROUNDS}");
    let second = best(|| facts(&last))?;
    let next = best(|| {
        git(&repo, &["commit", "-q", "--allow-empty", "-m", "next"])?;
        facts(&last)
    })?;
    let cold = facts("cold")?;
    println!(
        "{:<36} {:>8} {:>8}",
        "seconds, the best of a few", "", "ratio"
    );
    println!("{:<36} {log:>8.3}", "git log -n 20000 --name-only");
    let mut broken = 0;
    for (what, seconds, limit) in [
        ("git facts, first run", first.0, Some(MAX_FIRST)),
        ("git facts, second run", second.0, Some(MAX_SECOND)),
        ("git facts, after one more commit", next.0, None),
    ] {
        let ratio = seconds / log;
        let verdict = match limit {
            Some(limit) if ratio > limit => {
                broken += 1;
                format!("at most {limit:.2}  BROKEN")
            }
            Some(limit) => format!("at most {limit:.2}  holds"),
            None => String::new(),
        };
        println!("{what:<36} {seconds:>8.3} {ratio:>8.2}  {verdict}");
    }
    for (what, one, other) in [
        ("second run", second.1, first.1),
        ("after one more commit", next.1, cold.1),
    ] {
        let is_same = one == other;
        broken += usize::from(!is_same);
        let verdict = if is_same {
            "the same facts"
        } else {
            "OTHER FACTS"
        };
        println!("{what}: {verdict} as without a cache");
    }
    Ok(broken)
}

/// The quickest of some runs, with what the last of them gave.
fn best(mut run: impl FnMut() -> Outcome<(f64, u64)>) -> Outcome<(f64, u64)> {
    let (mut seconds, mut facts) = run()?;
    for _ in 1..ROUNDS {
        let next = run()?;
        seconds = seconds.min(next.0);
        facts = next.1;
    }
    Ok((seconds, facts))
}

fn log(repo: &Path) -> Outcome<(f64, u64)> {
    let started = Instant::now();
    let status = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args(["--no-pager", "log", "-n", "20000", "--name-only"])
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err("git log fails".into());
    }
    Ok((started.elapsed().as_secs_f64(), 0))
}

/// What git facts cost in a process of their own, and a digest of them.
fn facts(repo: &Path, plain: &Path, cache: &Path) -> Outcome<(f64, u64)> {
    let output = Command::new(env::current_exe()?)
        .arg("measure")
        .args([repo, plain])
        .env("CATALOG_CACHE_DIR", cache)
        .output()?;
    let text = String::from_utf8(output.stdout)?;
    let (seconds, digest) = text.trim().split_once(' ').ok_or("nothing was measured")?;
    Ok((seconds.parse()?, digest.parse()?))
}

/// Prints how much longer it takes to open a repository and read its history than to open the same files alone, and a
/// digest of the history.
fn measure(repo: &Path, plain: &Path) -> Outcome<()> {
    let mut without = f64::MAX;
    for _ in 0..3 {
        let started = Instant::now();
        Repo::open_with(plain, &[], GitUse::Skip)?;
        without = without.min(started.elapsed().as_secs_f64());
    }
    let started = Instant::now();
    let repo = Repo::open_with(repo, &[], GitUse::Read)?;
    let history = repo.history().ok_or("there is no history")?;
    let with = started.elapsed().as_secs_f64();
    let mut digest = DefaultHasher::new();
    for file in repo.files() {
        match history.last_change(file) {
            Some(LastChange::In(change)) => (&change.commit, &change.date).hash(&mut digest),
            Some(LastChange::Before(day)) => day.hash(&mut digest),
            None => 0.hash(&mut digest),
        }
    }
    println!("{} {}", (with - without).max(0.0), digest.finish());
    Ok(())
}

/// Writes a repository with a history: some files change often, most seldom, and some come by merges.
fn write(repo: &Path, commits: usize) -> Outcome<()> {
    fs::create_dir_all(repo)?;
    git(repo, &["init", "-q", "-b", "main"])?;
    let mut import = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut to = BufWriter::new(import.stdin.take().ok_or("git reads nothing")?);
    let all: String = (0..FILES).map(|file| put(file, 0)).collect();
    to.write_all(made("main", 1, &[], &all).as_bytes())?;
    let mut random = 1;
    let mut head = 1;
    let mut mark = 1;
    while mark < commits {
        let change = put(chosen(&mut random), mark);
        if mark.is_multiple_of(MERGED) {
            let side = mark + 1;
            let other = put(chosen(&mut random), mark + 1);
            to.write_all(made("side", side, &[head], &change).as_bytes())?;
            to.write_all(made("main", side + 1, &[head], &other).as_bytes())?;
            to.write_all(made("main", side + 2, &[side + 1, side], &change).as_bytes())?;
            mark += 3;
        } else {
            mark += 1;
            to.write_all(made("main", mark, &[head], &change).as_bytes())?;
        }
        head = mark;
    }
    drop(to);
    if !import.wait()?.success() {
        return Err("git imports nothing".into());
    }
    git(repo, &["reset", "-q", "--hard", "main"])
}

/// A commit for `git fast-import`: its number, its parents, and what it changes.
fn made(branch: &str, mark: usize, parents: &[usize], changes: &str) -> String {
    let who = format!(
        "Ann {} <ann@example.org> {} +0000",
        mark % 40,
        1_200_000_000 + mark * 700
    );
    let mut text = format!(
        "commit refs/heads/{branch}\nmark :{mark}\nauthor {who}\ncommitter {who}\ndata 0\n"
    );
    for (place, parent) in parents.iter().enumerate() {
        let verb = if place == 0 { "from" } else { "merge" };
        let _ = writeln!(text, "{verb} :{parent}");
    }
    text + changes
}

fn put(file: usize, content: usize) -> String {
    let (team, app) = (file % 50, file / 50 % 20);
    let text = format!("a: {content}\n");
    let bytes = text.len();
    format!("M 644 inline apps/team{team}/app{app}/file{file}.yaml\ndata {bytes}\n{text}\n")
}

/// A file, of which the first come more often: the cube of a random number from 0 to 1 is mostly small.
fn chosen(random: &mut u64) -> usize {
    *random = random
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    let share = (*random >> 11) as f64 / (1_u64 << 53) as f64;
    (share.powi(3) * FILES as f64) as usize
}

fn git(repo: &Path, args: &[&str]) -> Outcome<()> {
    let status = Command::new("git")
        .arg("-C")
        .arg(repo)
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
        .args(args)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("git {args:?} fails").into())
    }
}
