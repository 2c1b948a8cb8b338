#if os(Linux)
  import Foundation
  @_spi(Benchmarks) import Ozu

  /// The cost of decoding in a process of its own, beside the same work in this one: processor time of both processes.
  ///
  /// Both decode the same files in turn, with memory that they keep, so that neither pays for memory that is new. The time
  /// of the processes that decode is what the kernel has counted for them.
  enum IsolationBench {
    static let name = "isolation"

    private struct Case {
      let name: String
      let data: Data
      let resize: Resize?
      let repetitions: Int
    }

    static func run(_ options: BenchOptions) throws -> BenchReport {
      var report = BenchReport(benchmark: name)
      let here = CodecRegistry.withDrawings
      if options.cases == nil {
        report.rows += starts(options.rounds)
        report.rows += SocketPairYardstick.rows(options.rounds)
      }
      let apart = CodecRegistry.isolatedForBench(domain: "bench")
      for file in try cases(here) where options.cases.map(file.name.contains) ?? true {
        func decode(_ codecs: CodecRegistry) throws {
          for _ in 0..<file.repetitions { _ = try codecs.picture(from: file.data, resize: file.resize) }
        }
        var samples: [[Double]] = [[], [], []]
        for round in 0...options.rounds {
          let start = ProcessTreeTime.now()
          try decode(here)
          let middle = ProcessTreeTime.now()
          try decode(apart)
          let end = ProcessTreeTime.now()
          guard round > 0 else { continue }
          let count = Double(file.repetitions)
          let (inside, outside) = (middle.since(start), end.since(middle))
          samples[0].append(inside.own / count)
          samples[1].append((outside.own + outside.children) / count)
          samples[2].append(outside.own / count)
        }
        for (subject, values) in zip(["in process", "isolated", "isolated, of it here"], samples) {
          report.rows.append(
            BenchReport.Row(name: file.name, subject: subject, metric: "cpu_us", samples: values, digits: 1))
        }
      }
      return report
    }

    /// The first picture of all, and the first of another format: by the clock, since much of it is waiting.
    private static func starts(_ rounds: Int) -> [BenchReport.Row] {
      let drawing = Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'/>".utf8)
      let picture = Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: true) { _, _ in .black }
      guard let png = try? CodecRegistry.standard.encode(picture, as: .png) else { return [] }
      var samples: [[Double]] = [[], [], []]
      var memory: [Double] = []
      for round in 0..<rounds {
        let codecs = CodecRegistry.isolatedForBench(domain: "start \(round)")
        for (index, data) in [png, drawing].enumerated() {
          let start = ContinuousClock.now
          _ = try? codecs.picture(from: data)
          samples[index].append((ContinuousClock.now - start).milliseconds)
        }
        memory += ProcessTreeTime.privateMegabytesOfChildren()
      }
      let rows = [
        ("first picture of a program", "wall_ms", samples[0]),
        ("first picture of another format", "wall_ms", samples[1]),
        ("memory of the zygote that is its own", "mb", memory),
      ]
      return rows.map {
        BenchReport.Row(name: $0.0, subject: "isolated", metric: $0.1, samples: $0.2, digits: 2)
      }
    }

    private static func cases(_ codecs: CodecRegistry) throws -> [Case] {
      let dot = Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: true) { _, _ in .black }
      var cases = [
        Case(
          name: "a pixel of PNG: the round trip",
          data: try codecs.encode(dot, as: .png), resize: nil, repetitions: 2000)
      ]
      let drawing = """
        <svg xmlns='http://www.w3.org/2000/svg' width='320' height='240'><rect width='320' height='240' fill='#eef'/>
        <circle cx='160' cy='120' r='80' fill='teal'/><path d='M20 200 L160 30 L300 200' fill='none' stroke='#a00'
        stroke-width='6'/></svg>
        """
      if codecs.decodableTypes.contains(.svg) {
        cases.append(
          Case(name: "SVG 320x240", data: Data(drawing.utf8), resize: nil, repetitions: 200))
      }
      guard let photo = try Photographs.load().first(where: { $0.name == "tea-gardens.jpg" }) else {
        return cases
      }
      for (type, size, repetitions) in [
        (ImageType.jpeg, PixelSize(width: 3464, height: 2310), 20),
        (.webp, PixelSize(width: 640, height: 427), 20),
        (.jxl, PixelSize(width: 4243, height: 2829), 1),
        (.avif, PixelSize(width: 1732, height: 1155), 2),
      ] where codecs.encodableTypes.contains(type) {
        let resize = Resize(size, allowsUpscaling: true)
        let picture = try codecs.picture(from: photo.data, resize: resize)
        let data = try codecs.encode(picture.bitmap, as: type, options: EncodingOptions(effort: .low))
        cases.append(
          Case(
            name: "\(type.displayName) \(picture.size) to 320x240", data: data,
            resize: Resize(PixelSize(width: 320, height: 240)), repetitions: repetitions))
      }
      return cases
    }
  }
#endif
