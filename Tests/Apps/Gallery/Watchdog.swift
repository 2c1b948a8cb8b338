import Foundation

/// Ends the program when a drill does not end: waiting for a frame that never comes could take hours.
final class Watchdog: Sendable {
  private let work: DispatchWorkItemBox

  /// `@unchecked Sendable`: a work item may be cancelled from any thread, and nothing else is done with it.
  private final class DispatchWorkItemBox: @unchecked Sendable {
    let item: DispatchWorkItem
    init(_ item: DispatchWorkItem) { self.item = item }
  }

  init(_ drill: String, _ limit: Duration) {
    work = DispatchWorkItemBox(
      DispatchWorkItem {
        DrillOutput.complain("FAILED \(drill): not done within \(limit)")
        exit(1)
      })
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .seconds(Int(limit.components.seconds)), execute: work.item)
  }

  /// The drill is over.
  func end() { work.item.cancel() }
}
