//! A browser as far as the search needs one: what the theme's script does with an index, in Rust.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Searchable, index, term};
use base::hash::HashMap;

/// The arguments of the one call that a script is.
fn call(script: &[u8], method: &str) -> Vec<Value> {
    let script = std::str::from_utf8(script).unwrap();
    let inside = script
        .strip_prefix(&format!("catalogSearch.{method}("))
        .and_then(|rest| rest.strip_suffix(");\n"))
        .unwrap_or_else(|| panic!("{script} does not call {method}"));
    serde_json::from_str(&format!("[{inside}]")).unwrap()
}

/// What a browser has: files, and the entry that it read first.
pub struct Browser {
    pub files: HashMap<String, Vec<u8>>,
    pub entry: Value,
    pub loaded: BTreeMap<String, usize>,
}

impl Browser {
    pub fn open(documents: &[Searchable]) -> Browser {
        let index = index(documents, &["prod", "dev"], &[]).unwrap();
        let count = index.files.len();
        let files: HashMap<_, _> = index.files.into_iter().collect();
        assert_eq!(files.len(), count, "two files of one name");
        let entry = call(&files[&index.entry], "index").remove(0);
        let loaded = BTreeMap::from([(index.entry.clone(), files[&index.entry].len())]);
        Browser {
            files,
            entry,
            loaded,
        }
    }

    fn load(&mut self, address: &Value, method: &str) -> Vec<Value> {
        let address = address.as_str().unwrap();
        let script = &self.files[address];
        self.loaded.insert(address.to_owned(), script.len());
        call(script, method)
    }

    /// The terms of the shard that answers for `word`.
    pub fn shard(&mut self, word: &str) -> BTreeMap<String, Vec<u64>> {
        let shards = self.entry["shards"].as_object().unwrap();
        let ends = (0..=word.len()).rev();
        let mut keys = ends.filter_map(|end| word.get(..end));
        let Some((key, address)) = keys.find_map(|key| shards.get_key_value(key)) else {
            return BTreeMap::new();
        };
        let (key, address) = (key.clone(), address.clone());
        let call = self.load(&address, "shard");
        assert_eq!(call[0], *key);
        let terms = serde_json::from_value(call[1].clone());
        terms.unwrap()
    }

    /// The numbers and scores of the documents that hold all words, the best first.
    pub fn find(&mut self, query: &str) -> Vec<(u64, f64)> {
        let wanted = terms(query, term::Words::Whole);
        let mut hits: BTreeMap<u64, Hit> = BTreeMap::new();
        let mut needed = 0;
        for word in &wanted {
            let shards = self.entry["shards"].as_object().unwrap();
            let is_divided = |key: &String| key.len() > word.len() && key.starts_with(word);
            let mut rules = !shards.keys().any(is_divided);
            let mut best: BTreeMap<u64, f64> = BTreeMap::new();
            for (term, list) in self.shard(word) {
                if !term.starts_with(word.as_str()) {
                    continue;
                }
                rules &= list.len() < 400;
                let closeness = if term == *word {
                    1.0
                } else {
                    0.35 + 0.5 * term::units(word) as f64 / term::units(&term) as f64
                };
                for pair in list.chunks(2) {
                    let score = best.entry(pair[0]).or_default();
                    *score = score.max(worth(pair[1]) * closeness);
                }
            }
            needed += usize::from(rules);
            for (document, score) in best {
                let hit = hits.entry(document).or_default();
                hit.score += score;
                hit.matched += 1;
                hit.needed += usize::from(rules);
            }
        }
        let holds_all = |hit: &Hit| match needed {
            0 => hit.matched == wanted.len(),
            _ => hit.needed == needed,
        };
        let mut hits: Vec<_> = hits.into_iter().filter(|(_, hit)| holds_all(hit)).collect();
        hits.sort_by(|(at, a), (other, b)| {
            let matched = b.matched.cmp(&a.matched);
            matched
                .then(b.score.total_cmp(&a.score))
                .then(at.cmp(other))
        });
        hits.into_iter().map(|(at, hit)| (at, hit.score)).collect()
    }

    pub fn shown(&mut self, number: u64) -> [String; 4] {
        let size = self.entry["size"].as_u64().unwrap();
        let file = number / size;
        let address = self.entry["documents"][file as usize].clone();
        let call = self.load(&address, "documents");
        assert_eq!(call[0], file);
        serde_json::from_value(call[1][(number % size) as usize].clone()).unwrap()
    }

    /// The rows of a document; none if it has none.
    pub fn rows(&mut self, number: u64) -> Vec<Value> {
        let files = self.entry["rows"].as_array().unwrap().clone();
        let mut files = files.chunks(2).rev();
        let Some(file) = files.find(|file| file[0].as_u64().unwrap() <= number) else {
            return Vec::new();
        };
        let call = self.load(&file[1], "rows");
        let rows = call[1].get(number.to_string());
        rows.map_or_else(Vec::new, |rows| rows.as_array().unwrap().clone())
    }

    /// The terms that hold a gram.
    pub fn gram(&mut self, gram: &str) -> Vec<String> {
        let files = self.entry["grams"].as_array().unwrap().clone();
        let mut files = files.chunks(2).rev();
        let Some(file) = files.find(|file| file[0].as_str().unwrap() <= gram) else {
            return Vec::new();
        };
        let call = self.load(&file[1], "grams");
        let terms = call[0]
            .get(gram)
            .and_then(Value::as_str)
            .unwrap_or_default();
        terms.split_whitespace().map(str::to_owned).collect()
    }

    pub fn titles(&mut self, query: &str) -> Vec<String> {
        let hits = self.find(query);
        let shown = hits
            .iter()
            .take(12)
            .map(|(number, _)| self.shown(*number)[0].clone());
        shown.collect()
    }

    pub fn bytes_loaded(&self) -> usize {
        self.loaded.values().sum()
    }
}

/// What a document is worth to a word, by where it has it.
fn worth(bits: u64) -> f64 {
    let worth = [
        (64, 10.0),
        (32, 7.0),
        (8, 5.0),
        (16, 4.0),
        (2, 3.0),
        (4, 2.5),
    ];
    let mut worth = worth.iter();
    worth
        .find(|(bit, _)| bits & bit != 0)
        .map_or(1.5, |(_, worth)| *worth)
}

#[derive(Default)]
struct Hit {
    score: f64,
    matched: usize,
    needed: usize,
}

/// The terms of `text`, in order.
pub fn terms(text: &str, words: term::Words) -> Vec<String> {
    let mut terms = Vec::new();
    term::TermReader::default().read(text, words, &mut |term| terms.push(term.to_owned()));
    terms
}
