//! Documents as a large platform has them.

use std::borrow::Cow;

use crate::{Row, RowValue, RowWeight, Searchable, TextField};

/// `count` documents with names, words and settings as a platform of that many components has them.
pub fn platform(count: usize) -> Vec<Searchable<'static>> {
    const WORDS: &str = "service controller operator cluster namespace release chart values deployment config secret \
        storage network ingress gateway certificate database backup restore metric alert log trace dashboard policy \
        role account token key volume node pool queue topic stream cache proxy mesh route rule webhook schema job \
        schedule replica scale limit request probe health ready image tag registry repository branch commit source \
        git helm flux kustomize overlay base patch environment production staging development region zone tenant team \
        owner contact runbook incident upgrade rollback migrate version feature flag experiment canary payment order \
        invoice customer product catalogue search index recommendation notification email session identity login";
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut state = 7_u64;
    let mut next = move |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let made = (0..count).map(|at| {
        // Common words are far more frequent than others.
        let mut word = || {
            let most = next(words.len()) + 1;
            words[next(most)]
        };
        let name = format!("{}-{}-{at}", word(), word());
        let text: Vec<String> = (0..60)
            .map(|i| match i % 6 {
                0 => format!("{}{}", word(), at % 997 + i),
                _ => word().to_owned(),
            })
            .collect();
        let fields = vec![
            (TextField::Name, Cow::Owned(name.clone())),
            (
                TextField::Kind,
                Cow::Borrowed("HelmRelease Deployment ConfigMap"),
            ),
            (
                TextField::Heading,
                Cow::Borrowed("Overview Dependencies Configuration"),
            ),
            (
                TextField::Text,
                Cow::Owned(format!(
                    "{} — {}.",
                    text[..9].join(" "),
                    text[9..].join(" ")
                )),
            ),
        ];
        let mut rows = Vec::new();
        for nth in 0..20 {
            let mut setting = word().to_owned();
            for part in [word(), word()] {
                setting.push(part.as_bytes()[0].to_ascii_uppercase() as char);
                setting.push_str(&part[1..]);
            }
            let value = |environment: usize| RowValue {
                text: Cow::Owned(format!("{}Mi", at * 31 % 977 + nth + environment)),
                environments: vec![environment],
            };
            rows.push(Row {
                kind: "setting",
                weight: RowWeight::Fact,
                title: Cow::Owned(format!("{}.{setting}", word())),
                values: vec![value(0), value(1)],
                anchor: None,
            });
        }
        Searchable {
            title: name.replace('-', " ").into(),
            weight: RowWeight::Fact,
            href: format!("components/{name}.html").into(),
            kind: "component",
            context: format!("Applications · {name} · HelmRelease").into(),
            fields,
            rows,
        }
    });
    made.collect()
}
