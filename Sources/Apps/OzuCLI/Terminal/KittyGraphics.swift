import Foundation

/// Pictures for terminals with the graphics protocol of kitty (sw.kovidgoyal.net/kitty/graphics-protocol): a PNG in
/// base64, in chunks.
enum KittyGraphics {
  /// Asks a terminal whether it knows the protocol: one pixel, which is not shown.
  static let query = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
  /// The beginning of the answer of a terminal that knows it.
  static let answer = "\u{1B}_Gi=31;OK"

  private static let chunkLength = 4096

  /// The control sequences that show a PNG at the cursor. The terminal is asked not to answer (`q=2`).
  static func text(png: Data) -> String {
    let encoded = [UInt8](png.base64EncodedData())
    var text = ""
    for start in stride(from: 0, to: encoded.count, by: chunkLength) {
      let end = min(start + chunkLength, encoded.count)
      let control = (start == 0 ? "a=T,f=100,q=2," : "") + "m=\(end < encoded.count ? 1 : 0)"
      text += "\u{1B}_G\(control);\(String(decoding: encoded[start..<end], as: UTF8.self))\u{1B}\\"
    }
    return text
  }
}
