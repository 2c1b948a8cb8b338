import Ozu

/// The results that `ozu set` makes from each source.
struct SetRecipe: Sendable {
  let steps: Recipe
  let resizing: ResizeArguments
  /// Without duplicates, the narrowest first.
  let widths: [Int]
  /// In the order of preference.
  let formats: [OutputFormat]

  /// The request for the picture from which the widths are made.
  func request(_ source: ImageSource) -> ImageRequest {
    steps.request(source)
  }

  /// A request for each width: the widest is made from the source, the others from the widest.
  func requests(_ request: ImageRequest, _ widths: [Int]) -> [ImageRequest] {
    guard let widest = widths.last else { return [] }
    let base = request.with {
      let resize = resizing.narrowing(to: widest)
      if $0.resize == nil, $0.processors.isEmpty { $0.resize = resize } else { $0.processors.append(resize) }
    }
    return widths.dropLast().map { width in base.with { $0.processors.append(resizing.narrowing(to: width)) }
    }
      + [base]
  }

  /// The files that would be written for a source that has not been read yet. Some of the widths may be too large for it.
  func planned(_ source: ImageSource, _ index: Int, in target: OutputTarget) -> [OutputPlan.File] {
    let requests = requests(request(source), widths)
    return formats.flatMap { format in
      zip(requests, widths).map { request, width in
        let steps = [request.resize?.identifier].compactMap(\.self) + request.processors.map(\.identifier)
        return OutputPlan.File(
          steps: steps, path: target.plannedPath(forSource: index, type: format.types.first, width: width))
      }
    }
  }
}
