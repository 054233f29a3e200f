//! Tells the crate which files the page of `serve` consists of: those of the folder REJOINDER_PAGE,
//! which `make serve` collects; none without it.

use std::env;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=REJOINDER_PAGE");
    let mut files = Vec::new();
    let folder = env::var_os("REJOINDER_PAGE").filter(|folder| !folder.is_empty());
    if let Some(folder) = folder.map(PathBuf::from) {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder.canonicalize()?, "", &mut files)?;
    }
    files.sort();
    let mut list = String::from("[\n");
    for (name, path) in files {
        let path = path
            .to_str()
            .ok_or_else(|| io::Error::other("a path that is not Unicode"))?;
        writeln!(list, "    ({name:?}, include_bytes!({path:?})),").map_err(io::Error::other)?;
    }
    list.push_str("]\n");
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("page.rs"), list)
}

/// Adds the files of a folder, at any depth, each with its path in an address.
fn collect(folder: &Path, before: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
