#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name that holds a body too large for memory.
///
/// It is unlinked as soon as it is open. So nothing is left behind however its use ends: the system takes its blocks
/// back when the last descriptor and the last mapping are gone, also those of a process that was killed. What a
/// crash between the two calls leaves is swept by the next one that opens a file in the folder (`sweep`).
///
/// Its calls block. Used by one thread at a time.
final class HTTPSpoolFile {
  /// A call that failed, with the system's number.
  struct Failure: Error {
    let code: Int32
  }

  private static let namePrefix = "ozu-spool-"

  private let descriptor: Int32
  private(set) var byteCount = 0

  /// Makes a file in a folder. The folder is not made: it is somebody else's, and may be there in a file system of
  /// theirs alone.
  init(directory: String) throws(Failure) {
    let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let path = "\(directory)/\(Self.namePrefix)\(getpid())-\(number)"
    let descriptor = Self.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    unlink(path)
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  private static func open(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, flags, 0o600)
    #elseif canImport(Musl)
      Musl.open(path, flags, 0o600)
    #else
      Darwin.open(path, flags, 0o600)
    #endif
  }

  /// Removes what crashes have left in a folder. A file of another process that is swept between being made and being
  /// unlinked loses only the name that it was about to lose.
  static func sweep(directory: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    for name in names where name.hasPrefix(namePrefix) { unlink("\(directory)/\(name)") }
  }

  /// Appends bytes, all of them or, for `read` and `mapped`, none.
  func append(_ bytes: Data) throws(Failure) {
    let code = bytes.withUnsafeBytes { bytes -> Int32 in
      var written = 0
      while written < bytes.count {
        let count = write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        written += count
      }
      return 0
    }
    guard code == 0 else { throw Failure(code: code) }
    byteCount += bytes.count
  }

  /// The content, mapped rather than read.
  ///
  /// To map a file is dangerous where somebody may cut it short: the process is ended when it touches what is gone.
  /// Nobody can here, since the file has no name and its only descriptor is ours; every byte of it was written
  /// before. What remains is a medium that fails under the mapping. In return the system may drop the pages at any
  /// time and read them again, so that a body of 90 MB does not take 90 MB from anybody who needs them.
  func mapped() throws(Failure) -> Data {
    let count = byteCount
    guard count > 0 else { return Data() }
    guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
      throw Failure(code: errno)
    }
    // It is read once from front to back, as decoders do: what is behind may go first.
    _ = madvise(start, count, MADV_SEQUENTIAL)
    return Data(bytesNoCopy: start, count: count, deallocator: .custom { _ = munmap($0, $1) })
  }

  /// The content, read into memory: for when the file cannot be used further.
  func read() throws(Failure) -> Data {
    var data = Data(count: byteCount)
    let code = data.withUnsafeMutableBytes { space -> Int32 in
      var offset = 0
      while offset < space.count {
        let count = pread(
          descriptor, space.baseAddress.map { $0 + offset }, space.count - offset, off_t(offset))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return count < 0 ? errno : EIO }
        offset += count
      }
      return 0
    }
    guard code == 0 else { throw Failure(code: code) }
    return data
  }
}
