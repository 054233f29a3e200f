//! Large blocks of memory, and prefetching: what differs between operating systems and processors.
//!
//! The transposition table may take most of a machine's memory. It is mapped instead of allocated,
//! so that its pages do not exist before a worker touches them. All workers share the clearing, and
//! each page is placed near the worker that cleared it.

use std::fmt;
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The number of bytes in a megabyte, as the `Hash` option counts them.
pub(crate) const MEGABYTE: usize = 1 << 20;

/// The reason why memory is refused.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// More than 90% of the available memory was requested. The rest is left to the system, the
    /// workers and the GUI.
    #[error("cannot use {} MB: only 90% of the available {} MB may be used", megabytes(*.asked), megabytes(*.available))]
    TooMuch {
        /// The number of bytes requested.
        asked: usize,
        /// The number of bytes available.
        available: usize,
    },
    /// The system refused the memory, because of a user limit or for lack of address space.
    #[error("the system refused {} MB: {reason}", megabytes(*.asked))]
    Refused {
        /// The number of bytes requested.
        asked: usize,
        /// The error of the system.
        reason: io::Error,
    },
}

fn megabytes(bytes: usize) -> usize {
    bytes.div_ceil(MEGABYTE)
}

/// Types for which all zero bits are a valid value and that need no drop.
///
/// # Safety
/// All zero bits must be a valid value of the type, and it must not implement `Drop`.
pub unsafe trait Zeroed {}

// SAFETY: it has the representation of a `u64`.
unsafe impl Zeroed for AtomicU64 {}

// SAFETY: zero is a number.
unsafe impl Zeroed for i16 {}

// SAFETY: zero is a number.
unsafe impl Zeroed for u64 {}

// SAFETY: an array is its elements and nothing else.
unsafe impl<T: Zeroed, const N: usize> Zeroed for [T; N] {}

/// A slice in a memory mapping, initially zero. The mapping is returned to the system when all its
/// slices are dropped.
pub struct Mapped<T: Zeroed> {
    start: *mut T,
    len: usize,
    /// Owns the mapping, for its drop.
    region: Arc<system::Region>,
}

impl<T: Zeroed> Mapped<T> {
    /// Maps `len` elements, which are zero and not touched yet. They begin at the start of a page
    /// of at least 4,096 bytes.
    ///
    /// # Errors
    /// [`MemoryError::TooMuch`] above 90% of the available memory, if the system tells how much
    /// that is, and [`MemoryError::Refused`] if the system refuses.
    pub fn new(len: usize) -> Result<Self, MemoryError> {
        const { assert!(align_of::<T>() <= system::ALIGNMENT) };
        let asked = len.saturating_mul(size_of::<T>());
        permit(asked, system::available())?;
        let region = if isize::try_from(asked).is_ok() {
            system::Region::new(asked)
        } else {
            // A slice cannot be longer than `isize::MAX` bytes.
            Err(io::ErrorKind::OutOfMemory.into())
        };
        let region = region.map_err(|reason| MemoryError::Refused { asked, reason })?;
        Ok(Self {
            start: region.start().cast(),
            len,
            region: Arc::new(region),
        })
    }
}

impl<T: Zeroed> Mapped<T> {
    /// Returns a remark about the size of the pages, on systems where it depends on the rights of
    /// the user.
    pub fn page_remark(&self) -> Option<&'static str> {
        #[cfg(windows)]
        return Some(self.region.page_remark());
        #[cfg(not(windows))]
        None
    }
}

/// A mapping that several slices share, so that they all fit into a few huge pages.
#[derive(Debug)]
pub struct Arena {
    /// The memory that is still free.
    free: Mapped<CacheLine>,
}

/// The unit of which the slices of an arena are made.
type CacheLine = [u64; 8];

impl Arena {
    /// Creates an arena of this many bytes. Slices are rounded up to whole cache lines.
    ///
    /// # Panics
    /// If there is not enough memory.
    pub fn new(bytes: usize) -> Self {
        let free = Mapped::new(bytes.div_ceil(size_of::<CacheLine>()));
        Self {
            free: free.expect("not enough memory for the tables of a worker"),
        }
    }

    /// Takes a slice of `len` zeros out of the arena.
    ///
    /// # Panics
    /// If the arena is too small.
    pub fn take<T: Zeroed>(&mut self, len: usize) -> Mapped<T> {
        const { assert!(align_of::<T>() <= size_of::<CacheLine>()) };
        let lines = (len * size_of::<T>()).div_ceil(size_of::<CacheLine>());
        assert!(lines <= self.free.len, "the arena is too small");
        let start = self.free.start;
        self.free.start = start.wrapping_add(lines);
        self.free.len -= lines;
        Mapped {
            start: start.cast(),
            len,
            region: Arc::clone(&self.free.region),
        }
    }
}

/// Checks whether this many bytes may be requested, by mapping or by allocation.
///
/// # Errors
/// [`MemoryError::TooMuch`] above 90% of the available memory, if the system tells how much that
/// is.
pub fn check(bytes: usize) -> Result<(), MemoryError> {
    permit(bytes, system::available())
}

/// Checks that the system would provide this many bytes of address space now, by asking for them
/// and giving them back untouched.
///
/// # Errors
/// As [`Mapped::new`].
pub fn try_reserve(bytes: usize) -> Result<(), MemoryError> {
    permit(bytes, system::available())?;
    // Large pages would be cleared at once, for nothing.
    #[cfg(windows)]
    let region = system::Region::of_normal_pages(bytes);
    #[cfg(not(windows))]
    let region = system::Region::new(bytes);
    region.map(drop).map_err(|reason| MemoryError::Refused {
        asked: bytes,
        reason,
    })
}

/// Refuses more than 90% of the available memory. If that is unknown, nothing is refused.
fn permit(asked: usize, available: Option<usize>) -> Result<(), MemoryError> {
    match available {
        Some(available) if asked > available / 10 * 9 => {
            Err(MemoryError::TooMuch { asked, available })
        }
        _ => Ok(()),
    }
}

impl<T: Zeroed> Deref for Mapped<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the region holds `len` elements, at most `isize::MAX` bytes, for as long as
        // `self` lives. They are aligned for `T`, zeroes are valid values of it, and no other
        // `Mapped` has them: a `&mut` to them borrows `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl<T: Zeroed> DerefMut for Mapped<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above; `self` is borrowed for as long as the slice is.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

// SAFETY: a region only knows where its mapping is, and the mapping belongs to no thread.
unsafe impl Send for system::Region {}

// SAFETY: as above; a region does not change before its drop.
unsafe impl Sync for system::Region {}

// SAFETY: a `Mapped` owns its elements as a `Box<[T]>` does; the mapping belongs to no thread.
unsafe impl<T: Zeroed + Send> Send for Mapped<T> {}

// SAFETY: it gives out `&[T]`, and `&mut [T]` only through exclusive access to itself.
unsafe impl<T: Zeroed + Sync> Sync for Mapped<T> {}

impl<T: Zeroed> fmt::Debug for Mapped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mapped")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

/// Asks the processor to load the cache line where `place` begins. This is only a hint: it affects
/// nothing but time.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    let place = std::ptr::from_ref(place);
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64, and a prefetch neither faults nor writes.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) }
    }
    #[cfg(target_arch = "aarch64")]
    {
        // SAFETY: a prefetch neither faults nor writes, and this one leaves stack and flags alone.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{}]", in(reg) place, options(nostack, preserves_flags, readonly));
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = place;
}

/// Memory mappings on Linux, macOS and other Unix systems.
#[cfg(unix)]
mod system {
    use std::io;

    /// The size of a huge page on x86-64 and with most aarch64 kernels.
    const HUGE_PAGE: usize = 2 << 20;

    pub(super) const ALIGNMENT: usize = HUGE_PAGE;

    pub(super) struct Region {
        mapping: *mut libc::c_void,
        length: usize,
    }

    impl Region {
        pub(super) fn new(bytes: usize) -> io::Result<Self> {
            // One additional huge page makes it possible to start at the boundary of a huge page.
            let whole = bytes.checked_next_multiple_of(HUGE_PAGE).unwrap_or(bytes);
            let length = whole.saturating_add(HUGE_PAGE);
            // SAFETY: a new private mapping at an address of the system's choice touches nothing
            // that exists.
            let mapping = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    length,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANON,
                    -1,
                    0,
                )
            };
            if mapping == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            let region = Self { mapping, length };
            // If the kernel ignores the advice, small pages are used.
            #[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
            // SAFETY: the range lies in the mapping above and begins at a page.
            unsafe {
                libc::madvise(region.start().cast(), whole, libc::MADV_HUGEPAGE);
            }
            Ok(region)
        }

        pub(super) fn start(&self) -> *mut u8 {
            let padding = self.mapping.addr().wrapping_neg() % HUGE_PAGE;
            self.mapping.cast::<u8>().wrapping_add(padding)
        }
    }

    impl Drop for Region {
        fn drop(&mut self) {
            // SAFETY: the whole mapping is ours, and its owner is gone.
            unsafe {
                libc::munmap(self.mapping, self.length);
            }
        }
    }

    /// Returns the memory in bytes that can be used without swapping, or the limit of the control
    /// group if that is lower.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn available() -> Option<usize> {
        let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
        let free = mem_available(&meminfo);
        free.into_iter().chain(control_group_limits()).min()
    }

    /// `MemAvailable` of `/proc/meminfo`, in bytes.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn mem_available(meminfo: &str) -> Option<usize> {
        let line = meminfo
            .lines()
            .find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kilobytes: usize = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
        kilobytes.checked_mul(1024)
    }

    /// Returns the memory limits in bytes of the control groups (version 2) of this process, the
    /// innermost first. What a group already uses is ignored, since most of it may be cached files
    /// that the kernel can drop.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn control_group_limits() -> Vec<usize> {
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let Some(group) = groups.lines().find_map(|line| line.strip_prefix("0::/")) else {
            return Vec::new();
        };
        std::path::Path::new("/sys/fs/cgroup")
            .join(group)
            .ancestors()
            .take_while(|folder| folder.starts_with("/sys/fs/cgroup"))
            .filter_map(|folder| std::fs::read_to_string(folder.join("memory.max")).ok())
            .filter_map(|limit| limit.trim().parse().ok())
            .collect()
    }

    /// Returns the memory of the machine in bytes.
    #[cfg(target_vendor = "apple")]
    pub(super) fn available() -> Option<usize> {
        // SAFETY: `sysconf` only reads.
        let [pages, page] =
            [libc::_SC_PHYS_PAGES, libc::_SC_PAGESIZE].map(|name| unsafe { libc::sysconf(name) });
        let [pages, page] = [pages, page].map(usize::try_from);
        pages.ok()?.checked_mul(page.ok()?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    pub(super) fn available() -> Option<usize> {
        None
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::c_void;
    use std::io;
    use std::ptr;
    use std::sync::OnceLock;

    use windows_sys::Win32::Foundation::{CloseHandle, ERROR_SUCCESS, HANDLE};
    use windows_sys::Win32::Security::{
        AdjustTokenPrivileges, LookupPrivilegeValueW, SE_LOCK_MEMORY_NAME, SE_PRIVILEGE_ENABLED,
        TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES, TOKEN_QUERY,
    };
    use windows_sys::Win32::System::Memory::{
        GetLargePageMinimum, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE,
        VirtualAlloc, VirtualFree,
    };
    use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
    use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

    /// The size of a normal page. Large pages are aligned to their own size.
    pub(super) const ALIGNMENT: usize = 4096;

    pub(super) struct Region {
        start: *mut c_void,
        has_large_pages: bool,
    }

    impl Region {
        /// Asks for large pages if the user may lock pages in memory, and for normal pages if there
        /// are no large ones.
        pub(super) fn new(bytes: usize) -> io::Result<Self> {
            if let Some(page) = large_page()
                && bytes >= page
                && let Some(whole) = bytes.checked_next_multiple_of(page)
                && let Ok(region) = Self::of_kind(whole, MEM_LARGE_PAGES)
            {
                return Ok(region);
            }
            Self::of_normal_pages(bytes)
        }

        pub(super) fn of_normal_pages(bytes: usize) -> io::Result<Self> {
            Self::of_kind(bytes.max(1), 0)
        }

        /// Reserves memory in pages of the normal size (`large` is 0) or in large ones
        /// (`MEM_LARGE_PAGES`).
        fn of_kind(bytes: usize, large: u32) -> io::Result<Self> {
            // SAFETY: a new allocation at an address of the system's choice touches nothing that
            // exists.
            let start = unsafe {
                VirtualAlloc(
                    ptr::null(),
                    bytes,
                    MEM_RESERVE | MEM_COMMIT | large,
                    PAGE_READWRITE,
                )
            };
            if start.is_null() {
                return Err(io::Error::last_os_error());
            }
            Ok(Self {
                start,
                has_large_pages: large != 0,
            })
        }

        pub(super) fn start(&self) -> *mut u8 {
            self.start.cast()
        }

        pub(super) fn page_remark(&self) -> &'static str {
            if self.has_large_pages {
                "large pages are used"
            } else if large_page().is_some() {
                "large pages are not used, because too few of them are free"
            } else {
                "large pages are not used, because the user does not hold the right 'Lock pages in memory'"
            }
        }
    }

    /// Returns the size of a large page in bytes, or `None` if the user may not use them.
    fn large_page() -> Option<usize> {
        static SIZE: OnceLock<Option<usize>> = OnceLock::new();
        *SIZE.get_or_init(|| {
            // SAFETY: the function only reads.
            let size = unsafe { GetLargePageMinimum() };
            (size > 0 && may_lock_pages()).then_some(size)
        })
    }

    /// Switches on the right to lock pages in memory, and returns whether the user holds it.
    // Source: https://learn.microsoft.com/en-us/windows/win32/memory/large-page-support
    fn may_lock_pages() -> bool {
        let mut token: HANDLE = ptr::null_mut();
        let access = TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY;
        // SAFETY: the function writes a handle to where the pointer says.
        if unsafe { OpenProcessToken(GetCurrentProcess(), access, &raw mut token) } == 0 {
            return false;
        }
        let mut rights = TOKEN_PRIVILEGES {
            PrivilegeCount: 1,
            ..TOKEN_PRIVILEGES::default()
        };
        rights.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
        let number = &raw mut rights.Privileges[0].Luid;
        // SAFETY: the name ends with a zero, and the function writes a number to `number`.
        let known = unsafe { LookupPrivilegeValueW(ptr::null(), SE_LOCK_MEMORY_NAME, number) } != 0;
        let held = known && {
            // SAFETY: the token was opened for this, `rights` has one right as it says, and the
            // earlier state is not asked for.
            let adjusted = unsafe {
                AdjustTokenPrivileges(
                    token,
                    0,
                    &raw const rights,
                    0,
                    ptr::null_mut(),
                    ptr::null_mut(),
                )
            };
            // The call also succeeds if the right is not held; then there is an error nevertheless.
            let error = io::Error::last_os_error().raw_os_error();
            adjusted != 0 && error == Some(ERROR_SUCCESS as i32)
        };
        // SAFETY: the token is open, and nothing uses it afterwards.
        unsafe { CloseHandle(token) };
        held
    }

    impl Drop for Region {
        fn drop(&mut self) {
            // SAFETY: the allocation is ours, and its owner is gone. A release takes the whole of
            // it, length 0.
            unsafe {
                VirtualFree(self.start, 0, MEM_RELEASE);
            }
        }
    }

    /// Returns the physical memory that is free now, in bytes.
    pub(super) fn available() -> Option<usize> {
        let mut status = MEMORYSTATUSEX {
            dwLength: size_of::<MEMORYSTATUSEX>() as u32,
            ..MEMORYSTATUSEX::default()
        };
        // SAFETY: the pointer is to a status of ours that says its own length.
        let known = unsafe { GlobalMemoryStatusEx(&raw mut status) } != 0;
        known.then(|| usize::try_from(status.ullAvailPhys).unwrap_or(usize::MAX))
    }
}

/// On any other system memory comes from the allocator of the standard library.
#[cfg(not(any(unix, windows)))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::io;

    pub(super) const ALIGNMENT: usize = 4096;

    pub(super) struct Region {
        start: *mut u8,
        layout: Layout,
    }

    impl Region {
        pub(super) fn new(bytes: usize) -> io::Result<Self> {
            let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT)
                .map_err(|_| io::ErrorKind::OutOfMemory)?;
            // SAFETY: the layout is not empty.
            let start = unsafe { alloc_zeroed(layout) };
            if start.is_null() {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            Ok(Self { start, layout })
        }

        pub(super) fn start(&self) -> *mut u8 {
            self.start
        }
    }

    impl Drop for Region {
        fn drop(&mut self) {
            // SAFETY: it was allocated with this very layout, and its owner is gone.
            unsafe { dealloc(self.start, self.layout) }
        }
    }

    pub(super) fn available() -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn a_mapping_is_zero_aligned_and_writable_to_its_ends() {
        for len in [1, 511, 512, 131_072, 300_001] {
            let words = Mapped::<AtomicU64>::new(len).expect("cannot map a few MB");
            assert_eq!(words.len(), len);
            assert!(words.as_ptr().addr().is_multiple_of(system::ALIGNMENT));
            assert!(words.iter().all(|word| word.load(Relaxed) == 0));
            words[0].store(1, Relaxed);
            words[len - 1].store(2, Relaxed);
            assert_eq!(words[len - 1].load(Relaxed), 2);
        }
    }

    #[test]
    fn the_slices_of_an_arena_are_apart() {
        let mut arena = Arena::new(3 * 64);
        let mut bytes = arena.take::<i16>(33);
        let mut words = arena.take::<u64>(8);
        drop(arena);
        bytes.fill(-1);
        assert!(words.iter().all(|&word| word == 0));
        words.fill(u64::MAX);
        bytes.fill(0);
        assert!(words.iter().all(|&word| word == u64::MAX));
        assert!(words.as_ptr().addr().is_multiple_of(64));
    }

    #[test]
    #[should_panic(expected = "the arena is too small")]
    fn an_arena_gives_no_more_than_it_has() {
        let mut arena = Arena::new(2 * 64);
        let _first = arena.take::<i16>(1);
        arena.take::<u64>(9);
    }

    #[test]
    fn no_more_than_nine_tenths_of_the_memory_is_taken() {
        assert!(permit(900, Some(1000)).is_ok());
        assert!(permit(usize::MAX, None).is_ok());
        let error =
            permit(901 * MEGABYTE, Some(1000 * MEGABYTE)).expect_err("more than 90% were granted");
        assert_eq!(
            error.to_string(),
            "cannot use 901 MB: only 90% of the available 1000 MB may be used"
        );
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri aborts when the system refuses memory")]
    fn what_no_machine_has_is_refused() {
        assert!(Mapped::<AtomicU64>::new(usize::MAX).is_err());
        assert!(Mapped::<AtomicU64>::new(usize::MAX / 16).is_err());
        // The system itself refuses as well when this program does not check first.
        #[cfg(target_pointer_width = "64")]
        assert!(system::Region::new(1 << 60).is_err());
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    #[test]
    fn meminfo_is_understood() {
        let meminfo =
            "MemTotal:  16000 kB\nMemFree: 1 kB\nMemAvailable:    8000 kB\nBuffers: 2 kB\n";
        assert_eq!(system::mem_available(meminfo), Some(8_192_000));
        assert_eq!(system::mem_available("MemTotal: 16000 kB\n"), None);
        assert_eq!(system::mem_available("MemAvailable: much\n"), None);
        assert!(system::available().is_some_and(|bytes| bytes > MEGABYTE));
    }
}
