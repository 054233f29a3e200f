//! Memory for the intermediate values of a layered head, and the tables that fill it.

use crate::eval::network::{FIRST, GROUP, LANES};

/// The number of groups of products that come from a block of hidden units and its partner.
pub(super) const GROUPS: usize = LANES / GROUP;

/// Memory for the intermediate values of a layered head.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// The products of hidden units, `[H / GROUP]`, those of the side to move first, each at most
    /// [`QP`](crate::eval::network::QP).
    pub(super) products: Box<[[u8; GROUP]]>,
    /// The positions of the groups that are not all zero. They are written in whole registers, so
    /// there is room for one register more than the number of groups.
    pub(super) groups: Box<[u16]>,
}

impl Scratch {
    /// Allocates the memory for this number of groups.
    pub(super) fn with_groups(groups: usize) -> Self {
        Self {
            products: vec![[0; GROUP]; groups].into_boxed_slice(),
            groups: vec![0; groups + FIRST].into_boxed_slice(),
        }
    }

    /// Returns the products of the block with this number.
    #[inline(always)]
    pub(super) fn block(&mut self, number: usize) -> &mut [[u8; GROUP]] {
        &mut self.products[number * GROUPS..][..GROUPS]
    }
}

/// The positions of the set bits for every byte.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(super) static PLACES: [[u16; GROUPS]; 256] = {
    let mut places = [[0; GROUPS]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut count) = (0, 0);
        while bit < GROUPS {
            if byte >> bit & 1 == 1 {
                places[byte][count] = bit as u16;
                count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    places
};
