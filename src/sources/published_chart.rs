//! Charts that others publish, as files name them: by the address of a repository.

use charts::{AskedVersion, ChartRequest, RequestError};
use thiserror::Error;

/// Why nothing can be requested.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum ChartGap {
    #[error("{0}")]
    Request(String),
    #[error("its source, {0}, is not declared here")]
    Undeclared(String),
    #[error("its source, {0}, cannot be fetched from")]
    Source(String),
    #[error("its repository is not stated as a URL")]
    NoRepository,
    #[error("its name is not known")]
    NoName,
    #[error("its source filters tags by a pattern, which is not supported")]
    Filtered,
}

impl From<RequestError> for ChartGap {
    fn from(error: RequestError) -> ChartGap {
        ChartGap::Request(error.to_string())
    }
}

/// A request for a chart by the address of its repository and its name.
pub fn published(
    repository: Option<&str>,
    name: Option<&str>,
    version: Option<&str>,
) -> Result<ChartRequest, ChartGap> {
    let name = name
        .filter(|name| !name.is_empty())
        .ok_or(ChartGap::NoName)?;
    let repository = repository.filter(|text| !text.is_empty());
    let repository = repository.ok_or(ChartGap::NoRepository)?;
    let asked = AskedVersion::Version(version.unwrap_or_default().to_owned());
    if repository.contains("://") {
        return Ok(ChartRequest::published(repository, name, asked)?);
    }
    // A registry may be named without a scheme. Its first part then is a host, which the short name of a repository is not.
    let host = repository.split('/').next().unwrap_or_default();
    if host.contains(['.', ':']) || base::text::has_gap(repository) {
        return Ok(ChartRequest::published(
            &format!("oci://{repository}"),
            name,
            asked,
        )?);
    }
    Err(ChartGap::NoRepository)
}
