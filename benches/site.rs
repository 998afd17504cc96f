//! How long the whole site takes from manifests, beside Hugo which renders the same pages from ready Markdown; how that
//! grows, and what a page and a search weigh. Prints a table and fails when a bound is broken. Both programs run as
//! processes of their own, in turn, each into a new directory, in memory where there is room: a disk is another one after
//! thousands of files were removed, and makes either of them half as fast.

mod peer;
#[expect(
    dead_code,
    reason = "a test compares the catalogue with the rest of the plan"
)]
mod platform;
mod profile;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use peer::{Outcome, files, hugo, is, write_hugo_site};
use tempfile::TempDir;

const SIZES: [usize; 4] = [1_000, 2_500, 5_000, 10_000];
/// The machine may be busy: of so many runs, the best counts.
const ROUNDS: usize = 5;

/// Links to a forge are a good part of a page.
const CONFIG: &str = "title = \"Fleet\"\nrepository = \"https://git.example.com/platform/fleet\"\n";

/// The size at which Hugo takes part.
const REFERENCE: usize = 5_000;
/// Hugo's time for the pages alone, beside ours for everything.
const MIN_LEAD: f64 = 5.0;
/// Our memory beside Hugo's.
const MAX_MEMORY: f64 = 1.0;
/// What one component costs in the largest platform, beside the smallest.
const MAX_GROWTH: f64 = 1.25;
const MAX_PAGE_KILOBYTES: f64 = 2_000.0;
const MAX_SEARCH_KILOBYTES: f64 = 300.0;

/// The largest query whose weight is bounded, and the hits that the search shows.
const QUERY_WORDS: usize = 3;
const SHOWN_HITS: usize = 12;
/// The hits whose rows it reads.
const READ_HITS: usize = 8;

fn main() -> ExitCode {
    // `cargo test --all-targets` runs this too, and is not meant to wait for it.
    if !env::args().any(|argument| argument == "--bench") {
        println!("run `cargo bench --profile dist` for the figures");
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--write") {
        return match write_platform(&arguments[at + 1..]) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                println!("no platform was written: {error}");
                ExitCode::FAILURE
            }
        };
    }
    profile::print();
    match bench() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            println!("the benchmark could not run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a platform for other measurements: `--write DIRECTORY COMPONENTS ENVIRONMENTS`.
fn write_platform(arguments: &[String]) -> Outcome<()> {
    let [directory, components, environments] = arguments else {
        return Err("it takes a directory, and the numbers of components and environments".into());
    };
    let directory = Path::new(directory);
    let environments = platform::environments(environments.parse()?);
    platform::write_for(directory, components.parse()?, &environments)?;
    Ok(fs::write(directory.join("catalog.toml"), CONFIG)?)
}

/// Figures of one platform: the best of all rounds.
struct Figures {
    components: usize,
    build: Cost,
    hugo: Option<Cost>,
    weight: Weight,
}

/// What a process took.
#[derive(Clone, Copy)]
struct Cost {
    seconds: f64,
    megabytes: f64,
}

/// What a site weighs, in kilobytes.
struct Weight {
    pages: usize,
    total: f64,
    /// The heaviest page, and which it is.
    page: f64,
    heaviest: String,
    /// The most that a query of a few words loads.
    search: f64,
}

/// How many bounds are broken.
fn bench() -> Outcome<usize> {
    let hugo = hugo();
    if let Err(error) = &hugo {
        println!("Hugo cannot be installed, so only our own figures follow: {error}\n");
    }
    let desk = Desk::new()?;
    let place = desk.sites.path().display();
    println!("seconds, best of {ROUNDS}; memory is the peak of the process; written to {place}\n");
    println!(
        "{:>10} {:>7} {:>8} {:>8} {:>8} {:>6} {:>12} {:>9} {:>8} {:>8} {:>8}",
        "components",
        "pages",
        "site MB",
        "build",
        "hugo",
        "ratio",
        "µs/component",
        "build MB",
        "hugo MB",
        "page KB",
        "find KB"
    );
    let mut all = Vec::new();
    for size in SIZES {
        let hugo = hugo.as_deref().ok().filter(|_| size == REFERENCE);
        all.push(figures(&desk, size, hugo)?);
    }
    println!();
    let mut bounds = Bounds::default();
    for figures in &all {
        let size = figures.components;
        if let Some(hugo) = figures.hugo {
            bounds.at_least(
                &format!("hugo / build at {size} components"),
                hugo.seconds / figures.build.seconds,
                MIN_LEAD,
            );
            bounds.at_most(
                &format!("memory, build / hugo, at {size} components"),
                figures.build.megabytes / hugo.megabytes,
                MAX_MEMORY,
            );
        }
        let Weight { page, search, .. } = figures.weight;
        bounds.at_most(
            &format!(
                "KB of {}, the heaviest page of {size}",
                figures.weight.heaviest
            ),
            page,
            // A list of more is longer.
            MAX_PAGE_KILOBYTES * (size as f64 / REFERENCE as f64).max(1.0),
        );
        bounds.at_most(
            &format!("KB to search {size} components for {QUERY_WORDS} words"),
            search,
            MAX_SEARCH_KILOBYTES,
        );
    }
    if let (Some(small), Some(large)) = (all.first(), all.last()) {
        bounds.at_most(
            &format!(
                "cost of a component at {} / at {}",
                large.components, small.components
            ),
            large.per_component() / small.per_component(),
            MAX_GROWTH,
        );
    }
    Ok(bounds.broken + usize::from(hugo.is_err()))
}

/// Where platforms and sites are written.
struct Desk {
    repos: TempDir,
    sites: TempDir,
    is_memory: bool,
}

impl Desk {
    /// File systems in memory, and the room that is taken there.
    const MEMORY: &str = "/dev/shm";
    const ROOM: u64 = 6 << 30;

    fn new() -> Outcome<Desk> {
        let free = rustix::fs::statvfs(Desk::MEMORY);
        let free = free.map_or(0, |found| found.f_bavail * found.f_frsize);
        if free >= Desk::ROOM {
            return Ok(Desk {
                repos: tempfile::tempdir_in(Desk::MEMORY)?,
                sites: tempfile::tempdir_in(Desk::MEMORY)?,
                is_memory: true,
            });
        }
        // Apart: some file systems are slow to write near where they have just removed, as whoever uses temporary files
        // does. A repo, in turn, is none of its own below another.
        let sites = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        Ok(Desk {
            repos: tempfile::tempdir()?,
            sites,
            is_memory: false,
        })
    }

    /// What nobody looks at any more. On a disk it stays to the end, for the same reason.
    fn clear(&self, directory: &Path) -> Outcome<()> {
        if self.is_memory {
            fs::remove_dir_all(directory)?;
        }
        Ok(())
    }
}

/// Says of each bound whether it holds.
#[derive(Default)]
struct Bounds {
    broken: usize,
}

impl Bounds {
    fn at_least(&mut self, what: &str, value: f64, limit: f64) {
        self.say(what, value, "at least", limit, value >= limit);
    }

    fn at_most(&mut self, what: &str, value: f64, limit: f64) {
        self.say(what, value, "at most", limit, value <= limit);
    }

    fn say(&mut self, what: &str, value: f64, relation: &str, limit: f64, holds: bool) {
        let verdict = if holds { "holds" } else { "BROKEN" };
        self.broken += usize::from(!holds);
        println!("{what:<66} {value:>8.2}  {relation:<8} {limit:>6.2}  {verdict}");
    }
}

impl Figures {
    fn per_component(&self) -> f64 {
        self.build.seconds / self.components as f64
    }
}

impl Cost {
    const NONE: Cost = Cost {
        seconds: f64::MAX,
        megabytes: f64::MAX,
    };

    fn best(self, other: Cost) -> Cost {
        Cost {
            seconds: self.seconds.min(other.seconds),
            megabytes: self.megabytes.min(other.megabytes),
        }
    }
}

/// Writes a platform, and builds its site in rounds in which each program takes its turn.
fn figures(desk: &Desk, components: usize, hugo: Option<&Path>) -> Outcome<Figures> {
    let repo = desk.repos.path().join(components.to_string());
    let directory = desk.sites.path().join(components.to_string());
    let markdown = directory.join("markdown");
    let of_round = |what: &str, round: usize| directory.join(format!("{what}-{round}"));
    platform::write(&repo, components)?;
    fs::write(repo.join("catalog.toml"), CONFIG)?;
    let mut build = Cost::NONE;
    let mut other = Cost::NONE;
    for round in 0..ROUNDS {
        let site = of_round("site", round);
        let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
        command.args(["build", "--quiet", "--out"]);
        build = build.best(run(command.arg(&site).arg(&repo))?);
        if round > 0 {
            desk.clear(&site)?;
        }
        let Some(hugo) = hugo else { continue };
        if round == 0 {
            write_hugo_site(&site, &markdown)?;
        }
        let mut command = Command::new(hugo);
        let public = of_round("public", round);
        command.args(["build", "--quiet", "--noBuildLock", "--source"]);
        command.arg(&markdown).arg("--destination").arg(&public);
        command.arg("--cacheDir").arg(directory.join("cache"));
        other = other.best(run(&mut command)?);
        if round > 0 {
            desk.clear(&public)?;
        }
    }
    let figures = Figures {
        weight: weigh(&of_round("site", 0))?,
        components,
        build,
        hugo: hugo.map(|_| other),
    };
    if hugo.is_some() {
        let pages = files(&of_round("public", 0))?
            .iter()
            .filter(|file| is(file, "html"))
            .count();
        if pages != figures.weight.pages {
            return Err(format!(
                "Hugo wrote {pages} pages of {}, which is no comparison",
                figures.weight.pages
            )
            .into());
        }
    }
    let shown = |number: Option<f64>, digits: usize| {
        number.map_or_else(|| "-".to_owned(), |number| format!("{number:.digits$}"))
    };
    println!(
        "{:>10} {:>7} {:>8.1} {:>8.3} {:>8} {:>6} {:>12.1} {:>9.0} {:>8} {:>8.1} {:>8.1}",
        components,
        figures.weight.pages,
        figures.weight.total / 1e3,
        build.seconds,
        shown(figures.hugo.map(|hugo| hugo.seconds), 3),
        shown(figures.hugo.map(|hugo| hugo.seconds / build.seconds), 2),
        figures.per_component() * 1e6,
        build.megabytes,
        shown(figures.hugo.map(|hugo| hugo.megabytes), 0),
        figures.weight.page,
        figures.weight.search,
    );
    desk.clear(&directory)?;
    desk.clear(&repo)?;
    Ok(figures)
}

/// Runs a program to its end, once the disk is done with what others wrote.
fn run(command: &mut Command) -> Outcome<Cost> {
    let _ = Command::new("sync").status();
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn()?;
    let peak = watch_memory(&child);
    let status = child.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("{command:?} failed: {status}").into());
    }
    let megabytes = peak.join().map_err(|_| "nobody watched the memory")?;
    Ok(Cost { seconds, megabytes })
}

/// The most memory that a process has held, in megabytes, once it has ended; zero where the system does not say.
fn watch_memory(child: &Child) -> thread::JoinHandle<f64> {
    let file = format!("/proc/{}/status", child.id());
    thread::spawn(move || {
        let mut peak = 0.0;
        // A process that has ended has no memory to speak of, which ends the watch.
        while let Some(kilobytes) = fs::read_to_string(&file).ok().as_deref().and_then(high) {
            peak = kilobytes / 1024.0;
            thread::sleep(Duration::from_millis(5));
        }
        peak
    })
}

fn high(status: &str) -> Option<f64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn weigh(site: &Path) -> Outcome<Weight> {
    let mut weight = Weight {
        pages: 0,
        total: 0.0,
        page: 0.0,
        heaviest: String::new(),
        search: 0.0,
    };
    let (mut entry, mut documents, mut rows) = (0.0, Vec::new(), Vec::new());
    let (mut grams, mut shards) = (Vec::new(), Vec::new());
    for file in files(site)? {
        let kilobytes = fs::metadata(&file)?.len() as f64 / 1e3;
        let path = file.strip_prefix(site)?.to_string_lossy();
        weight.total += kilobytes;
        if is(&file, "html") {
            weight.pages += 1;
            if kilobytes > weight.page {
                (weight.page, weight.heaviest) = (kilobytes, path.to_string());
            }
        }
        match path.strip_prefix("search/") {
            Some(name) if name.starts_with("index-") => entry = kilobytes,
            Some(name) if name.starts_with("d-") => documents.push(kilobytes),
            Some(name) if name.starts_with("r-") => rows.push(kilobytes),
            Some(name) if name.starts_with("g-") => grams.push(kilobytes),
            Some(_) => shards.push(kilobytes),
            None => {}
        }
    }
    // Every hit may be in a file of its own, and so may be the rows of the first ones, every word in another of the largest
    // shards, and one word is mistyped.
    let most = |mut all: Vec<f64>, number: usize| -> f64 {
        all.sort_by(|a, b| b.total_cmp(a));
        all.iter().take(number).sum()
    };
    weight.search = entry
        + most(documents, SHOWN_HITS)
        + most(rows, READ_HITS)
        + most(grams, QUERY_WORDS)
        + most(shards, QUERY_WORDS);
    Ok(weight)
}
