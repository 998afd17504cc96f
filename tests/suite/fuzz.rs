//! Replays the corpus of the fuzz targets: inputs that once broke something, and the smallest of each kind.

#[path = "../../fuzz/src/engines.rs"]
pub mod engines;
#[path = "../../fuzz/src/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_input_of_the_corpus_keeps_what_its_target_promises() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    let mut known = BTreeSet::new();
    for (target, run) in engines::TARGETS.iter().chain(program::TARGETS) {
        known.insert((*target).to_owned());
        let mut inputs: Vec<_> = fs::read_dir(corpus.join(target))
            .unwrap_or_else(|error| panic!("{target}: {error}"))
            .map(|entry| entry.unwrap().path())
            .collect();
        inputs.sort();
        assert!(inputs.len() >= 3, "{target} has {} inputs", inputs.len());
        for input in inputs {
            let bytes = fs::read(&input).unwrap();
            if let Ok(text) = String::from_utf8(bytes) {
                // The name of the input is in the output of a failed test.
                println!("{}", input.display());
                run(&text);
            }
        }
    }
    let directories = fs::read_dir(corpus).unwrap();
    let names = directories.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.collect::<BTreeSet<_>>(), known);
}

#[test]
fn every_target_has_a_program_that_runs_it() {
    let manifest = fs::read_to_string("fuzz/Cargo.toml").unwrap();
    let script = fs::read_to_string("fuzz/run").unwrap();
    for (target, _) in engines::TARGETS.iter().chain(program::TARGETS) {
        assert!(
            manifest.contains(&format!("name = \"{target}\"\n")),
            "{target}"
        );
        assert!(
            script.contains(&format!(" {target}")) || script.contains(&format!("\"{target} ")),
            "{target}"
        );
        let program = fs::read_to_string(format!("fuzz/fuzz_targets/{target}.rs")).unwrap();
        assert!(
            program.contains(&format!("run(\"{target}\", data)")),
            "{target}"
        );
    }
}
