/**
 * The laws of a receiver: the HTTP endpoint of the service's callbacks, in any language.
 *
 * **Details**
 *
 * `answers`, about the HTTP status of its responses, need only a function from `Request` to
 * `Response`, or a URL. `statuses`, about the status that it reports for a transaction, also need a
 * way to read that, and a service that the laws control (`service`, over the gateway of a `Fake` or
 * a `Sandbox`).
 *
 * A counterexample is a list of steps; `Conformance` writes it as a shell script.
 *
 * **Gotchas**
 *
 * A receiver that reads from the service later than at a callback may need a longer
 * `settleTimeout`.
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
import * as AnswerLaws from "../internal/laws/receiver/AnswerLaws.ts"
import type { Answering, ReceiverLaw, Reporting } from "../internal/laws/receiver/ReceiverLaw.ts"
import * as StatusLaws from "../internal/laws/receiver/StatusLaws.ts"

export type { ReceiverCase as Case } from "../internal/laws/receiver/Case.ts"
export type { Answering, Reporting } from "../internal/laws/receiver/ReceiverLaw.ts"
export { make as service, type Service } from "../internal/laws/receiver/Service.ts"

/**
 * The laws about the HTTP status that a receiver answers.
 *
 * @category laws
 * @since 0.1.0
 */
export const answers: ReadonlyArray<ReceiverLaw<Answering>> = AnswerLaws.answerLaws

/**
 * The laws about the status that a receiver reports.
 *
 * @category laws
 * @since 0.1.0
 */
export const statuses: ReadonlyArray<ReceiverLaw<Reporting>> = StatusLaws.statusLaws

/**
 * All laws of a receiver.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<ReceiverLaw<Reporting>> = [...answers, ...statuses]
