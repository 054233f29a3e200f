//! Scheduling of threads that mostly wait but must react at once: the system is asked to run them
//! before workers that occupy every core.

/// Asks for short time slices for the calling thread, so that it does not wait for the long slices
/// of others to end. If the system does not support this, nothing changes. Threads that it starts
/// do not inherit the setting.
// Source: https://docs.kernel.org/scheduler/sched-eevdf.html
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn low_latency() {
    /// The shortest possible time slice, in nanoseconds.
    const SLICE: u64 = 100_000;

    // SAFETY: all zeros are a valid value of these integers.
    let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
    let size = size_of_val(&attributes) as u32;
    // SAFETY: the kernel writes at most `size` bytes there; 0 is the calling thread.
    let known =
        unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) == 0 };
    // The niceness is kept. If the thread has another policy, everything is kept.
    if known && attributes.sched_policy == libc::SCHED_OTHER as u32 {
        attributes.sched_flags = libc::SCHED_FLAG_RESET_ON_FORK as u64;
        attributes.sched_runtime = SLICE;
        // SAFETY: the kernel reads the size that it wrote before; 0 is the calling thread.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    }
}

/// Asks to run the calling thread before those of normal priority. Threads that it starts do not
/// inherit the setting.
#[cfg(windows)]
pub fn low_latency() {
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_ABOVE_NORMAL,
    };

    // SAFETY: the calling thread exists.
    unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_ABOVE_NORMAL) };
}

/// Does nothing on other systems.
#[cfg(not(any(target_os = "linux", target_os = "android", windows)))]
pub fn low_latency() {}
