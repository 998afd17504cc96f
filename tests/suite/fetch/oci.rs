//! OCI registries.

use std::fs;
use std::sync::Mutex;

use super::registry::{manifest, registry};
use super::server::{Reply, Server, chart, digest};
use super::{Place, both, release};

fn url(server: &Server) -> String {
    format!("oci://{}/acme", server.host())
}

fn source(url: &str, reference: &str) -> String {
    format!(
        "apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {{name: web, namespace: apps}}
spec: {{url: '{url}/web', ref: {{{reference}}}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: web, namespace: apps}}
spec: {{chartRef: {{kind: OCIRepository, name: web}}}}
"
    )
}

#[test]
fn a_range_is_resolved_over_all_pages_of_tags_with_a_token() {
    let server = registry(
        &["1.2.0", "latest", "1.10.0", "1.11.0-rc.1", "1.9.0+build.1"],
        None,
    );
    let place = Place::release(&url(&server), "1.x");
    let text = place.fetch(&[], 0);
    assert!(
        text.contains("added: web from oci://127.0.0.1") && text.contains(", 1.10.0"),
        "{text}"
    );
    let archive = chart("web", "1.10.0");
    let lock = place.lock();
    assert!(lock.contains(&digest(&archive)), "{lock}");
    let revision = digest(manifest(&archive).as_bytes());
    assert!(
        lock.contains(&format!("revision = \"sha256:{revision}\"")),
        "{lock}"
    );
    assert!(!lock.contains("secret-token") && !text.contains("secret-token"));
    let tokens = server
        .paths()
        .iter()
        .filter(|path| path.starts_with("/token"))
        .count();
    assert_eq!(tokens, 1);
    // An exact version needs no list.
    place.write("apps/web.yaml", &release(&url(&server), "1.9.0+build.1"));
    place.fetch(&[], 0);
    assert!(place.lock().contains("version = \"1.9.0+build.1\""));
    assert!(server.paths().iter().all(|path| !path.contains("tags")));
}

#[test]
fn tags_digests_and_ranges_of_a_source_count() {
    let server = registry(&["1.2.0", "1.3.0"], None);
    let digest = digest(manifest(&chart("web", "1.2.0")).as_bytes());
    for (reference, version) in [
        ("tag: 1.2.0", "1.2.0"),
        ("semver: '>=1.0.0-0'", "1.3.0"),
        (&format!("tag: 1.3.0, digest: 'sha256:{digest}'"), "1.2.0"),
    ] {
        let place = Place::with(&[("apps/web.yaml", &source(&url(&server), reference))]);
        place.fetch(&[], 0);
        let lock = place.lock();
        assert!(
            lock.contains(&format!("version = \"{version}\"")),
            "{reference}\n{lock}"
        );
    }
}

#[test]
fn a_moved_tag_is_followed_only_on_request() {
    static CURRENT: Mutex<&str> = Mutex::new("1.2.0");
    let server = Server::start(|asked| {
        for version in ["1.2.0", "1.3.0"] {
            let archive = chart("web", version);
            let manifest = manifest(&archive);
            let is_tagged = asked.path.ends_with("/stable") && *CURRENT.lock().unwrap() == version;
            if is_tagged || asked.path.ends_with(&digest(manifest.as_bytes())) {
                return Reply::ok(manifest);
            }
            if asked.path.ends_with(&digest(&archive)) {
                return Reply::ok(archive);
            }
        }
        Reply::status(404)
    });
    let place = Place::with(&[("apps/web.yaml", &source(&url(&server), "tag: stable"))]);
    place.fetch(&[], 0);
    *CURRENT.lock().unwrap() = "1.3.0";
    place.fetch(&[], 0);
    // What the lock file names is still there, although the tag is not.
    fs::remove_dir_all(place.home.path().join("cache")).unwrap();
    place.fetch(&["--locked"], 0);
    assert!(place.lock().contains("version = \"1.2.0\""));
    let moved = place.fetch(&["--update"], 0);
    assert!(moved.contains("1.2.0 to 1.3.0"), "{moved}");
}

#[test]
fn a_registry_that_wants_a_login_gets_it_and_nobody_else_does() {
    // `me:word`
    let server = registry(&["1.2.0"], Some("Basic bWU6d29yZA=="));
    let place = Place::release(&url(&server), "1.x");
    let refused = place.fetch(&[], 1);
    assert!(refused.contains("answered 401"), "{refused}");
    let docker = place.home.path().join(".docker");
    fs::create_dir_all(&docker).unwrap();
    let config = format!(
        "{{\"auths\": {{\"{}\": {{\"auth\": \"bWU6d29yZA==\"}}}}}}",
        server.host()
    );
    fs::write(docker.join("config.json"), config).unwrap();
    place.fetch(&[], 0);
    for asked in server.asked() {
        let authorization = asked.header("authorization");
        assert!(
            asked.path.starts_with("/token") || !authorization.contains("Basic"),
            "{asked:?}"
        );
    }
}

#[test]
fn what_a_registry_sends_is_verified() {
    let wrong = |path: &'static str| {
        Server::start(move |asked| {
            let archive = chart("web", "1.2.0");
            let other = || Reply::ok(chart("web", "6.6.6"));
            if asked.path.contains("/manifests/") {
                let body = manifest(&archive);
                let changed = body.replace("schemaVersion\":2", "schemaVersion\":3");
                return Reply::ok(if path == "manifest" { changed } else { body });
            }
            if path == "blob" {
                other()
            } else {
                Reply::ok(archive)
            }
        })
    };
    let pinned = digest(manifest(&chart("web", "1.2.0")).as_bytes());
    for part in ["manifest", "blob"] {
        let server = wrong(part);
        let reference = format!("digest: 'sha256:{pinned}'");
        let place = Place::with(&[("apps/web.yaml", &source(&url(&server), &reference))]);
        let text = place.fetch(&[], 1);
        assert!(text.contains("the digest does not match"), "{part}: {text}");
        assert!(place.archives().is_empty());
    }
    let image = Server::start(|_| Reply::ok("{\"layers\": [{\"mediaType\": \"x\"}, {}]}"));
    let place = Place::release(&url(&image), "1.2.0");
    let text = place.fetch(&[], 1);
    assert!(
        text.contains("its manifest is not that of a Helm chart"),
        "{text}"
    );
}

#[test]
fn a_mirror_of_a_registry_is_asked_instead() {
    let server = registry(&["1.2.0"], None);
    let place = Place::release("oci://ghcr.io/stable", "1.x");
    let mirror = format!(
        "[[fetch.mirror]]\nfrom = \"oci://ghcr.io/stable\"\nto = \"{}\"\n",
        url(&server)
    );
    place.write("catalog.toml", &mirror);
    place.fetch(&[], 0);
    assert!(
        place
            .lock()
            .contains("repository = \"oci://ghcr.io/stable\"")
    );
}

/// Debian's `docker-registry`, where it is installed: what is pushed to it is fetched from it.
#[test]
fn a_real_registry_serves_charts() {
    let Some(registry) = real::Registry::start() else {
        println!("skipped: docker-registry is not installed");
        return;
    };
    for version in ["1.2.0", "1.3.0", "2.0.0-rc.1"] {
        registry.push("acme/web", version, &chart("web", version));
    }
    let url = format!("oci://127.0.0.1:{}/acme", registry.port);
    let place = Place::release(&url, "1.x");
    let text = place.fetch(&[], 0);
    assert!(text.contains(", 1.3.0"), "{text}");
    let again = place.fetch(&["--locked"], 0);
    assert!(again.contains("nothing to download"), "{again}");
    // The tag moves; the lock file stays until it is told otherwise.
    registry.push("acme/web", "1.3.0", &chart("web", "1.3.0+moved"));
    fs::remove_dir_all(place.home.path().join("cache")).unwrap();
    place.fetch(&[], 0);
    assert!(place.lock().contains("version = \"1.3.0\"\n"));
    let moved = place.fetch(&["--update"], 0);
    assert!(moved.contains("1.3.0 to 1.3.0+moved"), "{moved}");
    let output = place.run(&["fetch", "--update=web", "--verbose"]);
    assert!(
        both(&output).contains("unchanged: web"),
        "{}",
        both(&output)
    );
}

mod real {
    //! Starts `docker-registry`, and pushes charts as `helm push` does.

    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::Duration;

    use tempfile::TempDir;

    use super::{digest, manifest};

    pub struct Registry {
        pub port: u16,
        child: Child,
        _data: TempDir,
    }

    impl Registry {
        pub fn start() -> Option<Registry> {
            let data = tempfile::tempdir().unwrap();
            let port = TcpListener::bind("127.0.0.1:0")
                .unwrap()
                .local_addr()
                .unwrap()
                .port();
            let config = format!(
                "version: 0.1\nstorage:\n  filesystem: {{rootdir: '{}'}}\nhttp: {{addr: '127.0.0.1:{port}'}}\n",
                data.path().display()
            );
            let file = data.path().join("config.yml");
            std::fs::write(&file, config).unwrap();
            let child = Command::new("docker-registry")
                .arg("serve")
                .arg(&file)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .ok()?;
            let registry = Registry {
                port,
                child,
                _data: data,
            };
            for _ in 0..200 {
                if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return Some(registry);
                }
                thread::sleep(Duration::from_millis(50));
            }
            panic!("docker-registry does not answer");
        }

        pub fn push(&self, name: &str, tag: &str, archive: &[u8]) {
            for blob in [archive, b"{}"] {
                let answer = self.send("POST", &format!("/v2/{name}/blobs/uploads/"), "", b"");
                let location = answer
                    .lines()
                    .find_map(|line| line.strip_prefix("Location: "))
                    .unwrap_or_else(|| panic!("{answer}"));
                let path = &location[location.find("/v2/").unwrap()..];
                let path = format!("{path}&digest=sha256:{}", digest(blob));
                let answer = self.send("PUT", &path, "application/octet-stream", blob);
                assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
            }
            let config = format!(
                "{{\"mediaType\":\"application/vnd.cncf.helm.config.v1+json\",\"digest\":\"sha256:{}\",\"size\":2}}",
                digest(b"{}")
            );
            let manifest =
                manifest(archive).replace("\"config\":{}", &format!("\"config\":{config}"));
            let kind = "application/vnd.oci.image.manifest.v1+json";
            let path = format!("/v2/{name}/manifests/{tag}");
            let answer = self.send("PUT", &path, kind, manifest.as_bytes());
            assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        }

        fn send(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> String {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
            let head = format!(
                "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
                self.port,
                body.len()
            );
            stream.write_all(head.as_bytes()).unwrap();
            stream.write_all(body).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        }
    }

    impl Drop for Registry {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
