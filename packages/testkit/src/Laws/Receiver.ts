/**
 * The laws of a receiver: whatever takes the service's callbacks in, in any language.
 *
 * **Details**
 *
 * They look at a receiver from outside. `answers` are about what it answers, and need nothing but a way to
 * send it a request: a function from `Request` to `Response`, or a URL. `beliefs` are about what it makes of
 * the callbacks, and need two things more: a way to ask what it believes, and a service for it to read from
 * that says what the law wants (`service`, over the gateway of a `Fake` or a `Sandbox`).
 *
 * How a case came to be is a list of steps; `Conformance` writes it as a shell script.
 *
 * **Gotchas**
 *
 * A receiver that reads by itself later, and not when a callback comes, may need more `patience`.
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
import * as ReceiverAnswers from "../internal/laws/receiver/Answers.ts"
import * as ReceiverBeliefs from "../internal/laws/receiver/Beliefs.ts"
import type * as ReceiverCase from "../internal/laws/receiver/Case.ts"
import type * as ReceiverLaw from "../internal/laws/receiver/ReceiverLaw.ts"
import * as ReceiverService from "../internal/laws/receiver/Service.ts"
import type { Law } from "../Laws.ts"

/**
 * A receiver, by what it answers.
 *
 * - `secret`: the merchant secret that it verifies callbacks with.
 * - `send`: hands it one request.
 * - `url`: where callbacks are posted to; `http://localhost/callback` unless given.
 * - `sleep`: lets time pass for it, in milliseconds; a virtual one first lets what is under way come to
 *   its end. Real time unless given.
 * - `patience`: how long it may take until it believes what it was told; 5 seconds unless given.
 *
 * @category models
 * @since 0.1.0
 */
export type Answering = ReceiverLaw.Answering

/**
 * A receiver, by what it answers and what it believes.
 *
 * - `state`: the status that it believes a transaction has; nothing where it knows of none.
 * - `service`: the service that it reads from.
 *
 * @category models
 * @since 0.1.0
 */
export type Believing = ReceiverLaw.Believing

/**
 * The service that a receiver reads from, as laws move it.
 *
 * @category models
 * @since 0.1.0
 */
export type Service = ReceiverService.Service

/**
 * What happens around a receiver in one case: the service moves, callbacks come, a read fails.
 *
 * @category models
 * @since 0.1.0
 */
export type Case = ReceiverCase.Case

/**
 * Makes the service of a gateway and its faults, those of a `Fake` or a `Sandbox`, with the credentials it
 * was given.
 *
 * @category constructors
 * @since 0.1.0
 */
export const service: (credentials: {
  readonly merchantKey?: string | undefined
  readonly merchantSecret: Redacted
}) => Effect<Service, never, Gateway | Faults> = ReceiverService.make

/**
 * The laws about what a receiver answers.
 *
 * @category laws
 * @since 0.1.0
 */
export const answers: ReadonlyArray<Law<Answering, Case>> = ReceiverAnswers.answers

/**
 * The laws about what a receiver believes.
 *
 * @category laws
 * @since 0.1.0
 */
export const beliefs: ReadonlyArray<Law<Believing, Case>> = ReceiverBeliefs.beliefs

/**
 * The laws of a receiver, all of them.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<Law<Believing, Case>> = [...answers, ...beliefs]
