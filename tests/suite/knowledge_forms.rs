//! Decisions, spec-kit and OpenSpec in the forms that other tools and languages have, and what the JSON says of them.

use serde_json::Value;

use crate::entry::read;

/// Id, status, date and title of each decision.
fn decisions(document: &Value) -> Vec<String> {
    let all = document["decisions"].as_array().unwrap().iter();
    all.map(|one| {
        let text = |key: &str| one[key].as_str().unwrap_or("-").to_owned();
        format!(
            "{} {} {} {}",
            text("id"),
            text("status"),
            text("date"),
            text("title")
        )
    })
    .collect()
}

#[test]
fn decisions_of_other_tools_and_languages_are_read() {
    let document = read(&[
        (
            "docs/adr/0001-asciidoc.adoc",
            "= 1. Use AsciiDoc\n\n:date: 2025-04-01\n\n== Status\n\nAccepted\n\n== Decision\n\nWe write it.\n",
        ),
        (
            "docs/adr/20240506-log4brains.md",
            "# Use a queue\n\n- Status: draft\n- Date: 2024-05-06\n",
        ),
        (
            "docs/adr/0003-day-beside.md",
            "# 3. Day beside\n\n## Status\n\nAccepted (6 May 2024)\n",
        ),
        (
            "docs/adr/0004-german.md",
            "# 4. Auf Deutsch\n\n**Stand:** Angenommen\n**Datum:** 06.05.2024\n",
        ),
        (
            "docs/adr/0005-korean.md",
            "# ADR-0005: 한국어\n\n**상태:** 승인됨\n**날짜:** 2024-05-06\n\n## 결정\n\n그렇게 한다.\n",
        ),
        (
            "docs/adr/0006-second-level.md",
            "## ADR-0006: Second level\n\n- **Status:** Superseded\n- **Date:** 2024-05-06\n\n## Context\n\nWhy.\n\nSuperseded by `docs/adr/ADR-0003-day-beside.md`.\n",
        ),
        (
            "docs/adr/0007-front-matter.md",
            "---\nid: ADR-0007\ntitle: metadata\n---\n\n## ADR-0007: Inherit metadata\n\n## Status\n\nAccepted\n",
        ),
        (
            "docs/adr/0008-sentence.md",
            "# 8. A sentence\n\n## Status\n\nThis decision is still in its planning phase\n",
        ),
        (
            "docs/adr/0009-ticked.md",
            "# 9. Ticked\n\n## Status\n\n- [ ] Draft\n- [x] Proposed\n- [ ] Superseded by 0002\n",
        ),
        ("docs/adr/000-index.md", "# Index\n\nStatus: all\n"),
        ("docs/adr/01_adr_index.md", "# 1. Index\n\nStatus: all\n"),
    ]);
    assert_eq!(
        decisions(&document),
        [
            "ADR-0001 accepted 2025-04-01 Use AsciiDoc",
            "ADR-0003 accepted 2024-05-06 Day beside",
            "ADR-0004 accepted 2024-05-06 Auf Deutsch",
            "ADR-0005 accepted 2024-05-06 한국어",
            "ADR-0006 superseded 2024-05-06 Second level",
            "ADR-0007 accepted - Inherit metadata",
            "ADR-0008 unknown - A sentence",
            "ADR-0009 proposed - Ticked",
            "20240506-log4brains draft 2024-05-06 Use a queue",
        ]
    );
    let superseded = &document["decisions"][4];
    assert_eq!(superseded["superseded_by"], serde_json::json!(["ADR-0003"]));
}

#[test]
fn ids_stay_readable_where_numbers_repeat() {
    let adr = |title: &str| format!("# {title}\n\nStatus: Accepted\n");
    let files = [
        ("docs/adr/0001-use-a-queue.md", adr("Use a queue")),
        ("docs/adr/0002-a.md", adr("First")),
        ("docs/adr/0002-keep-logs.md", adr("Keep logs")),
        (
            "services/shop/docs/adr/0001-use-a-cache.md",
            adr("Use a cache"),
        ),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let document = read(&files);
    let ids: Vec<&str> = document["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids,
        [
            "ADR-0001",
            "ADR-0002",
            "ADR-0002-keep-logs",
            "shop/ADR-0001"
        ]
    );
}

#[test]
fn a_scaffold_that_a_chart_is_made_of_does_not_name_its_component() {
    let files = [
        (
            "apps/basket.yaml",
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: basket, namespace: argocd}\n\
             spec:\n  project: default\n  destination: {name: in-cluster, namespace: basket}\n  \
             source: {repoURL: https://git.example.com/acme/platform.git, path: charts/basket, targetRevision: HEAD}\n",
        ),
        (
            "charts/basket/Chart.yaml",
            "apiVersion: v2\nname: basket\nversion: 1.0.0\ndependencies:\n  - name: acme-scaffold\n    version: 4.6.2\n    \
             repository: file://../acme-scaffold\n",
        ),
        (
            "charts/acme-scaffold/Chart.yaml",
            "apiVersion: v2\nname: acme-scaffold\nversion: 4.6.2\n",
        ),
        (
            "docs/adr/0001-scaffold.md",
            "# 1. Render everything with acme-scaffold\n\nStatus: Accepted\n\n## Decision\n\n`acme-scaffold` renders it.\n",
        ),
        (
            "docs/adr/0002-basket.md",
            "# 2. Give Basket a cache\n\nStatus: Accepted\n",
        ),
    ];
    let document = read(&files);
    let basket = &document["components"][0];
    assert_eq!(basket["decisions"], serde_json::json!(["ADR-0002"]));
    assert_eq!(
        document["decisions"][1]["components"],
        serde_json::json!(["basket"])
    );
}

#[test]
fn open_spec_and_spec_kit_are_data() {
    let document = read(&[
        (
            "openspec/changes/archive/2026-01-05-add-ghcr-images/proposal.md",
            "# Change: 2026-01-05-add-ghcr-images\n\n## Why\n\nGHCR is nearer.\n",
        ),
        (
            "openspec/changes/archive/2026-01-05-add-ghcr-images/tasks.md",
            "## 1. Images\n\n- [x] 1.1 Create `apps/shop/release.yaml`\n- [x] 1.2 Use `actions/checkout`\n- [ ] 1.3 Write `apps/shop/later.yaml`\n",
        ),
        (
            "openspec/changes/archive/2026-01-05-add-ghcr-images/specs/images/spec.md",
            "## ADDED Requirements\n\n### Requirement: Push\n\nIt SHALL push.\n\n#### Scenario: Tag\n\n- **WHEN** tagged\n- **THEN** pushed\n",
        ),
        (
            "openspec/specs/images/spec.md",
            "# images Specification\n\n## Requirements\n\n### Requirement: Push\n\nIt SHALL push.\n\n#### Scenario: Tag\n\n- **WHEN** tagged\n- **THEN** pushed\n",
        ),
        (
            "specs/001-measure-queue/spec.md",
            "# Feature Specification: Measure the queue\n\n**Feature Branch**: `001-measure-queue`\n**Created**: 2026-02-01\n**Status**: Draft\n\n## Requirements\n\n- **FR-001**: System MUST measure\n- **FR-002**: System MUST keep it [NEEDS CLARIFICATION: how long?]\n",
        ),
        (
            "specs/001-measure-queue/tasks.md",
            "- [x] T001 Create apps/shop/release.yaml\n",
        ),
        ("apps/shop/release.yaml", "kind: A\n"),
        (".specify/memory/constitution.md", "# Constitution\n"),
    ]);
    let specs = document["specs"].as_array().unwrap();
    let spec = |id: &str| specs.iter().find(|spec| spec["id"] == id).unwrap();
    let change = spec("2026-01-05-add-ghcr-images");
    assert_eq!(change["title"], "Add GHCR Images");
    assert_eq!(change["status"], "archived");
    assert_eq!(change["tasks"], serde_json::json!({"done": 2, "all": 3}));
    assert_eq!(change["related"], serde_json::json!(["images"]));
    let files: Vec<&str> = change["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["apps/shop/release.yaml"]);
    assert_eq!(change["task_list"][2]["done"], false);
    let living = spec("images");
    assert_eq!(
        living["related"],
        serde_json::json!(["2026-01-05-add-ghcr-images"])
    );
    let counts = |spec: &Value| spec["counts"].clone();
    let both = serde_json::json!({"requirements": 1, "scenarios": 1, "open_questions": 0});
    assert_eq!((counts(change), counts(living)), (both.clone(), both));
    let kit = spec("001-measure-queue");
    assert_eq!(kit["title"], "Measure the queue");
    assert_eq!(kit["status"], "draft");
    assert_eq!(
        counts(kit),
        serde_json::json!({"requirements": 2, "scenarios": 0, "open_questions": 1})
    );
}
