//! The threads of the workers. They start once, live as long as the pool, and own their workers.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};

use super::Event;
use super::lengthening::Lengthening;
use super::mailbox::Mailbox;
use crate::memory;
use crate::numa::{self, Binding, Cpus, Machine, Placement};
use crate::search::{Report, Reporter, SearchPlan, SearchRequest, Setup, Silent, Worker};
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
/// the program, while a refused thread is only an error. WebAssembly never returns memory that was
/// reserved once, so there it is only what is needed.
const SPARE_BYTES: usize = if cfg!(target_family = "wasm") {
    STACK_BYTES + 2 * WORKER_BYTES
} else {
    96 << 20
};

/// The receiver of a search's events. It is called on the thread of worker 0.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// One search with everything that its workers share.
pub struct Task {
    /// The search to be made.
    pub request: SearchRequest,
    /// What the engine adds to it.
    pub plan: SearchPlan,
    /// The workers' flags, counters and results.
    pub shared: Arc<Shared>,
    pub tt: Arc<TranspositionTable>,
    /// The receiver of the events.
    pub sink: Sink,
    /// The lines that the tablebases continue.
    pub lengthening: Lengthening,
}

impl Task {
    fn search(&self, worker: &mut Worker, reporter: &mut dyn Reporter) {
        worker.search(&self.request, &self.plan, &self.shared, &self.tt, reporter);
    }
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
    /// Forget everything learned.
    NewGame,
    /// Clear one part of the transposition table.
    ClearHash {
        tt: Arc<TranspositionTable>,
        /// The part to clear, from 0.
        part: usize,
        /// The number of parts.
        parts: usize,
    },
    /// Copy one part of a transposition table to another one.
    CopyHash {
        from: Arc<TranspositionTable>,
        to: Arc<TranspositionTable>,
        /// The part to copy, from 0.
        part: usize,
        /// The number of parts.
        parts: usize,
    },
    /// Move to these CPUs, and create a new worker in memory that is near them.
    Move {
        place: Place,
        /// It is boxed because it is large if parameters can be tuned.
        setup: Box<Setup>,
    },
    /// Say which thread of the system this is.
    #[cfg(all(test, target_os = "linux"))]
    Tell(Sender<String>),
    Quit,
}

/// The CPUs that a worker is to run on.
#[derive(Clone, Debug)]
struct Place {
    /// The CPUs to bind the thread to. With `None` it keeps those of the process.
    cpus: Option<Cpus>,
    /// Receives the reason if the system refuses.
    refused: Sender<io::Error>,
}

impl Place {
    /// Moves the calling thread there.
    fn enter(&self) {
        if let Some(cpus) = &self.cpus
            && let Err(error) = numa::bind(cpus)
        {
            // The pool waits for this thread, so that the other end exists.
            drop(self.refused.send(error));
        }
    }
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
    memory::try_reserve(SPARE_BYTES).map_err(io::Error::other)
}

impl WorkerHandle {
    /// Starts a thread that creates its worker itself, so that the memory is first touched where it
    /// is used. Waits until the worker is ready.
    fn spawn(id: usize, setup: &Setup, place: Place) -> io::Result<Self> {
        has_spare_memory()?;
        let mailbox = Arc::new(Mailbox::new());
        let orders = Arc::clone(&mailbox);
        let setup = setup.clone();
        let thread = thread::Builder::new()
            .name(format!("worker {id}"))
            .stack_size(STACK_BYTES)
            .spawn(move || {
                place.enter();
                drop(place);
                run_worker(id, setup, &orders);
            })?;
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
                task.search(&mut worker, &mut MainReporter(&task));
                (task.sink)(Event::Finished);
            }
            Order::Search(task) => task.search(&mut worker, &mut Silent),
            Order::NewGame => worker.new_game(),
            Order::ClearHash { tt, part, parts } => tt.clear(part, parts),
            Order::CopyHash {
                from,
                to,
                part,
                parts,
            } => to.copy(&from, part, parts),
            Order::Move { place, setup } => {
                place.enter();
                // A new allocation is in memory that this thread touches first.
                let moved = Box::new(Worker::new(id, *setup));
                worker = moved;
            }
            #[cfg(all(test, target_os = "linux"))]
            Order::Tell(said) => {
                let number = rustix::thread::gettid().as_raw_nonzero();
                said.send(number.to_string()).expect("nobody listens");
            }
            Order::Quit => return,
        }
    }
}

/// The reporter of worker 0, which sends its reports to the sink. The other workers do not report.
struct MainReporter<'a>(&'a Task);

impl Reporter for MainReporter<'_> {
    fn report(&mut self, report: &Report) {
        (self.0.sink)(Event::Bound(report.clone()));
    }

    fn lines(&mut self, lines: &[Report]) {
        let Task {
            request,
            plan,
            shared,
            lengthening,
            ..
        } = self.0;
        let mut lines = lines.to_vec();
        lengthening.report(request, plan, shared, &mut lines);
        (self.0.sink)(Event::Lines(lines));
    }

    fn current_move(&mut self, depth: i32, mv: Move, number: usize) {
        (self.0.sink)(Event::CurrentMove { depth, mv, number });
    }
}

/// The workers, of which there is at least one, and their places.
#[derive(Debug)]
pub struct Pool {
    handles: Vec<WorkerHandle>,
    machine: Machine,
    binding: Binding,
    placement: Placement,
    /// The reason why a worker could not be bound to its node.
    refusal: Option<io::Error>,
}

impl Pool {
    /// Starts this many workers, at least one, on this machine.
    ///
    /// # Errors
    /// If the operating system refuses a thread or its memory. None of the threads is kept then.
    pub fn new(workers: usize, setup: &Setup) -> io::Result<Self> {
        Self::on(Machine::this(), Binding::default(), workers, setup)
    }

    /// Starts this many workers, at least one, and places them by this binding.
    ///
    /// # Errors
    /// If the operating system refuses a thread or its memory. None of the threads is kept then.
    pub fn on(
        machine: Machine,
        binding: Binding,
        workers: usize,
        setup: &Setup,
    ) -> io::Result<Self> {
        let mut pool = Self {
            handles: Vec::new(),
            machine,
            binding,
            placement: Placement::default(),
            refusal: None,
        };
        pool.resize(workers, setup)?;
        Ok(pool)
    }

    /// Starts this many workers where those of this pool would be.
    ///
    /// # Errors
    /// If the operating system refuses a thread or its memory.
    pub fn renewed(&self, setup: &Setup) -> io::Result<Self> {
        let (machine, binding) = (self.machine.clone(), self.binding.clone());
        Self::on(machine, binding, self.workers(), setup)
    }

    /// Returns the number of workers.
    pub fn workers(&self) -> usize {
        self.handles.len()
    }

    /// Returns where the workers are.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Returns the reason why a worker could not be bound to its node, if any.
    pub fn refusal(&self) -> Option<&io::Error> {
        self.refusal.as_ref()
    }

    /// Starts or ends threads until there are this many workers, at least one, and waits for those
    /// that end. All workers forget what they have learned. Workers assigned to
    /// another NUMA node move there.
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
        self.place(workers.max(1), setup);
        for id in self.workers()..workers.max(1) {
            let (refused, refusals) = mpsc::channel();
            let cpus = self.placement.home(id).map(|home| home.cpus.clone());
            match WorkerHandle::spawn(id, setup, Place { cpus, refused }) {
                Ok(handle) => self.handles.push(handle),
                Err(error) => {
                    self.handles.truncate(before);
                    self.place(before, setup);
                    return Err(error);
                }
            }
            self.refusal = self.refusal.take().or_else(|| refusals.try_recv().ok());
        }
        Ok(())
    }

    /// Places the workers by another binding. Workers assigned to another NUMA node move there and
    /// forget what they have learned.
    pub fn set_binding(&mut self, binding: Binding, setup: &Setup) {
        self.binding = binding;
        self.place(self.workers(), setup);
    }

    /// Decides where this many workers belong, and moves those that exist already.
    fn place(&mut self, workers: usize, setup: &Setup) {
        let placement = self.machine.place(&self.binding, workers);
        let (refused, refusals) = mpsc::channel();
        for (id, handle) in self.handles.iter().enumerate() {
            let home = placement.home(id);
            if home != self.placement.home(id) {
                let cpus = home.map_or(self.machine.allowed(), |home| &home.cpus);
                let place = Place {
                    cpus: Some(cpus.clone()),
                    refused: refused.clone(),
                };
                let setup = setup.clone();
                handle.mailbox.post(Order::Move {
                    place,
                    setup: Box::new(setup),
                });
            }
        }
        self.wait();
        self.refusal = refusals.try_recv().ok();
        self.placement = placement;
    }

    /// Starts a search on all workers, each as soon as it has finished its last order.
    pub fn search(&self, task: &Arc<Task>) {
        for handle in &self.handles {
            handle.mailbox.post(Order::Search(Arc::clone(task)));
        }
    }

    /// Lets all workers forget what they have learned, and waits for them.
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

    /// Lets each worker copy its part of a transposition table to another one of the same size, and
    /// waits for them.
    pub fn copy_hash(&self, from: &Arc<TranspositionTable>, to: &Arc<TranspositionTable>) {
        for (part, handle) in self.handles.iter().enumerate() {
            handle.mailbox.post(Order::CopyHash {
                from: Arc::clone(from),
                to: Arc::clone(to),
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

#[cfg(all(test, target_os = "linux"))]
mod tests;
