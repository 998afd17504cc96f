//! Sentences that are read as a whole: "A and B are disabled in the chart values", "All files are committed together".
//! Each form takes all of the tokens or none.

use super::form::TURNS;
use super::{FileFact, Sentence, SentenceParser, SentenceSubject, SentenceToken, Unclear};

type SentenceTokens<'r, 't> = &'r [SentenceToken<'t>];

/// The forms, in the order in which they are tried.
const WHOLE: &[for<'r, 't> fn(SentenceTokens<'r, 't>) -> Option<Sentence<'t>>] = &[
    together,
    none_modified,
    none_added,
    title,
    sections,
    links,
    disabled,
    entries,
    only_code,
    created,
    every,
    configured,
];

pub fn read<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    WHOLE.iter().find_map(|form| form(tokens))
}

fn certain(subject: SentenceSubject<'_>, facts: Vec<FileFact>) -> Option<Sentence<'_>> {
    (!facts.is_empty()).then_some(Sentence {
        subject,
        facts,
        unclear: None,
    })
}

/// The words of tokens that are words only.
fn all_words<'r>(tokens: SentenceTokens<'r, '_>) -> Option<Vec<&'r str>> {
    let words = tokens.iter().map(|token| match token {
        SentenceToken::Word(word) => Some(word.as_str()),
        _ => None,
    });
    words.collect()
}

/// The tokens before an aside, and those in it.
fn aside<'r, 't>(
    tokens: SentenceTokens<'r, 't>,
) -> (SentenceTokens<'r, 't>, SentenceTokens<'r, 't>) {
    let at = tokens
        .iter()
        .position(|token| matches!(token, SentenceToken::Open | SentenceToken::Dash));
    match at {
        Some(at) => (&tokens[..at], &tokens[at + 1..]),
        None => (tokens, &[]),
    }
}

/// SentenceTokens without asides in brackets.
fn without_brackets<'t>(tokens: SentenceTokens<'_, 't>) -> Vec<SentenceToken<'t>> {
    let mut depth = 0_usize;
    let mut kept = Vec::new();
    for token in tokens {
        match token {
            SentenceToken::Open => depth += 1,
            SentenceToken::Close => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(token.clone()),
            _ => {}
        }
    }
    kept
}

/// "All files (spec, manifests) are committed together".
fn together<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let kept = without_brackets(tokens);
    let words = all_words(&kept)?;
    let [first, .., last] = words.as_slice() else {
        return None;
    };
    let is_all = matches!(*first, "all" | "both" | "everything");
    let is_meant = is_all && *last == "together" && words.contains(&"committed");
    if !is_meant || words.len() > 8 || words.iter().any(|word| TURNS.contains(word)) {
        return None;
    }
    certain(SentenceSubject::Artifacts, vec![FileFact::Together])
}

/// "No other Terraform files were modified".
fn none_modified<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let kept = without_brackets(tokens);
    let words = all_words(&kept)?;
    let [
        "no",
        what @ ..,
        "files",
        "were" | "are" | "was",
        "modified" | "changed" | "touched" | "edited",
    ] = words.as_slice()
    else {
        return None;
    };
    let (what, others) = match what {
        ["other", what] => (*what, true),
        [what] => (*what, false),
        _ => return None,
    };
    let endings: &[&str] = match what {
        "terraform" => &["tf", "tfvars"],
        "yaml" => &["yaml", "yml"],
        "markdown" => &["md"],
        "typescript" => &["ts", "tsx"],
        "go" => &["go"],
        "rust" => &["rs"],
        "python" => &["py"],
        _ => return None,
    };
    certain(
        SentenceSubject::Artifacts,
        vec![FileFact::NoneModified { endings, others }],
    )
}

/// "No new Flux sync resources were created (…)".
fn none_added<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let kept = without_brackets(tokens);
    let kind = match kept.as_slice() {
        [no, new, SentenceToken::Name(kind), rest @ ..]
            if is(no, "no") && is(new, "new") && is_added(rest) =>
        {
            (*kind).to_owned()
        }
        _ => match all_words(&kept)?.as_slice() {
            [
                "no",
                "new",
                "flux",
                "sync" | "kustomization",
                "resources" | "objects",
                "were" | "are",
                "created" | "added",
            ] => "Kustomization".to_owned(),
            _ => return None,
        },
    };
    certain(SentenceSubject::Artifacts, vec![FileFact::NoneAdded(kind)])
}

fn is_added(tokens: SentenceTokens<'_, '_>) -> bool {
    matches!(
        all_words(tokens).as_deref(),
        Some(
            ["were" | "was" | "is" | "are", "created" | "added"]
                | [
                    "resources" | "objects" | "resource",
                    "were" | "was" | "is" | "are",
                    "created" | "added"
                ]
        )
    )
}

fn is(token: &SentenceToken<'_>, word: &str) -> bool {
    matches!(token, SentenceToken::Word(known) if known == word)
}

/// "The frontmatter title field matches the pattern `"ADR-018: ..."`".
fn title<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let [words @ .., SentenceToken::Code(pattern)] = tokens else {
        return None;
    };
    let words = all_words(words)?;
    let is_meant = matches!(
        words.as_slice(),
        ["the", .., "matches"]
            | ["the", .., "matches", "the", "pattern"]
            | ["the", .., "begins" | "starts", "with"]
    ) && words.len() < 9
        && words.contains(&"title")
        && !words.iter().any(|word| TURNS.contains(word));
    let start = pattern
        .trim_matches('"')
        .trim_end_matches(['.', '\u{2026}', '*'])
        .trim();
    if !is_meant || start.is_empty() {
        return None;
    }
    certain(
        SentenceSubject::Same,
        vec![FileFact::Title(start.to_owned())],
    )
}

/// "The file follows the template structure (all sections present: Context, Decision)".
fn sections<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let (lead, rest) = aside(tokens);
    let lead = all_words(lead)?;
    let is_lead = matches!(
        lead.as_slice(),
        [
            "the",
            "file" | "document" | "adr",
            "follows",
            "the",
            "template" | "template's",
            "structure"
        ] | [
            "the",
            "file" | "document" | "adr",
            "follows",
            "the",
            "template"
        ]
    );
    let at = rest
        .iter()
        .position(|token| matches!(token, SentenceToken::Comma))?;
    let intro = all_words(&rest[..at])?;
    let is_intro = matches!(
        intro.as_slice(),
        ["all", "sections", "present"] | ["sections"] | ["all", "sections"] | ["with", "sections"]
    );
    if !is_lead || !is_intro {
        return None;
    }
    let names =
        rest[at + 1..].split(|token| matches!(token, SentenceToken::Comma | SentenceToken::Close));
    let names: Vec<String> = names
        .map(|name| {
            let words = name.iter().filter_map(|token| match token {
                SentenceToken::Word(word) if word == "and" => None,
                SentenceToken::Word(word) => Some(word.clone()),
                SentenceToken::Name(word) => Some(word.to_lowercase()),
                _ => None,
            });
            words.collect::<Vec<_>>().join(" ")
        })
        .filter(|name| !name.is_empty())
        .collect();
    certain(SentenceSubject::Same, vec![FileFact::Sections(names)])
}

/// "No broken relative links in the References section".
fn links<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let (lead, _) = aside(tokens);
    let words = all_words(lead)?;
    let section = match words.as_slice() {
        ["no", "broken", "links"] | ["no", "broken", "relative", "links"] => "",
        ["no", "broken", "links", "in", "the", section, "section"]
        | [
            "no",
            "broken",
            "relative",
            "links",
            "in",
            "the",
            section,
            "section",
        ] => section,
        _ => return None,
    };
    certain(
        SentenceSubject::Same,
        vec![FileFact::Links(section.to_owned())],
    )
}

/// "Grafana, VMAlert and VMAuth are all disabled in the chart values"; "Public network access is disabled on the server".
fn disabled<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let at = tokens.iter().position(|token| is(token, "disabled"))?;
    let (before, after) = (&tokens[..at], &tokens[at + 1..]);
    let (verb, subjects) = match before {
        [subjects @ .., verb, all] if is(all, "all") || is(all, "both") => (verb, subjects),
        [subjects @ .., verb] => (verb, subjects),
        [] => return None,
    };
    if !is(verb, "are") && !is(verb, "is") {
        return None;
    }
    let codes: Vec<String> = match after {
        [SentenceToken::Open, list @ .., SentenceToken::Close] => list
            .iter()
            .map(|token| match token {
                SentenceToken::Code(code) => Some(Some((*code).to_owned())),
                SentenceToken::Comma => Some(None),
                token if is(token, "and") => Some(None),
                _ => None,
            })
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect(),
        rest => {
            let words = all_words(rest)?;
            let is_place = matches!(
                words.as_slice(),
                [] | ["in", "the", "values"]
                    | ["in", "the", "chart", "values"]
                    | ["on", "the", _]
                    | ["on", "the", _, _]
            );
            if !is_place {
                return None;
            }
            Vec::new()
        }
    };
    let names = if codes.is_empty() {
        listed(subjects)?
    } else {
        codes
    };
    let facts = names.into_iter().map(FileFact::Disabled).collect();
    certain(SentenceSubject::Artifacts, facts)
}

/// "A, B, and C", or one name of several words.
fn listed(tokens: SentenceTokens<'_, '_>) -> Option<Vec<String>> {
    let is_end =
        |token: &SentenceToken<'_>| matches!(token, SentenceToken::Comma) || is(token, "and");
    let names: Vec<String> = tokens
        .split(is_end)
        .filter(|name| !name.is_empty())
        .map(|name| {
            let words = name.iter().map(|token| match token {
                SentenceToken::Word(word) => Some(word.clone()),
                SentenceToken::Name(name) | SentenceToken::Code(name) => Some((*name).to_owned()),
                _ => None,
            });
            Some(words.collect::<Option<Vec<_>>>()?.join("_"))
        })
        .collect::<Option<_>>()?;
    let is_plain = |name: &String| {
        let words = name.split('_');
        words.clone().count() <= 4
            && !name
                .split('_')
                .any(|word| TURNS.contains(&word) || matches!(word, "the" | "all" | "any"))
    };
    names.iter().all(is_plain).then_some(names)
}

/// "Loki remains `isDefault: true`, VictoriaMetrics is `isDefault: false`".
fn entries<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let parts = tokens.split(|token| matches!(token, SentenceToken::Comma) || is(token, "and"));
    let facts: Vec<FileFact> = parts
        .filter(|part| !part.is_empty())
        .map(|part| {
            let [name, verb, SentenceToken::Code(entry)] = part else {
                return None;
            };
            let name = match name {
                SentenceToken::Word(word) => word.clone(),
                SentenceToken::Name(name) => (*name).to_owned(),
                _ => return None,
            };
            let is_verb = ["remains", "is", "has", "stays", "sets"]
                .iter()
                .any(|word| is(verb, word));
            (is_verb && entry.contains(": ")).then(|| FileFact::Entry {
                name,
                entry: (*entry).to_owned(),
            })
        })
        .collect::<Option<_>>()?;
    certain(SentenceSubject::Artifacts, facts)
}

/// "`a.enabled: true` and `b: c`".
fn only_code<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let facts: Vec<FileFact> = tokens
        .iter()
        .filter(|token| !matches!(token, SentenceToken::Comma) && !is(token, "and"))
        .map(|token| match token {
            SentenceToken::Code(code) if code.contains(": ") => {
                Some(FileFact::Has((*code).to_owned()))
            }
            _ => None,
        })
        .collect::<Option<_>>()?;
    certain(SentenceSubject::Artifacts, facts)
}

/// "Two databases are created: `a` and `b`".
fn created<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let at = tokens
        .iter()
        .position(|token| matches!(token, SentenceToken::Comma))?;
    let [count, _, are, verb] = all_words(&tokens[..at])?[..] else {
        return None;
    };
    let codes: Vec<&str> = tokens[at + 1..]
        .iter()
        .filter(|token| !matches!(token, SentenceToken::Comma) && !is(token, "and"))
        .map(|token| match token {
            SentenceToken::Code(code) => Some(*code),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let is_meant = are == "are"
        && matches!(verb, "created" | "defined" | "declared")
        && super::number(count) == Some(codes.len());
    if !is_meant {
        return None;
    }
    let facts = codes.iter().map(|code| FileFact::Has((*code).to_owned()));
    certain(SentenceSubject::Artifacts, facts.collect())
}

/// "All dashboard JSON has `"editable": false`".
fn every<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let [
        all,
        SentenceToken::Word(noun),
        form,
        verb,
        SentenceToken::Code(code),
    ] = tokens
    else {
        return None;
    };
    let is_meant = (is(all, "all") || is(all, "every"))
        && ["json", "files", "manifests"]
            .iter()
            .any(|word| is(form, word))
        && (is(verb, "has") || is(verb, "have") || is(verb, "contain") || is(verb, "contains"));
    if !is_meant {
        return None;
    }
    certain(
        SentenceSubject::Every(noun.clone()),
        vec![FileFact::Has((*code).to_owned())],
    )
}

/// "VMSingle is configured with `a: b`"; "node-exporter tolerates the x taint".
fn configured<'t>(tokens: SentenceTokens<'_, 't>) -> Option<Sentence<'t>> {
    let (name, rest) = match tokens {
        [SentenceToken::Name(name), rest @ ..] => ((*name).to_owned(), rest),
        [SentenceToken::Word(name), rest @ ..] if name.len() > 3 => (name.clone(), rest),
        _ => return None,
    };
    let rest = match rest {
        [is_, configured, with, rest @ ..]
            if is(is_, "is") && is(configured, "configured") && is(with, "with") =>
        {
            rest
        }
        [verb, ..] if is(verb, "tolerates") || is(verb, "has") => rest,
        _ => return None,
    };
    let is_plain = is_word_of_names(&name);
    let (facts, is_clear) = SentenceParser::read_with(rest);
    if !is_plain || facts.is_empty() {
        return None;
    }
    Some(Sentence {
        subject: SentenceSubject::Section(name),
        facts,
        unclear: (!is_clear).then_some(Unclear::Person),
    })
}

/// Whether a word can be the name of a part of a chart.
fn is_word_of_names(word: &str) -> bool {
    !matches!(
        word,
        "this" | "that" | "both" | "each" | "there" | "everything" | "only" | "spec" | "record"
    ) && !TURNS.contains(&word)
}
