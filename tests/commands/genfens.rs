//! Tests `genfens`, by which OpenBench asks for openings before it generates data.

use std::process::Command;

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn openbench_gets_its_openings() {
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_rejoinder"))
            .args(arguments)
            .output();
        output.expect("cannot run the program")
    };
    let output = run(&["genfens 5 seed 42 book None", "quit"]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    let prefix = "info string genfens ";
    assert_eq!(
        text.lines().filter(|line| line.starts_with(prefix)).count(),
        5
    );
    assert_eq!(text.lines().count(), 5, "{text}");
    assert_eq!(
        run(&words("genfens 5 seed 42 book None")).stdout,
        output.stdout
    );

    let output = run(&["genfens 5 seed 42 book no/such/book.epd", "quit"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("no/such/book.epd"), "{said}");
}
