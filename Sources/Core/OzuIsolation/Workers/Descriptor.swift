#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase

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

  /// Memory that is shared with a worker. It is kept between requests, because the pages of fresh memory would cost
  /// more time than most decoders.
  ///
  /// Only this process can make it longer, and its seal prevents all processes from making it shorter. So all
  /// `byteCount` bytes can always be accessed, whatever the worker does.
  struct SharedSegment: ~Copyable {
    let descriptor: Descriptor
    private let protection: Int32
    private(set) var byteCount = 0
    private var address: UnsafeMutableRawPointer?

    /// A segment that is longer than this does not keep its memory.
    static let keptByteCount = 64 << 20
    /// Segments grow in steps of this size.
    private static let step = 64 << 10

    init(isWritable: Bool) throws(WorkerPool.StartFailure) {
      descriptor = try Descriptor.segment()
      protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
    }

    deinit { if let address { munmap(address, byteCount) } }

    var bytes: UnsafeMutableRawBufferPointer {
      UnsafeMutableRawBufferPointer(start: address, count: byteCount)
    }

    /// Makes it at least `minimum` long, and at least twice as long as before, unless that exceeds `limit`.
    mutating func grow(to minimum: Int, limit: Int = .max) -> Bool {
      guard minimum > byteCount else { return true }
      let wanted = max(minimum, min(byteCount * 2, limit))
      guard wanted <= Int.max - Self.step else { return false }
      let length = (wanted + Self.step - 1) / Self.step * Self.step
      guard ozu_segment_resize(descriptor.number, length) == 0 else { return false }
      guard let new = mmap(nil, length, protection, MAP_SHARED, descriptor.number, 0), new != MAP_FAILED
      else {
        return false
      }
      if let address { munmap(address, byteCount) }
      address = new
      byteCount = length
      return true
    }

    /// Frees the pages; they read as zero from now on.
    func discard() {
      if byteCount > 0 { _ = ozu_segment_discard(descriptor.number, byteCount) }
    }
  }
#endif
