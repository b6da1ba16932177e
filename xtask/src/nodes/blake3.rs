//! BLAKE3 (version 1, the hash alone), written from its paper: the chore counts a prompt's fingerprint itself and does not
//! take the service's word for it.

const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
const ORDER: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
const BLOCK: usize = 64;
const CHUNK: usize = 1024;
const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;

/// Returns the digest as 64 hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let words = node(bytes, 0, ROOT);
    words.iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

/// The chaining value of a subtree whose first chunk has this number. `root` is [`ROOT`] for the whole tree, else 0.
fn node(bytes: &[u8], first: u64, root: u32) -> [u32; 8] {
    if bytes.len() <= CHUNK {
        return chunk(bytes, first, root);
    }
    // The left side holds the largest power of two of whole chunks that leaves something for the right.
    let chunks = (bytes.len() - 1) / CHUNK;
    let left = 1 << chunks.ilog2();
    let (before, after) = bytes.split_at(left * CHUNK);
    let mut block = [0; 16];
    block[..8].copy_from_slice(&node(before, first, 0));
    block[8..].copy_from_slice(&node(after, first + left as u64, 0));
    compress(IV, block, 0, BLOCK, PARENT | root)
}

fn chunk(bytes: &[u8], number: u64, root: u32) -> [u32; 8] {
    let mut value = IV;
    let blocks = bytes.len().div_ceil(BLOCK).max(1);
    for at in 0..blocks {
        let piece = &bytes[at * BLOCK..bytes.len().min((at + 1) * BLOCK)];
        let mut padded = [0; BLOCK];
        padded[..piece.len()].copy_from_slice(piece);
        let mut words = [0; 16];
        for (word, four) in words.iter_mut().zip(padded.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*four);
        }
        let mut flags = if at == 0 { CHUNK_START } else { 0 };
        if at + 1 == blocks {
            flags |= CHUNK_END | root;
        }
        value = compress(value, words, number, piece.len(), flags);
    }
    value
}

#[allow(clippy::cast_possible_truncation)]
fn compress(value: [u32; 8], mut block: [u32; 16], counter: u64, length: usize, flags: u32) -> [u32; 8] {
    let mut state = [0; 16];
    state[..8].copy_from_slice(&value);
    state[8..12].copy_from_slice(&IV[..4]);
    state[12..].copy_from_slice(&[counter as u32, (counter >> 32) as u32, length as u32, flags]);
    for round in 0..7 {
        if round > 0 {
            block = ORDER.map(|from| block[from]);
        }
        for column in 0..4 {
            mix(&mut state, [column, column + 4, column + 8, column + 12], &block[2 * column..]);
        }
        for step in 0..4 {
            let diagonal = [step, 4 + (step + 1) % 4, 8 + (step + 2) % 4, 12 + (step + 3) % 4];
            mix(&mut state, diagonal, &block[8 + 2 * step..]);
        }
    }
    std::array::from_fn(|at| state[at] ^ state[at + 8])
}

fn mix(state: &mut [u32; 16], [a, b, c, d]: [usize; 4], words: &[u32]) {
    for (word, turn, twist) in [(words[0], 16, 12), (words[1], 8, 7)] {
        state[a] = state[a].wrapping_add(state[b]).wrapping_add(word);
        state[d] = (state[d] ^ state[a]).rotate_right(turn);
        state[c] = state[c].wrapping_add(state[d]);
        state[b] = (state[b] ^ state[c]).rotate_right(twist);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_official_vectors() {
        for (length, digest) in VECTORS {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            assert_eq!(hex(&bytes), digest, "{length} bytes");
        }
    }

    /// From BLAKE3's `test_vectors.json`: so many bytes, 0 to 250 again and again.
    const VECTORS: [(usize, &str); 13] = [
        (0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
        (1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"),
        (63, "e9bc37a594daad83be9470df7f7b3798297c3d834ce80ba85d6e207627b7db7b"),
        (64, "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98"),
        (65, "de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee"),
        (1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11"),
        (1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"),
        (1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"),
        (2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a"),
        (2049, "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030"),
        (3072, "b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2"),
        (5121, "628bd2cb2004694adaab7bbd778a25df25c47b9d4155a55f8fbd79f2fe154cff"),
        (31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"),
    ];
}
