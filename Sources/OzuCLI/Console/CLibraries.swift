#if canImport(Glibc)
  // Not Foundation: it would make `stderr` a variable that Swift lets nobody touch.
  @preconcurrency import Glibc
#endif

/// The C libraries that decode pictures.
enum CLibraries {
  /// Sends what C libraries print to nowhere. libjxl 0.7, as Debian builds it, prints its source lines for every damaged
  /// file; an error of the load says the same in one line.
  ///
  /// The C stream `stderr` changes, not the descriptor behind it, to which the console writes, and the runtime of Swift
  /// when it ends the process. To be called before there is a second thread.
  static func silence() {
    #if canImport(Glibc)
      if let nowhere = fopen("/dev/null", "we") { stderr = nowhere }
    #endif
  }
}
