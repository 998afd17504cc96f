//! Tests of `repo.rs`.

use super::*;

fn repo_with(bytes: &[u8]) -> (tempfile::TempDir, Repo) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.yaml"), bytes).unwrap();
    let repo = Repo::open(dir.path(), &[]).unwrap();
    (dir, repo)
}

fn refusal(bytes: &[u8]) -> (&'static str, u32, u32) {
    let (_dir, repo) = repo_with(bytes);
    let finding = repo.read_text(FileId(0)).unwrap_err();
    assert!(finding.message.contains("`a.yaml`") && finding.help.is_some());
    (finding.rule, finding.place.line, finding.place.column)
}

#[test]
fn text_is_read_without_its_byte_order_mark() {
    let (_dir, repo) = repo_with("\u{feff}a: é\n".as_bytes());
    assert_eq!(repo.read_text(FileId(0)).unwrap(), "a: é\n");
    assert_eq!(repo.read(FileId(0)).unwrap().len(), 9);
}

#[test]
fn what_is_not_text_is_refused_with_its_place() {
    assert_eq!(refusal(b"a\0b"), ("file-binary", 1, 1));
    assert_eq!(refusal(b"a: 1\n\xc3\xa9: \xe9"), ("file-not-utf8", 2, 4));
    assert_eq!(refusal(b"\xff\xfea\0"), ("file-not-utf8", 1, 1));
}

#[test]
fn a_large_file_is_refused_even_if_it_grew() {
    let (dir, repo) = repo_with(b"a");
    let file = fs::File::options()
        .write(true)
        .open(dir.path().join("a.yaml"))
        .unwrap();
    file.set_len(MAX_FILE_BYTES).unwrap();
    assert_eq!(repo.read(FileId(0)).unwrap().len() as u64, MAX_FILE_BYTES);
    file.set_len(MAX_FILE_BYTES + 1).unwrap();
    let grown = repo.read(FileId(0)).unwrap_err();
    let reopened = Repo::open(dir.path(), &[]).unwrap();
    let large = reopened.read(FileId(0)).unwrap_err();
    assert_eq!((grown.rule, &grown), ("file-too-large", &large));
}

#[test]
fn a_file_that_went_away_or_never_was_is_unreadable() {
    let (dir, repo) = repo_with(b"a");
    fs::remove_file(dir.path().join("a.yaml")).unwrap();
    assert_eq!(repo.read(FileId(0)).unwrap_err().rule, "file-unreadable");
    fs::create_dir(dir.path().join("a.yaml")).unwrap();
    assert_eq!(repo.read(FileId(0)).unwrap_err().rule, "file-unreadable");
    assert_eq!(
        repo.read_text(FileId::NONE).unwrap_err().rule,
        "file-unreadable"
    );
    assert_eq!(repo.path(FileId::NONE), &RepoPath::root());
}

#[cfg(unix)]
#[test]
fn an_unreadable_file_is_a_finding() {
    use std::os::unix::fs::PermissionsExt;
    let (dir, repo) = repo_with(b"a");
    let path = dir.path().join("a.yaml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // A superuser may read it all the same.
    if fs::read(&path).is_err() {
        let finding = repo.read(FileId(0)).unwrap_err();
        assert_eq!(finding.rule, "file-unreadable");
        assert_eq!(
            finding.message,
            "`a.yaml` cannot be read: permission denied"
        );
    }
}

#[test]
fn only_a_directory_can_be_opened() {
    let (dir, _repo) = repo_with(b"a");
    let missing = Repo::open(&dir.path().join("none"), &[]).unwrap_err();
    assert!(matches!(missing, RepoError::Missing(_)));
    let file = Repo::open(&dir.path().join("a.yaml"), &[]).unwrap_err();
    assert!(matches!(file, RepoError::NotADirectory(_)));
}
