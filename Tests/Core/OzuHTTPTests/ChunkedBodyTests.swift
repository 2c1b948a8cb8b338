#if os(Linux)
  import OzuTesting
  import Testing

  @testable import OzuHTTP

  @Suite("Chunks (RFC 9112 §7.1)")
  struct ChunkedBodyTests {
    // The data of bytes that come in pieces of a length, and whether the body is at its end.
    private func read(_ text: String, pieces length: Int) throws(HTTPError) -> (data: String, isEnded: Bool) {
      var body = ChunkedBody()
      var data: [UInt8] = []
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        var failure: HTTPError?
        piece.withUnsafeBytes { bytes in
          var offset = 0
          do throws(HTTPError) {
            while let range = try body.nextData(in: bytes, from: &offset) {
              // Asked again, the answer is the same until the data are taken.
              #expect(try body.nextData(in: bytes, from: &offset) == range)
              data += bytes[range]
              body.take(range.count)
              offset = range.upperBound
            }
          } catch {
            failure = error
          }
        }
        if let failure { throw failure }
      }
      return (String(decoding: data, as: UTF8.self), body.isEnded)
    }

    @Test(
      "their data are found, wherever the pieces are cut",
      arguments: [
        ("3\r\nabc\r\n0\r\n\r\n", "abc", true), ("3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde", true),
        ("3\nabc\n0\n\n", "abc", true), ("0003;x=\"y\"\r\nabc\r\n0;z\r\n\r\n", "abc", true),
        ("a\r\n0123456789\r\nA\r\nabcdefghij\r\n0\r\n\r\n", "0123456789abcdefghij", true),
        ("3 \r\nabc\r\n0\r\nA: b\r\nC: d\r\n\r\n", "abc", true), ("0\r\n\r\nbehind the end", "", true),
        ("3\r\nabc\r\n0\r\n", "abc", false), ("3\r\nabc\r\n0\r\nA: b\r\n", "abc", false),
        ("3\r\nabc\r\n", "abc", false), ("3\r\nab", "ab", false), ("3", "", false),
        ("7FFFFFFFFFFFFFFF\r\nabc", "abc", false),
      ])
    func data(_ text: String, _ data: String, _ isEnded: Bool) throws {
      for length in 1...text.utf8.count {
        let seen = try read(text, pieces: length)
        #expect(seen == (data, isEnded), "pieces of \(length)")
      }
    }

    @Test(
      "malformed ones are protocol errors, wherever the pieces are cut",
      arguments: [
        "zz\r\n", "\r\n", "-1\r\n", " 3\r\n", ";x\r\n", "8000000000000000\r\n", "FFFFFFFFFFFFFFFF\r\n",
        "00000000000000003\r\n", "3\r\nabcd\r\n", "3\r\nabc0\r\n", "3\r\nabc\rd", "3\r\nabc\r\r\n",
        "3\r\nabc\r\n\r\n",
        "0\r\n\rx", "0\r\nA: b\rc\r\n", "0\r\n" + String(repeating: "a", count: 4001),
        "0\r\n" + String(repeating: "A: \(String(repeating: "b", count: 1000))\r\n", count: 300),
      ])
    func malformed(_ text: String) {
      let pieces = text.utf8.count < 100 ? Array(1...text.utf8.count) : [1, text.utf8.count]
      for length in pieces {
        let error = #expect(throws: HTTPError.self) { try read(text, pieces: length) }
        guard case .protocolError? = error?.reason else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
    }
  }
#endif
