//! `changes.atom`: recent commits as an Atom feed. Feeds need absolute addresses, so there is one only if the address of
//! the site is configured.

use crate::input::repo::RecentCommit;
use crate::site::context::SiteContext;
use markdown::Html;

/// Commits in the feed.
const MOST: usize = 50;

pub fn write(context: &SiteContext<'_>) -> Option<Vec<u8>> {
    let site = context.config.url.as_deref()?;
    let recent = context.repo.recent();
    let newest = recent.first()?;
    let page = format!("{site}{}", context.routes.changes);
    let mut feed = Html::default();
    feed.markup("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    feed.markup("<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<title>");
    feed.text(&format!("{}: recent changes", context.title));
    feed.markup("</title>\n<id>").text(&page).markup("</id>\n");
    feed.markup("<link href=\"").text(&page).markup("\"/>\n");
    feed.markup("<link rel=\"self\" href=\"");
    feed.text(&format!("{site}changes.atom")).markup("\"/>\n");
    feed.markup("<updated>").text(&newest.time);
    feed.markup("</updated>\n");
    for (commit, components) in recent.iter().zip(&context.changes().components).take(MOST) {
        let names = components.iter();
        let names = names.map(|at| context.catalog.components[*at].title.as_str());
        let names: Vec<&str> = names.collect();
        entry(&mut feed, context, &page, commit, &names.join(", "));
    }
    feed.markup("</feed>\n");
    Some(feed.as_str().as_bytes().to_vec())
}

fn entry(
    feed: &mut Html,
    context: &SiteContext<'_>,
    page: &str,
    commit: &RecentCommit,
    components: &str,
) {
    let address = match &context.repo_host {
        Some(repo_host) => repo_host.commit_page(&commit.commit),
        None => page.to_owned(),
    };
    feed.markup("<entry>\n<title>").text(&commit.subject);
    feed.markup("</title>\n<id>urn:git:").text(&commit.commit);
    feed.markup("</id>\n<link href=\"").text(&address);
    feed.markup("\"/>\n<updated>").text(&commit.time);
    feed.markup("</updated>\n<author><name>");
    feed.text(&commit.author).markup("</name></author>\n");
    if !components.is_empty() {
        feed.markup("<summary>").text(components);
        feed.markup("</summary>\n");
    }
    feed.markup("</entry>\n");
}
