//! Who may ask for what: the head of a request, the checks that keep other pages and other people
//! out, and what the address stands for.
//!
//! A page of the network can make a browser send requests to this machine, and by a name that it
//! lets point here (DNS rebinding) it could read the answers. So `Host` and `Origin` must be those of
//! the server itself, and the address must hold a token that only the user's browser was told.

use std::fmt;

/// The largest number of header lines of a request.
const MOST_HEADERS: usize = 64;

/// The server, as a request must name it.
#[derive(Clone, Debug)]
pub struct Server {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The secret part of the address.
    pub token: String,
}

/// The part of a request that decides what is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// True if only the headers of the answer are wanted.
    pub is_bare: bool,
    /// What the address stands for.
    pub place: Place,
}

/// What an address stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file of the page, or the page itself if the path is empty.
    Page(String),
    /// What the page has to know about this machine.
    Machine,
    /// The list of the user's files.
    Files,
    /// One of the user's files, by its path in the list.
    File(String),
    /// The games of all files, in a line each.
    Library,
    /// A game of one of the files, by its number there.
    Game(u64, String),
    /// The mistakes of a player in all games.
    Mistakes(String),
    /// The report over the user's files, about the player with this part of a name or about all.
    Report(Option<String>),
    /// A conversation with the engine, by WebSocket.
    Engine,
    /// The review of a game, by WebSocket.
    Review(Effort),
    /// The reviews of all games of a file, by WebSocket.
    Reviews(Effort, String),
    /// The report over games that the page sends, by WebSocket.
    OpenReport,
}

impl Place {
    /// Returns whether it is a conversation, by WebSocket.
    const fn is_conversation(&self) -> bool {
        matches!(
            self,
            Self::Engine | Self::Review(_) | Self::Reviews(..) | Self::OpenReport
        )
    }
}

/// The effort of a review, as the page asks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Nodes a position.
    pub nodes: u64,
    /// Megabytes of the transposition table.
    pub hash: u64,
    /// Threads of the search.
    pub threads: u64,
}

/// A reason not to answer as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request is not HTTP, or misses what it must have.
    Malformed,
    /// The request came by another name of this machine, or from another page.
    Foreign,
    /// The address lacks the token.
    Locked,
    /// Nothing has this address.
    Unknown,
    /// Only reading is possible.
    Method,
    /// The address is that of a conversation, which takes a WebSocket; or the reverse.
    Upgrade,
}

impl Refusal {
    /// The status of the answer.
    pub const fn status(self) -> &'static str {
        match self {
            Self::Malformed => "400 Bad Request",
            Self::Foreign | Self::Locked => "403 Forbidden",
            Self::Unknown => "404 Not Found",
            Self::Method => "405 Method Not Allowed",
            Self::Upgrade => "426 Upgrade Required",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "This is not a request that a browser sends.",
            Self::Foreign => "Only the page that this program opens may ask it.",
            Self::Locked => {
                "This address lacks its secret part: use the one that the program printed."
            }
            Self::Unknown => "Nothing has this address.",
            Self::Method => "Files can only be read.",
            Self::Upgrade => "This address is for a WebSocket, or the request is one for a file.",
        })
    }
}

/// Reads the head of a request and checks it. `None` if more of it is to come.
///
/// # Errors
/// If the request must be refused.
pub fn read(bytes: &[u8], server: &Server) -> Result<Option<Head>, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(Refusal::Malformed),
    }
    let (Some(method), Some(target)) = (request.method, request.path) else {
        return Err(Refusal::Malformed);
    };
    let mut hosts = values(request.headers, "host");
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Refusal::Malformed);
    };
    let upgrades =
        values(request.headers, "upgrade").any(|to| to.eq_ignore_ascii_case(b"websocket"));
    if !server.is_named(host) {
        return Err(Refusal::Foreign);
    }
    let mut origins = values(request.headers, "origin").peekable();
    // Every browser says where a WebSocket comes from, but not where a file is asked for.
    let has_origin = origins.peek().is_some();
    let is_own = origins
        .all(|origin| (origin.strip_prefix(b"http://")).is_some_and(|host| server.is_named(host)));
    if !is_own || upgrades && !has_origin {
        return Err(Refusal::Foreign);
    }
    let place = server.place(target)?;
    if method != "GET" && method != "HEAD" {
        return Err(Refusal::Method);
    }
    if upgrades != place.is_conversation() {
        return Err(Refusal::Upgrade);
    }
    Ok(Some(Head {
        is_bare: method == "HEAD",
        place,
    }))
}

/// Returns the values of all headers of this name.
fn values<'a>(
    headers: &'a [httparse::Header<'a>],
    name: &'static str,
) -> impl Iterator<Item = &'a [u8]> {
    let named = move |header: &&httparse::Header<'_>| header.name.eq_ignore_ascii_case(name);
    headers.iter().filter(named).map(|header| header.value)
}

impl Server {
    /// Returns the address of the page.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Returns whether a host and port are those of the server.
    fn is_named(&self, host: &[u8]) -> bool {
        ["127.0.0.1", "localhost"]
            .iter()
            .any(|name| host == format!("{name}:{}", self.port).as_bytes())
    }

    /// Returns what the target of a request stands for.
    fn place(&self, target: &str) -> Result<Place, Refusal> {
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let path = path.strip_prefix('/').ok_or(Refusal::Malformed)?;
        let (token, rest) = path.split_once('/').unwrap_or((path, "\0"));
        if !is_same(token.as_bytes(), self.token.as_bytes()) {
            return Err(Refusal::Locked);
        }
        let rest = percent_encoding::percent_decode_str(rest).decode_utf8();
        let rest = rest.map_err(|_| Refusal::Malformed)?;
        let place = match rest.split_once('/') {
            Some(("files", "")) => Place::Files,
            Some(("files", name)) => Place::File(name.to_owned()),
            Some(("game", game)) => {
                let (number, name) = game.split_once('/').ok_or(Refusal::Unknown)?;
                let number = number.parse().map_err(|_| Refusal::Unknown)?;
                Place::Game(number, name.to_owned())
            }
            Some(("mistakes", player)) => Place::Mistakes(player.to_owned()),
            Some(("reviews", rest)) => {
                let end = rest.match_indices('/').nth(2).ok_or(Refusal::Unknown)?.0;
                let effort = effort_of(&rest[..end]).ok_or(Refusal::Unknown)?;
                Place::Reviews(effort, rest[end + 1..].to_owned())
            }
            Some(("review", effort)) => Place::Review(effort_of(effort).ok_or(Refusal::Unknown)?),
            None if rest == "engine" => Place::Engine,
            None if rest == "library" => Place::Library,
            Some(("report", "")) => Place::Report(player_of(target)?),
            None if rest == "report" => Place::OpenReport,
            None if rest == "machine.js" => Place::Machine,
            _ => Place::Page(rest.into_owned()),
        };
        Ok(place)
    }
}

/// Compares two texts in a time that does not tell where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differences = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

/// Returns the player that a report is asked for, as a form of the page writes it.
fn player_of(target: &str) -> Result<Option<String>, Refusal> {
    let query = target.split('#').next().unwrap_or_default().split_once('?');
    let fields = query.map_or("", |(_, query)| query).split('&');
    let mut players = fields.filter_map(|field| field.strip_prefix("player="));
    let Some(player) = players.next() else {
        return Ok(None);
    };
    let player = player.replace('+', " ");
    let player = percent_encoding::percent_decode_str(&player).decode_utf8();
    let player = player.map_err(|_| Refusal::Malformed)?;
    Ok(Some(player.into_owned()).filter(|player| !player.is_empty()))
}

/// Reads the effort of a review: nodes, megabytes and threads, with a slash between two of them.
fn effort_of(text: &str) -> Option<Effort> {
    let mut numbers = text.split('/').map(|number| number.parse().ok());
    let effort = Effort {
        nodes: numbers.next()??,
        hash: numbers.next()??,
        threads: numbers.next()??,
    };
    numbers.next().is_none().then_some(effort)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> Server {
        Server {
            port: 4321,
            token: "secret".to_owned(),
        }
    }

    fn ask(target: &str, headers: &str) -> Result<Option<Head>, Refusal> {
        let text = format!("GET {target} HTTP/1.1\r\n{headers}\r\n");
        read(text.as_bytes(), &server())
    }

    const HOST: &str = "Host: 127.0.0.1:4321\r\n";
    const SOCKET: &str = "Host: 127.0.0.1:4321\r\nUpgrade: websocket\r\n";

    fn place(target: &str) -> Result<Place, Refusal> {
        ask(target, HOST).map(|head| head.expect("a whole head").place)
    }

    #[test]
    fn an_address_stands_for_a_place() {
        let page = |name: &str| Ok(Place::Page(name.to_owned()));
        assert_eq!(place("/secret/"), page(""));
        assert_eq!(place("/secret/main.js?v=1"), page("main.js"));
        assert_eq!(place("/secret/libraries/a/b.js"), page("libraries/a/b.js"));
        assert_eq!(place("/secret/machine.js"), Ok(Place::Machine));
        assert_eq!(place("/secret/files/"), Ok(Place::Files));
        let file = Place::File("my games/ä.pgn".to_owned());
        assert_eq!(place("/secret/files/my%20games/%C3%A4.pgn"), Ok(file));
        let report = |player: Option<&str>| Ok(Place::Report(player.map(str::to_owned)));
        assert_eq!(place("/secret/report/"), report(None));
        assert_eq!(place("/secret/report/?player="), report(None));
        let address = "/secret/report/?a=b&player=Ji%C5%99%C3%AD+B&c#d";
        assert_eq!(place(address), report(Some("Jiří B")));
        assert_eq!(place("/secret/report/?player=%ff"), Err(Refusal::Malformed));
        let own = format!("{SOCKET}Origin: http://localhost:4321\r\n");
        let head = ask("/secret/review/100000/64/2", &own).expect("allowed");
        let (nodes, hash, threads) = (100_000, 64, 2);
        let effort = Effort {
            nodes,
            hash,
            threads,
        };
        assert_eq!(head.map(|head| head.place), Some(Place::Review(effort)));
        let head = ask("/secret/reviews/100000/64/2/old/a.pgn", &own).expect("allowed");
        let reviews = Place::Reviews(effort, "old/a.pgn".to_owned());
        assert_eq!(head.map(|head| head.place), Some(reviews));
        assert_eq!(place("/secret/library"), Ok(Place::Library));
        let game = Place::Game(12, "old/a.pgn".to_owned());
        assert_eq!(place("/secret/game/12/old/a.pgn"), Ok(game));
        let mistakes = Place::Mistakes("Ann/B".to_owned());
        assert_eq!(place("/secret/mistakes/Ann%2FB"), Ok(mistakes));
    }

    #[test]
    fn other_hosts_and_pages_are_refused() {
        for headers in [
            "Host: attacker.example:4321\r\n",
            "Host: 127.0.0.1:80\r\n",
            "Host: 127.0.0.1\r\n",
            "Host: 127.0.0.1:4321\r\nOrigin: http://attacker.example\r\n",
            "Host: 127.0.0.1:4321\r\nOrigin: null\r\n",
            "Host: 127.0.0.1:4321\r\nOrigin: https://127.0.0.1:4321\r\n",
        ] {
            assert_eq!(ask("/secret/", headers), Err(Refusal::Foreign), "{headers}");
        }
        for headers in ["", "Host: 127.0.0.1:4321\r\nHost: 127.0.0.1:4321\r\n"] {
            assert_eq!(
                ask("/secret/", headers),
                Err(Refusal::Malformed),
                "{headers}"
            );
        }
        // A WebSocket is always sent with the page that opens it.
        assert_eq!(ask("/secret/engine", SOCKET), Err(Refusal::Foreign));
    }

    #[test]
    fn nothing_is_told_without_the_token() {
        for target in [
            "/",
            "/main.js",
            "/secre/",
            "/secrets/",
            "/SECRET/",
            "/secre%74/",
        ] {
            assert_eq!(place(target), Err(Refusal::Locked), "{target}");
        }
        assert_eq!(
            place("http://127.0.0.1:4321/secret/"),
            Err(Refusal::Malformed)
        );
    }

    #[test]
    fn what_no_browser_sends_is_refused() {
        assert_eq!(place("/secret/%ff"), Err(Refusal::Malformed));
        assert_eq!(place("/secret/engine"), Err(Refusal::Upgrade));
        let own = format!("{SOCKET}Origin: http://127.0.0.1:4321\r\n");
        assert_eq!(ask("/secret/", &own), Err(Refusal::Upgrade));
        for effort in ["", "1/2", "1/2/3/4", "1/2/x", "-1/2/3", "1/2/../3"] {
            let target = format!("/secret/review/{effort}");
            assert_eq!(ask(&target, &own), Err(Refusal::Unknown), "{effort}");
        }
        for target in [
            "reviews/1/2",
            "reviews/1/2/3",
            "reviews/1/x/3/a",
            "game/1",
            "game/x/a",
        ] {
            let target = format!("/secret/{target}");
            assert_eq!(ask(&target, &own), Err(Refusal::Unknown), "{target}");
        }
        assert_eq!(place("/secret/reviews/1/2/3/a.pgn"), Err(Refusal::Upgrade));
        let post = format!("POST /secret/ HTTP/1.1\r\n{HOST}\r\n");
        assert_eq!(read(post.as_bytes(), &server()), Err(Refusal::Method));
        assert_eq!(read(b"\x16\x03\x01", &server()), Err(Refusal::Malformed));
    }

    #[test]
    fn a_head_may_come_in_parts() {
        let whole = format!("GET /secret/ HTTP/1.1\r\n{HOST}\r\n");
        for end in 0..whole.len() {
            assert_eq!(read(&whole.as_bytes()[..end], &server()), Ok(None), "{end}");
        }
        assert!(matches!(read(whole.as_bytes(), &server()), Ok(Some(_))));
    }
}
