import OzuBase
import OzuImaging

extension ImageDecodingError {
  func write(to writer: inout FieldWriter) {
    switch self {
    case .emptyData: writer.append(0)
    case .notAnImage(let kind):
      writer.append(1)
      writer.append(kind) { $0.append($1) }
    case .unsupportedType(let type, let reason):
      writer.append(2)
      writer.append(type.rawValue)
      writer.append(reason)
    case .corrupt(let type, let stage, let reason):
      writer.append(3)
      writer.append(type.rawValue)
      writer.append(stage)
      writer.append(reason)
    case .truncated(let type, let stage):
      writer.append(4)
      writer.append(type.rawValue)
      writer.append(stage)
    case .limitExceeded(let violation):
      writer.append(5)
      writer.append(violation.quantity.rawValue)
      writer.append(violation.value)
      writer.append(violation.limit)
    case .decoderFailed(let type, let failure):
      // This error comes from a decoder that itself uses isolation.
      ImageDecodingError.corrupt(type, stage: "decoder", reason: failure.description).write(to: &writer)
    case .cancelled: writer.append(6)
    case .regionOutside(let part, let size):
      writer.append(7)
      part.write(to: &writer)
      size.write(to: &writer)
    }
  }

  init(from reader: inout FieldReader) throws(FieldReader.Damage) {
    switch try reader.integer() {
    case 0: self = .emptyData
    case 1:
      self = .notAnImage(
        kind: try reader.optional { (reader) throws(FieldReader.Damage) in try reader.shortText() })
    case 2:
      self = .unsupportedType(ImageType(rawValue: try reader.shortText()), reason: try reader.shortText())
    case 3:
      self = .corrupt(
        ImageType(rawValue: try reader.shortText()), stage: try reader.shortText(),
        reason: try reader.shortText())
    case 4: self = .truncated(ImageType(rawValue: try reader.shortText()), stage: try reader.shortText())
    case 5:
      guard let quantity = DecodingLimits.Violation.Quantity(rawValue: try reader.shortText()) else {
        throw FieldReader.Damage()
      }
      self = .limitExceeded(.init(quantity, value: try reader.integer(), limit: try reader.integer()))
    case 6: self = .cancelled
    case 7: self = .regionOutside(try PixelRectangle(from: &reader), of: try PixelSize(from: &reader))
    default: throw FieldReader.Damage()
    }
  }
}
