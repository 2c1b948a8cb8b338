#if os(Linux) && canImport(CIsolation)
  import OzuImaging

  /// A request to the zygote for a worker. The name of the kind and that of its format follow.
  package struct ZygoteRequest: BitwiseCopyable {
    /// The order of the descriptors: the worker's socket, the socket for its status, the pipe for the output of
    /// libraries, the two segments.
    package static let descriptorCount = 5
    static let byteCount = MemoryLayout<ZygoteRequest>.size
    package static let datagramByteCount = byteCount + 2 * WorkerKind.nameByteCount
    private static let magic: UInt64 = 0x3130_746f_677a_754f

    private var magic = Self.magic
    /// The most memory that the worker may ever take.
    package var memoryByteCount: UInt64
    private var flags: UInt32
    private var nameByteCount: UInt32

    static func datagram(_ kind: WorkerKind, memoryByteCount: Int) -> [UInt8] {
      let head = ZygoteRequest(
        memoryByteCount: UInt64(memoryByteCount),
        flags: (kind.readsFonts ? 1 : 0) | (kind.startsThreads ? 2 : 0),
        nameByteCount: UInt32(kind.name.utf8.count))
      return withUnsafeBytes(of: head) { Array($0) } + Array(kind.name.utf8)
        + Array(kind.type.rawValue.utf8.prefix(WorkerKind.nameByteCount))
    }

    /// Reads a datagram; nil if it is not valid.
    package static func read(_ datagram: UnsafeRawBufferPointer) -> (
      kind: WorkerKind, memoryByteCount: UInt64
    )? {
      guard datagram.count >= byteCount else { return nil }
      let head = datagram.loadUnaligned(as: ZygoteRequest.self)
      let text = datagram.dropFirst(byteCount)
      guard head.magic == magic, head.nameByteCount <= WorkerKind.nameByteCount,
        text.count >= head.nameByteCount
      else { return nil }
      let kind = WorkerKind(
        name: String(decoding: text.prefix(Int(head.nameByteCount)), as: UTF8.self),
        type: ImageType(rawValue: String(decoding: text.dropFirst(Int(head.nameByteCount)), as: UTF8.self)),
        readsFonts: head.flags & 1 != 0, startsThreads: head.flags & 2 != 0)
      return (kind, head.memoryByteCount)
    }

    private init(memoryByteCount: UInt64, flags: UInt32, nameByteCount: UInt32) {
      self.memoryByteCount = memoryByteCount
      self.flags = flags
      self.nameByteCount = nameByteCount
    }
  }

  /// The end of a worker, reported by the zygote.
  package struct WorkerEnd: BitwiseCopyable, Equatable {
    /// The error number if it could not be forked; 0 otherwise.
    package var forkError: Int32 = 0
    /// The status from `waitpid`.
    package var status: Int32 = 0
    /// Whether it was alive when its end was requested.
    package var wasKilled: Int32 = 0

    package init() {}
  }
#endif
