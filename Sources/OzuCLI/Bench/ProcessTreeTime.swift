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

    /// What passed since another time, without the asking itself.
    func since(_ start: ProcessTreeTime) -> (own: Double, children: Double) {
      (before - start.after, children - start.children)
    }

    private static func own() -> Double { ProcessTime.now.milliseconds * 1000 }

    /// As the scheduler has counted it, thread by thread (`/proc/PID/task/TID/schedstat`).
    private static func childrenTime() -> Double {
      descendants().reduce(0) { sum, id in
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
        return threads.reduce(sum) { sum, thread in
          let text =
            (try? String(contentsOfFile: "/proc/\(id)/task/\(thread)/schedstat", encoding: .utf8)) ?? ""
          return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e3
        }
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
