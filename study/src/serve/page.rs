//! The files of the page, which are a part of the program.

use std::path::Path;

/// The files, each with its path in an address, in alphabetical order. There are none if the program
/// was built without them.
static FILES: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The file that stands for the page itself.
const INDEX: &str = "index.html";

/// Returns whether the program was built with the page.
pub fn is_there() -> bool {
    file("").is_some()
}

/// Returns a file by its path in an address, behind the token: its type and its contents.
pub fn file(path: &str) -> Option<(&'static str, &'static [u8])> {
    let name = if path.is_empty() { INDEX } else { path };
    let at = FILES
        .binary_search_by(|(other, _)| (*other).cmp(name))
        .ok()?;
    let (name, bytes) = FILES[at];
    Some((kind(name), bytes))
}

/// Returns the media type of a file by its name.
fn kind(name: &str) -> &'static str {
    let ending = Path::new(name)
        .extension()
        .and_then(|ending| ending.to_str());
    match ending {
        Some("css") => "text/css",
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript",
        Some("png") => "image/png",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        Some("tsv") => "text/tab-separated-values; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_whole_path() {
        assert!(FILES.is_sorted_by_key(|(name, _)| *name));
        for (name, bytes) in FILES {
            assert_eq!(file(name).map(|(_, bytes)| bytes), Some(*bytes), "{name}");
        }
        assert!(file("no/such.file").is_none());
        assert_eq!(is_there(), !FILES.is_empty());
    }

    #[test]
    fn browsers_are_told_the_type() {
        assert_eq!(kind("a/main.js"), "text/javascript");
        assert_eq!(kind("LICENSE"), "application/octet-stream");
    }
}
