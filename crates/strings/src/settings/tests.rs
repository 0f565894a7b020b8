//! Tests of these sentences, and of sizes.

use tidings_net::CertificateFault;
use tidings_net::certificates::CertificateError;

use super::*;

#[test]
fn sizes_are_read_at_a_glance() {
    for (n, text) in
        [(0, "0 B"), (999, "999 B"), (1_000, "1 KB"), (1_234_567, "1.2 MB"), (123_456_789_000, "123 GB")]
    {
        assert_eq!(bytes(n), text);
    }
}

#[test]
fn no_sentence_about_the_house_shouts_or_begs() {
    for lang in [Lang::En, Lang::ZhCn] {
        let table = settings_strings(lang);
        let sentences = [
            (table.wrong_token)("a"),
            (table.port_taken)(1, None),
            (table.topic_reserved)("hooks"),
            (table.topic_exists)("nas"),
            (table.topic_refused)(503),
            (table.template_wrong)("a"),
            (table.bad_origin)("a"),
            (table.test_failed)(429),
            (table.not_discovered)("a"),
            (table.restored)("1"),
            (table.settings_read)(1, 2, 3),
            (table.file_large)("1 MB"),
            (table.certificate)(CertificateFault::ClientWanted, "a"),
            (table.certificate_refused)("a", &CertificateError::EncryptedKey),
        ];
        let text = format!("{table:?}{}", sentences.concat());
        for word in ["!", "！", "lease", "ops", "您", "请"] {
            assert!(!text.contains(word), "{lang:?}: {word}");
        }
    }
}
