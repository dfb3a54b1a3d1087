import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as fc from "fast-check"
import * as Faults from "../../../Faults.ts"
import { type ClientLaw, inOrder, law, lawOfOperations, order } from "./ClientLaw.ts"
import { merchantSecret, type SentRequest } from "./Harness.ts"
import { expect } from "../Expect.ts"

export const retryLaws: ReadonlyArray<ClientLaw> = [
  law(
    {
      name: "calls share one access token, and a refused token costs one request to /auth (C12)",
      section: 'spec.md, "Authentication"',
      explanation:
        "One access token serves every request, so requests that are refused together need one new access token. A late refusal concerns the old one and does not discard the new one."
    },
    {
      events: fc.array(
        fc.record({ start: fc.nat(300), delay: fc.nat(300) }, { noNullPrototype: true }),
        { minLength: 1, maxLength: 6 }
      ),
      show: ({ delay, start }) => `a call after ${start} ms, with a response ${delay} ms later`
    },
    function* ({ apiRequests, authRequests, client, setFaults, settle, sleep }, calls) {
      yield* settle(() => client.create(order()))
      yield* settle(() => client.status("100001"))
      const refused = apiRequests()[0]?.token
      setFaults(
        (_, { token }) => (token === refused ? "401" : "none"),
        (n) => (n === undefined ? 200 : (calls[n]?.delay ?? 0))
      )
      const call = ({ start }: (typeof calls)[number]) =>
        sleep(start).then(() => client.status("100001"))
      yield* settle(() => Promise.all(calls.map(call)))
      expect(authRequests().length).toSatisfy("2 requests to /auth", (count) => count === 2)
    }
  ),

  lawOfOperations(
    {
      name: "a second 401 is an error, and no third access token is requested (C13)",
      section: 'spec.md, "Authentication"',
      explanation:
        "Retry the original request once. A persistent 401 means wrong credentials or a revoked account, and another access token does not help."
    },
    [["401"]],
    function* ({ apiRequests, authRequests, setFaults, settle }, call) {
      setFaults(() => "401")
      const result = yield* Effect.orElseSucceed(settle(call), () => ({ outcome: "refused" }))
      expect(result).toSatisfy(
        "an error",
        (result) => Predicate.hasProperty(result, "outcome") && result.outcome !== "accepted"
      )
      expect(authRequests().length).toSatisfy("at most 2 requests to /auth", (count) => count <= 2)
      expect(apiRequests().length).toSatisfy("at most 2 attempts", (count) => count <= 2)
    }
  ),

  lawOfOperations(
    {
      name: "the number of attempts is limited, with a wait between them (C10)",
      section: 'spec.md, "Errors"',
      explanation:
        "A client that retries without limit, or at once, adds load to a service that is down."
    },
    [["500"], ["reset-before"]],
    function* ({ apiRequests, setFaults, settle }, call, [fault = "none"]) {
      setFaults(() => fault)
      yield* Effect.ignore(settle(call))
      const attempts = apiRequests()
      expect(attempts.length).toSatisfy("at most 20 attempts", (count) => count <= 20)
      expect(gapsOf(attempts)).toSatisfy("gaps of 50 ms and more", (gaps) =>
        gaps.every((gap) => gap >= 50)
      )
    }
  ),

  lawOfOperations(
    {
      name: "nothing is sent before the time of Retry-After (C11)",
      section: "docs/decisions/0010",
      explanation: "The service states when it is ready again; an earlier request only adds load."
    },
    [["503", "503"]],
    function* ({ apiRequests, setFaults, settle }, call, faults) {
      setFaults(inOrder(faults))
      yield* Effect.ignore(settle(call))
      const attempts = apiRequests()
      const isWaiting = (gap: number, at: number) => attempts[at]?.status !== 503 || gap >= 1000
      expect(gapsOf(attempts)).toSatisfy("gaps of 1,000 ms and more after each 503", (gaps) =>
        gaps.every(isWaiting)
      )
    }
  ),

  lawOfOperations(
    {
      name: "no error contains an access token or the secret (B04)",
      section: "docs/decisions/0008",
      explanation: "Errors end up in logs, in tickets, and in the responses of a shop."
    },
    // The client sees the same of both resets.
    Faults.kinds.filter((kind) => kind !== "reset-after").map((kind) => [kind]),
    function* ({ apiRequests, authRequests, setFaults, settle }, call, [fault = "none"]) {
      setFaults(() => fault)
      const error = yield* Effect.match(settle(call), {
        onFailure: (error) => error,
        onSuccess: (result) => result
      })
      expect(authRequests().length).toSatisfy("a request to /auth", (count) => count > 0)
      const text = textsOf(error).join("\n")
      const isIn = (secret: string) => secret !== "" && text.includes(secret)
      const tokens = apiRequests().map(({ token = "" }) => token.slice(7))
      expect({ secret: isIn(merchantSecret), accessToken: tokens.some(isIn) }).toEqual({
        secret: false,
        accessToken: false
      })
    }
  )
]

const gapsOf = (sent: ReadonlyArray<SentRequest>): ReadonlyArray<number> =>
  sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0))

const textsOf = (value: unknown, seen = new Set<unknown>()): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || seen.has(value)) return []
  seen.add(value)
  const names = value instanceof Map ? [] : Reflect.ownKeys(value)
  const members =
    value instanceof Map ? [...value].flat() : names.map((name) => Reflect.get(value, name))
  return [
    ...(value instanceof Error ? [value.toString()] : []),
    ...members.flatMap((each) => textsOf(each, seen))
  ]
}
