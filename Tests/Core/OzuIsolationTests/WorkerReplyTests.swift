#if os(Linux)
  import Foundation
  import OzuImaging
  import Testing

  @testable import OzuIsolation

  @Suite("The replies of a worker are checked")
  struct WorkerReplyTests {
    static func datagram(
      _ kind: WorkerHead.Kind, token: UInt64 = 7, output: UInt64 = 0, message: Int = 0
    ) -> [UInt8] {
      var head = WorkerHead(kind, token: token)
      head.outputByteCount = output
      return withUnsafeBytes(of: head) { Array($0) } + [UInt8](repeating: 1, count: message)
    }

    struct Case: CustomTestStringConvertible, Sendable {
      var testDescription: String
      var datagram: [UInt8]
      var sent: Int?
      var reply: WorkerReply?
      var failure: DecoderFailure?

      init(_ name: String, _ datagram: [UInt8], sent: Int? = nil, _ reply: WorkerReply) {
        (testDescription, self.datagram, self.sent, self.reply) = (name, datagram, sent, reply)
      }

      init(_ name: String, _ datagram: [UInt8], sent: Int? = nil, _ failure: DecoderFailure) {
        (testDescription, self.datagram, self.sent, self.failure) = (name, datagram, sent, failure)
      }
    }

    static let cases = [
      Case("an answer", datagram(.answer, output: 4096, message: 5), .answer(payloadByteCount: 4096)),
      Case("an answer without a payload", datagram(.answer), .answer(payloadByteCount: 0)),
      Case("more memory", datagram(.more, output: 4097), .more(byteCount: 4097)),
      Case("all memory", datagram(.more, output: 10_000), .more(byteCount: 10_000)),
      Case(
        "a payload longer than its segment", datagram(.answer, output: 4097),
        .wrongAnswer("4097 bytes of 4096")),
      Case(
        "a payload without an end", datagram(.answer, output: .max),
        .wrongAnswer("\(UInt64.max) bytes of 4096")),
      Case("another request", datagram(.answer, token: 8), .wrongAnswer("to another request")),
      Case("no head", [], .wrongAnswer("not in the protocol of workers")),
      Case(
        "half a head", Array(datagram(.answer).dropLast()), .wrongAnswer("not in the protocol of workers")),
      Case(
        "another magic", [0] + datagram(.answer).dropFirst(), .wrongAnswer("not in the protocol of workers")),
      Case("cut off", datagram(.answer), sent: 1 << 20, .wrongAnswer("a message of 1048576 bytes")),
      Case("a request", datagram(.request), .wrongAnswer("a message of another kind")),
      Case("ready again", datagram(.ready), .wrongAnswer("a message of another kind")),
      Case(
        "memory it has", datagram(.more, output: 4096),
        .wrongAnswer("it asked for memory that it already has")),
      Case("too much", datagram(.more, output: 10_001), .stopped(.memory(byteCount: 10_000))),
      Case("far too much", datagram(.more, output: .max), .stopped(.memory(byteCount: 10_000))),
    ]

    @Test("a segment that an earlier request has made long gives the next one no more memory")
    func longSegment() {
      let datagram = Self.datagram(.answer, output: 4096)
      #expect(throws: DecoderFailure.wrongAnswer("4096 bytes of 4095")) {
        try datagram.withUnsafeBytes {
          try WorkerReply(
            $0, sentByteCount: datagram.count, token: 7, outputByteCount: 1 << 20, memoryByteCount: 4095)
        }
      }
    }

    @Test("only an answer to the request, inside its memory, is accepted", arguments: cases)
    func check(_ test: Case) throws {
      let result = test.datagram.withUnsafeBytes { bytes in
        Result { () throws(DecoderFailure) in
          try WorkerReply(
            bytes, sentByteCount: test.sent ?? test.datagram.count, token: 7, outputByteCount: 4096,
            memoryByteCount: 10_000)
        }
      }
      switch result {
      case .success(let reply): #expect(reply == test.reply)
      case .failure(let failure): #expect(failure == test.failure)
      }
    }
  }
#endif
