#if os(Linux) && canImport(CIsolation)
  import OzuImaging

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
    ///   - memoryByteCount: the length that it may have at most.
    init(
      _ datagram: UnsafeRawBufferPointer, sentByteCount: Int, token: UInt64, outputByteCount: Int,
      memoryByteCount: Int
    ) throws(DecoderFailure) {
      guard sentByteCount == datagram.count else { throw .wrongAnswer("a message of \(sentByteCount) bytes") }
      guard let head = WorkerHead(datagram) else { throw .wrongAnswer("not in the protocol of workers") }
      guard head.token == token else { throw .wrongAnswer("to another request") }
      switch head.kind {
      case .answer:
        guard head.outputByteCount <= UInt64(outputByteCount) else {
          throw .wrongAnswer("\(head.outputByteCount) bytes of \(outputByteCount)")
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
