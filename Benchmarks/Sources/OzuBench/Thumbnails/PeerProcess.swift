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

  /// Reads a file with a library: a thumbnail of a size, or the whole picture.
  ///
  /// - Parameter pixels: gets the raw pixels, when given.
  /// - Returns: the processor time in milliseconds; `nil` when the library cannot read the file.
  func run(_ subject: Int, _ size: PixelSize?, _ file: URL, pixels: URL? = nil) throws -> Double? {
    var words = ["run", String(subject)] + Self.words(size, file)
    if let pixels { words.append(pixels.path(percentEncoded: false)) }
    return Double(try ask(words))
  }

  /// Reads files and makes thumbnails of them, one after the other, all of which stay in memory; the processor time in
  /// milliseconds, or `nil` when the library cannot read them.
  func runAll(_ subject: Int, _ size: PixelSize, _ files: [URL]) throws -> Double? {
    Double(
      try ask(
        ["all", String(subject), String(size.width), String(size.height)]
          + files.map { $0.path(percentEncoded: false) }))
  }

  /// Draws a card with a photograph on it, by a library that draws text.
  ///
  /// - Parameter pixels: gets the raw pixels, when given.
  /// - Returns: the processor time in milliseconds; `nil` when the library cannot draw it.
  func card(_ subject: Int, _ photo: URL, pixels: URL? = nil) throws -> Double? {
    var words = ["card", String(subject), photo.path(percentEncoded: false)]
    if let pixels { words.append(pixels.path(percentEncoded: false)) }
    return Double(try ask(words))
  }

  /// The bytes by which the resident memory of the process rose at its highest above the file, while a library made
  /// a thumbnail.
  func peak(_ subject: Int, _ size: PixelSize?, _ file: URL) throws -> Int? {
    Int(try ask(["peak", String(subject)] + Self.words(size, file)))
  }

  /// The size, which is 0 by 0 for the whole picture, and the file.
  private static func words(_ size: PixelSize?, _ file: URL) -> [String] {
    [String(size?.width ?? 0), String(size?.height ?? 0), file.path(percentEncoded: false)]
  }

  /// Has another program write a picture in the format that a name says; `nil` where none can.
  func convert(_ file: URL, to target: URL) throws -> URL? {
    let words = ["convert", file.path(percentEncoded: false), target.path(percentEncoded: false)]
    return try ask(words) == "done" ? target : nil
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
