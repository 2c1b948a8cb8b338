import Foundation
import OzuTesting
import Testing

@testable import OzuSharedStores

@Suite("Replies of Redis are parsed strictly, for every split into pieces")
struct RESPParserTests {
  private static let replies: [(bytes: String, values: [RESPValue])] = [
    ("+OK\r\n", [.simple("OK")]),
    (
      "-ERR no\r\n:0\r\n:-17\r\n:9223372036854775807\r\n",
      [
        .error("ERR no"), .integer(0), .integer(-17), .integer(.max),
      ]
    ),
    ("$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n", [.bulk(Data()), .null, .null, .array([])]),
    ("$7\r\na\r\nb\r\nc\r\n", [.bulk(Data("a\r\nb\r\nc".utf8))]),
    (
      "*2\r\n$1\r\n0\r\n*3\r\n$1\r\na\r\n*0\r\n:5\r\n+next\r\n",
      [
        .array([.bulk(Data("0".utf8)), .array([.bulk(Data("a".utf8)), .array([]), .integer(5)])]),
        .simple("next"),
      ]
    ),
  ]

  private func parse(_ pieces: [[UInt8]], limits: RESPLimits = RESPLimits()) throws -> [RESPValue] {
    var parser = RESPParser(limits: limits)
    var values: [RESPValue] = []
    for piece in pieces {
      piece.withUnsafeBytes { parser.append($0) }
      while let value = try parser.next() { values.append(value) }
    }
    return values
  }

  @Test("split after every byte, after every two, and into single bytes", arguments: replies)
  func splits(bytes: String, values: [RESPValue]) throws {
    let bytes = Array(bytes.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]].map { Array($0) }
        #expect(try parse(pieces) == values)
      }
    }
    #expect(try parse(bytes.map { [$0] }) == values)
  }

  private static let hostile = [
    "\r\n", "\n", "OK\r\n", "+OK\n", "+O\rK\r\n", ":\r\n", ":1 \r\n", ":+1\r\n", ":01\r\n", ":-0\r\n",
    ":1a\r\n",
    ":9223372036854775808\r\n", "$-2\r\n", "$1\r\nab\r\n", "$1\r\na\n\n", "$01\r\na\r\n", "$1025\r\n",
    "*-2\r\n",
    "*11\r\n", "$99999999999999999999\r\n", "*99999999999999999999\r\n", "*1\r\n*1\r\n*1\r\n*1\r\n",
    "*6\r\n*6\r\n", "%1\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", ">1\r\n", "=5\r\ntxt:a\r\n", "(1\r\n", "\0\r\n",
    "*3\r\n$900\r\n" + String(repeating: "x", count: 900) + "\r\n$900\r\n",
    "+" + String(repeating: "x", count: 65), "-" + String(repeating: "x", count: 65) + "\r\n",
  ]

  @Test(
    "bytes that are not RESP2, or exceed a limit, are an error at once and for all later calls",
    arguments: hostile)
  func refuses(bytes: String) throws {
    var limits = RESPLimits()
    (limits.lineByteCount, limits.bulkByteCount, limits.replyByteCount) = (64, 1024, 1500)
    (limits.elementCount, limits.depth) = (10, 3)
    for step in [1, 3, bytes.utf8.count] {
      var parser = RESPParser(limits: limits)
      var rest = Array(bytes.utf8)[...]
      var failure: RESPError?
      while !rest.isEmpty, failure == nil {
        Array(rest.prefix(step)).withUnsafeBytes { parser.append($0) }
        rest = rest.dropFirst(step)
        do throws(RESPError) { #expect(try parser.next() == nil) } catch { failure = error }
      }
      let found = try #require(failure, "after \(step) bytes at a time")
      Array("+OK\r\n".utf8).withUnsafeBytes { parser.append($0) }
      #expect(throws: found) { try parser.next() }
    }
  }

  @Test("a reply with the largest allowed values is accepted")
  func atTheLimits() throws {
    var limits = RESPLimits()
    (limits.lineByteCount, limits.bulkByteCount, limits.elementCount, limits.depth) = (5, 4, 3, 3)
    #expect(try parse([Array("+abcd\r\n".utf8)], limits: limits) == [.simple("abcd")])
    #expect(try parse([Array("*1\r\n*1\r\n*1\r\n$4\r\nabcd\r\n".utf8)], limits: limits).count == 1)
  }

  @Test("random bytes give replies or an error, and every reply is read back", arguments: 1...20)
  func random(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    func value(_ depth: Int) -> (String, RESPValue) {
      switch Int.random(in: 0...(depth > 0 ? 5 : 4), using: &generator) {
      case 0: return ("+ab\r\n", .simple("ab"))
      case 1: return ("-E x\r\n", .error("E x"))
      case 2:
        let number = Int64.random(in: .min ... .max, using: &generator)
        return (":\(number)\r\n", .integer(number))
      case 3: return ("$-1\r\n", .null)
      case 4:
        let text = String(repeating: "z", count: Int.random(in: 0...300, using: &generator))
        return ("$\(text.count)\r\n\(text)\r\n", .bulk(Data(text.utf8)))
      default:
        let parts = (0..<Int.random(in: 0...4, using: &generator)).map { _ in value(depth - 1) }
        return ("*\(parts.count)\r\n" + parts.map(\.0).joined(), .array(parts.map(\.1)))
      }
    }
    let whole = (0..<20).map { _ in value(3) }
    var bytes = Array(whole.map(\.0).joined().utf8)
    var pieces: [[UInt8]] = []
    while !bytes.isEmpty {
      let count = min(bytes.count, Int.random(in: 1...200, using: &generator))
      pieces.append(Array(bytes.prefix(count)))
      bytes.removeFirst(count)
    }
    #expect(try parse(pieces) == whole.map(\.1))
    // Noise must neither trap nor loop.
    var parser = RESPParser()
    for _ in 0..<50 {
      let noise = (0..<40).map { _ in Array("+-:$*0129\r\n\r\n a".utf8).randomElement(using: &generator) ?? 0
      }
      noise.withUnsafeBytes { parser.append($0) }
      do throws(RESPError) { while try parser.next() != nil {} } catch { parser = RESPParser() }
    }
  }

  @Test("commands are arrays of bulk strings with any bytes")
  func commands() throws {
    let command = RESPCommand("SET", .text("k\r\n"), .data(Data([0, 13, 10, 255])), 12)
    let text = command.bytes.map { $0 == 255 ? "#" : String(UnicodeScalar($0)) }.joined()
    #expect(text == "*4\r\n$3\r\nSET\r\n$3\r\nk\r\n\r\n$4\r\n\0\r\n#\r\n$2\r\n12\r\n")
  }
}
