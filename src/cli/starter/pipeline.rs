//! CI pipelines: check pull requests, comment on them what they change, publish the default branch. Each job asks for no
//! more permissions than it needs, gives none to code of a fork, and pins what it downloads.

use super::Starter;
use crate::checks::triage::Baseline;
use crate::export::project;
use crate::input::repo::Repo;
use crate::site::context::SiteContext;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepoHost {
    GitHub,
    GitLab,
    Forgejo,
}

/// Findings that were there when CI was set up. The pipelines use this file if it exists.
const BASELINE: &str = "catalog-baseline.json";

/// An image that can build catalog, for pipelines that do not know where its own image is.
const RUST_IMAGE: &str = concat!(
    "docker.io/library/rust:",
    env!("CARGO_PKG_RUST_VERSION"),
    "-bookworm"
);

/// The pipeline, and a baseline if there are findings: the first run passes, and later ones fail on new findings.
pub fn files(context: &SiteContext<'_>, repo_host: RepoHost) -> Vec<Starter> {
    let mut files = vec![pipeline(context.repo, repo_host, project::repository())];
    if !context.findings.is_empty() {
        files.push(Starter {
            path: BASELINE.to_owned(),
            text: Baseline::from_findings(context.repo, context.findings).to_text(),
            note: Some("commit it, so that CI fails only on new findings"),
        });
    }
    files
}

/// `repository` is where catalog is published, if it is.
fn pipeline(repo: &Repo, repo_host: RepoHost, repository: Option<&str>) -> Starter {
    let exists = |path: &str| repo.root().join(path).symlink_metadata().is_ok();
    let (path, text, unpublished, include) = match repo_host {
        RepoHost::GitHub => (
            ".github/workflows/catalog.yml",
            github(repository),
            "set the variable CATALOG_REPOSITORY (Settings, Secrets and variables, Actions, Variables) to the owner/name of catalog on GitHub",
            None,
        ),
        RepoHost::GitLab if exists(".gitlab-ci.yml") => (
            ".gitlab/catalog.gitlab-ci.yml",
            gitlab(repository),
            SET_SOURCE,
            Some(
                "include it in .gitlab-ci.yml: `include: [{ local: .gitlab/catalog.gitlab-ci.yml }]`",
            ),
        ),
        RepoHost::GitLab => (".gitlab-ci.yml", gitlab(repository), SET_SOURCE, None),
        RepoHost::Forgejo => (
            ".forgejo/workflows/catalog.yml",
            forgejo(repository),
            SET_SOURCE,
            None,
        ),
    };
    let unpublished = repository.is_none().then_some(unpublished);
    Starter {
        path: path.to_owned(),
        text,
        note: include.or(unpublished),
    }
}

const SET_SOURCE: &str = "set the CI variable CATALOG_SOURCE to the git address of catalog";

/// A workflow that uses the action. An action cannot be named by a variable, so an unpublished one is checked out first.
fn github(repository: Option<&str>) -> String {
    let template = include_str!("pipeline/github.yml");
    match repository.and_then(project::owner_and_name) {
        Some(name) => template
            .replace("@ENV@", "")
            .replace("@GET@", "")
            .replace("@PATH@", ".")
            .replace("@ACTION@", &format!("{name}@{}", project::TAG)),
        None => template
            .replace("@ENV@", UNPUBLISHED_ENV)
            .replace("@GET@", UNPUBLISHED_GET)
            .replace("@PATH@", "repository")
            .replace("@ACTION@", "./catalog")
            .replace("@TAG@", project::TAG),
    }
}

const UNPUBLISHED_ENV: &str = "
env:
  # owner/name of catalog: a variable of this repository or its organisation (Settings, Secrets and variables, Actions).
  CATALOG_REPOSITORY: ${{ vars.CATALOG_REPOSITORY }}
  CATALOG_TAG: @TAG@
";

const UNPUBLISHED_GET: &str = "      - name: Find catalog
        run: |
          : \"${CATALOG_REPOSITORY:?set this variable to the owner/name of catalog}\"
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          repository: ${{ env.CATALOG_REPOSITORY }}
          ref: ${{ env.CATALOG_TAG }}
          path: catalog
          persist-credentials: false
";

/// The template that others include, with the image of this version, or one that can build it.
fn gitlab(repository: Option<&str>) -> String {
    let image = match repository.and_then(project::owner_and_name) {
        Some(name) => {
            let version = env!("CARGO_PKG_VERSION");
            format!("ghcr.io/{}:{version}", name.to_lowercase())
        }
        None => RUST_IMAGE.to_owned(),
    };
    let values = [
        ("CATALOG_IMAGE", image.as_str()),
        ("CATALOG_SOURCE", repository.unwrap_or("\"\"")),
        ("CATALOG_TAG", project::TAG),
    ];
    let mut text = String::new();
    for line in include_str!("../../../ci/gitlab.yml").lines() {
        let variable = line.trim_start().split(':').next().unwrap_or_default();
        match values.iter().find(|(name, _)| *name == variable) {
            Some((name, value)) => text += &format!("  {name}: {value}"),
            None => text += line,
        }
        text.push('\n');
    }
    text
}

fn forgejo(repository: Option<&str>) -> String {
    include_str!("pipeline/forgejo.yml")
        .replace(
            "@SOURCE@",
            repository.unwrap_or("${{ vars.CATALOG_SOURCE }}"),
        )
        .replace("@TAG@", project::TAG)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISHED: Option<&str> = Some("https://github.com/Acme/catalog");

    #[test]
    fn a_published_version_is_used_by_its_tag_and_image() {
        let version = env!("CARGO_PKG_VERSION");
        let github = github(PUBLISHED);
        assert!(
            github.contains(&format!("uses: Acme/catalog@v{version}\n")),
            "{github}"
        );
        assert!(!github.contains("CATALOG_REPOSITORY"), "{github}");
        let gitlab = gitlab(PUBLISHED);
        let image = format!("  CATALOG_IMAGE: ghcr.io/acme/catalog:{version}\n");
        assert!(gitlab.contains(&image), "{gitlab}");
        assert!(forgejo(PUBLISHED).contains("CATALOG_SOURCE: https://github.com/Acme/catalog\n"));
    }

    #[test]
    fn an_unpublished_version_comes_from_where_a_variable_says() {
        let github = github(None);
        assert!(github.contains("uses: ./catalog\n"), "{github}");
        assert!(github.contains("vars.CATALOG_REPOSITORY"), "{github}");
        let gitlab = gitlab(None);
        assert!(gitlab.contains("  CATALOG_IMAGE: docker.io/library/rust:"));
        assert!(gitlab.contains("  CATALOG_SOURCE: \"\"\n"), "{gitlab}");
        for text in [github, gitlab, forgejo(None)] {
            assert!(!text.contains("your-org"), "{text}");
        }
    }

    #[test]
    fn no_placeholder_of_a_template_is_left() {
        for repository in [PUBLISHED, None] {
            for text in [github(repository), gitlab(repository), forgejo(repository)] {
                for name in ["@ENV@", "@GET@", "@PATH@", "@ACTION@", "@SOURCE@", "@TAG@"] {
                    assert!(!text.contains(name), "{name} in\n{text}");
                }
            }
        }
    }
}
