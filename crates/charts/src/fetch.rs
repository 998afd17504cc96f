//! Downloads charts: resolves each request, verifies what comes back, and keeps it. The only part that uses the network.

mod connection;
mod credentials;
mod git;
mod http;
mod mirror;
mod oci;
mod process;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use crate::address::{AddressError, WebAddress, WebScheme};
use crate::archive::{ArchiveError, MAX_ARCHIVE_BYTES, unpack};
use crate::digest::ContentDigest;
use crate::index::{self, IndexError, IndexedVersion, MAX_INDEX_BYTES};
use crate::lock::{ChartLock, LockedChart};
use crate::request::{AskedVersion, ChartRepository, ChartRequest};
use crate::store::ArchiveDirectory;
use http::{Encoding, HttpAnswer, HttpClient, HttpError, HttpRequest};
use process::ProcessError;

pub use credentials::{Credentials, VARIABLE as CREDENTIALS_VARIABLE};
pub use mirror::ChartMirror;

/// Downloads at the same time.
const THREADS: usize = 6;
const PAUSE: Duration = Duration::from_millis(500);

/// How charts are fetched.
#[derive(Debug)]
pub struct FetchOptions {
    /// The store of archives.
    pub archives: ArchiveDirectory,
    pub mirrors: Vec<ChartMirror>,
    pub credentials: Credentials,
    pub update: FetchUpdate,
    /// Between attempts; tests have a shorter one.
    pub pause: Duration,
}

impl FetchOptions {
    pub fn new(archives: ArchiveDirectory, credentials: Credentials) -> FetchOptions {
        FetchOptions {
            archives,
            mirrors: Vec::new(),
            credentials,
            update: FetchUpdate::Nothing,
            pause: PAUSE,
        }
    }
}

/// Which requests are resolved again although the lock file knows their answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchUpdate {
    Nothing,
    Everything,
    /// Charts of these names.
    Charts(Vec<String>),
}

/// The outcome of a request.
#[derive(Debug)]
pub enum FetchOutcome {
    /// It was there.
    Present,
    /// It was downloaded again, as the lock file has it.
    Restored,
    /// It was resolved for the first time.
    Added,
    /// It was resolved again and leads to something else than before.
    Changed { before: LockedChart },
    /// It failed; what the lock file had is kept.
    Failed(FetchError),
}

/// The outcomes of all requests.
#[derive(Debug)]
pub struct FetchReport {
    pub outcomes: BTreeMap<ChartRequest, FetchOutcome>,
    /// The lock file as it should be.
    pub lock: ChartLock,
}

/// Why a chart could not be fetched.
#[derive(Debug, Error)]
pub enum FetchError {
    #[error(transparent)]
    Http(#[from] HttpError),
    #[error("{host} answered {status}{}", meaning(*.status))]
    Status { host: String, status: u16 },
    #[error("its address cannot be used: {0}")]
    Address(#[from] AddressError),
    #[error("{0}")]
    Index(#[from] IndexError),
    #[error("{0}")]
    Archive(#[from] ArchiveError),
    #[error("the archive is larger than {} MiB", MAX_ARCHIVE_BYTES / 1024 / 1024)]
    ArchiveTooLarge,
    #[error("the digest does not match: expected {expected}, received {found}")]
    Digest {
        expected: ContentDigest,
        found: ContentDigest,
    },
    #[error(
        "the repository now serves another archive of {version} than the one in catalog.lock \
             (locked {locked}, received {found}); find out why, then accept it with `--update={chart}`"
    )]
    Replaced {
        chart: String,
        version: String,
        locked: ContentDigest,
        found: ContentDigest,
    },
    #[error("the archive is the chart `{found}`, not `{expected}`")]
    OtherChart { expected: String, found: String },
    #[error(
        "the index names an archive by plain http and without a digest, which anybody on the way could replace"
    )]
    Unverified,
    #[error("catalog.lock does not name its revision; run `catalog fetch --update`")]
    NoRevision,
    #[error("{0}")]
    Shared(Arc<FetchError>),
    #[error("{0}")]
    Registry(String),
    #[error("{0}")]
    Process(#[from] ProcessError),
    #[error("the archive cannot be stored: {0}")]
    Store(std::io::Error),
}

fn meaning(status: u16) -> &'static str {
    match status {
        401 | 403 => {
            ": a valid login is needed, from Docker's or Helm's configuration, ~/.netrc or CATALOG_FETCH_CREDENTIALS"
        }
        404 => " (not found)",
        429 => " (too many requests); try again later",
        _ => "",
    }
}

impl FetchError {
    fn unless_ok(answer: HttpAnswer) -> Result<HttpAnswer, FetchError> {
        if (200..300).contains(&answer.status) {
            Ok(answer)
        } else {
            Err(FetchError::Status {
                host: answer.address.authority().to_owned(),
                status: answer.status,
            })
        }
    }
}

/// The version to download: the one that is asked for, or the one in the lock file.
#[derive(Debug, Clone, Copy)]
enum Wanted<'w> {
    Asked(&'w AskedVersion),
    /// Exactly what the lock file names.
    Locked(&'w LockedChart),
}

/// An archive as it was received.
struct Download {
    bytes: Vec<u8>,
    revision: Option<String>,
    /// The name that its chart must have, where the repository goes by names.
    chart: Option<String>,
}

/// Requests that are answered one after the other, because they share an index.
type FetchJob<'r> = Vec<&'r ChartRequest>;

/// Fetches what is not there yet. `step` is called after each request.
pub fn fetch(
    requests: &[ChartRequest],
    lock: &ChartLock,
    options: &FetchOptions,
    step: &(dyn Fn() + Sync),
) -> FetchReport {
    let jobs = jobs(requests);
    let run = FetchRun {
        client: OnceLock::new(),
        lock,
        options,
    };
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let work = || {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut index = None;
            for request in job {
                let result = run.one(request, &mut index);
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                done.insert((*request).clone(), result);
                step();
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..THREADS.min(jobs.len()) {
            scope.spawn(work);
        }
    });
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    report(done, lock)
}

fn report(
    done: BTreeMap<ChartRequest, Result<(FetchOutcome, LockedChart), FetchError>>,
    before: &ChartLock,
) -> FetchReport {
    let mut lock = ChartLock {
        vendor: before.vendor.clone(),
        charts: BTreeMap::new(),
    };
    let mut outcomes = BTreeMap::new();
    for (request, result) in done {
        let locked = before.charts.get(&request).cloned();
        let (outcome, locked) = match result {
            Ok((outcome, locked)) => (outcome, Some(locked)),
            Err(error) => (FetchOutcome::Failed(error), locked),
        };
        lock.charts
            .extend(locked.map(|locked| (request.clone(), locked)));
        outcomes.insert(request, outcome);
    }
    FetchReport { outcomes, lock }
}

/// The requests, those of one HTTP repository together: its index is read once.
fn jobs(requests: &[ChartRequest]) -> Vec<FetchJob<'_>> {
    let mut sorted: Vec<&ChartRequest> = requests.iter().collect();
    sorted.sort();
    sorted.dedup();
    let mut jobs: Vec<FetchJob<'_>> = Vec::new();
    for request in sorted {
        let last = jobs.last().and_then(|job| job.last());
        let is_shared = matches!(request.repository, ChartRepository::Http(_))
            && last.is_some_and(|last| last.repository == request.repository);
        match jobs.last_mut().filter(|_| is_shared) {
            Some(job) => job.push(request),
            None => jobs.push(vec![request]),
        }
    }
    jobs
}

/// One run of [`fetch`].
struct FetchRun<'f> {
    /// Made when something is downloaded.
    client: OnceLock<HttpClient>,
    lock: &'f ChartLock,
    options: &'f FetchOptions,
}

/// The index of a repository, once it was read.
struct ReadIndex {
    address: WebAddress,
    text: String,
}

/// The result of reading an index, kept so that it is read once per repository.
type IndexResult = Result<ReadIndex, Arc<FetchError>>;

impl FetchRun<'_> {
    fn client(&self) -> &HttpClient {
        self.client
            .get_or_init(|| HttpClient::new(self.options.pause))
    }

    fn one(
        &self,
        request: &ChartRequest,
        index: &mut Option<IndexResult>,
    ) -> Result<(FetchOutcome, LockedChart), FetchError> {
        let locked = self.lock.charts.get(request);
        let is_updated = match &self.options.update {
            FetchUpdate::Nothing => false,
            FetchUpdate::Everything => true,
            FetchUpdate::Charts(names) => names.iter().any(|name| request.is_called(name)),
        };
        if let Some(locked) = locked.filter(|_| !is_updated) {
            // A damaged archive is replaced.
            if self.options.archives.read(&locked.digest).is_ok() {
                return Ok((FetchOutcome::Present, locked.clone()));
            }
            let restored = self.download(request, Wanted::Locked(locked), index)?;
            if restored.digest != locked.digest {
                return Err(FetchError::Replaced {
                    chart: request.chart.clone(),
                    version: locked.version.clone(),
                    locked: locked.digest.clone(),
                    found: restored.digest,
                });
            }
            return Ok((FetchOutcome::Restored, locked.clone()));
        }
        let found = self.download(request, Wanted::Asked(&request.asked), index)?;
        let outcome = match locked {
            None => FetchOutcome::Added,
            Some(before) if *before == found => FetchOutcome::Present,
            Some(before) => FetchOutcome::Changed {
                before: before.clone(),
            },
        };
        Ok((outcome, found))
    }

    /// Downloads a chart, verifies and stores it.
    fn download(
        &self,
        request: &ChartRequest,
        wanted: Wanted<'_>,
        index: &mut Option<IndexResult>,
    ) -> Result<LockedChart, FetchError> {
        let mirrored = |url: &str| mirror::mirrored(&self.options.mirrors, url);
        let credentials = &self.options.credentials;
        let download = match &request.repository {
            ChartRepository::Http(url) => self.published(url, &request.chart, wanted, index)?,
            ChartRepository::Oci(url) => {
                let url = mirrored(&format!("{url}/{}", request.chart));
                oci::download(self.client(), credentials, &url, wanted)?
            }
            ChartRepository::Git(url) => {
                let scratch = Scratch::new().map_err(FetchError::Store)?;
                git::download(&scratch.0, &mirrored(url), &request.chart, wanted)?
            }
        };
        let (name, version) = unpack(&download.bytes)?.identity()?;
        if let Some(expected) = download.chart.filter(|expected| *expected != name) {
            return Err(FetchError::OtherChart {
                expected,
                found: name,
            });
        }
        let digest = match wanted {
            // Nothing else is stored under a name that the lock file does not know.
            Wanted::Locked(locked) if ContentDigest::of(&download.bytes) != locked.digest => {
                ContentDigest::of(&download.bytes)
            }
            _ => {
                let stored = self.options.archives.save(&download.bytes);
                stored.map_err(FetchError::Store)?
            }
        };
        Ok(LockedChart {
            version,
            digest,
            revision: download.revision,
        })
    }

    fn published(
        &self,
        url: &str,
        chart: &str,
        wanted: Wanted<'_>,
        index: &mut Option<IndexResult>,
    ) -> Result<Download, FetchError> {
        let index = index.get_or_insert_with(|| self.index(url).map_err(Arc::new));
        let index = index.as_ref();
        let index = index.map_err(|error| FetchError::Shared(error.clone()))?;
        let asked = match wanted {
            Wanted::Asked(AskedVersion::Version(asked)) => asked.as_str(),
            Wanted::Asked(_) => {
                return Err(FetchError::Registry(
                    "the repository has versions only".to_owned(),
                ));
            }
            Wanted::Locked(locked) => &locked.version,
        };
        let IndexedVersion { url, digest, .. } = index::resolve(&index.text, chart, asked)?;
        let written = archive_address(&index.address, &url)?;
        let address = mirror::mirrored(&self.options.mirrors, &written.to_string());
        let address = WebAddress::parse(&address)?;
        let expected = digest.map(|text| {
            let text = text.trim();
            ContentDigest::parse(text).or_else(|| ContentDigest::from_hex(text))
        });
        let is_open = address.scheme == WebScheme::Http && index.address.scheme == WebScheme::Https;
        if is_open && expected.is_none() {
            return Err(FetchError::Unverified);
        }
        // A mirror is the user's own choice.
        let from = (address == written).then_some(&index.address);
        let answer = self.get(&address, from, MAX_ARCHIVE_BYTES, Encoding::Plain)?;
        let found = ContentDigest::of(&answer.body);
        match expected {
            Some(Some(expected)) if expected != found => {
                Err(FetchError::Digest { expected, found })
            }
            Some(None) => Err(FetchError::Registry(
                "the index states a digest that is not SHA-256".to_owned(),
            )),
            _ => Ok(Download {
                bytes: answer.body,
                revision: None,
                chart: Some(chart.to_owned()),
            }),
        }
    }

    fn index(&self, url: &str) -> Result<ReadIndex, FetchError> {
        let url = WebAddress::parse(&mirror::mirrored(&self.options.mirrors, url))?;
        let (path, query) = url
            .path()
            .split_at(url.path().find('?').unwrap_or(url.path().len()));
        let path = format!("{}/index.yaml{query}", path.trim_end_matches('/'));
        let address = url.with_path(&path)?;
        let answer = self.get(&address, None, MAX_INDEX_BYTES, Encoding::Compressed)?;
        let text = String::from_utf8(answer.body).map_err(|_| IndexError::Unreadable)?;
        Ok(ReadIndex {
            // References are relative to the address that people know, not to where it redirects.
            address,
            text,
        })
    }

    /// An answer, with the user's login for that address.
    fn get(
        &self,
        address: &WebAddress,
        from: Option<&WebAddress>,
        most: u64,
        encoding: Encoding,
    ) -> Result<HttpAnswer, FetchError> {
        let credentials = &self.options.credentials;
        let send = |authorization| {
            self.client().send(&HttpRequest {
                address,
                from,
                accept: "*/*",
                authorization,
                form: None,
                most,
                encoding,
            })
        };
        let known = credentials.known(address).and_then(|login| login.basic());
        let answer = send(known.as_ref())?;
        if answer.status == 401 && known.is_none() && answer.address == *address {
            let wanted = credentials.wanted(address).and_then(|login| login.basic());
            if wanted.is_some() {
                return FetchError::unless_ok(send(wanted.as_ref())?);
            }
        }
        FetchError::unless_ok(answer)
    }
}

/// The address of an archive. A query of the repository counts for archives beside the index, too.
fn archive_address(index: &WebAddress, url: &str) -> Result<WebAddress, AddressError> {
    let query = index.path().find('?').map_or("", |at| &index.path()[at..]);
    if url.contains("://") || url.contains('?') {
        return index.join(url);
    }
    index.join(&format!("{url}{query}"))
}

/// A directory for git, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> std::io::Result<Scratch> {
        let parent = std::env::temp_dir();
        let made = system::output::with_free_name("catalog-fetch".as_ref(), |name| {
            system::cache::make_private_anew(&parent.join(name))
        });
        Ok(Scratch(parent.join(made?.0)))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It is in the directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
