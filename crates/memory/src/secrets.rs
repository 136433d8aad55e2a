//! What names a secret, and what one looks like.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// A name that holds one of these, in any spelling (`apiKey`, `API-KEY`), speaks of a secret.
const SECRET_NAMES: [&str; 53] = [
    "密码",
    "密碼",
    "口令",
    "密钥",
    "密鑰",
    "金鑰",
    "秘密鍵",
    "暗証番号",
    "パスワード",
    "비밀번호",
    "암호",
    "пароль",
    "passwort",
    "kennwort",
    "motdepasse",
    "contraseña",
    "contrasena",
    "senha",
    "parola",
    "hasło",
    "lösenord",
    "passord",
    "adgangskode",
    "wachtwoord",
    "salasana",
    "şifre",
    "كلمةالمرور",
    "adminpass",
    "dbpass",
    "ftppass",
    "ldappass",
    "mailpass",
    "mypass",
    "proxypass",
    "rootpass",
    "smtppass",
    "userpass",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "jwt",
    "passphrase",
    "passwd",
    "password",
    "prompt",
    "secret",
    "signature",
    "token",
    "pwd",
];

/// So does one that holds one of these, but for words that only begin with `key`. `shapeKey` and `sort_key` are no secrets,
/// so that what the key is for decides.
const SECRET_KEYS: [&str; 28] = [
    "accountkey",
    "activationkey",
    "adminkey",
    "aeskey",
    "authkey",
    "cipherkey",
    "clientkey",
    "cryptkey",
    "cryptionkey",
    "cryptokey",
    "deploykey",
    "gpgkey",
    "hmackey",
    "licencekey",
    "licensekey",
    "masterkey",
    "pgpkey",
    "rsakey",
    "servicekey",
    "sessionkey",
    "sharedkey",
    "signingkey",
    "sshkey",
    "sslkey",
    "storagekey",
    "subscriptionkey",
    "tlskey",
    "vaultkey",
];

/// Words that begin with `key` and mean none.
const NO_KEYS: [&str; 6] = [
    "keyboard", "keyframe", "keylight", "keymap", "keypose", "keyword",
];

/// Names of a secret that are part of plain words, and count as a whole.
const SECRET_WORDS: [&str; 12] = [
    "auth", "csrf", "hmac", "mfa", "nonce", "otp", "pass", "pin", "pw", "sid", "sig", "totp",
];

/// Behind these stands what somebody chose by heart, and it may be several words.
const PASSWORDS: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "пароль",
    "passwort",
    "kennwort",
    "motdepasse",
    "contraseña",
];

/// Behind these stands the rest of a line.
const LINES: [&str; 2] = ["cookie", "prompt"];

/// Words of a text that begin so are secrets of well-known services.
const SECRET_BEGINNINGS: [&str; 20] = [
    "hf_",
    "npm_",
    "shpat_",
    "dckr_pat_",
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "pk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
];

/// The text as it is meant: letters that differ in their look alone (full width, circles, bold) as plain ones, and what an address writes in percent as itself, however
/// often it was written so.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut text: String = text.nfkc().collect();
    loop {
        let decoded = without_percent(&text);
        // Each round is shorter than the one before, so this ends.
        if decoded.len() == text.len() {
            return Cow::Owned(decoded);
        }
        text = decoded;
    }
}

/// `%3D` as `=`, and so every printable sign of ASCII; other bytes stay as they are written.
fn without_percent(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('%') {
        plain.push_str(before);
        let sign = behind
            .get(..2)
            .filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|code| u8::from_str_radix(code, 16).ok())
            .filter(|byte| matches!(byte, b' '..=b'~'));
        plain.push(sign.map_or('%', char::from));
        rest = match sign {
            Some(_) => behind.get(2..).unwrap_or_default(),
            None => behind,
        };
    }
    plain.push_str(rest);
    plain
}

/// Whether what has this name is a secret, whatever it looks like.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let plain = letters(name);
    if SECRET_WORDS.contains(&plain.as_str()) || holds(&plain, &SECRET_NAMES) {
        return true;
    }
    holds(&plain, &SECRET_KEYS) && {
        let without = NO_KEYS
            .iter()
            .fold(plain, |plain, word| plain.replace(word, "_"));
        holds(&without, &SECRET_KEYS)
    }
}

/// Whether the rest of the line belongs to what stands behind this name.
pub(crate) fn is_name_of_a_line(name: &str) -> bool {
    holds(&letters(name), &LINES)
}

/// Whether what stands behind this name and a blank may be a password.
pub(crate) fn is_password_name(name: &str) -> bool {
    holds(&letters(name), &PASSWORDS)
}

/// Whether this is some key: `key`, `shot_key`, `shotKey`, and no `monkey`. What it is shows its value.
pub(crate) fn is_key_name(name: &str) -> bool {
    let name = folded(name);
    let Some(at) = name.len().checked_sub(3) else {
        return false;
    };
    let (Some(before), Some(word)) = (name.get(..at), name.get(at..)) else {
        return false;
    };
    word.eq_ignore_ascii_case("key")
        && before.chars().next_back().is_none_or(|letter| {
            !letter.is_alphanumeric() || word == "Key" && !letter.is_uppercase()
        })
}

fn letters(name: &str) -> String {
    folded(name)
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn holds(plain: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| plain.contains(part))
}

/// A secret of a well-known service.
pub(crate) fn is_known_secret(word: &str) -> bool {
    let is_hex =
        |rest: &str| rest.len() >= 32 && rest.bytes().take(32).all(|byte| byte.is_ascii_hexdigit());
    word.len() >= 16
        && (SECRET_BEGINNINGS
            .iter()
            .any(|begin| word.starts_with(begin))
            || word.strip_prefix("dapi").is_some_and(is_hex))
}

/// A secret, whatever stands before it.
pub(crate) fn is_secret(word: &str) -> bool {
    if is_known_secret(word) {
        return true;
    }
    // A long run of letters and digits with many of each is a key or a digest, not a word; one of forty in both cases is
    // what a cloud gives as the secret half of a key, and a path begins otherwise.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let count = |of: fn(&u8) -> bool| word.bytes().filter(of).count();
    let digits = count(u8::is_ascii_digit);
    let [upper, lower] = [count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase)];
    let is_long = word.len() >= 32 && digits >= 4 && upper + lower >= 4;
    let is_forty =
        word.len() == 40 && digits >= 1 && upper >= 4 && lower >= 4 && !word.starts_with('/');
    (is_long || is_forty) && word.bytes().all(plain) && !word.contains("//")
}

/// What is a secret behind the name of a key: letters and digits that take turns, as in no `shot0120` and no `1920x1080`.
pub(crate) fn looks_like_key(word: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let kinds: Vec<bool> = word.bytes().map(|byte| byte.is_ascii_digit()).collect();
    let turns = kinds
        .iter()
        .zip(kinds.iter().skip(1))
        .filter(|(one, next)| one != next)
        .count();
    is_secret(word) || word.len() >= 8 && word.bytes().all(is_plain) && turns >= 3
}

/// What is a secret behind the name of a password and a blank: letters with a digit or a sign among them.
pub(crate) fn looks_like_password(word: &str) -> bool {
    let is_sign = |letter: char| letter.is_ascii_digit() || "!@#$%^&*+".contains(letter);
    word.chars().count() >= 6 && word.chars().any(char::is_alphabetic) && word.chars().any(is_sign)
}
