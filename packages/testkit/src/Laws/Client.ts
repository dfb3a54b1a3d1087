/**
 * The laws of a client of the service.
 *
 * **Details**
 *
 * Behind the `fetch` is the service itself (`Gateway`) with the faults of a network. The laws check
 * the reported outcome, the requests sent, and the state of the service. The clock is virtual and
 * advances when all fibers wait. In a race, random delays order the responses.
 *
 * **Gotchas**
 *
 * A client that does not use the given `sleep` waits in real time.
 *
 * **Example** (The client of `@pawl/http`)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Client from "@pawl/testkit/Laws/Client"
 *
 * for (const law of Client.laws) await Laws.run(law, Client.pawlClient, { numRuns: 3 })
 * ```
 *
 * @since 0.1.0
 */
import { createLaws } from "../internal/laws/client/Creates.ts"
import type * as ClientLaw from "../internal/laws/client/ClientLaw.ts"
import { readAndChangeLaws } from "../internal/laws/client/ReadsAndChanges.ts"
import { retryLaws } from "../internal/laws/client/Retries.ts"

export type {
  Client,
  Make,
  Order,
  Outcome,
  Refund,
  Service
} from "../internal/laws/client/Model.ts"
export { make as pawlClient } from "../internal/laws/client/PawlClient.ts"

/**
 * The laws of a client.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<ClientLaw.ClientLaw> = [
  ...createLaws,
  ...retryLaws,
  ...readAndChangeLaws
]
