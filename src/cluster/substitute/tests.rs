//! Tests of `substitute.rs`.

use proptest::prelude::*;

use super::*;

fn lookup(name: &str) -> Lookup {
    Lookup::Value(match name {
        "v" => "abcABC123ABCabc".into(),
        "path" => "/path/to/file.tar.gz".into(),
        "word" => "word".into(),
        "empty" => "".into(),
        "minus" => "-3".into(),
        "lines" => "a\nb\n".into(),
        "odd" => "ß日x".into(),
        "again" => "${v} $$".into(),
        "secret" => return Lookup::Opaque,
        _ => return Lookup::Unset,
    })
}

fn run(text: &str) -> Result<String, BadExpression> {
    let outcome = substitute(text, &lookup, &mut SubstitutionBudget::default())?;
    Ok(outcome.map_or_else(|| text.to_owned(), |outcome| outcome.text))
}

#[track_caller]
fn gives(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(run(text).as_deref(), Ok(*expected), "{text}");
    }
}

#[track_caller]
fn refuses(texts: &[&str]) {
    for text in texts {
        assert!(run(text).is_err(), "{text} gave {:?}", run(text));
    }
}

#[test]
fn a_variable_gives_its_value_and_an_unset_one_nothing() {
    gives(&[
        ("<${word}>", "<word>"),
        ("<${unset}>", "<>"),
        ("<${empty}>", "<>"),
    ]);
    gives(&[("${word}${word}-${1}", "wordword-")]);
}

#[test]
fn a_value_is_not_read_again_and_loses_its_line_breaks() {
    gives(&[
        ("${again}", "${v} $$"),
        ("${lines}", "ab"),
        ("${#lines}", "2"),
    ]);
}

#[test]
fn lone_dollars_stay_and_doubled_ones_become_one() {
    gives(&[
        ("$word $ 5$", "$word $ 5$"),
        ("$${word}", "${word}"),
        ("$$", "$"),
    ]);
    gives(&[
        ("$$${word}", "$word"),
        ("$$$${word}", "$${word}"),
        ("a$$$b", "a$$b"),
    ]);
    gives(&[
        ("$${x${word}}", "${xword}"),
        (r"\\ \/ ${word}", r"\\ \/ word"),
    ]);
}

#[test]
fn every_default_operator_falls_back_when_the_value_is_empty() {
    for operator in ["=", ":=", ":-", ":+", ":?"] {
        gives(&[
            (&format!("${{word{operator}d}}"), "word"),
            (&format!("${{empty{operator}d}}"), "d"),
            (&format!("${{unset{operator}d}}"), "d"),
            (&format!("${{unset{operator}}}"), ""),
        ]);
    }
}

#[test]
fn a_default_may_hold_anything_but_a_brace() {
    gives(&[("${unset:-a ${word} b ${unset:=${word^^}}}", "a word b WORD")]);
    gives(&[
        ("${unset:-$$x\\/}", "$$x\\/"),
        ("${unset:-{}}", "{}"),
        ("${unset:=a:b=c}", "a:b=c"),
    ]);
    gives(&[("${unset:-é\n日}", "é\n日")]);
}

#[test]
fn operators_of_bash_that_flux_does_not_read_are_refused() {
    refuses(&[
        "${word-d}",
        "${word+d}",
        "${word?d}",
        "${!word}",
        "${word[0]}",
        "${word@Q}",
    ]);
    refuses(&[
        "${}", "${", "${ word}", "${word", "${word }", "${a-b}", "${a.b}", "${#}", "${##}",
    ]);
    refuses(&[
        "${#word:1}",
        "${word^^^}",
        "${word^a}",
        "${unset:-x",
        "${unset:-${word}",
    ]);
}

#[test]
fn cases_change_one_character_for_one() {
    gives(&[
        ("${v^}", "AbcABC123ABCabc"),
        ("${v^^}", "ABCABC123ABCABC"),
        ("${v,,}", "abcabc123abcabc"),
    ]);
    gives(&[
        ("${odd^^}", "ß日X"),
        ("${empty^}${unset,}", ""),
        ("${word^,}${word,^}", "wordword"),
    ]);
}

#[test]
fn lengths_and_substrings_count_bytes() {
    gives(&[
        ("${#v} ${#odd} ${#unset}", "15 6 0"),
        ("${v:3:3}", "ABC"),
        ("${v:12}", "abc"),
        ("${v:99}", ""),
    ]);
    gives(&[
        ("${v:0:99}", "abcABC123ABCabc"),
        ("${v:3:-3}", "ABC123ABC"),
        ("${v:9:-9}", ""),
        ("${v:1::2}", "bc"),
    ]);
    gives(&[
        ("${v:${minus}}", "abc"),
        ("${word: -3}", "word"),
        ("${word:x:1}", "word"),
        ("${word:0:y}", "word"),
    ]);
    gives(&[
        ("${word:9223372036854775807:9223372036854775807}", ""),
        ("${odd:2:3}", "日"),
        ("${odd:1:0}", ""),
    ]);
    refuses(&[
        "${v:}",
        "${v::2}",
        "${v:1:}",
        "${v:é}",
        "${v:1${word}}",
        "${odd:1}",
    ]);
}

#[test]
fn patterns_trim_the_shortest_or_the_longest_match() {
    gives(&[
        ("${path#*/}", "path/to/file.tar.gz"),
        ("${path##*/}", "file.tar.gz"),
    ]);
    gives(&[
        ("${path%.*}", "/path/to/file.tar"),
        ("${path%%.*}", "/path/to/file"),
        ("${path%/*}", "/path/to"),
    ]);
    gives(&[
        ("${v#abc}", "ABC123ABCabc"),
        ("${v#abd}", "abcABC123ABCabc"),
        ("${v#?b[a-c]}", "ABC123ABCabc"),
    ]);
    gives(&[
        ("${v##[^1]*[1-9]}", "ABCabc"),
        ("${v#\\a}", "bcABC123ABCabc"),
        ("${word#${word}}", ""),
    ]);
    refuses(&["${v#}", "${v%%}", "${v#a${word}}"]);
}

#[test]
fn the_oddities_of_patterns_are_those_of_flux() {
    // A match is at least one character; a class or an escape at the end is read backwards and matches nothing.
    gives(&[
        ("${word#*}", "ord"),
        ("${word%*}", "wor"),
        ("${word%[cd]}", "word"),
        ("${word%\\d}", "word"),
    ]);
    gives(&[
        ("${word#[}", "word"),
        ("${word#w[]}", "word"),
        ("${word#w\\}", "word"),
        ("${word###w}", "word"),
    ]);
}

#[test]
fn replacements_take_plain_text() {
    gives(&[
        ("${v/abc/x}", "xABC123ABCabc"),
        ("${v//abc/x}", "xABC123ABCx"),
        ("${v//abc/}", "ABC123ABC"),
    ]);
    gives(&[
        ("${v/#abc/x}", "xABC123ABCabc"),
        ("${v/%abc/x}", "abcABC123ABCx"),
        ("${v/#ABC/x}", "abcABC123ABCabc"),
    ]);
    gives(&[
        ("${word/./x}", "word"),
        ("${path//\\//-}", "-path-to-file.tar.gz"),
        ("${word/w/$$\\\\}", "$\\ord"),
    ]);
    gives(&[
        ("${word/#/x-}", "x-word"),
        ("${word/%/-x}", "word-x"),
        ("${word///-}", "-w-o-r-d-"),
    ]);
    gives(&[("${word/${word}/${v:0:1}}", "a"), ("${word/w//x}", "xord")]);
    gives(&[
        ("${v/#abc/}", "abcABC123ABCabc"),
        ("${v/%abc/}", "abcABC123ABCabc"),
    ]);
    refuses(&["${v/a}", "${v//a}", "${v/", "${v/a/b", "${v/a${word}/b}"]);
}

#[test]
fn an_expression_with_an_unknown_value_stays_as_written() {
    gives(&[
        ("<${secret}> ${word}", "<${secret}> word"),
        ("${secret:=${word}}", "${secret:=${word}}"),
    ]);
    gives(&[
        ("${unset:-x${secret}}", "x${secret}"),
        ("${word:-${secret}}", "word"),
    ]);
    gives(&[
        ("${word/w/${secret}}", "${word/w/${secret}}"),
        ("${#secret}", "${#secret}"),
    ]);
}

#[test]
fn an_outcome_names_what_was_used_and_what_was_not_set() {
    let text = "${b:-${a^}} ${a} ${word} ${c=} ${secret} $${no} ${word:-${d}} ${#e}";
    let outcome = substitute(text, &lookup, &mut SubstitutionBudget::default())
        .expect("good")
        .expect("changed");
    assert_eq!(outcome.used, ["b", "a", "word", "c", "secret", "d", "e"]);
    assert_eq!(outcome.unset, ["a", "d", "e"]);
    assert_eq!(names(text), outcome.used);
    assert_eq!(names("${a} ${b-c} ${d}"), ["a"]);
}

#[test]
fn a_text_without_expressions_is_left_alone() {
    for text in ["", "plain", "$", "$x $(y) {z}", "5$ 6$"] {
        assert_eq!(
            substitute(
                text,
                &|_| unreachable!(),
                &mut SubstitutionBudget::default()
            ),
            Ok(None),
            "{text}"
        );
        assert!(names(text).is_empty());
    }
}

#[test]
fn a_bad_expression_says_where_it_starts_and_what_to_write() {
    let bad = run("é ${word} ${unset:-${word-d}}").expect_err("bad");
    assert_eq!(bad.offset, "é ${word} ${unset:-".len());
    assert_eq!(
        bad.message,
        "Flux cannot parse the expression at `${word`: a default must start with `:-` or `:=`; for a \
             literal `${`, write `$${`"
    );
}

#[test]
fn depth_growth_and_work_have_limits() {
    let nested = |depth: usize| "${unset:-".repeat(depth) + &"}".repeat(depth);
    assert_eq!(run(&nested(32)).as_deref(), Ok(""));
    refuses(&[&nested(33), &nested(100_000), &"${".repeat(100_000)]);

    let long: SmolStr = "a".repeat(1 << 16).into();
    let all_long = |_: &str| Lookup::Value(long.clone());
    assert!(
        substitute(
            &"${v}".repeat(17),
            &all_long,
            &mut SubstitutionBudget::default()
        )
        .is_err()
    );
    assert!(
        substitute(
            &format!("${{empty:-{}}}", "${v}".repeat(17)),
            &all_long,
            &mut SubstitutionBudget::default()
        )
        .is_err()
    );
    assert!(
        substitute(
            "${v//a/${v}}",
            &all_long,
            &mut SubstitutionBudget::default()
        )
        .is_err()
    );
    assert!(
        substitute(
            "${v%%*b*b*b*b*b}",
            &all_long,
            &mut SubstitutionBudget::default()
        )
        .is_ok()
    );
    assert!(substitute("${v##${v}}", &all_long, &mut SubstitutionBudget::default()).is_err());
}

#[test]
fn variable_names_are_words_that_do_not_start_with_a_digit() {
    assert!(["a", "_", "A1_b"].into_iter().all(is_variable_name));
    assert!(
        !["", "1a", "a-b", "a.b", "é", "a\n"]
            .into_iter()
            .any(is_variable_name)
    );
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = substitute(&text, &lookup, &mut SubstitutionBudget::default());
        names(&text);
    }

    #[test]
    fn no_mixture_of_its_own_tokens_makes_it_panic(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "$", "$$", "${", "${", "}", "}", ":", "=", "-", "+", "?", "#", "##", "%", "%%", "/", "//", ",", "^",
                "\\", "*", "[", "]", "^", "v", "odd", "unset", "secret", "minus", "1", "-1", "é", "日", " ", "\n",
            ]),
            0..24,
        )
    ) {
        let text = tokens.concat();
        match substitute(&text, &lookup, &mut SubstitutionBudget::default()) {
            Ok(Some(outcome)) => prop_assert_eq!(names(&text), outcome.used),
            Ok(None) => prop_assert!(names(&text).is_empty()),
            Err(bad) => prop_assert_eq!(text.get(bad.offset..bad.offset + 2), Some("${")),
        }
    }

    #[test]
    fn a_value_comes_through_whole(before in "[^$]*", value in "[^\n]*", after in "[^$]*") {
        let outcome = substitute(&format!("{before}${{x}}{after}"), &|_| Lookup::Value(value.as_str().into()), &mut SubstitutionBudget::default());
        prop_assert_eq!(outcome.expect("good").expect("changed").text, format!("{before}{value}{after}"));
    }
}
