//! `catalog show`: prints the facts about a component, the same as on its page.

use clap::{Args, ValueEnum};

use super::Outcome;
use super::options::{GlobalArgs, Options};
use super::read::{read_in, require_manifests};
use crate::catalog::{ComponentIx, EnvironmentScope, UnknownEnvironment};
use crate::pipeline::Reading;
use crate::site;
use crate::site::page::PageSubject;
use crate::site::standalone::{self, PageLinks};

pub const EXAMPLES: &str = "\
Examples:
  catalog show traefik
  catalog show traefik --environment prod
  catalog show traefik --format json | jq '.components[0].version'
  catalog show postgres --repo ../fleet | less

A name that several components share, such as that of a Kustomization with
several releases, prints all of them.";

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Component to print
    ///
    /// Takes the id or title of a component, or the name of a Kustomization, HelmRelease or Application.
    pub component: String,

    /// Print only what holds in this environment
    #[arg(long, value_name = "ENV")]
    pub environment: Option<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t = ShowFormat::Markdown)]
    pub format: ShowFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShowFormat {
    /// The page of the component as Markdown
    Markdown,
    /// Its entry in service-catalog.json: `{ \"components\": [ … ] }`
    Json,
}

pub fn run(args: &ShowArgs, global: &GlobalArgs) -> anyhow::Result<Outcome> {
    let options = global.options(None)?;
    let scope = match &args.environment {
        Some(name) => EnvironmentScope::Environment(name),
        None => EnvironmentScope::All,
    };
    let reading = read_in(&options, scope)?;
    let found = reading.catalog.components_named(&args.component);
    let shown = match (found, &args.environment) {
        (Ok(shown), _) => shown,
        (Err(_), Some(name)) => return Err(elsewhere(&options, &args.component, name)?),
        (Err(unknown), None) => {
            require_manifests(&reading.catalog)?;
            return Err(unknown.into());
        }
    };
    let text = match args.format {
        ShowFormat::Markdown => markdown(&reading, &shown)?,
        ShowFormat::Json => reading.context().entries(&shown),
    };
    options.print(&text)?;
    Ok(Outcome::Clean)
}

/// Why a component is not found in an environment.
fn elsewhere(options: &Options, component: &str, name: &str) -> anyhow::Result<anyhow::Error> {
    let all = read_in(options, EnvironmentScope::All)?;
    require_manifests(&all.catalog)?;
    Ok(match all.catalog.components_named(component) {
        Ok(found) => {
            let first = &all.catalog.components[found[0]];
            UnknownEnvironment::new(first, name).into()
        }
        Err(unknown) => unknown.into(),
    })
}

fn markdown(reading: &Reading, shown: &[ComponentIx]) -> anyhow::Result<String> {
    let context = reading.context();
    let theme = site::own_theme(context.repo)?;
    let mut text = String::new();
    for at in shown {
        if !text.is_empty() {
            text.push('\n');
        }
        let route = &context.routes.components[*at];
        let subject = PageSubject::Component(*at);
        let page = standalone::page(&context, &theme, route, &subject, PageLinks::Published)?;
        text.push_str(&page);
    }
    Ok(text)
}
