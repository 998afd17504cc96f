//! This project itself: where its source and its releases are published. Set once, as `repository` in Cargo.toml.

/// The address of the published repository, such as `https://github.com/acme/catalog`. None while Cargo.toml names the
/// placeholder owner: nothing may link to it or download from it.
pub fn repository() -> Option<&'static str> {
    published(env!("CARGO_PKG_REPOSITORY"))
}

/// The owner and name of a repository in its address: `acme/catalog`.
pub fn owner_and_name(repository: &str) -> Option<&str> {
    let path = repository.strip_prefix("https://")?.split_once('/')?.1;
    path.contains('/').then_some(path)
}

/// The tag of this version.
pub const TAG: &str = concat!("v", env!("CARGO_PKG_VERSION"));

/// Owner of the repository until the project is published.
const PLACEHOLDER: &str = "https://github.com/your-org/";

fn published(repository: &str) -> Option<&str> {
    let address = repository.trim_end_matches('/').trim_end_matches(".git");
    let is_published = address.starts_with("https://") && !address.starts_with(PLACEHOLDER);
    is_published.then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_placeholder_is_not_a_published_repository() {
        assert_eq!(published(""), None);
        assert_eq!(published("https://github.com/your-org/tool"), None);
        assert_eq!(published("git@github.com:acme/catalog"), None);
        let address = published("https://github.com/acme/catalog.git/");
        assert_eq!(address, Some("https://github.com/acme/catalog"));
        assert_eq!(address.and_then(owner_and_name), Some("acme/catalog"));
        assert_eq!(owner_and_name("https://github.com/acme"), None);
    }
}
