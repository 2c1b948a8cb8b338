#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Handles things that have the name of a file of the cache but cannot be opened as one.
extension SegmentStore {
  /// Opens, locks, makes or replaces a file. If an obstacle has its name, frees the name and tries once more.
  ///
  /// - Throws: The error of the second attempt, or of the first if the name cannot be freed.
  func withoutObstacle<Result>(
    at path: String, _ body: () throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    let obstacle: DiskCacheError
    do throws(DiskCacheError) {
      return try body()
    } catch {
      guard error.mayBeObstacle else { throw error }
      obstacle = error
    }
    do throws(DiskCacheError) {
      try fileSystem.removeObstacle(path)
    } catch {
      throw obstacle
    }
    return try body()
  }
}

extension DiskCacheError {
  /// Whether freeing the name may help: the name belongs to a link, a directory, a pipe or a device, or to a file
  /// that this user may not open.
  fileprivate var mayBeObstacle: Bool { isNotRegularFile || [EACCES, EPERM, EEXIST].contains(code) }
}
