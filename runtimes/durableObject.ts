/** The entry of the third bundle: a worker with a Durable Object. */
import {
  checkLaws,
  makeReceiver,
  type Storage
} from "../packages/testkit/test/support/durableObject.ts"

type Fetch = (request: Request) => Promise<Response>

interface Environment {
  readonly ledger: {
    readonly getByName: (name: string) => { readonly fetch: Fetch }
  }
}

/** The Durable Object, whose constructor and `fetch` the runtime calls. */
export class Ledger {
  private readonly storage: Storage
  private receive: Fetch | undefined

  constructor(state: { readonly storage: Storage }) {
    this.storage = state.storage
  }

  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/laws") {
      return Response.json(await checkLaws(this.storage))
    }
    this.receive ??= makeReceiver(this.storage)
    return this.receive(request)
  }
}

export default {
  fetch: (request: Request, { ledger }: Environment): Promise<Response> =>
    ledger.getByName("shop").fetch(request),
  test: async (_: unknown, { ledger }: Environment): Promise<void> => {
    const response = await ledger.getByName("laws").fetch(new Request("https://shop.example/laws"))
    console.log(`report:${encodeURIComponent(await response.text())}`)
  }
}
