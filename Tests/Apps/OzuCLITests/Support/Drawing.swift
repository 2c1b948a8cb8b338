import Foundation

/// SVG documents for tests: good ones, and ones that crash librsvg 2.54.
enum Drawing {
  static func document(_ content: String, _ attributes: String = "width='40' height='40'") -> Data {
    Data(
      """
      <svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \(attributes)>\(content)</svg>
      """.utf8)
  }

  /// Valid documents, with shapes, colours, text, layers and references.
  static let good: [Data] = [
    document("<rect width='20' height='20' fill='#f00'/>"),
    document(
      "<circle cx='20' cy='20' r='15' fill='blue' fill-opacity='0.4' stroke='#0a0'/>", "viewBox='0 0 40 40'"),
    document("<text x='2' y='30' font-size='24'>Ozu</text>", "width='60' height='40'"),
    document(
      """
      <defs><linearGradient id='g'><stop offset='0' stop-color='red'/><stop offset='1' stop-color='#00f8'/>
      </linearGradient><filter id='b'><feGaussianBlur stdDeviation='2'/></filter><clipPath id='c'><circle r='30'/>
      </clipPath></defs><g opacity='0.5' clip-path='url(#c)'><rect width='30' height='30' fill='url(#g)'
      filter='url(#b)'/></g>
      """, "width='300' height='200'"),
    Data(
      """
      <?xml version='1.0'?><d:svg xmlns:d='http://www.w3.org/2000/svg' width='20' height='10'><d:rect width='9' height='9'/>
      </d:svg>
      """.utf8),
  ]

  /// A drawing of 8 x 4 pixels whose left half is red, compressed (SVGZ).
  static let compressed =
    Data(
      base64Encoded: """
        H4sIAAAAAAACA03MPQ6AIAxA4auwdbNEGYwBLiNISfAn0FiPrw4mzt/Ls+1M6lrL1hwQ8zEhikgnQ7fXhL3WGp8ClOTA5GAE\
        RTEnYgcGvK1x5o/Mn9SSS3FQYwD09l34G6dEds9qAAAA
        """) ?? Data()

  /// Documents of about a hundred bytes that make librsvg 2.54 abort the process.
  static let crashing: [Data] = [
    Data("<svg xmlns='http://www.w3.org/2000/svg'><text font-size='1e9'>abc</text></svg>".utf8),
    document(
      """
      <filter id='f'><feComposite in2='SourceGraphic' x='3 -3' width='0'/><feTile/></filter>
      <rect x='5' y='5' width='30' height='30' filter='url(#f)'/>
      """),
    document(
      """
      <filter id='f'><feConvolveMatrix order='24' kernelMatrix='\(repeated("1 ", 576))'/></filter>
      <rect width='30' height='30' filter='url(#f)'/>
      """),
  ]

  /// A short document that takes long to draw.
  static let turbulence = document(
    """
    <filter id='f'><feTurbulence baseFrequency='0.5' numOctaves='1000'/></filter>
    <rect width='2000' height='2000' filter='url(#f)'/>
    """, "width='2000' height='2000'")

  /// Documents that take a minute, a gigabyte, or both.
  static let swelling: [Data] = [
    turbulence,
    document(
      """
      <filter id='f'>\(repeated("<feGaussianBlur stdDeviation='40'/>", 60))</filter>
      <rect width='3000' height='3000' filter='url(#f)'/>
      """, "width='3000' height='3000'"),
    document("<defs><path id='a0' d='M0 0h1'/>\(nestedUse(8))</defs><use xlink:href='#a8'/>"),
    document("<polyline points='0,0 1e6,1e6' stroke='#000' stroke-dasharray='0.01'/>", ""),
  ]

  private static func nestedUse(_ depth: Int) -> String {
    (0..<depth).map { "<g id='a\($0 + 1)'>\(repeated("<use xlink:href='#a\($0)'/>", 8))</g>" }.joined()
  }

  private static func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }
}
