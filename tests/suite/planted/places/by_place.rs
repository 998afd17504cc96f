//! Places that hold text of other kinds than values: names of files, annotations of an Ingress, templates of a chart,
//! data of Secrets in base64, addresses.

use super::super::secrets::token;
use super::{Garden, config_map, release};

/// Formats that are planted where each needs a file of its own.
const SOME: [usize; 6] = [0, 6, 15, 23, 28, 50];

impl Garden {
    pub(super) fn plant_by_place(&mut self) {
        self.plant_in_secrets();
        self.plant_in_an_ingress();
        self.plant_in_templates();
        self.plant_in_names_of_files();
        self.plant_in_addresses();
        self.plant_in_base64();
        self.plant_in_odd_forms();
        self.plant_where_they_end_up();
    }

    fn some(&mut self, place: &str) -> Vec<String> {
        self.seed += 1;
        let seed = self.seed;
        let each = SOME.iter().map(|format| {
            let (token, needle) = token(*format, seed);
            self.plant(format!("format {format} in {place}"), needle);
            token
        });
        each.collect()
    }

    fn plant_in_secrets(&mut self) {
        let mut data = String::new();
        let mut texts = String::new();
        for at in 0..20 {
            let value = self.password("data of a Secret");
            data += &format!("  a{at}: {}\n", ::yaml::encode_base64(value.as_bytes()));
            let value = self.password("stringData of a Secret");
            texts += &format!("  b{at}: {value}\n");
        }
        self.app("kept", format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: kept, namespace: kept}}\ndata:\n{data}stringData:\n{texts}---\n{}", config_map("kept", "  a: b\n")));
        // Under a name, in base64, outside of a Secret.
        let mut encoded = String::new();
        for at in 0..10 {
            let value = self.password("a password in base64");
            let value = ::yaml::encode_base64(value.as_bytes());
            encoded += &format!("    PASSWORD_{at}_BASE64: {value}\n");
        }
        self.app("encoded", release("encoded", &encoded));
    }

    fn plant_in_an_ingress(&mut self) {
        let tokens = self.some("annotations of an Ingress");
        let mut annotations = String::new();
        for (at, token) in tokens.iter().enumerate() {
            annotations += &format!(
                "    nginx.ingress.kubernetes.io/a{at}: \"proxy_set_header X {token};\"\n"
            );
        }
        let login = self.password("the login in an annotation of an Ingress");
        annotations += &format!(
            "    nginx.ingress.kubernetes.io/auth-url: https://app:{login}@auth.example.com/\n"
        );
        let query = self.password("the query in an annotation of an Ingress");
        annotations += &format!(
            "    nginx.ingress.kubernetes.io/auth-signin: https://auth.example.com/?client_secret={query}\n"
        );
        self.app("ingress", format!("apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata:\n  name: ingress\n  namespace: ingress\n  annotations:\n{annotations}spec:\n  rules:\n  - host: shop.example.com\n    http: {{paths: [{{path: /, pathType: Prefix, backend: {{service: {{name: web, port: {{number: 80}}}}}}}}]}}\n---\n{}", config_map("ingress", "  a: b\n")));
    }

    fn plant_in_templates(&mut self) {
        let tokens = self.some("a template of a chart");
        let mut data = String::new();
        for (at, token) in tokens.iter().enumerate() {
            data += &format!("  a{at}: {{{{ \"{token}\" | quote }}}}\n");
        }
        for at in 0..5 {
            let value = self.password("a password in a template of a chart");
            data += &format!("  password{at}: {{{{ .Values.other | default \"{value}\" }}}}\n");
        }
        self.write(
            "charts/templated/Chart.yaml",
            "apiVersion: v2\nname: templated\nversion: 1.0.0\n".into(),
        );
        self.write(
            "charts/templated/templates/map.yaml",
            config_map("templated", &data),
        );
        self.app("templated", "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: templated, namespace: templated}\nspec:\n  chart: {spec: {chart: ./charts/templated, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}\n".into());
    }

    fn plant_in_names_of_files(&mut self) {
        for (at, token) in self.some("the name of a page").into_iter().enumerate() {
            // Some formats have signs that no file may have in its name.
            let token = token.replace('/', "_");
            self.write(
                &format!("docs/{token}.md"),
                format!("# Page {at}\n\nText.\n"),
            );
        }
        self.unit("filed", "");
        for token in self.some("the name of a manifest") {
            let token = token.replace('/', "_");
            self.write(
                &format!("apps/filed/{token}.yaml"),
                config_map(&format!("filed-{}", token.len()), "  a: b\n"),
            );
        }
    }

    fn plant_in_addresses(&mut self) {
        let a = self.password("the address of a chart's home");
        let b = self.password("an escaped query");
        self.write("charts/own/README.md", format!("# Own\n\nSee [it](https://bob:{a}@git.example.com/own) and <https://a.example.com/?x=1&token={b}>.\n"));
    }

    /// Tokens that are encoded once and twice, under names that say nothing.
    fn plant_in_base64(&mut self) {
        let encode = |text: &str| ::yaml::encode_base64(text.as_bytes()).replace('\n', "");
        let mut data = String::new();
        let mut prose = String::from("# Encoded\n\n");
        for (at, token) in self.some("base64").into_iter().enumerate() {
            data += &format!("  once{at}: {}\n", encode(&token));
        }
        for (at, token) in self.some("base64 of base64").into_iter().enumerate() {
            data += &format!("  twice{at}: {}\n", encode(&encode(&format!("x: {token}"))));
        }
        for token in self.some("base64 in prose") {
            prose += &format!("Use `{}`.\n\n", encode(&token));
        }
        let login = self.password("the login of a registry in base64");
        let login = encode(&format!("bob:{login}"));
        data += &format!("  auths: '{{\"auths\": {{\"ghcr.io\": {{\"auth\": \"{login}\"}}}}}}'\n");
        let wrapped: Vec<String> = self.some("wrapped base64");
        let long = format!("some text before it, {}\n", wrapped.join(" and "));
        let lines = ::yaml::encode_base64(long.as_bytes()).replace('\n', "\n    ");
        data += &format!("  wrapped: |\n    {}\n", lines.trim_end());
        self.app("inbase", config_map("inbase", &data));
        self.write("apps/inbase/README.md", prose);
    }

    fn plant_in_odd_forms(&mut self) {
        let a = self.password("an encoded address");
        let b = self.password("a directive of nginx");
        let c = self.password("the default of a parameter");
        let d = self.password("an address without a scheme");
        let data = format!(
            "  url: https%3A%2F%2Fapp%3A{a}%40db.example.com\n  nginx: |\n    set $api_key \"{b}\";\n  plain: app:{d}@db.example.com:5432\n"
        );
        self.app("odd", format!("{}---\napiVersion: tekton.dev/v1\nkind: Task\nmetadata: {{name: odd, namespace: odd}}\nspec: {{params: [{{name: password, default: {c}}}]}}\n", config_map("odd", &data)));
    }

    /// Values with innocent names that end up in Secrets and passwords.
    fn plant_where_they_end_up(&mut self) {
        let value = self.password("a variable of a Secret");
        self.unit(
            "ended",
            &format!(
                "  postBuild:\n    substitute:\n      inner: {value}\n      other: ended-other\n"
            ),
        );
        self.open.push("ended-other".into());
        self.write("apps/ended/secret.yaml", format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: ended, namespace: ended}}\nstringData: {{a: \"${{inner}}\"}}\n---\n{}", config_map("ended", "  a: ${other}\n")));
        let value = self.password("a value that a chart makes a password");
        self.app("chart-joined", format!("apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: chart-joined, namespace: joined}}\nspec:\n  chart: {{spec: {{chart: ./charts/joined, sourceRef: {{kind: GitRepository, name: flux-system, namespace: flux-system}}}}}}\n  values: {{inner: {value}, host: joined-host}}\n"));
        self.open.push("joined-host".into());
        self.write(
            "charts/joined/Chart.yaml",
            "apiVersion: v2\nname: joined\nversion: 1.0.0\n".into(),
        );
        self.write("charts/joined/templates/all.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: joined}\nspec:\n  selector: {matchLabels: {app: joined}}\n  template:\n    metadata: {labels: {app: joined}}\n    spec:\n      containers:\n      - name: joined\n        image: joined:1\n        env:\n        - {name: HOST, value: {{ .Values.host | quote }}}\n        - {name: DB_PASSWORD, value: {{ .Values.inner | quote }}}\n".into());
    }
}
