//! The workers' threads. They start once and live as long as the pool; each owns its worker.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread::{self, JoinHandle};

use super::Event;
use super::mailbox::Mailbox;
use crate::memory::{self, Mapped};
use crate::search::{Job, Report, Reporter, Setup, Silent, Worker};
use crate::shared::Shared;
use crate::tt::TranspositionTable;
use crate::types::Move;

/// Stack of a worker. A node takes about 2.5 KB, and its ply may be searched twice over (without one of
/// its moves), so 246 plies take 1.2 MB; an unoptimised build several times that. Only what is used is real memory.
const STACK: usize = 8 << 20;

/// Memory that a worker touches, including its stack; slightly above the largest value measured.
const WORKER: usize = 6 << 20;

/// Address space that must be free before a thread is started: its stack, what its allocator reserves (64 MB with glibc), the
/// worker, and something to go on with. A failed allocation would end the program; a thread that is refused does not.
const SPARE: usize = 96 << 20;

/// Where the events of a search go. Called on the thread of worker 0.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// One search, as all its workers see it.
pub struct Task {
    /// What to search.
    pub job: Job,
    /// What the workers tell each other.
    pub shared: Arc<Shared>,
    /// The transposition table.
    pub table: Arc<TranspositionTable>,
    /// Where worker 0 reports.
    pub sink: Sink,
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").finish_non_exhaustive()
    }
}

/// What a worker can be told to do.
#[derive(Debug)]
enum Order {
    Search(Arc<Task>),
    /// Forget everything learnt.
    NewGame,
    /// Clear one of so many parts of the table.
    Clear(Arc<TranspositionTable>, usize, usize),
    Quit,
}

/// The thread of one worker.
#[derive(Debug)]
struct WorkerHandle {
    mailbox: Arc<Mailbox<Order>>,
    thread: Option<JoinHandle<()>>,
}

/// Whether there is address space to go on with: for a network, or for another thread with its worker.
///
/// # Errors
/// If the system refuses it.
pub fn has_spare_memory() -> io::Result<()> {
    drop(Mapped::<AtomicU64>::new(SPARE / 8).map_err(io::Error::other)?);
    Ok(())
}

impl WorkerHandle {
    /// Starts a thread that makes its own worker: the memory is first touched where it is used. Waits until it has.
    fn spawn(id: usize, setup: &Setup) -> io::Result<Self> {
        has_spare_memory()?;
        let mailbox = Arc::new(Mailbox::new());
        let orders = Arc::clone(&mailbox);
        let setup = setup.clone();
        let thread = thread::Builder::new()
            .name(format!("worker {id}"))
            .stack_size(STACK)
            .spawn(move || work(id, setup, &orders))?;
        mailbox.wait();
        Ok(Self {
            mailbox,
            thread: Some(thread),
        })
    }
}

impl Drop for WorkerHandle {
    fn drop(&mut self) {
        self.mailbox.post(Order::Quit);
        if let Some(thread) = self.thread.take() {
            // It fails if the worker panicked, which was said when it happened.
            drop(thread.join());
        }
    }
}

/// The loop of a worker: takes orders until it is told to quit.
fn work(id: usize, setup: Setup, orders: &Mailbox<Order>) {
    let mut worker = Box::new(Worker::new(id, setup));
    loop {
        match orders.take() {
            Order::Search(task) if id == 0 => {
                let mut reporter = MainReporter(&task.sink);
                worker.search(&task.job, &task.shared, &task.table, &mut reporter);
                (task.sink)(Event::Finished);
            }
            Order::Search(task) => {
                worker.search(&task.job, &task.shared, &task.table, &mut Silent);
            }
            Order::NewGame => worker.new_game(),
            Order::Clear(table, part, parts) => table.clear(part, parts),
            Order::Quit => return,
        }
    }
}

/// Sends the reports of worker 0, the only one that reports, to the sink.
struct MainReporter<'a>(&'a Sink);

impl Reporter for MainReporter<'_> {
    fn report(&mut self, report: &Report) {
        (self.0)(Event::Report(report.clone()));
    }

    fn current_move(&mut self, depth: i32, mv: Move, number: usize) {
        (self.0)(Event::CurrentMove { depth, mv, number });
    }
}

/// All workers; never none.
#[derive(Debug)]
pub struct Pool {
    handles: Vec<WorkerHandle>,
}

impl Pool {
    /// Starts this many workers, at least one.
    ///
    /// # Errors
    /// If the system gives fewer threads; none is kept then.
    pub fn new(workers: usize, setup: &Setup) -> io::Result<Self> {
        let mut pool = Self {
            handles: Vec::new(),
        };
        pool.resize(workers, setup)?;
        Ok(pool)
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.handles.len()
    }

    /// Starts or ends threads until there are this many, at least one; none of them knows anything then.
    /// Waits for those that end.
    ///
    /// # Errors
    /// If the system gives fewer threads; there are as many as before then.
    pub fn resize(&mut self, workers: usize, setup: &Setup) -> io::Result<()> {
        let before = self.workers();
        let new = workers.saturating_sub(before);
        memory::check(new.saturating_mul(WORKER)).map_err(io::Error::other)?;
        self.handles.truncate(workers.max(1));
        self.new_game();
        for id in self.workers()..workers.max(1) {
            match WorkerHandle::spawn(id, setup) {
                Ok(handle) => self.handles.push(handle),
                Err(error) => {
                    self.handles.truncate(before);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Starts a search, as soon as all have ended the last one.
    pub fn search(&self, task: &Arc<Task>) {
        for handle in &self.handles {
            handle.mailbox.post(Order::Search(Arc::clone(task)));
        }
    }

    /// Lets all workers forget what they learnt, and waits for it.
    pub fn new_game(&self) {
        for handle in &self.handles {
            handle.mailbox.post(Order::NewGame);
        }
        self.wait();
    }

    /// Lets each worker clear its part of the table, and waits for it.
    pub fn clear(&self, table: &Arc<TranspositionTable>) {
        for (part, handle) in self.handles.iter().enumerate() {
            let order = Order::Clear(Arc::clone(table), part, self.workers());
            handle.mailbox.post(order);
        }
        self.wait();
    }

    /// Waits until no worker does anything.
    pub fn wait(&self) {
        for handle in &self.handles {
            handle.mailbox.wait();
        }
    }

    /// Waits until worker 0 does nothing.
    pub fn wait_for_first(&self) {
        self.handles[0].mailbox.wait();
    }
}
