//! Tests of what is found in files.

use super::*;

fn content(text: &str) -> AskedFile {
    AskedFile {
        text: text.to_owned(),
        documents: yaml::parse(text, FileId(0)).documents,
        is_terraform: false,
        declares: None,
    }
}

#[test]
fn a_key_and_its_value_are_found_in_any_style() {
    let file = content(
        "kind: Kustomization\nspec:\n  dependsOn:\n    - name: external-secrets\n      namespace: flux\n  path: ./k8s\n  retention: \"31d\"\n  sidecar:\n    dashboards: {enabled: true}\n",
    );
    assert_eq!(
        file.find("dependsOn: [{name: external-secrets}]"),
        Containment::At(4)
    );
    assert_eq!(file.find("path: ./k8s"), Containment::At(6));
    assert_eq!(file.find("retention: 31d"), Containment::At(7));
    assert_eq!(
        file.find("sidecar.dashboards.enabled: true"),
        Containment::At(9)
    );
    assert_eq!(
        file.find("sidecar.dashboards.enabled: false"),
        Containment::Other(9)
    );
    assert_eq!(file.find("spec.sidecar"), Containment::At(9));
    assert_eq!(file.find("spec.nothing"), Containment::Nowhere);
    assert_eq!(file.find("prune: true"), Containment::Nowhere);
}

#[test]
fn a_text_is_found_as_a_whole_word_and_outside_comments() {
    let file = content("resources:\n  - my-umami-sync.yaml\n  # - off.yaml\n  - deep/on.yaml\n");
    assert_eq!(file.find("on.yaml"), Containment::At(4));
    assert_eq!(file.find("umami-sync.yaml"), Containment::Nowhere);
    assert_eq!(file.find("off.yaml"), Containment::Comment(3));
    let told = content("# Beside off.yaml, as the guide says\na: 1\n");
    assert_eq!(told.find("off.yaml"), Containment::Perhaps);
    assert_eq!(file.find("my-umami"), Containment::Perhaps);
    assert_eq!(file.find("none.yaml"), Containment::Nowhere);
}

#[test]
fn a_block_of_terraform_leaves_open_whether_its_address_is_used() {
    let file = AskedFile::new("main.tf", "module \"queue\" {}\n".to_owned());
    assert_eq!(file.find("module.queue.id"), Containment::Perhaps);
    assert_eq!(file.find("module.topic.id"), Containment::Nowhere);
    assert_eq!(file.find("random_password.root"), Containment::Nowhere);
}

#[test]
fn json_inside_a_document_is_text() {
    let file = content("data:\n  a.json: |\n    {\n      \"uid\": \"flux-cd\"\n    }\n");
    assert_eq!(file.find("\"uid\": \"flux-cd\""), Containment::At(4));
}

#[test]
fn a_word_in_a_file_of_outputs_or_variables_is_a_name_unless_it_is_a_text() {
    let find =
        |path: &str, text: &str, wanted: &str| AskedFile::new(path, text.to_owned()).find(wanted);
    let output = |name: &str| format!("output \"{name}\" {{\n  value = nic.private_ip\n}}\n");
    let found = |name: &str| find("net/outputs.tf", &output(name), "private_ip");
    assert_eq!(found("private_ip"), Containment::At(1));
    assert_eq!(found("ip"), Containment::Nowhere);
    let variables = "variable \"databases\" {\n  default = [\"shop_db\"]\n}\n";
    assert_eq!(
        find("db/variables.tf", variables, "shop_db"),
        Containment::At(2)
    );
}
