import Foundation
import OzuImaging

/// Writes camera RAW files for tests: JPEGs where the files of each maker have them.
struct RAWFile {
  var type: ImageType
  var isBigEndian = false
  var orientation = 1
  /// The largest preview.
  var large: [UInt8]
  /// A smaller one; not in RAF, which has one preview only.
  var small: [UInt8]
  var thumbnail: [UInt8]
  /// The size of the sensor.
  var size = PixelSize(900, 600)
  /// By ISO, in the details of all makers except Panasonic.
  var sensitivity = 320
  var hasPreviews = true

  /// A lossless JPEG, as which some cameras store the pixels of the sensor: as far as its first scan.
  static let sensorJPEG: [UInt8] =
    [
      0xFF, 0xD8, 0xFF, 0xC3, 0, 11, 8, 4, 0, 6, 0, 1, 0, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 0, 0, 1, 0, 0, 0xFF,
      0xD9,
    ]

  var data: Data {
    switch type {
    case .raf: fujifilm
    case .cr3: boxes
    default: Data(directories)
    }
  }

  // MARK: Directories

  private typealias Field = TIFFWriter.Field

  private var directories: [UInt8] {
    var file = TIFFWriter(isBigEndian: isBigEndian)
    switch type {
    case .orf: file.bytes.replaceSubrange(0..<4, with: Array((isBigEndian ? "MMOR" : "IIRO").utf8))
    case .rw2: file.bytes.replaceSubrange(0..<4, with: Array("IIU\0".utf8))
    case .cr2: file.bytes += [0x43, 0x52, 2, 0, 0, 0, 0, 0]
    default: break
    }
    let makers: [ImageType: String] = [
      .dng: "Leica", .nef: "NIKON CORPORATION", .cr2: "Canon", .arw: "SONY", .pef: "PENTAX", .srw: "SAMSUNG",
      .orf: "OLYMPUS CORPORATION", .rw2: "Panasonic", .raw: "Hasselblad",
    ]
    var first: [Field] = [
      (271, .text(makers[type] ?? "")), (272, .text("Model 1")), (274, .shorts([orientation])),
    ]
    var details: [Field] = [
      (0x9003, .text("2024:05:06 07:08:09")), (0xA002, .longs([size.width])), (0xA003, .longs([size.height])),
    ]
    if type != .rw2 { details.append((0x8827, .shorts([sensitivity]))) }
    let pixels = file.append(Self.sensorJPEG)
    let sensor: [Field] = [
      (254, .longs([0])), (256, .longs([size.width])), (257, .longs([size.height])), (259, .shorts([7])),
      (262, .shorts([32803])), (273, .longs([pixels])), (279, .longs([Self.sensorJPEG.count])),
    ]
    let colors: [Field] = [
      (254, .longs([1])), (256, .longs([2])), (257, .longs([2])), (258, .shorts([8, 8, 8])),
      (259, .shorts([1])),
      (262, .shorts([2])), (273, .longs([pixels])), (277, .shorts([3])), (278, .longs([2])),
      (279, .longs([12])),
    ]
    let largeField = interchange(large, &file)
    let smallField = interchange(small, &file)
    let thumbnailField = interchange(thumbnail, &file)
    switch type {
    case .dng, .raw:
      let previews = hasPreviews ? [strip(large, &file), strip(small, &file)] : []
      let all = ([sensor] + previews).map { file.directory($0) }
      first += colors + [(330, .longs(all))]
      if type == .dng { first.append((50706, .bytes([1, 4, 0, 0]))) }
    case .nef:
      let all = ((hasPreviews ? [largeField] : []) + [sensor]).map { file.directory($0) }
      first += colors + [(330, .longs(all))]
      if hasPreviews { details.append((37500, .bytes(nikonNote))) }
    case .cr2:
      let last = file.directory(sensor.filter { $0.tag != 262 })
      let third = file.directory(colors, next: last)
      let second = file.directory(hasPreviews ? smallField : thumbnailField, next: third)
      first += hasPreviews ? strip(large, &file).filter { $0.tag != 254 } : []
      file.first = finish(&file, first, details, next: second)
      return file.finished
    case .arw:
      let third = file.directory(hasPreviews ? largeField : [])
      let second = file.directory(thumbnailField, next: hasPreviews ? third : 0)
      first += (hasPreviews ? smallField : []) + [(330, .longs([file.directory(sensor)]))]
      file.first = finish(&file, first, details, next: second)
      return file.finished
    case .pef:
      let third = file.directory(hasPreviews ? largeField : [])
      let second = file.directory(thumbnailField, next: hasPreviews ? third : 0)
      first += sensor
      if hasPreviews {
        let order: [UInt8] = Array("AOC\0".utf8) + Array((isBigEndian ? "MM" : "II").utf8)
        let place = file.append(small)
        details.append(
          (37500, .bytes(order + file.table([(3, .longs([small.count])), (4, .longs([place]))]))))
      }
      file.first = finish(&file, first, details, next: second)
      return file.finished
    case .srw:
      let all = ([sensor] + (hasPreviews ? [smallField] : [])).map { file.directory($0) }
      first += colors + [(330, .longs(all))]
      if hasPreviews {
        let inner = file.directory(largeField)
        details.append((37500, .bytes(file.table([(0x35, .longs([inner]))]))))
      }
    case .orf:
      first += [(256, .longs([size.width])), (257, .longs([size.height]))]
      if hasPreviews { details.append((37500, .bytes(olympusNote))) }
    case .rw2:
      first += [
        (4, .shorts([10])), (5, .shorts([20])), (6, .shorts([10 + size.height])),
        (7, .shorts([20 + size.width])), (0x17, .shorts([sensitivity])),
      ]
      if hasPreviews { first += [(0x2E, .bytes(large)), (0x127, .bytes(small))] }
    default: break
    }
    file.first = finish(&file, first, details, next: 0)
    return file.finished
  }

  private func finish(
    _ file: inout TIFFWriter, _ first: [Field], _ details: [Field], next: Int
  ) -> Int {
    let inner = file.directory(details)
    return file.directory(first + [(34665, .longs([inner]))], next: next)
  }

  private func interchange(_ jpeg: [UInt8], _ file: inout TIFFWriter) -> [Field] {
    [
      (254, .longs([1])), (259, .shorts([6])), (513, .longs([file.append(jpeg)])),
      (514, .longs([jpeg.count])),
    ]
  }

  private func strip(_ jpeg: [UInt8], _ file: inout TIFFWriter) -> [Field] {
    [
      (254, .longs([1])), (259, .shorts([type == .cr2 ? 6 : 7])), (262, .shorts([6])),
      (273, .longs([file.append(jpeg)])), (279, .longs([jpeg.count])),
    ]
  }

  // MARK: Maker notes

  /// A TIFF of its own behind the mark, with the directory of the preview.
  private var nikonNote: [UInt8] {
    var file = TIFFWriter(isBigEndian: isBigEndian)
    // The directory of a note is in front of what it refers to.
    let byteCount = file.table([(0x11, .longs([0]))]).count
    file.bytes += [UInt8](repeating: 0, count: byteCount)
    let inner = file.directory(interchange(small, &file))
    file.bytes.replaceSubrange(8..<8 + byteCount, with: file.table([(0x11, .longs([inner]))]))
    file.first = 8
    return Array("Nikon\0".utf8) + [2, 0x10, 0, 0] + file.finished
  }

  private var olympusNote: [UInt8] {
    var file = TIFFWriter(isBigEndian: isBigEndian)
    file.bytes = Array("OLYMPUS\0".utf8) + Array((isBigEndian ? "MM" : "II").utf8) + [3, 0]
    func fields(_ offsets: (large: Int, small: Int, inner: Int)) -> [Field] {
      [(0x1036, .longs([offsets.small])), (0x1037, .longs([small.count])), (0x2020, .longs([offsets.inner]))]
    }
    let byteCount = file.table(fields((0, 0, 0))).count
    file.bytes += [UInt8](repeating: 0, count: byteCount)
    let (first, second) = (file.append(large), file.append(small))
    let inner = file.directory([(0x101, .longs([first])), (0x102, .longs([large.count]))])
    file.bytes.replaceSubrange(12..<12 + byteCount, with: file.table(fields((first, second, inner))))
    return file.bytes
  }

  // MARK: Other containers

  /// The file has no values of its own: they are in the preview.
  private var fujifilm: Data {
    func big(_ value: Int, _ count: Int) -> [UInt8] { BoxFile.big(value, count) }
    func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xFF, marker] + big(content.count + 2, 2) + content
    }
    var file = TIFFWriter(isBigEndian: isBigEndian)
    file.first = finish(
      &file, [(271, .text("FUJIFILM")), (272, .text("Model 1")), (274, .shorts([orientation]))],
      [(0x9003, .text("2024:05:06 07:08:09"))], next: 0)
    let title = TaggedFile.dataSet(5, "A title")
    let resources =
      Array("Photoshop 3.0\08BIM".utf8) + [4, 4, 0, 0] + big(title.count, 4) + title
      + [UInt8](repeating: 0, count: title.count % 2)
    let large =
      large.prefix(2) + segment(0xE1, Array("Exif\0\0".utf8) + file.finished) + segment(0xED, resources)
      + large.dropFirst(2)
    let list =
      big(1, 4) + big(0x111, 2) + big(4, 2) + big(size.height, 2) + big(size.width, 2)
    let start = 160
    let jpeg = hasPreviews ? large : []
    var head = Array("FUJIFILMCCD-RAW 0201FF389501X-T1".utf8)
    head += [UInt8](repeating: 0, count: 84 - head.count)
    head += big(start, 4) + big(jpeg.count, 4) + big(start + jpeg.count, 4) + big(list.count, 4)
    head += [UInt8](repeating: 0, count: start - head.count)
    return Data(head + jpeg + list)
  }

  private var boxes: Data {
    func big(_ value: Int, _ count: Int) -> [UInt8] { BoxFile.big(value, count) }
    func block(_ fields: [Field]) -> [UInt8] {
      var file = TIFFWriter(isBigEndian: isBigEndian)
      file.first = file.directory(fields)
      return file.finished
    }
    let metadata: [UInt8] = [
      0x85, 0xC0, 0xB6, 0x87, 0x82, 0x0F, 0x11, 0xE0, 0x81, 0x11, 0xF4, 0xCE, 0x46, 0x2B, 0x6A, 0x48,
    ]
    let preview: [UInt8] = [
      0xEA, 0xF4, 0x2B, 0x5E, 0x1C, 0x98, 0x4B, 0x88, 0xB9, 0xFB, 0xB7, 0xDC, 0x40, 0x6E, 0x4D, 0x16,
    ]
    let head = BoxFile.box("ftyp", Array("crx ".utf8) + big(1, 4) + Array("crx isom".utf8))
    func film(at offset: Int) -> [UInt8] {
      let inner =
        BoxFile.box(
          "CMT1",
          block([(271, .text("Canon")), (272, .text("Model 1")), (274, .shorts([orientation]))]))
        + BoxFile.box(
          "CMT2",
          block([
            (0x9003, .text("2024:05:06 07:08:09")), (0xA002, .longs([size.width])),
            (0xA003, .longs([size.height])),
          ]))
        + BoxFile.box(
          "THMB", big(0, 4) + big(96, 2) + big(64, 2) + big(thumbnail.count, 4) + big(0, 4) + thumbnail)
      let table =
        BoxFile.box("stsz", big(0, 4) + big(large.count, 4) + big(1, 4))
        + BoxFile.box("co64", big(0, 4) + big(1, 4) + big(offset, 8))
      let track = BoxFile.box(
        "trak", BoxFile.box("mdia", BoxFile.box("minf", BoxFile.box("stbl", table))))
      return BoxFile.box("moov", BoxFile.box("uuid", metadata + inner) + (hasPreviews ? track : []))
    }
    let side = BoxFile.box(
      "uuid",
      preview + big(1, 8)
        + BoxFile.box(
          "PRVW", big(0, 4) + big(1, 2) + big(360, 2) + big(240, 2) + big(1, 2) + big(small.count, 4) + small)
    )
    let before = head + film(at: 0) + (hasPreviews ? side : [])
    return Data(
      head + film(at: before.count + 8) + (hasPreviews ? side : [])
        + BoxFile.box("mdat", hasPreviews ? large : []))
  }
}

/// Writes directories with the structure of TIFF, one after the other.
struct TIFFWriter {
  typealias Field = (tag: Int, value: Value)

  enum Value {
    case shorts([Int])
    case longs([Int])
    case text(String)
    case bytes([UInt8])
  }

  let isBigEndian: Bool
  var bytes: [UInt8]
  /// The offset of the first directory.
  var first = 0

  init(isBigEndian: Bool) {
    self.isBigEndian = isBigEndian
    bytes = isBigEndian ? [0x4D, 0x4D, 0, 42, 0, 0, 0, 0] : [0x49, 0x49, 42, 0, 0, 0, 0, 0]
  }

  /// The file with the offset of its first directory.
  var finished: [UInt8] { Array(bytes[..<4]) + integer(first, 4) + bytes[8...] }

  func integer(_ value: Int, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }

  /// Appends bytes at an even offset, which is returned.
  mutating func append(_ content: [UInt8]) -> Int {
    if bytes.count % 2 == 1 { bytes.append(0) }
    defer { bytes += content }
    return bytes.count
  }

  /// Appends a directory and its values, and returns its offset.
  mutating func directory(_ fields: [Field], next: Int = 0) -> Int {
    let long = fields.map { field -> Int? in
      let content = content(field.value)
      return content.count > 4 ? append(content) : nil
    }
    return append(table(Array(zip(fields, long)), next: next))
  }

  /// A directory whose values are in it.
  func table(_ fields: [Field]) -> [UInt8] { table(fields.map { ($0, nil) }, next: 0) }

  private func table(_ fields: [(Field, Int?)], next: Int) -> [UInt8] {
    let entries = fields.sorted { $0.0.tag < $1.0.tag }.flatMap { field, offset -> [UInt8] in
      let content = content(field.value)
      let (type, width) = type(field.value)
      let value = offset.map { integer($0, 4) } ?? content + [UInt8](repeating: 0, count: 4 - content.count)
      return integer(field.tag, 2) + integer(type, 2) + integer(content.count / width, 4) + value
    }
    return integer(fields.count, 2) + entries + integer(next, 4)
  }

  private func content(_ value: Value) -> [UInt8] {
    switch value {
    case .shorts(let numbers): numbers.flatMap { integer($0, 2) }
    case .longs(let numbers): numbers.flatMap { integer($0, 4) }
    case .text(let text): Array(text.utf8) + [0]
    case .bytes(let bytes): bytes
    }
  }

  private func type(_ value: Value) -> (type: Int, width: Int) {
    switch value {
    case .shorts: (3, 2)
    case .longs: (4, 4)
    case .text: (2, 1)
    case .bytes: (7, 1)
    }
  }
}
