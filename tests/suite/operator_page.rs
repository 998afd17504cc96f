//! The page that the project set out to generate, element by element: a hand-written page of an operator, of which the
//! example's page must have everything.

use std::collections::BTreeMap;
use std::path::Path;

use crate::html::words;
use crate::site::{build, sections, text};

/// An element of the page: what it tells the reader, the section it is in, and text or markup that shows it.
struct Element {
    what: &'static str,
    section: &'static str,
    text: &'static [&'static str],
    markup: &'static [&'static str],
}

const fn told(what: &'static str, section: &'static str, text: &'static [&'static str]) -> Element {
    Element {
        what,
        section,
        text,
        markup: &[],
    }
}

const fn drawn(
    what: &'static str,
    section: &'static str,
    markup: &'static [&'static str],
) -> Element {
    Element {
        what,
        section,
        text: &[],
        markup,
    }
}

const ELEMENTS: &[Element] = &[
    told("its name", "head", &["External Secrets Operator"]),
    told(
        "what it is, in a paragraph",
        "head",
        &["copies passwords and keys from a secret manager"],
    ),
    drawn(
        "links to its home page and source",
        "head",
        &["https://external-secrets.io", "github.com/external-secrets"],
    ),
    told("its namespace", "head", &["namespace external-secrets"]),
    told("the kind that installs it", "head", &["HelmRelease"]),
    told("its layer", "head", &["layer Foundation"]),
    told("its status", "head", &["enabled"]),
    told(
        "its version in each environment",
        "head",
        &["prod 0.18.2", "dev 0.19.2"],
    ),
    told("its chart", "overview", &["Chart external-secrets"]),
    told(
        "its directory",
        "overview",
        &["apps/foundation/external-secrets-operator/"],
    ),
    drawn(
        "links to the lines that state them",
        "overview",
        &["https://git.example.com/meridian/platform/"],
    ),
    told(
        "what it needs, and why",
        "dependencies",
        &["LocalStack", "Flux dependsOn"],
    ),
    told(
        "what needs it, and why",
        "dependencies",
        &["External Secrets Config", "needs its CRD"],
    ),
    told("the status of both", "dependencies", &["Status", "enabled"]),
    told(
        "what it is for",
        "purpose",
        &["Every component with a password"],
    ),
    told(
        "what was considered instead",
        "purpose",
        &["SOPS", "Sealed Secrets", "CSI"],
    ),
    told(
        "its features, each with a detail",
        "features",
        &["Feature Detail", "CRDs come with the chart", "Retries"],
    ),
    drawn(
        "a picture of what is deployed where",
        "architecture",
        &["Deployment topology", "<svg"],
    ),
    drawn(
        "a picture of how a secret arrives",
        "architecture",
        &["How a secret arrives", "d-life"],
    ),
    told(
        "the files that its values come from",
        "related",
        &["base/environment.env", "clusters/dev/environment.env"],
    ),
    told(
        "its settings, a column for each environment",
        "configuration",
        &["Setting prod dev"],
    ),
    told(
        "the version of its chart",
        "configuration",
        &["EXTERNAL_SECRETS_CHART_VERSION ≠ differs 0.18.2 0.19.2"],
    ),
    told(
        "its limits",
        "configuration",
        &[
            "EXTERNAL_SECRETS_CPU_LIMIT",
            "EXTERNAL_SECRETS_MEMORY_LIMIT",
        ],
    ),
    told(
        "its requests",
        "configuration",
        &[
            "EXTERNAL_SECRETS_CPU_REQUEST",
            "EXTERNAL_SECRETS_MEMORY_REQUEST",
        ],
    ),
    told(
        "the replicas of its webhook",
        "configuration",
        &["EXTERNAL_SECRETS_WEBHOOK_REPLICAS"],
    ),
    told(
        "what to do if the provider does not answer",
        "operations",
        &[
            "The store is not ready",
            "SecretSyncedError",
            "kubectl get clustersecretstore",
        ],
    ),
    told(
        "what to do if the release hangs",
        "operations",
        &[
            "The release hangs",
            "retries exhausted",
            "describe helmrelease",
        ],
    ),
    told(
        "what to do if the webhook fails",
        "operations",
        &[
            "failed calling webhook",
            "x509",
            "validatingwebhookconfiguration",
        ],
    ),
    told(
        "what to do if one secret is missing",
        "operations",
        &["ResourceNotFoundException", "kubectl get externalsecret -A"],
    ),
    told(
        "what to do if it runs out of memory",
        "operations",
        &["OOMKilled", "top pods"],
    ),
    told(
        "its manifests",
        "related",
        &["apps/foundation/external-secrets-operator/release.yaml"],
    ),
    told(
        "the unit that applies it",
        "related",
        &["base/foundation/external-secrets-operator.yaml"],
    ),
    // Beyond the page that was the model.
    told(
        "what breaks with it",
        "blast-radius",
        &["Cannot be deployed or reinstalled", "flux suspend"],
    ),
    told(
        "its alerts, with what to do",
        "operations",
        &["ExternalSecretsOperatorDown", "ExternalSecretNotSynced"],
    ),
    drawn(
        "links from alerts to their runbook",
        "operations",
        &["pages/docs/runbooks/external-secret-not-syncing.html"],
    ),
    told("the decision behind it", "decisions", &["ADR-0004"]),
];

#[test]
fn the_operators_page_has_every_element_of_the_page_that_was_the_model() {
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("content");
    let site = build(&content);
    let page = text(&site, "components/external-secrets-operator.html");
    let sections: BTreeMap<String, String> = sections(page).into_iter().collect();
    let mut missing = Vec::new();
    for element in ELEMENTS {
        let Some(markup) = sections.get(element.section) else {
            missing.push(format!("{}: no section {}", element.what, element.section));
            continue;
        };
        let said = words(markup);
        let text = element.text.iter().filter(|text| !said.contains(**text));
        let shown = element
            .markup
            .iter()
            .filter(|text| !markup.contains(**text));
        for needle in text.chain(shown) {
            missing.push(format!("{}: {needle} in {}", element.what, element.section));
        }
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
    // Where all of it comes from, at the end of every page.
    let foot = words(page.split("<footer").nth(1).unwrap());
    assert!(
        foot.contains("Generated from service-catalog.json"),
        "{foot}"
    );
    assert!(foot.contains("content hash"), "{foot}");
    // In the order in which somebody reads: what it is, what it needs, how it is built, what to do.
    let order = [
        "overview",
        "dependencies",
        "purpose",
        "features",
        "architecture",
        "configuration",
        "operations",
        "related",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|id| page.find(&format!("<section id=\"{id}\"")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{places:?}");
}
