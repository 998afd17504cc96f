//! What is found in an index, asked for as the theme's script does.

mod browser;
mod parts;
mod platform;

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use browser::{Browser, terms};
use platform::platform;

fn document<'a>(title: &'a str, fields: &[(TextField, &'a str)]) -> Searchable<'a> {
    Searchable {
        title: title.into(),
        weight: RowWeight::Fact,
        href: format!("components/{}.html", title.to_lowercase()).into(),
        kind: "component",
        context: "Foundation · HelmRelease".into(),
        fields: fields
            .iter()
            .map(|(field, text)| (*field, Cow::Borrowed(*text)))
            .collect(),
        rows: Vec::new(),
    }
}

fn row<'a>(kind: &'static str, title: &'a str, values: &[(&'a str, &[usize])]) -> Row<'a> {
    Row {
        kind,
        weight: RowWeight::Fact,
        title: title.into(),
        values: values
            .iter()
            .map(|(text, environments)| RowValue {
                text: (*text).into(),
                environments: environments.to_vec(),
            })
            .collect(),
        anchor: None,
    }
}

#[test]
fn without_documents_there_is_no_index() {
    assert_eq!(index(&[], &[], &[]), None);
}

#[test]
fn a_document_without_words_is_still_listed() {
    let mut browser = Browser::open(&[document("—", &[])]);
    assert_eq!(browser.entry["shards"], serde_json::json!({}));
    assert_eq!(browser.shown(0)[0], "—");
    assert!(browser.find("anything").is_empty());
}

#[test]
fn the_files_of_a_small_index_are_these() {
    let mut one = document(
        "Vault",
        &[(TextField::Kind, "Pod"), (TextField::Text, "vault")],
    );
    one.rows = vec![
        row("setting", "size", &[("2", &[0]), ("10", &[1])]),
        Row {
            anchor: Some("overview".into()),
            ..row("image", "vault", &[("v1.2.3", &[])])
        },
    ];
    let phrases = ["InstallFailed".to_owned(), "timed out".to_owned()];
    let alias = Alias {
        title: "Stuck",
        phrases: &phrases,
    };
    let index = index(&[one], &["prod", "dev"], &[alias]).unwrap();
    let files = index.files.iter();
    let text: String = files
        .map(|(address, script)| format!("{address}\n{}", String::from_utf8_lossy(script)))
        .collect();
    let expected = "\
search/index-0.js
catalogSearch.index({\"size\":16,
\"environments\":[\"prod\",\"dev\"],
\"kinds\":[\"image\",\"setting\"],
\"aliases\":{\"Stuck\":[\"InstallFailed\",\"timed out\"]},
\"documents\":[\"search/d-0-1.js\"],
\"rows\":[0,\"search/r-0-2.js\"],
\"grams\":[\"^si\",\"search/g-0-4.js\"],
\"shards\":{\"\":\"search/s-all-3.js\"}});
search/d-0-1.js
catalogSearch.documents(0,[
[\"Vault\",\"components/vault.html\",\"component\",\"Foundation · HelmRelease\"]
]);
search/r-0-2.js
catalogSearch.rows(0,{
\"0\":[[1,\"size\",[\"2\",[0],\"10\",[1]]],[0,\"vault\",\"v1.2.3\",\"overview\"]]
});
search/s-all-3.js
catalogSearch.shard(\"\",{\"1.2.3\":[0,4],\"10\":[0,4],\"pod\":[0,8],\"size\":[0,16],\"v1\":[0,4],\"vault\":[0,81]});
search/g-0-4.js
catalogSearch.grams({
\"^si\":\"size\",
\"^va\":\"vault\",
\"aul\":\"vault\",
\"ault\"
});
";
    let expected = expected.replace(
        "\"ault\"\n",
        "\"ize\":\"size\",\n\"lt$\":\"vault\",\n\"siz\":\"size\",\n\"ult\":\"vault\",\n\"vau\":\"vault\",\n\"ze$\":\"size\"",
    );
    let expected = (0..index.files.len()).fold(expected, |text, at| {
        let hash = hex(&Sha256::digest(&index.files[at].1)[..4]);
        text.replace(&format!("-{at}.js"), &format!("-{hash}.js"))
    });
    assert_eq!(text, expected);
    assert_eq!(index.entry, index.files[0].0);
}

#[test]
fn a_weight_is_the_sum_of_the_fields_that_hold_the_term() {
    use TextField::*;
    let mut browser = Browser::open(&[
        document("vault", &[]),
        document("x", &[(Name, "vault")]),
        document("x", &[(Kind, "Vault")]),
        document("x", &[(Subject, "vault.address")]),
        document("x", &[(Value, "vault-0")]),
        document("x", &[(Heading, "The vault")]),
        document("x", &[(Text, "vault vault"), (Text, "a vault")]),
        document(
            "vault",
            &[
                (Name, "vault"),
                (Kind, "vault"),
                (Subject, "vault"),
                (Value, "vault"),
                (Heading, "vault"),
                (Text, "vault"),
            ],
        ),
    ]);
    assert_eq!(
        browser.shard("vault")["vault"],
        [0, 64, 1, 32, 2, 8, 3, 16, 4, 4, 5, 2, 6, 1, 7, 127]
    );
}

#[test]
fn a_title_comes_before_a_text_and_a_whole_word_before_its_beginning() {
    let mut browser = Browser::open(&[
        document("Grafana", &[(TextField::Text, "asks Loki")]),
        document("Lokistack", &[]),
        document("Loki", &[(TextField::Text, "the store that Grafana shows")]),
    ]);
    assert_eq!(browser.titles("loki"), ["Loki", "Lokistack", "Grafana"]);
    assert_eq!(browser.titles("lo gra"), ["Loki", "Grafana"]);
    assert_eq!(browser.titles("store grafana"), ["Loki"]);
}

#[test]
fn a_name_is_found_as_it_is_typed_and_by_its_parts() {
    let names = [
        (TextField::Name, "cert-manager"),
        (TextField::Kind, "HTTPRoute OAuth2Proxy"),
        (
            TextField::Subject,
            "controller.replicaCount external-secrets.io/refresh_interval",
        ),
        (TextField::Text, "proseInCamels"),
    ];
    let mut browser = Browser::open(&[document("PostgreSQL", &names)]);
    for query in [
        "cert-manager",
        "cert manager",
        "manager",
        "httproute",
        "HTTPRoute",
        "http route",
        "auth2",
        "oauth2proxy",
        "proxy",
        "controller.replicaCount",
        "replica count",
        "replicac",
        "external-secrets.io",
        "refresh_interval",
        "sql",
        "postgres",
        "proseincamels",
    ] {
        assert_eq!(browser.titles(query), ["PostgreSQL"], "{query}");
    }
    for query in ["camels", "route53", "certmanager", "nothing"] {
        assert!(browser.titles(query).is_empty(), "{query}");
    }
}

#[test]
fn parts_of_names_begin_with_capitals() {
    let parts = |name| terms(name, term::Words::WithParts);
    assert_eq!(
        parts("externalSecret"),
        ["externalsecret", "external", "secret"]
    );
    assert_eq!(parts("HTTPRoute"), ["httproute", "http", "route"]);
    assert_eq!(parts("OAuth2Proxy"), ["oauth2proxy", "auth2", "proxy"]);
    assert_eq!(parts("lower UPPER Title a"), ["lower", "upper", "title"]);
    assert_eq!(
        parts("ÉcoleSupérieure"),
        ["ecolesuperieure", "ecole", "superieure"]
    );
    assert_eq!(
        terms("externalSecret", term::Words::Whole),
        ["externalsecret"]
    );
}

#[test]
fn words_of_all_scripts_are_terms_without_marks() {
    let words = |text| terms(text, term::Words::Whole);
    assert_eq!(words("Čeština—naïve ﬁne"), ["cestina", "naive", "fine"]);
    assert_eq!(words("Резервный йод"), ["резервныи", "иод"]);
    assert_eq!(words("数据库备份 字"), ["数据库备份"]);
    assert_eq!(words("データ"), ["テータ"]);
    assert_eq!(words("हिन्दी"), ["हनद"]);
    assert_eq!(words("ΟΔΟΣ οδός"), ["οδοσ", "οδοσ"]);
    assert_eq!(
        words("İstanbul ＴＬＳ Ⅷ ™"),
        ["istanbul", "tls", "viii", "tm"]
    );
    assert_eq!(words("🚀 🅰🅱 rocket🚀launch"), ["rocket", "launch"]);
    // One character, but two units of UTF-16.
    assert_eq!(words("𠀀"), ["𠀀"]);
}

#[test]
fn documents_in_other_scripts_are_found_and_their_files_have_plain_names() {
    let titles = [
        "Резервное копирование",
        "数据库备份",
        "한국어",
        "データベース",
        "𠀀𠀁",
        "Vault",
    ];
    let mut documents: Vec<_> = titles.iter().map(|title| document(title, &[])).collect();
    // Enough that shards are divided down to keys in each script.
    let long: Vec<String> = (0..30_000)
        .map(|at| {
            let script = ["резерв", "数据", "한국", "データ", "𠀀", "va"][at % 6];
            format!("{script}{at}")
        })
        .collect();
    documents.extend(long.iter().map(|title| document(title, &[])));
    let mut browser = Browser::open(&documents);
    for (query, title) in [
        ("резервное", titles[0]),
        ("РЕЗЕРВНОЕ КОП", titles[0]),
        ("数据库", titles[1]),
        ("한국어", titles[2]),
        ("データベ", titles[3]),
        ("𠀀𠀁", titles[4]),
        ("vault", titles[5]),
    ] {
        assert_eq!(browser.titles(query), [title], "{query}");
    }
    for short in ["ре", "数据", "한", "デー", "𠀀", "va"] {
        assert!(!browser.find(short).is_empty(), "{short}");
    }
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    for address in browser.files.keys() {
        let name = address.strip_prefix("search/").unwrap();
        let name = name.strip_suffix(".js").unwrap();
        assert!(name.chars().all(plain) && name.len() < 64, "{address}");
    }
}

#[test]
fn a_shard_is_divided_only_over_its_limit() {
    // The entry of a term is 15 bytes and a comma, so this many fill a shard to its last byte.
    let full: Vec<String> = (0..24 * 1024 / 16)
        .map(|at| format!("ter{at:04}"))
        .collect();
    let text = |words: &[String]| words.join(" ");
    let fields = |text: &str| vec![(TextField::Text, Cow::Owned(text.to_owned()))];
    let mut one = document("—", &[]);
    one.fields = fields(&text(&full));
    let browser = Browser::open(std::slice::from_ref(&one));
    let keys = |browser: &Browser| -> Vec<String> {
        let shards = browser.entry["shards"].as_object().unwrap();
        shards.keys().cloned().collect()
    };
    assert_eq!(keys(&browser), [""]);
    one.fields = fields(&format!("{} other", text(&full)));
    let mut browser = Browser::open(std::slice::from_ref(&one));
    assert_eq!(keys(&browser), ["", "t"]);
    assert_eq!(browser.find("other").len(), 1);
    // All terms of the second shard begin alike, so it is divided after that, and only as far as it must be.
    one.fields = fields(&format!("{} other ter9999", text(&full)));
    let mut browser = Browser::open(std::slice::from_ref(&one));
    assert_eq!(keys(&browser), ["", "t", "ter0"]);
    for query in ["te", "ter", "ter0", "ter1", "ter9999", "ter1535"] {
        assert_eq!(browser.find(query).len(), 1, "{query}");
    }
    assert!(browser.find("ter4").is_empty());
}

#[test]
fn a_term_shorter_than_the_keys_beside_it_is_found() {
    let mut documents = vec![document("x", &[(TextField::Text, "se ser serv")])];
    let words: Vec<String> = (0..20_000)
        .map(|at| format!("service{at} sealed{at}"))
        .collect();
    documents.extend(words.iter().map(|word| document(word, &[])));
    let mut browser = Browser::open(&documents);
    for word in ["se", "ser", "serv"] {
        assert_eq!(browser.shard(word)[word], [0, 1], "{word}");
        // What begins with it is shown as well, and before a mere mention.
        let hits = browser.find(word);
        assert!(hits.len() > 12 && hits[0].0 != 0, "{word} {hits:?}");
    }
    assert_eq!(browser.titles("sealed19999"), ["service19999 sealed19999"]);
    for (address, script) in &browser.files {
        let most = if address.contains("index") { 64 } else { 25 };
        assert!(script.len() <= most * 1024, "{address}: {}", script.len());
    }
}

#[test]
fn a_long_list_keeps_the_documents_of_the_greatest_weight() {
    let documents: Vec<_> = (0..1000)
        .map(|at| match at % 10 {
            9 => document("common", &[]),
            _ => document("x", &[(TextField::Text, "common")]),
        })
        .collect();
    let mut browser = Browser::open(&documents);
    let list = browser.shard("common").remove("common").unwrap();
    let (documents, weights): (Vec<u64>, Vec<u64>) =
        list.chunks(2).map(|pair| (pair[0], pair[1])).unzip();
    assert_eq!(documents.len(), 200);
    assert!(documents.is_sorted());
    assert_eq!(weights.iter().filter(|weight| **weight == 64).count(), 100);
    // Of those that weigh the same, the more important stay.
    assert_eq!(
        documents.iter().filter(|at| **at % 10 != 9).max(),
        Some(&110)
    );
}

#[test]
fn hostile_text_stays_text() {
    let hostile = "</script><!--\u{2028}\u{2029}\"\\\u{0}\u{7f}\n');alert(1)// __proto__ constructor \u{feff}";
    let fields = [(TextField::Name, hostile), (TextField::Text, hostile)];
    let mut one = document(hostile, &fields);
    one.href = hostile.into();
    one.context = hostile.into();
    let mut browser = Browser::open(&[one]);
    let shown = browser.shown(0);
    assert_eq!([&shown[0], &shown[1], &shown[3]], [hostile; 3]);
    for script in browser.files.values() {
        let script = std::str::from_utf8(script).unwrap();
        let forbidden = ['<', '>', '\u{2028}', '\u{2029}', '\u{0}', '\u{7f}'];
        assert!(!script.contains(forbidden), "{script}");
        // Every line that ends does so between values.
        assert!(
            script
                .lines()
                .all(|line| line.is_empty() || line.ends_with([',', '[', '{', ']', ';']))
        );
    }
    assert_eq!(browser.find("proto").len(), 1);
    assert_eq!(browser.find("__proto__ constructor").len(), 1);
}

#[test]
fn no_term_is_a_key_that_means_something_else() {
    // In a script, `{"__proto__": …}` sets a prototype; no other key does anything of its own.
    for words in [term::Words::Whole, term::Words::WithParts] {
        for text in ["__proto__", "a.__proto__.b", "＿＿proto＿＿", "__PROTO__"] {
            assert!(
                terms(text, words).iter().all(|term| !term.contains('_')),
                "{text}"
            );
        }
    }
}

#[test]
fn a_word_without_end_is_cut() {
    let word = "Ab".repeat(512 * 1024);
    let accented = "é".repeat(512 * 1024);
    let mut browser = Browser::open(&[
        document(&word, &[(TextField::Text, &word)]),
        document("x", &[(TextField::Text, &accented)]),
        document("x", &[(TextField::Text, &"\u{301}".repeat(1 << 20))]),
    ]);
    assert_eq!(browser.find(&word).len(), 1);
    assert_eq!(browser.find("abababab").len(), 1);
    assert_eq!(browser.find(&accented).len(), 1);
    assert_eq!(terms(&word, term::Words::Whole)[0].len(), 64);
    assert_eq!(browser.shown(0)[0].chars().count(), 201);
    let shards = browser.entry["shards"].as_object().unwrap();
    let [address] = shards.values().collect::<Vec<_>>()[..] else {
        panic!("{shards:?}")
    };
    assert!(browser.files[address.as_str().unwrap()].len() < 1024);
}

#[test]
fn the_same_documents_give_the_same_files_however_many_cores_there_are() {
    let documents = platform(700);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build()
            .unwrap()
            .install(|| index(&documents, &[], &[]))
    };
    let once = with(1).unwrap();
    assert!(once == with(2).unwrap() && once == with(7).unwrap());
    let names: BTreeSet<_> = once
        .files
        .iter()
        .map(|(address, _)| address.to_lowercase())
        .collect();
    assert_eq!(names.len(), once.files.len());
}

#[test]
fn every_document_of_a_large_index_is_found_by_its_title_at_little_cost() {
    let documents = platform(3000);
    let mut browser = Browser::open(&documents);
    for at in (0..documents.len()).step_by(97) {
        browser
            .loaded
            .retain(|address, _| address.contains("index"));
        let title = &documents[at].title;
        assert!(
            browser.titles(title).contains(&title.to_string()),
            "{title}"
        );
        assert!(browser.bytes_loaded() < 300 * 1024);
    }
}

proptest! {
    #[test]
    fn any_text_is_indexed_and_found(title in any::<String>(), text in "\\PC{0,80}") {
        let documents = [document(&title, &[(TextField::Text, &text), (TextField::Name, &title)])];
        let mut browser = Browser::open(&documents);
        for word in terms(&text, term::Words::Whole) {
            prop_assert_eq!(browser.find(&word).len(), 1, "{}", word);
        }
        // What is found is found again by what it is indexed as.
        for term in terms(&title, term::Words::WithParts) {
            prop_assert!(terms(&term, term::Words::WithParts).contains(&term), "{}", term);
        }
        prop_assert_eq!(&browser.shown(0)[0], &shown(&title));
    }

    #[test]
    fn one_shard_answers_for_a_word_however_often_it_is_divided(
        texts in prop::collection::btree_set("[abя𠀀]{2,9}", 1..120),
        max in 100..1000_usize,
    ) {
        let texts: Vec<String> = texts.into_iter().collect();
        let terms: Vec<_> = texts
            .iter()
            .map(|text| posting::Term { text, entry: b"\"a\":[0,1]", weight: 1, rank: 1 })
            .collect();
        let shards = shard::divide(&terms, max);
        prop_assert!(shards.is_sorted_by(|a, b| a.key < b.key));
        for shard in &shards {
            prop_assert!(shard.terms.len() == 1 || shard.terms.len() * 10 <= max);
            prop_assert!(shard.terms.is_sorted_by(|a, b| a.text < b.text));
        }
        let answer = |word: &str| {
            let shards = shards.iter().filter(|shard| word.starts_with(shard.key));
            shards.max_by_key(|shard| shard.key.len())
        };
        for text in &texts {
            let holds = |shard: &Shard| shard.terms.iter().any(|term| term.text == text);
            prop_assert!(answer(text).is_some_and(holds), "{}", text);
            for (end, _) in text.char_indices().skip(1) {
                let word = &text[..end];
                let answers = |shard: &Shard| shard.terms.iter().any(|term| term.text.starts_with(word));
                prop_assert!(term::units(word) < 2 || answer(word).is_some_and(answers), "{}", word);
            }
        }
    }
}
