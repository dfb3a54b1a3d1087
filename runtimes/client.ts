/**
 * The entry of the second bundle: prints the report of the checks of the client and the receiver.
 *
 * In workerd the checks send their requests through a service binding, so that each has its own
 * context of input and output. Elsewhere they call the application, and the URL of the service is
 * the argument.
 */
import {
  type Fetch,
  makeApplication,
  runChecks
} from "../packages/testkit/test/support/portable.ts"

interface Environment {
  readonly service: string
  readonly self: { readonly fetch: Fetch }
}

const report = async (send: Fetch, service: string, hasBackground: boolean): Promise<void> => {
  const outcome = await runChecks(send, service, hasBackground)
  console.log(`report:${encodeURIComponent(JSON.stringify(outcome))}`)
}

let application: Fetch | undefined

export default {
  fetch: (request: Request, { service }: Environment): Promise<Response> =>
    (application ??= makeApplication(`${service}/api`))(request),
  test: (_: unknown, { self, service }: Environment): Promise<void> =>
    report((request) => self.fetch(request), service, false)
}

const service = (globalThis as { process?: { argv?: ReadonlyArray<string> } }).process?.argv?.[2]
if (service !== undefined) {
  await report(makeApplication(`${service}/api`), service, true)
  // The background fibers of the receiver would keep the process.
  process.exit()
}
