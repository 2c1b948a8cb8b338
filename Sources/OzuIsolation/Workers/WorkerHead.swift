#if os(Linux) && canImport(CIsolation)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// What begins every datagram between a worker and the process that asks it; text or bytes may follow.
  ///
  /// Both are on one machine, so the integers are sent as they lie in memory. There is no padding.
  package struct WorkerHead: BitwiseCopyable, Equatable, Sendable {
    package enum Kind: UInt64 {
      /// From the worker, once: what confines it follows.
      case ready = 1
      /// To the worker: the message follows, the body is in the input segment.
      case question
      /// From the worker: the message follows, the payload is in the output segment.
      case answer
      /// From the worker: the output segment must be as long as `outputByteCount`.
      case more
      /// To the worker: the output segment is as long as `outputByteCount` now.
      case grown
    }

    /// Also tells helpers of other versions.
    private static let magic: UInt64 = 0x3130_6b72_577a_754f

    private var magic = Self.magic
    private var rawKind: UInt64
    /// Of a question, repeated in all that belongs to it. Cannot be guessed by a library that writes where it should not.
    package var token: UInt64 = 0
    package var bodyNumber: UInt64 = 0
    package var bodyByteCount: UInt64 = 0
    /// How long the input segment is.
    package var inputByteCount: UInt64 = 0
    /// How long the output segment is or should be; of an answer, its payload.
    package var outputByteCount: UInt64 = 0
    package var memoryByteCount: UInt64 = 0
    package var cpuSeconds: UInt64 = 0

    package static let byteCount = MemoryLayout<WorkerHead>.size
    package static let datagramByteCount = byteCount + WorkerRequest.messageByteCount

    package init(_ kind: Kind, token: UInt64 = 0) {
      rawKind = kind.rawValue
      self.token = token
    }

    /// Reads the head of a datagram; nil for bytes that have none.
    package init?(_ datagram: UnsafeRawBufferPointer) {
      guard datagram.count >= Self.byteCount else { return nil }
      self = datagram.loadUnaligned(as: WorkerHead.self)
      guard magic == Self.magic, Kind(rawValue: rawKind) != nil else { return nil }
    }

    package var kind: Kind? { Kind(rawValue: rawKind) }
  }

  extension UnsafeMutableRawBufferPointer {
    /// A copy of what follows the head in a datagram of so many bytes, which are in the buffer.
    func message(byteCount: Int) -> Data {
      guard byteCount > WorkerHead.byteCount, byteCount <= count, let baseAddress else { return Data() }
      return Data(bytes: baseAddress + WorkerHead.byteCount, count: byteCount - WorkerHead.byteCount)
    }
  }
#endif
