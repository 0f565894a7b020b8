//! Tests of the functions beside what sprig makes of the same templates.

use crate::engine::render;
use crate::json::{read, value_of};

#[test]
fn every_function_does_what_sprig_says() {
    let json = serde_json::json!({
        "s": "Hello World", "l": ["b", "a", "b"], "n": [3, 1, 2], "m": {"k": "v", "j": 1}, "e": "", "f": 7.6
    });
    let data = value_of(json);
    for (text, expected) in [
        (r#"{{trim " x "}}{{trimAll "-" "--y-"}}{{trimPrefix "a" "ab"}}{{trimSuffix "b" "ab"}}"#, "xyba"),
        (r#"{{upper .s}} {{lower .s}} {{title "a bc"}}"#, "HELLO WORLD hello world A Bc"),
        (r#"{{repeat 3 "ab"}} {{substr 0 5 .s}} {{trunc 3 .s}} {{trunc -3 .s}}"#, "ababab Hello Hel rld"),
        (r#"{{contains "World" .s}} {{hasPrefix "He" .s}} {{hasSuffix "x" .s}}"#, "true true false"),
        (r#"{{quote "a" 1}} {{squote "b"}} {{cat "a" 1 "b"}} {{nospace "a b"}}"#, r#""a" "1" 'b' a 1 b ab"#),
        (r#"{{indent 2 "a\nb"}}|{{nindent 1 "c"}}"#, "a\n  b|\n c"),
        (r#"{{replace " " "_" .s}} {{abbrev 8 .s}} {{plural "one" "many" 1}}"#, "Hello_World Hello... one"),
        (r#"{{join "," .l}} {{splitList "o" "foo" | join "|"}} {{(split "$" "a$b")._1}}"#, "b,a,b f|| b"),
        (r#"{{sortAlpha .l | join ""}} {{uniq .l | join ""}} {{reverse .l | join ""}}"#, "abb ba bab"),
        (r#"{{first .l}}{{last .n}} {{rest .l | join ""}} {{initial .n | join ""}}"#, "b2 ab 31"),
        (
            r#"{{has "a" .l}} {{without .l "b" | join ""}} {{compact (list "a" "" "c") | join ""}}"#,
            "true a ac",
        ),
        (
            r#"{{get .m "k"}} {{hasKey .m "x"}} {{keys .m | join ","}} {{values .m | join ","}}"#,
            "v false j,k 1,v",
        ),
        (r#"{{$d := dict "a" 1 "b" "two"}}{{$d.b}}{{slice .l 1 2 | join ""}}{{slice .s 0 4}}"#, "twoaHell"),
        (
            r#"{{default "d" .e}} {{default "d" .s}} {{coalesce .e nil "c"}} {{empty .e}}"#,
            "d Hello World c true",
        ),
        (r#"{{ternary "y" "n" true}} {{all .s .e}} {{any .s .e}}"#, "y false true"),
        ("{{add 1 2 3}} {{sub 5 2}} {{mul 2 3}} {{div 7 2}} {{mod 7 2}} {{add1 4}}", "6 3 6 3 1 5"),
        (
            "{{max 1 9 3}} {{min 4 2}} {{int .f}} {{round 3.14159 2}} {{floor .f}} {{ceil .f}}",
            "9 2 7 3.14 7 8",
        ),
        (r#"{{atoi "12"}} {{float64 "1.5"}} {{int64 "8"}} {{toString 5}}"#, "12 1.5 8 5"),
        (r#"{{b64enc "hi"}} {{b64dec "aGk="}} {{toJson .m}}"#, r#"aGk= hi {"j":1,"k":"v"}"#),
        (r#"{{(fromJson "{\"a\": [1, 2]}").a | join "+"}} {{sha256sum "" | trunc 8}}"#, "1+2 e3b0c442"),
        (r#"{{html "<b>"}} {{urlquery "a b&c"}} {{js "it's"}}"#, "&lt;b&gt; a+b%26c it\\'s"),
        (
            r#"{{eq .s "x" "Hello World"}} {{ne 1 2}} {{le 1 1.0}} {{ge "b" "a"}} {{and 1 0}}"#,
            "true true true true 0",
        ),
        (r#"{{print "a" 1 2 "b"}}{{println "c"}}."#, "a1 2bc\n."),
        (
            r#"{{(splitn "$" 2 "a$b$c")._1}} {{toStrings .n | join "+"}} {{toStrings "a" | len}}"#,
            "b$c 3+1+2 1",
        ),
        ("{{seq 3}}, {{seq 3 1}}, {{seq 1 2 6}}, {{seq 2 2 1}}, {{seq}}", "1 2 3, 3 2 1, 1 3 5, ,"),
        (
            r#"{{until 3 | join ","}} {{until -2 | join ","}} {{untilStep 5 0 -2 | join ","}}{{untilStep 1 9 0 | len}}"#,
            "0,1,2 0,-1 5,3,10",
        ),
        (
            "{{biggest 1 3 2}} {{maxf 1.5 \"2.5\"}} {{minf 1.5 2}} {{toDecimal 777}} {{toDecimal 9}}",
            "3 2.5 1.5 511 0",
        ),
        (
            r#"{{sha1sum "a" | trunc 8}} {{sha512sum "a" | trunc 8}} {{adler32sum "a"}}"#,
            "86f7e437 1f40fc92 6422626",
        ),
        (
            r#"{{b32enc "hi"}} {{b32dec "NBUQ===="}} {{toRawJSON .l}} {{mustToJSON 1}} {{fromJSON "["}}"#,
            r#"NBUQ==== hi ["b","a","b"] 1 <no value>"#,
        ),
        (
            "{{append .n 4 | join \"\"}} {{push .n 4 | len}} {{prepend .n 0 | join \"\"}} {{concat .n .l | join \"\"}}",
            "3124 4 0312 312bab",
        ),
        (
            r#"{{range chunk 2 .n}}[{{join "," .}}]{{end}} {{tuple 1 2 | len}} {{mustFirst .n}}"#,
            "[3,1][2] 2 3",
        ),
        (
            r#"{{pluck "k" .m (dict "k" 2) (dict) | join ","}} {{pick .m "k" "x" | toJson}} {{omit .m "k" | toJson}}"#,
            r#"v,2 {"k":"v"} {"j":1}"#,
        ),
        (
            r#"{{dig "m" "k" "d" .}} {{dig "m" "x" "d" .}} {{dig "x" "y" "d" .}} {{keys .m (dict "z" 1) | join ","}}"#,
            "v d d j,k,z",
        ),
        (
            r#"{{typeOf .s}} {{kindOf .l}} {{kindIs "map" .m}} {{typeIs "float64" .f}} {{deepEqual .l (list "b" "a" "b")}} {{deepEqual .l .m}}"#,
            "string slice true true true false",
        ),
        (
            r#"{{base "/a/b.txt"}} {{dir "/a/b.txt"}} {{clean "a//b/../c/."}} {{ext "a.tar.gz"}} {{isAbs "a"}} {{base ""}}{{base "/"}}{{dir "a"}}{{clean "/../.."}}"#,
            "b.txt /a a/c .gz false ././",
        ),
        (
            r#"{{$u := urlParse "https://u:p@h.org:81/a?b=c#d"}}{{$u.scheme}} {{$u.host}} {{$u.hostname}} {{$u.path}} {{$u.query}} {{$u.fragment}} {{$u.userinfo}} {{urlJoin $u}}"#,
            "https h.org:81 h.org /a b=c d u:p https://u:p@h.org:81/a?b=c#d",
        ),
        (
            r#"{{(urlParse "mailto:a@b.c").opaque}} {{urlJoin (dict "scheme" "http" "host" "h" "path" "p")}}"#,
            "a@b.c http://h/p",
        ),
    ] {
        let filled = render(text, &data, read).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(filled, expected, "{text}");
    }
}
