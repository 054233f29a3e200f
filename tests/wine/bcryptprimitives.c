/* Stand-in for a system library that wine 8 lacks and Rust's standard library asks for: one function, random bytes.
   Only for tests under wine: `make check-dist` builds it into target/wine. Windows has the real one. */

#include <windows.h>

/* RtlGenRandom goes by this name. */
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length)
{
    while (length > 0) {
        ULONG part = length > 0x10000 ? 0x10000 : (ULONG)length;
        if (!SystemFunction036(data, part))
            return FALSE;
        data += part;
        length -= part;
    }
    return TRUE;
}
