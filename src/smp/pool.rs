//! The threads of the workers. They start once, live as long as the pool, and own their workers.

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

/// Stack of a worker's thread, in bytes. A node takes about 2.5 KB, and a singular search doubles
/// the nodes of a ply, so 246 plies take 1.2 MB, and several times as much in an unoptimized build.
/// Only the used part takes real memory.
const STACK_BYTES: usize = 8 << 20;

/// Memory that a worker uses, including its stack, in bytes: slightly above the largest value
/// measured.
const WORKER_BYTES: usize = 6 << 20;

/// Address space that must be free before a thread is started, in bytes: its stack, the reservation
/// of its allocator (64 MB with glibc), the worker, and a reserve. A failed allocation would end
/// the program, while a refused thread is only an error.
const SPARE_BYTES: usize = 96 << 20;

/// The receiver of a search's events. It is called on the thread of worker 0.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// One search with everything that its workers share.
pub struct Task {
    /// The search to be made.
    pub job: Job,
    /// The workers' flags, counters and results.
    pub shared: Arc<Shared>,
    /// The transposition table.
    pub tt: Arc<TranspositionTable>,
    /// The receiver of the events.
    pub sink: Sink,
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task").finish_non_exhaustive()
    }
}

/// An order to a worker.
#[derive(Debug)]
enum Order {
    Search(Arc<Task>),
    /// Forget everything learnt.
    NewGame,
    /// Clear one part of the transposition table.
    ClearHash {
        tt: Arc<TranspositionTable>,
        /// The part to clear, from 0.
        part: usize,
        /// The number of parts.
        parts: usize,
    },
    Quit,
}

/// The thread of one worker.
#[derive(Debug)]
struct WorkerHandle {
    mailbox: Arc<Mailbox<Order>>,
    thread: Option<JoinHandle<()>>,
}

/// Checks that there is enough address space for a network, or for another thread with its worker.
///
/// # Errors
/// If the operating system refuses the memory.
pub fn has_spare_memory() -> io::Result<()> {
    drop(Mapped::<AtomicU64>::new(SPARE_BYTES / 8).map_err(io::Error::other)?);
    Ok(())
}

impl WorkerHandle {
    /// Starts a thread that creates its worker itself, so that the memory is first touched where it
    /// is used. Waits until the worker is ready.
    fn spawn(id: usize, setup: &Setup) -> io::Result<Self> {
        has_spare_memory()?;
        let mailbox = Arc::new(Mailbox::new());
        let orders = Arc::clone(&mailbox);
        let setup = setup.clone();
        let thread = thread::Builder::new()
            .name(format!("worker {id}"))
            .stack_size(STACK_BYTES)
            .spawn(move || run_worker(id, setup, &orders))?;
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
            // Joining fails if the worker panicked, which the panic has already reported.
            drop(thread.join());
        }
    }
}

/// Runs a worker: carries out orders until one says to quit.
fn run_worker(id: usize, setup: Setup, orders: &Mailbox<Order>) {
    let mut worker = Box::new(Worker::new(id, setup));
    loop {
        match orders.take() {
            Order::Search(task) if id == 0 => {
                let mut reporter = MainReporter(&task.sink);
                worker.search(&task.job, &task.shared, &task.tt, &mut reporter);
                (task.sink)(Event::Finished);
            }
            Order::Search(task) => {
                worker.search(&task.job, &task.shared, &task.tt, &mut Silent);
            }
            Order::NewGame => worker.new_game(),
            Order::ClearHash { tt, part, parts } => tt.clear(part, parts),
            Order::Quit => return,
        }
    }
}

/// The reporter of worker 0, which sends its reports to the sink. The other workers do not report.
struct MainReporter<'a>(&'a Sink);

impl Reporter for MainReporter<'_> {
    fn report(&mut self, report: &Report) {
        (self.0)(Event::Bound(report.clone()));
    }

    fn lines(&mut self, lines: &[Report]) {
        (self.0)(Event::Lines(lines.to_vec()));
    }

    fn current_move(&mut self, depth: i32, mv: Move, number: usize) {
        (self.0)(Event::CurrentMove { depth, mv, number });
    }
}

/// The workers, of which there is at least one.
#[derive(Debug)]
pub struct Pool {
    handles: Vec<WorkerHandle>,
}

impl Pool {
    /// Starts this many workers, at least one.
    ///
    /// # Errors
    /// If the operating system refuses a thread or its memory. None of the threads is kept then.
    pub fn new(workers: usize, setup: &Setup) -> io::Result<Self> {
        let mut pool = Self {
            handles: Vec::new(),
        };
        pool.resize(workers, setup)?;
        Ok(pool)
    }

    /// Returns the number of workers.
    pub fn workers(&self) -> usize {
        self.handles.len()
    }

    /// Starts or ends threads until there are this many workers, at least one, and waits for those
    /// that end. All workers forget what they have learnt.
    ///
    /// # Errors
    /// If the operating system refuses a thread or its memory. The number of workers is unchanged
    /// then.
    pub fn resize(&mut self, workers: usize, setup: &Setup) -> io::Result<()> {
        let before = self.workers();
        let new = workers.saturating_sub(before);
        memory::check(new.saturating_mul(WORKER_BYTES)).map_err(io::Error::other)?;
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

    /// Starts a search on all workers, each as soon as it has finished its last order.
    pub fn search(&self, task: &Arc<Task>) {
        for handle in &self.handles {
            handle.mailbox.post(Order::Search(Arc::clone(task)));
        }
    }

    /// Lets all workers forget what they have learnt, and waits for them.
    pub fn new_game(&self) {
        for handle in &self.handles {
            handle.mailbox.post(Order::NewGame);
        }
        self.wait();
    }

    /// Lets each worker clear its part of the transposition table, and waits for them.
    pub fn clear_hash(&self, tt: &Arc<TranspositionTable>) {
        for (part, handle) in self.handles.iter().enumerate() {
            handle.mailbox.post(Order::ClearHash {
                tt: Arc::clone(tt),
                part,
                parts: self.workers(),
            });
        }
        self.wait();
    }

    /// Waits until all workers are idle.
    pub fn wait(&self) {
        for handle in &self.handles {
            handle.mailbox.wait();
        }
    }

    /// Waits until worker 0 is idle.
    pub fn wait_for_first(&self) {
        self.handles[0].mailbox.wait();
    }
}
