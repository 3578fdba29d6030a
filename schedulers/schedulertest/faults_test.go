package schedulertest

// The faults of a faulty scheduler, and how a report names them. A misspelled constant does
// not compile; a misspelled text would switch the fault off.
const (
	faultLosesWork                             = "loses work"
	faultRunsTwice                             = "runs twice"
	faultRefusesWhatItQueues                   = "refuses what it queues"
	faultAbandonsInsteadOfRunning              = "abandons instead of running"
	faultLosesWhatIsSubmittedAtTheSameTime     = "loses what is submitted at the same time"
	faultLosesNestedWork                       = "loses nested work"
	faultRemembersWorks                        = "remembers works"
	faultForgetsToWake                         = "forgets to wake"
	faultLosesFairWork                         = "loses fair work"
	faultComparesWorks                         = "compares works"
	faultAcceptsNil                            = "accepts nil"
	faultRunsInSubmit                          = "runs in Submit"
	faultWaitsForRoom                          = "waits for room"
	faultRefusesResumedWork                    = "refuses resumed work"
	faultGivesEqualIDs                         = "gives equal IDs"
	faultLosesAWorkerToAPanic                  = "loses a worker to a panic"
	faultLosesAWorkerToGoexit                  = "loses a worker to Goexit"
	faultTakesARecoveredPanicForSurvival       = "takes a recovered panic for survival"
	faultDropsWhatHasPanicked                  = "drops what has panicked"
	faultLosesCountOfLongRunningWorkThatPanics = "loses count of long-running work that panics"
	faultTrustsHints                           = "trusts hints"
	faultAssertsItsOwnKindOfWorker             = "asserts its own kind of worker"
	faultPanicsOnATypedNil                     = "panics on a typed nil"
	faultTrustsThatTheWorkerLives              = "trusts that the worker lives"
	faultTrustsThatTheWorkerSubmits            = "trusts that the worker submits"
	faultWaitsForAFirstWork                    = "waits for a first work"
	faultAbandonsAtShutdown                    = "abandons at Shutdown"
	faultDoesNotWait                           = "does not wait"
	faultReturnsAnErrorTheSecondTime           = "returns an error the second time"
	faultTellsOneCallerOfTheEnd                = "tells one caller of the end"
	faultIgnoresTheContextOfShutdown           = "ignores the context of Shutdown"
	faultGivesUpWithoutAbandoning              = "gives up without abandoning"
	faultAbandonsForAnotherReason              = "abandons for another reason"
	faultAbandonsWithItsLockHeld               = "abandons with its lock held"
	faultReturnsErrRatherThanTheCause          = "returns Err rather than the cause"
	faultForgetsItsEndAfterGivingUp            = "forgets its end after giving up"
	faultAcceptsLate                           = "accepts late"
	faultRefusesLateWithAnotherError           = "refuses late with another error"
	faultLeaksAGoroutine                       = "leaks a goroutine"
	faultLooksAtClosedWithoutHoldingTheLock    = "looks at closed without holding the lock"
	faultCountsWhatRunsAsQueued                = "counts what runs as queued"
	faultCountsRefusalsAsSubmissions           = "counts refusals as submissions"
	faultDoesNotCountPanics                    = "does not count panics"
	faultForgetsToCountWhatItAbandons          = "forgets to count what it abandons"
	faultShowsItsOwnQueueAsTheSnapshot         = "shows its own queue as the snapshot"
	faultLeavesWorkOutOfTheSnapshot            = "leaves work out of the snapshot"
	faultExceedsItsLimit                       = "exceeds its limit"
	faultDropsWhatMayRunInPlace                = "drops what may run in place"
	faultWaitsInMayRunInPlace                  = "waits in MayRunInPlace"
	faultAssertsTheWorkerItIsAskedAbout        = "asserts the worker it is asked about"
	faultIgnoresBlock                          = "ignores Block"
	faultRefusesToBlockWithAnotherError        = "refuses to block with another error"
	faultNeverUnblocks                         = "never unblocks"
	faultGivesThePlaceOfAnEndedWorkerAway      = "gives the place of an ended worker away"
	faultKeepsWorkFromOutsideWaiting           = "keeps work from outside waiting"
	faultSharesOneRoom                         = "shares one room"
	faultExpiresTheNewestFirst                 = "expires the newest first"
	faultExpiresEarly                          = "expires early"
	faultExpiresInStartTimer                   = "expires in StartTimer"
	faultHasNoTimersOfZero                     = "has no timers of zero"
	faultDoesNotStopTimers                     = "does not stop timers"
	faultSaysTrueOfExpiredTimers               = "says true of expired timers"
	faultArmsATimerOnce                        = "arms a timer once"
	faultDropsItsTimersAtShutdown              = "drops its timers at Shutdown"
	faultTellsOneOfTwoBegun                    = "tells one of two begun"
	faultLosesWorkBesideOtherInstances         = "loses work beside other instances"
)

// fault is one fault of a faulty scheduler, and the check that finds it.
type fault struct{ fault, check string }

var faults = []fault{
	{faultLosesWork, "each accepted work runs exactly once"},
	{faultRunsTwice, "each accepted work runs exactly once"},
	{faultRefusesWhatItQueues, "each accepted work runs exactly once"},
	{faultAbandonsInsteadOfRunning, "each accepted work runs exactly once"},
	{faultLosesWhatIsSubmittedAtTheSameTime, "submissions from many goroutines all run"},
	{faultLosesNestedWork, "submissions from inside work all run"},
	{faultRemembersWorks, "work resubmitted from inside its own Run runs again"},
	{faultForgetsToWake, "a burst after an idle moment is served"},
	{faultLosesFairWork, "flags lose no work"},
	{faultComparesWorks, "work of a type that cannot be compared is accepted"},
	{faultAcceptsNil, "nil work is refused, not run"},
	{faultRunsInSubmit, "Submit does not run the work itself"},
	{faultWaitsForRoom, "Submit does not wait for busy workers"},
	{faultRefusesResumedWork, "resumed work is not refused for lack of room"},
	{faultGivesEqualIDs, "workers that run at the same time have different IDs"},

	{faultLosesAWorkerToAPanic, "a panic in work kills no worker"},
	{faultLosesAWorkerToGoexit, "runtime.Goexit in work kills no worker"},
	{faultTakesARecoveredPanicForSurvival, "Goexit and a panic together kill no worker"},
	{faultDropsWhatHasPanicked, "work that panics after it was resubmitted runs again"},
	{faultLosesCountOfLongRunningWorkThatPanics, "long-running work that panics or exits is survived"},

	{faultTrustsHints, "a hint that names another scheduler's worker is harmless"},
	{faultAssertsItsOwnKindOfWorker, "a hint that names a worker of an unknown kind is harmless"},
	{faultPanicsOnATypedNil, "a hint that names a nil worker of its own kind is harmless"},
	{faultTrustsThatTheWorkerLives, "a hint that names a worker that is idle or has ended is harmless"},
	{faultTrustsThatTheWorkerSubmits, "a hint used by other goroutines while the worker works is harmless"},

	{faultWaitsForAFirstWork, "Shutdown of an unused scheduler returns nil"},
	{faultAbandonsAtShutdown, "Shutdown runs the queued work"},
	{faultDoesNotWait, "Shutdown waits for running work"},
	{faultReturnsAnErrorTheSecondTime, "Shutdown may be called again"},
	{faultTellsOneCallerOfTheEnd, "Shutdown may be called concurrently"},
	{faultIgnoresTheContextOfShutdown, "Shutdown with an ended context abandons queued work"},
	{faultGivesUpWithoutAbandoning, "Shutdown with an ended context abandons queued work"},
	{faultAbandonsForAnotherReason, "Shutdown with an ended context abandons queued work"},
	{faultAbandonsWithItsLockHeld, "abandoned work may submit, and is refused"},
	{faultReturnsErrRatherThanTheCause, "Shutdown with an ended context returns its cause"},
	{faultForgetsItsEndAfterGivingUp, "after a Shutdown that gave up, another one waits for the end"},
	{faultAcceptsLate, "a late Submit is refused with ErrShutdown"},
	{faultRefusesLateWithAnotherError, "a late Submit is refused with ErrShutdown"},
	{faultLeaksAGoroutine, "many lives of a scheduler leave no goroutine behind"},
	{faultLooksAtClosedWithoutHoldingTheLock, "Submit racing Shutdown: accepted is run"},
	{faultLooksAtClosedWithoutHoldingTheLock, "Submit racing a Shutdown that gives up: accepted is run or abandoned"},

	{faultCountsWhatRunsAsQueued, "metrics add up while work is held"},
	{faultCountsRefusalsAsSubmissions, "metrics add up after the end"},
	{faultDoesNotCountPanics, "metrics add up after the end"},
	{faultForgetsToCountWhatItAbandons, "metrics count what was abandoned"},
	{faultShowsItsOwnQueueAsTheSnapshot, "a snapshot lists the queued work and nothing else"},
	{faultLeavesWorkOutOfTheSnapshot, "a snapshot lists the queued work and nothing else"},
	{faultExceedsItsLimit, "no more works run at a time than MaxConcurrency says"},
	{faultDropsWhatMayRunInPlace, "work that was run in place is not run a second time by its entry"},
	{faultWaitsInMayRunInPlace, "MayRunInPlace answers for every kind of worker"},
	{faultAssertsTheWorkerItIsAskedAbout, "MayRunInPlace answers for every kind of worker"},

	{faultIgnoresBlock, "waits nested deeper than the number of workers do not hang"},
	{faultRefusesToBlockWithAnotherError, "waits nested deeper than the number of workers do not hang"},
	{faultNeverUnblocks, "blocking and unblocking under load loses neither work nor workers"},
	{faultGivesThePlaceOfAnEndedWorkerAway, "Block from a foreign goroutine is harmless"},

	{faultKeepsWorkFromOutsideWaiting, "a loop that yields lets work from outside run"},
	{faultKeepsWorkFromOutsideWaiting, "a loop that yields lets another one run"},

	{faultSharesOneRoom, "a worker's room is its own"},

	{faultExpiresTheNewestFirst, "timers expire in the order of their times, equal ones in the order of arming"},
	{faultExpiresEarly, "a timer does not expire before its time"},
	{faultExpiresInStartTimer, "a timer of zero or less expires, and not inside StartTimer"},
	{faultHasNoTimersOfZero, "a timer of zero or less expires, and not inside StartTimer"},
	{faultDoesNotStopTimers, "a stopped timer does not expire"},
	{faultSaysTrueOfExpiredTimers, "StopTimer after the expiry returns false"},
	{faultArmsATimerOnce, "a timer can be armed again"},
	{faultDoesNotStopTimers, "StopTimer racing the expiry: one of the two wins"},
	{faultDropsItsTimersAtShutdown, "a timer armed before Shutdown expires nevertheless"},

	{faultHasNoTimersOfZero, "a scheduler made inside a synctest bubble works there"},
	{"does not tell begun", "the events of works and workers balance, in the order of each worker"},
	{"does not tell ended", "the events of works and workers balance, in the order of each worker"},
	{"does not tell worker started", "the events of works and workers balance, in the order of each worker"},
	{"does not tell worker ended", "the events of works and workers balance, in the order of each worker"},
	{"does not tell abandoned", "the events of abandoned and refused works balance"},
	{faultLosesAWorkerToAPanic, "a listener that calls runtime.Goexit loses no work"},
	{faultTellsOneOfTwoBegun, "events of one work in n are all of its events"},

	{faultLosesWorkBesideOtherInstances, "bubbles at the same time, and load outside, do not disturb each other"},
}
