//! The weights that a run begins with, if they are not random.

use std::path::{Path, PathBuf};

use anyhow::bail;
use rejoinder::eval::network::{self, Architecture, Network, Weights};

use super::checkpoint::{self, ExactWeights};
use super::model::Shape;
use super::quantize;

/// A network to continue from.
#[derive(Debug)]
pub struct Origin {
    path: PathBuf,
    weights: OriginWeights,
}

#[derive(Debug)]
enum OriginWeights {
    /// Those of a network file, which are rounded.
    Rounded(Weights),
    /// Those of a checkpoint or of a file of unrounded weights.
    Exact(ExactWeights),
}

impl Origin {
    /// Reads a network file, a checkpoint, or a file of unrounded weights.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let weights = match checkpoint::load_weights(path)? {
            Some(exact) => OriginWeights::Exact(exact),
            None => OriginWeights::Rounded(network::load_weights(path)?),
        };
        Ok(Self {
            path: path.to_path_buf(),
            weights,
        })
    }

    /// Returns the architecture of the network.
    pub fn architecture(&self) -> Architecture {
        match &self.weights {
            OriginWeights::Rounded(weights) => weights.architecture,
            OriginWeights::Exact(exact) => exact.settings.architecture(),
        }
    }

    /// Name of the network, or checksum of the unrounded weights.
    ///
    /// # Errors
    /// If the weights cannot be a network.
    pub fn name(&self) -> anyhow::Result<String> {
        Ok(match &self.weights {
            OriginWeights::Rounded(weights) => Network::new(weights)?.name(),
            OriginWeights::Exact(exact) => exact.name.clone(),
        })
    }

    /// Returns the weights in a shape that the network grows into.
    ///
    /// # Errors
    /// If unrounded weights would have to grow.
    pub fn initial(&self, shape: Shape, seed: u64) -> anyhow::Result<Vec<f32>> {
        match &self.weights {
            OriginWeights::Rounded(weights) => Ok(quantize::grow(weights, shape, seed)),
            OriginWeights::Exact(exact) if self.architecture() == shape.0 => {
                Ok(exact.network.clone())
            }
            OriginWeights::Exact(_) => bail!(
                "{} is {}, and unrounded weights cannot become {}: continue from the network file \
                 beside them",
                self.path.display(),
                self.architecture(),
                shape.0
            ),
        }
    }
}
