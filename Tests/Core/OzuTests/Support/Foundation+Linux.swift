#if !canImport(Darwin)
  import Foundation

  @testable import Ozu

  // What the toolkits of Apple platforms use, for the tests of what stands behind it.

  extension NotificationSource {
    init(_ name: Notification.Name, _ center: NotificationCenter) {
      self.init { receive in
        nonisolated(unsafe) let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in
          receive()
        }
        return { center.removeObserver(token) }
      }
    }
  }

  extension Answering {
    var foundationProgress: Progress {
      report { cancel in
        let progress = Progress.discreteProgress(totalUnitCount: -1)
        progress.cancellationHandler = cancel
        return progress
      } show: { report, progress in
        let end = max(1, report.completedUnitCount)
        report.totalUnitCount = progress.map { Int64($0.expectedByteCount ?? -1) } ?? end
        report.completedUnitCount = progress.map { Int64($0.receivedByteCount) } ?? end
      }
    }
  }
#endif
