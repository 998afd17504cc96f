//! Rows, grams and numbers: what the script needs beyond whole words.

use super::browser::{Browser, terms};
use super::{document, row};
use crate::{TextField, term};

#[test]
fn rows_are_in_files_that_are_found_by_the_number_of_their_document() {
    let mut documents: Vec<_> = (0..400).map(|_| document("x", &[])).collect();
    let names: Vec<String> = (0..400).map(|at| format!("row{at}").repeat(20)).collect();
    for (at, document) in documents
        .iter_mut()
        .enumerate()
        .filter(|(at, _)| at % 3 > 0)
    {
        document.rows = vec![row("setting", &names[at], &[])];
    }
    let mut browser = Browser::open(&documents);
    for (at, name) in names.iter().enumerate() {
        let rows = browser.rows(at as u64);
        assert_eq!(rows.len(), usize::from(at % 3 > 0), "{at}");
        assert!(rows.iter().all(|row| row[1] == *name), "{at}");
    }
    assert!(browser.entry["rows"].as_array().unwrap().len() > 4);
    for (address, script) in &browser.files {
        assert!(!address.starts_with("search/r-") || script.len() < 14 * 1024);
    }
}

#[test]
fn a_name_is_found_by_any_three_of_its_letters_and_prose_and_hashes_are_not() {
    let fields = [
        (TextField::Name, "keycloak 9f86d081884c7d659a2feaa0c55ad015"),
        (TextField::Text, "realm"),
    ];
    let mut browser = Browser::open(&[document("Prometheus", &fields)]);
    for gram in ["^pr", "rom", "met", "us$"] {
        assert_eq!(browser.gram(gram), ["prometheus"], "{gram}");
    }
    assert_eq!(browser.gram("clo"), ["keycloak"]);
    for gram in ["rea", "9f8", "015"] {
        assert!(browser.gram(gram).is_empty(), "{gram}");
    }
}

#[test]
fn a_version_and_an_address_are_terms_with_their_dots() {
    let words = |text| terms(text, term::Words::Whole);
    assert_eq!(words("v0.19.2"), ["0.19.2", "v0", "19"]);
    assert_eq!(words("redis:7.4.2-alpine"), ["redis", "7.4.2", "alpine"]);
    assert_eq!(words("10.0.0.1:5432"), ["10.0.0.1", "10", "5432"]);
    assert_eq!(words("1.2.3beta1 a1.2 3."), ["1.2.3", "3beta1", "a1"]);
    let mut browser = Browser::open(&[document("x", &[(TextField::Value, "v0.19.2")])]);
    assert_eq!(browser.shard("0.19.2")["0.19.2"], [0, 4]);
}

#[test]
fn a_host_is_a_term_as_a_whole_among_names_and_values() {
    let hosts = |text| -> Vec<String> {
        let all = terms(text, term::Words::WithParts).into_iter();
        all.filter(|term| term.contains('.')).collect()
    };
    assert_eq!(
        hosts("https://api.dev.example.com/x?"),
        ["api.dev.example.com"]
    );
    assert_eq!(hosts("a-b.example.com:5432."), ["a-b.example.com"]);
    assert_eq!(hosts("v1.2.x.3"), ["1.2"]);
    for text in [
        "example.com",
        "x.replicaCount.y",
        "a..b.c",
        "image.tag_name.x",
    ] {
        assert_eq!(hosts(text), [""; 0], "{text}");
    }
    assert_eq!(terms("api.dev.example.com", term::Words::Whole).len(), 4);
}
