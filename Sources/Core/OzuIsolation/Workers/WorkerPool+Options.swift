#if os(Linux) && canImport(CIsolation)
  extension WorkerPool {
    /// How workers are made and kept.
    package struct Options: Sendable {
      /// The reaction when the system refuses to restrict a worker.
      package enum Confinement: Sendable {
        /// Workers run anyway, in processes of their own; `status` says what is missing.
        case bestPossible
        /// Nothing runs: the error names the missing call.
        case required
      }

      /// The program of the workers.
      package var helper: WorkerHelper
      /// The most workers at once, over all kinds; at least one.
      package var workerLimit: Int
      /// The number of requests of one worker; then another one replaces it.
      package var requestLimit = 200
      /// How long an idle worker is kept.
      package var idleTime: Duration = .seconds(30)
      package var confinement: Confinement

      package init(helper: WorkerHelper, workerLimit: Int, confinement: Confinement = .bestPossible) {
        self.helper = helper
        self.workerLimit = workerLimit
        self.confinement = confinement
      }
    }
  }
#endif
