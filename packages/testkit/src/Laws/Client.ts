/**
 * The laws of a client: what calls the service.
 *
 * **Details**
 *
 * They are put to any client, in whatever style it is written: it is given a `fetch` and a `sleep`, and shows a
 * few operations as promises. Behind that `fetch` is the service itself (`Gateway`), and what a network does to
 * its answers: they are lost, broken off, late, refused. The laws look at what the client told its user, at what
 * it sent, and at what the service has done.
 *
 * Time passes when nobody has anything left to do but wait: hours of polling take no time, and in a race the order
 * of the answers is that of their delays, which are drawn.
 *
 * **Gotchas**
 *
 * A client that waits by another clock than the `sleep` it is given waits in real time.
 *
 * **Example** (The client of `@pawl/http`)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Client from "@pawl/testkit/Laws/Client"
 *
 * for (const law of Client.laws) await Laws.run(law, Client.ours, { numRuns: 3 })
 * ```
 *
 * @since 0.1.0
 */
import { changing } from "../internal/laws/client/Changes.ts"
import { creating } from "../internal/laws/client/Creates.ts"
import type * as ClientLaw from "../internal/laws/client/ClientLaw.ts"
import type * as Model from "../internal/laws/client/Model.ts"
import * as ClientOurs from "../internal/laws/client/Ours.ts"
import { trying } from "../internal/laws/client/Tries.ts"

/**
 * What is put to the test: a function that makes a client of a service. It is called for each value a law is
 * tried on.
 *
 * @category models
 * @since 0.1.0
 */
export type Make = Model.Make

/**
 * Where the service is, how it is reached, and how time passes.
 *
 * @category models
 * @since 0.1.0
 */
export type Service = Model.Service

/**
 * The operations that are tried; a law about one that is left out holds.
 *
 * @category models
 * @since 0.1.0
 */
export type Client = Model.Client

/**
 * The body of an APM payment, but for its checksum.
 *
 * @category models
 * @since 0.1.0
 */
export type Order = Model.Order

/**
 * The body of a refund.
 *
 * @category models
 * @since 0.1.0
 */
export type Refund = Model.Refund

/**
 * What became of a create, as the client's user learns it.
 *
 * @category models
 * @since 0.1.0
 */
export type Outcome = Model.Outcome

/**
 * The client of `@pawl/http`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ours: Make = ClientOurs.make

/**
 * The laws of a client.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<ClientLaw.ClientLaw> = [...creating, ...trying, ...changing]
