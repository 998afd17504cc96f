//! How long it takes from the write of a file until an open page is told to load again, beside the servers of Hugo and
//! mdBook which have the same pages as ready Markdown. Prints a table and fails when a bound is broken. A number as an
//! argument is the size of the platform, for a quick look.

mod peer;
#[expect(
    dead_code,
    reason = "a test compares the catalogue with the rest of the plan"
)]
mod platform;
mod profile;
mod stream;

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use peer::{Outcome, files, hugo, is, put, write_hugo_site};
use platform::{Component, Shape};
use stream::{Stream, free_port, get};

const SIZE: usize = 5_000;
/// Of each kind, after some that do not count.
const EDITS: usize = 40;
const WARM_UP: usize = 3;
/// Others are asked as often as this time has room for, and at least a few times.
const PEER_TIME: Duration = Duration::from_secs(90);
const FEWEST: usize = 5;
/// Whoever takes longer is not waited for.
const PATIENCE: Duration = stream::PATIENCE;

const MAX_MEDIAN: f64 = 50.0;
const MAX_TAIL: f64 = 100.0;

/// As crates.io has it.
const MDBOOK: &str = "0.5.4";

fn main() -> ExitCode {
    // `cargo test --all-targets` runs this too, and is not meant to wait for it.
    if !env::args().any(|argument| argument == "--bench") {
        println!("run `cargo bench --profile dist` for the figures");
        return ExitCode::SUCCESS;
    }
    profile::print();
    let size = env::args().find_map(|argument| argument.parse().ok());
    match bench(size.unwrap_or(SIZE)) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            println!("the benchmark could not run: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How many bounds are broken, and others missing.
fn bench(size: usize) -> Outcome<usize> {
    let directory = tempfile::tempdir()?;
    let root = directory.path();
    let repo = root.join("repo");
    let platform = platform::write(&repo, size)?;
    let of_shape = |one: &&Component| one.shape == Shape::OverlaidRelease;
    let one = platform.components.iter().skip(size / 2).find(of_shape);
    let one = one.ok_or("the platform is too small")?;
    furnish(&repo, one)?;
    println!(
        "{size} components; milliseconds from the write of a file until its open page is told to load again\n"
    );
    println!(
        "{:<52} {:>6} {:>8} {:>8} {:>8} {:>8}",
        "", "edits", "median", "95 %", "best", "worst"
    );
    let ours = ours(&repo, one)?;
    let mut missing = 0;
    let mut others = || -> Outcome<()> {
        let site = root.join("site");
        let mut build = Command::new(env!("CARGO_BIN_EXE_catalog"));
        build.args(["build", "--quiet", "--out"]).arg(&site);
        if !build.arg(&repo).status()?.success() {
            return Err("the site cannot be built".into());
        }
        for (name, peer) in [("Hugo", hugo_server as Peer), ("mdBook", mdbook_server)] {
            let measured = peer(&site, &root.join(name), &one.name);
            if let Err(error) = measured {
                println!("{name} does not take part: {error}");
                missing += 1;
            }
        }
        Ok(())
    };
    others()?;
    println!();
    let mut broken = 0;
    for (what, times) in &ours {
        for (measure, value, limit) in [
            ("median", times.at(0.5), MAX_MEDIAN),
            ("95 %", times.at(0.95), MAX_TAIL),
        ] {
            let holds = value <= limit;
            broken += usize::from(!holds);
            let verdict = if holds { "holds" } else { "BROKEN" };
            println!("{what:<52} {measure:<6} {value:>8.1}  at most {limit:>6.1}  {verdict}");
        }
    }
    Ok(broken + missing)
}

/// Gives a component the prose that people write.
fn furnish(repo: &Path, one: &Component) -> Outcome<()> {
    put(
        &repo.join("catalog.toml"),
        "title = \"Fleet\"\nrepository = \"https://git.example.com/platform/fleet\"\n",
    )?;
    put(&home(repo, one).join("README.md"), &prose("no edit."))
}

fn home(repo: &Path, one: &Component) -> PathBuf {
    repo.join("components").join(one.layer).join(&one.name)
}

fn prose(edit: &str) -> String {
    format!("# What it is for\n\nIt keeps the books, as of {edit}\n\n## Purpose\n\nKeeping them.\n")
}

/// Milliseconds, the least first.
struct Times(Vec<f64>);

impl Times {
    fn at(&self, share: f64) -> f64 {
        let last = self.0.len().saturating_sub(1);
        let nth = (share * last as f64).ceil() as usize;
        self.0.get(nth).copied().unwrap_or(f64::NAN)
    }

    fn print(&self, what: &str) {
        println!(
            "{what:<52} {:>6} {:>8.1} {:>8.1} {:>8.1} {:>8.1}",
            self.0.len(),
            self.at(0.5),
            self.at(0.95),
            self.at(0.0),
            self.at(1.0)
        );
    }
}

/// Edits a file again and again, and takes the time of each but the first few.
fn measure(
    edits: usize,
    budget: Duration,
    edit: impl Fn(&str) -> Outcome<()>,
    open: impl Fn() -> Outcome<Stream>,
    look: impl Fn() -> Outcome<String>,
) -> Outcome<Times> {
    let begin = Instant::now();
    let mut times = Vec::new();
    for nth in 0..WARM_UP + edits {
        if nth >= WARM_UP + FEWEST && begin.elapsed() > budget {
            break;
        }
        // As a browser does, which has the page and then listens.
        look()?;
        let mut stream = open()?;
        let mark = format!("edit-{nth}.");
        let start = Instant::now();
        edit(&mark)?;
        stream.reload()?;
        let mut took = start.elapsed();
        // What was told may have been of what was before, and is true only when the page is there.
        while !look()?.contains(&mark) {
            thread::sleep(Duration::from_millis(1));
            took = start.elapsed();
            if took > PATIENCE {
                return Err(format!("the page does not show {mark}").into());
            }
        }
        if nth >= WARM_UP {
            times.push(took.as_secs_f64() * 1e3);
        }
    }
    times.sort_by(f64::total_cmp);
    Ok(Times(times))
}

fn ours(repo: &Path, one: &Component) -> Outcome<Vec<(&'static str, Times)>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
    command.args(["serve", "--port", "0"]).arg(repo);
    let mut server = Server::start(&mut command)?;
    let line = server.line("press Ctrl-C to stop")?;
    let port = line.split(['/', ':']).find_map(|part| part.parse().ok());
    let port: u16 = port.ok_or("the server does not say its port")?;
    server.hush();
    let page = format!("/components/{}.html", one.name);
    let prose_file = home(repo, one).join("README.md");
    let manifest_file = home(repo, one).join("base/helmrelease.yaml");
    let manifest = fs::read_to_string(&manifest_file)?;
    // What the overlay of the other cluster sets itself.
    let cluster = repo.join("clusters/prod/environment.env");
    let environment = fs::read_to_string(&cluster)?;
    type Edit<'a> = Box<dyn Fn(&str) -> Outcome<()> + 'a>;
    let kinds: [(&str, Edit<'_>); 3] = [
        (
            "catalog serve: a manifest",
            Box::new(|mark| {
                let tag = format!("tag: {mark} # ");
                Ok(fs::write(&manifest_file, manifest.replace("tag: ", &tag))?)
            }),
        ),
        (
            "catalog serve: an env file that all components read",
            Box::new(|mark| {
                let level = format!("LOG_LEVEL={mark}");
                Ok(fs::write(
                    &cluster,
                    environment.replace("LOG_LEVEL=info", &level),
                )?)
            }),
        ),
        (
            "catalog serve: prose",
            Box::new(|mark| Ok(fs::write(&prose_file, prose(mark))?)),
        ),
    ];
    let mut all = Vec::new();
    for (what, edit) in kinds {
        let open = || Stream::events(port, &page);
        let times = measure(EDITS, Duration::MAX, edit, open, || get(port, &page))?;
        times.print(what);
        all.push((what, times));
    }
    Ok(all)
}

/// Serves the twins of a site's pages with another program, and measures it on one of them.
type Peer = fn(&Path, &Path, &str) -> Outcome<()>;

fn hugo_server(site: &Path, root: &Path, component: &str) -> Outcome<()> {
    let hugo = hugo()?;
    write_hugo_site(site, root)?;
    let port = free_port()?;
    let mut command = Command::new(hugo);
    command.args(["server", "--noBuildLock", "--bind", "127.0.0.1", "--port"]);
    command.arg(port.to_string()).arg("--source").arg(root);
    command.arg("--cacheDir").arg(root.join("cache"));
    let mut server = Server::start(&mut command)?;
    let greeting =
        r#"{"command":"hello","protocols":["http://livereload.com/protocols/official-7"]}"#;
    let open = || Stream::socket(port, "/livereload", Some(greeting));
    server.until(&open)?;
    let file = root.join(format!("content/components/{component}.md"));
    of_others("hugo server: Markdown", &file, open, || {
        get(port, &format!("/components/{component}.html"))
    })
}

fn mdbook_server(site: &Path, root: &Path, component: &str) -> Outcome<()> {
    let mdbook = mdbook()?;
    write_book(site, root)?;
    let port = free_port()?;
    let mut command = Command::new(mdbook);
    // Its other watcher looks around once a second.
    command.args([
        "serve",
        "--watcher",
        "native",
        "--hostname",
        "127.0.0.1",
        "--port",
    ]);
    command.arg(port.to_string()).arg(root);
    let mut server = Server::start(&mut command)?;
    let open = || Stream::socket(port, "/__livereload", None);
    server.until(&open)?;
    let file = root.join(format!("src/components/{component}.md"));
    of_others("mdbook serve: Markdown", &file, open, || {
        get(port, &format!("/components/{component}.html"))
    })
}

fn of_others(
    what: &str,
    file: &Path,
    open: impl Fn() -> Outcome<Stream>,
    look: impl Fn() -> Outcome<String>,
) -> Outcome<()> {
    let text = fs::read_to_string(file)?;
    let edit = |mark: &str| Ok(fs::write(file, format!("{text}\n\n{mark}\n"))?);
    match measure(EDITS, PEER_TIME, edit, open, look) {
        Err(error) if stream::is_impatience(&*error) => {
            let most = PATIENCE.as_millis();
            println!("{what:<52} {:>6} {:>8}", 1, format!(">{most}"));
        }
        measured => measured?.print(what),
    }
    Ok(())
}

/// Builds mdBook where what is built for benchmarks is kept, unless it is there already.
fn mdbook() -> Outcome<PathBuf> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mdbook=={MDBOOK}"));
    let program = directory.join("bin/mdbook");
    if !program.is_file() {
        println!("mdBook is built first, which takes some minutes");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "install",
            "mdbook",
            "--version",
            MDBOOK,
            "--locked",
            "--quiet",
        ]);
        cargo.args([
            "--no-default-features",
            "--features",
            "serve,watch",
            "--root",
        ]);
        let output = cargo.arg(&directory).output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().into());
        }
    }
    Ok(program)
}

/// A book with the twins of our pages, which does nothing but render them.
fn write_book(site: &Path, root: &Path) -> Outcome<()> {
    put(
        &root.join("book.toml"),
        "[book]\ntitle = \"Fleet\"\n\n[output.html.print]\nenable = false\n",
    )?;
    let mut pages = files(site)?;
    pages.retain(|file| is(file, "md"));
    pages.sort();
    let mut summary = "# Summary\n\n".to_owned();
    for file in &pages {
        let path = file.strip_prefix(site)?.to_string_lossy();
        summary += &format!("- [{path}]({path})\n");
        put(&root.join("src").join(&*path), &fs::read_to_string(file)?)?;
    }
    put(&root.join("src/SUMMARY.md"), &summary)
}

/// A server that ends with what asked for it.
struct Server {
    child: Child,
    says: Option<BufReader<ChildStderr>>,
}

impl Server {
    fn start(command: &mut Command) -> Outcome<Server> {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let says = child.stderr.take().map(BufReader::new);
        Ok(Server { child, says })
    }

    /// Waits for a line.
    fn line(&mut self, part: &str) -> Outcome<String> {
        let says = self.says.as_mut().ok_or("nobody listens any more")?;
        let mut said = String::new();
        loop {
            let start = said.len();
            if says.read_line(&mut said)? == 0 {
                return Err(format!("the server has ended: {said}").into());
            }
            if said[start..].contains(part) {
                return Ok(said[start..].to_owned());
            }
        }
    }

    /// Lets it say what it likes, so that it never waits for a listener.
    fn hush(&mut self) {
        if let Some(mut says) = self.says.take() {
            thread::spawn(move || std::io::copy(&mut says, &mut std::io::sink()));
        }
    }

    /// Waits until something works, as long as the server lives.
    fn until<T>(&mut self, mut works: impl FnMut() -> Outcome<T>) -> Outcome<T> {
        self.hush();
        let begin = Instant::now();
        let error = loop {
            match works() {
                Ok(made) => return Ok(made),
                Err(error) if begin.elapsed() > 5 * PATIENCE => break error,
                Err(error) if self.child.try_wait()?.is_some() => break error,
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        };
        Err(format!("the server does not answer: {error}").into())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
