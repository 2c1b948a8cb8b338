import Ozu

/// What `ozu load --dry-run` says: each source, and where its result would go.
struct LoadPlan {
  let listing: SourceListing
  let recipe: Recipe
  let output: OutputTarget?

  func print(to console: Console, isJSON: Bool) {
    let steps = recipe.identifiers
    for (index, source) in listing.sources.enumerated() {
      let path = output?.plannedPath(forSource: index)
      let shown = SourceArgument.shown(source.text)
      if isJSON {
        console.print(
          JSON.report(
            "plan",
            [
              ("source", .string(shown)), ("steps", .array(steps.map(JSON.string))),
              ("output", path.map(JSON.string) ?? .null),
            ]
          ).text)
      } else {
        let parts = [shown + ":", steps.isEmpty ? "as it is" : steps.joined(separator: ", ")]
        console.print((parts + (path.map { ["-> \($0)"] } ?? [])).joined(separator: " "))
      }
    }
    for problem in listing.problems {
      if isJSON { console.print(problem.json.text) }
      if let line = problem.errorLine { console.printError(line) }
    }
  }
}
