/**
 * The laws of a receiver: the HTTP endpoint of the service's callbacks, in any language.
 *
 * **Details**
 *
 * The laws check a receiver from outside. `answers` are about the HTTP status of its responses. They need only a
 * function from `Request` to `Response`, or a URL. `statuses` are about the status that the receiver reports for a
 * transaction. They also need a way to read that status, and a service that the laws control (`service`, over the
 * gateway of a `Fake` or a `Sandbox`).
 *
 * A counterexample is a list of steps; `Conformance` writes it as a shell script.
 *
 * **Gotchas**
 *
 * A receiver that reads from the service later, and not when a callback arrives, may need a longer `settleTimeout`.
 *
 * **Example** (A receiver that answers 200 to everything)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Receiver from "@pawl/testkit/Laws/Receiver"
 * import * as Redacted from "effect/Redacted"
 *
 * const mine = {
 *   secret: Redacted.make("sandbox-secret"),
 *   send: () => new Response(null, { status: 200 })
 * }
 *
 * const broken = await Promise.allSettled(Receiver.answers.map((law) => Laws.run(law, mine)))
 * broken.filter(({ status }) => status === "rejected").length // => 7
 * ```
 *
 * @since 0.1.0
 */
import type { Redacted } from "effect/Redacted"
import type { Gateway } from "../Gateway.ts"
import type { Faults } from "../Faults.ts"
import type { Effect } from "effect/Effect"
import * as AnswerLaws from "../internal/laws/receiver/AnswerLaws.ts"
import type * as ReceiverCase from "../internal/laws/receiver/Case.ts"
import type * as ReceiverLaw from "../internal/laws/receiver/ReceiverLaw.ts"
import * as ReceiverService from "../internal/laws/receiver/Service.ts"
import * as StatusLaws from "../internal/laws/receiver/StatusLaws.ts"
import type { Law } from "../Laws.ts"

/**
 * A receiver that answers callbacks.
 *
 * - `secret`: the merchant secret that verifies callbacks.
 * - `send`: sends the receiver one request.
 * - `url`: the URL of the receiver; `http://localhost/callback` by default.
 * - `sleep`: waits a number of milliseconds, in real time by default. A virtual clock first completes pending work.
 * - `settleTimeout`: the time until the receiver reports the service's status; 5 seconds by default.
 *
 * @category models
 * @since 0.1.0
 */
export type Answering = ReceiverLaw.Answering

/**
 * A receiver that also reports the status of a transaction.
 *
 * - `status`: returns the reported status, or nothing for an unknown transaction.
 * - `service`: the service that the receiver reads from.
 *
 * @category models
 * @since 0.1.0
 */
export type Reporting = ReceiverLaw.Reporting

/**
 * The service that a receiver reads from, under the control of the laws.
 *
 * @category models
 * @since 0.1.0
 */
export type Service = ReceiverService.Service

/**
 * A case of a receiver: the service changes a status, callbacks arrive, a read fails.
 *
 * @category models
 * @since 0.1.0
 */
export type Case = ReceiverCase.ReceiverCase

/**
 * Makes the service of a `Fake` or a `Sandbox`, with its credentials.
 *
 * @category constructors
 * @since 0.1.0
 */
export const service: (credentials: {
  readonly merchantKey?: string | undefined
  readonly merchantSecret: Redacted
}) => Effect<Service, never, Gateway | Faults> = ReceiverService.make

/**
 * The laws about the HTTP status that a receiver answers.
 *
 * @category laws
 * @since 0.1.0
 */
export const answers: ReadonlyArray<Law<Answering, Case>> = AnswerLaws.answerLaws

/**
 * The laws about the status that a receiver reports.
 *
 * @category laws
 * @since 0.1.0
 */
export const statuses: ReadonlyArray<Law<Reporting, Case>> = StatusLaws.statusLaws

/**
 * All laws of a receiver.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Law<Reporting, Case>> = [...answers, ...statuses]
