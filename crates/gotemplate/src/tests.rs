//! Tests of templates as people write them.

use super::*;

fn root() -> Value {
    let text = "name: web\npath: {segments: [apps, web], basename: web}\nenvs: [dev, prod]\napps: {b: {port: 80}, a: {port: 90}}\non: true\nempty: ''\n";
    let parsed = yaml::parse(text, base::FileId(0));
    Value::from_node(&parsed.documents[0].root)
}

fn written(text: &str) -> Result<String, Fault> {
    run(text, &root(), Missing::Zero).map(|written| written.text)
}

#[test]
fn values_are_put_in() {
    let cases = [
        ("{{ .name }}", "web"),
        ("{{.path.basename}}-x", "web-x"),
        ("{{ index .path.segments 0 }}", "apps"),
        ("{{ .none }}|", "<no value>|"),
        ("{{ .none | default \"x\" | upper }}", "X"),
        ("{{ default .name .empty }}", "web"),
        ("{{ printf \"%s-%d\" .name 3 }}", "web-3"),
        (
            "{{ if and .on (eq .name \"web\") }}y{{ else }}n{{ end }}",
            "y",
        ),
        ("{{ if .empty }}y{{ else if .on }}z{{ end }}", "z"),
        ("{{ range .envs }}{{ . }},{{ end }}", "dev,prod,"),
        (
            "{{ range $k, $v := .apps }}{{ $k }}={{ $v.port }} {{ end }}",
            "a=90 b=80 ",
        ),
        (
            "{{ range $i, $e := .envs }}{{ $i }}{{ $.name }}{{ end }}",
            "0web1web",
        ),
        ("{{ with .path }}{{ .basename }}{{ end }}", "web"),
        ("{{ $x := .name }}{{ $x = \"y\" }}{{ $x }}", "y"),
        ("a {{- /* no */ -}} b", "ab"),
        ("{{ .name | replace \"w\" \"v\" | quote }}", "\"veb\""),
        ("{{ trimPrefix \"w\" .name }}{{ trunc 1 .name }}", "ebw"),
        (
            "{{ toYaml .apps | nindent 2 }}",
            "\n  a:\n    port: 90\n  b:\n    port: 80",
        ),
        (
            "{{ ternary \"a\" \"b\" .on }}{{ hasPrefix \"w\" .name }}",
            "atrue",
        ),
        (
            "{{ (fromYaml \"a: {b: 1}\").a.b }}{{ mustToJson .envs }}",
            "1[\"dev\",\"prod\"]",
        ),
        ("{{ join \"-\" .envs }}{{ len .envs }}", "dev-prod2"),
        (
            "{{ define \"n\" }}<{{ .name }}>{{ end }}{{ template \"n\" . }}",
            "<web>",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(written(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn functions_are_those_of_sprig() {
    let cases = [
        ("{{ cat .name .none 1 }}", "web 1"),
        ("{{ slugify .name }}{{ slugify 23 \"A/b\" }}", "weba-b"),
        ("{{ regexReplaceAll \"(e)(b)\" .name \"${2}-$1\" }}", "wb-e"),
        ("{{ regexReplaceAllLiteral \"e\" .name \"$1\" }}", "w$1b"),
        (
            "{{ regexMatch \"^w\" .name }}{{ regexFind \"[a-e]+\" .name }}",
            "trueeb",
        ),
        ("{{ regexSplit \"[ab]\" \"1a2b3\" -1 }}", "[1 2 3]"),
        ("{{ regexFindAll \"[a-z]\" \"1a2b3\" 1 }}", "[a]"),
        ("{{ base \"a/b\" }}{{ dir \"a/b\" }}", "ba"),
        ("{{ b64enc .name }}", "d2Vi"),
        ("{{ sha256sum \"\" | trunc 8 }}", "e3b0c442"),
        ("{{ (splitn \"/\" 2 \"a/b/c\")._1 }}", "b/c"),
        (
            "{{ without .envs \"dev\" }}{{ reverse .envs }}",
            "[prod][prod dev]",
        ),
        ("{{ any .none .on }}{{ all .none .on }}", "truefalse"),
        (
            "{{ seq 3 }}|{{ seq 2 0 }}|{{ seq 1 2 6 }}",
            "1 2 3|2 1 0|1 3 5",
        ),
        (
            "{{ untilStep 3 6 2 }}{{ untilStep 0 -2 -1 }}",
            "[3 5][0 -1]",
        ),
        ("{{ pluck \"port\" .apps.a .apps.b (dict) }}", "[90 80]"),
        ("{{ toPrettyJson .envs }}", "[\n  \"dev\",\n  \"prod\"\n]"),
        (
            "{{ printf \"%t|%-5s|%5s|%03d\" .on .name .name 7 }}",
            "true|web  |  web|007",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(written(text).as_deref(), Ok(expected), "{text}");
    }
    let many = "{{ $x := repeat 1000 \"a\" }}{{ range until 10000 }}{{ regexMatch \"(a|b)*c\" $x }}{{ end }}";
    assert!(written(many).is_err());
    assert!(written("{{ regexMatch \"(a{999}){999}\" .name }}").is_err());
}

#[test]
fn nothing_that_an_action_gave_can_be_asked_for_fields() {
    let cases = [
        ("{{ (.none).more }}|", "<no value>|"),
        ("{{ ((.none).more).deep | default 1 }}", "1"),
        ("{{ (.none).more.deep | default 1 }}", "1"),
        ("{{ $x := .none }}{{ $x.more.deep }}|", "<no value>|"),
        (
            "{{ $x := 1 }}{{ $x = .none }}{{ if not $x.more }}n{{ end }}",
            "n",
        ),
        ("{{ (index .path \"none\").more }}|", "<no value>|"),
        (
            "{{ define \"n\" }}<{{ .more }}>{{ end }}{{ template \"n\" .none }}",
            "<<no value>>",
        ),
        ("{{ (.path).basename }}", "web"),
    ];
    for (text, expected) in cases {
        assert_eq!(written(text).as_deref(), Ok(expected), "{text}");
    }
    let faults = [
        "{{ (.path).none.more }}",
        "{{ $x := .path }}{{ $x.none.more }}",
        "{{ range list nil }}{{ .more }}{{ end }}",
        "{{ range $x := list nil }}{{ $x.more }}{{ end }}",
        "{{ (.name).more }}",
    ];
    for text in faults {
        assert!(written(text).is_err(), "{text}");
    }
}

#[test]
fn what_is_not_known_is_a_fault() {
    let cases = [
        "{{ getHostByName .name }}",
        "{{ .name",
        "{{ if .on }}",
        "{{ end }}",
        "{{ .none.more }}",
        "{{ template \"nothing\" . }}",
        "{{ fail \"no\" }}",
        "{{ include \"n\" . }}",
        "{{ .name.Get \"a\" }}",
        "{{ \"open }}",
        "{{ ((((((((((((((((((((((((((((((((((((((((((((((((((((((1 }}",
    ];
    for text in cases {
        assert!(written(text).is_err(), "{text}");
    }
}

#[test]
fn a_template_that_includes_itself_ends() {
    let text = "{{ define \"a\" }}{{ template \"a\" . }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}";
    assert!(written(text).is_err());
    let text = "{{ range until 100000 }}{{ range until 100000 }}x{{ end }}{{ end }}";
    assert!(written(text).is_err());
}

#[test]
fn lines_lead_back_to_the_template() {
    let text = "{{ range .envs }}\n---\nname: {{ . }}\n{{- end }}\nlast: 1\n";
    let written = run(text, &root(), Missing::Zero).unwrap();
    let lines: Vec<(&str, u32)> = written.text.lines().zip(written.lines).collect();
    assert_eq!(
        lines,
        [
            ("", 1),
            ("---", 2),
            ("name: dev", 3),
            ("---", 2),
            ("name: prod", 3),
            ("last: 1", 5)
        ]
    );
}

#[test]
fn a_field_that_is_not_there_is_what_was_asked_for() {
    let cases = [
        ("{{ .none }}", Some("<no value>"), None),
        ("{{ default \"x\" .none }}", Some("x"), None),
        ("{{ default \"x\" .none.more.deep }}", Some("x"), None),
        ("{{ if .none }}y{{ end }}", Some(""), None),
        ("{{ (.none).more }}", Some("<no value>"), None),
        ("{{ .null }}", Some("<no value>"), Some("<no value>")),
        ("{{ default \"x\" .null }}", Some("x"), Some("x")),
        ("{{ .null.more }}", None, None),
        ("{{ (.null).more }}", Some("<no value>"), None),
        ("{{ get .path \"none\" }}|", Some("|"), Some("|")),
        (
            "{{ dig \"none\" \"more\" \"x\" .path }}",
            Some("x"),
            Some("x"),
        ),
        (
            "{{ index .path \"none\" | default \"x\" }}",
            Some("x"),
            Some("x"),
        ),
    ];
    let mut root = root();
    root.set(&["null"], Value::Nil);
    for (text, default, strict) in cases {
        let written = |missing| {
            let written = run(text, &root, missing);
            written.map(|written| written.text).ok()
        };
        assert_eq!(written(Missing::NoValue).as_deref(), default, "{text}");
        assert_eq!(written(Missing::Fault).as_deref(), strict, "{text}");
    }
}

#[test]
fn whoever_holds_a_map_sees_what_it_becomes() {
    let written = |text: &str| {
        let helper = "{{ define \"add\" }}{{ $_ := set .to \"k\" 1 }}{{ end }}";
        let text = format!("{helper}{text}");
        let written = run(&text, &root(), Missing::Zero);
        written.map(|written| written.text).unwrap()
    };
    for (text, expected) in [
        ("{{ $a := dict }}{{ $_ := set $a \"k\" 1 }}{{ $a.k }}", "1"),
        (
            "{{ $a := dict }}{{ $b := dict \"in\" $a }}{{ $_ := set $a \"k\" 1 }}{{ $b.in.k }}",
            "1",
        ),
        (
            "{{ $_ := set . \"k\" 1 }}{{ .k }}{{ $.k }}{{ $_ := set $ \"l\" 2 }}{{ .l }}",
            "112",
        ),
        (
            "{{ $a := dict \"k\" 1 }}{{ $b := deepCopy $a }}{{ $_ := set $a \"k\" 2 }}{{ $b.k }}",
            "1",
        ),
        (
            "{{ $a := dict \"k\" 1 }}{{ $_ := unset $a \"k\" }}{{ len $a }}",
            "0",
        ),
        (
            "{{ $a := dict }}{{ $_ := merge $a (dict \"k\" 1) }}{{ $a.k }}",
            "1",
        ),
        (
            "{{ $a := dict }}{{ with $a | default (dict \"x\" $a) }}{{ $_ := set .x \"k\" 1 }}{{ end }}{{ $a.k }}",
            "1",
        ),
        (
            "{{ $a := dict }}{{ template \"add\" (dict \"to\" $a) }}{{ $a.k }}",
            "1",
        ),
        (
            "{{ $a := dict }}{{ range until 3 }}{{ $_ := set $a (print .) . }}{{ end }}{{ len $a }}",
            "3",
        ),
    ] {
        assert_eq!(written(text), expected, "{text}");
    }
}

#[test]
fn maps_that_change_without_end_come_to_an_end() {
    let text = "{{ $a := dict }}{{ range until 9000 }}{{ $_ := set $a (print .) (dict \"a\" $a) }}{{ end }}{{ len $a }}";
    let result = run(text, &root(), Missing::Zero);
    assert!(result.is_err());
}

#[test]
fn types_and_names_are_those_of_go() {
    let written = |text: &str| {
        let written = run(text, &root(), Missing::Zero);
        written.map(|written| written.text).ok()
    };
    for (text, expected) in [
        ("{{ typeIs \"string\" \"a\" }}", Some("true")),
        (
            "{{ typeIs \"map[string]interface {}\" (dict) }}",
            Some("true"),
        ),
        ("{{ typeOf (list) }}", Some("[]interface {}")),
        ("{{ typeIs \"int\" 1 }}", None),
        ("{{ camelcase \"some_words-here\" }}", Some("SomeWordsHere")),
        ("{{ camelcase \"HTTP_server\" }}", None),
        ("{{ semverCompare \"^1.2\" \"1.4.0\" }}", Some("true")),
    ] {
        assert_eq!(written(text).as_deref(), expected, "{text}");
    }
}

#[test]
fn a_field_that_is_not_there_may_be_a_zero_without_fields() {
    let written = |text: &str| {
        let written = run(text, &root(), Missing::Zero);
        written.map(|written| written.text).ok()
    };
    assert_eq!(written("{{ .none }}").as_deref(), Some("<no value>"));
    assert_eq!(written("{{ default \"x\" .none }}").as_deref(), Some("x"));
    assert_eq!(written("{{ default \"x\" .none.more }}"), None);
    assert_eq!(
        written("{{ default \"x\" (.none).more }}").as_deref(),
        Some("x")
    );
}
