//! `sitemap.xml`: all pages, for crawlers. Its addresses are relative, since the same site may be published anywhere.

use crate::knowledge::route::Route;
use crate::site::context::SiteContext;
use crate::site::page::PageSubject;
use markdown::Html;

pub fn write(context: &SiteContext<'_>, pages: &[(Route, PageSubject)]) -> Vec<u8> {
    let base = context.config.url.as_deref().unwrap_or_default();
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for (route, subject) in pages {
        if *subject != PageSubject::NotFound {
            let address = format!("{base}{route}");
            let address = Html::escape(&address);
            text.push_str(&format!("<url><loc>{}</loc></url>\n", address.as_str()));
        }
    }
    text.push_str("</urlset>\n");
    text.into_bytes()
}
