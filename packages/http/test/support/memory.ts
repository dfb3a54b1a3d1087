/**
 * A payments service in memory behind the transport. It uses no promises, so it runs in virtual
 * time.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import { type UnexpectedResponse, Unreachable } from "@pawl/core/PaymentsError"
import * as Profile from "@pawl/core/Profile"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import { ApmPayments } from "../../src/ApmPayments.ts"
import type { CallOptions, CreateOptions } from "../../src/CallOptions.ts"
import type * as Pawl from "../../src/Pawl.ts"
import * as PawlConfig from "../../src/PawlConfig.ts"
import * as PawlPortable from "../../src/PawlPortable.ts"
import { type Request, type Response, Transport } from "../../src/Transport.ts"

export type Answer = Effect.Effect<Response, Unreachable | UnexpectedResponse>

export const respond = (
  status: number,
  body: unknown,
  headers: Response["headers"] = {}
): Response => ({
  status,
  headers,
  body: new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body))
})

export const answer = (status: number, body: unknown, headers?: Response["headers"]): Answer =>
  Effect.succeed(respond(status, body, headers))

/** A bare JSON string, as the status endpoints send it. */
export const status = (text: string): Answer => answer(200, JSON.stringify(text))

export const jwt = (claims: unknown): string =>
  ["{}", typeof claims === "string" ? claims : JSON.stringify(claims), "signature"]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".")

const unreachable = (sent: boolean): Answer =>
  Effect.fail(new Unreachable({ reason: "the connection was reset", sent, attempts: 1 }))

const cut = ({ body, ...response }: Response): Response => ({
  ...response,
  body: body.subarray(0, -3)
})

/** The faults of one request. Those with `after` come when the service has processed it. */
const strike = {
  refused: () => unreachable(false),
  "reset before": () => unreachable(true),
  "reset after": (act) => Effect.andThen(act, unreachable(true)),
  "silent before": () => Effect.never,
  "silent after": (act) => Effect.andThen(act, Effect.never),
  "truncated after": (act) => Effect.map(act, cut),
  "500 before": () => answer(500, { message: "Unexpected error" }),
  "503 after": (act) => Effect.andThen(act, answer(503, "")),
  "429": () => answer(429, "", { "retry-after": "1" }),
  "401": () => answer(401, { message: "expired" })
} satisfies Record<string, (act: Effect.Effect<Response>) => Answer>

export type Fault = keyof typeof strike

export const faults = Object.keys(strike) as ReadonlyArray<Fault>

export interface Options {
  /** The faults of the requests but those to `/auth`, in order. */
  readonly faults?: ReadonlyArray<Fault | undefined>
  /** Replaces the response of `/auth`, a token for 30 days; n counts from 1. */
  readonly auth?: (n: number) => Answer
  /** Replaces the processing of a request; faults still apply. */
  readonly act?: (request: Request) => Response
  /** Replaces the responses to all requests except `/auth`; faults do not apply. */
  readonly answer?: (request: Request, n: number) => Answer
}

interface Entry {
  readonly body: string
  readonly response: Response
}

export class Service {
  readonly auths: Array<Request> = []
  readonly requests: Array<Request> = []
  readonly ledger = new Map<string, Entry>()
  readonly valid = new Set<string>()
  readonly options: Options

  constructor(options: Options = {}) {
    this.options = options
  }

  get layer(): Layer.Layer<Transport> {
    return Layer.succeed(Transport, { send: (request) => this.send(request) })
  }

  send(request: Request): Answer {
    return Effect.suspend(() => {
      if (request.url.endsWith("/v1/auth")) {
        this.auths.push(request)
        return this.options.auth?.(this.auths.length) ?? this.issue()
      }
      this.requests.push(request)
      const number = this.requests.length
      if (this.options.answer !== undefined) return this.options.answer(request, number)
      const fault = this.options.faults?.[number - 1]
      return fault === undefined ? this.act(request) : strike[fault](this.act(request))
    })
  }

  issue(): Answer {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const token = jwt({ exp: Math.floor(now / 1000) + 30 * 86_400, n: this.auths.length })
      this.valid.add(token)
      return answer(200, { accessToken: token })
    })
  }

  private act(request: Request): Effect.Effect<Response> {
    return Effect.sync(() => {
      if (!this.valid.has(request.headers["authorization"]?.slice(7) ?? ""))
        return respond(401, { message: "no" })
      if (this.options.act !== undefined) return this.options.act(request)
      if (request.method === "GET") return respond(200, '"PENDING"')
      const body = request.body ?? ""
      const { requestId } = JSON.parse(body)
      const known = this.ledger.get(requestId)
      if (known !== undefined) return known.response
      const response = respond(200, {
        requestId,
        transactionId: String(100_001 + this.ledger.size),
        transactionStatus: "NEW",
        paymentType: "APM"
      })
      this.ledger.set(requestId, { body, response })
      return response
    })
  }
}

/** A service that answers in this order; the last answer repeats. */
export const answering = (...answers: ReadonlyArray<Answer>): Service =>
  new Service({ answer: (_, n) => answers[n - 1] ?? answers.at(-1) ?? answer(500, "") })

export const options: PawlConfig.Options = {
  baseUrl: "https://payments.example/api",
  merchantKey: "key-canary-1b7c",
  merchantSecret: Redacted.make("secret-canary-93ad")
}

export const client = (service: Service, changed: Partial<PawlConfig.Options> = {}) =>
  PawlPortable.layer.pipe(
    Layer.provide(Layer.mergeAll(service.layer, NodeHmac.layer)),
    Layer.provideMerge(PawlConfig.layer({ ...options, ...changed }))
  )

export const profile = Profile.layer

/** Runs in virtual time and with metrics of its own, without log lines. */
export const virtual = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  effect.pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )

/** Starts in the background, and has come to its first wait. */
export const fork = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.forkChild(effect, { startImmediately: true })

/** Is interrupted after a second of virtual time. */
export const interrupted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  fork(effect).pipe(Effect.tap(TestClock.adjust("1 second")), Effect.flatMap(Fiber.interrupt))

/** Passes an hour of virtual time, enough for all attempts and waits of a call. */
export const settled = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* fork(effect)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

export type Program<A, E = unknown> =
  | Effect.Effect<A, E, Pawl.Services>
  | (() => Generator<Effect.Effect<unknown, unknown, Pawl.Services>, A, never>)

export const against = <A>(
  service: Service,
  program: Program<A>,
  changed: Partial<PawlConfig.Options> = {}
): Promise<A> =>
  virtual(
    Effect.provide(
      typeof program === "function" ? Effect.gen(program) : program,
      client(service, changed)
    )
  )

export const run = <A, E>(
  service: Service,
  call: Effect.Effect<A, E, Pawl.Services>,
  changed?: Partial<PawlConfig.Options>
): Promise<Result.Result<A, E>> => against(service, settled(Effect.result(call)), changed)

export const failure = <A, E>(result: Result.Result<A, E>): E => {
  if (Result.isSuccess(result)) throw new Error("expected a failure")
  return result.failure
}

export const failureOf = async <A, E>(
  service: Service,
  call: Effect.Effect<A, E, Pawl.Services>,
  changed?: Partial<PawlConfig.Options>
): Promise<E> => failure(await run(service, call, changed))

/** The error of a call that was refused before sending, for the field at a path. */
export const refusalOf = (path: string | undefined, message?: string) => ({
  _tag: "ValidationFailed",
  sent: false,
  fields: [{ path, ...(message !== undefined && { message }) }]
})

export const payment = {
  requestId: "order-1",
  accountId: "1001",
  apmPayload: { paymentType: "APM", paymentMethod: "EWALLET" },
  amount: "10.50",
  currency: "EUR"
}

export const pay = (changed: object = {}, options?: CreateOptions) =>
  ApmPayments.use(({ create }) => create({ ...payment, ...changed }, options))

export const readStatus = (id = "100001", options?: CallOptions) =>
  ApmPayments.use((payments) => payments.status(id, options))

/** Keeps each span at its end, with the exit of its effect. */
export const makeTracer = (
  ended: (span: Tracer.NativeSpan, exit: Exit.Exit<unknown, unknown>) => void
): Tracer.Tracer =>
  Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const { end } = span
      span.end = (time, exit) => {
        if (span.status._tag === "Ended") return
        end.call(span, time, exit)
        ended(span, exit)
      }
      return span
    }
  })
