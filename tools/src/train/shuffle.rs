//! Samples in random order, all through each other, with as much memory as there is.
//!
//! What does not fit into memory is dealt out at random to files, each of which fits. A pass takes the files in random
//! order and each one's samples in random order. The order of a pass depends on the seed and its number only, so a
//! run may be taken up anywhere.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use rejoinder::types::Rng;

use super::TrainError;
use super::sample::Sample;

/// What a sample takes in memory: itself, and its place in the order.
pub const BYTES_IN_MEMORY: u64 = (size_of::<Sample>() + size_of::<u32>()) as u64;

/// Where samples are dealt to.
#[derive(Debug)]
pub struct ShuffleBuffer {
    deck: Batch,
    writers: Vec<BufWriter<File>>,
    rng: Rng,
}

/// All samples, ready to be dealt out pass after pass.
#[derive(Debug)]
pub struct Batch {
    heap: Heap,
    seed: u64,
}

#[derive(Debug)]
enum Heap {
    Memory(Vec<Sample>),
    Files(Files),
}

/// Files of samples in a directory of their own, which goes with them.
#[derive(Debug)]
struct Files {
    dir: PathBuf,
    /// Samples of each.
    counts: Vec<u64>,
}

impl Drop for Files {
    fn drop(&mut self) {
        // What is left is overwritten by the next run with the same output.
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
    /// For at most `upper_bound` samples and about so many bytes of memory; files go to `dir` if they are needed.
    ///
    /// # Errors
    /// If a file cannot be made.
    pub fn new(upper_bound: u64, memory: u64, dir: &Path, seed: u64) -> Result<Self, TrainError> {
        // An order counts in 32 bits. Chance fills some files more than others.
        let room = (memory / BYTES_IN_MEMORY).clamp(1, u64::from(u32::MAX));
        let mut writers = Vec::new();
        let heap = if upper_bound <= room {
            let mut samples = Vec::new();
            // A list that grows step by step would take twice the memory for a while. Pages that are not used cost nothing.
            let _ = samples.try_reserve_exact(upper_bound as usize);
            Heap::Memory(samples)
        } else {
            let count = upper_bound.div_ceil((room * 9 / 10).max(1)) as usize;
            let failed = |path: &Path, source| TrainError::Write {
                path: path.to_path_buf(),
                source,
            };
            fs::create_dir_all(dir).map_err(|source| failed(dir, source))?;
            let files = Files {
                dir: dir.to_path_buf(),
                counts: vec![0; count],
            };
            for number in 0..count {
                let path = files.path(number);
                let file = File::create(&path).map_err(|source| failed(&path, source))?;
                writers.push(BufWriter::new(file));
            }
            Heap::Files(files)
        };
        Ok(Self {
            deck: Batch { heap, seed },
            writers,
            rng: Rng::stream(seed, 0),
        })
    }

    /// Deals these out.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn add(&mut self, samples: &[Sample]) -> Result<(), TrainError> {
        match &mut self.deck.heap {
            Heap::Memory(all) => all.extend_from_slice(samples),
            Heap::Files(files) => {
                for sample in samples {
                    let number = self.rng.below(self.writers.len());
                    let result = self.writers[number].write_all(&sample.to_bytes());
                    result.map_err(|source| TrainError::Write {
                        path: files.path(number),
                        source,
                    })?;
                    files.counts[number] += 1;
                }
            }
        }
        Ok(())
    }

    /// All are there.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(self) -> Result<Batch, TrainError> {
        for (number, mut writer) in self.writers.into_iter().enumerate() {
            if let (Err(source), Heap::Files(files)) = (writer.flush(), &self.deck.heap) {
                let path = files.path(number);
                return Err(TrainError::Write { path, source });
            }
        }
        Ok(self.deck)
    }
}

impl Batch {
    /// Samples in all.
    pub fn len(&self) -> u64 {
        match &self.heap {
            Heap::Memory(samples) => samples.len() as u64,
            Heap::Files(files) => files.counts.iter().sum(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Files it is in; 0 if it is in memory.
    pub fn files(&self) -> usize {
        match &self.heap {
            Heap::Memory(_) => 0,
            Heap::Files(files) => files.counts.len(),
        }
    }

    /// Deals out one pass after the other, beginning behind the first `skip` samples of the run, in batches; until
    /// `take` refuses one.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn deal(
        &self,
        skip: u64,
        batch: usize,
        mut take: impl FnMut(Vec<Sample>) -> bool,
    ) -> Result<(), TrainError> {
        if self.is_empty() {
            return Ok(());
        }
        let mut left = (skip % self.len()) as usize;
        let mut hand = Vec::with_capacity(batch);
        for pass in skip / self.len().. {
            let mut rng = Rng::stream(self.seed, pass + 1);
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
                let samples = match &self.heap {
                    Heap::Memory(samples) => samples,
                    Heap::Files(files) => {
                        read = files.read(number)?;
                        &read
                    }
                };
                let mut order: Vec<u32> = (0..count as u32).collect();
                rng.shuffle(&mut order);
                for &at in &order[std::mem::take(&mut left)..] {
                    hand.push(samples[at as usize]);
                    if hand.len() == batch {
                        let full = std::mem::replace(&mut hand, Vec::with_capacity(batch));
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
        match &self.heap {
            Heap::Memory(samples) => samples.len(),
            Heap::Files(files) => files.counts[number] as usize,
        }
    }
}

impl Files {
    fn read(&self, number: usize) -> Result<Vec<Sample>, TrainError> {
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
        fill().map_err(|source| TrainError::Read { path, source })?;
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::fixtures;

    /// A deck of these, in memory or in files.
    fn deck(samples: &[Sample], memory: u64, dir: &Path) -> Batch {
        let mut dealer = ShuffleBuffer::new(samples.len() as u64, memory, dir, 5).expect("room");
        for part in samples.chunks(300) {
            dealer.add(part).expect("room");
        }
        dealer.finish().expect("room")
    }

    /// So many batches of 100.
    fn deal(deck: &Batch, skip: u64, batches: usize) -> Vec<Sample> {
        let mut all = Vec::new();
        let take = |batch: Vec<Sample>| {
            assert_eq!(batch.len(), 100);
            all.extend(batch);
            all.len() < batches * 100
        };
        deck.deal(skip, 100, take).expect("samples");
        all
    }

    fn sorted(samples: &[Sample]) -> Vec<[u8; Sample::BYTES]> {
        let mut bytes: Vec<_> = samples.iter().map(Sample::to_bytes).collect();
        bytes.sort_unstable();
        bytes
    }

    #[test]
    fn each_pass_has_every_sample_once_in_another_order() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let dir = scratch.path().join("shuffle");
        let samples = fixtures::samples(2_000, 1);
        for (memory, files) in [(1 << 20, 0), (300 * BYTES_IN_MEMORY, 8)] {
            let deck = deck(&samples, memory, &dir);
            assert_eq!((deck.len(), deck.files()), (2_000, files));
            assert_eq!(dir.exists(), files > 0);
            let passes = deal(&deck, 0, 40);
            let (first, second) = passes.split_at(2_000);
            assert_eq!(sorted(first), sorted(&samples));
            assert_eq!(sorted(second), sorted(&samples));
            assert_ne!(first, second);
            let same = |(one, other): &(&Sample, &Sample)| one == other;
            assert!(first.iter().zip(&samples).filter(same).count() < 100);
            // Taken up anywhere, it goes on as it would have.
            for skip in [100, 1_900, 2_000, 3_300] {
                assert_eq!(
                    deal(&deck, skip, 5),
                    deal(&deck, 0, 45)[skip as usize..][..500]
                );
            }
            drop(deck);
            assert!(!dir.exists());
        }
    }

    #[test]
    fn lost_files_are_named() {
        let scratch = tempfile::tempdir().expect("a temporary directory");
        let samples = fixtures::samples(500, 2);
        let blocked = scratch.path().join("file");
        fs::write(&blocked, "").expect("room");
        let error = ShuffleBuffer::new(500, 1000, &blocked, 5).expect_err("no directory");
        assert!(error.to_string().contains("file"), "{error}");

        let dir = scratch.path().join("shuffle");
        let deck = deck(&samples, 100 * BYTES_IN_MEMORY, &dir);
        fs::remove_file(dir.join("samples-00002")).expect("a file");
        let error = deck.deal(0, 100, |_| true).expect_err("a lost file");
        assert!(error.to_string().contains("samples-00002"), "{error}");
    }
}
