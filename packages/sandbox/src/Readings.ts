/**
 * The readings of a gateway: its answers to the questions that the specification leaves open.
 *
 * **Details**
 *
 * A question is one point of a silence, such as `checksum`; a reading is one answer, such as
 * `"|", lower-case hex`. `Doctor` finds those of a real service.
 *
 * **Example** (A service that signs requests with a colon, and rounds down)
 *
 * ```ts
 * import * as Fake from "@pawl/testkit/Fake"
 * import * as Readings from "@pawl/sandbox/Readings"
 *
 * const behaviour = Readings.behaviour({ checksum: '":", lower-case hex', decimals: "cut off" })
 * const layer = Fake.layer({ behaviour })
 * ```
 *
 * @since 0.1.0
 */
import type { Switches } from "@pawl/core/Profile"
import { type Behaviour, defaults } from "@pawl/testkit/internal/Behaviour"
import { identity } from "effect/Function"
import * as JvmStyle from "./internal/readings/JvmStyle.ts"
import { table } from "./internal/readings/Table.ts"

/**
 * A question that the specification leaves open.
 *
 * @category models
 * @since 0.1.0
 */
export type Question = keyof typeof table

/**
 * The readings of some questions. Every other question, and an unknown reading, has the default.
 *
 * @category models
 * @since 0.1.0
 */
export type Readings = { readonly [Name in Question]?: string }

/**
 * The questions.
 *
 * @category constants
 * @since 0.1.0
 */
export const questions = Object.keys(table) as ReadonlyArray<Question>

/**
 * Lists the readings of a question, the default first.
 *
 * @category getters
 * @since 0.1.0
 */
export const known = (question: Question): readonly [string, ...Array<string>] =>
  // Every question of the table has a reading.
  Object.keys(table[question]) as [string, ...Array<string>]

/**
 * Lists the readings that no gateway supports, each as `question: reading`.
 *
 * @category getters
 * @since 0.1.0
 */
export const unknown = (readings: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(readings).flatMap(([question, reading]) => {
    const known: Readonly<Record<string, object>> = table
    return Object.hasOwn(known[question] ?? {}, reading) ? [] : [`${question}: ${reading}`]
  })

/**
 * Returns the switches of `Profile` that these readings need.
 *
 * @category getters
 * @since 0.1.0
 */
export const switches = ({
  callbackType,
  checksum,
  payoutChecksum,
  refundCallback,
  token
}: Readings): Partial<Switches> => {
  const [, separator] = /^"(.*)", lower-case hex$/u.exec(checksum ?? "") ?? []
  const [, field] = /^(?:data\.)?(\w+)$/u.exec(token ?? "") ?? []
  return {
    ...(separator !== undefined && separator !== "|" && { requestChecksumSeparator: separator }),
    ...(callbackType !== undefined &&
      callbackType !== "application/json" && { callbackContentType: "any" as const }),
    ...(payoutChecksum === "not accepted" && { payoutChecksum: false }),
    ...(refundCallback === "the payment" && { refundCallbackId: "payment" as const }),
    ...(field !== undefined && !usualTokens.has(field) && { tokenField: field })
  }
}

/** The fields where a client finds the access token without a switch. */
const usualTokens: ReadonlySet<string> = new Set(["accessToken", "access_token", "token", "jwt"])

/**
 * Returns the behaviour of a gateway with these readings. Rewrites and refusals apply in the order
 * of the questions; of other changes the last one holds.
 *
 * @category getters
 * @since 0.1.0
 */
export const behaviour = (readings: Readings, style: Style = "plain"): Behaviour =>
  questions
    .map((question): Partial<Behaviour> => {
      const known: Readonly<Record<string, Partial<Behaviour>>> = table[question]
      return { switches: switches(readings), ...known[readings[question] ?? ""] }
    })
    .reduce<Behaviour>(
      (all, change) => ({
        ...all,
        ...change,
        switches: { ...all.switches, ...change.switches },
        refusal: (request) => all.refusal(request) ?? change.refusal?.(request),
        response: (response, request) =>
          (change.response ?? identity)(all.response(response, request), request),
        callback: (callback) => (change.callback ?? identity)(all.callback(callback))
      }),
      style === "jvm" ? { ...defaults, ...JvmStyle.behaviour } : defaults
    )

/**
 * The style of responses and callbacks; `plain` by default. In `jvm`, absent fields are null, and
 * the times in responses are milliseconds since the epoch.
 *
 * @category models
 * @since 0.1.0
 */
export type Style = "plain" | "jvm"
