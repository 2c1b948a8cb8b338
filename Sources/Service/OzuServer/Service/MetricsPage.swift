import OzuBase

/// Builds the lines of the text format of Prometheus (version 0.0.4).
struct MetricsPage {
  private(set) var text = ""

  mutating func head(_ name: String, _ type: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    let list = labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",")
    let number = abs(value) < 1e15 ? Int(exactly: value).map(String.init) ?? "\(value)" : "\(value)"
    text += labels.isEmpty ? "\(name) \(number)\n" : "\(name){\(list)} \(number)\n"
  }

  mutating func line(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double) {
    line(name, labels.map { ($0.key, $0.value) }, value)
  }

  /// Counts by one label, sorted by it; nothing without any.
  mutating func counts(_ name: String, _ help: String, _ label: String, _ counts: [String: Int]) {
    guard !counts.isEmpty else { return }
    head(name, "counter", help)
    for (value, count) in counts.sorted(by: { $0.key < $1.key }) {
      line(name, [(label, value)], Double(count))
    }
  }

  /// The lines of a histogram, of which `counts` has one bucket more than there are bounds.
  mutating func histogram(
    _ name: String, _ labels: [(String, String)], bounds: [Double], counts: [Int], sum: Double
  ) {
    var all = 0
    for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], counts) {
      all += count
      line("\(name)_bucket", labels + [("le", bound)], Double(all))
    }
    line("\(name)_sum", labels, sum)
    line("\(name)_count", labels, Double(all))
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  mutating func value(_ name: String, _ type: String, _ help: String, _ value: Int) {
    head(name, type, help)
    line(name, [], Double(value))
  }

  mutating func value(_ name: String, _ type: String, _ help: String, _ value: Double) {
    head(name, type, help)
    line(name, [], value)
  }
}

extension MetricsPage {
  /// Writes what every program tells of itself, by the names that Prometheus' client libraries have for it.
  mutating func writeProcess(version: String) {
    if !version.isEmpty {
      head("ozu_build_info", "gauge", "The version of the program, and for what it was built.")
      line(
        "ozu_build_info",
        [("version", version), ("architecture", Self.architecture), ("build", Self.build)], 1)
    }
    var usage = rusage()
    if getrusage(RUSAGE_SELF.rawValue, &usage) == 0 {
      value(
        "process_cpu_seconds_total", "counter", "Processor time of this process, without its decoders.",
        Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime))
    }
    var children = rusage()
    if getrusage(RUSAGE_CHILDREN.rawValue, &children) == 0 {
      value(
        "ozu_ended_decoders_cpu_seconds_total", "counter", "Processor time of decoders that have ended.",
        Self.seconds(children.ru_utime) + Self.seconds(children.ru_stime))
    }
    if let pages = Self.residentPages {
      value(
        "process_resident_memory_bytes", "gauge", "Memory of this process, without its decoders.",
        pages.saturatingProduct(Int(getpagesize())))
    }
    if let count = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      // Of these one was the folder itself.
      value("process_open_fds", "gauge", "Open files.", max(0, count - 1))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      value("process_max_fds", "gauge", "The most open files.", Double(limit.rlim_cur))
    }
    value(
      "process_start_time_seconds", "gauge", "When this process began, in seconds since 1970.",
      Self.startTime)
  }

  #if DEBUG
    private static let build = "debug"
  #else
    private static let build = "release"
  #endif

  #if arch(x86_64)
    private static let architecture = "x86_64"
  #elseif arch(arm64)
    private static let architecture = "arm64"
  #else
    private static let architecture = "other"
  #endif

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
  }

  /// The second number of `/proc/self/statm`.
  private static var residentPages: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    let parts = text.split(separator: " ")
    return parts.count > 1 ? Int(parts[1]) : nil
  }

  /// When the first service of the process was made, which is near enough to its start.
  static let startTime = Date().timeIntervalSince1970.rounded(.down)
}
