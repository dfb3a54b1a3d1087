/**
 * A shop for the tests of the doors: a `Pawl` over a sandbox, whose callbacks come over sockets.
 */
import { open, type Pawl, type Transition } from "pawl"
import { sandbox } from "pawl/testing"
import { freePort } from "@pawl/test-support/FreePort"
import { expect } from "vitest"

/** The fields of a payment, without the callback URL that `Pawl` adds. */
export const order = {
  requestId: "order-1",
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" as const }
}

export interface App {
  readonly close: () => unknown
}

interface Shop {
  readonly pawl: Pawl
  readonly url: string
  readonly transitions: ReadonlyArray<Transition>
  readonly warnings: ReadonlyArray<string>
  readonly errors: ReadonlyArray<string>
}

/**
 * Opens a shop and starts its application, at whose address it runs `test`. `path` is that of its public
 * URL.
 */
export const withShop = async (
  start: (pawl: Pawl, port: number) => App | Promise<App>,
  test: (shop: Shop) => Promise<void>,
  path = ""
): Promise<void> => {
  await using service = await sandbox({ pace: "10 millis" })
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const transitions: Array<Transition> = []
  const warnings: Array<string> = []
  const errors: Array<string> = []
  const nothing = () => {}
  await using pawl = await open({
    ...service,
    store: "memory",
    publicUrl: `${url}${path}`,
    logger: {
      debug: nothing,
      info: nothing,
      warn: (message) => warnings.push(message),
      error: (message) => errors.push(message)
    },
    onChange: (transition) => transitions.push(transition)
  })
  const app = await start(pawl, port)
  try {
    await test({ pawl, url, transitions, warnings, errors })
  } finally {
    await app.close()
  }
}

/** Pays, and expects that a callback told it. */
export const pays = async ({
  pawl,
  transitions
}: Pick<Shop, "pawl" | "transitions">): Promise<void> => {
  await pawl.apmPayments.create(order)
  await expect
    .poll(() => transitions.at(-1), { timeout: 200_000 })
    .toMatchObject({ requestId: "order-1", to: "SUCCEED", signed: { amount: "10.00" } })
}

export const callback = (url: string, checksum: string): Request =>
  new Request(`${url}?paymentMethod=apm`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-checksum": checksum },
    body: JSON.stringify({
      transactionId: "100001",
      transactionStatus: "SUCCEED",
      accountId: "4711",
      amount: "10.00",
      currency: "EUR"
    })
  })

/** Posts a callback that nobody signed, and returns the status of the response. */
export const forge = (url: string, path = "/callback"): Promise<number> =>
  fetch(callback(`${url}${path}`, "bm90IHRoZSBzZWNyZXQgYnV0IGEgZ29vZCB0cnkhISE=")).then(
    ({ status }) => status
  )

export const takes = async (shop: Shop): Promise<void> => {
  await pays(shop)
  expect(await forge(shop.url)).toBe(401)
}

/** Beside the callbacks a route of the application gets its JSON parsed. */
export const takesBesideJson = async (shop: Shop): Promise<void> => {
  await takes(shop)
  const response = await fetch(`${shop.url}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ amount: "10.00" })
  })
  expect(await response.json()).toEqual({ read: { amount: "10.00" } })
}
