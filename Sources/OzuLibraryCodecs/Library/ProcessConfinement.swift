#if os(Linux)
  import CCodecs

  /// The limits of a process that decodes the file of a stranger for its parent.
  package enum ProcessConfinement {
    /// Limits this process for good: it ends with the thread that started it, and takes no more than so much processor
    /// time and memory from now on.
    ///
    /// - Parameter parent: the process that must be the parent still.
    /// - Returns: whether all limits are in force; the caller ends the process if not.
    package static func begin(parent: Int32, cpuSeconds: Int, memoryByteCount: Int) -> Bool {
      ozu_process_confine(parent, UInt64(clamping: cpuSeconds), UInt64(clamping: memoryByteCount))
    }
  }
#endif
