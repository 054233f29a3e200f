//! Requests of unknown origin, as `rejoinder-study serve` gets them.

use rejoinder_study::serve::request::{Place, Server, read};

/// The bytes of a connection; and an address in a request that is allowed otherwise.
pub fn request(bytes: &[u8]) {
    let server = Server {
        port: 4960,
        token: "token".to_owned(),
    };
    if let Ok(Some(_)) = read(bytes, &server) {
        let contains = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        assert!(contains(b"/token/"), "answered without the token");
        assert!(contains(b":4960"), "answered another host");
    }
    let address = [
        b"GET /token/",
        bytes,
        b" HTTP/1.1\r\nHost: 127.0.0.1:4960\r\n\r\n",
    ];
    if let Ok(Some(head)) = read(&address.concat(), &server) {
        // Nothing of a conversation without a WebSocket, and no part of the secret.
        let is_talk = matches!(
            head.place,
            Place::Engine | Place::Review(_) | Place::OpenReport
        );
        assert!(!is_talk);
    }
    let locked = [
        b"GET /",
        bytes,
        b" HTTP/1.1\r\nHost: 127.0.0.1:4960\r\n\r\n",
    ]
    .concat();
    if !bytes.starts_with(b"token") {
        let answer = read(&locked, &server);
        assert!(!matches!(answer, Ok(Some(_))), "{answer:?}");
    }
}
