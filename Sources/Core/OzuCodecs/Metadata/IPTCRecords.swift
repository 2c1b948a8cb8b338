import OzuBase
import OzuImaging

/// The data sets of IPTC-IIM (version 4.2, 2014): texts, each with the number of its record and its own.
struct IPTCRecords {
  struct DataSet {
    /// The record; the second is about the picture.
    let record: Int
    let number: Int
    let bytes: [UInt8]
    let range: Range<Int>
  }

  private(set) var dataSets: [DataSet] = []

  private static let mostDataSets = 4096

  /// Reads data sets up to the first that is damaged.
  init(_ bytes: Span<UInt8>) {
    var position = 0
    for _ in 0..<Self.mostDataSets {
      guard bytes.byte(at: position) == 0x1C, let record = bytes.byte(at: position + 1),
        let number = bytes.byte(at: position + 2), let size = bytes.bigEndian(at: position + 3, bytes: 2)
      else { return }
      var (start, byteCount) = (position + 5, size)
      if size & 0x8000 != 0 {
        // An extended data set: the number of bytes that its size has.
        let width = size & 0x7FFF
        guard width <= 4, let wide = bytes.bigEndian(at: start, bytes: width) else { return }
        (start, byteCount) = (start + width, wide)
      }
      guard byteCount <= bytes.count - start else { return }
      let end = start + byteCount
      let content = bytes.copy(from: start, byteCount: min(byteCount, MetadataValues.longestText))
      dataSets.append(
        DataSet(record: Int(record), number: Int(number), bytes: content, range: position..<end))
      position = end
    }
  }

  /// The text of a data set: UTF-8, or else Latin-1, whatever the file says, because most writers say nothing.
  private func text(_ dataSet: DataSet) -> String? { MetadataText.read(dataSet.bytes[...]) }

  /// The texts of all data sets of the second record with a number.
  func texts(_ number: Int) -> [String] {
    dataSets.filter { $0.record == 2 && $0.number == number }.compactMap(text)
  }

  /// The last one, which replaces those before it.
  func text(_ number: Int) -> String? { texts(number).last }

  /// The data sets of the second record with other numbers, by name.
  func tags(except numbers: Set<Int>) -> [MetadataTag] {
    dataSets.filter { $0.record == 2 && !numbers.contains($0.number) }.map { dataSet in
      let isNumber = dataSet.number == 0 || dataSet.number == 200 || dataSet.number == 201
      let value =
        isNumber ? "\(dataSet.bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) })" : text(dataSet) ?? ""
      return MetadataTag(
        group: .iptc, name: Self.names[dataSet.number] ?? "2:\(dataSet.number)", value: value)
    }
  }

  /// The data sets that tell where the picture was taken, or what it shows of the world.
  static let placeNumbers: Set<Int> = [26, 27, 90, 92, 95, 100, 101]

  /// The data sets that name the artist and who holds the rights.
  static let nameNumbers: Set<Int> = [80, 110, 116]

  /// The data sets of a block without those of the second record with some numbers, and without anything that is no data set.
  static func block(_ block: Data, without numbers: Set<Int>) -> Data {
    let bytes = [UInt8](block)
    let kept = IPTCRecords(block.span).dataSets.filter { $0.record != 2 || !numbers.contains($0.number) }
    return Data(kept.flatMap { bytes[$0.range] })
  }

  private static let names = [
    0: "RecordVersion", 3: "ObjectType", 4: "ObjectAttribute", 5: "ObjectName", 7: "EditStatus",
    10: "Urgency", 12: "SubjectReference", 15: "Category", 20: "SupplementalCategory",
    22: "FixtureIdentifier", 25: "Keywords", 26: "ContentLocationCode", 27: "ContentLocationName",
    30: "ReleaseDate", 35: "ReleaseTime", 37: "ExpirationDate", 38: "ExpirationTime",
    40: "SpecialInstructions", 45: "ReferenceService", 47: "ReferenceDate", 50: "ReferenceNumber",
    55: "DateCreated", 60: "TimeCreated", 62: "DigitalCreationDate", 63: "DigitalCreationTime",
    65: "OriginatingProgram", 70: "ProgramVersion", 75: "ObjectCycle", 80: "By-line", 85: "By-lineTitle",
    90: "City", 92: "Sub-location", 95: "Province-State", 100: "CountryCode", 101: "CountryName",
    103: "OriginalTransmissionReference", 105: "Headline", 110: "Credit", 115: "Source",
    116: "CopyrightNotice", 118: "Contact", 120: "Caption-Abstract", 122: "Writer-Editor", 130: "ImageType",
    131: "ImageOrientation", 135: "LanguageIdentifier", 200: "PreviewFileFormat",
    201: "PreviewFileFormatVersion", 202: "PreviewData",
  ]
}
