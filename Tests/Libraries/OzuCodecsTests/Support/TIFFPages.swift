import Foundation
import OzuImaging

/// A TIFF of grey pages with one strip each, whose directories refer to each other as a test wants.
struct TIFFPages {
  struct Page: Sendable {
    var size: PixelSize
    var gray: @Sendable (_ x: Int, _ y: Int) -> UInt8
    /// `NewSubfileType`: bit 0 for a reduced image, 1 for a page, 2 for a mask.
    var kind = 0
    /// The declared size, if it differs from the size of the pixels.
    var statedSize: PixelSize?
    var bits = 8
    var orientation: Int?
    /// The directories that it refers to, by page index; an index without a page is an offset after the end of the
    /// file.
    var own: [Int] = []
    /// The next page; `nil` for none.
    var next: Int?
    /// Whether its strip is after the end of the file.
    var isMissing = false

    init(_ size: PixelSize, kind: Int = 0, gray: @escaping @Sendable (_ x: Int, _ y: Int) -> UInt8) {
      self.size = size
      self.kind = kind
      self.gray = gray
    }

    /// A page of one shade.
    init(_ size: PixelSize, kind: Int = 0, _ gray: UInt8) {
      self.init(size, kind: kind) { _, _ in gray }
    }
  }

  /// The first page is the picture.
  var pages: [Page]

  var data: Data {
    // Strips, directories and lists of directories, one after the other; all offsets are computed before anything
    // is written.
    var strips: [Int] = []
    var directories: [Int] = []
    var lists: [Int] = []
    var end = 8
    for page in pages {
      strips.append(end)
      end += page.size.pixelCount * page.bits / 8
      end += end % 2
      directories.append(end)
      end += 2 + fieldCount(of: page) * 12 + 4
      lists.append(end)
      end += 4 * page.own.count
    }
    func place(of number: Int) -> Int { number < directories.count ? directories[number] : end + 1000 }
    var bytes = Array("II*\0".utf8) + TIFFFile.little(directories[0], 4)
    for (number, page) in pages.enumerated() {
      for y in 0..<page.size.height {
        for x in 0..<page.size.width { bytes += Array(repeating: page.gray(x, y), count: page.bits / 8) }
      }
      if bytes.count % 2 == 1 { bytes.append(0) }
      let stated = page.statedSize ?? page.size
      var fields = [
        (254, 4, 1, page.kind), (256, 4, 1, stated.width), (257, 4, 1, stated.height), (258, 3, 1, page.bits),
        (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, page.isMissing ? end + 5000 : strips[number]),
      ]
      if let orientation = page.orientation { fields.append((274, 3, 1, orientation)) }
      fields += [
        (277, 3, 1, 1), (278, 4, 1, stated.height), (279, 4, 1, page.size.pixelCount * page.bits / 8),
      ]
      if page.own.count == 1 { fields.append((330, 4, 1, place(of: page.own[0]))) }
      if page.own.count > 1 { fields.append((330, 4, page.own.count, lists[number])) }
      bytes += TIFFFile.little(fields.count, 2)
      for (tag, type, count, value) in fields {
        bytes += TIFFFile.little(tag, 2) + TIFFFile.little(type, 2) + TIFFFile.little(count, 4)
        bytes += TIFFFile.little(value, 4)
      }
      bytes += TIFFFile.little(page.next.map(place) ?? 0, 4)
      bytes += page.own.flatMap { TIFFFile.little(place(of: $0), 4) }
    }
    return Data(bytes)
  }

  private func fieldCount(of page: Page) -> Int {
    10 + (page.orientation == nil ? 0 : 1) + (page.own.isEmpty ? 0 : 1)
  }
}
