//! What is said about files and directories.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "directory-unreadable": "A directory cannot be read.",
        does: "Reports directories that may not be listed, or whose `.gitignore` is not a plain file of reasonable size.",
        bad: "Nothing below it is in the catalogue, and nothing below it is checked.",
        example: "console" "$ ls -ld secrets\nd--------- 2 root root 4096 secrets",
        fix: "Change its permissions, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Info "file-binary": "A file that should be text is not.",
        does: "Reports manifests and pages that contain a NUL byte.",
        bad: "The file is not read. If it is a manifest, what it declares is missing.",
        example: "text" "an archive that is called values.yaml",
        fix: "Give it the name of what it is, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Warning "file-ignored": "A `.gitignore` hides files, and git cannot say whether it tracks them.",
        does: "Reports directories and manifests that a `.gitignore` names where git does not answer. Otherwise, ignored files that git tracks are read, and the rest is no part of the repository.",
        bad: "A tracked file is deployed whatever a `.gitignore` says, and nothing here has checked it. Without any git repository, this is an info.",
        example: "console" "$ git ls-files\nfatal: detected dubious ownership in repository at '/work'",
        fix: "Run it in a clone, with git installed; where the clone belongs to somebody else, add it to git's `safe.directory`.",
    },
    rule! {
        Error "file-missing": "A manifest refers to a file that does not exist.",
        does: "Looks for entries of kustomizations that name files or directories which are not there.",
        bad: "kustomize refuses the build: nothing that the kustomization includes is applied.",
        example: "yaml" "resources: [deploymnet.yaml]",
        fix: "Correct the name, create the file, or remove the entry.",
    },
    rule! {
        Error "file-not-utf8": "A file is not UTF-8.",
        does: "Reports manifests and pages in another encoding, with the first byte that shows it.",
        bad: "The file is not read. Kubernetes tools take UTF-8 only.",
        example: "text" "caf\\xe9: true   # Latin-1",
        fix: "Save it in UTF-8, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Warning "file-too-large": "A file is too large to be read.",
        does: "Skips files over 8 MiB.",
        bad: "What it declares is missing. No manifest that people write is as large as that.",
        example: "text" "crds/all.yaml has 9 MiB",
        fix: "Split it, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "file-unreadable": "A file cannot be read.",
        does: "Reports files that went away or may not be opened.",
        bad: "What it declares is missing.",
        example: "console" "$ ls -l app.yaml\n---------- 1 root root 512 app.yaml",
        fix: "Change its permissions, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Info "file-withheld": "A page or module is part of a Secret, so it is not shown.",
        does: "Reports Markdown, Terraform and other files that a `secretGenerator` puts into a Secret.",
        bad: "Everything in such a file is treated as secret. It gets no page, and what it declares is missing.",
        example: "yaml" "secretGenerator:\n  - name: notes\n    files: [notes.md]",
        fix: "Use a `configMapGenerator` if the file holds no secret. Encrypt it if it does.",
    },
    rule! {
        Warning "ignore-invalid": "A pattern under `ignore` is not a glob.",
        does: "Looks for patterns in the `ignore` of `catalog.toml` that cannot be compiled.",
        bad: "It ignores nothing, so that what it was meant for is read.",
        example: "toml" "ignore = [\"vendor/[a\"]",
        fix: "Correct the pattern; it is written as in a `.gitignore`.",
    },
    rule! {
        Warning "link-outside": "A symbolic link leads out of the repository.",
        does: "Reports links whose target is outside of the tree that is read. They are not followed.",
        bad: "Another machine has something else there, or nothing.",
        example: "console" "$ ls -l shared\nshared -> ../../shared",
        fix: "Copy what it leads to into the repository, or remove the link.",
    },
    rule! {
        Warning "link-renamed": "A symbolic link gives a file the name of a manifest.",
        does: "Reports links such as `app.yaml` that lead to a file whose own name is not that of a manifest. Files are read once, by their own names.",
        bad: "A reconciler that follows links applies it, and nothing here has checked it.",
        example: "console" "$ ls -l app.yaml\napp.yaml -> notes.txt",
        fix: "Give the file the name of a manifest, or replace the link with a copy.",
    },
    rule! {
        Warning "path-not-utf8": "The name of a file is not UTF-8.",
        does: "Reports files and directories whose name is in another encoding.",
        bad: "They are not read, as no manifest could name them.",
        example: "text" "docs/caf\\xe9.md",
        fix: "Rename it, or add it to `ignore` in `catalog.toml`.",
    },
    rule! {
        Error "path-outside": "A manifest refers to something outside of the repository.",
        does: "Looks for entries of kustomizations that lead above the root of the repository, or are absolute.",
        bad: "The reconciler has only what is in the repository: the build fails there.",
        example: "yaml" "resources: [../../../shared/base]",
        fix: "Copy what is meant into the repository.",
    },
    rule! {
        Info "submodule-absent": "A submodule is not checked out.",
        does: "Reports submodules whose directory is empty here.",
        bad: "Its manifests are neither shown nor checked, although a reconciler that fetches submodules applies them.",
        example: "console" "$ git submodule status\n-5d0cf1c4d0d7f6bd9c9f5b1b8a6e0f4b5a3c2d1e apps/shared",
        fix: "Fetch it with `git submodule update --init`; in GitHub Actions, with `submodules: true` of `actions/checkout`.",
    },
];
