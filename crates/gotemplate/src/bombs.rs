//! Templates that are small and ask for more work, memory or stack than there is.

use base::steps::counted;

use super::*;

/// `x` is a list that holds itself twice, forty times over.
const DOUBLED: &str = "{{ $x := list 1 2 }}{{ range until 40 }}{{ $x = list $x $x }}{{ end }}";
/// The same as maps.
const DOUBLED_MAPS: &str =
    "{{ $x := dict \"k\" 1 }}{{ range until 40 }}{{ $x = dict \"a\" $x \"b\" $x }}{{ end }}";
/// `t` is a text of 800,000 letters, `l` a list of 50,000 numbers.
const LONG: &str = "{{ $t := repeat 800 (repeat 1000 \"a\") }}{{ $l := until 50000 }}";

fn refused(text: &str) {
    let work = counted(|| {
        let refused = run(text, &Value::Nil, Missing::Zero).is_err();
        assert!(refused, "{text}");
    });
    assert!(work < MOST_WORK, "{text}: {work}");
}

/// All limits of a run together, and what parsing takes.
const MOST_WORK: u64 = 40_000_000;

#[test]
fn what_is_shared_counts_wherever_it_is_walked() {
    for walk in [
        "eq $x $x",
        "ne $x (list $x)",
        "deepCopy $x",
        "mustDeepCopy $x",
        "toJson $x",
        "toPrettyJson $x",
        "toYaml $x",
        "print $x",
        "printf \"%v\" $x",
        "$x",
        "has $x (list $x)",
        "without (list $x) $x",
        "uniq (list $x $x $x)",
        "sortAlpha (list $x $x)",
        "join \",\" $x",
        "cat $x 1",
        "quote $x",
        "upper $x",
        "nindent 2 $x",
        "contains \"a\" $x",
        "dict $x 1",
        "toString $x",
        "regexMatch \"a\" (toString $x)",
        "fail $x",
        "dig $x 1 (dict)",
        "omit (dict \"a\" 1) $x",
        "slugify $x",
        "nothingOfThisName $x",
        "hasPrefix $x $x",
        "int $x",
        "merge (dict \"a\" $x) (dict \"a\" (list $x))",
    ] {
        refused(&format!("{DOUBLED}{{{{ {walk} }}}}"));
    }
    for walk in [
        "eq $x $x",
        "merge $x $x",
        "mergeOverwrite $x $x",
        "deepCopy $x",
        "toYaml $x",
        "merge (dict) (dict \"a\" $x) (dict \"a\" $x)",
        "print (values $x)",
    ] {
        refused(&format!("{DOUBLED_MAPS}{{{{ {walk} }}}}"));
    }
}

#[test]
fn holding_what_is_shared_costs_nothing() {
    for hold in [
        "len $x",
        "kindOf $x",
        "len (first $x)",
        "empty $x",
        "len (list $x $x)",
    ] {
        let text = format!("{DOUBLED}{{{{ {hold} }}}}");
        let written = run(&text, &Value::Nil, Missing::Zero);
        assert!(written.is_ok(), "{text}");
    }
}

#[test]
fn values_do_not_lie_within_each_other_without_end() {
    refused("{{ $x := list }}{{ range until 60000 }}{{ $x = list $x }}{{ end }}");
    refused("{{ $x := dict }}{{ range until 60000 }}{{ $x = dict \"a\" $x }}{{ end }}");
    refused(
        "{{ $x := dict }}{{ range until 3000 }}{{ $_ := set $x \"a\" (dict \"b\" $x) }}{{ end }}",
    );
}

#[test]
fn what_multiplies_texts_is_refused_before_it_is_made() {
    for call in [
        "repeat 1000 $t",
        "replace \"a\" $t $t",
        "replace \"\" $t $t",
        "join $t $l",
        "regexReplaceAll \"a\" $t $t",
        "regexReplaceAll \"\" $t $t",
        "regexReplaceAllLiteral \"a\" $t $t",
        "regexReplaceAll \"(a)\" $t \"$1$1$1$1$1$1$1$1\"",
        "indent 200 (replace \"a\" \"\\n\" $t)",
        "print $t $t $t $t $t $t",
        "printf \"%s%s%s%s\" $t $t $t $t",
        "printf \"%9999999d\" 1",
        "concat $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l $l",
        "until 1000000000",
        "untilStep 0 1000000000 1",
        "seq 0 1000000000",
        "range 1000000000",
    ] {
        refused(&format!("{LONG}{{{{ {call} }}}}"));
    }
}

#[test]
fn small_steps_over_large_values_add_up() {
    for call in [
        "contains \"b\" $t",
        "hasSuffix \"b\" $t",
        "eq $t (print $t)",
        "has 50001 $l",
        "without $l 50001 | len",
        "uniq $l | len",
        "len (first (list $l)) | print $l | len",
        "lower $t | len",
        "trunc 1 $t",
        "semverCompare $t $t",
        "regexMatch \"b\" $t",
        "pick (dict \"a\" 1) $l | len",
        "index (splitList \"b\" $t) 0 | len",
    ] {
        refused(&format!(
            "{LONG}{{{{ range until 30000 }}}}{{{{ $y := {call} }}}}{{{{ end }}}}"
        ));
    }
    refused(&format!(
        "{LONG}{{{{ range until 30000 }}}}{{{{ range $l }}}}{{{{ break }}}}{{{{ end }}}}{{{{ end }}}}"
    ));
    // An expression that starts again behind each letter.
    refused(&format!(
        "{LONG}{{{{ regexFindAll \"a*b|a\" (trunc 60000 $t) -1 }}}}"
    ));
    refused(&format!(
        "{LONG}{{{{ regexSplit \"(a|a|a|a|a|a)*b|a\" (trunc 60000 $t) -1 }}}}"
    ));
    // Aliases make much of a small text.
    refused(
        "{{ $y := \"a: &a [1,1,1,1,1,1,1,1,1]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\\ne: [*d,*d,*d,*d,*d,*d]\" }}{{ range until 5000 }}{{ $z := fromYaml $y }}{{ end }}",
    );
}

#[test]
fn a_body_that_is_long_may_be_included_often() {
    let long = "{{ if false }}".to_owned() + &"{{ .a }}x".repeat(20_000) + "{{ end }}";
    let text = format!(
        "{{{{ define \"a\" }}}}{long}{{{{ end }}}}{{{{ range until 30000 }}}}{{{{ template \"a\" . }}}}{{{{ end }}}}"
    );
    let work = counted(|| drop(run(&text, &Value::Nil, Missing::Zero)));
    assert!(work < MOST_WORK, "{work}");
}

#[test]
fn what_people_write_is_within_the_limits() {
    let helper = "{{ define \"labels\" }}{{ range $k, $v := .root.labels }}{{ $k }}: {{ $v | quote | replace \"a\" \"b\" }}\n{{ end }}{{ end }}";
    let labels = (0..50).map(|n| {
        (
            format!("label-{n}").into(),
            Value::text("a value of some length"),
        )
    });
    let mut root = Value::map(std::iter::empty());
    root.set(&["labels"], Value::map(labels));
    root.set(&["big"], Value::text("x".repeat(300_000)));
    let text = "{{ range until 100 }}{{ template \"labels\" (dict \"root\" $) }}{{ toYaml $.labels | indent 2 }}{{ $x := regexReplaceAll \"[^a-z0-9]+\" \"Some Name_of.a Thing\" \"-\" }}{{ $y := eq $.big \"\" }}{{ end }}";
    let text = format!("{helper}{text}");
    let written = run(&text, &root, Missing::Zero);
    assert!(written.is_ok(), "{written:?}");
}
