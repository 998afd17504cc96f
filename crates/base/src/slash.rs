//! Paths as Go's `path` takes them apart: any text, with slashes between its elements.

/// The last element of a path.
pub fn last(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" if path.is_empty() => ".",
        "" => "/",
        path => path.rsplit('/').next().unwrap_or(path),
    }
}

/// A path without its last element.
pub fn directory(path: &str) -> String {
    clean(path.rfind('/').map_or("", |at| &path[..=at]))
}

/// The shortest form of a path.
pub fn clean(path: &str) -> String {
    let is_rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match (part, parts.last()) {
            ("" | ".", _) => {}
            ("..", Some(last)) if *last != ".." => drop(parts.pop()),
            ("..", _) if is_rooted => {}
            (part, _) => parts.push(part),
        }
    }
    match (is_rooted, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_apart_as_go_does() {
        let cases = [
            ("a/b/c.yaml", "c.yaml", "a/b"),
            ("a/b/", "b", "a/b"),
            ("a", "a", "."),
            ("", ".", "."),
            ("/", "/", "/"),
            ("/a", "a", "/"),
            ("a/../b/./c", "c", "b"),
        ];
        for (path, name, before) in cases {
            assert_eq!(last(path), name, "{path}");
            assert_eq!(directory(path), before, "{path}");
        }
        assert_eq!(clean("../a//b/../.."), "..");
    }
}
