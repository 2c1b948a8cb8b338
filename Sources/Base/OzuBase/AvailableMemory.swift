#if os(iOS) || os(tvOS) || os(visionOS) || OZU_CHECK_APPLE
  import os
#endif

/// The bytes that this process may still take before the system ends it, at the moment of the call. `nil` where the system has no
/// such limit, or does not say: on Linux and on a Mac, and in the Simulator.
///
/// For a widget or an extension it is far below the memory of the machine.
package func availableProcessMemory() -> Int? {
  #if os(iOS) || os(tvOS) || os(visionOS) || OZU_CHECK_APPLE
    // 0 means that there is no limit.
    let available = os_proc_available_memory()
    return available > 0 ? available : nil
  #else
    return nil
  #endif
}
