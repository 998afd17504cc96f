//! Tests of `sentence.rs`.

use super::*;
use markdown::BlockKind;

fn read(sentence: &str) -> String {
    let blocks = markdown::blocks(&format!("- {sentence}\n")).blocks;
    let BlockKind::Item { text, .. } = &blocks[0].kind else {
        panic!("an item: {blocks:?}");
    };
    let sentence = Sentence::parse(text);
    let subject = match sentence.subject {
        SentenceSubject::Path(path) => path.to_owned(),
        SentenceSubject::Kind(kind) => format!("<{kind}>"),
        SentenceSubject::None => "?".to_owned(),
        other => format!("{other:?}"),
    };
    let facts = sentence.facts.iter().map(|fact| match fact {
        FileFact::Exists => "exists".to_owned(),
        FileFact::Absent => "absent".to_owned(),
        FileFact::Has(text) => format!("has {text}"),
        FileFact::Lacks(text) => format!("lacks {text}"),
        FileFact::Count { files, names } => format!("{files} {}", names.join(" ")),
        FileFact::Complete => "complete".to_owned(),
        other => format!("{other:?}"),
    });
    let mut parts: Vec<String> = std::iter::once(subject).chain(facts).collect();
    parts.extend(sentence.unclear.map(|unclear| format!("{unclear:?}")));
    parts.join("; ")
}

#[test]
fn facts_about_files_are_understood() {
    for (sentence, meaning) in [
        (
            "This spec has been saved to `.sdd/s.md`",
            ".sdd/s.md; exists",
        ),
        (
            "The file exists at `docs/adr/a.md`",
            "docs/adr/a.md; exists",
        ),
        (
            "The provenance record exists at `.sdd/p.md` and contains all required sections",
            ".sdd/p.md; exists; complete",
        ),
        (
            "`k/a.yaml` does **NOT** exist (deleted)",
            "k/a.yaml; absent",
        ),
        ("`k/a.yaml` has been deleted", "k/a.yaml; absent"),
        (
            "`k/` contains exactly 3 files: `a.yaml`, `b.yaml`, `c.yaml`",
            "k/; exists; 3 a.yaml b.yaml c.yaml",
        ),
        (
            "`k/` exists with exactly 2 files: `a.yaml`, `b.yaml`",
            "k/; exists; 2 a.yaml b.yaml",
        ),
        (
            "`k/s.yaml` exists with `dependsOn: [{name: x}]` and `path: ./y`",
            "k/s.yaml; exists; has dependsOn: [{name: x}]; has path: ./y",
        ),
        (
            "`k/k.yaml` includes both `a.yaml` and `b.yaml` in its resources list",
            "k/k.yaml; exists; has a.yaml; has b.yaml",
        ),
        (
            "`k/s.yaml` exists with correct content (`a: b`, `c: \"d\"`)",
            "k/s.yaml; exists; has a: b; has c: \"d\"",
        ),
        (
            "`i/v.tf` does **not** contain `a`, `b`, or `c`",
            "i/v.tf; lacks a; lacks b; lacks c",
        ),
        (
            "`i/m.tf` does **not** contain `data \"x\"` (unused data sources)",
            "i/m.tf; lacks data \"x\"",
        ),
        (
            "The HelmRepository points to `https://x.io`",
            "<HelmRepository>; has https://x.io",
        ),
    ] {
        assert_eq!(read(sentence), meaning, "{sentence}");
    }
}

#[test]
fn every_form_means_one_thing() {
    for (meaning, phrases) in form::FORMS {
        for phrase in *phrases {
            let words: Vec<&str> = phrase.split(' ').collect();
            assert_eq!(
                form::form(&words),
                Some((*meaning, words.len())),
                "{phrase}"
            );
        }
    }
}

#[test]
fn what_is_not_understood_is_said_to_be() {
    for (sentence, meaning) in [
        ("`pnpm lint` passes", "?; Command"),
        (
            "`kubectl kustomize clusters/dev` and `kubectl kustomize clusters/prod` succeed",
            "?; Command",
        ),
        ("No site code was modified", "?; History"),
        (
            "All files are committed together with the tests",
            "?; History",
        ),
        ("Public network access is restricted", "?; Person"),
        ("All pods in `eso` are running", "?; Cluster"),
    ] {
        assert_eq!(read(sentence), meaning, "{sentence}");
    }
    // Additional words may reverse the meaning.
    for sentence in [
        "`i/m.tf` uses `a` (not `b`) in calls",
        "`k/s.yaml` exists and almost follows `t.yaml`",
        "`k/r.yaml` exists with chart `c` and all values from the example",
        "`k/r.yaml` contains `a` instead of `b`",
        "`k/r.yaml` contains `a` if it is there",
        "`k/r.yaml` contains `a` or `b`",
        "`k/r.yaml` never exists",
    ] {
        assert!(
            read(sentence).ends_with("; Person"),
            "{sentence}: {}",
            read(sentence)
        );
    }
}
