import Foundation
import OzuHTTP
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Heads of requests, read strictly (RFC 9112)")
struct RequestHeadTests {
  private static func read(_ text: [UInt8], pieces: Int = .max) -> Result<RequestHead?, HeadRefusal> {
    var parser = RequestHeadParser()
    var rest = text[...]
    do throws(HeadRefusal) {
      while !rest.isEmpty {
        var piece = rest.prefix(pieces)
        let count = piece.count
        if let head = try parser.take(&piece) { return .success(head) }
        rest = rest.dropFirst(count)
      }
      return .success(nil)
    } catch {
      return .failure(error)
    }
  }

  private static func status(_ result: Result<RequestHead?, HeadRefusal>) -> Int {
    switch result {
    case .success(let head): head == nil ? 0 : 200
    case .failure(let refusal): refusal.status
    }
  }

  /// 0 stands for a head that is not complete.
  static let cases: [(head: String, status: Int)] = [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    ("HEAD /a?b=c%20d HTTP/1.1\r\nhost:a\r\nAccept: */*\r\n\r\n", 200),
    ("GET / HTTP/1.0\r\n\r\n", 200),
    ("GET http://a/b HTTP/1.1\r\nHost: A\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\nHost: a\r\nX:\t b \t\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\nHost: a\r\n", 0),
    ("", 0),
    // Line ends.
    ("GET / HTTP/1.1\nHost: a\n\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n\n", 400),
    ("GET / HTTP/1.1\rHost: a\r\r", 400),
    ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n\rX", 400),
    ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    (" GET / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    // The request line.
    ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /  HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /\tHTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400),
    ("GET /\r\n\r\n", 400),
    ("GET\r\n\r\n", 400),
    ("G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET / http/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1x\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/11\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ("GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505),
    ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ("GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%2Fb%c3?%&%0 HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    ("GET /a% HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%2 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%2?b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%%20 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%2g HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /a%00 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /\u{0} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http:/// HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET http://a@b/ HTTP/1.1\r\nHost: b\r\n\r\n", 400),
    ("GET /" + String(repeating: "a", count: 8191) + " HTTP/1.1\r\nHost: a\r\n\r\n", 200),
    ("GET /" + String(repeating: "a", count: 8192) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    // Methods.
    ("POST / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
    ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 405),
    ("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
    ("get / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
    (String(repeating: "G", count: 33) + " / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    // Fields.
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost:\ta\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nhost: a\t\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nX:\ty\r\nHost: a\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\t0\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nConnection: a\tb\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: :80\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a:\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a[::1]\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n X: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: b\u{0}c\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: b\u{1}c\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX(: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: b\u{E9}\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\n" + String(repeating: "X: b\r\n", count: 99) + "Host: a\r\n\r\n", 200),
    ("GET / HTTP/1.1\r\n" + String(repeating: "X: b\r\n", count: 100) + "Host: a\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "b", count: 16_400) + "\r\n\r\n", 431),
    // Bodies and what begins them.
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", 413),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", 413),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0, 5\r\n\r\n", 413),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +0\r\n\r\n", 413),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 00\r\n\r\n", 413),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 413),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\nContent-Length: 0\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", 417),
  ]

  @Test("a head in any pieces", arguments: cases.indices)
  func table(index: Int) {
    let (head, status) = Self.cases[index]
    let bytes = Array(head.utf8)
    let whole = Self.read(bytes)
    #expect(Self.status(whole) == status, "\(head.prefix(80))")
    for pieces in [1, 2, 7] { #expect(Self.read(bytes, pieces: pieces) == whole) }
  }

  @Test(
    "reasons are few, whatever clients write: they are labels of a metric", arguments: ["hOST", "CONNECTION"])
  func reasons(name: String) {
    let refused = Self.read(Array("GET / HTTP/1.1\r\n\(name):\ta\r\n\r\n".utf8))
    #expect(refused == .failure(HeadRefusal(status: 400, reason: "a tab in \(name.capitalized)")))
  }

  @Test("the parsed head equals the sent one, and requests follow each other")
  func content() throws {
    var parser = RequestHeadParser()
    let text =
      "GET /a?b HTTP/1.1\r\nHost: h\r\nAccept:  image/webp \r\naccept: */*\r\n\r\n"
      + "HEAD http://h?x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
      + "GET /c HTTP/1.1\r\nHost: h\r\nConnection: foo, Close\r\n\r\n"
      + "GET /d HTTP/1.1\r\nHost: h\r\nConnection: x close\r\n\r\nGET"
    var rest = Array(text.utf8)[...]
    let first = try #require(try parser.take(&rest))
    #expect(first.method == "GET" && first.target == "/a?b" && first.keepsAlive)
    #expect(first.headers["Accept"] == "image/webp, */*")
    let second = try #require(try parser.take(&rest))
    #expect(second.method == "HEAD" && second.target == "/?x" && !second.keepsAlive)
    let third = try #require(try parser.take(&rest))
    #expect(third.target == "/c" && !third.keepsAlive)
    // nginx reads it in the same way.
    #expect(try parser.take(&rest)?.keepsAlive == false)
    #expect(try parser.take(&rest) == nil)
    #expect(rest.isEmpty && parser.hasBegun)
  }

  /// Mutated heads: no trap, the same answer in any pieces, and accepted heads contain no byte that another parser could read as
  /// the end of a line.
  @Test("random heads", arguments: 0..<UInt64(8))
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let marks = Array("\r\n \t:,\0\u{1}/?#@ \u{7F}".utf8) + [0x80, 0xFF]
    for _ in 0..<1500 {
      var bytes = Array(Self.cases.randomElement(using: &random)!.head.utf8.prefix(400))
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = marks.randomElement(using: &random)!
        case 1: bytes.insert(marks.randomElement(using: &random)!, at: place)
        default: bytes.remove(at: place)
        }
      }
      let whole = Self.read(bytes)
      #expect(Self.read(bytes, pieces: Int.random(in: 1...9, using: &random)) == whole)
      guard case .success(let head?) = whole else { continue }
      let texts = [head.method, head.target] + head.headers.flatMap { [$0.name, $0.value] }
      #expect(texts.allSatisfy { $0.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F } })
      #expect(head.target.hasPrefix("/") && !head.target.contains(" "))
      #expect(head.headers.values(for: "Host").count <= 1)
    }
  }
}
