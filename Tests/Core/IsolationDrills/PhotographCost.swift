#if os(Linux)
  import Foundation
  import Glibc
  import OzuImaging
  import OzuIsolation
  import OzuStandardCodecs

  /// The processor time and the wall time of a thumbnail of a JPEG of 8 megapixels, isolated and in this process in turn.
  enum PhotographCost {
    private static let roundCount = 60
    private static let pictureCount = 5

    static func run(file: String) throws -> Never {
      let here = CodecRegistry.standard
      let size = Resize(PixelSize(3264, 2448), mode: .aspectFill, crops: true, allowsUpscaling: true)
      let large = try here.picture(from: Data(contentsOf: URL(filePath: file)), resize: size)
      let photograph = try here.encode(large, as: .jpeg)
      let helper = FileManager.default.temporaryDirectory.appending(path: Pictures.name)
      try? FileManager.default.removeItem(at: helper)
      try FileManager.default.createSymbolicLink(
        atPath: helper.path, withDestinationPath: "/proc/\(getpid())/exe")
      var apart = here
      var settings = DecoderIsolation(.required, helper: .program(helper.path), processLimit: 1)
      // The processor time of a process that was replaced would be lost.
      settings.pictureLimit = .max
      let isolation = apart.isolate(settings)
      // Starts the helper and its worker.
      guard try apart.picture(from: photograph, resize: thumbnail).isIsolated else {
        fatalError("not isolated")
      }
      let processes = [getpid()] + children(of: getpid()).flatMap { [$0] + children(of: $0) }
      var (inside, outside): ([Cost], [Cost]) = ([], [])
      for _ in 0..<roundCount {
        inside.append(try cost(here, photograph, processes))
        outside.append(try cost(apart, photograph, processes))
      }
      print(
        "\(photograph.count) bytes, the least of \(roundCount) rounds of \(pictureCount), in us a picture")
      for (name, of) in [("wall", \Cost.wall), ("processor", \Cost.processor)]
        as [(String, KeyPath<Cost, Double>)]
      {
        let (here, apart) = (least(inside.map { $0[keyPath: of] }), least(outside.map { $0[keyPath: of] }))
        print(
          String(
            format: "%-10@ in process %9.1f, isolated %9.1f, %+7.1f, %+5.2f %%", name as NSString, here,
            apart,
            apart - here, (apart / here - 1) * 100))
      }
      print(
        String(format: "processor  of it in the app, isolated: %9.1f", least(outside.map(\.ofApp))))
      print(isolation.map { $0.status.description } ?? "")
      try? FileManager.default.removeItem(at: helper)
      exit(0)
    }

    private static let thumbnail = Resize(PixelSize(320, 240))

    private struct Cost {
      let wall: Double
      let processor: Double
      let ofApp: Double
    }

    private static func cost(_ codecs: CodecRegistry, _ data: Data, _ processes: [pid_t]) throws -> Cost {
      let (wall, time) = (ContinuousClock.now, processorTime(processes))
      let timeOfApp = processorTime([getpid()])
      for _ in 0..<pictureCount { _ = try codecs.picture(from: data, resize: thumbnail) }
      let count = Double(pictureCount)
      return Cost(
        wall: (ContinuousClock.now - wall) / .microseconds(1) / count,
        processor: (processorTime(processes) - time) / count,
        ofApp: (processorTime([getpid()]) - timeOfApp) / count)
    }

    /// In microseconds, of all threads.
    private static func processorTime(_ processes: [pid_t]) -> Double {
      processes.reduce(0) { sum, process in
        var (clock, time) = (clockid_t(), timespec())
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return sum }
        return sum + Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
      }
    }

    private static func children(of parent: pid_t) -> [pid_t] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap { pid_t($0) }.filter { process in
        let line = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 1 && pid_t(fields[1]) == parent
      }
    }

    /// Others on the machine only add time.
    private static func least(_ values: [Double]) -> Double { values.min() ?? 0 }
  }
#endif
