import { Hmac } from "@pawl/core/Hmac"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Checksum from "@pawl/core/Checksum"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import * as Operation from "../src/internal/wire/Operation.ts"
import * as PawlConfig from "../src/PawlConfig.ts"
import * as Memory from "./support/memory.ts"

const sentBy = (service: Memory.Service) => ({
  secrets: service.auths.map(({ body }) => JSON.parse(body ?? "").merchantSecret),
  checksums: service.requests.map(({ body }) => JSON.parse(body ?? "").checksum)
})

const checksum = (secret: string, requestId: string) =>
  Checksum.request(NodeHmac.keyed(Redacted.make(secret)), "|", { ...Memory.payment, requestId })

/** Creates a payment with each secret; undefined is an unreadable one. */
const run = async (
  secrets: ReadonlyArray<string | undefined>,
  isRevoked: boolean,
  unreadable: Effect.Effect<Redacted.Redacted> = Effect.die("no file")
) => {
  const service = new Memory.Service()
  let current: string | undefined
  const merchantSecret = Effect.suspend(() =>
    current === undefined ? unreadable : Effect.succeed(Redacted.make(current))
  )
  current = secrets[0]
  const program = Effect.forEach(secrets, (secret, index) => {
    current = secret
    if (isRevoked) service.valid.clear()
    return Memory.settled(Memory.pay({ requestId: `order-${index}` }))
  })
  await Memory.against(service, program, { merchantSecret })
  return sentBy(service)
}

it("a secret is read before each request for a token, and checksums use the last one", async () => {
  const { checksums, secrets } = await run(["one", "two", "two"], true)
  expect(secrets).toEqual(["one", "two", "two"])
  // The second create's 401 causes a token request, which reads the new secret; the create is sent
  // again unchanged.
  const of = (secret: string, ...orders: ReadonlyArray<number>) =>
    orders.map((n) => checksum(secret, `order-${n}`))
  expect(checksums).toEqual([...of("one", 0, 1, 1), ...of("two", 2, 2)])
})

it("a secret is not read for each call", async () => {
  const { checksums, secrets } = await run(["one", "two"], false)
  expect(secrets).toEqual(["one"])
  expect(checksums).toEqual([checksum("one", "order-0"), checksum("one", "order-1")])
})

it.each([
  ["fails", Effect.die("no file")],
  ["hangs", Effect.never],
  ["has no text", Effect.succeed(Redacted.make(undefined as never))]
])("the last secret stays in use while its read %s", async (_, unreadable) => {
  const { secrets } = await run(["one", undefined, "three"], true, unreadable)
  expect(secrets).toEqual(["one", "one", "three"])
})

it("the key of the checksum is prepared once for each secret", async () => {
  const prepared: Array<string> = []
  const keyed: Hmac["Service"]["keyed"] = (secret) => {
    prepared.push(String(Redacted.value(secret)))
    return NodeHmac.keyed(secret)
  }
  let current = "one"
  const merchantSecret = Effect.sync(() => Redacted.make(current))
  await Effect.gen(function* () {
    const config = yield* PawlConfig.PawlConfig
    const sign = (yield* Operation.signer)("always")
    for (const secret of ["one", "one", "two", "two"]) {
      current = secret
      yield* config.merchantSecret
      expect(sign(Memory.payment)).toMatchObject({ checksum: checksum(secret, "order-1") })
    }
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        Layer.succeed(Hmac, { keyed }),
        PawlConfig.layer({ ...Memory.options, merchantSecret })
      )
    ),
    Effect.runPromise
  )
  expect(prepared).toEqual(["one", "two"])
})

it("a client whose secret cannot be read is not built", async () => {
  await expect(run([undefined], false)).rejects.toThrow("merchantSecret cannot be used")
})
