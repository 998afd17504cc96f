//! `sitemap.xml`: all pages, for crawlers. Its addresses must be absolute, so there is one only if the address of the
//! site is configured.

use crate::knowledge::route::Route;
use crate::site::context::SiteContext;
use crate::site::page::PageSubject;
use markdown::Html;

pub fn write(context: &SiteContext<'_>, pages: &[(Route, PageSubject)]) -> Option<Vec<u8>> {
    let base = context.config.url.as_deref()?;
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
    Some(text.into_bytes())
}
