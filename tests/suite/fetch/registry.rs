//! An OCI registry on loopback that wants a token, as far as `catalog fetch` uses one.

use serde_json::json;

use super::server::{Asked, Reply, Server, chart, digest};

/// The manifest of a chart.
pub fn manifest(archive: &[u8]) -> String {
    let layer = json!({
        "mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip",
        "digest": format!("sha256:{}", digest(archive)),
        "size": archive.len(),
    });
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {},
        "layers": [layer],
    });
    manifest.to_string()
}

/// A registry with `acme/web` in these versions. It gives tokens to everybody, or to `me:word`.
pub fn registry(versions: &'static [&'static str], login: Option<&'static str>) -> Server {
    Server::start(move |asked| answer(asked, versions, login))
}

fn answer(asked: &Asked, versions: &[&str], login: Option<&str>) -> Reply {
    let own = asked.header("host").to_owned();
    if let Some(query) = asked.path.strip_prefix("/token?") {
        assert_eq!(
            query,
            "service=registry.example.com&scope=repository%3Aacme/web%3Apull"
        );
        return match login {
            Some(login) if asked.header("authorization") != login => Reply::status(401),
            _ => Reply::ok("{\"token\": \"secret-token\"}"),
        };
    }
    if asked.header("authorization") != "Bearer secret-token" {
        let realm = format!(
            "Bearer realm=\"http://{own}/token\",service=\"registry.example.com\",scope=\"x\""
        );
        return Reply::status(401).with("www-authenticate", &realm);
    }
    let Some(path) = asked.path.strip_prefix("/v2/acme/web/") else {
        return Reply::status(404);
    };
    // One tag on each page.
    if let Some(query) = path.strip_prefix("tags/list?") {
        let page: usize = query
            .strip_prefix("page=")
            .map_or(0, |page| page.parse().unwrap());
        let tags = versions.get(page).map(|tag| tag.replace('+', "_"));
        let reply = Reply::ok(json!({ "name": "acme/web", "tags": tags.as_slice() }).to_string());
        let next = format!("</v2/acme/web/tags/list?page={}>; rel=\"next\"", page + 1);
        return if page + 1 < versions.len() {
            reply.with("link", &next)
        } else {
            reply
        };
    }
    for version in versions {
        let archive = chart("web", version);
        let manifest = manifest(&archive);
        let of_manifest = format!("manifests/sha256:{}", digest(manifest.as_bytes()));
        let tag = format!("manifests/{}", version.replace('+', "_"));
        if path == of_manifest || path == tag {
            return Reply::ok(manifest);
        }
        if path == format!("blobs/sha256:{}", digest(&archive)) {
            return Reply::ok(archive);
        }
    }
    Reply::status(404)
}
