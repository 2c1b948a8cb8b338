import Foundation
import Ozu

/// The other libraries, behind a Python program that runs one thumbnail for each line it is sent.
///
/// A process of its own, so that each library has its own memory and its own clock; one for the whole run, so
/// that none pays for starting up.
final class PeerProcess {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The names and versions of the libraries that are installed.
  private(set) var subjects: [String] = []
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var received = Data()

  /// Starts the program, if other libraries are wanted; where none is installed and none required, says so.
  static func start(_ peers: BenchOptions.Peers) throws -> PeerProcess? {
    guard peers != .none else { return nil }
    do {
      return try PeerProcess()
    } catch let failure as Failure where peers == .ifInstalled {
      FileHandle.standardError.write(Data("ozu-bench: without peers: \(failure)\n".utf8))
      return nil
    }
  }

  private init() throws {
    let script = Photographs.checkout.appending(path: "Benchmarks/peers.py")
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script.path(percentEncoded: false)]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    subjects = try ask(["subjects"]).split(separator: "\t").map(String.init)
    guard !subjects.isEmpty else {
      throw Failure(description: "none of the peers is installed; `make bench-peers` does it")
    }
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Makes a thumbnail with a library.
  ///
  /// - Parameter pixels: gets the raw pixels, when given.
  /// - Returns: the processor time in milliseconds; `nil` when the library cannot read the file.
  func run(_ subject: Int, _ thumbnail: ThumbnailCase, pixels: URL? = nil) throws -> Double? {
    var words = [
      "run", String(subject), String(thumbnail.size.width), String(thumbnail.size.height),
      thumbnail.file.path(percentEncoded: false),
    ]
    if let pixels { words.append(pixels.path(percentEncoded: false)) }
    return Double(try ask(words))
  }

  /// The bytes by which the resident memory of the process rose at its highest above the file, while a library made
  /// a thumbnail.
  func peak(_ subject: Int, _ thumbnail: ThumbnailCase) throws -> Int? {
    Int(
      try ask([
        "peak", String(subject), String(thumbnail.size.width), String(thumbnail.size.height),
        thumbnail.file.path(percentEncoded: false),
      ]))
  }

  /// The SSIMULACRA2 score of two files of raw pixels; `nil` when nothing there can tell.
  func score(_ size: PixelSize, _ first: URL, _ second: URL) throws -> Double? {
    Double(
      try ask([
        "score", String(size.width), String(size.height), first.path(percentEncoded: false),
        second.path(percentEncoded: false),
      ]))
  }

  private func ask(_ words: [String]) throws -> String {
    try input.fileHandleForWriting.write(contentsOf: Data((words.joined(separator: "\t") + "\n").utf8))
    while true {
      if let end = received.firstIndex(of: 10) {
        let line = received[..<end]
        received = Data(received[(end + 1)...])
        return String(decoding: line, as: UTF8.self)
      }
      let chunk = output.fileHandleForReading.availableData
      guard !chunk.isEmpty else { throw Failure(description: "the program of the peers ended early") }
      received += chunk
    }
  }
}
