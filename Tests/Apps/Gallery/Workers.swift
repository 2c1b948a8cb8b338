#if GTK
  import Foundation

  /// The processes that decode for this one, as `/proc` has them.
  enum Workers {
    /// Their numbers: of all that this process has started, and that those have started.
    static func ids() -> [String] {
      let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      var parents: [String: String] = [:]
      for id in all where Int(id) != nil { parents[id] = parent(of: id) }
      var found: [String] = []
      var next = [String(getpid())]
      while let id = next.popLast() {
        let children = parents.filter { $0.value == id }.map(\.key)
        found += children
        next += children
      }
      return found
    }

    /// The processor time of all of them, in seconds, with those that have ended.
    static func processorTime() -> Double {
      var usage = rusage()
      getrusage(Int32(RUSAGE_CHILDREN.rawValue), &usage)
      let ended = [usage.ru_utime, usage.ru_stime].reduce(0) {
        $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
      }
      return ids().reduce(ended) { sum, id in
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
        return threads.reduce(sum) { sum, thread in
          // The first number is the time in nanoseconds.
          let text =
            (try? String(contentsOfFile: "/proc/\(id)/task/\(thread)/schedstat", encoding: .utf8)) ?? ""
          return sum + (text.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e9
        }
      }
    }

    private static func parent(of id: String) -> String? {
      let text = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
      let line = text?.split(separator: "\n").first { $0.hasPrefix("PPid:") }
      return line?.split(whereSeparator: \.isWhitespace).last.map(String.init)
    }
  }
#endif
