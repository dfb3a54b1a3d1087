/**
 * The laws of how a client tries again, and with which token.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Faults from "../../../Faults.ts"
import { type ClientLaw, inTurn, law, oneOf, order } from "./ClientLaw.ts"
import { merchantSecret, type Sent } from "./Stage.ts"
import { expect } from "../Expect.ts"

/**
 * What comes before, between and after the tries of a call.
 *
 * @category laws
 * @since 0.1.0
 */
export const trying: ReadonlyArray<ClientLaw> = [
  law(
    {
      name: "a token serves every call until it is refused, and one that is refused costs one request to /auth (C12)",
      section: 'spec.md, "Authentication"',
      explanation:
        "One token may serve every request, so those that are refused together need one new token together. A refusal that comes late is of the old token: it does not throw the new one away."
    },
    {
      events: fc.array(
        fc.record({ begins: fc.nat(300), answered: fc.nat(300) }, { noNullPrototype: true }),
        { minLength: 1, maxLength: 6 }
      ),
      show: ({ answered, begins }) => `a call ${begins} ms later, answered after ${answered} ms`
    },
    function* ({ auths, client, during, others, sleep, weather }, calls) {
      yield* during(() => client.create(order()))
      yield* during(() => client.status("100001"))
      const dead = others()[0]?.token
      weather(
        (_, { token }) => (token === dead ? "401" : "fine"),
        (n) => (n === undefined ? 200 : (calls[n]?.answered ?? 0))
      )
      const late = ({ begins }: (typeof calls)[number]) =>
        sleep(begins).then(() => client.status("100001"))
      yield* during(() => Promise.all(calls.map(late)))
      expect(auths().length).toBe(2)
    }
  ),

  law(
    {
      name: "a second 401 is an error, and no third token is asked for (C13)",
      section: 'spec.md, "Authentication"',
      explanation:
        "Retry the original request once. A persistent 401 means wrong credentials or a revoked account, and no token will help."
    },
    { events: oneOf("create", "status") },
    function* ({ auths, client, during, others, weather }, [operation = ""]) {
      weather(() => "401")
      const done = yield* Effect.isSuccess(
        during((): Promise<unknown> =>
          operation === "create"
            ? client.create(order()).then(({ outcome }) => expect(outcome).toBe("accepted"))
            : client.status("100001")
        )
      )
      expect(done).toBe(false)
      expect(auths().length <= 2).toBe(true)
      expect(others().length <= 2).toBe(true)
    }
  ),

  law(
    {
      name: "tries come to an end, and wait between them (C10)",
      section: 'spec.md, "Errors"',
      explanation:
        "A service that is down is not helped by a client that asks without end, nor by one that asks at once."
    },
    { events: oneOf("500", "reset-before", "reset-after") },
    function* ({ client, during, others, weather }, faults) {
      weather(() => faults[0] ?? "fine")
      yield* Effect.ignore(during(() => client.create(order())))
      const tries = others()
      expect(tries.length <= 20).toBe(true)
      expect(gapsOf(tries).every((gap) => gap >= 50)).toBe(true)
    }
  ),

  law(
    {
      name: "nothing is sent before the Retry-After of a refusal (C11)",
      section: "docs/decisions/0020",
      explanation: "The service says when it will be ready; whoever asks before that is in its way."
    },
    { events: [["503"], ["503", "503"]] as const },
    function* ({ client, during, others, weather }, faults) {
      weather(inTurn(faults))
      yield* Effect.ignore(during(() => client.create(order())))
      expect(gapsOf(others()).every((gap) => gap >= 1000)).toBe(true)
    }
  ),

  law(
    {
      name: "no error tells a token or the secret (B04)",
      section: "docs/decisions/0026",
      explanation: "Errors end in logs, in tickets, and in the answers of a shop."
    },
    { events: oneOf(...Faults.kinds) },
    function* ({ auths, client, during, others, weather }, faults) {
      weather(() => faults[0] ?? "fine")
      const error = yield* Effect.match(
        during(() => client.status("7")),
        { onFailure: (error) => error, onSuccess: () => undefined }
      )
      expect(auths().length > 0).toBe(true)
      const secrets = [merchantSecret, ...others().map(({ token = "" }) => token.slice(7))]
      const told = textsOf(error).join("\n")
      expect(secrets.filter((secret) => secret !== "" && told.includes(secret))).toEqual([])
    }
  )
]

/** The waits between requests, in milliseconds. */
const gapsOf = (sent: ReadonlyArray<Sent>): ReadonlyArray<number> =>
  sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0))

/** Every text in a value, its own and those it inherits, in whatever it holds. */
const textsOf = (value: unknown, seen = new Set<unknown>()): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || seen.has(value)) return []
  seen.add(value)
  const names = value instanceof Map ? [] : Reflect.ownKeys(value)
  const held =
    value instanceof Map ? [...value].flat() : names.map((name) => Reflect.get(value, name))
  return [
    ...(value instanceof Error ? [value.toString()] : []),
    ...held.flatMap((each) => textsOf(each, seen))
  ]
}
