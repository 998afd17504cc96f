//! The live preview: a site in memory that follows the repo while people edit it, and the browsers that look at it.
//! Parts that share a [`LiveReload`]: the site builder follows the repo and builds a site of every state, a site worker answers
//! for one state, and the server passes answers and news on.

pub mod watch;

mod connection;
mod follow;
mod host;
mod http;
mod live_reload;
mod site_builder;
mod site_worker;
mod trouble;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use thiserror::Error;
use tokio::sync::oneshot;

use crate::pipeline::{ReadError, Request};
use crate::preview::watch::{WatchError, Watcher};
pub use follow::{Made, Maker, News, follow};
use host::Hosts;
use live_reload::LiveReload;
use system;

/// The port that is tried first.
pub const PORT: u16 = 4280;
/// And so many after it.
const MORE_PORTS: u16 = 20;

#[derive(Debug, Error)]
pub enum ServeError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Watch(#[from] WatchError),
    #[error(
        "`{0}` is not an address of this machine; pass one with --host, such as 127.0.0.1 or 0.0.0.0"
    )]
    Host(String),
    #[error(
        "cannot use port {port}: {error}; pass another with --port, or leave it out to use the next free port"
    )]
    Port { port: u16, error: io::Error },
    #[error("cannot run the server: {0}")]
    Server(io::Error),
    #[error("the rebuild worker stopped unexpectedly; please report this, with your last change")]
    SiteBuilder,
}

/// The address to serve on.
#[derive(Debug, Clone)]
pub struct ServeAddress {
    pub host: String,
    /// `None` for the first free port.
    pub port: Option<u16>,
}

/// A server that has its address, and does not answer yet.
pub struct Bound {
    listener: TcpListener,
    hosts: Hosts,
    pub address: SocketAddr,
}

impl Bound {
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Whether others than this machine can reach it.
    pub fn is_public(&self) -> bool {
        !self.address.ip().is_loopback()
    }
}

/// Takes the address.
pub fn bind(address: &ServeAddress) -> Result<Bound, ServeError> {
    let unknown = || ServeError::Host(address.host.clone());
    let ip = match address.host.as_str() {
        "localhost" => IpAddr::from([127, 0, 0, 1]),
        host => host.parse().map_err(|_| unknown())?,
    };
    let first = address.port.unwrap_or(PORT);
    let last = match address.port {
        Some(port) => port,
        None => first + MORE_PORTS,
    };
    let mut tried = (first..=last).map(|port| (port, TcpListener::bind((ip, port))));
    let found = tried.find(|(_, bound)| match bound {
        Err(error) => error.kind() != io::ErrorKind::AddrInUse || address.port.is_some(),
        Ok(_) => true,
    });
    let (port, bound) = found.unwrap_or_else(|| (0, TcpListener::bind((ip, 0))));
    let listener = bound.map_err(|error| match error.kind() {
        io::ErrorKind::AddrNotAvailable => unknown(),
        _ => ServeError::Port { port, error },
    })?;
    let address = listener.local_addr().map_err(ServeError::Server)?;
    listener.set_nonblocking(true).map_err(ServeError::Server)?;
    Ok(Bound {
        listener,
        hosts: Hosts::for_host(&address.ip().to_string()),
        address,
    })
}

/// Serves the site of a repo until the process is ended, if there is a repo. `say` is told what happens.
pub fn serve(
    request: Request,
    bound: Bound,
    say: impl FnMut(News) + Send + 'static,
) -> Result<(), ServeError> {
    // Every browser holds a connection open, and the usual limit is soon reached.
    system::allow_many_files();
    let watcher = Watcher::new(None)?;
    let live_reload = Arc::new(LiveReload::default());
    let shared = live_reload.clone();
    let (failed, end) = oneshot::channel();
    let work = move || {
        let error = site_builder::run(&request, &shared, watcher, say);
        // The server may have ended of itself.
        let _ = failed.send(error);
    };
    thread::Builder::new()
        .name("site_builder".to_owned())
        .spawn(work)
        .map_err(ServeError::Server)?;
    http::run(bound.listener, bound.hosts, live_reload, end)
}

/// Opens a URL in the user's browser.
pub fn open(url: &str) -> io::Result<()> {
    let program = match () {
        () if cfg!(target_os = "macos") => "open",
        () if cfg!(target_os = "windows") => "explorer",
        () => "xdg-open",
    };
    let mut browser = std::process::Command::new(program);
    browser
        .arg(url)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    browser.spawn().map(drop)
}

/// A path as people name it: from where they are, if it is below.
fn shown(path: &Path, root: &Path) -> String {
    path.strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
}
