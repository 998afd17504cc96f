//! Encodes and decodes the contents of a cache file: texts and numbers, each terminated by a NUL byte. Decoding returns
//! nothing for invalid contents.

use std::str::FromStr;

use super::commits::{CommitFacts, Commits, TextIx};
use super::{ChangeCommit, EarlierWindow, Last, LastChanges, is_date};
use crate::input::repo::git::is_id;
use base::hash::HashMap;

pub(super) fn encode_answer(answer: &LastChanges) -> Vec<u8> {
    let mut to = Encoder::default();
    to.put(&answer.commit);
    to.put(answer.before.as_deref().unwrap_or_default());
    to.put_number(answer.changes.len());
    for change in &answer.changes {
        to.put(&change.commit);
        to.put(&change.date);
        to.put(&change.author);
    }
    for (path, last) in &answer.files {
        to.put(path);
        match last {
            Last::Change(at) => to.put_number(*at),
            Last::Before => to.put(""),
        }
    }
    to.0
}

pub(super) fn decode_answer(bytes: &[u8]) -> Option<LastChanges> {
    let mut from = Decoder::new(bytes)?;
    let commit = from.id()?;
    let before = from.text()?;
    if !(before.is_empty() || is_date(before)) {
        return None;
    }
    let mut answer = LastChanges {
        commit,
        before: Some(before.to_owned()).filter(|day| !day.is_empty()),
        changes: Vec::new(),
        files: Vec::new(),
    };
    for _ in 0..from.number::<usize>()? {
        let commit = from.id()?;
        let date = from.text().filter(|date| is_date(date))?.to_owned();
        let author = from.text()?.to_owned();
        answer.changes.push(ChangeCommit {
            commit,
            date,
            author,
        });
    }
    while let Some(path) = from.text() {
        let last = match from.text()? {
            "" => Last::Before,
            at => Last::Change(at.parse().ok()?),
        };
        let is_known = match last {
            Last::Change(at) => at < answer.changes.len(),
            Last::Before => answer.before.is_some(),
        };
        let is_sorted = answer
            .files
            .last()
            .is_none_or(|(earlier, _)| **earlier < *path);
        if !is_known || !is_sorted {
            return None;
        }
        answer.files.push((path.to_owned(), last));
    }
    Some(answer)
}

/// Encodes the commits of a window with their texts. Commits beyond the window are no newer than `floor`.
pub(super) fn encode_commits(commits: &Commits, ids: &[TextIx], floor: u64) -> Vec<u8> {
    let mut texts = Texts::default();
    let mut rows = Encoder::default();
    for id in ids {
        let Some(commit) = commits.get(*id) else {
            continue;
        };
        rows.put_number(texts.number(*id));
        rows.put_number(commit.time);
        rows.put_number(texts.number(commit.date));
        rows.put_number(texts.number(commit.author));
        rows.put_list(commit.parents.iter().map(|parent| texts.number(*parent)));
        match &commit.files {
            Some(files) => rows.put_list(files.iter().map(|file| texts.number(*file))),
            None => rows.put("-"),
        }
    }
    let mut to = Encoder::default();
    to.put_number(floor);
    to.put_number(texts.order.len());
    for text in &texts.order {
        to.put(commits.text(*text));
    }
    to.0.extend(rows.0);
    to.0
}

pub(super) fn decode_commits(bytes: &[u8]) -> Option<EarlierWindow> {
    let mut from = Decoder::new(bytes)?;
    let floor = from.number()?;
    let mut commits = Commits::default();
    for number in 0..from.number::<usize>()? {
        // A repeated text would shift the numbers of those after it.
        if commits.number(from.text()?).0 as usize != number {
            return None;
        }
    }
    let most = commits.text_count();
    let known = |text: TextIx| ((text.0 as usize) < most).then_some(text);
    while let Some(id) = from.text() {
        let id = known(TextIx(id.parse().ok()?)).filter(|id| is_id(commits.text(*id)))?;
        let commit = CommitFacts {
            time: from.number()?,
            date: known(TextIx(from.number()?))?,
            author: known(TextIx(from.number()?))?,
            parents: list(from.text()?)?
                .into_iter()
                .map(known)
                .collect::<Option<_>>()?,
            files: match from.text()? {
                "-" => None,
                files => Some(list(files)?.into_iter().map(known).collect::<Option<_>>()?),
            },
        };
        commits.add(id, commit);
    }
    Some(EarlierWindow { commits, floor })
}

fn list(text: &str) -> Option<Vec<TextIx>> {
    let numbers = text.split_ascii_whitespace();
    numbers
        .map(|number| Some(TextIx(number.parse().ok()?)))
        .collect()
}

/// Numbers texts in the order of their first use.
#[derive(Default)]
struct Texts {
    order: Vec<TextIx>,
    numbers: HashMap<TextIx, usize>,
}

impl Texts {
    fn number(&mut self, text: TextIx) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.order.push(text);
            self.order.len() - 1
        })
    }
}

#[derive(Default)]
struct Encoder(Vec<u8>);

impl Encoder {
    fn put(&mut self, text: &str) {
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }

    fn put_number(&mut self, number: impl ToString) {
        self.put(&number.to_string());
    }

    fn put_list(&mut self, numbers: impl Iterator<Item = usize>) {
        let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
        self.put(&numbers.join(" "));
    }
}

struct Decoder<'b> {
    rest: &'b str,
}

impl<'b> Decoder<'b> {
    fn new(bytes: &'b [u8]) -> Option<Decoder<'b>> {
        let rest = std::str::from_utf8(bytes).ok()?;
        Some(Decoder { rest })
    }

    fn text(&mut self) -> Option<&'b str> {
        let (text, rest) = self.rest.split_once('\0')?;
        self.rest = rest;
        Some(text)
    }

    fn number<N: FromStr>(&mut self) -> Option<N> {
        self.text()?.parse().ok()
    }

    fn id(&mut self) -> Option<String> {
        self.text().filter(|id| is_id(id)).map(str::to_owned)
    }
}
