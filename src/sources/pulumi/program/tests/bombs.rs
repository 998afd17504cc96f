//! Programs that are small and ask for more work or memory than there is.

use super::*;

#[test]
fn what_grows_with_every_turn_comes_to_an_end() {
    let large = "let a: any[] = [1];\nfor (let i = 0; i < 16; i++) { a = [...a, ...a]; }\nlet t = \"a\";\nfor (let i = 0; i < 15; i++) { t = t + t; }\n";
    for bomb in [
        "for (let i = 0; i < 9000; i++) { for (let j = 0; j < 9000; j++) { const b = a.slice(); } }",
        "for (let i = 0; i < 9000; i++) { const b = a.reverse(); }",
        "for (let i = 0; i < 9000; i++) { const b = a.includes(2); const c = a.indexOf(3); const d = a.at(0); }",
        "const all: any[] = [];\nfor (let i = 0; i < 9000; i++) { all.push(t + i); }",
        "for (let i = 0; i < 60; i++) { t = t.replace(\"a\", t); }",
        "for (let i = 0; i < 60; i++) { t = t.replaceAll(\"a\", \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"); }",
        "const all: any[] = [];\nfor (let i = 0; i < 9000; i++) { all.push(t.toUpperCase()); all.push(t.split(\"a\")); }",
        "let b: any[] = [a, a];\nfor (let i = 0; i < 40; i++) { b = [b, b]; }\nnew k8s.core.v1.ConfigMap(\"x\", { data: { b: b } });",
        "for (let i = 0; i < 9000; i++) { a.push(a); }\nnew k8s.core.v1.ConfigMap(\"x\", { data: { a: a } }, { dependsOn: a });",
        "let b: any = a;\nfor (let i = 0; i < 40; i++) { b = b.concat(b); }",
        "let b: any[] = [a];\nfor (let i = 0; i < 9000; i++) { b = [b]; }\nconst c = b.flat(9000);\nnew k8s.core.v1.ConfigMap(\"x\", { data: { b: b } });",
        "let o: any = { a: 1 };\nfor (let i = 0; i < 9000; i++) { o = { ...o, [\"k\" + i]: o }; }\nnew k8s.core.v1.ConfigMap(\"x\", { data: o });",
        "let p: any[] = [];\nfor (let i = 0; i < 300; i++) { p.push(a); }\nfor (let i = 0; i < 300; i++) { new k8s.core.v1.ConfigMap(\"x\" + i, { data: { p: p } }, { dependsOn: p }); }",
    ] {
        let start = std::time::Instant::now();
        let followed = follow_text(&format!("{large}{bomb}\n"));
        assert!(start.elapsed().as_secs() < 20, "{bomb}");
        assert!(followed.findings.len() < 10, "{bomb}");
    }
}
