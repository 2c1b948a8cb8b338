#if os(Linux) && canImport(Glibc)
  import OzuBase

  /// The open kernel files that report memory pressure. They are closed with the value.
  struct LinuxPressureSources: ~Copyable, Sendable {
    /// Descriptors with a stall trigger. One becomes ready when its trigger fires.
    private(set) var stalls: [(file: Int32, pressure: MemoryPressure)] = []
    /// The `memory.events` files of control groups, with the counts of the last read. `file` becomes ready when a
    /// count changes, and `text` has the counts. For the kernel's files both are the same descriptor.
    private(set) var events: [(file: Int32, text: Int32, group: String, counts: Counts)] = []

    /// The counts in the text of a `memory.events` file. A missing line counts as zero.
    struct Counts: Equatable, Sendable {
      private var counts: [String: Int] = [:]

      init(_ text: some StringProtocol) {
        for line in text.split(separator: "\n") {
          let words = line.split(separator: " ")
          if words.count == 2 { counts[String(words[0])] = Int(words[1]) }
        }
      }

      /// The pressure that the change from the former counts to these means; nil for none.
      ///
      /// - Parameter isNear: Whether memory that cannot be dropped comes near the limit in this file of the group. The
      ///     kernel counts `max` and `high` also where the pages of files fill the group, and then drops those.
      func pressure(after former: Counts, isNear: (String) -> Bool) -> MemoryPressure? {
        func hasRisen(_ name: String) -> Bool { counts[name, default: 0] > former.counts[name, default: 0] }
        if hasRisen("oom") || (hasRisen("max") && isNear("memory.max")) { return .critical }
        return hasRisen("high") && isNear("memory.high") ? .warning : nil
      }
    }

    /// Opens those files that exist and that this process may open.
    ///
    /// - Parameter stall: The trigger's threshold: microseconds of stall in two seconds.
    init(root: String, stall: Int = 150_000) {
      let groups = Self.groups(root: root)
      for path in ["\(root)/proc/pressure/memory"] + groups.map({ $0 + "/memory.pressure" }) {
        // Without privileges the window must be a multiple of two seconds.
        for (kind, pressure) in [("some", MemoryPressure.warning), ("full", .critical)] {
          let file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
          guard file >= 0 else { continue }
          // The kernel expects the terminating zero.
          let isSet = "\(kind) \(stall) 2000000".withCString { write(file, $0, strlen($0) + 1) } > 0
          if isSet { stalls.append((file, pressure)) } else { close(file) }
        }
      }
      for group in groups {
        let file = open(group + "/memory.events", O_RDONLY | O_CLOEXEC)
        if file >= 0 { events.append((file, file, group, Counts(Self.text(of: file) ?? ""))) }
      }
    }

    /// Takes over open descriptors, for tests. Any descriptor works for which `poll` reports POLLPRI.
    init(stalls: [(file: Int32, pressure: MemoryPressure)], events: [(file: Int32, text: Int32)]) {
      self.stalls = stalls
      self.events = events.map { ($0.file, $0.text, "", Counts(Self.text(of: $0.text) ?? "")) }
    }

    deinit {
      for stall in stalls { close(stall.file) }
      for event in events {
        close(event.file)
        if event.text != event.file { close(event.text) }
      }
    }

    var count: Int { stalls.count + events.count }
    var isEmpty: Bool { count == 0 }

    enum Meaning: Equatable, Sendable {
      /// The pressure; nil for none.
      case pressure(MemoryPressure?)
      /// The file's group was removed after this process had left it, or the file cannot be polled: it would report this again at once,
      /// for ever.
      case gone
    }

    /// What `poll` reports about the numbered source. Stall triggers have the first numbers.
    ///
    /// An error with a trigger means that the trigger is gone (the kernel's `accounting/psi.rst`). Every change of
    /// `memory.events` comes with an error; there the failing read shows that the group is gone.
    mutating func meaning(of reported: Int16, fromSource number: Int) -> Meaning {
      guard reported & Int16(POLLPRI) != 0 else { return .gone }
      if number < stalls.count {
        return reported & Int16(POLLERR) == 0 ? .pressure(stalls[number].pressure) : .gone
      }
      let index = number - stalls.count
      guard let text = Self.text(of: events[index].text) else { return .gone }
      let counts = Counts(text)
      defer { events[index].counts = counts }
      let group = events[index].group
      return .pressure(counts.pressure(after: events[index].counts) { Self.isNear($0, of: group) })
    }

    /// Whether the working set of a group takes three quarters of the limit in a file of the group, or more. The working
    /// set is its memory without the pages of files, which the kernel drops first. True if one of them cannot be read.
    private static func isNear(_ limit: String, of group: String) -> Bool {
      func number(_ text: some StringProtocol) -> Int? {
        Int(text.prefix { $0.isNumber })
      }
      guard let text = readSmallFile("\(group)/\(limit)") else { return true }
      if text.hasPrefix("max") { return false }
      let filePages = (readSmallFile(group + "/memory.stat") ?? "").split(separator: "\n").compactMap {
        line in
        ["inactive_file ", "active_file "].first(where: line.hasPrefix).flatMap {
          number(line.dropFirst($0.count))
        }
      }
      guard let limit = number(text), let current = readSmallFile(group + "/memory.current").flatMap(number),
        filePages.count == 2
      else { return true }
      return Double(current) - Double(filePages[0]) - Double(filePages[1]) >= 0.75 * Double(limit)
    }

    /// The directories of the process's own control group, version 2: one directory, or none.
    ///
    /// Version 2 is mounted alone or, beside version 1, under `unified`. In a container the path of the group may
    /// lie outside the mount; then the root of the mount is the container's own group.
    private static func groups(root: String) -> [String] {
      let lines = readSmallFile("\(root)/proc/self/cgroup")?.split(separator: "\n")
      guard let path = lines?.first(where: { $0.hasPrefix("0::") })?.dropFirst(3) else { return [] }
      let own = path == "/" ? "" : String(path)
      for mount in ["\(root)/sys/fs/cgroup", "\(root)/sys/fs/cgroup/unified"] {
        for group in own.isEmpty ? [mount] : [mount + own, mount] {
          let isGroup = ["/memory.pressure", "/memory.events"].contains { access(group + $0, F_OK) == 0 }
          if isGroup { return [group] }
        }
      }
      return []
    }

    /// Nil if the file cannot be read.
    private static func text(of file: Int32) -> String? {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = pread(file, &bytes, bytes.count, 0)
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }

  enum LinuxPressureThread {
    /// Starts a detached thread that opens the sources after a delay, and waits for them until the other end of the pipe
    /// `wakePipe` is closed, and then closes this end.
    static func start(
      after delay: Duration = .zero, wakePipe: Int32, tell: @escaping @Sendable (MemoryPressure) -> Void,
      open: @escaping @Sendable () -> LinuxPressureSources
    ) {
      let isStarted = DetachedThread.start {
        defer { close(wakePipe) }
        var end = pollfd(fd: wakePipe, events: Int16(POLLIN), revents: 0)
        // An interruption only shortens the delay.
        if poll(&end, 1, Int32(clamping: delay / .milliseconds(1))) > 0 { return }
        var sources = open()
        if !sources.isEmpty { wait(for: &sources, wakePipe, tell) }
      }
      if !isStarted { close(wakePipe) }
    }

    private static func wait(
      for sources: inout LinuxPressureSources, _ wakePipe: Int32, _ tell: (MemoryPressure) -> Void
    ) {
      var polled = sources.stalls.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
      polled += sources.events.map { pollfd(fd: $0.file, events: Int16(POLLPRI), revents: 0) }
      polled.append(pollfd(fd: wakePipe, events: Int16(POLLIN), revents: 0))
      while true {
        let count = poll(&polled, nfds_t(polled.count), -1)
        if count < 0, errno != EINTR { return }
        if count <= 0 { continue }
        if polled[polled.count - 1].revents != 0 { return }
        var worst: MemoryPressure?
        for number in polled.indices.dropLast() where polled[number].revents != 0 {
          switch sources.meaning(of: polled[number].revents, fromSource: number) {
          case .pressure(let pressure):
            if worst != .critical { worst = pressure ?? worst }
          case .gone:
            polled[number].fd = -1
          }
        }
        if let worst { tell(worst) }
      }
    }
  }
#endif
