/**
 * Asks a real service about the points that its specification leaves open.
 *
 * **Details**
 *
 * A run records a few requests of small amounts and their callbacks. All reports are computed from
 * the recording, so an interrupted run continues with it.
 *
 * @since 0.1.0
 */
import * as Profile from "@pawl/core/Profile"
import type { Transport } from "@pawl/http/Transport"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Drift from "./internal/doctor/Drift.ts"
import * as Probe from "./internal/doctor/Probe.ts"
import * as Recorded from "./internal/doctor/Recording.ts"
import * as Reads from "./internal/doctor/Reads.ts"
import * as Rehearsal from "./internal/doctor/Rehearsal.ts"
import * as Report from "./internal/doctor/Report.ts"
import { rows, unprobed } from "./internal/doctor/Silences.ts"
import { type Step, steps } from "./internal/doctor/Steps.ts"
import * as Trial from "./internal/doctor/Trial.ts"
import * as Readings from "./Readings.ts"

export {
  /**
   * Error raised when a run cannot go on.
   *
   * @category errors
   * @since 0.1.0
   */
  DoctorFailed
} from "./internal/doctor/Probe.ts"

/**
 * The settings of a run.
 *
 * @category models
 * @since 0.1.0
 */
export type Settings = Probe.Settings

/**
 * The responses and callbacks of a run, without secrets.
 *
 * @category models
 * @since 0.1.0
 */
export type Recording = Recorded.Recording

/**
 * Schema for a recording, as it is kept in a file.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Recording: Schema.Codec<Recording, unknown> = Recorded.Recording

/**
 * A finding: the answer of the service to one question.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finding {
  /** The number of the silence; 0 is a point that the specification defines. */
  readonly silence: number
  /** The question that was asked. */
  readonly question: Readings.Question
  /** The question in a few words. */
  readonly title: string
  /** The reading that pawl assumes. */
  readonly assumed: string
  /** The reading of the service; undefined if the run did not show it. */
  readonly reading: string | undefined
  /** The response or callback that shows the reading. */
  readonly evidence: string
  /**
   * `agrees`: the service does what pawl assumes. `borne`: pawl handles the difference. `switch`: a
   * switch of `Profile` handles it. `differs`: pawl does not handle it. `unseen`: the run did not
   * show it.
   */
  readonly verdict: "agrees" | "borne" | "switch" | "differs" | "unseen"
  /** The question for the service's support. */
  readonly ask: string
  /** The consequence of a reading that differs. */
  readonly breaks: string | undefined
}

/**
 * A silence that cannot be probed from outside.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unprobed {
  /** The number of the silence. */
  readonly silence: number
  /** The silence in a few words. */
  readonly title: string
  /** The assumption of pawl. */
  readonly assumed: string
  /** The reason why the silence cannot be probed. */
  readonly why: string
  /** The question for the service's support. */
  readonly ask: string
}

/**
 * The silences that cannot be probed.
 *
 * @category constants
 * @since 0.1.0
 */
export const unprobedSilences: ReadonlyArray<Unprobed> = unprobed

/**
 * The steps of a run, with the most requests, payments and payouts of each.
 *
 * @category constants
 * @since 0.1.0
 */
export const plan: ReadonlyArray<Omit<Step, "run">> = steps

/**
 * Tells whether a base URL is on this machine.
 *
 * @category guards
 * @since 0.1.0
 */
export const isLocal: (baseUrl: string) => boolean = Trial.isLocal

/**
 * Returns why a service must not be probed; undefined if it may be: it is on this machine, or uses
 * https and its host is named as a trial environment. `allowed` is the name of a production host
 * that may be probed.
 *
 * @category guards
 * @since 0.1.0
 */
export const refusal: (baseUrl: string, allowed: string | undefined) => string | undefined =
  Trial.refusal

/**
 * A run of the doctor.
 *
 * @category models
 * @since 0.1.0
 */
export interface Run {
  /** Records a callback, and returns the status to respond with. */
  readonly receive: (incoming: Incoming) => Effect.Effect<number>
  /**
   * Runs the steps. Calls `saved` after each step and at the end, even if the run fails or is
   * interrupted.
   */
  readonly run: <E>(hooks: {
    readonly begins: (step: Omit<Step, "run">) => Effect.Effect<void>
    readonly saved: (recording: Recording) => Effect.Effect<void, E>
  }) => Effect.Effect<Recording, E | Probe.DoctorFailed>
}

/**
 * Makes an empty recording. `run` is part of every requestId.
 *
 * @category constructors
 * @since 0.1.0
 */
export const blank = (run: string, { baseUrl, units }: Settings): Recording => ({
  doctor: 1,
  run,
  baseUrl,
  units,
  steps: [],
  waited: 0,
  exchanges: [],
  callbacks: []
})

/**
 * Makes a run that continues a recording. An unfinished step is repeated with the same requestIds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (
  settings: Settings,
  recording: Recording
): Effect.Effect<Run, never, Transport> =>
  Effect.map(Probe.make(settings, recording), (probe) => ({
    receive: probe.receive,
    run: ({ begins, saved }) =>
      Effect.gen(function* () {
        for (const { run, ...step } of steps) {
          const done = probe.recording().steps
          // A token is not recorded, so each process takes one.
          if (done.includes(step.name) && step.name !== "auth") continue
          yield* begins(step)
          probe.allow(step.requests)
          yield* run(probe)
          probe.update({ steps: [...done.filter((name) => name !== step.name), step.name] })
          yield* saved(probe.recording())
        }
        return probe.recording()
      }).pipe(Effect.onExit(() => saved(probe.recording())))
  }))

/**
 * Computes the findings. `assumed` is the profile that pawl runs with.
 *
 * @category getters
 * @since 0.1.0
 */
export const findings = (
  recording: Recording,
  assumed: Readings.Readings = {}
): ReadonlyArray<Finding> => {
  const shown = Recorded.genuine(recording)
  return rows.map(({ ask, bears, breaks, question, read, silence, title }) => {
    const expected = assumed[question] ?? Readings.known(question)[0]
    const seen = read(shown)
    const { evidence = "not seen", reading } = seen ?? {}
    const verdict =
      reading === undefined
        ? "unseen"
        : reading === expected
          ? "agrees"
          : Object.keys(Readings.switches({ [question]: reading })).length > 0
            ? "switch"
            : bears(reading)
              ? "borne"
              : "differs"
    return { silence, question, title, assumed: expected, reading, evidence, verdict, ask, breaks }
  })
}

/**
 * The result of reading a response or callback, or of rehearsing a payment.
 *
 * @category models
 * @since 0.1.0
 */
export interface Check {
  /** The response, callback or payment. */
  readonly subject: string
  /** The problem; undefined if nothing went wrong. */
  readonly problem: string | undefined
}

/**
 * Reads every response with the client's decoders, and every callback with the verifier, under the
 * switches of a profile. A subscription that the run could not cancel is a problem too.
 *
 * @category getters
 * @since 0.1.0
 */
export const reads = (
  recording: Recording,
  switches: Partial<Profile.Switches>
): ReadonlyArray<Check> =>
  Reads.all(Recorded.genuine(recording), { ...Profile.defaults, ...switches })

/**
 * Rehearses a payment, a payout and a refund in memory, with the real client and receiver, at a
 * gateway with the readings of a profile, without unsupported ones (`Readings.unknown`).
 *
 * @category constructors
 * @since 0.1.0
 */
export const rehearse = ({
  readings,
  switches
}: {
  readonly readings: Readings.Readings
  readonly switches: Profile.Options
}): Effect.Effect<ReadonlyArray<Check>> => Rehearsal.run(Readings.behaviour(readings), switches)

/**
 * Returns whether every verdict is `agrees` or `borne`, and every check succeeded.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSound = (all: ReadonlyArray<Finding>, checks: ReadonlyArray<Check> = []): boolean =>
  all.every(({ verdict }) => verdict === "agrees" || verdict === "borne") &&
  checks.every(({ problem }) => problem === undefined)

/**
 * Returns the profile of the service: its readings that differ from the defaults, and their
 * switches.
 *
 * @category getters
 * @since 0.1.0
 */
export const profile = (
  recording: Recording
): { readonly switches: Partial<Profile.Switches>; readonly readings: Readings.Readings } => {
  const readings: { [Name in Readings.Question]?: string } = {}
  for (const { question, reading } of findings(recording)) {
    if (reading !== undefined && reading !== Readings.known(question)[0]) {
      readings[question] = reading
    }
  }
  return { switches: Readings.switches(readings), readings }
}

/**
 * A change of a service between two recordings.
 *
 * @category models
 * @since 0.1.0
 */
export type Change = Drift.Change

/**
 * Lists the changes of readings, statuses, fields and types that both recordings show.
 *
 * @category getters
 * @since 0.1.0
 */
export const changes: (before: Recording, after: Recording) => ReadonlyArray<Change> = Drift.changes

/**
 * The width of a report on a terminal, or Markdown.
 *
 * @category models
 * @since 0.1.0
 */
export type Format = Report.Format

/**
 * Writes the parts of a report for a person.
 *
 * @category formatting
 * @since 0.1.0
 */
export const report = {
  plan: Report.plan,
  budget: Report.budget,
  findings: Report.findings,
  checks: Report.checks,
  drift: Report.drift
} as const
