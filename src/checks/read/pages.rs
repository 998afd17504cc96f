//! Rules about Markdown pages. A page with a finding is still shown.

use super::rule;
use base::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Warning "diagram-not-drawn": "A Mermaid diagram cannot be drawn.",
        does: "Draws every `mermaid` block of a page, and reports the ones that are invalid or too large.",
        bad: "The page shows the diagram's source instead of the picture.",
        example: "text" "flowchart LR\n  web --> db[(Database]",
        fix: "Correct the line that the message names, or split a large diagram.",
    },
    rule! {
        Info "diagram-kind-unsupported": "A Mermaid diagram is of a kind that is shown as source.",
        does: "Reports `mermaid` blocks that are not a flowchart, a sequence, state, class or entity relationship diagram.",
        bad: "The page shows the highlighted source of the diagram instead of a picture.",
        example: "text" "pie title Requests\n  \"read\" : 80\n  \"write\" : 20",
        fix: "Use one of the five kinds that are drawn, or include the diagram as an image.",
    },
    rule! {
        Warning "front-matter-broken": "The front matter of a page is not valid YAML.",
        does: "Checks for a block between `---` lines at the top of a page that cannot be parsed.",
        bad: "The page loses what its front matter sets: its title, and the component it belongs to.",
        example: "yaml" "---\ntitle: Backup: how and when\n---",
        fix: "Write `name: value` lines, and quote a value that contains `: ` or `#`.",
    },
    rule! {
        Warning "link-broken": "A link is broken.",
        does: "Checks for Markdown links and images that name a missing file or heading, or a target that a page must \
               not link to, and for symbolic links whose target is gone.",
        bad: "Someone follows the link when they need it most, and finds nothing.",
        example: "md" "See [how to restore](runbooks/restore.md).   <!-- the file is runbook/restore.md -->",
        fix: "Correct the target, or remove the link.",
    },
    rule! {
        Warning "page-too-long": "A page is too long and was truncated.",
        does: "Checks for Markdown files that exceed the size limit of a page.",
        bad: "The rest of the page is missing from the site and from search.",
        example: "text" "docs/everything.md is 2,400,000 bytes long",
        fix: "Split the page.",
    },
    rule! {
        Warning "unknown-component": "A page names a component that does not exist.",
        does: "Checks for names under `component` in the front matter of a page that match no component.",
        bad: "The page is not shown where people look for it. Usually the component was renamed.",
        example: "yaml" "---\ncomponent: postgress\n---",
        fix: "Use the component's id, as listed by `catalog export`.",
    },
];
