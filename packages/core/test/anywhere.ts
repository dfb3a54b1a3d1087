/**
 * Checks for every JavaScript runtime, without a test runner: `anywhere.test.ts` and `pnpm
 * runtimes` run them.
 */
import { signedNames } from "@pawl/core/internal/SignedFields"
import * as CallbackBody from "@pawl/core/internal/CallbackBody"
import * as Checksum from "@pawl/core/Checksum"
import * as Evidence from "@pawl/core/Evidence"
import * as Json from "@pawl/core/internal/Json"
import { keyed } from "@pawl/core/Hmac"
import { RefundRequest } from "@pawl/core/internal/RequestBodies"
import { advance, isStatus, isTerminal, rank, statuses } from "@pawl/core/Status"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

interface Check {
  readonly name: string
  /** Throws an error that names the fault. */
  readonly run: () => void
}

const show = (value: unknown): string => JSON.stringify(value) ?? "undefined"

const same = (actual: unknown, expected: unknown): void => {
  if (show(actual) !== show(expected)) throw new Error(`${show(actual)} is not ${show(expected)}`)
}

const failsAt = (...found: ReadonlyArray<unknown>): never => {
  throw new Error(`the property fails at ${show(found)}`)
}

const policies = ["final", "always", "never"] as const
const size = 2 ** (2 * statuses.length)

const ofStatus: ReadonlyArray<Check> = [
  {
    name: "the nine statuses rank as documented",
    run: () => {
      same(statuses.map(rank), [1, 2, 3, 3, 10, 10, 10, 11, 12])
      same(statuses.filter(isTerminal), statuses.slice(4))
      const others = ["new", "", "toString", "constructor", "__proto__", 1, null, undefined]
      same([...statuses, ...others].filter(isStatus), statuses)
    }
  },
  {
    name: "a status is applied only when it ranks later",
    run: () => {
      for (const stored of statuses) {
        for (const incoming of statuses) {
          const isLater = rank(incoming) > rank(stored)
          same(advance(stored, incoming).status, isLater ? incoming : stored)
          same(advance(stored, incoming).outcome === "advanced", isLater)
          same(advance(stored, incoming).outcome === "repeated", incoming === stored)
        }
      }
    }
  }
]

const ofEvidence: ReadonlyArray<Check> = [
  {
    name: "neither order nor repetition of observations changes the evidence",
    run: () => {
      for (let evidence = 0; evidence < size; evidence++) {
        const seen = [
          ...Evidence.claimedStatuses(evidence).map(Evidence.claimed),
          ...Evidence.confirmedStatuses(evidence).map(Evidence.confirmed)
        ]
        const forwards = seen.reduce(Evidence.join, Evidence.none)
        const backwards = seen.reduceRight(Evidence.join, forwards)
        if (forwards !== evidence || backwards !== evidence) failsAt(evidence)
      }
    }
  },
  {
    name: "the rank of the standing never falls after another observation",
    run: () => {
      for (const policy of policies) {
        const ranks = Uint8Array.from(
          { length: size },
          (_, evidence) => Evidence.standing(evidence, undefined, policy).rank
        )
        for (let evidence = 0; evidence < size; evidence++) {
          for (let bit = 1; bit < size; bit <<= 1) {
            if ((ranks[evidence | bit] ?? 0) < (ranks[evidence] ?? 0)) failsAt(evidence, policy)
          }
        }
      }
    }
  }
]

const sign = keyed(Redacted.make("sandbox-secret"))

const ofChecksum: ReadonlyArray<Check> = [
  {
    name: "the portable HMAC agrees with RFC 4231 and openssl",
    run: () => {
      same(
        Hex.encode(keyed(Redacted.make("Jefe"))("what do ya want for nothing?")),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      )
      // printf '%s' text | openssl dgst -sha256 -hmac "$(printf 'k%.0s' {1..131})" -hex
      same(
        Hex.encode(keyed(Redacted.make("k".repeat(131)))("text")),
        "1fe346bf7485c31a64ca3deb326f2a4dd624e4a10b7cbde1e44cd6dcf1065a15"
      )
    }
  },
  {
    name: "the request checksum agrees with openssl",
    run: () => {
      const fields = { accountId: "acc-1", requestId: "req-1", amount: "10.00", currency: "EUR" }
      // printf '%s' 'acc-1|req-1|10.00|EUR' | openssl dgst -sha256 -hmac sandbox-secret -hex
      same(
        Checksum.request(sign, "|", fields),
        "69c45d20b85eaacf18861cceb4fa43632569a0394f1857e6bdd7855e207c9278"
      )
    }
  },
  {
    name: "the callback checksum agrees with openssl, also beyond ASCII",
    run: () => {
      const card = { account: "mid-1", amount: "10.00", currency: "EUR", transactionId: "100001" }
      // printf '%s' 'mid-1|10.00|EUR|100001' | openssl dgst -sha256 -hmac sandbox-secret -binary | openssl base64
      same(Checksum.callback(sign, card), "lkjauSsUvISRVrlorA9C6E8begn59tHswUr4NhQybeo=")
      // printf '%s' '4711|10|EUR|100001' | openssl dgst -sha256 -hmac sandbox-secret -binary | openssl base64
      same(
        Checksum.callback(sign, { ...card, account: "4711", amount: "10" }),
        "LR3HGfrBmgYNLXsMTY9Sllu0rCqPIikN5QCCw2vNS7o="
      )
      // printf '%s' 'mid-ü|10.00|EUR|100001' | openssl dgst -sha256 -hmac 'geheim-ß' -binary | openssl base64
      same(
        Checksum.callback(keyed(Redacted.make("geheim-ß")), { ...card, account: "mid-ü" }),
        "LzOH/e0DrMoK+mRlA6y398Iy0e37OfBzAJve35w+EL8="
      )
    }
  }
]

const utf8 = new TextEncoder()
const read = (text: string) => Json.fromBytes(utf8.encode(text))

const ofJson: ReadonlyArray<Check> = [
  {
    name: "a number is read as its source text if String writes it differently",
    run: () =>
      same(Result.getOrThrow(read("[10,10.00,12345678901234567890,-0,1e2,0.1]")), [
        10,
        "10.00",
        "12345678901234567890",
        "-0",
        "1e2",
        0.1
      ])
  },
  {
    name: "an integer of any size is written with all its digits",
    run: () => {
      const write = Schema.encodeSync(RefundRequest)
      const refund = Schema.decodeUnknownSync(RefundRequest)({
        requestId: "r-1",
        mid: "m-1",
        transactionId: "12345678901234567890",
        amount: "10.00",
        reason: "duplicate"
      })
      same(JSON.stringify(write(refund)).includes('"transactionId":12345678901234567890'), true)
    }
  },
  {
    name: "hostile input that JSON.parse accepts is refused",
    run: () => {
      const fault = (bytes: Uint8Array) => Result.getOrThrow(Result.flip(Json.fromBytes(bytes)))
      const ofText = (text: string) => fault(utf8.encode(text))
      same(ofText(String.raw`{"a":1,"\u0061":2}`), "duplicate key")
      same(ofText("[".repeat(65) + "]".repeat(65)), "depth")
      same(ofText(`[${'{"a":0},'.repeat(1000)}{"a":0}]`), "members")
      same(ofText("\ufeff{}"), "syntax")
      same(fault(Uint8Array.of(0x22, 0xff, 0x22)), "encoding")
      same(fault(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)), "encoding")
    }
  }
]

const ofCallback: ReadonlyArray<Check> = [
  {
    name: "a card callback is decoded with every digit, and keeps unknown fields",
    run: () => {
      const json = read(
        `{"transactionId":12345678901234567890,"transactionStatus":"LATER","mid":7,"orderAmount":10.00,"orderCurrency":"EUR","new":[1]}`
      )
      const callback = Result.getOrThrow(
        Schema.decodeUnknownResult(CallbackBody.CardCallback)(Result.getOrThrow(json))
      )
      same([callback.transactionId, callback.mid], ["12345678901234567890", "7"])
      same([callback.orderAmount, callback.orderCurrency], ["10.00", "EUR"])
      same([callback.transactionStatus, callback.unknownFields?.["new"]], ["LATER", [1]])
    }
  },
  {
    name: "an APM callback is decoded with the data of its method and its metadata",
    run: () => {
      const json = read(
        `{"transactionId":"100001","transactionStatus":"SUCCEED","accountId":"4711","amount":"10","currency":"EUR","apmType":"WALLET","apmResponseData":{"x":"ü"},"metadata":{"k":"v"}}`
      )
      const callback = Result.getOrThrow(
        Schema.decodeUnknownResult(CallbackBody.ApmCallback)(Result.getOrThrow(json))
      )
      same([callback.accountId, callback.amount, callback.apmType], ["4711", "10", "WALLET"])
      same(
        [callback.apmResponseData, callback.metadata],
        [{ unknownFields: { x: "ü" } }, { k: "v" }]
      )
    }
  },
  {
    name: "a callback without one of its signed fields is refused",
    run: () => {
      const layouts = [
        [CallbackBody.CardCallback, signedNames.card],
        [CallbackBody.ApmCallback, signedNames.apm]
      ] as const
      for (const [schema, names] of layouts) {
        const decode = Schema.decodeUnknownResult<typeof schema>(schema)
        const whole = Object.fromEntries(["transactionStatus", ...names].map((name) => [name, "1"]))
        same(Result.isSuccess(decode(whole)), true)
        for (const name of names) {
          const { [name]: _, ...rest } = whole
          same([name, Result.isFailure(decode(rest))], [name, true])
        }
      }
    }
  }
]

export const checks: ReadonlyArray<Check> = [
  ...ofStatus,
  ...ofEvidence,
  ...ofChecksum,
  ...ofJson,
  ...ofCallback
]
