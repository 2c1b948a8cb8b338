#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase
  import OzuImaging

  /// The process that workers are forked from, as seen by the process that asks. It is started once, has one
  /// thread, and has the libraries loaded, so that a worker costs a fork and not the start of a program.
  ///
  /// It ends together with its workers when its socket is closed here. Immutable, and all calls on its socket are
  /// atomic.
  final class ZygoteProcess: Sendable {
    private let process: pid_t
    private let processDescriptor: Descriptor?
    private let socket: Descriptor

    init(_ helper: WorkerHelper, fontFolders: [String] = []) throws(WorkerPool.StartFailure) {
      let (socket, helperSocket) = try Descriptor.sockets()
      process = helper.spawn(socket: helperSocket.number, fontFolders: fontFolders)
      guard process > 0 else { throw WorkerPool.StartFailure(helper.name, -process) }
      let number = ozu_process_open(process)
      processDescriptor = number >= 0 ? Descriptor(number) : nil
      self.socket = socket
    }

    /// Asks for a worker with these descriptors, which stay open here.
    ///
    /// - Returns: whether the zygote will receive the request.
    func start(_ kind: WorkerKind, memoryByteCount: Int, _ descriptors: [Int32]) -> Bool {
      let datagram = ZygoteRequest.datagram(kind, memoryByteCount: memoryByteCount)
      return datagram.withUnsafeBytes {
        ozu_send(socket.number, $0.baseAddress, $0.count, nil, 0, descriptors, descriptors.count) == 0
      }
    }

    /// Tells the zygote to end, even while other threads still use it.
    func close() { shutdown(socket.number, Int32(SHUT_RDWR)) }

    func kill() {
      if let processDescriptor { _ = ozu_process_kill(processDescriptor.number) }
    }

    /// Whether the process has ended and was reaped.
    func isReaped() -> Bool {
      var status: Int32 = 0
      // An app that ignores SIGCHLD has no children to wait for.
      return ozu_reap(process, &status) != 0
    }
  }

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
    private var memoryByteCount: UInt64
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
