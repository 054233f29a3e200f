//! Threads that mostly wait, and should be heard at once when they do not: the scheduler is asked to let them go before
//! workers that fill every core.

/// Asks for short time slices for the calling thread, which then need not wait for long ones to end. A request: where the system
/// knows nothing of the kind, nothing changes. Threads that it starts do not inherit it.
// Source: https://docs.kernel.org/scheduler/sched-eevdf.html: of those to whom time is due, the one with the earliest deadline runs
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn low_latency() {
    /// The shortest slice there is, nanoseconds.
    const SLICE: u64 = 100_000;

    // SAFETY: all zeros are a valid value of these integers.
    let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
    let size = size_of_val(&attributes) as u32;
    // SAFETY: the kernel writes at most `size` bytes there; 0 is the calling thread.
    let known =
        unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) == 0 };
    // Niceness stays, and so does all of it where somebody chose another policy.
    if known && attributes.sched_policy == libc::SCHED_OTHER as u32 {
        attributes.sched_flags = libc::SCHED_FLAG_RESET_ON_FORK as u64;
        attributes.sched_runtime = SLICE;
        // SAFETY: the kernel reads the size that it wrote before; 0 is the calling thread.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    }
}

/// Asks for the calling thread to go before those of normal priority. Threads that it starts do not inherit it.
#[cfg(windows)]
pub fn low_latency() {
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_ABOVE_NORMAL,
    };

    // SAFETY: the calling thread exists.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_ABOVE_NORMAL) };
}

/// Nothing of the kind is known of this system.
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
pub fn low_latency() {}
