//! `rejoinder-study serve`: the analysis page, with this program as its engine.
//!
//! The server answers on 127.0.0.1 only, and only the page that it opens ([`request`]). Files come by
//! HTTP, one request to a connection; each conversation with the engine is a WebSocket and a process
//! of this program ([`engine`]).

mod engine;
mod folder;
mod lists;
mod page;
pub mod request;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use engine::Task;
pub use engine::{ENGINE, REVIEW, REVIEWS};
use folder::Folder;
use lists::Lists;
use request::{Head, Place, Refusal, Server};

/// The usual port.
const PORT: u16 = 4960;
/// Connections at a time; a page needs a few.
const MOST_CONNECTIONS: usize = 128;
/// The largest head of a request in bytes.
const LARGEST_HEAD: usize = 16 << 10;
/// Time in which the head of a request must come.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest hash in MB that the page offers.
const LARGEST_HASH: u32 = 8192;

/// Open the analysis page in the browser, with this program as its engine.
///
/// The page uses all cores, and reads the files of a folder. Nothing leaves this machine, and no
/// other page may ask the server. The first line of output is the address of the page; it holds a
/// secret, so keep it to yourself. Ctrl-C ends it.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// A file of games, which is opened, or a folder whose files the page lists
    #[arg(value_name = "FILE.pgn|FOLDER")]
    path: Option<PathBuf>,
    /// The port on this machine, with which the browser remembers settings and games [default: 4960,
    /// or one that is free]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Print the address, but open no browser
    #[arg(long)]
    no_open: bool,
    /// Folders of Syzygy tablebases
    #[arg(long, value_name = "PATH")]
    syzygy: Option<String>,
}

/// A media type, and what is sent as such.
type Content = (&'static str, Cow<'static, [u8]>);

/// What all connections share.
struct Site {
    server: Server,
    folder: Option<Folder>,
    lists: Lists,
    syzygy: Option<String>,
}

/// Serves the page until the program is ended.
///
/// # Errors
/// If the program was built without the page, the file or folder cannot be read, or the port is
/// taken.
pub fn run(args: &Args) -> anyhow::Result<()> {
    if !page::is_there() {
        bail!("this program was built without the page: `make serve` builds one with it");
    }
    let folder = args.path.as_deref().map(Folder::open).transpose()?;
    let listener = listen(args.port)?;
    let mut secret = [0; 16];
    getrandom::fill(&mut secret).context("the system has no random numbers")?;
    let token = secret.iter().fold(String::new(), |mut token, byte| {
        let _ = write!(token, "{byte:02x}");
        token
    });
    let port = listener.local_addr()?.port();
    let site = Arc::new(Site {
        server: Server { port, token },
        folder,
        lists: Lists::default(),
        syzygy: args.syzygy.clone(),
    });
    let address = site.server.address();
    writeln!(io::stdout(), "{address}")?;
    io::stdout().flush()?;
    if !args.no_open
        && let Err(error) = open::that_detached(&address)
    {
        eprintln!("No browser opens ({error}): open the address yourself.");
    }
    for stream in listener.incoming() {
        // A connection that broke off before it was taken concerns nobody.
        let Ok(stream) = stream else { continue };
        // Each connection has the site as long as it lasts; one that finds no thread ends at once.
        if Arc::strong_count(&site) <= MOST_CONNECTIONS {
            let site = Arc::clone(&site);
            // A page that goes away breaks off what it asked for.
            let _ = thread::Builder::new().spawn(move || site.answer(&stream));
        }
    }
    Ok(())
}

/// Listens at a port; without one at the usual port or, if that is taken, at any.
fn listen(port: Option<u16>) -> anyhow::Result<TcpListener> {
    let at = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
    match port {
        Some(port) => at(port).with_context(|| format!("port {port}")),
        None => at(PORT).or_else(|_| at(0)).context("a port"),
    }
}

impl Site {
    /// Answers the one request of a connection.
    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (head, bytes) = match self.head(stream)? {
            Ok(read) => read,
            Err(refusal) => return refuse(stream, refusal),
        };
        let task = match head.place {
            Place::Engine => Task::Engine,
            Place::Review(effort) => Task::Review(effort),
            Place::Reviews(effort, name) => match self.path(&name) {
                Some(path) => Task::Reviews(effort, path),
                None => return refuse(stream, Refusal::Unknown),
            },
            Place::OpenReport => Task::Report,
            place => {
                return match self.content(&place)? {
                    Some((kind, bytes)) => send(stream, "200 OK", kind, &bytes, head.is_bare),
                    None => refuse(stream, Refusal::Unknown),
                };
            }
        };
        // The engine may think for hours, and a tab in the background may not listen.
        stream.set_read_timeout(None)?;
        stream.set_write_timeout(None)?;
        engine::talk(stream, bytes, &task, self.syzygy.as_deref())
    }

    /// Reads the head of the request. Returns it with the bytes that were read.
    fn head(&self, mut stream: &TcpStream) -> io::Result<Result<(Head, Vec<u8>), Refusal>> {
        let latest = Instant::now() + PATIENCE;
        let mut bytes = Vec::new();
        let mut part = [0; 4096];
        loop {
            let length = stream.read(&mut part)?;
            bytes.extend_from_slice(&part[..length]);
            match request::read(&bytes, &self.server) {
                Ok(Some(head)) => return Ok(Ok((head, bytes))),
                Err(refusal) => return Ok(Err(refusal)),
                Ok(None) if length == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(None) if bytes.len() > LARGEST_HEAD || Instant::now() > latest => {
                    return Ok(Err(Refusal::Malformed));
                }
                Ok(None) => {}
            }
        }
    }

    /// Returns the path of one of the user's files.
    fn path(&self, name: &str) -> Option<PathBuf> {
        self.folder.as_ref().and_then(|folder| folder.path(name))
    }

    /// Returns what is at a place, with its type; `None` if nothing is there.
    fn content(&self, place: &Place) -> io::Result<Option<Content>> {
        let owned = |kind, bytes: Vec<u8>| Some((kind, Cow::Owned(bytes)));
        Ok(match place {
            Place::Page(path) => page::file(path).map(|(kind, bytes)| (kind, Cow::Borrowed(bytes))),
            Place::Machine => owned("text/javascript", machine().into_bytes()),
            Place::Files => {
                let list = self.folder.as_ref().map(Folder::list);
                let list = list.unwrap_or_else(|| r#"{"open":null,"files":[]}"#.to_owned());
                owned("application/json", list.into_bytes())
            }
            Place::File(name) => match &self.folder {
                Some(folder) => {
                    (folder.read(name)?).and_then(|text| owned("application/x-chess-pgn", text))
                }
                None => None,
            },
            Place::Library => {
                let list = self
                    .folder
                    .as_ref()
                    .map(|folder| self.lists.library(folder));
                let list = list.unwrap_or_else(|| "null".to_owned());
                owned("application/json", list.into_bytes())
            }
            Place::Game(number, name) => match self.path(name) {
                Some(path) => (lists::game(&path, *number)?)
                    .and_then(|text| owned("application/x-chess-pgn", text)),
                None => None,
            },
            Place::Mistakes(player) => {
                let list = self
                    .folder
                    .as_ref()
                    .map(|folder| lists::mistakes(folder, player));
                let list = list.unwrap_or_else(|| "[]".to_owned());
                owned("application/json", list.into_bytes())
            }
            Place::Report(player) => {
                let page = lists::report(self.folder.as_ref(), player.as_deref());
                owned("text/html; charset=utf-8", page.into_bytes())
            }
            Place::Engine | Place::Review(_) | Place::Reviews(..) | Place::OpenReport => None,
        })
    }
}

/// Returns the script that tells the page about this machine.
fn machine() -> String {
    let cores = num_cpus::get();
    // The page of the web has a file in the place of this one.
    format!(
        "export const machine = {{ cores: {cores}, largestHash: {LARGEST_HASH}, isNative: true }};\n"
    )
}

/// Sends an answer and ends it. The two headers on origins isolate the page from others; no part of
/// the address is told to anyone that the page links to.
fn send(
    mut stream: &TcpStream,
    status: &str,
    kind: &str,
    body: &[u8],
    is_bare: bool,
) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: {kind}\r\n\
         Content-Length: {}\r\n\
         Cache-Control: no-store\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\n\
         Cross-Origin-Embedder-Policy: require-corp\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\n\
         X-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(if is_bare { &[] } else { body })
}

/// Says why a request is not answered as asked.
fn refuse(stream: &TcpStream, refusal: Refusal) -> io::Result<()> {
    let text = format!("{refusal}\n");
    let kind = "text/plain; charset=utf-8";
    send(stream, refusal.status(), kind, text.as_bytes(), false)
}
