//! The shuffle buffer: all training samples in a random order, with limited memory.
//!
//! Samples that do not fit into memory are distributed at random over files, each of which fits. An
//! epoch takes the files in random order, and the samples of each file in random order. The order
//! of an epoch depends on the seed and the number of the epoch only, so that a run can continue at
//! any batch.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use rejoinder::types::Rng;

use crate::files::{self, FileError};

use super::sample::Sample;

/// Memory of a sample in bytes: the sample, and its index in the random order.
pub const BYTES_IN_MEMORY: u64 = (size_of::<Sample>() + size_of::<u32>()) as u64;

/// Collects samples, and becomes a dataset.
#[derive(Debug)]
pub struct ShuffleBuffer {
    dataset: Dataset,
    writers: Vec<BufWriter<File>>,
    rng: Rng,
}

/// All training samples, ready to be taken in batches, epoch after epoch.
#[derive(Debug)]
pub struct Dataset {
    storage: Storage,
    seed: u64,
}

#[derive(Debug)]
enum Storage {
    Memory(Vec<Sample>),
    Files(Files),
}

/// Files of samples in a directory of their own. Dropping the value removes files and directory.
#[derive(Debug)]
struct Files {
    dir: PathBuf,
    /// Number of samples in each file.
    counts: Vec<u64>,
}

impl Drop for Files {
    fn drop(&mut self) {
        // A file that cannot be removed is overwritten by the next run with the same output.
        for number in 0..self.counts.len() {
            let _ = fs::remove_file(self.path(number));
        }
        let _ = fs::remove_dir(&self.dir);
    }
}

impl Files {
    fn path(&self, number: usize) -> PathBuf {
        self.dir.join(format!("samples-{number:05}"))
    }
}

impl ShuffleBuffer {
    /// Creates a buffer for at most `upper_bound` samples and about `memory` bytes. If more samples
    /// are possible, files are created in `dir`.
    ///
    /// # Errors
    /// If a file cannot be created.
    pub fn new(upper_bound: u64, memory: u64, dir: &Path, seed: u64) -> Result<Self, FileError> {
        // The random order has 32-bit indices.
        let capacity = (memory / BYTES_IN_MEMORY).clamp(1, u64::from(u32::MAX));
        let mut writers = Vec::new();
        let storage = if upper_bound <= capacity {
            let mut samples = Vec::new();
            // A list that grows step by step would take twice the memory for a while, and unused
            // pages cost nothing.
            let _ = samples.try_reserve_exact(upper_bound as usize);
            Storage::Memory(samples)
        } else {
            // By chance, some files get more samples than others.
            let count = upper_bound.div_ceil((capacity * 9 / 10).max(1)) as usize;
            files::create_dir(dir)?;
            let files = Files {
                dir: dir.to_path_buf(),
                counts: vec![0; count],
            };
            for number in 0..count {
                let path = files.path(number);
                let file = File::create(&path).map_err(|reason| FileError::write(&path, reason))?;
                writers.push(BufWriter::new(file));
            }
            Storage::Files(files)
        };
        Ok(Self {
            dataset: Dataset { storage, seed },
            writers,
            rng: Rng::stream(seed, 0),
        })
    }

    /// Adds samples.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(&mut self, samples: &[Sample]) -> Result<(), FileError> {
        match &mut self.dataset.storage {
            Storage::Memory(all) => all.extend_from_slice(samples),
            Storage::Files(files) => {
                for sample in samples {
                    let number = self.rng.below(self.writers.len());
                    let result = self.writers[number].write_all(&sample.to_bytes());
                    result.map_err(|reason| FileError::write(&files.path(number), reason))?;
                    files.counts[number] += 1;
                }
            }
        }
        Ok(())
    }

    /// Returns the dataset of all samples added.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(self) -> Result<Dataset, FileError> {
        for (number, mut writer) in self.writers.into_iter().enumerate() {
            if let (Err(reason), Storage::Files(files)) = (writer.flush(), &self.dataset.storage) {
                let path = files.path(number);
                return Err(FileError::Write { path, reason });
            }
        }
        Ok(self.dataset)
    }
}

impl Dataset {
    /// Returns the number of samples.
    pub fn len(&self) -> u64 {
        match &self.storage {
            Storage::Memory(samples) => samples.len() as u64,
            Storage::Files(files) => files.counts.iter().sum(),
        }
    }

    /// Returns whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of files; 0 if the samples are in memory.
    pub fn files(&self) -> usize {
        match &self.storage {
            Storage::Memory(_) => 0,
            Storage::Files(files) => files.counts.len(),
        }
    }

    /// Passes batches of `batch` samples to `take` until it returns false, epoch after epoch. The
    /// first `skip` samples of the run are left out. A batch may extend over the end of an epoch.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn batches(
        &self,
        skip: u64,
        batch: usize,
        mut take: impl FnMut(Vec<Sample>) -> bool,
    ) -> Result<(), FileError> {
        if self.is_empty() {
            return Ok(());
        }
        let mut left = (skip % self.len()) as usize;
        let mut next = Vec::with_capacity(batch);
        for epoch in skip / self.len().. {
            let mut rng = Rng::stream(self.seed, epoch + 1);
            let mut numbers: Vec<usize> = (0..self.files().max(1)).collect();
            rng.shuffle(&mut numbers);
            for number in numbers {
                let mut rng = Rng::stream(rng.next(), number as u64);
                let count = self.count(number);
                if left >= count {
                    left -= count;
                    continue;
                }
                let read;
                let samples = match &self.storage {
                    Storage::Memory(samples) => samples,
                    Storage::Files(files) => {
                        read = files.read(number)?;
                        &read
                    }
                };
                let mut order: Vec<u32> = (0..count as u32).collect();
                rng.shuffle(&mut order);
                for &at in &order[std::mem::take(&mut left)..] {
                    next.push(samples[at as usize]);
                    if next.len() == batch {
                        let full = std::mem::replace(&mut next, Vec::with_capacity(batch));
                        if !take(full) {
                            return Ok(());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn count(&self, number: usize) -> usize {
        match &self.storage {
            Storage::Memory(samples) => samples.len(),
            Storage::Files(files) => files.counts[number] as usize,
        }
    }
}

impl Files {
    fn read(&self, number: usize) -> Result<Vec<Sample>, FileError> {
        let path = self.path(number);
        let count = self.counts[number] as usize;
        let mut samples = Vec::with_capacity(count);
        let mut fill = || -> io::Result<()> {
            let mut file = BufReader::with_capacity(1 << 20, File::open(&path)?);
            let mut bytes = [0; Sample::BYTES];
            for _ in 0..count {
                file.read_exact(&mut bytes)?;
                samples.push(Sample::from_bytes(&bytes));
            }
            Ok(())
        };
        fill().map_err(|reason| FileError::Read { path, reason })?;
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::fixtures;

    /// Returns a dataset of these samples, in memory or in files.
    fn dataset(samples: &[Sample], memory: u64, dir: &Path) -> Dataset {
        let mut buffer =
            ShuffleBuffer::new(samples.len() as u64, memory, dir, 5).expect("a writable directory");
        for part in samples.chunks(300) {
            buffer.add(part).expect("a writable directory");
        }
        buffer.finish().expect("a writable directory")
    }

    /// Takes this number of batches of 100 samples.
    fn take(dataset: &Dataset, skip: u64, batches: usize) -> Vec<Sample> {
        let mut all = Vec::new();
        let take = |batch: Vec<Sample>| {
            assert_eq!(batch.len(), 100);
            all.extend(batch);
            all.len() < batches * 100
        };
        dataset.batches(skip, 100, take).expect("samples");
        all
    }

    fn sorted(samples: &[Sample]) -> Vec<[u8; Sample::BYTES]> {
        let mut bytes: Vec<_> = samples.iter().map(|sample| sample.to_bytes()).collect();
        bytes.sort_unstable();
        bytes
    }

    #[test]
    fn each_epoch_has_every_sample_once_in_another_order() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path().join("shuffle");
        let samples = fixtures::samples(2_000, 1);
        for (memory, files) in [(1 << 20, 0), (300 * BYTES_IN_MEMORY, 8)] {
            let dataset = dataset(&samples, memory, &dir);
            assert_eq!((dataset.len(), dataset.files()), (2_000, files));
            assert_eq!(dir.exists(), files > 0);
            let epochs = take(&dataset, 0, 40);
            let (first, second) = epochs.split_at(2_000);
            assert_eq!(sorted(first), sorted(&samples));
            assert_eq!(sorted(second), sorted(&samples));
            assert_ne!(first, second);
            let same = |(one, other): &(&Sample, &Sample)| one == other;
            assert!(first.iter().zip(&samples).filter(same).count() < 100);
            // A run that begins in the middle continues in the same order.
            for skip in [100, 1_900, 2_000, 3_300] {
                assert_eq!(
                    take(&dataset, skip, 5),
                    take(&dataset, 0, 45)[skip as usize..][..500]
                );
            }
            drop(dataset);
            assert!(!dir.exists());
        }
    }

    #[test]
    fn lost_files_are_named() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let samples = fixtures::samples(500, 2);
        let blocked = scratch.path().join("file");
        fs::write(&blocked, "").expect("a writable directory");
        let error = ShuffleBuffer::new(500, 1000, &blocked, 5).expect_err("no directory");
        assert!(error.to_string().contains("file"), "{error}");

        let dir = scratch.path().join("shuffle");
        let dataset = dataset(&samples, 100 * BYTES_IN_MEMORY, &dir);
        fs::remove_file(dir.join("samples-00002")).expect("a file");
        let error = dataset.batches(0, 100, |_| true).expect_err("a lost file");
        assert!(error.to_string().contains("samples-00002"), "{error}");
    }
}
