/** Documents in full. Stores have such texts, so a change of one is a change of the format. */
import { describe, expect, it } from "vitest"
import * as Fact from "../src/internal/rule/Fact.ts"
import * as Codes from "../src/internal/documents/Codes.ts"
import { keyOf, type Quarantined } from "../src/internal/documents/Fields.ts"
import * as Codecs from "../src/internal/records/Codecs.ts"
import type { Collection } from "../src/internal/records/Records.ts"
import type { RequestRow } from "../src/internal/rule/RequestRow.ts"
import { blank } from "../src/internal/rule/Row.ts"
import type { StoredRow, StoredRows } from "../src/internal/rule/StoredRow.ts"
import { signed } from "./anyRow.ts"

const createdAt = 1_767_225_600_000
const none: Omit<StoredRow, "row"> = {
  dueAt: undefined,
  lane: "repeat",
  lease: undefined,
  bodies: {},
  facts: Fact.none,
  accepted: {}
}

const payment: StoredRow = {
  row: {
    ...blank("card", "100001", createdAt),
    kind: "card-payment",
    ordered: { requestId: "order-17", account: "mid-1", amount: "10.00", currency: "EUR" },
    registered: true,
    isOrderRegistered: true,
    namesPayout: true,
    namesRefund: true,
    amountCleared: true,
    isErased: true,
    evidence: 8210,
    read: { status: "SUCCEED", askedAt: createdAt + 900 },
    callbacks: 3,
    secret: "previous",
    told: "PENDING",
    sequence: 2,
    pendingStatus: "SUCCEED",
    attempt: 40,
    failingSince: createdAt + 1000,
    retryAt: createdAt + 70_000,
    newStatusAt: createdAt + 500,
    polls: 2,
    pollAt: createdAt + 300_500,
    askedAt: createdAt + 900,
    unconfirmedAt: createdAt + 500,
    deadLetter: { reason: "handler-failed", at: createdAt + 80_000, to: "SUCCEED" },
    newestCallbacks: {
      PENDING: { at: createdAt, signed: signed("10,00\n") },
      SUCCEED: { at: createdAt + 500, signed: undefined }
    },
    unknown: ["Za field of a newer version"]
  },
  dueAt: createdAt + 600,
  lane: "ask",
  lease: { id: 1234, until: createdAt + 30_000, evidence: 2 },
  bodies: {},
  facts: {
    number: 9,
    kept: [
      { fact: "registered", kind: "card-payment", status: "NEW", at: createdAt },
      { fact: "asked", result: "SUCCEED", kind: "card-payment", at: createdAt + 900 },
      { fact: "asked", result: "no answer", kind: undefined, at: createdAt + 700 },
      {
        fact: "called",
        sequence: 2,
        to: "SUCCEED",
        evidence: 8210,
        read: "SUCCEED",
        at: createdAt + 1000
      },
      { fact: "failed", sequence: 2, to: "SUCCEED", at: createdAt + 1010 },
      { fact: "parked", reason: "handler-failed", to: "SUCCEED", at: createdAt + 80_000 },
      { fact: "redriven", by: "ops", why: "a, b", at: createdAt + 90_000 }
    ].map((event, position) => ({
      ...(event as Fact.Event),
      lastAt: position === 2 ? createdAt + 800 : event.at,
      count: position === 2 ? 2 : 1,
      number: position + 1,
      from: position === 4 ? "card" : undefined
    }))
  },
  accepted: { PENDING: { at: createdAt, count: 2 }, SUCCEED: { at: createdAt + 500, count: 1 } }
}

/** A refund whose numbers and times are far from those of any clock. */
const refund: StoredRow = {
  ...none,
  row: { ...blank("refund", "100001", 0), sequence: 2 ** 60, pollAt: 2 ** 60, retryAt: -0.5 }
}

const request: RequestRow = {
  requestId: "order-17",
  kind: "card-charge",
  digest: "9f86d081",
  hasCardData: true,
  ordered: {},
  body: "sealed\ud800",
  createdAt,
  retryFrom: createdAt + 1000,
  expiresAt: createdAt + 3_600_000,
  begunAt: createdAt + 10,
  attempts: 2,
  refusals: { reason: "400: the amount, of the order", count: 2, since: createdAt + 5000 },
  dueAt: createdAt + 60_000,
  lease: { id: 99, until: createdAt + 30_000, inDoubt: true },
  outcome: undefined,
  settledAt: undefined,
  transaction: undefined,
  deniedTransactionId: "100000",
  parked: { reason: "refused", at: createdAt + 700_000 }
}

const settled: RequestRow = {
  ...request,
  hasCardData: false,
  ordered: undefined,
  body: undefined,
  retryFrom: createdAt,
  expiresAt: undefined,
  refusals: undefined,
  dueAt: undefined,
  lease: undefined,
  parked: undefined,
  deniedTransactionId: undefined,
  outcome: { _tag: "Answered", text: "sealed answer" },
  settledAt: createdAt + 1234,
  transaction: { method: "card", transactionId: "100001" }
}

const quarantined: Quarantined = [
  {
    name: "1a",
    print: "81.1234",
    method: "apm",
    reason: "transactionStatus",
    secret: "current",
    firstAt: createdAt,
    newestAt: createdAt + 5
  }
]

const transactionKey = keyOf({ method: "card", transactionId: "100001" })

const golden: ReadonlyArray<
  readonly [name: string, Collection, key: string, value: unknown, lines: ReadonlyArray<string>]
> = [
  [
    "a transaction of two rows",
    "transactions",
    transactionKey,
    [payment, refund] satisfies StoredRows,
    [
      "kcq,1767225600000",
      "fronyaep",
      "iorder-17",
      "amid-1",
      "m10.00",
      "uEUR",
      "e8210",
      "r4p0",
      "n3",
      "t1",
      "s2",
      "p4",
      "w14",
      "Frs",
      "y1i0g",
      "Ndw",
      "P2",
      "l6fv8",
      "Ap0",
      "Udw",
      "Dh41pq8",
      "dgo",
      "La",
      "hya,n5c,2",
      "b10,2",
      "q10,mid-1,10\\c00\\n,EUR",
      "b4dw",
      "q4dw",
      "x1,0,rq0",
      "x2,p0,aq4",
      "x3,jg,a-.+no answer,k2,lm8",
      "x4,rs,c446c2.2",
      "x5,s2,x42,fc",
      "x6,1pq8,ph4",
      "x7,1xg0,v+ops\t+a\\c b",
      "X9",
      "Za field of a newer version",
      "kr,0",
      "s1152921504606847000",
      "y=-0.5",
      "l=1152921504606847000",
      "~rbvhg7"
    ]
  ],
  [
    "a request of which no outcome is known",
    "requests",
    "order-17",
    request,
    [
      "khc,1767225600000",
      "g9f86d081",
      "O",
      "Rrs",
      "E255s0",
      "Ba",
      "w2",
      "x2,3uw,400: the amount\\c of the order",
      "d1aao",
      "h2r,n5c,d",
      "T100000",
      "Drf04g",
      "vsealed\\ud800",
      "~wcgxh8"
    ]
  ],
  [
    "a settled request",
    "requests",
    "order-17",
    settled,
    [
      "kh,1767225600000",
      "g9f86d081",
      "Ba",
      "w2",
      "oa",
      "Sya",
      "tc100001",
      "zsealed answer",
      "~1clwtyh"
    ]
  ],
  [
    "quarantined callbacks",
    "quarantine",
    transactionKey,
    quarantined,
    [
      '[{"name":"1a","print":"81.1234","method":"apm","reason":"transactionStatus","secret":"current","firstAt":1767225600000,"newestAt":1767225600005}]',
      "~1jwi9zj"
    ]
  ],
  [
    "a setting",
    "settings",
    "place",
    { position: 1, count: 4 },
    ['{"position":1,"count":4}', "~ddxqyg"]
  ]
]

describe("the document of", () => {
  it.each(golden)("%s", (_, collection, key, value, lines) => {
    const text = lines.join("\n")
    const codec = Codecs.texts[collection]
    expect(codec.encode(value)).toBe(text)
    expect(codec.decode(text, key)).toEqual(value)
  })
})

const wordCodes = {
  statuses: {
    NEW: "0",
    PENDING: "1",
    PROCESSING: "2",
    CUSTOMER_VERIFICATION: "3",
    SUCCEED: "4",
    FAILED: "5",
    CANCELLED: "6",
    REFUNDED: "7",
    CHARGEBACK: "8"
  },
  kinds: {
    apm: "a",
    card: "c",
    "apm-payment": "p",
    "apm-payout": "o",
    "card-payment": "q",
    "card-payout": "u",
    refund: "r"
  },
  methods: { apm: "a", card: "c" },
  lanes: { tell: "t", ask: "a", retry: "y", repeat: "r", watch: "w" },
  deadLetters: {
    "handler-failed": "h",
    "unknown-transaction": "u",
    "amount-mismatch": "d",
    unreadable: "x"
  },
  requestKinds: {
    "apm-payment": "p",
    "apm-payout": "o",
    "card-payment": "q",
    "card-charge": "h",
    "card-payout": "u",
    refund: "r",
    subscription: "s",
    "payment-intent": "i"
  },
  outcomes: {
    Answered: "a",
    Refused: "r",
    Found: "f",
    NotSent: "n"
  },
  notSent: {
    cancelled: "c",
    expired: "e",
    "no-effect": "n"
  },
  parkReasons: {
    refused: "r",
    window: "w",
    "card-data": "c",
    "rebuilt-differently": "b",
    "no-key": "k",
    unreadable: "x"
  }
}

it("a word never gets another character", () => {
  const written = Object.entries(Codes).map(([name, { entries }]) => [
    name,
    Object.fromEntries(entries)
  ])
  expect(Object.fromEntries(written)).toEqual(wordCodes)
})
