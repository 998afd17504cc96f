//! The page that a server shows for an unknown address.

use serde::Serialize;

use super::Content;
use super::frame::Page;
use crate::site::theme::View;
use crate::site::view::{Here, Text};

#[derive(Serialize)]
struct Way {
    title: &'static str,
    href: String,
    icon: &'static str,
}

pub fn write(here: &Here<'_>) -> Content {
    let routes = &here.context.routes;
    let mut page = Page::new(here, "not_found", "Page not found");
    page.markdown_href = None;
    let links = [
        Way {
            title: "All components",
            href: here.to(&routes.index),
            icon: "book",
        },
        Way {
            title: "Architecture",
            href: here.to(&routes.architecture),
            icon: "decision",
        },
    ];
    Content {
        template: "pages/not_found.html",
        page,
        views: vec![("links", View::serialize(&links))],
        markdown: Text::default(),
    }
}
