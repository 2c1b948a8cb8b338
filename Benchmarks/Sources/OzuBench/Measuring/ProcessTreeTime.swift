#if os(Linux)
  import Foundation

  /// The processor time of this process and of those that it has started, and theirs, in microseconds.
  struct ProcessTreeTime {
    /// Before the others were asked, and after.
    private let before: Double
    private let after: Double
    private let children: Double

    static func now() -> ProcessTreeTime {
      let before = own()
      let children = childrenTime()
      return ProcessTreeTime(before: before, after: own(), children: children)
    }

    /// The difference from an earlier time, without the cost of reading it.
    func since(_ start: ProcessTreeTime) -> (own: Double, children: Double) {
      (before - start.after, children - start.children)
    }

    private static func own() -> Double { ProcessTime.now.milliseconds * 1000 }

    /// Of each process that lives, with its threads that have ended.
    private static func childrenTime() -> Double {
      descendants().reduce(0) { sum, id in
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(id, &clock) == 0, clock_gettime(clock, &time) == 0 else { return sum }
        return sum + Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
      }
    }

    /// The memory of each process that this one has started which no other shares, in megabytes.
    static func privateMegabytesOfChildren() -> [Double] {
      let parents = parents()
      return parents.filter { $0.value == getpid() }.keys.map { id in
        let text = (try? String(contentsOfFile: "/proc/\(id)/smaps_rollup", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("Private_") }.reduce(0) { sum, line in
          sum + (line.split(separator: " ").compactMap { Double($0) }.first ?? 0) / 1024
        }
      }
    }

    private static func descendants() -> [pid_t] {
      let parents = parents()
      return parents.keys.filter { id in
        var id = id
        while let parent = parents[id], parent > 1 {
          if parent == getpid() { return true }
          id = parent
        }
        return false
      }
    }

    private static func parents() -> [pid_t: pid_t] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.reduce(into: [:]) { parents, name in
        guard let id = pid_t(name),
          let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
          let end = text.lastIndex(of: ")")
        else { return }
        let fields = text[text.index(after: end)...].split(separator: " ")
        if fields.count > 1 { parents[id] = pid_t(fields[1]) }
      }
    }
  }
#endif
