#if SVG && os(Linux)
  import Foundation
  import Ozu

  /// A process that draws one SVG: this program in its hidden mode, asked and answering through sockets.
  ///
  /// Whatever becomes of it, it is gone when the value is. Belongs to one thread, which must live as long: the process
  /// ends with the thread that started it. That thread waits here, so it is none of Swift's cooperative pool.
  struct SVGProcess: ~Copyable {
    /// The most that is read of its messages; then it is stopped.
    private static let messageByteCount = 1 << 20
    /// How many bytes of its messages are kept.
    private static let keptMessageByteCount = 4096
    /// How often somebody looks whether the picture is still wanted, in milliseconds.
    private static let tick = 100

    private let id: pid_t
    private let limits: SVGProcessLimits
    private let input: FileDescriptor
    private let output: FileDescriptor
    private let messages: FileDescriptor
    private let end: ContinuousClock.Instant
    private let checkpoint: () throws(DecodingError) -> Void
    private var message: [UInt8] = []
    private var messageCount = 0
    private var hasEndedMessages = false
    private var isReaped = false

    /// Starts the process.
    ///
    /// - Parameters:
    ///   - program: the path of the program.
    ///   - arguments: what goes before the arguments of the hidden mode.
    ///   - checkpoint: throws when nobody wants the picture any more.
    init(
      program: String, arguments: [String] = [], limits: SVGProcessLimits,
      checkpoint: @escaping () throws(DecodingError) -> Void
    ) throws(SVGProcessFailure) {
      let (childInput, input) = try FileDescriptor.socketPair()
      let (childOutput, output) = try FileDescriptor.socketPair()
      let (childMessages, messages) = try FileDescriptor.socketPair()
      // Open until the process has its own; closed then, so that the end of the process ends the streams.
      defer { withExtendedLifetime((childInput, childOutput, childMessages)) {} }
      id = try Self.spawn(
        program, arguments + SVGRenderer.arguments(limits),
        [childInput.number, childOutput.number, childMessages.number])
      self.limits = limits
      self.input = input
      self.output = output
      self.messages = messages
      self.checkpoint = checkpoint
      end = ContinuousClock.now + limits.deadline
      for descriptor in [input.number, output.number, messages.number] {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
      }
    }

    deinit {
      if !isReaped { _ = Self.killAndReap(id) }
    }

    /// Sends all of some data. A process that does not take them is found out when its answer is read.
    mutating func send(_ data: Data) throws(SVGProcessFailure) {
      var done = 0
      while done < data.count {
        let count = data.withUnsafeBytes { bytes in
          let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
          return Glibc.send(
            input.number, rest.baseAddress, rest.count, Int32(truncatingIfNeeded: MSG_NOSIGNAL))
        }
        if count >= 0 {
          done += count
        } else if errno == EAGAIN {
          // Who answers before it has the whole question has not understood it, or has ended.
          if try wait(for: [(input, POLLOUT), (output, POLLIN)])[1] { return }
        } else if errno != EINTR {
          return
        }
      }
    }

    /// Fills some memory from the answer.
    mutating func receive(_ bytes: UnsafeMutableRawBufferPointer) throws(SVGProcessFailure) {
      var rest = bytes
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = read(output.number, start, rest.count)
        if count > 0 {
          rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
        } else if count == 0 {
          throw try reasonOfEnd()
        } else if errno == EAGAIN {
          _ = try wait(for: [(output, POLLIN)])
        } else if errno != EINTR {
          throw .wrongAnswer
        }
      }
    }

    /// Waits until one of some descriptors is ready, and reads messages meanwhile.
    ///
    /// - Returns: which are ready; none when there were messages.
    private mutating func wait(
      for descriptors: [(FileDescriptor, events: Int32)]
    ) throws(SVGProcessFailure) -> [Bool] {
      // poll passes over what is negative.
      var sources = [
        pollfd(fd: hasEndedMessages ? -1 : messages.number, events: Int16(POLLIN), revents: 0)
      ]
      for (descriptor, events) in descriptors {
        sources.append(pollfd(fd: descriptor.number, events: Int16(events), revents: 0))
      }
      while true {
        do throws(DecodingError) { try checkpoint() } catch { throw .decoding(error) }
        let rest = end - .now
        guard rest > .zero else { throw .deadline(limits.deadline) }
        let timeout = min(Self.tick, 1 + Int(clamping: Int64(rest / .milliseconds(1))))
        guard poll(&sources, nfds_t(sources.count), Int32(timeout)) > 0 else { continue }
        if sources[0].revents != 0 { try readMessages() }
        return sources.dropFirst().map { $0.revents != 0 }
      }
    }

    private mutating func readMessages() throws(SVGProcessFailure) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = read(messages.number, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN { return }
        guard count > 0 else {
          hasEndedMessages = true
          return
        }
        messageCount += count
        message += buffer[..<count]
        // The last words say why.
        if message.count > Self.keptMessageByteCount {
          message.removeFirst(message.count - Self.keptMessageByteCount)
        }
        guard messageCount <= Self.messageByteCount else { throw .flood }
      }
    }

    /// Why the answer ends early.
    private mutating func reasonOfEnd() throws(SVGProcessFailure) -> SVGProcessFailure {
      // What ends closes its messages too; what has closed its answer and goes on is stopped in the end.
      while !hasEndedMessages { _ = try wait(for: []) }
      isReaped = true
      guard let status = Self.killAndReap(id) else { return .noAnswer(status: nil) }
      let signal = status & 0x7F
      let words = String(decoding: message, as: UTF8.self)
      if signal == SIGXCPU { return .cpuTime(seconds: limits.cpuSeconds) }
      if Self.tellsOfMemory(words) { return .memory(byteCount: limits.memoryByteCount) }
      return signal == 0 ? .noAnswer(status: status >> 8 & 0xFF) : .crashed(signal: signal)
    }

    /// Whether words of a library tell that it got no memory: of Rust, GLib and
    /// cairo.
    static func tellsOfMemory(_ words: String) -> Bool {
      ["memory allocation of", "failed to allocate", "out of memory", "NoMemory"].contains(
        where: words.contains)
    }

    /// The failure that words of a library stand for, when they tell that it got no memory.
    func tellsOfMemory(_ words: String) -> SVGProcessFailure? {
      Self.tellsOfMemory(words) ? .memory(byteCount: limits.memoryByteCount) : nil
    }

    /// Ends the process if it has not ended, and forgets it.
    ///
    /// - Returns: its status, which is that of its own end if it came to one; `nil` when the system has thrown it away.
    private static func killAndReap(_ id: pid_t) -> Int32? {
      // Until it is waited for, its number belongs to nobody else.
      kill(id, SIGKILL)
      var status: Int32 = 0
      while true {
        if waitpid(id, &status, 0) == id { return status }
        if errno != EINTR { return nil }
      }
    }

    /// Starts a program with three descriptors as its standard streams beside what is inherited anyway.
    private static func spawn(
      _ program: String, _ arguments: [String], _ streams: [Int32]
    ) throws(SVGProcessFailure) -> pid_t {
      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      for (target, stream) in streams.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, stream, Int32(target))
      }
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      // No signal of this thread stays blocked and none of this program ignored.
      var none = sigset_t()
      var all = sigset_t()
      sigemptyset(&none)
      sigfillset(&all)
      posix_spawnattr_setsigmask(&attributes, &none)
      posix_spawnattr_setsigdefault(&attributes, &all)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
      var words: [UnsafeMutablePointer<CChar>?] = (["ozu"] + arguments).map { strdup($0) } + [nil]
      var variables: [UnsafeMutablePointer<CChar>?] = SVGRenderer.environment.map { strdup($0) } + [nil]
      defer { for word in words + variables { free(word) } }
      var id: pid_t = 0
      let code = posix_spawn(&id, program, &actions, &attributes, &words, &variables)
      guard code == 0 else { throw .notStarted(code: code) }
      return id
    }
  }
#endif
