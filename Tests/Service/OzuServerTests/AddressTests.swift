import Foundation
import Ozu
import OzuBase
import OzuHTTP
import OzuImaging
import OzuTesting
import Testing

@testable import OzuServer

@Suite("Addresses in imgproxy's grammar")
struct AddressTests {
  static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
  static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"
  static let now = Date(timeIntervalSince1970: 1_000_000)

  static let openRules: AddressRules = {
    var rules = AddressRules()
    rules.allowsUnsigned = true
    return rules
  }()

  static func open(_ change: (inout AddressRules) throws -> Void) rethrows -> AddressRules {
    var rules = openRules
    try change(&rules)
    return rules
  }

  static func status(_ target: String, _ rules: AddressRules) -> Int {
    do throws(AddressRefusal) {
      _ = try ImageAddress(target, rules: rules, now: now)
      return 200
    } catch {
      #expect(!error.reason.isEmpty)
      return error.status
    }
  }

  // MARK: Signatures

  @Test("HMAC-SHA-256 (RFC 4231, cases 1 to 3, 6 and 7)")
  func codes() {
    func hex(_ key: [UInt8], _ message: [UInt8]) -> String {
      SHA256.authenticationCode(of: message, key: key).map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
      }
      .joined()
    }
    let long = [UInt8](repeating: 0xAA, count: 131)
    #expect(
      hex([UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8))
        == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
    #expect(
      hex(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(
      hex([UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50))
        == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
    #expect(
      hex(long, Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    let text =
      "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
      + "hashed before being used by the HMAC algorithm."
    #expect(hex(long, Array(text.utf8)) == "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")
  }

  @Test("the example of imgproxy's documentation")
  func documentedSignature() throws {
    let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    // Its key has six bytes, fewer than are accepted here.
    let code = SHA256.authenticationCode(of: Array("hello\(path)".utf8), key: Array("secret".utf8))
    #expect(Base64URL.text(of: code) == "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8")
    let address = try ImageAddress(
      "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8" + path, rules: Self.openRules, now: Self.now)
    #expect(address.source.absoluteString == "http://example.com/images/curiosity.jpg")
    #expect(address.options.type == .png)
    #expect(address.options.gravity == .attention)
    #expect((address.options.width, address.options.height) == (300, 400))
  }

  @Test("escapes in the address of a source stay as they are")
  func escapes() throws {
    let text = "http://example.com/F\u{F6}\u{F6}%20bar|1.jpg?sig=a%2Bb"
    let address = try ImageAddress(
      "/unsafe/" + Base64URL.text(of: Array(text.utf8)), rules: Self.openRules, now: Self.now)
    #expect(address.source.absoluteString == "http://example.com/F%C3%B6%C3%B6%20bar%7C1.jpg?sig=a%2Bb")
  }

  @Test("the signature of one of several keys is accepted, at its full length")
  func rotation() throws {
    let old = try AddressKey(hexKey: Self.key, salt: Self.salt)
    let new = try AddressKey(hexKey: Self.salt, salt: Self.key)
    let short = try AddressKey(hexKey: Self.key, salt: "00", signatureByteCount: 16)
    let path = "/rs:fit:10:10/plain/https://example.com/a.png"
    for (signer, keys, status) in [
      (old, [old], 200), (old, [new, old], 200), (old, [new], 403), (short, [short], 200),
      (short, [old, short], 200),
      (old, [short], 403),
    ] {
      let signature = signer.signature(of: path)
      #expect(Self.status("/\(signature)\(path)", AddressRules(keys: keys)) == status)
      #expect(Self.status("/\(signature.dropLast())\(path)", AddressRules(keys: keys)) == 403)
      #expect(Self.status("/\(signature)A\(path)", AddressRules(keys: keys)) == 403)
      #expect(Self.status("/\(signature)\(path)x", AddressRules(keys: keys)) == 403)
      // Each bit counts.
      var bytes = try #require(Base64URL.bytes(of: signature))
      for index in bytes.indices {
        bytes[index] ^= 1
        #expect(Self.status("/\(Base64URL.text(of: bytes))\(path)", AddressRules(keys: keys)) == 403)
        bytes[index] ^= 1
      }
    }
    #expect(Self.status("/unsafe\(path)", AddressRules()) == 403)
    #expect(Self.status("/unsafe\(path)", Self.openRules) == 200)
  }

  @Test(
    "keys and salts that are not valid are refused",
    arguments: [
      ("", "00"), ("00", "00"), (key, ""), (key, "0"), (key + "0", "00"), ("zz" + key, "00"), (key, "+1"),
    ])
  func badKeys(key: String, salt: String) {
    #expect(throws: AddressRulesError.self) { _ = try AddressKey(hexKey: key, salt: salt) }
  }

  // MARK: Grammar

  static let plain = "/plain/https://example.com/a.png"

  @Test(
    "valid and invalid addresses",
    arguments: [
      ("/x/plain/https://example.com/a.png", 200), ("/x/plain/https://example.com/a.png@webp", 200),
      ("/x/rs:fill:1:1/plain/https%3A%2F%2Fexample.com%2Fa%3Fb%3D1%40c@jpg", 200),
      ("/x/aHR0cHM6Ly9leGFtcGxlLmNvbS9h", 200), ("/x/w:10/aHR0cHM6/Ly9leGFtcGxlLmNvbS9h.avif", 200),
      ("/x/aHR0cHM6Ly9leGFtcGxlLmNvbS8=", 200),
      ("", 404), ("/", 404), ("/x", 404), ("/x/", 404), ("x/plain/https://example.com/a", 404),
      ("/x/plain/https://example.com/a?b", 404), ("/x/w:10", 404), ("/x/$$$", 404), ("/x/a.b.c", 404),
      ("/x/plain/", 400), ("/x/plain/a.png", 400), ("/x/plain/https://a.test/b@c@png", 400),
      ("/x/raw:1/plain/https://a.test/b@svg", 200), ("/x/raw:1/aHR0cHM6Ly9leGFtcGxlLmNvbS9h.pdf", 200),
      ("/x/plain/https://a.test/b@svg", 400), ("/x/plain/https://a.test/%zz", 400),
      ("/x/plain/https://a.test/%ff", 400),
      ("/x/plain/file:///etc/passwd", 403), ("/x/plain/data:image/png;base64,AA", 403),
      ("/x/plain/https://user:pw%40a.test/b", 403), ("/x/plain/ftp://a.test/b", 403),
      ("/x/plain/https:///b", 403),
      ("/x/" + String(repeating: "w:1/", count: 64) + "plain/https://a.test/b", 200),
      ("/x/" + String(repeating: "w:1/", count: 65) + "plain/https://a.test/b", 400),
      ("/x/plain/https://a.test/" + String(repeating: "b", count: 8192), 414),
    ])
  func grammar(target: String, status: Int) { #expect(Self.status(target, Self.openRules) == status) }

  @Test(
    "a format that is written is asked for by each of its endings, and no other is",
    arguments: ImageFormat.known)
  func formats(format: ImageFormat) {
    for ending in format.endings {
      let status = format.isWritten ? 200 : 400
      #expect(Self.status("/x/plain/https://a.test/b@\(ending)", Self.openRules) == status)
      #expect(Self.status("/x/fq:\(ending):50/plain/https://a.test/b", Self.openRules) == status)
    }
  }

  @Test(
    "the slashes behind a scheme that a proxy has made one count as those that were signed",
    arguments: [
      ("https://example.com/a.png", "https:/example.com/a.png", 200),
      ("https://example.com/a:/b.png", "https:/example.com/a:/b.png", 200),
      ("local:///a/b.png", "local:/a/b.png", 200), ("local://a/b.png", "local:/a/b.png", 403),
      ("https:/example.com/a.png", "https:/example.com/a.png", 403),
    ])
  func slashes(signed: String, asked: String, status: Int) throws {
    let key = try AddressKey(hexKey: Self.key, salt: Self.salt)
    var rules = AddressRules(keys: [key])
    rules.folders = ["", "a"]
    let options = "/rs:fit:9:/plain/"
    let target = "/\(key.signature(of: options + signed))\(options + asked)"
    #expect(Self.status(target, rules) == status)
    rules.folders = ["a"]
    #expect(Self.status(target, rules) == (signed.hasPrefix("local") ? 603 - status : status))
  }

  @Test(
    "flags in the forms of imgproxy",
    arguments: [("t", true), ("T", true), ("TRUE", true), ("True", true), ("F", false), ("False", false)])
  func flags(text: String, isSet: Bool) throws {
    let address = try ImageAddress(
      "/x/el:1/rs:fit:9:9:\(text)\(Self.plain)", rules: Self.openRules, now: Self.now)
    #expect(address.options.enlarges == isSet)
  }

  @Test(
    "options that are refused",
    arguments: [
      "rs:big:1:1", "rs:fit:-1:1", "rs:fit:1e3:1", "rs:fit:99999999999999999999:1", "w:1:2",
      "w:x", "el:yes", "el:tRUE",
      "g:up", "g:fp:2:0", "g:sm:1", "g:fp:nan:0", "rot:45", "rot:", "ar:0", "bl:1000", "bl:-1", "q:101",
      "fq:jpg", "fq:svg:80",
      "f:svg", "f:", "bg:12", "bg:300:0:0", "bg:+12345", "pd:1:2:3:4:5", "dpr:9", "dpr:0", "unknown:1", ":",
      "raw:2", "wm:", "wm:2", "wm:1:up", "wm:1:ch", "wm:1:ce:x", "wm:1:ce:0:0:-1", "wm:1:ce:0:0:0:0", "aq:1",
      "aq:dssim:0.01", "aq:ml:80", "aq:ssimulacra2", "aq:ssimulacra2:20", "aq:size",
      "skp:doc", "msr:-1", "msr:x", "msfs:1.5", "maf:0", "maf:", "mafr:a", "mrd:-1", "eth:2", "ph:x",
      "fn:a%2Fb", "fn:_:1", "exp:x", "mb:-5", "c:1:1:up", "pr:none",
      "rs:fit:1:1:0:0:ce:0:0:0", "kcr:2", "z:0", "z:-1", "z:1:1:1", "z:101", "mw:-1", "mw:1:2", "mh:x",
      "ex:1:sm",
      "exar:1:sm", "exar:2", "c:1.5:1", "c:-0.5:1", "g:ce:1e3:0", "g:ce:70000", "rot:89.9", "rot:90000",
      "pix:-1", "pix:1:2", "t:1:red", "t:1:ff00", "t:1:fff:2", "t:1:fff:1:1:1",
      "rs:fit:1:1:0:1:sm",
    ])
  func refused(option: String) { #expect(Self.status("/x/\(option)\(Self.plain)", Self.openRules) == 400) }

  @Test(
    "an option of imgproxy's Pro edition is refused as such",
    arguments: [
      ("pbl:1", "this option of imgproxy Pro is not supported"),
      ("wm:1:ch", "this position of imgproxy Pro is not supported"),
      ("page:1", "this option of imgproxy Pro is not supported"),
      ("hashsum:sha256:00", "this option of imgproxy Pro is not supported"),
      ("unknown:1", "there is no such option"),
      ("f:bmp", "this format is read here and not written: png and webp keep every pixel in fewer bytes"),
      ("f:tiff", "this format is read here and not written: png and webp keep every pixel in fewer bytes"),
      ("fq:ico:80", "this format is read here and not written: png and webp keep every pixel in fewer bytes"),
      ("f:best", "imgproxy Pro's choice is not supported: without a format Accept decides"),
    ])
  func unsupported(option: String, reason: String) {
    let error = #expect(throws: AddressRefusal.self) {
      try ImageAddress("/x/\(option)\(Self.plain)", rules: Self.openRules, now: Self.now)
    }
    #expect(error == AddressRefusal(status: 400, reason: "\(option): \(reason)"))
  }

  @Test("an expired address is refused with this reason")
  func expiry() throws {
    #expect(Self.status("/x/exp:1000001\(Self.plain)", Self.openRules) == 200)
    #expect(Self.status("/x/exp:1000000\(Self.plain)", Self.openRules) == 404)
    #expect(Self.status("/x/exp:0\(Self.plain)", Self.openRules) == 200)
    // What is meant to last for ever, and milliseconds by mistake.
    #expect(Self.status("/x/exp:9999999999\(Self.plain)", Self.openRules) == 200)
    #expect(Self.status("/x/exp:1767225600000\(Self.plain)", Self.openRules) == 200)
    let error = #expect(throws: AddressRefusal.self) {
      try ImageAddress("/x/rot:45\(Self.plain)", rules: Self.openRules, now: Self.now)
    }
    #expect(error?.reason == "rot:45: a multiple of 90 is needed")
  }

  @Test("presets stand for options, and may be the only options")
  func presets() throws {
    let rules = try Self.open {
      try $0.definePreset("default", options: "q:33")
      try $0.definePreset("thumb", options: "rs:fill:100:80/q:50")
      try $0.definePreset("wide", options: "w:500")
    }
    let address = try ImageAddress("/x/pr:thumb:wide/h:7\(Self.plain)", rules: rules, now: Self.now)
    #expect(
      (address.options.width, address.options.height, address.options.quality, address.options.resizing)
        == (500, 7, 50, .fill))
    #expect(try ImageAddress("/x\(Self.plain)", rules: rules, now: Self.now).options.quality == 33)
    var strict = rules
    strict.onlyPresets = true
    let named = try ImageAddress("/x/thumb:wide\(Self.plain)", rules: strict, now: Self.now)
    #expect((named.options.width, named.options.height) == (500, 80))
    #expect(Self.status("/x\(Self.plain)", strict) == 200)
    #expect(Self.status("/x/w:500\(Self.plain)", strict) == 400)
    #expect(Self.status("/x/thumb/w:500\(Self.plain)", strict) == 404)
    _ = try Self.open {
      try $0.definePreset("thumb", options: "rs:fill:100:80/q:50")
      try $0.definePreset("card", options: "q:20/pr:thumb/h:9")
      let address = try ImageAddress("/x/pr:card\(Self.plain)", rules: $0, now: Self.now)
      #expect((address.options.width, address.options.height, address.options.quality) == (100, 9, 50))
      $0.allowedOptions = ["pr", "preset", "w"]
      #expect(Self.status("/x/pr:card/w:5\(Self.plain)", $0) == 200)
      #expect(Self.status("/x/pr:card/h:5\(Self.plain)", $0) == 400)
    }
    for (name, options) in [("a:b", "w:1"), ("", "w:1"), ("a", "w:x"), ("a", "pr:thumb")] {
      #expect(throws: AddressRulesError.self) {
        try Self.open { try $0.definePreset(name, options: options) }
      }
    }
  }

  // MARK: Sources

  @Test(
    "sources must match the patterns",
    arguments: [
      ("https://example.com/images/", "https://example.com/images/a.png", true),
      ("https://example.com/images/", "HTTPS://EXAMPLE.COM/images/a.png", true),
      ("https://example.com/images/", "https://example.com/other/a.png", false),
      ("https://example.com/images/", "https://example.com/images/../secret/a.png", false),
      ("https://example.com/images/", "https://example.com/images/%2e%2e/secret/a.png", false),
      ("https://example.com/images/", "https://example.com.evil.test/images/a.png", false),
      ("https://example.com/images/", "https://example.com:8443/images/a.png", false),
      ("https://example.com/images/", "http://example.com/images/a.png", false),
      ("https://example.com/images/", "https://example.com@evil.test/images/a.png", false),
      ("https://example.com", "https://example.com", true),
      ("https://example.com", "https://example.com/a", true),
      ("https://example.com", "https://example.community/a", false),
      ("https://*.example.com/", "https://a.example.com/b", true),
      ("https://*.example.com/", "https://a.b.example.com/b", true),
      ("https://*.example.com/", "https://example.com/b", false),
      ("https://*.example.com/", "https://evil.test/x.example.com/b", false),
      ("https://example.com/*/public/", "https://example.com/team/public/a", true),
      ("https://example.com/*/public/", "https://example.com/team/private/public/a", false),
    ])
  func sources(pattern: String, source: String, isAllowed: Bool) throws {
    let rules = Self.open { $0.sources = ["http://never.test/", pattern] }
    #expect(try rules.allows(#require(URL(string: source))) == isAllowed)
  }
}
