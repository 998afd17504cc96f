//! Rules about files and directories.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Error "directory-unreadable": "A directory cannot be read.",
        does: "Checks for directories that cannot be listed, or whose `.gitignore` is not a regular file of reasonable \
               size.",
        bad: "Nothing below the directory is in the catalogue or checked.",
        example: "console" "$ ls -ld secrets\nd--------- 2 root root 4096 secrets",
        fix: "Change its permissions, or add it to `ignore` in `catalog.toml`.",
        skips_input: true,
    },
    rule! {
        Info "file-binary": "A manifest or page is a binary file.",
        does: "Checks for manifests and pages that contain a NUL byte.",
        bad: "The file is skipped. If it is a manifest, whatever it declares is missing from the catalogue.",
        example: "text" "an archive named values.yaml",
        fix: "Rename it to match its content, or add it to `ignore` in `catalog.toml`.",
        skips_input: true,
    },
    rule! {
        Warning "file-ignored": "A `.gitignore` hides files, and git cannot tell whether they are tracked.",
        does: "Checks for directories and manifests that match a `.gitignore` when git gives no answer. When git \
               answers, tracked files are read even if they are ignored, and untracked ones are not part of the \
               repository.",
        bad: "A tracked file is deployed whatever `.gitignore` says, and these files were not checked. Outside a git \
              repository, and with `--no-git`, the severity is info.",
        example: "console" "$ git ls-files\nfatal: detected dubious ownership in repository at '/work'",
        fix: "Run `catalog` in a clone, with git installed. If the clone belongs to another user, add it to git's \
              `safe.directory`.",
        skips_input: true,
    },
    rule! {
        Error "file-missing": "A manifest refers to a file that does not exist.",
        does: "Checks for entries in kustomizations that name files or directories that do not exist. If a `.gitignore` \
               excludes the path, or a script of the repository writes it (`cp`, `mv`, `curl`, …), the finding is an info.",
        bad: "The kustomize build fails, and nothing that the kustomization includes is applied.",
        example: "yaml" "resources: [deploymnet.yaml]",
        fix: "Correct the path, create the file, or remove the entry.",
    },
    rule! {
        Error "file-not-utf8": "A file is not valid UTF-8.",
        does: "Checks for manifests and pages in another encoding, and reports the position of the first invalid byte.",
        bad: "The file is skipped. Kubernetes tools accept only UTF-8.",
        example: "text" "caf\\xe9: true   # Latin-1",
        fix: "Save it as UTF-8, or add it to `ignore` in `catalog.toml`.",
        skips_input: true,
    },
    rule! {
        Warning "file-too-large": "A file is too large.",
        does: "Checks for files larger than 8 MiB. They are skipped.",
        bad: "Everything the file declares is missing from the catalogue. Hand-written manifests are never that large.",
        example: "text" "crds/all.yaml is 9 MiB",
        fix: "Split it, or add it to `ignore` in `catalog.toml`.",
        skips_input: true,
    },
    rule! {
        Error "file-unreadable": "A file cannot be read.",
        does: "Checks for files that disappeared while the repository was being read, or that cannot be opened.",
        bad: "Everything the file declares is missing from the catalogue.",
        example: "console" "$ ls -l app.yaml\n---------- 1 root root 512 app.yaml",
        fix: "Change its permissions, or add it to `ignore` in `catalog.toml`.",
        skips_input: true,
    },
    rule! {
        Info "file-withheld": "A page or module is part of a Secret, so it is not shown.",
        does: "Checks for Markdown, Terraform and other files that a `secretGenerator` puts into a Secret.",
        bad: "The whole file is treated as secret. It gets no page, and whatever it declares is missing from the \
              catalogue.",
        example: "yaml" "secretGenerator:\n  - name: notes\n    files: [notes.md]",
        fix: "If the file contains no secret, use a `configMapGenerator`. If it does, encrypt it.",
    },
    rule! {
        Warning "ignore-invalid": "A pattern under `ignore` is not a valid glob.",
        does: "Checks for invalid patterns under `ignore` in `catalog.toml`.",
        bad: "The pattern matches nothing, so the files it was meant to exclude are read.",
        example: "toml" "ignore = [\"vendor/[a\"]",
        fix: "Correct the pattern. The syntax is that of `.gitignore`.",
    },
    rule! {
        Warning "link-outside": "A symbolic link points outside the repository.",
        does: "Checks for symbolic links whose target is outside the repository. They are not followed.",
        bad: "On another machine the target is something else, or does not exist.",
        example: "console" "$ ls -l shared\nshared -> ../../shared",
        fix: "Replace the link with a copy of its target, or remove it.",
        skips_input: true,
    },
    rule! {
        Warning "link-renamed": "A symbolic link gives a file the name of a manifest.",
        does: "Checks for links such as `app.yaml` whose target is not named like a manifest. Files are read once, \
               under their own names.",
        bad: "A reconciler that follows links applies the file, but it was not checked here.",
        example: "console" "$ ls -l app.yaml\napp.yaml -> notes.txt",
        fix: "Rename the file so that it is read as a manifest, or replace the link with a copy.",
    },
    rule! {
        Warning "path-not-utf8": "A file name is not valid UTF-8.",
        does: "Checks for files and directories whose name is in another encoding.",
        bad: "They are skipped, because no manifest could refer to them.",
        example: "text" "docs/caf\\xe9.md",
        fix: "Rename it, or add it to `ignore` in `catalog.toml`.",
        skips_input: true,
    },
    rule! {
        Error "path-outside": "A manifest refers to a path outside the repository.",
        does: "Checks for entries in kustomizations that are absolute, or that lead above the root of the repository.",
        bad: "The reconciler sees only the repository, so the build fails in the cluster.",
        example: "yaml" "resources: [../../../shared/base]",
        fix: "Copy the file or directory into the repository.",
    },
    rule! {
        Info "submodule-absent": "A submodule is not checked out.",
        does: "Checks for submodules whose directory is empty.",
        bad: "The manifests in the submodule are neither shown nor checked, but a reconciler that fetches submodules \
              applies them.",
        example: "console" "$ git submodule status\n-5d0cf1c4d0d7f6bd9c9f5b1b8a6e0f4b5a3c2d1e apps/shared",
        fix: "Run `git submodule update --init`. In GitHub Actions, set `submodules: true` on `actions/checkout`.",
        skips_input: true,
    },
];
