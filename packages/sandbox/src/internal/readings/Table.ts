/** The readings that a gateway can have. The first of a question is the default. */
import * as Hex from "effect/encoding/Hex"
import * as Base64 from "effect/encoding/Base64"
import * as Checksum from "@pawl/core/Checksum"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import type { Behaviour } from "@pawl/testkit/internal/Behaviour"
import {
  amounts,
  answer,
  bodyOf,
  headers,
  objects,
  rawJSON,
  refusals,
  renamed,
  responses,
  times,
  without
} from "./Edits.ts"

const tokenIn = (wrap: (token: unknown) => unknown): Partial<Behaviour> => ({
  response: objects(/ \/api\/v1\/auth$/u, ({ accessToken }) => wrap(accessToken))
})

const encodedBy = (encode: (bytes: Uint8Array) => string): Partial<Behaviour> => ({
  isChecksum: (sent, sign, separator, { accountId, amount, currency, requestId }) =>
    Checksum.matches(encode(sign([accountId, requestId, amount, currency].join(separator))), sent)
})

const gaps = (...minutes: ReadonlyArray<number>): Partial<Behaviour> => ({
  retryGaps: minutes.map(Duration.minutes)
})

const shortest = (amount: string): string => String(Number(amount))

const create = /^POST (?!.*\/auth$)/u

const refusing =
  (path: RegExp, body: RegExp, field: string): Behaviour["refusal"] =>
  (request) =>
    path.test(request.path) && body.test(bodyOf(request))
      ? answer(400, {
          message: "Missing or invalid parameters",
          errors: [{ field, message: "Not accepted" }]
        })
      : undefined

const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

const refusedToken = (status: number): Partial<Behaviour> => ({
  response: responses(/^(?!.*\/auth$)/u, (response) =>
    response.status === 401 ? { ...response, status } : response
  )
})

const statusAs = (write: (status: string) => string): Partial<Behaviour> => ({
  response: responses(/^GET .*\/status\//u, (response) =>
    response.status === 200
      ? { ...response, body: write(JSON.parse(response.body) as string) }
      : response
  )
})

/** The behaviour of a gateway for each reading, beyond the switches of `Readings.switches`. */
export const table = {
  token: {
    accessToken: {},
    access_token: tokenIn((token) => ({ access_token: token, token_type: "Bearer" })),
    token: tokenIn((token) => ({ token })),
    jwt: tokenIn((jwt) => ({ jwt })),
    "data.accessToken": tokenIn((accessToken) => ({ data: { accessToken } })),
    "a bare string": tokenIn((token) => token),
    bearerToken: tokenIn((bearerToken) => ({ bearerToken }))
  },
  tokenLifetime: {
    "30 days": {},
    "1 day": { tokenLifetime: Duration.days(1) },
    "not stated": { tokenLifetime: undefined }
  },
  checksum: {
    '"|", lower-case hex': {},
    '"", lower-case hex': {},
    '":", lower-case hex': {},
    '",", lower-case hex': {},
    '"|", upper-case hex': encodedBy((bytes) => Hex.encode(bytes).toUpperCase()),
    '"|", base64': encodedBy(Base64.encode),
    "in no way that was tried": {
      isChecksum: (sent, sign, separator, { accountId, amount, currency, requestId }) => {
        const fields = [requestId, accountId, shortest(amount), currency]
        return Checksum.matches(Hex.encode(sign(fields.join(separator))), sent)
      }
    },
    "not checked": { paymentChecksum: "ignored" }
  },
  payoutChecksum: {
    "checked if sent": {},
    required: { payoutChecksum: "required" },
    "not accepted": { payoutChecksum: "refused" },
    "not checked": { payoutChecksum: "ignored" }
  },
  callbackAmount: {
    "text as requested": {},
    "text without zeros at its end": {
      callback: amounts((amount) => ({ body: shortest(amount), signed: shortest(amount) }))
    },
    "number without zeros at its end": {
      callback: amounts((amount) => ({ body: Number(amount), signed: shortest(amount) }))
    },
    "number with two decimals": {
      callback: amounts((amount) => ({ body: rawJSON(amount), signed: amount }))
    },
    "number, signed with two decimals": {
      callback: amounts((amount) => ({ body: Number(amount), signed: amount }))
    },
    "minor units": {
      callback: amounts((amount) => {
        const minor = String(Math.round(Number(amount) * 100))
        return { body: Number(minor), signed: minor }
      })
    }
  },
  after401: {
    "sent again, as after 500": {},
    dropped: { isTaken: (status) => (status >= 200 && status < 300) || status === 401 }
  },
  retries: {
    "2, 4, 8, 16, 32 min": {},
    "1, 2, 4, 8, 16 min": gaps(1, 2, 4, 8, 16),
    "5, 5, 5, 5, 5 min": gaps(5, 5, 5, 5, 5),
    never: gaps()
  },
  refundId: {
    refundId: {},
    "transactionId of the payment": { refundId: "payment" }
  },
  refundCallback: {
    "the refund": {},
    "the payment": {}
  },
  callbackType: {
    "application/json": {},
    "text/plain": { callback: (callback) => ({ ...callback, contentType: "text/plain" }) }
  },
  callbackQuery: {
    kept: {},
    dropped: {
      callback: ({ url, ...callback }) => {
        const [base, query = ""] = url.split("?")
        const own = query.split("&").filter((each) => /^(?:paymentMethod|apmType)=/u.test(each))
        return { ...callback, url: `${base}?${own.join("&")}` }
      }
    }
  },
  layouts: {
    "by paymentMethod": {},
    "card-payout without orderAmount, orderCurrency": {
      callback: renamed("card-payout", { orderAmount: "amount", orderCurrency: "currency" })
    },
    "refund without mid": { callback: renamed("refund", { mid: "accountId" }) }
  },
  nulls: {
    absent: {},
    null: {
      response: objects(create, (body) => ({ declineCode: null, ...body })),
      callback: ({ body, ...callback }) => ({ ...callback, body: { declineCode: null, ...body } })
    }
  },
  refundPayment: {
    "JSON integer": {},
    text: { refundPayment: "text" }
  },
  unknown: {
    none: {},
    "field riskScore": { response: objects(create, (body) => ({ ...body, riskScore: 7 })) },
    "status AUTHORIZED": {
      response: objects(create, (body) =>
        body["transactionStatus"] === "NEW" ? { ...body, transactionStatus: "AUTHORIZED" } : body
      )
    }
  },
  metadata: {
    returned: {},
    "left out": { response: objects(create, (body) => without(body, "metadata")) }
  },
  requestIdEcho: {
    "as sent": {},
    "in upper case": {
      response: objects(create, ({ requestId, ...body }) => ({
        ...body,
        ...(typeof requestId === "string" && { requestId: requestId.toUpperCase() })
      }))
    }
  },
  totals: {
    "major units": {},
    "minor units": {
      response: objects(/\/info\//u, ({ totalAmount, ...body }) => ({
        ...body,
        ...(totalAmount !== undefined && { totalAmount: Math.round(Number(totalAmount) * 100) })
      }))
    }
  },
  statusBody: {
    "a JSON text": {},
    "plain text": statusAs((status) => status),
    "an object with transactionStatus": statusAs((transactionStatus) =>
      JSON.stringify({ transactionStatus })
    ),
    "an object with status": statusAs((status) => JSON.stringify({ status }))
  },
  lang: {
    '"en"': {},
    'not "en"': {
      refusal: refusing(/\/intent$/u, /"lang":"en"/u, "lang")
    }
  },
  intentMetadata: {
    accepted: {},
    refused: { refusal: refusing(/\/intent$/u, /"metadata"/u, "metadata") }
  },
  payoutAccount: {
    "JSON integer": {},
    text: {
      response: objects(/\/payouts\/apm\/info\//u, ({ accountId, ...body }) => ({
        ...body,
        accountId: JSON.stringify(accountId)
      }))
    },
    "left out": {
      response: objects(/\/payouts\/apm\/info\//u, (body) => without(body, "accountId"))
    }
  },
  intentErrorCode: {
    absent: {},
    '"0"': { response: objects(/\/intent$/u, (body) => ({ ...body, errorCode: "0" })) },
    '"OK"': { response: objects(/\/intent$/u, (body) => ({ ...body, errorCode: "OK" })) }
  },
  errorBody: {
    "a list of fields": {},
    "a map of fields": {
      response: refusals((errors) => ({
        errors: Object.fromEntries(errors.map(({ field, message }) => [field, [message]]))
      }))
    },
    "problem details": {
      response: refusals((errors) => ({
        title: "Bad Request",
        status: 400,
        errors: errors.map(({ field, message }) => ({ detail: message, pointer: `#/${field}` }))
      }))
    },
    "a message alone": { response: refusals(() => ({ message: "Bad Request" })) },
    "no JSON": { response: refusals(() => "Bad Request") },
    nothing: { response: refusals(() => "") }
  },
  otherStatuses: {
    "404 and 400": {},
    "405 and 415": {
      response: responses(/^P\w+ \/api\/v1\/payments\/apm$/u, (response, { headers, method }) =>
        method === "PUT"
          ? { ...response, status: 405 }
          : headers["content-type"] === "text/plain"
            ? { ...response, status: 415 }
            : response
      )
    },
    "500 and 400": {
      response: responses(/^PUT \/api\/v1\/payments\/apm$/u, (response) => ({
        ...response,
        status: 500
      }))
    }
  },
  repeated: {
    "the original response": {},
    refused: { repeated: "refused" },
    "another transaction": { repeated: "another" }
  },
  decimals: {
    "rounded half up": {},
    "rounded half to even": { rounding: "half-even" },
    "cut off": { rounding: "down" },
    refused: { rounding: "refused" }
  },
  dates: {
    "ISO 8601 in UTC": {},
    "ISO 8601 without an offset": { response: times((millis) => iso(millis).slice(0, 19)) },
    "date and time with a space": {
      response: times((millis) => iso(millis).slice(0, 19).replace("T", " "))
    },
    "milliseconds since 1970": { response: times((millis) => millis) },
    "seconds since 1970": { response: times((millis) => Math.floor(millis / 1000)) }
  },
  interval: {
    "every interval units": {},
    ignored: { interval: "ignored" }
  },
  custom: {
    days: {},
    weeks: { customDays: 7 },
    refused: { refusal: refusing(/./u, /"CUSTOM"/u, "plan.frequency") }
  },
  afterFirstCharge: {
    ACTIVE: {},
    PENDING: { afterFirstCharge: "PENDING" }
  },
  afterSkippedCharge: {
    TRIALING: {},
    ACTIVE: { afterSkippedCharge: "ACTIVE" }
  },
  putBody: {
    "the subscription": {},
    "an empty object": { response: objects(/^PUT .*\/recurring\//u, () => ({})) },
    "no body": {
      response: responses(/^PUT .*\/recurring\//u, (response) =>
        response.status === 200 ? { status: 204, headers: {}, body: "" } : response
      )
    }
  },
  putCanceled: {
    refused: {},
    accepted: { canceledPut: "accepted" }
  },
  deleteCanceled: {
    accepted: {},
    refused: { canceledDelete: "refused" }
  },
  putPending: {
    accepted: {},
    refused: { putStatus: "documented" }
  },
  cardToken: {
    cardToken: {},
    token: {
      response: objects(/\/tokenize$/u, ({ cardToken, ...body }) => ({ ...body, token: cardToken }))
    }
  },
  statusDelay: {
    "at once": {},
    "within 60 s": { visibleAfter: Duration.seconds(4) },
    "after 60 s": { visibleAfter: Duration.seconds(80) }
  },
  receiverTime: {
    "10 s": {},
    "3 s": { responseTimeout: Duration.seconds(3) },
    "30 s": { responseTimeout: Duration.seconds(30) }
  },
  ssn: {
    "returned as text": {},
    masked: {
      response: objects(/\/payouts\/apm\/info\//u, ({ billingDetails, ...body }) => ({
        ...body,
        billingDetails: { ...(billingDetails as object), ssn: "***-**-0000" }
      }))
    },
    "left out": {
      response: objects(/\/payouts\/apm\/info\//u, (body) => without(body, "billingDetails"))
    },
    refused: { refusal: refusing(/./u, /"ssn"/u, "billingDetails.ssn") }
  },
  limits: {
    none: {},
    "x-ratelimit-limit": { response: headers({ "x-ratelimit-limit": "100" }) },
    "ratelimit-policy": { response: headers({ "ratelimit-policy": '"default";q=100;w=60' }) },
    "deprecation, sunset": {
      response: headers({ deprecation: "@1795996800", sunset: "Mon, 30 Nov 2026 00:00:00 GMT" })
    }
  },
  // These change the status of a response, so its body has been changed before.
  createdStatus: {
    "answered 200": {},
    "answered 201": {
      response: responses(create, (response) =>
        response.status === 200 ? { ...response, status: 201 } : response
      )
    }
  },
  decline: {
    "a success": {},
    "answered 402": {
      response: responses(create, (response) =>
        response.body.includes('"transactionStatus":"FAILED"')
          ? { ...response, status: 402 }
          : response
      )
    }
  },
  badToken: {
    "answered 401": {},
    "answered 403": refusedToken(403),
    "answered 400": refusedToken(400),
    "answered 200": refusedToken(200)
  },
  unknownId: {
    "answered 404": {},
    "answered 200": {
      response: responses(/^GET /u, (response) =>
        response.status === 404 ? { ...response, status: 200 } : response
      )
    }
  },
  errorStatus: {
    "answered 400": {},
    "answered 200": {
      response: (response, { headers }) =>
        response.status === 400 && headers["content-type"] === "application/json"
          ? { ...response, status: 200 }
          : response
    }
  }
} satisfies Readonly<Record<string, Readonly<Record<string, Partial<Behaviour>>>>>
