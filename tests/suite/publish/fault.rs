//! Every step of publishing fails once: with an error, because the disk is full, and because the process is killed.
//! Whatever happens, the output is the last good site or the new one, whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::cli::stderr;
use crate::site::{Files, files, written};

/// A repository, its good site, and the site that the next build makes.
struct Publishing {
    repo: TempDir,
    out: TempDir,
    args: Vec<&'static str>,
    good: Files,
    new: Files,
}

impl Publishing {
    fn new(args: &[&'static str]) -> Publishing {
        let repo = written("# Web\n\nFirst words of it.\n", &[]);
        let out = tempfile::tempdir().unwrap();
        let mut publishing = Publishing {
            repo,
            out,
            args: args.to_vec(),
            good: Files::new(),
            new: Files::new(),
        };
        publishing.expect_success("");
        publishing.good = publishing.site();
        let readme = publishing.repo.path().join("apps/web/README.md");
        fs::write(readme, "# Web\n\nOther words of it.\n").unwrap();
        publishing
    }

    fn run(&self, fault: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
        command.args([self.args[0], self.repo.path().to_str().unwrap()]);
        command.args(&self.args[1..]).args(["--out", "site"]);
        // One thread, so that the steps come in the same order each time.
        command
            .env("RAYON_NUM_THREADS", "1")
            .env("CATALOG_TEST_FAULT", fault);
        command.current_dir(self.out.path()).output().unwrap()
    }

    fn expect_success(&self, fault: &str) {
        let output = self.run(fault);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{fault}: {}",
            stderr(&output)
        );
    }

    fn site(&self) -> Files {
        files(&self.out.path().join("site"))
    }

    /// The names of all steps, in their order.
    fn steps(&mut self) -> Vec<String> {
        let list = self.repo.path().with_extension("steps");
        let kept = tempfile::tempdir().unwrap();
        copy(&self.out.path().join("site"), &kept.path().join("site"));
        self.expect_success(&format!("list:{}", list.display()));
        self.new = self.site();
        assert!(self.new != self.good);
        fs::remove_dir_all(self.out.path().join("site")).unwrap();
        copy(&kept.path().join("site"), &self.out.path().join("site"));
        let steps = fs::read_to_string(&list).unwrap();
        fs::remove_file(list).unwrap();
        steps.lines().map(str::to_owned).collect()
    }

    fn restore(&self) {
        for entry in fs::read_dir(self.out.path()).unwrap() {
            let path = entry.unwrap().path();
            fs::remove_dir_all(&path).unwrap();
        }
        for (path, bytes) in &self.good {
            let path = self.out.path().join("site").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }

    fn left(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(self.out.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "site").collect()
    }
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from) {
        let path = to.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// The first two and the last step of each name: those between do the same to other files.
fn chosen(steps: &[String]) -> BTreeSet<usize> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, name) in steps.iter().enumerate() {
        by_name.entry(name).or_default().push(at);
    }
    let each = by_name.values();
    each.flat_map(|all| all.iter().take(2).chain(all.last()).copied())
        .collect()
}

fn each_step_fails(args: &[&'static str]) {
    let mut publishing = Publishing::new(args);
    let steps = publishing.steps();
    for name in ["make", "open", "write", "exchange"] {
        assert!(steps.iter().any(|step| step == name), "{name}: {steps:?}");
    }
    for at in chosen(&steps) {
        for kind in ["error", "full", "kill"] {
            let fault = format!("{kind}:{at}");
            let case = format!("{fault} ({})", steps[at]);
            publishing.restore();
            let output = publishing.run(&fault);
            let site = publishing.site();
            let is_new = site == publishing.new;
            assert!(is_new || site == publishing.good, "{case}: half a site");
            match kind {
                "kill" => assert_eq!(output.status.code(), None, "{case}"),
                // A full disk does not keep a site from being swapped in once it is written.
                _ if is_new => assert_eq!(output.status.code(), Some(0), "{case}"),
                _ => assert_eq!(output.status.code(), Some(2), "{case}: {}", stderr(&output)),
            }
            if kind != "kill" {
                assert_eq!(publishing.left(), BTreeSet::new(), "{case}");
            }
            // The next build removes what is left, and publishes.
            publishing.expect_success("");
            assert!(publishing.site() == publishing.new, "{case}");
            assert_eq!(publishing.left(), BTreeSet::new(), "{case}");
        }
    }
}

#[test]
fn a_site_is_whole_whichever_step_of_its_build_fails() {
    each_step_fails(&["build"]);
}

#[test]
fn exported_pages_are_whole_whichever_step_fails() {
    each_step_fails(&["export", "--format", "markdown"]);
}

#[test]
fn a_document_is_whole_whichever_step_of_writing_it_fails() {
    let repo = written("# Web\n", &[]);
    let out = tempfile::tempdir().unwrap();
    let path = out.path().join("catalog.json");
    let run = |fault: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_catalog"));
        command.args([
            "export",
            repo.path().to_str().unwrap(),
            "--out",
            "catalog.json",
        ]);
        command
            .env("CATALOG_TEST_FAULT", fault)
            .current_dir(out.path());
        command.output().unwrap()
    };
    let list = repo.path().with_extension("steps");
    assert_eq!(
        run(&format!("list:{}", list.display())).status.code(),
        Some(0)
    );
    let steps = fs::read_to_string(&list).unwrap().lines().count();
    fs::remove_file(list).unwrap();
    assert!(steps >= 4, "{steps}");
    for at in 0..steps {
        for kind in ["error", "full", "kill"] {
            fs::write(&path, "the last good one").unwrap();
            let output = run(&format!("{kind}:{at}"));
            let text = fs::read_to_string(&path).unwrap();
            let is_whole = text == "the last good one" || text.ends_with("}\n");
            assert!(is_whole, "{kind}:{at}: {text}");
            if output.status.code() == Some(0) {
                assert!(text.ends_with("}\n"), "{kind}:{at}");
            }
        }
    }
}

#[test]
fn two_builds_at_once_leave_one_whole_site() {
    let publishing = Publishing::new(&["build"]);
    publishing.expect_success("");
    let new = publishing.site();
    publishing.restore();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| publishing.expect_success(""));
        }
    });
    assert!(publishing.site() == new);
    assert_eq!(publishing.left(), BTreeSet::new());
}

#[cfg(unix)]
#[test]
fn links_and_foreign_files_in_the_output_lead_nowhere() {
    let publishing = Publishing::new(&["build"]);
    let site = publishing.out.path().join("site");
    let outside = tempfile::tempdir().unwrap();
    let precious = outside.path().join("precious");
    fs::write(&precious, "mine").unwrap();
    // In place of a page and of a directory, and a file that nobody made.
    fs::remove_file(site.join("index.html")).unwrap();
    std::os::unix::fs::symlink(&precious, site.join("index.html")).unwrap();
    fs::remove_dir_all(site.join("components")).unwrap();
    std::os::unix::fs::symlink(outside.path(), site.join("components")).unwrap();
    fs::write(site.join("notes.txt"), "foreign").unwrap();
    publishing.expect_success("");
    assert_eq!(fs::read_to_string(&precious).unwrap(), "mine");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert!(
        site.join("index.html")
            .symlink_metadata()
            .unwrap()
            .is_file()
    );
    assert!(site.join("components").symlink_metadata().unwrap().is_dir());
}
