import Ozu

/// What `ozu set` makes of each source.
struct SetRecipe: Sendable {
  let steps: Recipe
  let resizing: ResizeArguments
  /// Each once, the narrowest first.
  let widths: [Int]
  /// In the order of preference.
  let formats: [OutputFormat]

  /// The picture of a source before the widths are made of it.
  func request(_ source: ImageSource) -> ImageRequest {
    steps.request(source)
  }

  /// A request for each width: the widest is made of the source, the others of the widest.
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

  /// What would be written for a source of which nothing is known: widths that it does not have are among it.
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
