//! Finds the secrets that could be read before they were sealed. Encrypted values, references and placeholders do not
//! count. Values are inspected here and never returned.

use smol_str::{SmolStr, format_smolstr};

use super::guess::is_guessable;
use super::look::{self, Evidence, SecretSpan};
use super::material::is_material;
use super::{address, is_secret_name};
use crate::PlainSecret;
use base::Place;
use yaml::{Node, decode_base64};

/// Plain values of a Secret.
pub fn stated(root: &Node) -> Vec<PlainSecret> {
    let mut found = Vec::new();
    if root.text_at(&["kind"]) == Some("Secret") && root.get("apiVersion").is_some() {
        let holder = holder(root);
        let is_of_cluster = address::is_of_cluster(root);
        for field in ["stringData", "data"] {
            for entry in root.entries_at(field) {
                if is_of_cluster && address::is_open(field, &entry.key, &entry.value) {
                    continue;
                }
                let Some(text) = entry.value.text() else {
                    continue;
                };
                let value = match field {
                    "data" => decoded(text),
                    _ => text.to_owned(),
                };
                if !is_public(&entry.key) && is_credential(&value) && is_meant(&entry.key, &value) {
                    found.push(secret(&entry.key, &holder, entry.value.place, &value, root));
                }
            }
        }
    }
    found
}

/// Plain values of Secrets that a kustomization generates.
pub fn generated(root: &Node) -> Vec<PlainSecret> {
    let mut found = Vec::new();
    for generator in root.items_at("secretGenerator") {
        let name = generator.text_at(&["name"]).unwrap_or_default();
        let holder = Some(format_smolstr!("Secret {name}"));
        for literal in generator.items_at("literals") {
            let pair = literal.text().and_then(|text| text.split_once('='));
            if let Some((key, value)) = pair
                && !is_public(key)
                && is_material(value.trim_matches(['"', '\'']))
                && is_meant(key, value)
            {
                found.push(secret(key, &holder, literal.place, value, generator));
            }
        }
    }
    found
}

/// The kind and name of the object that contains a secret, if it has a name.
pub fn holder(root: &Node) -> Option<SmolStr> {
    let kind = root.text_at(&["kind"])?;
    let name = root.text_at(&["metadata", "name"])?;
    Some(format_smolstr!("{kind} {name}"))
}

/// Whether a value in a Secret is one. A file with settings is one only if something in it looks secret.
fn is_credential(value: &str) -> bool {
    let is_file = value.trim_end().contains('\n');
    is_material(value) && (!is_file || is_by_value(value, &look::parts(value)))
}

/// Whether the value of a key that names a password is one.
pub fn is_password(key: &str, value: &str) -> bool {
    let name = letters(key);
    if PASSWORD_ACTIONS.iter().any(|action| name.ends_with(action)) {
        return false;
    }
    let endings: [&[u8]; 7] = [
        b"password",
        b"passwd",
        b"apikey",
        b"clientsecret",
        b"secretkey",
        b"secretaccesskey",
        b"privatekey",
    ];
    let singular = name.strip_suffix(b"s").unwrap_or(&name);
    let is_named = endings.iter().any(|ending| singular.ends_with(ending));
    is_named
        && is_material(value)
        && !is_entry_name(singular, value)
        && !is_model_name(singular, value)
        && !is_object_name(&name, value)
        && letters(value) != name
}

/// Whether a value is the name of the Secret that holds the secret: `existingSecretPassword: db-login`,
/// `pluginClientSecret: backup-client-tls`.
fn is_object_name(name: &[u8], value: &str) -> bool {
    const KINDS: [&str; 8] = [
        "tls",
        "secret",
        "secrets",
        "credentials",
        "creds",
        "cert",
        "certs",
        "certificate",
    ];
    let is_dns = value
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || b"-.".contains(&byte));
    let kind = value.rsplit_once('-').map(|(_, kind)| kind);
    is_dns && (name.starts_with(b"existingsecret") || kind.is_some_and(|it| KINDS.contains(&it)))
}

/// Names that are about passwords, such as the address of a form, and a product.
const PASSWORD_ACTIONS: [&[u8]; 7] = [
    b"forgotpassword",
    b"resetpassword",
    b"changepassword",
    b"updatepassword",
    b"setpassword",
    b"onepassword",
    b"1password",
];

fn letters(text: &str) -> Vec<u8> {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
    letters.map(|byte| byte.to_ascii_lowercase()).collect()
}

/// Whether a value names the entry of a Secret that holds the secret, such as `secretKey: api-key`. A key that is used
/// itself has digits.
fn is_entry_name(name: &[u8], value: &str) -> bool {
    let is_words = value
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || b"-_.:/".contains(&byte));
    name.ends_with(b"secretkey") && is_words
}

/// Whether the value of an API key is a word that a server without authentication accepts, such as the name of a model.
/// Real keys are random.
fn is_model_name(name: &[u8], value: &str) -> bool {
    let is_words = value
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.".contains(&byte));
    name.ends_with(b"apikey")
        && is_words
        && value.contains('-')
        && !look::is_random(value)
        && !look::token::is_token(value)
}

/// Whether a value has a usable part among those that look secret.
pub fn is_by_value(value: &str, parts: &[SecretSpan]) -> bool {
    is_material(value)
        && parts.iter().any(|part| is_usable(value, part))
        && !value.contains("BEGIN AGE ENCRYPTED")
}

/// Whether a part of a text works as a credential.
pub fn is_usable(value: &str, part: &SecretSpan) -> bool {
    let text = value.get(part.range.clone()).unwrap_or_default();
    // In an expression, what is quoted ends with the quote: `'secretKey: TOKEN' in (content | decode)`.
    let quoted = text.split(['\'', '"']).next().unwrap_or_default();
    let is_expression = quoted.len() < text.len() && text.contains(" in (");
    let text = if is_expression { quoted } else { text };
    part.evidence == Evidence::Certain && is_material(text)
}

/// The name of the secret that begins at an offset of a text, as in `password: …` or `--password=…`.
pub fn name_before(text: &str, start: usize) -> Option<&str> {
    let before = text.get(..start)?;
    let line = before.rsplit('\n').next()?;
    let line = line.trim_end_matches([' ', '"', '\'', '\\']);
    let name = line.strip_suffix([':', '='])?.trim_end();
    let name = name.trim_end_matches(['"', '\'']);
    let is_sign = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let from = name.rfind(|c: char| !is_sign(c)).map_or(0, |at| at + 1);
    let name = name.get(from..)?.trim_start_matches('-');
    is_secret_name(name).then_some(name)
}

/// The place of an offset of the text of a block, by the place of the block's first line.
pub fn place_in(text: &str, start: usize, block: Place) -> Place {
    let before = text.get(..start).unwrap_or_default();
    let lines = before.bytes().filter(|byte| *byte == b'\n').count();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let indent = line.chars().take_while(|c| *c == ' ').count();
    Place {
        line: block.line + u32::try_from(lines).unwrap_or_default(),
        column: block.column + u32::try_from(indent).unwrap_or_default(),
        len: block.len.min(1),
        ..block
    }
}

/// Whether the value of an entry of a Secret is meant to be secret: its key says so, or its look. Secrets also hold
/// settings, such as the name of a cipher or a volume group.
fn is_meant(key: &str, value: &str) -> bool {
    const ENDINGS: [&str; 14] = [
        "pass",
        "phrase",
        "key",
        "token",
        "secret",
        "auth",
        "pin",
        "cookie",
        "salt",
        "seed",
        "psk",
        "pwd",
        "webhook",
        "credentials",
    ];
    let name = String::from_utf8(letters(key)).unwrap_or_default();
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let value = value.trim();
    let is_word = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte));
    let is_named = is_secret_name(key) || ENDINGS.iter().any(|end| name.ends_with(end));
    value != key && (is_named || !is_word || is_mixed(value) || look::token::is_token(value))
}

/// Whether letters and digits alternate as in a generated value.
fn is_mixed(value: &str) -> bool {
    let pairs = value.as_bytes().windows(2);
    let turns = pairs.filter(|pair| {
        pair.iter().all(u8::is_ascii_alphanumeric)
            && pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    });
    value.len() > 11 && turns.count() > 3
}

fn secret(
    key: &str,
    holder: &Option<SmolStr>,
    place: Place,
    value: &str,
    around: &Node,
) -> PlainSecret {
    let mut names = vec![key];
    names.extend(holder.as_deref());
    let beside = ["stringData", "data"].map(|field| around.entries_at(field));
    let beside = beside
        .into_iter()
        .flatten()
        .filter(|entry| entry.key != key);
    names.extend(beside.filter_map(|entry| entry.value.text()).take(32));
    PlainSecret {
        key: key.into(),
        holder: holder.clone(),
        place,
        is_guessable: is_guessable(value, &names),
    }
}

fn decoded(text: &str) -> String {
    let joined: String = text.split_whitespace().collect();
    let bytes = decode_base64(&joined).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Keys of Secrets whose values are public.
fn is_public(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    // Names of accounts, tenants and subscriptions, `accesskey` of object stores among them. `SECRET_ID` is one half of a
    // login.
    let is_account =
        key.ends_with("id") || key.ends_with("accesskey") || key.ends_with("access_key");
    if is_account && !key.contains("secret") {
        return true;
    }
    let ending = |endings: &[&str]| endings.iter().any(|ending| key.ends_with(ending));
    ending(&[
        "username",
        "user",
        "login",
        "email",
        "url",
        "uri",
        "host",
        "hostname",
        "port",
        "endpoint",
        "region",
        "database",
        "dbname",
        "name",
        "type",
        "project",
        "server",
        "namespace",
        ".crt",
        ".pub",
        "known_hosts",
        "bucket",
        "domain",
        "enabled",
        "address",
        "path",
        "version",
        "issuer",
        "scopes",
        "labels",
        "_db",
        "duration",
        "ttl",
        "timeout",
        "interval",
        "loglevel",
        "log_level",
    ])
}

#[cfg(test)]
mod tests {
    use base::FileId;

    fn found(text: &str) -> Vec<String> {
        let mut root = yaml::parse(text, FileId(0)).documents.remove(0).root;
        let found = super::super::seal(&mut root);
        let shown = found.iter().map(|secret| {
            let holder = secret.holder.as_deref().unwrap_or("-");
            format!("{}:{} {holder}", secret.place.line, secret.key)
        });
        shown.collect()
    }

    #[test]
    fn plain_values_of_a_secret_are_told_and_placeholders_are_not() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  username: shop\n  password: correct-horse\n  token: changeme\n  key: ${KEY}\n  other: test\ndata:\n  pin: Y29ycmVjdC1ob3JzZQ==\n";
        assert_eq!(found(text), ["6:password Secret db", "11:pin Secret db"]);
    }

    #[test]
    fn what_is_encrypted_is_not_told() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData:\n  password: ENC[AES256_GCM,data:abc]\nsops: {mac: x}\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn passwords_and_keys_are_found_elsewhere() {
        let text = "kind: HelmRelease\nmetadata: {name: db}\nspec:\n  adminPassword: correct-horse\n  existingSecret: correct-horse\n  env: [{name: DB_PASSWORD, value: battery-staple}]\n  url: postgres://app:battery-staple@db:5432/x\n  pem: |\n    -----BEGIN RSA PRIVATE KEY-----\n    MIIB\n";
        assert_eq!(
            found(text),
            [
                "4:adminPassword HelmRelease db",
                "6:DB_PASSWORD HelmRelease db",
                "7:url HelmRelease db",
                "9:pem HelmRelease db"
            ]
        );
    }

    #[test]
    fn the_name_of_the_entry_that_holds_a_secret_is_none() {
        let text = "kind: Proxy\nmetadata: {name: web}\nspec:\n  clientSecretKey: shopClientSecret\n  cookieSecretKey: web/cookie-secret\n  secretKey: api-key\n  appIdSecretKey: appID\n  otherSecretKey: b4ttery-other-secret\n";
        assert_eq!(found(text), ["8:otherSecretKey Proxy web"]);
    }

    #[test]
    fn the_name_of_the_secret_or_entry_that_holds_a_secret_is_none() {
        let text = "kind: App\nmetadata: {name: web}\nspec:\n  existingSecretAdminPassword: registry-login\n  example.io/pluginClientSecret: backup-client-tls\n  database:\n    existingSecret: db\n    secretKeys: {password: db-password, nested: {rootPassword: db-root}}\n  oidc: {existingSecretKeys: {clientSecret: oidc}}\n  smtp: {clientSecret: client_secret}\n  otherClientSecret: {existingSecret: sso, secretKeys: {client_id: client_id}}\n  password: correct-horse\n";
        assert_eq!(found(text), ["12:password App web"]);
    }

    #[test]
    fn settings_in_a_secret_are_not_told() {
        let text = "secretGenerator:\n  - name: sso\n    literals: [DEFAULT_TOKEN_DURATION=minutes=30, POSTGRES_DB=katalog, accesskey=artifacts]\n  - name: other\n    literals:\n      - AVATARS=gravatar,initials\n      - secretaccesskey=correct-horse\n";
        assert_eq!(found(text), ["7:secretaccesskey Secret other"]);
    }

    #[test]
    fn addresses_images_and_comments_are_not_told() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: vars}\nstringData:\n  lb_ip: 192.168.0.254\n  native_cidr: 192.168.0.1/24\n  SIDECAR_IMAGE: ghcr.io/acme/sidecar:v1.2.0\n  htpasswd: |\n    # PASSWORD=alongsecret\n    # htpasswd -nB admin\n  pin: correct-horse\n";
        assert_eq!(found(text), ["11:pin Secret vars"]);
        let text = "kind: Compose\nhealthcheck: mysql --user=root --password=$$MYSQL_ROOT_PASSWORD\nannotations:\n  service.binding/password: path={.metadata.name},objectType=Secret\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn addresses_without_a_login_and_switches_in_a_secret_are_not_told() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: backup}\nstringData:\n  RESTIC_REPOSITORY: 's3:http://minio.storage.svc:9000/restic/radarr'\n  AWS_ENDPOINTS: https://nas.example.org:9000\n  security: INSTALL_LOCK=true\n  webhook: ALLOWED_HOST_LIST=\"*\"\n  cron.GIT_GC_REPOS: test=false\n  posthog: phc_6AT2D3sP5u4fkUZtSqgtmoKmcx8rEX8f86lpISOpAhx\n  notify: https://hooks.chat.acme.io/services/t0001/b0002\n  repository: 's3:http://minio:correct-horse@minio.storage.svc:9000/restic'\n  other: https://chat.acme.io/api/9f8a7sdf98a7sdf/Z\n";
        assert_eq!(
            found(text),
            [
                "11:notify Secret backup",
                "12:repository Secret backup",
                "13:other Secret backup"
            ]
        );
    }

    #[test]
    fn the_schema_of_a_definition_is_not_told() {
        let text = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: stores.example.org}\nspec:\n  schema:\n    description: |-\n      Create a Secret with these keys\n      - aws_access_key_id: Access Key ID\n      - aws_secret_access_key: Secret Access Key, which authenticates requests\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn placeholders_in_base64_are_not_told() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata:\n  password: c3VwZXJzZWNyZXQK\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn references_paths_hashes_and_placeholders_are_not_told() {
        let values = [
            "os.environ/OPENAI_API_KEY",
            "$CLIENT_SECRET",
            "'{MQTT_PASSWORD}'",
            "$oidc:authelia.clientSecret",
            "$__env{OIDC_CLIENT_SECRET}",
            "'%DB_PASSWORD%'",
            "env(DB_PASSWORD)",
            "arn:aws:s3:::acme-data-1234",
            "strenv(BAZARR_API_KEY)",
            "process.env.REGISTRY_TOKEN,",
            "os.environ['REGISTRY_TOKEN']",
            "platform-team@example.org",
            "string",
            "/etc/app/tls.key",
            "sk-no-key-required",
            "not-needed",
            "for-test-only",
            "$2y$10$abcdefghijklmnopqrstuv",
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB",
        ];
        for value in values {
            let text =
                format!("kind: App\nmetadata: {{name: web}}\nspec:\n  adminPassword: {value}\n");
            assert_eq!(found(&text), [""; 0], "{value}");
        }
    }

    #[test]
    fn names_that_are_about_passwords_and_words_for_open_servers_are_not_told() {
        let text = "kind: App\nmetadata: {name: web}\nspec:\n  URL_FORGOTPASSWORD: forgotDetails\n  onepassword: {source: some/onepassword}\n  apiKey: local-model-7b\n  otherApiKey: 9f8a7sdf98a7sdf\n";
        assert_eq!(found(text), ["7:otherApiKey App web"]);
    }

    #[test]
    fn a_sealed_secret_is_encrypted() {
        let text = "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db}\nspec:\n  encryptedData: {password: AgCls8abcdefg1234567890abcdefghij}\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn files_with_settings_and_ids_in_a_secret_are_told_only_for_what_looks_secret() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: es}\nstringData:\n  AZURE_TENANT_ID: 531ff96d-0ae9-462a-8d2d-bec7c0b42082\n  roles.yml: |\n    writer:\n      cluster: [monitor]\n  app.ini: |\n    [db]\n    password = correct-horse\n";
        assert_eq!(found(text), ["10:app.ini Secret es"]);
    }

    #[test]
    fn programs_and_servers_in_texts_are_not_told() {
        let text = "kind: ConfigMap\nmetadata: {name: web}\ndata:\n  nginx.conf: |\n    location / {\n      proxy_pass http://web:8000/;\n    }\n  app.yml: |\n    sonarr:\n      api_key: !env_var SONARR_API_KEY\n  run.sh: |\n    yq -i '.auth.apikey = strenv(BAZARR_API_KEY)' /config.yaml\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn settings_of_a_secret_are_not_told_beside_a_key() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata: {name: disk}\nstringData:\n  CRYPTO_KEY_VALUE: Tr0ub4dor and 3\n  CRYPTO_KEY_CIPHER: aes-xts-plain64\n  volumegroup: vg_ssd\n  reverse: 0.168.192.in-addr.arpa\n  config: config\n  homeassistant: 9f8a7sdf98a7sdf\n";
        assert_eq!(
            found(text),
            [
                "5:CRYPTO_KEY_VALUE Secret disk",
                "10:homeassistant Secret disk"
            ]
        );
    }

    #[test]
    fn a_container_that_is_called_like_a_secret_is_none() {
        let text = "kind: HelmRelease\nmetadata: {name: mqtt}\nspec:\n  initContainers:\n    gen-passwd:\n      image: {repository: docker.io/eclipse-mosquitto, tag: 2.0.22}\n      command: [sh, -c, 'set -eu; install -m 0600 /secrets/passwd /passwd']\n  passwords:\n    root: correct-horse\n";
        assert_eq!(found(text), ["9:passwords HelmRelease mqtt"]);
    }

    #[test]
    fn ids_of_secrets_and_expressions_are_not_told() {
        let text = "kind: App\nmetadata: {name: web}\nspec:\n  secret_ids:\n    client_secret: 13c2205a-4fa2-4c7c-85e2-b3d70141e697\n  that:\n    - \"'secretKey: BOT_TOKEN' in (content | b64decode)\"\n";
        assert_eq!(found(text), [""; 0]);
    }

    #[test]
    fn a_secret_in_a_block_is_told_on_its_line_and_by_its_name() {
        let text = "kind: VirtualMachine\nmetadata: {name: vm}\nspec:\n  userData: |\n    #cloud-config\n    user: ops\n    password: correct-horse\n  args:\n    - |\n      exec server \\\n        -adminPassword=battery-staple\n  environment:\n    - MYSQL_ROOT_PASSWORD=correct-horse\n";
        assert_eq!(
            found(text),
            [
                "7:password VirtualMachine vm",
                "11:adminPassword VirtualMachine vm",
                "13:MYSQL_ROOT_PASSWORD VirtualMachine vm"
            ]
        );
    }

    #[test]
    fn generated_secrets_are_looked_at() {
        let text =
            "secretGenerator:\n  - name: db\n    literals: [user=shop, password=correct-horse]\n";
        assert_eq!(found(text), ["3:password Secret db"]);
    }
}
