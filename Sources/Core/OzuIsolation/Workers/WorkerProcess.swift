#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase
  import OzuImaging

  /// A worker process, as seen by the process that asks. The worker ends with this object.
  ///
  /// `@unchecked Sendable`: it belongs to one thread at a time. The lock of the pool hands it over to the next.
  final class WorkerProcess: @unchecked Sendable {
    /// Why there is no answer.
    enum Failure: Error {
      /// The worker ended before it received the request, or still answers the previous one: another worker can be
      /// asked.
      case gone
      case failed(DecoderFailure)
      /// A closure of the caller threw.
      case refused(ImageDecodingError)
    }

    let kind: WorkerKind
    /// The most memory that a request may grant it.
    let memoryByteCount: Int
    /// The number of the body in its input segment.
    private(set) var bodyNumber: UInt64?
    private(set) var answerCount = 0
    private(set) var confinement = WorkerConfinement()
    /// Its process number, which it reported before it received any file; 0 before that.
    private var process: pid_t = 0
    /// The processor time of the worker.
    private var clock: ProcessClock?

    private let socket: Descriptor
    /// The zygote reports here how the worker ended, and ends it when this is closed.
    let end: Descriptor
    /// The reading end of the pipe that libraries print to.
    let libraryOutput: Descriptor
    private var input: SharedSegment
    private var output: SharedSegment
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: WorkerHead.datagramByteCount, alignment: 16)
    /// The last bytes that libraries printed during the current request.
    var lastLibraryOutput: [UInt8] = []
    /// The token of the last answered request.
    private var lastToken: UInt64?
    /// The most processor time that it can have used by now, if it has rested since its last answer.
    private var mostUsedTime: Duration?

    /// How many descriptors it has open here.
    static let descriptorCount = 5
    /// How often it calls the checkpoint while waiting, in milliseconds.
    private static let tick: Int32 = 50
    /// How much later than the limit a decoder may notice by itself that its processor time is used up.
    private static let lateness: Duration = .milliseconds(50)
    /// The processor time that a worker may take after its answer: it frees memory.
    private static let timeToRest: Duration = .milliseconds(200)
    /// How much time a worker that has closed its socket has to end, in milliseconds.
    static let timeToEnd: Int32 = 100
    /// How many bytes of the libraries' output are kept.
    static let libraryOutputByteCount = 4096
    /// How much time a worker has until it is ready, including the loading of libraries.
    private static let startTime: Duration = .seconds(30)

    /// Lets the zygote fork a worker. `waitUntilReady` must follow.
    init(_ kind: WorkerKind, memoryByteCount: Int, zygote: ZygoteProcess) throws(WorkerPool.StartFailure) {
      self.kind = kind
      self.memoryByteCount = memoryByteCount
      let (socket, workerSocket) = try Descriptor.sockets()
      let (end, zygoteEnd) = try Descriptor.sockets()
      let (libraryOutput, printingEnd) = try Descriptor.pipe()
      input = try SharedSegment(isWritable: true)
      output = try SharedSegment(isWritable: false)
      for (descriptor, time) in [(socket.number, Self.tick), (end.number, Self.timeToEnd)] {
        let code = ozu_set_receive_timeout(descriptor, time)
        guard code == 0 else { throw WorkerPool.StartFailure("setsockopt", -code) }
      }
      let descriptors = [
        workerSocket.number, zygoteEnd.number, printingEnd.number, input.descriptor.number,
        output.descriptor.number,
      ]
      guard zygote.start(kind, memoryByteCount: memoryByteCount, descriptors) else { throw .zygoteGone }
      self.socket = socket
      self.end = end
      self.libraryOutput = libraryOutput
    }

    deinit { buffer.deallocate() }

    /// Waits until the worker has its restrictions, at most for the deadline of a request.
    func waitUntilReady(
      deadline: Duration, checkpoint: () throws(ImageDecodingError) -> Void
    ) throws(WorkerPool.StartFailure) {
      let time = min(deadline, Self.startTime)
      let last = ContinuousClock.now + time
      var count = receive()
      while count == -EAGAIN || count == -EINTR {
        do throws(ImageDecodingError) { try checkpoint() } catch { throw .refused(error) }
        guard ContinuousClock.now < last else { throw .zygoteHangs(time) }
        count = receive()
      }
      guard count > 0 else { throw failureOfStart() }
      let datagram = UnsafeRawBufferPointer(buffer).prefix(Int(count))
      guard let head = WorkerHead(UnsafeRawBufferPointer(rebasing: datagram)), head.kind == .ready,
        datagram.count == WorkerHead.byteCount + MemoryLayout<WorkerConfinement.Report>.size
      else { throw .failed("the helper is of another version") }
      var report = WorkerConfinement.Report()
      withUnsafeMutableBytes(of: &report) { $0.copyBytes(from: datagram.dropFirst(WorkerHead.byteCount)) }
      confinement = WorkerConfinement(report)
      process = report.process
      clock = ProcessClock(process)
    }

    private func failureOfStart() -> WorkerPool.StartFailure {
      guard let end = waitForEnd() else { return .zygoteGone }
      if end.forkError != 0 { return WorkerPool.StartFailure("fork", end.forkError) }
      let signal = end.status & 0x7F
      let what = signal != 0 ? DecoderFailure.crashed(signal: signal) : .ended(status: end.status >> 8 & 0xFF)
      return .failed("a new worker \(what)")
    }

    /// Whether it waits for a request and has sent nothing unexpected.
    var isQuiet: Bool { ozu_receive_bytes(socket.number, buffer.baseAddress, buffer.count, false) == -EAGAIN }

    /// Whether the process has ended. The socket does not show it while another process has a copy of the worker's end, as one
    /// that the app has forked while the worker was started has until it runs its program.
    var hasEnded: Bool { ozu_process_has_ended(process) }

    /// Whether it should not be kept long, because its body takes much memory.
    var isLarge: Bool { input.byteCount > SharedSegment.keptByteCount }

    /// Sends a request, waits, and reads the answer.
    func answer<Result>(
      _ request: WorkerRequest, checkpoint: () throws(ImageDecodingError) -> Void,
      read: (Data, UnsafeRawBufferPointer) throws(ImageDecodingError) -> Result
    ) throws(Failure) -> Result {
      try place(request)
      // A random number of the system: earlier ones do not reveal it.
      let token = UInt64.random(in: .min ... .max)
      var head = WorkerHead(.request, token: token)
      head.bodyNumber = request.bodyNumber
      head.bodyByteCount = UInt64(request.body.count)
      head.inputByteCount = UInt64(input.byteCount)
      head.outputByteCount = UInt64(output.byteCount)
      head.memoryByteCount = UInt64(max(0, request.memoryByteCount))
      head.cpuSeconds = Self.seconds(request.cpuTime)
      let used = clock?.time
      // A worker that goes on after its answer was taken over by an earlier file, which has no deadline any more.
      if let used, let mostUsedTime, used > mostUsedTime { throw .gone }
      guard send(head, request.message) else { throw .gone }
      let start = ContinuousClock.now
      let last = start + request.deadline
      while true {
        let count = try receive(before: last, used, request, checkpoint)
        // A second answer to the previous request, which came late. The previous file made the worker do this; the
        // request goes to a fresh worker, which cannot have an old answer.
        if let lastToken,
          WorkerHead(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))?.token == lastToken
        {
          throw .gone
        }
        let reply: WorkerReply
        do throws(DecoderFailure) {
          reply = try WorkerReply(
            UnsafeRawBufferPointer(rebasing: buffer.prefix(count)), sentByteCount: count, token: token,
            outputByteCount: output.byteCount, memoryByteCount: request.outputByteCount)
        } catch { throw .failed(error) }
        switch reply {
        case .more(let byteCount):
          guard output.grow(to: byteCount, limit: request.outputByteCount) else {
            // Not `unavailable`: the worker has seen the file, which may be the cause, so it is not decoded elsewhere.
            throw .failed(.other("got no memory for its answer: \(systemMessage(errno))"))
          }
          var head = WorkerHead(.grown, token: token)
          head.outputByteCount = UInt64(output.byteCount)
          guard send(head) else { throw .failed(reasonOfEnd(request)) }
        case .answer(let byteCount):
          lastToken = token
          if let meter = request.time, let used, let now = clock?.time { meter.add(now - used) }
          let threadCount = kind.mayStartThreads ? WorkerKind.mostThreads : 1
          mostUsedTime = used.map { $0 + (ContinuousClock.now - start) * threadCount + Self.timeToRest }
          return try take(buffer.message(byteCount: count), byteCount, read)
        }
      }
    }

    private func take<Result>(
      _ message: Data, _ byteCount: Int,
      _ read: (Data, UnsafeRawBufferPointer) throws(ImageDecodingError) -> Result
    ) throws(Failure) -> Result {
      // A further datagram could be taken for the answer to the next request.
      guard isQuiet else { throw .failed(.wrongAnswer("more than one answer, or the end after it")) }
      let result: Result
      do throws(ImageDecodingError) {
        result = try read(message, UnsafeRawBufferPointer(rebasing: output.bytes.prefix(byteCount)))
      } catch { throw .refused(error) }
      if output.byteCount > SharedSegment.keptByteCount { output.discard() }
      readLibraryOutput()
      lastLibraryOutput = []
      answerCount += 1
      return result
    }

    /// Copies the body to the shared memory, unless it is there.
    private func place(_ request: WorkerRequest) throws(Failure) {
      guard bodyNumber != request.bodyNumber else { return }
      bodyNumber = nil
      guard input.grow(to: request.body.count) else {
        throw .failed(.unavailable("memory: \(systemMessage(errno))"))
      }
      request.body.withUnsafeBytes { input.bytes.copyMemory(from: $0) }
      bodyNumber = request.bodyNumber
    }

    private func send(_ head: WorkerHead, _ message: Data = Data()) -> Bool {
      withUnsafeBytes(of: head) { head in
        message.withUnsafeBytes { message in
          ozu_send(
            socket.number, head.baseAddress, head.count, message.baseAddress, message.count, nil, 0) == 0
        }
      }
    }

    private func receive() -> Int32 {
      ozu_receive_bytes(socket.number, buffer.baseAddress, buffer.count, true)
    }

    /// Waits for a datagram, and calls the checkpoint meanwhile.
    private func receive(
      before last: ContinuousClock.Instant, _ used: Duration?, _ request: WorkerRequest,
      _ checkpoint: () throws(ImageDecodingError) -> Void
    ) throws(Failure) -> Int {
      while true {
        let count = receive()
        if count > buffer.count { throw .failed(.wrongAnswer("a message of \(count) bytes")) }
        if count > 0 { return Int(count) }
        guard count == -EAGAIN || count == -EINTR else { throw .failed(reasonOfEnd(request)) }
        do throws(ImageDecodingError) { try checkpoint() } catch { throw .refused(error) }
        // A worker without a clock has the limit of the system, which counts in whole seconds.
        if let used, let now = clock?.time, now - used > request.cpuTime + Self.lateness {
          throw .failed(.stopped(.cpuTime(request.cpuTime)))
        }
        guard ContinuousClock.now < last else { throw .failed(.stopped(.time(request.deadline))) }
      }
    }

    /// Rounded up and one second more, in which this process stops the worker; limited to the range of the system's
    /// limit.
    private static func seconds(_ duration: Duration) -> UInt64 {
      let (seconds, attoseconds) = duration.components
      return UInt64(min(max(0, seconds), 1 << 30)) + (attoseconds > 0 ? 2 : 1)
    }
  }

  /// The processor time that another process has used.
  struct ProcessClock {
    private let clock: clockid_t

    /// `nil` if the system does not provide it.
    init?(_ process: pid_t) {
      var clock = clockid_t()
      guard process > 0, clock_getcpuclockid(process, &clock) == 0 else { return nil }
      self.clock = clock
    }

    /// The time of all its threads; `nil` after it has ended.
    var time: Duration? {
      var time = timespec()
      guard clock_gettime(clock, &time) == 0 else { return nil }
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }
#endif
