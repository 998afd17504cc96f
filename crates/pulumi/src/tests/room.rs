//! What is followed where a machine has less room for it.

use std::cell::Cell;

use super::*;
use crate::thread::SMALLEST_STACK;

thread_local! {
    /// The largest stack that this machine gives.
    pub static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// What comes of something where no larger stack is to be had.
fn with_at_most<T>(stack: usize, work: impl FnOnce() -> T) -> T {
    LARGEST.set(stack);
    let done = work();
    LARGEST.set(usize::MAX);
    done
}

#[test]
fn a_program_is_followed_the_same_where_there_is_less_room() {
    let program = "const names = [\"a\", \"b\"];\nnames.map(name => new k8s.core.v1.Namespace(name, {metadata: {name}}));\n";
    let whole = evaluate_text(program);
    let less = with_at_most(SMALLEST_STACK, || evaluate_text(program));
    assert_eq!(told(&less), told(&whole));
    assert!(less.findings.is_empty(), "{:?}", less.findings);
    // What is too deep for it is said, and is not followed into the end of the stack.
    for deep in ["[", "(", "{a:", "!", "f("] {
        let deep = format!(
            "const f = (x) => x; const deep = {};\n",
            deep.repeat(300) + "1"
        );
        let closed = deep.replace(';', "");
        for text in [deep, closed] {
            with_at_most(SMALLEST_STACK, || evaluate_text(&text));
        }
    }
    let nested = format!(
        "const a = {}1{};\n{program}",
        "[".repeat(300),
        "]".repeat(300)
    );
    let whole = evaluate_text(&nested);
    let less = with_at_most(SMALLEST_STACK, || evaluate_text(&nested));
    assert!(
        whole.findings.len() < less.findings.len(),
        "{:?}",
        less.findings
    );
}

#[test]
fn a_program_that_there_is_no_room_for_is_named_with_what_is_missing() {
    let evaluated = with_at_most(0, || evaluate_text("new k8s.core.v1.Namespace(\"a\");\n"));
    assert!(evaluated.stacks.is_empty());
    let said = &evaluated.findings[0].message;
    for part in ["`lab`", "no thread", "its resources are missing", "secrets"] {
        assert!(said.contains(part), "{said}");
    }
}
