import Foundation

/// Writes HEIF files of one coded picture, once or as parts of a grid or an overlay.
struct HEIFWriter {
  /// The decoder's configuration, as a box of properties.
  let configuration: [UInt8]
  var coded: [UInt8]
  let size: (width: Int, height: Int)

  /// Takes the first item of a file whose bytes are in one piece.
  init?(_ file: BoxFile, size: (width: Int, height: Int)) {
    guard let configuration = file.box(["meta", "iprp", "ipco", "hvcC"]),
      let table = file.boxes(["meta", "iloc"])?.last, file.bytes[table.lowerBound + 8] == 0
    else { return nil }
    let sizes = file.integer(at: table.lowerBound + 12, 2)
    guard sizes == 0x4400 || sizes == 0x4440 || sizes == 0x4404 else { return nil }
    let base = sizes & 0xF0 == 0 ? 0 : file.integer(at: table.lowerBound + 20, 4)
    let entry = table.lowerBound + 20 + (sizes & 0xF0 == 0 ? 0 : 4)
    let offset = base + file.integer(at: entry + 2, 4)
    self.configuration = configuration
    self.size = size
    coded = Array(file.bytes[offset..<offset + file.integer(at: entry + 6, 4)])
  }

  /// A file whose picture, the first item, consists of the same coded picture twice.
  func file(
    _ kind: String, content: [UInt8], canvas: (width: Int, height: Int), configuration: [UInt8]? = nil
  ) -> Data {
    let kinds = [kind, "hvc1", "hvc1"]
    var entries: [UInt8] = []
    for (index, kind) in kinds.enumerated() {
      let head: [UInt8] = [2, 0, 0, 0] + BoxFile.big(index + 1, 2) + [0, 0]
      entries += BoxFile.box("infe", head + Array(kind.utf8) + [0])
    }
    let properties =
      (configuration ?? self.configuration) + Self.size(size.width, size.height)
      + Self.size(canvas.width, canvas.height)
    let head = BoxFile.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8))
    let handler: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0] + Array("pict".utf8) + Array(repeating: 0, count: 13)
    // The first item has the second size, the others the configuration and the first size.
    let associations: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 1, 3, 0, 2, 2, 0x81, 2, 0, 3, 2, 0x81, 2]
    func meta(_ place: Int) -> [UInt8] {
      var locations: [UInt8] = [1, 0, 0, 0, 0x44, 0, 0, 3]
      for id in 1...3 {
        // The first item is in `idat`.
        locations += BoxFile.big(id, 2) + BoxFile.big(id == 1 ? 1 : 0, 2) + [0, 0, 0, 1]
        locations +=
          BoxFile.big(id == 1 ? 0 : place, 4) + BoxFile.big(id == 1 ? content.count : coded.count, 4)
      }
      var boxes = BoxFile.box("hdlr", handler) + BoxFile.box("pitm", [0, 0, 0, 0, 0, 1])
      boxes += BoxFile.box("iinf", [0, 0, 0, 0, 0, 3] + entries)
      boxes += BoxFile.box("iref", [0, 0, 0, 0] + BoxFile.box("dimg", [0, 1, 0, 2, 0, 2, 0, 3]))
      boxes += BoxFile.box("iprp", BoxFile.box("ipco", properties) + BoxFile.box("ipma", associations))
      boxes += BoxFile.box("iloc", locations) + BoxFile.box("idat", content)
      return BoxFile.box("meta", [0, 0, 0, 0] + boxes)
    }
    let place = head.count + meta(0).count + 8
    return Data(head + meta(place) + BoxFile.box("mdat", coded))
  }

  /// The content of a grid of one row and two columns.
  static func grid(_ width: Int, _ height: Int) -> [UInt8] {
    [0, 0, 0, 1] + BoxFile.big(width, 2) + BoxFile.big(height, 2)
  }

  /// The content of an overlay on white.
  static func overlay(_ width: Int, _ height: Int, at places: [(Int, Int)]) -> [UInt8] {
    var content: [UInt8] = [0, 0] + Array(repeating: 255, count: 8)
    content += BoxFile.big(width, 2) + BoxFile.big(height, 2)
    for (x, y) in places { content += BoxFile.big(x & 0xFFFF, 2) + BoxFile.big(y & 0xFFFF, 2) }
    return content
  }

  private static func size(_ width: Int, _ height: Int) -> [UInt8] {
    BoxFile.box("ispe", [0, 0, 0, 0] + BoxFile.big(width, 4) + BoxFile.big(height, 4))
  }
}
