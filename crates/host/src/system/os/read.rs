//! Reads an open file, never more than allowed.

use super::{error::read_error, stat};
use crate::system::{FileKind, FileRead, ReadError, Stat};
use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// Reads all of `file`, a handle that does not block, if it is a regular file of at most `limit` bytes.
pub(super) fn read_bounded(file: &File, limit: u64) -> Result<FileRead, ReadError> {
    let stat = regular(file)?;
    if stat.len > limit {
        return Err(ReadError::TooLarge { size: stat.len, limit });
    }
    let bytes = read_up_to(file, stat.len, limit.saturating_add(1))?;
    let len = bytes.len() as u64;
    if len > limit {
        let size = file.metadata().map_or(len, |metadata| metadata.len().max(len));
        return Err(ReadError::TooLarge { size, limit });
    }
    Ok(FileRead { bytes: bytes.into(), stat })
}

/// Reads the first `limit` bytes of `file`, as [`read_bounded`] does otherwise.
pub(super) fn head(file: &File, limit: u64) -> Result<FileRead, ReadError> {
    let stat = regular(file)?;
    let bytes = read_up_to(file, stat.len, limit)?;
    Ok(FileRead { bytes: bytes.into(), stat })
}

/// Reads at most `most` bytes. The size of the handle, `size`, is a hint.
fn read_up_to(file: &File, size: u64, most: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    // One byte more, so that the end of a usual file is seen in the room that is there.
    let room = usize::try_from(size.saturating_add(1).min(most)).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(room).map_err(|_| ReadError::Other(format!("no memory for {room} bytes")))?;
    file.take(most).read_to_end(&mut bytes).map_err(|error| of(&error))?;
    // A file that grows while it is read makes more room than it may fill.
    bytes.shrink_to(usize::try_from(most).unwrap_or(usize::MAX));
    Ok(bytes)
}

/// Returns what is known of a regular file that is not one of the kernel's.
fn regular(file: &File) -> Result<Stat, ReadError> {
    let stat = stat::stat_of(&file.metadata().map_err(|error| of(&error))?);
    if stat.kind != FileKind::File {
        return Err(ReadError::Kind(stat.kind));
    }
    if is_of_the_kernel(file) {
        return Err(ReadError::Kind(FileKind::Special));
    }
    Ok(stat)
}

/// Returns true for a file of `/proc`, `/sys` and similar file systems, wherever they are mounted: it is no
/// user file, can hold what the process knows (its environment), and reading it can have effects.
#[cfg(any(target_os = "linux", target_os = "android"))]
#[allow(clippy::unnecessary_cast, reason = "the field has another type on other platforms")]
fn is_of_the_kernel(file: &File) -> bool {
    // Those of `linux/magic.h`: proc, sysfs, debugfs, tracefs, securityfs, selinuxfs, cgroup, cgroup2, configfs, bpf,
    // pstore, efivarfs, devpts.
    const KERNEL: [i64; 13] = [
        0x9fa0,
        0x6265_6572,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0xf97c_ff8c,
        0x0027_e0eb,
        0x6367_7270,
        0x6265_6570,
        0xcafe_4a11,
        0x6165_676c,
        0xde5e_81e4,
        0x1cd1,
    ];
    // The field has another width and sign on each platform; the numbers have 32 bits.
    rustix::fs::fstatfs(file).is_ok_and(|found| KERNEL.contains(&(found.f_type as i64 & 0xffff_ffff)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_of_the_kernel(_file: &File) -> bool {
    false
}

fn of(error: &io::Error) -> ReadError {
    read_error(Path::new(""), error)
}
