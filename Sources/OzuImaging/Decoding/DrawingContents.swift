#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A guess at the contents of a drawing that has not been read.
package enum DrawingContents {
  /// The formats of pictures inside drawings that other libraries decode.
  package static let pictureTypes: [ImageType] = [.gif, .webp, .bmp, .ico, .avif, .jxl, .tiff]

  /// Whether the names of elements for pictures, `image` and `feImage`, occur in a drawing that is not compressed.
  package static func mayHavePictures(_ drawing: Data) -> Bool { contains("mage", drawing) }

  /// Whether a file may be a drawing with pictures: also where their names are hidden by compression, by UTF-16 or UTF-32, or
  /// by an entity.
  package static func mayHidePictures(_ file: Data) -> Bool {
    Gzip.begins(file) || file.prefix(4).contains { $0 == 0 || $0 >= 0xFE } || contains("ENTITY", file)
      || mayHavePictures(file)
  }

  private static func contains(_ word: StaticString, _ data: Data) -> Bool {
    let bytes = data.span
    return word.withUTF8Buffer { word in
      bytes.indices.dropLast(word.count - 1).contains { start in
        bytes[start] == word[0] && word.indices.allSatisfy { bytes[start + $0] == word[$0] }
      }
    }
  }
}
