//! The README shows the options exactly as the engine has them.

use rejoinder::uci::options;

#[test]
fn the_readme_has_the_table_of_the_source() {
    let readme = include_str!("../README.md").replace('\r', "");
    let table = options::markdown();
    assert!(
        readme.contains(&table),
        "put this into README.md:\n\n{table}"
    );
}
