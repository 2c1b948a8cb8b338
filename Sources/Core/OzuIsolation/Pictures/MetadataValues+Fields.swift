import OzuBase
import OzuImaging

extension MetadataValues {
  private static var textPaths: [WritableKeyPath<MetadataValues, String?>] {
    [\.make, \.model, \.lens, \.software, \.artist, \.copyright, \.title, \.description]
  }
  private static var numberPaths: [WritableKeyPath<MetadataValues, Double?>] {
    [
      \.exposureTime, \.fNumber, \.focalLength, \.focalLengthIn35mm, \.latitude, \.longitude, \.altitude,
      \.rating,
    ]
  }
  private static var integerPaths: [WritableKeyPath<MetadataValues, Int?>] { [\.isoSensitivity, \.flash] }
  private static var datePaths: [WritableKeyPath<MetadataValues, MetadataDate?>] {
    [\.originalDate, \.digitizedDate, \.modificationDate]
  }

  func write(to writer: inout FieldWriter) {
    for path in Self.textPaths { writer.append(self[keyPath: path]) { $0.append($1) } }
    for path in Self.numberPaths { writer.append(self[keyPath: path]) { $0.append($1) } }
    for path in Self.integerPaths { writer.append(self[keyPath: path]) { $0.append($1) } }
    for path in Self.datePaths { writer.append(self[keyPath: path]) { $0.append($1.description) } }
    writer.append(orientation) { $0.append($1.rawValue) }
    writer.append(keywords) { $0.append($1) }
    writer.append(otherTags) { writer, tag in
      writer.append(tag.group.rawValue)
      writer.append(tag.name)
      writer.append(tag.value)
    }
  }

  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    self.init()
    for path in Self.textPaths { self[keyPath: path] = try reader.optionalText() }
    for path in Self.numberPaths { self[keyPath: path] = try reader.optionalNumber() }
    for path in Self.integerPaths { self[keyPath: path] = try reader.optionalInteger() }
    for path in Self.datePaths {
      self[keyPath: path] = try reader.optional { (reader) throws(FieldReader.Damage) in
        guard let date = MetadataDate(try reader.text()) else { throw FieldReader.Damage() }
        return date
      }
    }
    orientation = try reader.optional { (reader) throws(FieldReader.Damage) in
      guard let orientation = Orientation(rawValue: try reader.integer()) else { throw FieldReader.Damage() }
      return orientation
    }
    keywords = try reader.list(atMost: Self.mostTags) { (reader) throws(FieldReader.Damage) in
      try reader.text()
    }
    otherTags = try reader.list(atMost: Self.mostTags) { (reader) throws(FieldReader.Damage) in
      guard let group = MetadataTag.Group(rawValue: try reader.text()) else { throw FieldReader.Damage() }
      return MetadataTag(group: group, name: try reader.text(), value: try reader.text())
    }
  }
}
