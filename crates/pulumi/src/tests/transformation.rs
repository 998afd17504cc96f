//! Functions that change resources in the end.

use super::*;

#[test]
fn what_functions_change_in_the_end_is_said_where_they_are_handed_over() {
    let text = r#"
const drop = [(object: any) => { delete object.status; }];
pulumi.runtime.registerStackTransformation(() => undefined);
new k8s.helm.v3.Chart("certs", {
    chart: "certs",
    transformations: drop,
});
new k8s.helm.v4.Chart("mesh", { chart: "mesh" }, { transforms: drop });
new k8s.yaml.ConfigGroup("maps", {
    objs: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } }],
    transformations: drop,
});
new k8s.core.v1.ConfigMap("two", {}, { transformations: drop });
const lab = new pulumi.ComponentResource("acme:Lab", "lab", {}, { transformations: drop });
new k8s.core.v1.ConfigMap("three", {}, { parent: lab });
"#;
    let evaluated = evaluate_text(text);
    assert!(told(&evaluated).contains("ComponentResource lab\n  ConfigMap three\n"));
    let said: Vec<(u32, &str)> = evaluated
        .findings
        .iter()
        .map(|finding| (finding.place.line, finding.message.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (
                5,
                "`registerStackTransformation` transforms the program's resources, which is not supported; \
                 they are shown untransformed"
            ),
            (
                8,
                "`certs` changes its chart's objects with `transformations`, which are not evaluated; \
                 checks use the chart as published"
            ),
            (
                10,
                "`mesh` changes its chart's objects with `transforms`, which are not evaluated; checks use \
                 the chart as published"
            ),
            (
                13,
                "`maps` changes its objects with `transformations`, which are not evaluated; the objects \
                 are shown unchanged"
            ),
            (
                15,
                "`two` is changed by `transformations`, which are not evaluated; it is shown unchanged"
            ),
            (
                16,
                "`lab` changes its objects with `transformations`, which are not evaluated; the objects \
                 are shown unchanged"
            ),
        ]
    );
}

#[test]
fn nothing_is_said_where_no_function_changes_anything() {
    let text = r#"
interface Options { transformations?: any[] }
function chart(name: string, options: Options = {}) {
    return new k8s.helm.v3.Chart(name, { chart: name, transformations: options.transformations });
}
chart("certs");
chart("mesh", { transformations: [] });
new k8s.helm.v3.Release("proxy", { chart: "proxy", values: { transformations: ["strip"] } });
new k8s.apiextensions.CustomResource("rule", {
    apiVersion: "example.com/v1",
    kind: "Rule",
    transformations: [{ strip: "path" }],
});
const provider = new k8s.Provider("other", {}, { transformations: [() => undefined] });
"#;
    assert_eq!(messages(&evaluate_text(text)), [""; 0]);
}
