//! Workers on made-up nodes: each CPU of this machine is one.

use std::fs;

use super::*;
use crate::numa::Node;

/// Returns a machine with a node for each CPU that this process may use.
fn machine() -> Machine {
    let allowed = Machine::this().allowed().clone();
    let node = |cpu| Node {
        id: cpu,
        cpus: [cpu].into_iter().collect(),
    };
    Machine::new(allowed.iter().map(node).collect(), allowed)
}

/// Returns the CPUs that a thread of this process may use.
fn cpus_of(thread: &str) -> Cpus {
    let status = fs::read_to_string(format!("/proc/self/task/{thread}/status"))
        .expect("there is no such thread");
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    let list = list.expect("the kernel does not tell").trim();
    list.parse().expect(list)
}

/// Returns the CPUs that each worker of the pool may use. Other tests have workers as well, so each
/// says its own thread.
fn cpus(pool: &Pool) -> Vec<Cpus> {
    let numbers = pool.handles.iter().map(|handle| {
        let (said, heard) = mpsc::channel();
        handle.mailbox.post(Order::Tell(said));
        heard.recv().expect("the worker has ended")
    });
    numbers.map(|number| cpus_of(&number)).collect()
}

/// Checks that each worker may use the CPUs of its home only, and that those without a home may use
/// all CPUs.
fn check(pool: &Pool) {
    assert!(pool.refusal().is_none());
    for (id, cpus) in cpus(pool).iter().enumerate() {
        let home = pool.placement().home(id).map(|home| &home.cpus);
        assert_eq!(cpus, home.unwrap_or(pool.machine.allowed()), "worker {id}");
    }
}

#[test]
fn workers_move_when_their_number_or_the_policy_changes() {
    let machine = machine();
    let nodes = machine.allowed().count();
    if nodes < 2 {
        println!("SKIPPED: this process may use one CPU only");
        return;
    }
    let setup = Setup::default();
    let mut pool = Pool::on(machine, Binding::Auto, 1, &setup).expect("cannot start a pool");
    assert!(pool.placement().is_empty(), "one worker is not bound");
    check(&pool);
    pool.resize(2, &setup).expect("cannot start a worker");
    let homes = [0, 1].map(|id| pool.placement().home(id).map(|home| home.id));
    assert!(homes[0].is_some() && homes[1].is_some() && homes[0] != homes[1]);
    check(&pool);
    pool.resize(nodes + 1, &setup)
        .expect("cannot start a worker");
    assert!(pool.placement().home(nodes).is_some());
    check(&pool);
    check(&pool.renewed(&setup).expect("cannot start a pool"));
    pool.set_binding(Binding::None, &setup);
    assert!(pool.placement().is_empty());
    check(&pool);
    pool.set_binding(Binding::Auto, &setup);
    check(&pool);
    pool.resize(1, &setup).expect("cannot shrink");
    assert!(pool.placement().is_empty());
    check(&pool);
}

#[test]
fn a_place_that_does_not_exist_is_reported() {
    let nowhere = Node {
        id: 0,
        cpus: [1000].into_iter().collect(),
    };
    let machine = Machine::new(vec![nowhere.clone()], nowhere.cpus.clone());
    let binding = Binding::Groups(vec![nowhere.cpus]);
    if machine.allowed().and(Machine::this().allowed()).count() > 0 {
        println!("SKIPPED: this machine has the CPU 1000");
        return;
    }
    let pool = Pool::on(machine, binding, 2, &Setup::default()).expect("cannot start a pool");
    assert!(pool.refusal().is_some());
    assert_eq!(pool.workers(), 2);
}
