import Foundation
import OzuCodecs
import OzuImaging

/// Cleans a file with each choice of what stays. For any file, the result is one that stays as it is when it is cleaned again,
/// and still has the picture.
@Sendable
func fuzzCleaning(_ input: Data) {
  guard (try? CleanedFile(input)) != nil else { return }
  let whole = try? fuzzCodecs.picture(from: input, context: DecodingContext(limits: fuzzLimits))
  for choice in 0..<16 {
    let kept = KeptMetadata(rawValue: choice)
    guard let cleaned = try? CleanedFile(input, keeping: kept) else { continue }
    guard let again = try? CleanedFile(cleaned.data, keeping: kept) else {
      preconditionFailure("a cleaned file that cannot be read")
    }
    precondition(again.data == cleaned.data, "a cleaned file that is cleaned further")
    precondition(cleaned.type == again.type, "a cleaned file of another format")
    // libjpeg and libwebp read a damaged picture on into what follows it, such as the metadata that cleaning takes away.
    guard let whole, ![.jpeg, .webp].contains(cleaned.type), kept.contains(.appearance) else { continue }
    let picture = try? fuzzCodecs.picture(from: cleaned.data, context: DecodingContext(limits: fuzzLimits))
    precondition(picture?.bitmap == whole.bitmap, "a cleaned file with another picture")
  }
}
