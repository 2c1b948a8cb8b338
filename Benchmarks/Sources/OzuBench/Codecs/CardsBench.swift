import Foundation
import Ozu

/// A card of 1200 by 630: a gradient, a photograph in a circle and two labels, from the bytes of the photograph to pixels. Warm in a
/// process that has drawn others, and cold: the first of a new process, without the time in which the process starts.
enum CardsBench {
  static let name = "cards"

  private static let warm = "card-1200x630-warm"
  private static let cold = "card-1200x630-cold"

  static func run(_ options: BenchOptions) throws -> BenchReport {
    guard let photo = try Photographs.load().first(where: { $0.name == "canyon-wren.jpg" }) else {
      return BenchReport(benchmark: name)
    }
    let card = Card(photo: photo.data)
    if options.isFirstCard {
      let time = try Rounds.cpuMilliseconds { _ = try card.drawn() }
      FileHandle.standardOutput.write(Data("\(time)\n".utf8))
      exit(0)
    }
    var report = BenchReport(benchmark: name)
    let file = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-card-\(getpid()).jpg")
    try photo.data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let subjects = try PeerProcess.start(options.peers)?.subjects ?? []
    let vips = subjects.firstIndex { $0.hasPrefix("libvips") }
    let process = try vips == nil ? nil : PeerProcess.start(options.peers)
    var samples = (own: [Double](), peer: [Double](), ownCold: [Double](), peerCold: [Double]())
    for round in 0...options.rounds {
      let time = try Rounds.cpuMilliseconds { _ = try card.drawn() }
      let peer = try vips.flatMap { try process?.card($0, file) }
      let first = try Self.firstCard()
      let peerFirst = try vips.flatMap { try PeerProcess.start(options.peers)?.card($0, file) }
      guard round > 0 else { continue }
      samples.own.append(time)
      samples.ownCold.append(first)
      if let peer { samples.peer.append(peer) }
      if let peerFirst { samples.peerCold.append(peerFirst) }
    }
    func add(_ name: String, _ subject: String?, _ samples: [Double]) {
      guard let subject, !samples.isEmpty else { return }
      report.rows.append(
        BenchReport.Row(name: name, subject: subject, metric: "cpu_ms", samples: samples))
    }
    let peer = vips.map { subjects[$0] }
    add(warm, "ozu", samples.own)
    add(warm, peer, samples.peer)
    add(cold, "ozu", samples.ownCold)
    add(cold, peer, samples.peerCold)
    return report
  }

  /// The processor time of the first card of a new process, in milliseconds.
  private static func firstCard() throws -> Double {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [name, "--first-card"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let time = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw PeerProcess.Failure(description: "a new process has drawn no card")
    }
    return time
  }
}

/// The card, which `peers.py` draws with other libraries.
private struct Card {
  let photo: Data
  private let codecs = ImagePipeline.Configuration().decoding.codecs
  private let pool = PixelBufferPool(retainedByteLimit: 64 << 20)
  private let canvas: Ozu.Canvas

  init(photo: Data) {
    self.photo = photo
    let (night, plum) = (ColorValue(red: 22, green: 38, blue: 79), ColorValue(red: 122, green: 47, blue: 107))
    let title = Label("Every picture is decoded once", size: 84, weight: 700, color: .white, width: 660)
    let text = "Cards with text and pictures, drawn by a server"
    let line = Label(text, size: 42, color: ColorValue(red: 225, green: 215, blue: 240), width: 660)
    canvas = Ozu.Canvas(
      size: PixelSize(width: 1200, height: 630), background: .linear(angle: 135, [night, plum]),
      elements: [
        .picture(
          Ozu.Canvas.PictureFrame("photo", clip: .circle),
          Placement(x: 110, y: 175, size: PixelSize(width: 280, height: 280))),
        .label(title, Placement(x: 440, y: 120)), .label(line, Placement(x: 440, y: 420)),
      ])
  }

  func drawn() throws -> Picture {
    let context = DecodingContext(pool: pool)
    var pictures: [Ozu.Canvas.NeededPicture: Picture] = [:]
    for needed in canvas.neededPictures {
      pictures[needed] = try codecs.picture(from: photo, resize: needed.resize, context: context)
    }
    return try canvas.drawn(pictures: pictures, labels: codecs.labelDrawing, context: context)
  }
}
