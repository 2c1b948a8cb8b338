import OzuBase
import Testing

@testable import OzuHTTP

@Suite("The text of a web address")
struct WebAddressTests {
  @Test(
    "becomes a URL: escapes in it stay, and other characters are escaped where they must be",
    arguments: [
      ("http://h/a b.png", "http://h/a%20b.png"), ("http://h/a%20b|c.png", "http://h/a%20b%7Cc.png"),
      ("http://h/F\u{F6}\u{F6}%20bar.jpg", "http://h/F%C3%B6%C3%B6%20bar.jpg"),
      ("http://h/?sig=a%2Bb%3D&x={1}", "http://h/?sig=a%2Bb%3D&x=%7B1%7D"),
      ("http://h/a%2fb%C3%a9 c", "http://h/a%2fb%C3%a9%20c"), ("http://h/100%", "http://h/100%25"),
      ("http://h/5%-a%4", "http://h/5%25-a%254"), ("http://h/%zz%41", "http://h/%25zz%41"),
      ("http://h/a[1].png?b[]=2", "http://h/a%5B1%5D.png?b%5B%5D=2"),
      ("http://h/a\"<>\\^`b", "http://h/a%22%3C%3E%5C%5E%60b"),
      ("http://h/a?b?c#d#e", "http://h/a?b?c#d%23e"),
      ("http://h/a?b=c|d#e f", "http://h/a?b=c%7Cd#e%20f"), ("  http://h/a\n", "http://h/a"),
      ("http://h/a\n\tb", "http://h/ab"), ("http://h/!$&'()*+,;=:@~-._", "http://h/!$&'()*+,;=:@~-._"),
      ("http://b\u{FC}cher.example/%C3%BC \u{FC}", "http://xn--bcher-kva.example/%C3%BC%20%C3%BC"),
      ("http://u\u{FC}:p w@b\u{FC}cher.example:81/", "http://u%C3%BC:p%20w@xn--bcher-kva.example:81/"),
      ("http://[2001:db8::1]:81/a b%20c", "http://[2001:db8::1]:81/a%20b%20c"),
      ("http://[fe80::1%25eth0]/a b", "http://[fe80::1%25eth0]/a%20b"), ("HTTP://H/a b", "HTTP://H/a%20b"),
      ("file:///tmp/a b%20c.png", "file:///tmp/a%20b%20c.png"),
      ("data:text/plain,a b%20c", "data:text/plain,a%20b%20c"),
      ("http://h?a b", "http://h?a%20b"), ("http://h/\u{1F600}", "http://h/%F0%9F%98%80"),
    ])
  func made(text: String, url: String) {
    #expect(URL(webAddress: text)?.absoluteString == url)
  }

  @Test(
    "may be relative",
    arguments: [
      ("/img/caf%C3%A9 au lait.png", "https://h:8/img/caf%C3%A9%20au%20lait.png"),
      ("c d", "https://h:8/a/c%20d"),
      ("?x=%2B|", "https://h:8/a/b?x=%2B%7C"), ("//o/a%20b c", "https://o/a%20b%20c"),
      ("../a:b c", "https://h:8/a:b%20c"),
      ("http://o/%20 ", "http://o/%20"),
    ])
  func relative(text: String, url: String) throws {
    let base = try #require(URL(string: "https://h:8/a/b?c#d"))
    #expect(URL(webAddress: text, relativeTo: base)?.absoluteString == url)
  }

  @Test("without an address makes no URL", arguments: ["", " \n", "http://a b/c"])
  func none(text: String) {
    #expect(URL(webAddress: text) == nil)
  }
}
