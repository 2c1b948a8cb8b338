#if os(Linux) && canImport(CIsolation)
  import OzuImaging

  /// What a worker says while it has a question. The worker may be in the hands of the file's author, so nothing is
  /// believed before it was checked here.
  enum WorkerReply: Equatable {
    /// The answer; its message is what follows the head.
    case answer(payloadByteCount: Int)
    /// The output segment must be this long.
    case more(byteCount: Int)

    /// Checks a datagram.
    ///
    /// - Parameters:
    ///   - datagram: as much of it as was received.
    ///   - sentByteCount: how long it was.
    ///   - outputByteCount: how long the output segment is.
    ///   - memoryByteCount: how long it may become.
    init(
      _ datagram: UnsafeRawBufferPointer, sentByteCount: Int, token: UInt64, outputByteCount: Int,
      memoryByteCount: Int
    ) throws(DecoderFailure) {
      guard sentByteCount == datagram.count else { throw .wrongAnswer("a message of \(sentByteCount) bytes") }
      guard let head = WorkerHead(datagram) else { throw .wrongAnswer("not in the protocol of workers") }
      guard head.token == token else { throw .wrongAnswer("to another question") }
      switch head.kind {
      case .answer:
        guard head.outputByteCount <= UInt64(outputByteCount) else {
          throw .wrongAnswer("\(head.outputByteCount) bytes of \(outputByteCount)")
        }
        self = .answer(payloadByteCount: Int(head.outputByteCount))
      case .more:
        guard datagram.count == WorkerHead.byteCount, head.outputByteCount > UInt64(outputByteCount) else {
          throw .wrongAnswer("memory that it has already")
        }
        guard head.outputByteCount <= UInt64(max(0, memoryByteCount)) else {
          throw .stopped(.memory(byteCount: memoryByteCount))
        }
        self = .more(byteCount: Int(head.outputByteCount))
      case .ready, .question, .grown, nil:
        throw .wrongAnswer("a message of another kind")
      }
    }
  }
#endif
