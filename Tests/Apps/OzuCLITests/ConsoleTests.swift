import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import OzuCLI

@Suite struct ConsoleTests {
  /// A pipe whose other end reads until it is closed.
  private final class Reader: Sendable {
    let pipe = Pipe()
    private let text: Task<String, Never>

    init(isNonBlocking: Bool = false) {
      let descriptor = pipe.fileHandleForWriting.fileDescriptor
      if isNonBlocking { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) }
      let source = pipe.fileHandleForReading
      text = Task {
        await withCheckedContinuation { continuation in
          Thread {
            continuation.resume(returning: String(decoding: source.readDataToEndOfFile(), as: UTF8.self))
          }
          .start()
        }
      }
    }

    var descriptor: Int32 { pipe.fileHandleForWriting.fileDescriptor }

    /// The lines that were written.
    func lines() async throws -> [Substring] {
      try pipe.fileHandleForWriting.close()
      return await text.value.split(separator: "\n")
    }
  }

  @Test(
    "lines longer than one write to a pipe are not mixed, from many threads, with results and messages in one pipe",
    arguments: [false, true])
  func wholeLines(isNonBlocking: Bool) async throws {
    let reader = Reader(isNonBlocking: isNonBlocking)
    let console = Console(output: reader.descriptor, error: reader.descriptor)
    let (threads, count) = (8, 60)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let left = Atomic(threads)
      for thread in 0..<threads {
        Thread {
          let line = Self.line(thread)
          for number in 0..<count { number % 2 == 0 ? console.print(line) : console.printError(line) }
          if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { continuation.resume() }
        }.start()
      }
    }
    let lines = try await reader.lines()
    let counts: [String: Int] = lines.reduce(into: [:]) { $0[String($1), default: 0] += 1 }
    #expect(counts == Dictionary(uniqueKeysWithValues: (0..<threads).map { (Self.line($0), count) }))
  }

  private static func line(_ thread: Int) -> String { String(repeating: "\(thread)", count: 9001) }

  @Test("600 answers of --json-lines with bodies above 4,096 bytes are 600 JSON objects in the pipe")
  func jsonLines() async throws {
    let server = try LoopbackServer()
    defer { server.stop() }
    server.routeRest { .ok(Data($0.path.utf8) + Data(count: 5000)) }
    let reader = Reader()
    var console = Console(output: reader.descriptor, error: reader.descriptor)
    let next = Atomic(0)
    console.readLines = {
      let number = next.add(1, ordering: .relaxed).oldValue
      return number < 600
        ? [#"{"id": \#(number), "url": "\#(server.url("/\(number)").absoluteString)"}"#] : nil
    }
    let status = await Tool.run(["fetch", "--json-lines"], console: console)
    #expect(status == .done)
    var identities: Set<Int> = []
    for line in try await reader.lines() {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      let answer = try #require(object as? [String: Any])
      let identity = try #require(answer["id"] as? Int)
      let body = (answer["body"] as? String).flatMap { Data(base64Encoded: $0) }
      #expect(body == Data("/\(identity)".utf8) + Data(count: 5000))
      identities.insert(identity)
    }
    #expect(identities.count == 600)
  }

  @Test("a result is written whole to a pipe that does not block")
  func nonBlockingResult() async throws {
    let reader = Reader(isNonBlocking: true)
    let text = String(repeating: "x", count: 200_000)
    try await BlockingWork.run { try OutputFile.write(Data(text.utf8), to: reader.descriptor) }
    #expect(try await reader.lines() == [Substring(text)])
  }

  @Test("the lines of a pipe that does not block are read to its end")
  func nonBlockingLines() async throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    let reader = LineReader(descriptor: descriptor)
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    async let lines = ChildRun.onThread {
      start.finish()
      return reader.next()
    }
    for await _ in starts {}
    try pipe.fileHandleForWriting.write(contentsOf: Data("a\n".utf8))
    #expect(await lines == ["a"])
  }

  @Test("a line that takes many reads is whole, also the last, which no line feed ends")
  func longLines() throws {
    let folder = try Folder()
    let (first, last) = (String(repeating: "a", count: 200_000), String(repeating: "b\0", count: 200_000))
    let path = try folder.write(Data("\(first)\r\n\n\(last)".utf8), to: "lines")
    let file = try #require(FileHandle(forReadingAtPath: path))
    let reader = LineReader(descriptor: file.fileDescriptor)
    var lines: [String] = []
    while let more = reader.next() { lines += more }
    #expect(lines == [first, "", last])
    // One over the limit ends with the read that reaches it.
    try file.seek(toOffset: 0)
    let begun = try #require(LineReader(descriptor: file.fileDescriptor, byteLimit: 1000).next())
    #expect(begun.count == 1 && begun[0].utf8.count <= 64 << 10)
  }

  @Test("a reader that goes away ends the writing, and nothing else")
  func closedReader() throws {
    // As `main` does.
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    let writer = DescriptorWriter()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    #expect(writer.write(Data("one".utf8), to: descriptor))
    try pipe.fileHandleForReading.close()
    #expect(!writer.write(Data("two".utf8), to: descriptor))
    #expect(!writer.write(Data("three".utf8), to: descriptor))
  }
}
