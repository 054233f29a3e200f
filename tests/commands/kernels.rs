//! The signature is the same with every kernel.

use std::process::Command;

use rejoinder::eval::kernels::Kernel;

fn signature(kernel: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rejoinder"))
        .args(["bench", "6", "--kernel", kernel])
        .output()
        .expect("cannot run the program");
    let text = String::from_utf8(output.stdout).expect("not UTF-8");
    let last = text.lines().last().unwrap_or_default();
    let (nodes, _) = last.split_once(" nodes ").expect("there is no signature");
    nodes.to_owned()
}

#[test]
fn every_kernel_gives_the_same_signature() {
    let signatures: Vec<_> = Kernel::all()
        .map(|kernel| signature(kernel.name()))
        .collect();
    assert!(
        signatures.windows(2).all(|pair| pair[0] == pair[1]),
        "{signatures:?}"
    );
    assert!(signatures[0].parse::<u64>().is_ok_and(|nodes| nodes > 1000));
}

#[test]
fn an_unknown_kernel_is_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_rejoinder"))
        .args(["bench", "1", "--kernel", "abacus"])
        .output()
        .expect("cannot run the program");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("plain"));
}
