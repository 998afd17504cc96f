//! The server: answers only from the site in memory, so no address leads to a file of this machine. `/-/` serves the
//! live reload script, its style, an event stream, and the findings of a page.

use secret::outgoing::{self, Cleared};
use std::borrow::Cow;
use std::convert::Infallible;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State as Shared;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri, header};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::future::{self, Either};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use tokio::sync::{oneshot, watch};

use super::ServeError;
use super::connection::{self, LIMITS};
use super::host::Hosts;
use super::live_reload::{Action, LiveReload, OpenPage, PreviewState, Takes};
use super::site_worker::{ServedFile, SiteFile};
use super::trouble::Trouble;
use crate::pipeline::ReadError;
use markdown::Html;

const SCRIPT: &str = include_str!("live.js");
const STYLE: &str = include_str!("live.css");

/// A quiet stream says something once in a while, so that a browser that has gone is noticed.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

struct Server {
    live_reload: Arc<LiveReload>,
    hosts: Hosts,
}

/// Answers until the process ends, or until `end` says why there is nothing to answer with.
pub fn run(
    listener: TcpListener,
    hosts: Hosts,
    live_reload: Arc<LiveReload>,
    end: oneshot::Receiver<ReadError>,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(ServeError::Server)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(ServeError::Server)?;
        let router = Router::new()
            .fallback(answer)
            .with_state(Arc::new(Server { live_reload, hosts }));
        let serving = pin!(connection::serve(listener, router, LIMITS));
        match future::select(serving, end).await {
            Either::Right((Ok(error), _)) => Err(error.into()),
            Either::Left(_) | Either::Right((Err(_), _)) => Err(ServeError::SiteBuilder),
        }
    })
}

async fn answer(
    Shared(server): Shared<Arc<Server>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response<Body> {
    let Some(named) = host(&headers) else {
        let text = "A request must have exactly one Host header.\n";
        return plain(StatusCode::BAD_REQUEST, text);
    };
    let target = uri.authority().map(|authority| authority.as_str());
    if !server.hosts.allow(named) || !target.is_none_or(|target| server.hosts.allow(target)) {
        let text = "This server only answers requests for localhost and its own address.\n";
        return plain(StatusCode::MISDIRECTED_REQUEST, text);
    }
    if method != Method::GET && method != Method::HEAD {
        let mut response = plain(
            StatusCode::METHOD_NOT_ALLOWED,
            "Only GET and HEAD are supported.\n",
        );
        let allowed = HeaderValue::from_static("GET, HEAD");
        response.headers_mut().insert(header::ALLOW, allowed);
        return response;
    }
    let Some(path) = decoded(uri.path().trim_start_matches('/')) else {
        return plain(StatusCode::BAD_REQUEST, "This URL cannot be decoded.\n");
    };
    let query = uri.query().unwrap_or_default();
    match &*path {
        "-/live.js" => text(SCRIPT, "text/javascript; charset=utf-8"),
        "-/live.css" => text(STYLE, "text/css; charset=utf-8"),
        "-/events" => {
            let mut response = events(&server.live_reload, query).into_response();
            protect(response.headers_mut(), POLICY);
            response
        }
        "-/findings" => findings(&server.live_reload, query).await,
        path => page(&server.live_reload, path, wants_page(&headers)).await,
    }
}

/// The host that a request names; none unless it names exactly one.
fn host(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(header::HOST).iter();
    match (all.next(), all.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    }
}

/// Only browsers get live reload; other clients get exactly what a build writes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Client {
    Browser,
    Program,
}

fn wants_page(headers: &HeaderMap) -> Client {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/html")) {
        Client::Browser
    } else {
        Client::Program
    }
}

async fn page(live_reload: &LiveReload, path: &str, reader: Client) -> Response<Body> {
    let path = page_of(path);
    let takes = match reader {
        Client::Browser => Takes::FastUpdates,
        Client::Program => Takes::Builds,
    };
    let state = &live_reload.state_for(&path, takes).await;
    let update = state
        .updated_page(&path)
        .filter(|_| reader == Client::Browser);
    let answer = match (update, &state.site) {
        (Some(update), _) => Some(SiteFile::Found(update)),
        (None, Some(site)) => site.file(&path).await,
        (None, None) => None,
    };
    match answer {
        Some(SiteFile::Found(file)) => file_response(StatusCode::OK, &file, state, reader),
        Some(SiteFile::Missing(file)) => file_response(StatusCode::NOT_FOUND, &file, state, reader),
        Some(SiteFile::Broken(error)) => {
            let trouble = Trouble::of_page(&error);
            apology(StatusCode::INTERNAL_SERVER_ERROR, &trouble, state)
        }
        None => {
            let waiting = || Trouble {
                title: "Building the catalogue".to_owned(),
                text: "This page reloads when it is ready.".to_owned(),
            };
            let trouble = state.trouble.clone().unwrap_or_else(waiting);
            apology(StatusCode::SERVICE_UNAVAILABLE, &trouble, state)
        }
    }
}

/// The page that a query names.
fn named_page(query: &str) -> String {
    let page = parameter(query, "page").unwrap_or_default();
    page_of(page.trim_start_matches('/'))
}

/// The page that an address means.
fn page_of(path: &str) -> String {
    match path {
        "" => "index.html".to_owned(),
        _ => path.to_owned(),
    }
}

fn file_response(
    status: StatusCode,
    file: &ServedFile,
    state: &PreviewState,
    reader: Client,
) -> Response<Body> {
    let is_page = file.media_type.starts_with("text/html");
    let Some(text) = std::str::from_utf8(file.bytes.as_bytes())
        .ok()
        .filter(|_| is_page)
    else {
        return respond(status, file.media_type, file.bytes.clone(), POLICY);
    };
    let policy = policy(text).map_or_else(
        || POLICY.to_owned(),
        |policy| format!("{policy}; frame-ancestors 'none'"),
    );
    let bytes = match reader {
        Client::Browser => Cleared::new(with_script(text, state.build)),
        Client::Program => file.bytes.clone(),
    };
    respond(status, file.media_type, bytes, &policy)
}

/// Content security policy for files that are not pages.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/// The policy that a page states for itself.
fn policy(page: &str) -> Option<&str> {
    let stated = page
        .split_once("http-equiv=\"Content-Security-Policy\" content=\"")?
        .1;
    let policy = stated.split_once('"')?.0;
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    policy.bytes().all(is_plain).then_some(policy)
}

fn with_script(page: &str, build: u64) -> String {
    let script = format!("<script src=\"/-/live.js\" data-build=\"{build}\" defer></script>\n");
    match page.find("</head>") {
        Some(at) => [&page[..at], script.as_str(), &page[at..]].concat(),
        None => format!("{page}{script}"),
    }
}

/// A page for when there is none.
fn apology(status: StatusCode, trouble: &Trouble, state: &PreviewState) -> Response<Body> {
    let page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"/-/live.css\">\n</head>\n<body class=\"catalog-live-page\">\n<h1>{title}</h1>\n<pre>{text}</pre>\n</body>\n</html>\n",
        title = Html::escape(&trouble.title).as_str(),
        text = Html::escape(&trouble.text).as_str()
    );
    let page = with_script(&page, state.build);
    respond(
        status,
        "text/html; charset=utf-8",
        Cleared::new(page),
        POLICY,
    )
}

/// A live reload message to a page.
#[derive(Serialize)]
struct Told<'a> {
    build: u64,
    action: &'a Action,
    trouble: &'a Option<Trouble>,
}

struct Listener {
    states: watch::Receiver<Arc<PreviewState>>,
    page: String,
    /// The build that the page shows, as far as this stream knows.
    build: u64,
    is_new: bool,
    _open: OpenPage,
}

fn events(
    live_reload: &Arc<LiveReload>,
    query: &str,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let page = named_page(query);
    let listener = Listener {
        states: live_reload.subscribe(),
        build: parameter(query, "build")
            .and_then(|build| build.parse().ok())
            .unwrap_or(0),
        is_new: true,
        _open: live_reload.open_page(&page),
        page,
    };
    let events = stream::unfold(listener, |mut listener| async {
        // A new listener gets the current state at once, and later states as they arrive.
        if !listener.is_new && listener.states.changed().await.is_err() {
            return None;
        }
        listener.is_new = false;
        let state = listener.states.borrow_and_update().clone();
        let action = match (&state.trouble, &state.site) {
            (None, Some(_)) => state.action(&listener.page, listener.build),
            // The last good page stays until all is well.
            (trouble, _) => Action::Wait(trouble.clone()),
        };
        let (action, trouble) = match action {
            Action::Wait(trouble) => (Action::Stay, trouble),
            action => {
                listener.build = state.build;
                (action, None)
            }
        };
        let told = Told {
            build: listener.build,
            action: &action,
            trouble: &trouble,
        };
        let data = outgoing::line(serde_json::to_string(&told).unwrap_or_default());
        Some((Ok(Event::default().event("state").data(data)), listener))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}

async fn findings(live_reload: &LiveReload, query: &str) -> Response<Body> {
    let page = named_page(query);
    let found = match &live_reload.state().site {
        Some(site) => site.findings(&page).await,
        None => Vec::new(),
    };
    let json = Cleared::new(serde_json::to_vec(&found).unwrap_or_default());
    respond(StatusCode::OK, "application/json", json, POLICY)
}

fn text(text: &'static str, media_type: &'static str) -> Response<Body> {
    respond(StatusCode::OK, media_type, Cleared::new(text), POLICY)
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    respond(
        status,
        "text/plain; charset=utf-8",
        Cleared::new(text),
        POLICY,
    )
}

fn respond(status: StatusCode, media_type: &str, bytes: Cleared, policy: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(bytes.into_bytes()));
    *response.status_mut() = status;
    if let Ok(media_type) = HeaderValue::from_str(media_type) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, media_type);
    }
    protect(response.headers_mut(), policy);
    response
}

/// Sets the security headers of every response, so that pages of other sites cannot use it.
fn protect(headers: &mut HeaderMap, policy: &str) {
    let policy = HeaderValue::from_str(policy).unwrap_or_else(|_| HeaderValue::from_static(POLICY));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    for (name, value) in [
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (CROSS_ORIGIN, "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

const CROSS_ORIGIN: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Percent-decodes `text`; `None` if it is not valid encoded text.
fn decoded(text: &str) -> Option<Cow<'_, str>> {
    let is_well_formed = base::uri::is_well_formed(text);
    is_well_formed.then(|| base::uri::decoded(text))?
}

fn parameter<'a>(query: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(key, value)| (key == name).then(|| decoded(value))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_of_a_page_is_the_policy_of_its_answer() {
        let page = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'\">";
        assert_eq!(policy(page), Some("default-src 'none'"));
        assert_eq!(
            policy("<meta http-equiv=\"Content-Security-Policy\" content=\"a\r\nb\">"),
            None
        );
        assert_eq!(policy("no page"), None);
    }
}
