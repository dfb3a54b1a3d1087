import { identity } from "effect/Function"
import { describe, expect, it } from "vitest"
import * as Laws from "../src/Laws.ts"
import { laws, type Make, pawlClient } from "../src/Laws/Client.ts"
import { clients, handwrittenClient } from "./support/handwrittenClient.ts"
import { breaks } from "@pawl/test-support/LawTests"
import { repeats } from "@pawl/test-support/Repeats"
import { describePlantedBugs } from "@pawl/test-support/PlantedBugs"

/** A law of a client has 30 runs by default. */
const numRuns = repeats(30)

/** The laws that such clients broke. */
const ofRequests = laws.filter(({ name }) =>
  /^(?:the service receives the order|a refund sends|a subscription change)/u.test(name)
)
const creates = laws.filter(({ name }) => name.startsWith("every attempt of a create"))

describe("the laws of a client hold", () => {
  it.for(laws)("for the client of @pawl/http: $name", (law) =>
    Laws.run(law, pawlClient, { numRuns })
  )
  it.for(laws)("for a handwritten client: $name", (law) =>
    Laws.run(law, handwrittenClient(), { numRuns })
  )
  it.for(laws)("for a client that only creates and reads: $name", (law) =>
    Laws.run(
      law,
      (service) => {
        const { create, status } = handwrittenClient()(service)
        return { create, status }
      },
      { numRuns: 5 }
    )
  )
  it.for(ofRequests)(
    "for a client that reads before it changes, and leaves out empty metadata: $name",
    (law) =>
      Laws.run(
        law,
        (service) => {
          const { change, create, refund, ...client } = handwrittenClient()(service)
          const readFirst = (id: string) => client.status(id).catch(String)
          const unless404 = async (id: string) => {
            const failure = await readFirst(id)
            if (!failure.includes("404")) throw new Error(failure)
          }
          return {
            ...client,
            create: ({ metadata = {}, ...order }) =>
              create(Object.keys(metadata).length > 0 ? { ...order, metadata } : order),
            change: (id) => unless404(id).then(() => change?.(id)),
            refund: (each) => unless404(each.transactionId).then(() => refund?.(each))
          }
        },
        { numRuns: 30 }
      )
  )
  it.for(creates)("for a client that refunds only what it can read: $name", (law) =>
    Laws.run(
      law,
      (service) => {
        const { refund, status, ...client } = handwrittenClient()(service)
        return {
          ...client,
          status,
          refund: async (each) => {
            await status(each.transactionId)
            return refund?.(each) ?? Promise.reject(new Error("no refunds"))
          }
        }
      },
      { numRuns: 5 }
    )
  )
})

describe("the laws of a client are broken", () => {
  it("by a client that throws, whose error is the cause, at a case without a fault", async () => {
    const thrown = new TypeError("no payload")
    const throwing: Make = (service) => ({
      ...handwrittenClient()(service),
      create: () => Promise.reject(thrown)
    })
    const [first, second] = await breaks(laws.slice(0, 2), throwing)
    expect(first).toMatchObject({ cause: thrown })
    expect(second).toMatchObject({ shown: "no request has a fault" })
    expect(second?.wrong).toContain("Expected one body, in every attempt, not\n[]")
  })

  it("by a client with a wrong checksum, whose report has the response of the service", async () => {
    const wrong = handwrittenClient({
      body: (order) => JSON.stringify({ ...order, checksum: "0" })
    })
    const [first] = await breaks(laws.slice(0, 1), wrong)
    expect(first?.wrong).toMatch(
      /\nIts last requests were\nPOST [^\n]+: 200\nPOST \/api\/v1\/payments\/apm: 400 .*checksum/u
    )
  })

  it("by a client whose response was cut off, whose report has its status", async () => {
    const changing = handwrittenClient({
      body: (order, _, attempt) => JSON.stringify({ ...order, checksum: String(attempt) })
    })
    const examples: ReadonlyArray<never> = [["truncate"] as never]
    for (const law of laws.slice(1, 2)) {
      const found = await Laws.run(law, changing, { examples }).catch(identity)
      expect(found).toMatchObject({ shown: "1. truncate" })
      expect(found.wrong).toMatch(/\nPOST \/api\/v1\/payments\/apm: 400\n/u)
    }
  })
})

describePlantedBugs("a client", laws, clients, handwrittenClient, {
  more: (foundOf) =>
    it("say what is counted", () => {
      for (const [bug] of clients)
        expect(foundOf(bug)?.by?.wrong ?? "").not.toMatch(/^Error: Expected\n(?:\d+|undefined)\n/u)
    })
})
