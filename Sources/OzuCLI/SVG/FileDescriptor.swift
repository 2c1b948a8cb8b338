#if SVG && os(Linux)
  import Foundation

  /// An open file, closed with the object.
  final class FileDescriptor {
    let number: Int32

    private init(_ number: Int32) throws(SVGProcessFailure) {
      // Above the standard streams, which a process that is started gets in their place; this program may have been
      // started without.
      let moved = fcntl(number, F_DUPFD_CLOEXEC, 3)
      let code = errno
      close(number)
      guard moved >= 0 else { throw .notStarted(code: code) }
      self.number = moved
    }

    deinit { close(number) }

    /// Two sockets that are connected. No other program that is started meanwhile gets them, and writing to one that
    /// nobody reads need not raise a signal.
    static func socketPair() throws(SVGProcessFailure) -> (FileDescriptor, FileDescriptor) {
      var ends: [Int32] = [0, 0]
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .notStarted(code: errno) }
      let first: FileDescriptor
      do throws(SVGProcessFailure) {
        first = try FileDescriptor(ends[0])
      } catch {
        close(ends[1])
        throw error
      }
      return (first, try FileDescriptor(ends[1]))
    }
  }
#endif
