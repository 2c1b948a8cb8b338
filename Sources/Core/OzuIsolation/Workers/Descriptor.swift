#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import Glibc

  /// An open descriptor, closed with the object.
  package final class Descriptor: Sendable {
    package let number: Int32

    /// Takes over an open descriptor.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// The lowest number of a descriptor. It is above those of the standard streams: in a program that was started
    /// without them these numbers are free, and a child process uses them for other things.
    private static let minimum: Int32 = 10

    /// Takes over a descriptor that C has opened, or throws the name of the call that failed.
    private static func checked(_ number: Int32, _ call: String) throws(WorkerPool.StartFailure) -> Descriptor
    {
      guard number >= 0 else { throw WorkerPool.StartFailure(call, -number) }
      guard number < minimum else { return Descriptor(number) }
      let opened = Descriptor(number)
      let moved = ozu_descriptor_move(opened.number, minimum)
      guard moved >= 0 else { throw WorkerPool.StartFailure(call, -moved) }
      return Descriptor(moved)
    }

    private static func pair(
      _ call: String, _ open: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(WorkerPool.StartFailure) -> (Descriptor, Descriptor) {
      var ends: [Int32] = [-1, -1]
      let code = open(&ends)
      guard code == 0 else { throw WorkerPool.StartFailure(call, -code) }
      let first: Descriptor
      do throws(WorkerPool.StartFailure) { first = try checked(ends[0], call) } catch {
        close(ends[1])
        throw error
      }
      return (first, try checked(ends[1], call))
    }

    /// Two connected datagram sockets.
    static func sockets() throws(WorkerPool.StartFailure) -> (Descriptor, Descriptor) {
      try pair("socketpair", ozu_socket_pair)
    }

    /// A pipe: the end for reading, and the end for writing.
    static func pipe() throws(WorkerPool.StartFailure) -> (Descriptor, Descriptor) {
      try pair("pipe", ozu_pipe)
    }

    /// Memory that processes share.
    static func segment() throws(WorkerPool.StartFailure) -> Descriptor {
      try checked(ozu_segment_create(), "memfd_create")
    }
  }
#endif
