/**
 * Asks a real service about the points that its specification leaves open.
 *
 * **Details**
 *
 * A run sends few requests of small amounts, opens a receiver for their callbacks, and records what it sees. Everything
 * else is computed from the recording: the findings, the profile, and the changes since an earlier recording. So a run
 * that was interrupted goes on with its recording, and a recording is a fixture.
 *
 * For each question there is one finding. Its verdict is
 *
 * - `agrees`: the service does what pawl assumes;
 * - `borne`: it does something else, and pawl works with that;
 * - `switch`: pawl works with it after a switch of `Profile` is set;
 * - `differs`: pawl assumes something that is not so;
 * - `unseen`: the run did not show it.
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
 * A finding: a question, the reading that pawl assumes, the reading of the service, and the evidence. `silence` is the
 * number of the silence; 0 is a point that the specification defines. `breaks` says what goes wrong with a reading that differs.
 *
 * @category models
 * @since 0.1.0
 */
export interface Finding {
  readonly silence: number
  readonly question: Readings.Question
  readonly title: string
  readonly assumed: string
  readonly reading: string | undefined
  readonly evidence: string
  readonly verdict: "agrees" | "borne" | "switch" | "differs" | "unseen"
  readonly ask: string
  readonly breaks: string | undefined
}

/**
 * A silence that cannot be probed from outside, with the reason and the question for the service's support.
 *
 * @category models
 * @since 0.1.0
 */
export interface Unprobed {
  readonly silence: number
  readonly title: string
  readonly assumed: string
  readonly why: string
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
 * The plan of a run: its steps, with the most requests, payments and payouts of each.
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
 * Returns why a service is not to be probed, in one sentence; undefined if it may be: on this machine, or over https
 * with a host that is named as a trial environment. `allowed` is the name of a production host that may be probed.
 *
 * @category guards
 * @since 0.1.0
 */
export const refusal: (baseUrl: string, allowed: string | undefined) => string | undefined =
  Trial.refusal

/**
 * A run: `receive` takes the callbacks, and `run` does the steps. `saved` is called with the recording after each step
 * and at the end, also of a run that fails or is interrupted.
 *
 * @category models
 * @since 0.1.0
 */
export interface Run {
  readonly receive: (incoming: Incoming) => Effect.Effect<number>
  readonly run: (hooks: {
    readonly begins: (step: Omit<Step, "run">) => Effect.Effect<void>
    readonly saved: (recording: Recording) => Effect.Effect<void>
  }) => Effect.Effect<Recording, Probe.DoctorFailed>
}

/**
 * Makes an empty recording. `run` marks everything that the run makes.
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
 * Makes a run that goes on with a recording. A step that was not finished is repeated with the same requestIds.
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
      }).pipe(Effect.ensuring(Effect.suspend(() => saved(probe.recording()))))
  }))

/**
 * Computes the findings of a recording. `assumed` is the profile that pawl runs with.
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
 * Something that pawl did with a service, and why it did not go right; undefined if it did. A `Check` is a response or callback
 * that was read, or a payment that was rehearsed.
 *
 * @category models
 * @since 0.1.0
 */
export interface Check {
  readonly subject: string
  readonly problem: string | undefined
}

/**
 * Reads every response of a recording with the decoders of the client, and every callback with the verifier, with the switches of
 * a profile.
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
 * Pays, pays out and refunds in memory, with the real client and receiver and the switches of a profile, at a gateway with the
 * readings of the profile. A reading that no gateway can have is left out (`Readings.unknown`).
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
 * Tells whether the service does what pawl assumes, or something that pawl bears, in every question, and whether every check
 * went right.
 *
 * @category guards
 * @since 0.1.0
 */
export const isSound = (all: ReadonlyArray<Finding>, checks: ReadonlyArray<Check> = []): boolean =>
  all.every(({ verdict }) => verdict === "agrees" || verdict === "borne") &&
  checks.every(({ problem }) => problem === undefined)

/**
 * Returns the readings of a recording that are not those of a gateway by default, and the switches by which pawl bears
 * them: the profile of the service.
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
 * Lists the changes of a service between two recordings: other readings, statuses, fields and types. A point that one
 * of them does not show is left out.
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
 * Writes the plan, the budget, the findings, the checks and the changes for a person.
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
