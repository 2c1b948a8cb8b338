import Foundation
import Ozu
import OzuTesting
import Synchronization

/// The origin of benchmarks: a process of its own, so that its work is nobody's.
///
/// Where the program cannot start itself again (in a test) it is on threads of this process, and counts against all
/// subjects alike.
final class BenchServer {
  /// Whether this process is the program of the benchmarks, and can be started again. Set by `main`.
  static let isOwnProgram = Atomic(false)

  /// The paths of the server besides photographs.
  enum Path: String, CaseIterable {
    /// A small picture's worth of bytes.
    case small = "/20kb"
    /// 90 MB.
    case large = "/90mb"
    /// A head, and a body that never comes.
    case held = "/held"
  }

  static let smallByteCount = 20_000
  static let largeByteCount = 90_000_000
  /// How many different photographs there are.
  static let photoCount = 20
  /// The size of the photographs.
  static let photoSize = PixelSize(width: 1024, height: 768)

  private static let photoPath = "/photo/"

  private let base: URL
  private let local: LoopbackServer?
  private let child: Process?
  private let input = Pipe()

  /// Starts the server.
  ///
  /// - Parameter hasPhotos: whether it makes the photographs, which takes a while; before it serves anything.
  init(hasPhotos: Bool = false) throws {
    guard Self.isOwnProgram.load(ordering: .relaxed) else {
      let server = try Self.makeServer(hasPhotos: hasPhotos)
      (local, child, base) = (server, nil, server.url("/"))
      return
    }
    let output = Pipe()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["--serve"] + (hasPhotos ? [LoadBench.name] : [])
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let url = URL(string: "http://127.0.0.1:\(text.filter(\.isNumber))/") else {
      throw CocoaError(.fileReadUnknown)
    }
    (local, child, base) = (nil, process, url)
  }

  func url(_ path: Path) -> URL { base.appending(path: path.rawValue) }

  /// The address of a photograph; every number has an address of its own, and the photographs come round.
  func photo(_ number: Int) -> URL { base.appending(path: "\(Self.photoPath)\(number).jpg") }

  func stop() {
    local?.stop()
    try? input.fileHandleForWriting.close()
    child?.waitUntilExit()
  }

  /// The work of the child process: prints its port to standard output, and serves until standard input ends.
  static func serve(hasPhotos: Bool) throws {
    let server = try makeServer(hasPhotos: hasPhotos)
    FileHandle.standardOutput.write(Data("\(server.port)\n".utf8))
    while readLine() != nil {}
    server.stop()
  }

  private static func makeServer(hasPhotos: Bool) throws -> LoopbackServer {
    let photos = hasPhotos ? try makePhotos() : []
    let server = try LoopbackServer()
    server.route(
      Path.small.rawValue, .ok(Data((0..<smallByteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })))
    server.route(Path.large.rawValue) { _ in .ok(Data(count: largeByteCount)) }
    server.route(Path.held.rawValue, .ok(Data(count: 1000)).dripping(1000, through: Gate()))
    server.routeRest { request in
      guard !photos.isEmpty, request.path.hasPrefix(photoPath),
        let number = Int(request.path.filter(\.isNumber))
      else { return .status(404) }
      return .ok(photos[number % photos.count], type: "image/jpeg")
    }
    return server
  }

  /// Different parts of the bundled photographs, as a site would offer them.
  private static func makePhotos() throws -> [Data] {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    let originals = try Photographs.load().filter { $0.name.hasSuffix(".jpg") }
    return try (0..<photoCount).map { number in
      let resize = Resize(
        PixelSize(width: 1200, height: 1200), mode: .aspectFill, crops: false, allowsUpscaling: true)
      let picture = try codecs.picture(from: originals[number % originals.count].data, resize: resize)
      let shift = number / originals.count * 20
      let part = Bitmap(size: photoSize) { x, y in picture.bitmap[x + shift, y + shift] }
      return try codecs.encode(part, as: .jpeg, options: EncodingOptions(compressionQuality: 0.85))
    }
  }
}
