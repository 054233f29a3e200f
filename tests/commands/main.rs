//! The commands of the program, and the builds that they belong to. `make test` runs these tests twice,
//! with the features of experiments and without.

mod features;
mod genfens;
mod kernels;
mod params;
