//! The page that a server shows for an unknown address.

use serde::Serialize;

use super::PageContent;
use super::frame::PageHead;
use crate::site::theme::View;
use crate::site::view::{Here, Text};

#[derive(Serialize)]
struct WayOut {
    title: &'static str,
    href: String,
    icon: &'static str,
}

pub fn write(here: &Here<'_>) -> PageContent {
    let routes = &here.context.routes;
    let mut page = PageHead::new(here, "not_found", "Page not found");
    page.markdown_href = None;
    let links = [
        WayOut {
            title: "All components",
            href: here.to(&routes.index),
            icon: "book",
        },
        WayOut {
            title: "Architecture",
            href: here.to(&routes.architecture),
            icon: "decision",
        },
    ];
    PageContent {
        template: "pages/not_found.html",
        page,
        views: vec![("links", View::serialize(&links))],
        markdown: Text::default(),
    }
}
