import Ozu

/// The qualities of a command line or of the settings of the service: `80`, `jpeg=80,avif=60` or `80,avif=60`.
struct QualityArgument: Equatable {
  /// The notation of the help.
  static let notation = "N|FORMAT=N,…"

  /// The quality of the formats that are not named.
  private(set) var common: Int?
  private(set) var byFormat: [ImageType: Int] = [:]

  /// - Parameters:
  ///   - name: the option or setting, for messages.
  ///   - formats: the names of formats.
  /// - Throws: `UsageError` for a number outside of the range, for a format without a quality, and for two qualities of one
  ///   format.
  init(
    _ text: String, name: String, in range: ClosedRange<Int>,
    formats: [(String, ImageType)] = OutputFormats.names
  ) throws(UsageError) {
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let number = parts.last.flatMap({ Int($0) }), range.contains(number) else {
        throw UsageError(
          "\(name) \(text): a whole number from \(range.lowerBound) to \(range.upperBound) is needed",
          hint: "For example: 80, or jpeg=80,avif=60.")
      }
      let isRepeated: Bool
      if parts.count == 1 {
        isRepeated = common != nil
        common = number
      } else {
        let lossy = formats.filter { QualityScale.types.contains($0.1) }
        guard let type = lossy.first(where: { $0.0 == parts[0].lowercased() })?.1 else {
          throw UsageError(
            "\(name) \(text): \"\(parts[0])\" is no format with a quality",
            hint: "It can be \(lossy.map(\.0).joined(separator: ", ")).")
        }
        isRepeated = byFormat.updateValue(number, forKey: type) != nil
      }
      if isRepeated { throw UsageError("\(name) \(text): one format has two qualities") }
    }
  }
}
