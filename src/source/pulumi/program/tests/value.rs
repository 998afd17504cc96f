//! What values come to: sets and texts.

use super::*;

#[test]
fn a_set_holds_each_value_once() {
    let followed = follow_text(
        r#"
for (const name of [...new Set(["a", "a", "b"])]) new k8s.core.v1.Namespace(name);
const names = new Set<string>();
names.add("c").add("d").add("c");
for (const name of names) new k8s.core.v1.Namespace(`${name}-${names.size}`);
new k8s.core.v1.Namespace([..."xyz"].join("-"));
"#,
    );
    assert_eq!(messages(&followed), Vec::<&str>::new());
    assert_eq!(
        told(&followed),
        "Namespace a\nNamespace b\nNamespace c-2\nNamespace d-2\nNamespace x-y-z\n"
    );
}
