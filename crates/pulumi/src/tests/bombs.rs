//! Programs that ask for more work or memory than there is, and some that only look so.

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
        let evaluated = evaluate_text(&format!("{large}{bomb}\n"));
        assert!(start.elapsed().as_secs() < 20, "{bomb}");
        assert!(evaluated.findings.len() < 10, "{bomb}");
    }
}

#[test]
fn hostile_programs_cost_one_finding() {
    let times = |text: &str, count: usize| text.repeat(count);
    let deep = |open: &str, close: &str| {
        format!(
            "const a = {}1{};",
            times(open, 10_000),
            times(close, 10_000)
        )
    };
    let cases = [
        ("parentheses", deep("(", ")")),
        ("brackets", deep("[", "]")),
        ("nots", deep("!", "")),
        ("arrows", deep("a=>", "")),
        ("syntax", "const = ;".to_owned()),
        (
            "sums",
            format!(
                "new k8s.core.v1.ConfigMap({}\"z\");",
                times("\"a\" + ", 5_000)
            ),
        ),
        (
            "recursion",
            "function f(n: number): number { return f(n + 1); }\nf(0);".to_owned(),
        ),
        (
            "mutual",
            "const a = () => b();\nconst b = () => a();\na();".to_owned(),
        ),
        ("loop", "while (true) { }".to_owned()),
        (
            "endless",
            "for (let i = 0; ; i++) { new k8s.core.v1.ConfigMap(`c-${i}`); }".to_owned(),
        ),
        (
            "doubling",
            format!("let s = \"ab\";\n{}", times("s = `${s}${s}`;\n", 64)),
        ),
        (
            "spreading",
            format!(
                "let a: any[] = [1, 2];\n{}",
                times("a = [...a, ...a];\n", 64)
            ),
        ),
    ];
    for (name, text) in cases {
        let started = std::time::Instant::now();
        let evaluated = evaluate_text(&text);
        assert_eq!(
            evaluated.findings.len(),
            1,
            "{name}: {:#?}",
            evaluated.findings
        );
        assert!(started.elapsed().as_secs() < 20, "{name}");
    }
}

#[test]
fn lists_and_objects_may_hold_themselves() {
    let evaluated = evaluate_text(
        r#"
const list: any[] = [];
list.push(list, [list]);
const object: any = { list };
object.object = object;
new k8s.helm.v3.Chart("web", { chart: "web", transformations: list, values: object }, { dependsOn: list });
new k8s.core.v1.ConfigMap("map", object, { dependsOn: [list], transforms: list });
"#,
    );
    assert!(told(&evaluated).contains("Chart web\n"));
}

#[test]
fn long_lists_and_cyclic_imports_are_nothing_special() {
    let long = format!("const a = [{}];\na.length;", "1, ".repeat(100_000));
    assert_eq!(evaluate_text(&long).findings, Vec::new());
    let itself = "class A extends A {}\nnew A();";
    assert_eq!(evaluate_text(itself).findings, Vec::new());
    let evaluated = evaluate_files(&[
        (
            "index.ts",
            "import { b } from \"./b\";\nimport * as k8s from \"@pulumi/kubernetes\";\nexport const a = \"a\";\n\
             new k8s.core.v1.ConfigMap(b());\n",
        ),
        (
            "b.ts",
            "import { a } from \"./index\";\nexport const b = () => `b-${a}`;\n",
        ),
    ]);
    assert_eq!(evaluated.findings, Vec::new());
    assert_eq!(told(&evaluated), "ConfigMap b-a\n");
}
