//! `rejoinder-tools average`: the mean of the weights of several networks.
//!
//! Networks that were trained further from the same one, on other positions or with another share
//! of the result, differ by what is particular to each run. Their mean keeps what they have in
//! common, and costs nothing at run time.
// Source: Wortsman and others, "Model soups: averaging weights of multiple fine-tuned models
// improves accuracy without increasing inference time" (2022).

use std::path::{Path, PathBuf};

use crate::scale;
use anyhow::bail;
use clap::Args;
use rejoinder::build_info;
use rejoinder::eval::network::{self, Network, Weights};
use serde::Serialize;
use serde_json::Value;

use crate::files;
use crate::print::print;

use super::companion::{self, Companion};
use super::run_report::command_line;

/// The networks.
#[derive(Clone, Debug, Args)]
pub struct AverageArgs {
    /// Network files of the same architecture; a file given twice counts twice. The win-rate model
    /// is that of the first
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    networks: Vec<PathBuf>,
    /// File for the mean network, beside which its report is written
    #[arg(long, value_name = "FILE", value_parser = companion::network_to_write())]
    out: PathBuf,
}

/// The report of a mean network.
#[derive(Debug, Serialize)]
pub struct MeanReport {
    /// The command line.
    command: Vec<String>,
    /// Name and version of the engine.
    version: &'static str,
    /// Name of the network, which is its checksum.
    network: String,
    /// Evaluation in centipawns for an output of 1.
    scale: i32,
    /// The networks that it is the mean of.
    mean_of: Vec<Member>,
}

/// A network of a mean.
#[derive(Debug, Serialize)]
struct Member {
    /// Name of the network.
    network: String,
    /// The report in the JSON file beside it, if there is one. If it is a mean itself, its
    /// members are only named.
    report: Option<Value>,
}

/// Returns the report of a member without those of its own members: with them, it would grow
/// with every mean of means.
fn without_ancestors(mut report: Value) -> Value {
    let members = report.get_mut("mean_of").and_then(Value::as_array_mut);
    for member in members.into_iter().flatten() {
        if let Some(member) = member.as_object_mut() {
            // Earlier versions called it a certificate.
            member.remove("certificate");
            member.remove("report");
        }
    }
    report
}

/// Writes the mean of several networks and its report, and prints its scale and name.
///
/// # Errors
/// If a file cannot be read or written, or the networks differ in architecture.
///
/// # Panics
/// If there is no network, which the command line excludes.
pub fn average(args: &AverageArgs) -> anyhow::Result<()> {
    let mean = write_mean(&args.networks, &args.out)?;
    print(format_args!(
        "scale     {}\nnetwork   {}\n",
        mean.scale, mean.network
    ))?;
    Ok(())
}

/// Writes the mean of the networks of these files, at least one, and its report beside it.
/// Returns the report.
///
/// # Errors
/// If a file cannot be read or written, or the networks differ in architecture.
///
/// # Panics
/// If there is no network.
pub fn write_mean(paths: &[PathBuf], out: &Path) -> anyhow::Result<MeanReport> {
    let mut networks = Vec::new();
    let mut mean_of = Vec::new();
    for path in paths {
        let weights = network::load_weights(path)?;
        mean_of.push(Member {
            network: Network::new(&weights)?.name(),
            report: files::read_json(&Companion::Report.beside(path))?.map(without_ancestors),
        });
        if let Some(first) = networks.first().map(|first: &Weights| first.architecture)
            && first != weights.architecture
        {
            let (path, from) = (path.display(), weights.architecture);
            bail!("{path} is {from}, which does not fit into {first}");
        }
        networks.push(weights);
    }
    let mut weights = mean(networks).expect("a mean of at least one network was asked for");
    weights.scale = scale::fitting(&weights)?.clamp(1, 100_000);
    files::replace(out, &weights.to_bytes())?;
    let report = MeanReport {
        command: command_line(),
        version: build_info::ENGINE,
        network: Network::new(&weights)?.name(),
        scale: weights.scale,
        mean_of,
    };
    files::replace_json(&Companion::Report.beside(out), &report)?;
    Ok(report)
}

/// Returns the mean weights of networks of the same architecture, with scale and win-rate model of
/// the first; `None` without networks.
fn mean(mut networks: Vec<Weights>) -> Option<Weights> {
    let mut sums: Vec<i64> = Vec::new();
    for network in &mut networks {
        let mut position = 0;
        change(network, &mut |weight| {
            match sums.get_mut(position) {
                Some(sum) => *sum += weight,
                None => sums.push(weight),
            }
            position += 1;
            weight
        });
    }
    let count = networks.len() as f64;
    let mut means = sums
        .into_iter()
        .map(|sum| (sum as f64 / count).round() as i64);
    let mut mean = networks.into_iter().next()?;
    change(&mut mean, &mut |weight| means.next().unwrap_or(weight));
    Some(mean)
}

/// Changes all weights of a network, always in the same order.
fn change(network: &mut Weights, change: &mut impl FnMut(i64) -> i64) {
    change_part(&mut network.feature_weights, change);
    change_part(&mut network.relation_weights, change);
    change_part(&mut network.feature_biases, change);
    change_part(&mut network.output_weights, change);
    change_part(&mut network.output_biases, change);
}

fn change_part<T: Copy + Into<i64> + TryFrom<i64>>(
    part: &mut [T],
    change: &mut impl FnMut(i64) -> i64,
) {
    for weight in part {
        // A mean lies between its parts, so it always fits.
        if let Ok(changed) = T::try_from(change((*weight).into())) {
            *weight = changed;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: AverageArgs,
    }

    fn run(dir: &Path, names: &str) -> anyhow::Result<()> {
        let files = names
            .split(' ')
            .map(|name| dir.join(name).display().to_string());
        let out = dir.join("mean.rjn").display().to_string();
        let words = ["average", "--out", &out].map(str::to_owned);
        average(&Line::parse_from(words.into_iter().chain(files)).args)
    }

    /// A network whose weights are all `weight`.
    fn write(dir: &Path, name: &str, weight: i64, king_buckets: usize) -> Weights {
        let mut weights = Weights::zero();
        weights.architecture.king_buckets = king_buckets;
        weights.feature_weights = weights.feature_weights.repeat(king_buckets);
        change(&mut weights, &mut |_| weight);
        files::replace(&dir.join(name), &weights.to_bytes()).expect("a file");
        weights
    }

    #[test]
    fn every_weight_is_the_mean() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path();
        write(dir, "a.rjn", 3, 1);
        write(dir, "b.rjn", -8, 1);
        files::create_json(&dir.join("b.json"), &"made by hand").expect("a file");
        run(dir, "a.rjn a.rjn b.rjn b.rjn b.rjn").expect("a mean");
        let mean = network::load_weights(&dir.join("mean.rjn")).expect("a network");
        // (2 * 3 - 3 * 8) / 5 = -3.6
        let mut expected = write(dir, "expected.rjn", -4, 1);
        expected.scale = mean.scale;
        assert_eq!(mean, expected);
        let report: Option<Value> = files::read_json(&dir.join("mean.json")).expect("a report");
        let report = report.expect("a report");
        assert_eq!(report["mean_of"][2]["report"], "made by hand");
        assert!(report["mean_of"][0]["report"].is_null());
    }

    #[test]
    fn reports_may_be_long() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path();
        for name in ["a", "b"] {
            write(dir, &format!("{name}.rjn"), 3, 1);
        }
        let long = "x".repeat(2 << 20);
        files::create_json(&dir.join("b.json"), &long).expect("a file");
        run(dir, "a.rjn b.rjn").expect("a mean");
        let report: Option<Value> = files::read_json(&dir.join("mean.json")).expect("a report");
        let report = report.expect("a report");
        assert!(report["mean_of"][1]["report"] == long);
    }

    #[test]
    fn a_mean_leaves_reports_of_other_networks_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path();
        for name in ["soup.1", "soup.2"] {
            write(dir, name, 3, 1);
            let report = dir.join(format!("{name}.json"));
            files::create_json(&report, &name).expect("a file");
        }
        let paths = ["soup.1", "soup.2"].map(|name| dir.join(name));
        write_mean(&paths, &dir.join("soup.3")).expect("a mean");
        let report = |name: &str| -> Value {
            let read = files::read_json(&dir.join(name)).expect("a readable file");
            read.expect("a report")
        };
        assert_eq!(report("soup.1.json"), "soup.1");
        let mean = report("soup.3.json");
        assert_eq!(mean["mean_of"][1]["report"], "soup.2");

        let line = ["average", "--out", "mean.json", "a.rjn", "b.rjn"];
        let error = Line::try_parse_from(line).map(|_| ()).expect_err("refused");
        assert!(error.to_string().contains("mean.json"), "{error}");
    }

    #[test]
    fn a_mean_of_means_names_its_ancestors_only() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path();
        for name in ["a", "b"] {
            write(dir, &format!("{name}.rjn"), 3, 1);
            files::create_json(&dir.join(format!("{name}.json")), &"made by hand").expect("a file");
        }
        run(dir, "a.rjn b.rjn").expect("a mean");
        for ending in ["rjn", "json"] {
            let parent = dir.join(format!("parent.{ending}"));
            fs::rename(dir.join(format!("mean.{ending}")), parent).expect("renamed");
        }
        run(dir, "parent.rjn b.rjn").expect("a mean with the mean");
        let report: Option<Value> = files::read_json(&dir.join("mean.json")).expect("a report");
        let report = report.expect("a report");
        let [parent, other] = [0, 1].map(|member| &report["mean_of"][member]["report"]);
        assert_eq!(other, "made by hand");
        assert!(parent["mean_of"][0]["report"].is_null());
        assert!(parent["mean_of"][0]["network"].is_string());
    }

    #[test]
    fn networks_of_different_architectures_have_no_mean() {
        let dir = tempfile::tempdir().expect("a directory");
        let dir = dir.path();
        write(dir, "a.rjn", 3, 1);
        write(dir, "b.rjn", 3, 4);
        let error = run(dir, "a.rjn b.rjn").expect_err("different architectures");
        assert!(error.to_string().contains("does not fit into"), "{error}");
        assert!(!dir.join("mean.rjn").exists());
    }
}
