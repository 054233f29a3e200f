//! The terminal itself: raw mode, the second screen, keys, and the way back from all of it.

use std::env;
use std::io::{self, IsTerminal, Write};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap,
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
};
use crossterm::{execute, queue};

use super::key::Key;
use super::row::Canvas;

/// True while the terminal is in raw mode and shows the second screen.
static IS_OPEN: AtomicBool = AtomicBool::new(false);
static GUARDS: Once = Once::new();

/// Returns the size and the abilities of the terminal; `None` if keys cannot be read from it or
/// nothing be drawn on it.
pub(super) fn looks() -> Option<Canvas> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() || !can_draw() {
        return None;
    }
    let (width, height) = terminal::size().ok()?;
    if width == 0 || height == 0 {
        return None;
    }
    Some(Canvas {
        width: usize::from(width),
        height: usize::from(height),
        color: AutoStream::choice(&io::stdout()) != ColorChoice::Never,
        unicode: knows_unicode(),
        figurines: knows_figurines(),
    })
}

#[cfg(unix)]
fn can_draw() -> bool {
    env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

#[cfg(windows)]
fn can_draw() -> bool {
    env::var_os("TERM").is_none_or(|term| term != "dumb")
        && crossterm::ansi_support::supports_ansi()
}

#[cfg(not(any(unix, windows)))]
fn can_draw() -> bool {
    false
}

/// Returns whether the locale says that the terminal reads UTF-8. Windows converts by itself.
fn knows_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(env::var_os)
        .find(|value| !value.is_empty());
    let is_utf8 = |locale: std::ffi::OsString| {
        let name = locale.to_string_lossy().to_ascii_lowercase();
        name.contains("utf-8") || name.contains("utf8")
    };
    cfg!(windows) || locale.is_some_and(is_utf8)
}

/// Returns whether the terminal is likely to have a font with the pieces: not the console of Linux,
/// and not that of Windows before its Terminal.
fn knows_figurines() -> bool {
    let is_console = env::var_os("TERM").is_some_and(|term| term == "linux");
    let is_old = cfg!(windows) && env::var_os("WT_SESSION").is_none();
    knows_unicode() && !is_console && !is_old
}

/// Returns whether the terminal has a line of input that nobody has read yet, as when several lines
/// are pasted at once.
#[cfg(unix)]
pub(super) fn input_waits() -> bool {
    wait_for_input(Duration::ZERO).unwrap_or(true)
}

/// Waits for input, but not longer than `patience`; returns whether there is some.
///
/// # Errors
/// If the terminal has gone. The event source of crossterm would read from it without end.
#[cfg(unix)]
fn wait_for_input(patience: Duration) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::stdio::stdin;

    let mut fds = [PollFd::from_borrowed_fd(stdin(), PollFlags::IN)];
    let timeout = Timespec::try_from(patience).ok();
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let ready = fds[0].revents();
    if ready.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    Ok(!ready.is_empty())
}

/// Returns false: other systems do not tell.
#[cfg(not(unix))]
pub(super) fn input_waits() -> bool {
    false
}

/// An open screen. It is closed when it is dropped, on a panic, and by signals that end the
/// program.
#[derive(Debug)]
pub(super) struct Screen {
    /// The size and the rows drawn last.
    size: (u16, u16),
    rows: Vec<String>,
}

impl Screen {
    /// Opens the second screen of the terminal.
    ///
    /// # Errors
    /// If the terminal refuses.
    pub fn open() -> io::Result<Self> {
        GUARDS.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                close();
                before(info);
            }));
            guard_against_signals();
        });
        IS_OPEN.store(true, Ordering::SeqCst);
        let screen = Self {
            size: (0, 0),
            rows: Vec::new(),
        };
        enter()?;
        Ok(screen)
    }

    /// Draws the rows that have changed since then.
    ///
    /// # Errors
    /// If the terminal has gone.
    pub fn draw(&mut self, rows: &[String]) -> io::Result<()> {
        let size = terminal::size().unwrap_or(self.size);
        let is_new = size != self.size;
        if !is_new && rows == self.rows {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        queue!(out, BeginSynchronizedUpdate)?;
        if is_new {
            queue!(out, Clear(ClearType::All))?;
            self.rows.clear();
        }
        for i in 0..rows.len().max(self.rows.len()) {
            let row = rows.get(i).map_or("", String::as_str);
            if self.rows.get(i).map(String::as_str) != Some(row) {
                // A row that fills its line must not be cleared afterwards.
                queue!(out, MoveTo(0, i as u16), Clear(ClearType::UntilNewLine))?;
                out.write_all(row.as_bytes())?;
            }
        }
        queue!(out, EndSynchronizedUpdate)?;
        out.flush()?;
        self.size = size;
        self.rows = rows.to_vec();
        Ok(())
    }

    /// Waits for a key, but not longer than `patience`.
    ///
    /// # Errors
    /// If the terminal has gone.
    pub fn key(&mut self, patience: Duration) -> io::Result<Option<Key>> {
        #[cfg(unix)]
        let patience = {
            wait_for_input(patience)?;
            Duration::ZERO
        };
        if !event::poll(patience)? {
            return Ok(None);
        }
        let key = match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => key_of(key),
            Event::Resize(..) => Some(Key::Redraw),
            _ => None,
        };
        if key == Some(Key::Redraw) {
            self.size = (0, 0);
        }
        Ok(key)
    }

    /// Gives the terminal back and stops the program as the shell's user expects of Ctrl-Z; goes on
    /// when the program is continued.
    ///
    /// # Errors
    /// If the terminal cannot be taken again.
    pub fn suspend(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        {
            close();
            signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)?;
            IS_OPEN.store(true, Ordering::SeqCst);
            enter()?;
            self.size = (0, 0);
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        close();
    }
}

fn enter() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        DisableLineWrap,
        Hide,
        Clear(ClearType::All)
    )
}

/// Gives the terminal back as it was, once.
fn close() {
    if IS_OPEN.swap(false, Ordering::SeqCst) {
        let mut text = Vec::new();
        // Writing into memory does not fail.
        let _ = queue!(
            text,
            EndSynchronizedUpdate,
            EnableLineWrap,
            Show,
            LeaveAlternateScreen
        );
        // If the terminal has gone, there is nothing to restore.
        let _ = write_past_locks(&text);
        let _ = terminal::disable_raw_mode();
    }
}

/// Writes to the terminal even if a thread that holds the lock of standard output is stuck.
#[cfg(unix)]
fn write_past_locks(mut text: &[u8]) -> io::Result<()> {
    while !text.is_empty() {
        let written = rustix::io::write(rustix::stdio::stdout(), text)?;
        text = &text[written..];
    }
    Ok(())
}

#[cfg(not(unix))]
fn write_past_locks(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text)?;
    out.flush()
}

/// Starts a thread that restores the terminal before a signal ends the program.
#[cfg(unix)]
fn guard_against_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    // Without the guard the program works, so a refusal by the system is no reason to end.
    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) else {
        return;
    };
    let guard = move || {
        for signal in &mut signals {
            close();
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    };
    let _ = std::thread::Builder::new().spawn(guard);
}

#[cfg(not(unix))]
fn guard_against_signals() {}

fn key_of(event: KeyEvent) -> Option<Key> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    Some(match event.code {
        KeyCode::Char('c' | 'C' | 'd' | 'D') if control => Key::Interrupt,
        KeyCode::Char('z' | 'Z') if control => Key::Suspend,
        KeyCode::Char('l' | 'L') if control => Key::Redraw,
        KeyCode::Char('h') if control => Key::Backspace,
        KeyCode::Char(_) if control || event.modifiers.contains(KeyModifiers::ALT) => return None,
        KeyCode::Char(sign) => Key::Sign(sign),
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Esc => Key::Escape,
        _ => return None,
    })
}
