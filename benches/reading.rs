//! How long reading and modelling takes beside parsing alone, how it grows, and what memory it
//! needs. Prints a table and fails when a bound is broken. Each measurement runs in a process of
//! its own, so that none leaves memory or threads to the next.

#[expect(
    dead_code,
    reason = "a test compares the catalogue with the rest of the plan"
)]
mod platform;
mod profile;

use std::env;
use std::fs;
use std::io::{self, BufWriter};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use catalog::export::service_catalog::{self, Whole};
use catalog::input::config::Config;
use catalog::input::repo::{Repo, RepoPath};
use catalog::knowledge::Knowledge;
use catalog::knowledge::pages::RenderedPages;
use catalog::knowledge::runbook::RunbookIndex;
use catalog::pipeline;
use mimalloc::MiMalloc;
use rayon::prelude::*;

/// As the program has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const SIZES: [usize; 4] = [1_000, 2_000, 5_000, 10_000];
/// The machine may be busy: of so many runs, the best counts.
const ROUNDS: usize = 15;

/// The size at which the bounds on the ratio and on memory hold.
const REFERENCE: usize = 5_000;
/// Reading and modelling, beside reading and parsing alone.
const MAX_RATIO: f64 = 2.0;
/// What one component costs in the largest platform, beside the smallest.
const MAX_GROWTH: f64 = 1.25;
const MAX_MEGABYTES: f64 = 500.0;
/// `catalog check` beside `catalog export`, as users run them.
const MAX_CHECK: f64 = 1.3;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["measure", what, directory] => measure(what, Path::new(directory)),
        // `cargo test --all-targets` runs this too, and is not meant to wait for it.
        ref args if !args.contains(&"--bench") => {
            println!("run `cargo bench --profile dist` for the figures")
        }
        _ => {
            profile::print();
            return bench();
        }
    }
    ExitCode::SUCCESS
}

/// Figures of one platform: the best of all rounds, in seconds and megabytes.
struct Figures {
    components: usize,
    parse: f64,
    model: f64,
    export: f64,
    parse_memory: f64,
    model_memory: f64,
    /// The two commands at the reference size.
    commands: Option<(f64, f64)>,
}

fn bench() -> ExitCode {
    println!("seconds, best of {ROUNDS}; memory is the peak of the process\n");
    println!(
        "{:>10} {:>7} {:>6} {:>8} {:>8} {:>8} {:>6} {:>12} {:>10} {:>10}",
        "components",
        "files",
        "MB",
        "parse",
        "model",
        "export",
        "ratio",
        "µs/component",
        "parse MB",
        "model MB"
    );
    let all: Vec<Figures> = SIZES.iter().map(|size| figures(*size)).collect();
    let mut broken = 0;
    let mut bound = |what: &str, value: f64, limit: f64| {
        let verdict = if value <= limit { "holds" } else { "BROKEN" };
        broken += usize::from(value > limit);
        println!("{what:<58} {value:>8.2}  at most {limit:>6.2}  {verdict}");
    };
    println!();
    for figures in all.iter().filter(|figures| figures.components == REFERENCE) {
        bound(
            "model / parse at 5,000 components",
            figures.model / figures.parse,
            MAX_RATIO,
        );
        bound(
            "megabytes at 5,000 components",
            figures.model_memory,
            MAX_MEGABYTES,
        );
    }
    if let Some((check, export)) = all.iter().find_map(|figures| figures.commands) {
        bound("catalog check / catalog export", check / export, MAX_CHECK);
    }
    if let (Some(small), Some(large)) = (all.first(), all.last()) {
        let growth = large.per_component() / small.per_component();
        bound(
            "cost of a component at 10,000 / at 1,000",
            growth,
            MAX_GROWTH,
        );
    }
    match broken {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

impl Figures {
    fn per_component(&self) -> f64 {
        self.model / self.components as f64
    }
}

/// Writes a platform, and measures it in rounds in which each kind of measurement takes its turn.
fn figures(components: usize) -> Figures {
    let directory = tempfile::tempdir().expect("the system has a directory for temporary files");
    let written =
        platform::write(directory.path(), components).expect("there is room for a platform");
    let mut best = Figures {
        components,
        parse: f64::MAX,
        model: f64::MAX,
        export: f64::MAX,
        parse_memory: f64::MAX,
        model_memory: f64::MAX,
        commands: None,
    };
    for _ in 0..ROUNDS {
        let [parse, memory, ..] = run("parse", directory.path());
        best.parse = best.parse.min(parse);
        best.parse_memory = best.parse_memory.min(memory);
        let [model, memory, export] = run("model", directory.path());
        best.model = best.model.min(model);
        best.model_memory = best.model_memory.min(memory);
        best.export = best.export.min(export);
        if components == REFERENCE {
            let (check, export) = best.commands.unwrap_or((f64::MAX, f64::MAX));
            let now = (
                command("check", directory.path()),
                command("export", directory.path()),
            );
            best.commands = Some((check.min(now.0), export.min(now.1)));
        }
    }
    println!(
        "{:>10} {:>7} {:>6.1} {:>8.3} {:>8.3} {:>8.3} {:>6.2} {:>12.1} {:>10.0} {:>10.0}",
        components,
        written.yaml_files,
        written.yaml_bytes as f64 / 1e6,
        best.parse,
        best.model,
        best.export,
        best.model / best.parse,
        best.per_component() * 1e6,
        best.parse_memory,
        best.model_memory,
    );
    best
}

/// How long a command of the program takes.
fn command(name: &str, directory: &Path) -> f64 {
    let start = Instant::now();
    let mut program = Command::new(env!("CARGO_BIN_EXE_catalog"));
    let output = program.args([name, "--quiet"]).arg(directory).output();
    let status = output.expect("the program was built with this").status;
    assert!(status.code() != Some(2), "`catalog {name}` could not run");
    start.elapsed().as_secs_f64()
}

/// Runs this program once more, for one measurement: seconds, megabytes, seconds for the export.
fn run(what: &str, directory: &Path) -> [f64; 3] {
    let program = env::current_exe().expect("a running program has a path");
    let output = Command::new(program)
        .args(["measure", what])
        .arg(directory)
        .output()
        .expect("what runs can be run again");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    numbers.try_into().unwrap_or_else(|_| {
        panic!(
            "`measure {what}` failed: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn measure(what: &str, directory: &Path) {
    match what {
        "parse" => {
            let start = Instant::now();
            let repo = Repo::open(directory, &[]).expect("the platform was just written");
            let documents = parse(&repo);
            println!("{} {} 0", start.elapsed().as_secs_f64(), peak_megabytes());
            assert!(!documents.is_empty());
        }
        _ => {
            let start = Instant::now();
            let repo = Repo::open(directory, &[]).expect("the platform was just written");
            let config = Config::default();
            let composed = pipeline::composed(&repo, &config);
            println!("{} {}", start.elapsed().as_secs_f64(), peak_megabytes());
            let start = Instant::now();
            let (knowledge, pages) = (Knowledge::default(), RenderedPages::default());
            let runbooks = RunbookIndex::default();
            let document = service_catalog::written(Whole {
                config: &config,
                repo: &repo,
                catalog: &composed.catalog,
                knowledge: &knowledge,
                pages: &pages,
                runbooks: &runbooks,
                findings: &composed.findings,
            });
            let mut to = BufWriter::new(io::sink());
            document.write(&mut to).expect("a sink takes every byte");
            println!("{}", start.elapsed().as_secs_f64());
        }
    }
}

/// Reads and parses every YAML file and keeps the trees, as everything that follows needs them.
fn parse(repo: &Repo) -> Vec<yaml::Parsed> {
    let is_yaml = |path: &RepoPath| path.extension() == Some("yaml");
    let files: Vec<_> = repo
        .files()
        .filter(|file| is_yaml(repo.path(*file)))
        .collect();
    let parsed = files.par_iter().filter_map(|file| {
        let text = repo.read_text(*file).ok()?;
        Some(yaml::parse(&text, *file))
    });
    parsed.collect()
}

/// The most memory that this process has held so far; zero where the system does not say.
fn peak_megabytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.unwrap_or_default() / 1024.0
}
