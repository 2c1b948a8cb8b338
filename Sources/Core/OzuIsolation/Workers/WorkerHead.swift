#if os(Linux) && canImport(CIsolation)
  import OzuImaging

  import OzuBase

  /// The beginning of every datagram between a worker and the process that asks it; text or bytes may follow.
  ///
  /// Both processes are on one machine, so the integers are sent as they are in memory. There is no padding.
  package struct WorkerHead: BitwiseCopyable, Equatable, Sendable {
    package enum Kind: UInt64 {
      /// From the worker, once: a report of its restrictions follows.
      case ready = 1
      /// To the worker: the message of the request follows, the body is in the input segment.
      case request
      /// From the worker: the message follows, the payload is in the output segment.
      case answer
      /// From the worker: the output segment must become `outputByteCount` long.
      case more
      /// To the worker: the output segment is `outputByteCount` long now.
      case grown
    }

    /// Also identifies helpers of other versions.
    private static let magic: UInt64 = 0x3130_6b72_577a_754f

    private var magic = Self.magic
    private var rawKind: UInt64
    /// The token of a request, repeated in every datagram about it. A library that writes where it should not
    /// cannot guess it.
    package var token: UInt64 = 0
    package var bodyNumber: UInt64 = 0
    package var bodyByteCount: UInt64 = 0
    /// The length of the input segment.
    package var inputByteCount: UInt64 = 0
    /// The length that the output segment has or should have; in an answer, the length of its payload.
    package var outputByteCount: UInt64 = 0
    package var memoryByteCount: UInt64 = 0
    package var cpuSeconds: UInt64 = 0

    package static let byteCount = MemoryLayout<WorkerHead>.size
    package static let datagramByteCount = byteCount + WorkerRequest.messageByteCount

    package init(_ kind: Kind, token: UInt64 = 0) {
      rawKind = kind.rawValue
      self.token = token
    }

    /// Reads the head of a datagram; nil if there is none.
    package init?(_ datagram: UnsafeRawBufferPointer) {
      guard datagram.count >= Self.byteCount else { return nil }
      self = datagram.loadUnaligned(as: WorkerHead.self)
      guard magic == Self.magic, Kind(rawValue: rawKind) != nil else { return nil }
    }

    package var kind: Kind? { Kind(rawValue: rawKind) }
  }

  extension UnsafeMutableRawBufferPointer {
    /// A copy of the bytes after the head, in a datagram of `byteCount` bytes that are in the buffer.
    func message(byteCount: Int) -> Data {
      guard byteCount > WorkerHead.byteCount, byteCount <= count, let baseAddress else { return Data() }
      return Data(bytes: baseAddress + WorkerHead.byteCount, count: byteCount - WorkerHead.byteCount)
    }
  }

  /// The datagrams of a worker during a request. A hostile file may control the worker, so everything is checked
  /// here.
  enum WorkerReply: Equatable {
    /// The answer; its message is the part after the head.
    case answer(payloadByteCount: Int)
    /// The output segment must become this long.
    case more(byteCount: Int)

    /// Checks a datagram.
    ///
    /// - Parameters:
    ///   - datagram: the received part of it.
    ///   - sentByteCount: the length with which it was sent.
    ///   - outputByteCount: the length of the output segment.
    ///   - memoryByteCount: the most bytes that the request allows.
    init(
      _ datagram: UnsafeRawBufferPointer, sentByteCount: Int, token: UInt64, outputByteCount: Int,
      memoryByteCount: Int
    ) throws(DecoderFailure) {
      guard sentByteCount == datagram.count else { throw .wrongAnswer("a message of \(sentByteCount) bytes") }
      guard let head = WorkerHead(datagram) else { throw .wrongAnswer("not in the protocol of workers") }
      guard head.token == token else { throw .wrongAnswer("to another request") }
      switch head.kind {
      case .answer:
        // The segment may be longer than this request allows, from one before it.
        let most = max(0, min(outputByteCount, memoryByteCount))
        guard head.outputByteCount <= UInt64(most) else {
          throw .wrongAnswer("\(head.outputByteCount) bytes of \(most)")
        }
        self = .answer(payloadByteCount: Int(head.outputByteCount))
      case .more:
        guard datagram.count == WorkerHead.byteCount, head.outputByteCount > UInt64(outputByteCount) else {
          throw .wrongAnswer("it asked for memory that it already has")
        }
        guard head.outputByteCount <= UInt64(max(0, memoryByteCount)) else {
          throw .stopped(.memory(byteCount: memoryByteCount))
        }
        self = .more(byteCount: Int(head.outputByteCount))
      case .ready, .request, .grown, nil:
        throw .wrongAnswer("a message of another kind")
      }
    }
  }
#endif
