/**
 * Decodes the values of a schema faster than `Schema` does, with the same result.
 *
 * **Details**
 *
 * `Schema` interprets a schema anew for every value, and handles fields that are asynchronous, that
 * collect errors or that have defaults. The contract needs none of that for a valid value: its schemas
 * are objects of texts, numbers and literals. So a schema is taken apart once, into one plain function
 * for each of its nodes. A function returns the decoded value, or `undecided`. If any function is
 * undecided, `Schema` decodes the whole value, and so every error is an error of `Schema`.
 *
 * A node that has no function here (a class, an array, a secret) is decoded by its own schema, and the
 * nodes around it by their functions.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity } from "effect/Function"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaGetter from "effect/SchemaGetter"
import type * as SchemaTransformation from "effect/SchemaTransformation"

/**
 * Returns `Schema.decodeUnknownEffect` of a schema: it accepts and refuses the same values, with the same
 * results and errors. A decoded object is a copy, with its keys in the same order.
 *
 * @category decoding
 * @since 0.1.0
 */
export const decodeUnknownEffect = <A>(
  schema: Schema.Codec<A, unknown>,
  options?: Pick<SchemaAST.ParseOptions, "errors">
): ((input: unknown) => Effect.Effect<A, Schema.SchemaError>) => {
  const bySchema = Schema.decodeUnknownEffect(schema, options)
  const decode = decoder(schema.ast)
  return (input) => {
    const value = decode(input)
    return value === undecided ? bySchema(input) : Effect.succeed(value as A)
  }
}

/** Decodes a value as its schema does, or is undecided. */
type Decode = (value: unknown) => unknown

/** The result for a value that the schema refuses, or that only the schema can decode. */
const undecided = Symbol()

const decoder = (ast: SchemaAST.AST): Decode => plainDecoder(ast) ?? schemaDecoder(ast)

const schemaDecoder = (ast: SchemaAST.AST): Decode => {
  const decode = Schema.decodeUnknownExit(Schema.make<Schema.Codec<unknown>>(ast))
  return (value) => {
    const exit = decode(value)
    return Exit.isSuccess(exit) ? exit.value : undecided
  }
}

/** Makes the function of a node, if it can have one: for its value, its checks and its transformation. */
const plainDecoder = (ast: SchemaAST.AST): Decode | undefined => {
  const value = valueDecoder(ast)
  const [link, ...others] = ast.encoding ?? []
  if (value === undefined || others.length > 0) return undefined
  const checked = withChecks(value, ast)
  return link === undefined ? checked : withTransformation(checked, link)
}

const withChecks = (decode: Decode, ast: SchemaAST.AST): Decode => {
  if (ast.checks === undefined) return decode
  const checks = filtersOf(ast.checks)
  return (value) => {
    const decoded = decode(value)
    if (decoded === undecided) return undecided
    for (const check of checks) {
      if (check.run(decoded, ast, noOptions) !== undefined) return undecided
    }
    return decoded
  }
}

const noOptions: SchemaAST.ParseOptions = {}

const filtersOf = (
  checks: ReadonlyArray<SchemaAST.Check<unknown>>
): ReadonlyArray<SchemaAST.Filter<unknown>> =>
  checks.flatMap((check) => (check._tag === "Filter" ? [check] : filtersOf(check.checks)))

/** Only a function of a value that is there can be called here. */
const withTransformation = (
  decode: Decode,
  { to, transformation }: SchemaAST.Link
): Decode | undefined => {
  const encoded = plainDecoder(to)
  if (encoded === undefined || !isSteady(transformation)) return undefined
  const { transform } = transformation.decode
  return (value) => {
    const from = encoded(value)
    return from === undecided ? undecided : decode(transform(from))
  }
}

const valueDecoder = (ast: SchemaAST.AST): Decode | undefined => {
  switch (ast._tag) {
    case "Any":
    case "Unknown":
      return identity
    case "Null":
      return (value) => (value === null ? value : undecided)
    case "String":
      return (value) => (typeof value === "string" ? value : undecided)
    case "Number":
      return (value) => (typeof value === "number" ? value : undecided)
    case "Boolean":
      return (value) => (typeof value === "boolean" ? value : undecided)
    case "Literal":
      return (value) => (value === ast.literal ? value : undecided)
    case "Union":
      return unionDecoder(ast)
    case "Objects":
      return objectDecoder(ast)
    default:
      return undefined
  }
}

/** The first member that decodes the value, as in `Schema`. */
const unionDecoder = (ast: SchemaAST.Union): Decode | undefined => {
  if (ast.options?.mode === "oneOf" || ast.encodingChecks !== undefined) return undefined
  const members = ast.types.map(decoder)
  return (value) => {
    for (const member of members) {
      const decoded = member(value)
      if (decoded !== undecided) return decoded
    }
    return undecided
  }
}

const objectDecoder = (ast: SchemaAST.Objects): Decode | undefined => {
  const { encodingChecks, indexSignatures, propertySignatures } = ast
  const [index, ...others] = indexSignatures
  const isPlain =
    encodingChecks === undefined &&
    others.length === 0 &&
    propertySignatures.every(({ name, type }) => typeof name === "string" && staysAbsent(type)) &&
    // The fields go through the schema of the other keys as well.
    (index === undefined
      ? propertySignatures.length > 0
      : index.parameter === SchemaAST.string &&
        (propertySignatures.length === 0 || SchemaAST.isAny(index.type)))
  if (!isPlain) return undefined
  const fields = propertySignatures.map(({ name, type }, place) => ({
    place,
    name,
    decode: decoder(type),
    isOptional: SchemaAST.isOptional(type)
  }))
  const byName = new Map<PropertyKey, (typeof fields)[number]>(
    fields.map((field) => [field.name, field])
  )
  const decodeOther = index && decoder(index.type)
  return (value) => {
    if (!isPlainObject(value)) return undecided
    const decoded = new Array<unknown>(fields.length)
    let names: Array<string> | undefined
    for (const name in value) {
      const field = byName.get(name)
      if (field === undefined) {
        if (decodeOther !== undefined) (names ??= []).push(name)
        continue
      }
      const result = field.decode(value[name])
      if (result === undecided || result === undefined) return undecided
      decoded[field.place] = result
    }
    const copy: Record<PropertyKey, unknown> = {}
    for (const { isOptional, name, place } of fields) {
      const result = decoded[place]
      if (result !== undefined) copy[name] = result
      else if (!isOptional) return undecided
    }
    if (names === undefined || decodeOther === undefined) return copy
    for (const name of names) {
      if (!Object.hasOwn(value, name)) continue
      const result = decodeOther(value[name])
      // An assignment to `__proto__` sets no key.
      if (result === undecided || name === "__proto__") return undecided
      copy[name] = result
    }
    return copy
  }
}

const isPlainObject = (value: unknown): value is Record<PropertyKey, unknown> => {
  if (typeof value !== "object" || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether a schema gives no value to a key that is absent: only a transformation of optional values can. */
const staysAbsent = (ast: SchemaAST.AST): boolean =>
  !SchemaAST.isSuspend(ast) &&
  (ast.encoding ?? []).every(
    ({ to, transformation }) => isSteady(transformation) && staysAbsent(to)
  )

/** Whether a transformation is a plain function of the values that are there. */
const isSteady = (
  transformation: SchemaAST.Link["transformation"]
): transformation is SchemaTransformation.Transformation<unknown, unknown> & {
  readonly decode: SchemaGetter.Transform<unknown, unknown>
} => transformation._tag === "Transformation" && transformation.decode._tag === "Transform"
