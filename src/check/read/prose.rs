//! What is said about Markdown pages. A page is shown whatever is wrong with it.

use super::rule;
use crate::diagnostic::Rule;

pub const RULES: &[Rule] = &[
    rule! {
        Warning "diagram-not-drawn": "A Mermaid diagram cannot be drawn.",
        does: "Draws every `mermaid` block of a page, and reports what the engine does not understand or finds too large.",
        bad: "The page shows the source of the diagram where readers expect the picture.",
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
        Warning "front-matter-broken": "The front matter of a page is not YAML.",
        does: "Looks for a block between `---` lines at the head of a page that cannot be read.",
        bad: "The page is shown without what it says there: its title, and the component that it belongs to.",
        example: "yaml" "---\ntitle: Backup: how and when\n---",
        fix: "Write `name: value` lines, and quote a value that contains `: ` or `#`.",
    },
    rule! {
        Warning "link-broken": "A link leads nowhere.",
        does: "Looks for links and pictures in Markdown that name a file or a heading which does not exist, or that a page \
               may not have, and for symbolic links whose target is gone.",
        bad: "Somebody follows it when they need it most, and finds nothing.",
        example: "md" "See [how to restore](runbooks/restore.md).   <!-- the file is runbook/restore.md -->",
        fix: "Correct the target, or remove the link.",
    },
    rule! {
        Warning "page-too-long": "A page is cut, as it is too long.",
        does: "Stops reading a Markdown file behind the size that a page may have.",
        bad: "What is behind that is missing from the site and from its search.",
        example: "text" "docs/everything.md has 2,400,000 bytes",
        fix: "Split the page.",
    },
    rule! {
        Warning "unknown-component": "A page is about a component that does not exist.",
        does: "Looks for names under `component` in the front matter of a page that no component has.",
        bad: "The page is not shown where people look for it. Most often the component was renamed.",
        example: "yaml" "---\ncomponent: postgress\n---",
        fix: "Name the component by its id, as `catalog export` lists them.",
    },
];
