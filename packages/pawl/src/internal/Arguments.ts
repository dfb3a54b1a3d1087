/**
 * Checks the arguments of a method that no compiler has checked. A fault names its field and never
 * its value.
 */
import { ValidationFailed } from "@pawl/core/PaymentsError"
import * as RequestBodies from "@pawl/core/internal/RequestBodies"
import type { RequestInput, RequestKind } from "@pawl/core/RequestSender"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as OptionTypes from "./OptionTypes.ts"

interface Fault {
  readonly path: string
  readonly message: string
}

const refuse = (fault: Fault) => new ValidationFailed({ sent: false, fields: [fault] })

const maxDepth = 64

const notJson = "Expected a value that can be written as JSON, of at most 64 levels"

/** Tells whether JSON can write a value. It would write NaN as null. */
const isWritten = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isFinite(value)
    : typeof value !== "function" && typeof value !== "symbol"

/** The keys to copy; undefined for an instance of a class, and false for one that JSON writes as {}, such as a Map. */
const keysOf = (value: object): ReadonlyArray<string> | false | undefined => {
  // An array may have further keys, such as those of a match.
  if (Array.isArray(value)) return Array.from(value.keys(), String)
  const prototype: unknown = Object.getPrototypeOf(value)
  const keys = Object.keys(value)
  // The prototype of a plain object of another realm has no prototype either.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return keys
  return keys.length > 0 || typeof Reflect.get(value, "toJSON") === "function" ? undefined : false
}

/** The copy cannot change, throw or be endless later. */
const copy = (value: unknown, path: string, depth = 0): Result.Result<unknown, Fault> => {
  const unwritten = () => Result.fail({ path: path.split(".", 4).join("."), message: notJson })
  if (depth > maxDepth || !isWritten(value)) return unwritten()
  if (typeof value !== "object" || value === null) return Result.succeed(value)
  if (Redacted.isRedacted(value)) {
    const message = "Expected text, not a redacted value: give reveal(value)"
    return Result.fail({ path, message })
  }
  const entries = Result.try(() => keysOf(value))
  if (Result.isFailure(entries)) return Result.fail({ path, message: "Expected a readable object" })
  if (entries.success === undefined) return Result.succeed(value)
  if (entries.success === false) return unwritten()
  const copies: Array<readonly [string, unknown]> = []
  for (const key of entries.success) {
    const place = path === "" ? key : `${path}.${key}`
    const member = Result.try({
      try: (): unknown => Reflect.get(value, key),
      catch: (): Fault => ({ path: place, message: "Expected a readable field" })
    })
    const copied = Result.flatMap(member, (member) => copy(member, place, depth + 1))
    if (Result.isFailure(copied)) return copied
    copies.push([key, copied.success])
  }
  return Result.succeed(
    Array.isArray(value) ? copies.map(([, member]) => member) : Object.fromEntries(copies)
  )
}

/** The names of the fields of an object, and the shapes of those that are objects themselves. */
interface Shape {
  readonly names: ReadonlyArray<string>
  readonly objects: Readonly<Record<string, Shape>>
  /** Whether the specification does not show the fields, so that it may have any further one. */
  readonly open: boolean
}

const shapeOf = (ast: SchemaAST.AST, open = false): Shape => {
  const fields = SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  const names = fields.map(({ name }) => String(name)).filter((name) => name !== "checksum")
  const objects = fields.flatMap(({ name, type }) => {
    const shape = shapeOf(type)
    // The specification shows no structure of `apmPayload`.
    return name === "apmPayload" || shape.names.length === 0 ? [] : [[name, shape] as const]
  })
  return { names, objects: Object.fromEntries(objects), open }
}

/** A create whose shape the specification does not show takes any further field. */
const shapes: Readonly<Record<RequestKind | "tokenize" | "update", Shape>> = {
  ...Record.map(
    {
      "apm-payment": RequestBodies.ApmPaymentRequest,
      "apm-payout": RequestBodies.ApmPayoutRequest,
      "card-payout": RequestBodies.CardPayoutRequest,
      "payment-intent": RequestBodies.PaymentIntentRequest,
      refund: RequestBodies.RefundRequest,
      subscription: RequestBodies.SubscriptionRequest,
      update: RequestBodies.SubscriptionUpdate
    },
    (schema) => shapeOf(Schema.toType(schema).ast)
  ),
  ...Record.map(
    {
      "card-payment": RequestBodies.CardPaymentRequest,
      "card-charge": RequestBodies.CardPaymentRequest,
      tokenize: RequestBodies.TokenizeRequest
    },
    (schema) => shapeOf(Schema.toType(schema).ast, true)
  )
}

const maxDistance = 2

/** The number of letters to change, add or remove. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [at, letter] of Array.from(one.toLowerCase()).entries()) {
    const next = [at + 1]
    for (const [place, wanted] of Array.from(other.toLowerCase()).entries()) {
      const [left = 0, above = 0, corner = 0] = [next[place], row[place + 1], row[place]]
      next.push(Math.min(left + 1, above + 1, corner + (letter === wanted ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

const misspelt = ({ names, open }: Shape, input: object, at: string): Fault | undefined => {
  // Beside a `mid` a `tid` is no misspelt one.
  const wanted = open ? names.filter((name) => !Object.hasOwn(input, name)) : names
  for (const given of Object.keys(input)) {
    if (names.includes(given)) continue
    const [nearest] = wanted
      .filter((name) => distance(given, name) <= maxDistance)
      .toSorted((one, two) => distance(given, one) - distance(given, two))
    if (open && nearest === undefined) continue
    // A text in the wrong place may be a secret.
    const path = at + (/^[a-z_]\w{0,31}$/iu.test(given) ? given : "a field")
    const known = nearest ? `did you mean ${nearest}?` : `the fields are ${names.join(", ")}`
    return { path, message: `Expected a field of this operation: ${known}` }
  }
  return undefined
}

/** Puts the fields of `unknownFields` beside the others, where the service reads them. */
const withUnknown = (
  shape: Shape,
  { unknownFields = {}, ...known }: Readonly<Record<string, unknown>>,
  at = ""
): Result.Result<object, Fault> => {
  const isKnown = (name: string) => Object.hasOwn(Object(unknownFields), name)
  if (!OptionTypes.isObject(unknownFields) || shape.names.some(isKnown)) {
    const message = "Expected an object with fields that the operation does not know"
    return Result.fail({ path: `${at}unknownFields`, message })
  }
  const fault = misspelt(shape, known, at)
  if (fault !== undefined) return Result.fail(fault)
  const all: Record<string, unknown> = { ...known, ...unknownFields }
  for (const [name, inner] of Object.entries(shape.objects)) {
    const value = all[name]
    // The fields of an instance may be those of its class, which a copy of it would lose.
    if (!OptionTypes.isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) continue
    const filled = withUnknown(inner, value, `${at}${name}.`)
    if (Result.isFailure(filled)) return filled
    all[name] = filled.success
  }
  return Result.succeed(all)
}

export const input =
  (kind: keyof typeof shapes) =>
  (value: unknown): Effect.Effect<object, ValidationFailed> =>
    Effect.fromResult(
      Result.flatMap(copy(value, ""), (copied): Result.Result<object, Fault> => {
        if (!OptionTypes.isObject(copied)) {
          return Result.fail({ path: "", message: "Expected an object with fields" })
        }
        const { requestId } = copied
        const isMissing = requestId === "" || typeof requestId !== "string"
        // A card token moves no money, and an update has no requestId.
        if (isMissing && kind !== "tokenize" && kind !== "update") {
          const message =
            "Expected the order's id as text: a repeated create with the same id pays once"
          return Result.fail({ path: "requestId", message })
        }
        return withUnknown(shapes[kind], copied)
      })
    ).pipe(Effect.mapError(refuse))

export const create = (kind: RequestKind, value: unknown) =>
  input(kind)(value) as Effect.Effect<RequestInput<RequestKind>, ValidationFailed>

export const other = (value: unknown): Effect.Effect<unknown, ValidationFailed> =>
  Effect.mapError(Effect.fromResult(copy(value, "")), refuse)

/** Checks a text that must not be empty, such as an id. */
export const text = (path: string, value: unknown): Effect.Effect<void, ValidationFailed> =>
  typeof value === "string" && value !== ""
    ? Effect.void
    : Effect.fail(refuse({ path, message: "Expected a non-empty string" }))

export const page = (value: unknown = {}, required?: "limit") =>
  OptionTypes.check(value, { count: "limit", place: "after" }, required)

const names = {
  time: "attemptTimeout totalTimeout",
  number: "maxAttempts",
  signal: "signal",
  schedule: "retrySchedule"
} satisfies OptionTypes.Names

export const options = (value: unknown) =>
  value === undefined ? Effect.void : OptionTypes.check(value, names)

export const signalOf = (value: unknown): AbortSignal | undefined => {
  const signal = Result.getOrUndefined(
    Result.try((): unknown => Reflect.get(Object(value), "signal"))
  )
  return signal instanceof AbortSignal ? signal : undefined
}
