//! Tests of the scan: exactly the narrow form of JSON is accepted.

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn fault(text: &str) -> String {
    scan(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn rows_are_the_elements_of_the_longest_list_near_the_top() {
    for (text, top, rows) in [
        ("{}", Top::Object, 0),
        ("[]", Top::Array, 0),
        (" [1, [2, 3, 4], {\"a\": [5, 6, 7]}]\r\n", Top::Array, 3),
        (
            "{\"a\": [1, [2, 3, 4, 5, 6]], \"b\": [{\"c\": [1, 2, 3, 4]}, 2, 3], \"d\": []}",
            Top::Object,
            3,
        ),
    ] {
        assert_eq!(scan(text.as_bytes()), Ok(Scan { text, top, rows }));
    }
}

#[test]
fn good_values_pass() {
    for value in [
        "0",
        "-1",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "true",
        "false",
        "null",
        r#""""#,
        r#""a\"b\\c\/d""#,
        r#""\u00e9\ud83d\ude00""#,
        "\"ä 漢 😀\"",
        r#"{"a":1,"b":{"a":1}}"#,
    ] {
        let text = format!("[{value}]");
        assert_eq!(
            scan(text.as_bytes()).map(|scan| scan.rows),
            Ok(1),
            "{value}"
        );
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{value}");
    }
}

#[test]
fn bad_values_are_refused() {
    for value in [
        "",
        ",",
        "1,",
        "1 2",
        "tru",
        "nul",
        "NaN",
        "Infinity",
        "'a'",
        "01",
        "-",
        "-0",
        "+1",
        "1.0",
        "1e3",
        "0x1",
        "1-1",
        "18446744073709551616",
        "-9223372036854775809",
        "// no\n1",
        r#"""#,
        r#""\x""#,
        r#""\"#,
        r#""\u12""#,
        r#""\u+123""#,
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\ud800""#,
        r#""\ud800x""#,
        r#""\n""#,
        r#""\t""#,
        r#""\u0000""#,
        r#""\u001b""#,
        r#""\u202e""#,
        r#""\u2066""#,
        r#""\ufeff""#,
        "\"a\nb\"",
        "\"\u{1b}\"",
        "\"\u{7f}\"",
        "\"\u{85}\"",
        "\"\u{202e}\"",
        "{",
        "}",
        "{1:2}",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{"a":1,}"#,
        r#"{,"a":1}"#,
        r#"{"a" 1}"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":1]"#,
        "[1}",
        r#"{"a":1,"a":2}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"{"b":{"a":{"x":1},"c":2,"a":3}}"#,
    ] {
        let text = format!("[{value}]");
        // An empty list is fine; everything else in the table has to fail.
        assert_eq!(scan(text.as_bytes()).is_ok(), value.is_empty(), "{value}");
    }
    for text in ["", " ", "1", "\"a\"", "null", "[", "[]]", "{} {}", "[],"] {
        assert!(scan(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn faults_name_the_place() {
    assert_eq!(
        fault("\u{feff}{}"),
        "line 1, column 1: read a byte order mark, expected '{' or '['"
    );
    assert_eq!(
        fault("{\n  \"ä\": 1.5\n}"),
        "line 2, column 8: read 1.5, expected an integer of at most 64 bits"
    );
    assert_eq!(
        fault("[1,\n2,\n]"),
        "line 3, column 1: read ']', expected a value"
    );
    assert_eq!(
        fault("[1"),
        "line 1, column 3: read the end of the file, expected ',' or ']'"
    );
    assert_eq!(
        fault(r#"{"a": 1, "a": 2}"#),
        "line 1, column 10: read a second member \"a\", expected each member once"
    );
    assert_eq!(
        fault(r#"["\u202E"]"#),
        "line 1, column 3: read the character U+202E, expected no control or bidi character"
    );
    assert_eq!(
        fault("[tru]"),
        "line 1, column 2: read 't', expected a value"
    );
    let not_utf8 = scan(b"[\n\"\xff\"]").unwrap_err();
    assert_eq!(
        not_utf8.to_string(),
        "line 2, column 2: read the byte 0xff, expected UTF-8"
    );
}

#[test]
fn depth_is_counted_and_bounded() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(scan(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert!(scan(nested(MAX_DEPTH + 1).as_bytes()).is_err());
    assert!(fault(&nested(200_000)).starts_with("line 1, column 33: read level 33"));
    assert!(scan("{\"a\":".repeat(200_000).as_bytes()).is_err());
}

#[test]
fn many_members_are_compared_too() {
    let object = |names: Vec<String>| {
        let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    let names = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
    assert!(scan(object(names(MAX_MEMBERS)).as_bytes()).is_ok());
    assert!(scan(object(names(MAX_MEMBERS + 1)).as_bytes()).is_err());
    for repeated in ["n0", "n15", "n16", "n40", "\\u006e7"] {
        let mut with_repeat = names(50);
        with_repeat.push(repeated.to_owned());
        assert!(
            fault(&object(with_repeat)).contains("a second member"),
            "{repeated}"
        );
    }
}

/// Text that is close to JSON: pieces of it in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\",
        "a",
        "\"a\"",
        "\"\\u0061\"",
        "\"b\":",
        "0",
        "-",
        "1",
        "12",
        ".",
        "e",
        "true",
        "null",
        " ",
        "\n",
        "\\u",
        "d800",
        "\\udc00",
        "é",
        "\u{202e}",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn documents() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[ -~é漢😀]{0,12}".prop_map(Value::from),
    ];
    let tree = leaf.prop_recursive(6, 64, 24, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-c\"\\\\é]{0,4}", inner, 0..24)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop::collection::vec(tree, 0..5).prop_map(Value::from)
}

proptest! {
    #[test]
    fn what_is_accepted_is_json(text in pieces()) {
        if scan(text.as_bytes()).is_ok() {
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
        }
    }

    #[test]
    fn bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = scan(&bytes).map_err(|fault| fault.to_string());
    }

    #[test]
    fn documents_of_integers_and_plain_text_are_accepted(value in documents()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let rows = value.as_array().map(Vec::len);
            prop_assert_eq!(scan(text.as_bytes()).map(|scan| scan.rows).ok(), rows);
        }
    }

    #[test]
    fn a_damaged_document_is_accepted_only_when_it_is_json(value in documents(), at: prop::sample::Index, byte: u8) {
        let mut bytes = value.to_string().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if scan(&bytes).is_ok() {
            prop_assert!(serde_json::from_slice::<Value>(&bytes).is_ok());
        }
    }
}
