/**
 * Decodes the values of a schema with the results of `Schema`, and without its costs (`bench client`).
 *
 * **Details**
 *
 * Each node of a schema becomes one plain function, which returns the decoded value or `undecided`.
 * `Schema` decodes what is undecided, so every error is one of `Schema`.
 *
 * **Gotchas**
 *
 * A key that is not enumerable counts as absent.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { identity, memoize } from "effect/Function"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as OpenStruct from "./OpenStruct.ts"

export const decodeUnknownEffect = <A>(
  schema: Schema.Codec<A, unknown>,
  options?: Options
): ((input: unknown) => Effect.Effect<A, Schema.SchemaError>) =>
  decoders(options)(schema.ast) as never

export const reencodeUnknownEffect = (
  schema: Schema.Codec<unknown, unknown>,
  options?: Options
): ((input: unknown) => Effect.Effect<unknown, Schema.SchemaError>) =>
  reencoders(options)(schema.ast)

type Options = Pick<SchemaAST.ParseOptions, "errors">

type BySchema = (
  schema: Schema.Codec<unknown, unknown>
) => (input: unknown) => Effect.Effect<unknown, Schema.SchemaError>

type Decode = (value: unknown) => unknown

interface Direction {
  readonly transformOf: (link: SchemaAST.Link) => Decode | undefined
  /** Whether unknown fields are gathered under one member, or stay beside the others. */
  readonly gathers: boolean
}

/** The result for a value that only the schema can decode or refuse. */
const undecided = Symbol()

const make = (
  root: SchemaAST.AST,
  bySchema: BySchema,
  { gathers, transformOf }: Direction
): ReturnType<BySchema> => {
  const schemaOf = (ast: SchemaAST.AST) => Schema.make<Schema.Codec<unknown>>(ast)
  const decoder = (ast: SchemaAST.AST): Decode => {
    const plain = plainDecoder(ast)
    if (plain !== undefined) return plain
    const decode = bySchema(schemaOf(ast))
    return (value) => {
      const exit = decode(value)
      return Exit.isExit(exit) && exit._tag === "Success" ? exit.value : undecided
    }
  }

  const plainDecoder = (ast: SchemaAST.AST): Decode | undefined => {
    const value = valueDecoder(ast)
    const decode = value && withChecks(value, ast)
    if (decode === undefined || ast.encoding === undefined) return decode
    const [link, ...links] = ast.encoding
    // The decoded fields have the schemas of the wire, so they are checked once.
    if (OpenStruct.isWire(link.to)) {
      return links.length > 0 ? undefined : objectDecoder(link.to, decoder, gathers)
    }
    const encoded = plainDecoder(link.to)
    const transform = transformOf(link)
    if (encoded === undefined || transform === undefined || links.length > 0) return undefined
    return (value) => {
      const input = encoded(value)
      return input === undecided ? undecided : decode(transform(input))
    }
  }

  const valueDecoder = (ast: SchemaAST.AST): Decode | undefined => {
    if (SchemaAST.isAny(ast)) return identity
    if (SchemaAST.isUnion(ast)) return unionDecoder(ast, plainDecoder)
    if (SchemaAST.isObjects(ast)) return objectDecoder(ast, decoder, false)
    const accepts: Predicate.Predicate<unknown> | undefined = SchemaAST.isLiteral(ast)
      ? (value) => value === ast.literal
      : primitives[ast._tag]
    return accepts && ((value) => (accepts(value) ? value : undecided))
  }

  const decode = decoder(root)
  const decodeBySchema = bySchema(schemaOf(root))
  return (input) => {
    const value = decode(input)
    return value === undecided ? decodeBySchema(input) : Effect.succeed(value)
  }
}

const cached = (
  direction: Direction,
  bySchema: (options: Options | undefined) => BySchema
): ((options: Options | undefined) => (ast: SchemaAST.AST) => ReturnType<BySchema>) => {
  const first = memoize((ast: SchemaAST.AST) => make(ast, bySchema(undefined), direction))
  const all = memoize((ast: SchemaAST.AST) => make(ast, bySchema({ errors: "all" }), direction))
  return (options) => (options?.errors === "all" ? all : first)
}

const withChecks = (decode: Decode, ast: SchemaAST.AST): Decode | undefined => {
  if (ast.checks === undefined) return decode
  const checks = ast.checks.filter((check) => check._tag === "Filter")
  if (checks.length < ast.checks.length) return undefined
  return (value) => {
    const decoded = decode(value)
    for (const check of checks) {
      if (decoded === undecided || check.run(decoded, ast, {}) !== undefined) return undecided
    }
    return decoded
  }
}

/**
 * Returns the function of a transformation, if it has plain functions of present values both ways.
 */
const transformOf = ({ transformation }: SchemaAST.Link): Decode | undefined =>
  transformation._tag === "Transformation" &&
  transformation.decode._tag === "Transform" &&
  transformation.encode._tag === "Transform"
    ? transformation.decode.transform
    : undefined

const decoding: Direction = { transformOf, gathers: true }

const reencoding: Direction = { transformOf: () => undefined, gathers: false }

const decoders = /* @__PURE__ */ cached(
  decoding,
  (options) => (schema) => Schema.decodeUnknownEffect(schema, options)
)

const reencoders = /* @__PURE__ */ cached(reencoding, (options) => (schema) => {
  const decode = Schema.decodeUnknownEffect(schema, options)
  const encode = Schema.encodeEffect(schema)
  return (input) => Effect.flatMapEager(decode(input), encode)
})

const primitives: { readonly [Tag in SchemaAST.AST["_tag"]]?: Predicate.Predicate<unknown> } = {
  Null: Predicate.isNull,
  String: Predicate.isString,
  Number: Predicate.isNumber,
  Boolean: Predicate.isBoolean
}

/** All members must be plain: the one that encodes need not be the one that decoded. */
const unionDecoder = (
  { encodingChecks, options, types }: SchemaAST.Union,
  plainDecoder: (ast: SchemaAST.AST) => Decode | undefined
): Decode | undefined => {
  const members = types.map(plainDecoder).filter(Predicate.isNotUndefined)
  if (encodingChecks ?? options?.mode ?? members.length < types.length) return undefined
  return (value) => {
    for (const member of members) {
      const decoded = member(value)
      if (decoded !== undecided) return decoded
    }
    return undecided
  }
}

const objectDecoder = (
  ast: SchemaAST.Objects,
  decoder: (ast: SchemaAST.AST) => Decode,
  gathers: boolean
): Decode | undefined => {
  const { checks, encodingChecks, indexSignatures, propertySignatures } = ast
  const [index, ...indexes] = indexSignatures
  const isRecord = propertySignatures.length === 0
  const isKnown = index
    ? index.parameter === SchemaAST.string && (isRecord || SchemaAST.isAny(index.type))
    : !isRecord
  if (
    checks ??
    encodingChecks ??
    indexes[0] ??
    !(isKnown && propertySignatures.every(staysAbsent))
  ) {
    return undefined
  }
  const fields = propertySignatures.map(({ name, type }, place) => ({
    place,
    name,
    decode: decoder(type),
    isOptional: SchemaAST.isOptional(type)
  }))
  const byName = new Map(fields.map((field) => [field.name, field]))
  const decodeOther = index && decoder(index.type)
  return (value) => {
    if (!isPlainObject(value)) return undecided
    const decoded: Array<unknown> = []
    let others: Array<string> | undefined
    // A loop over the fields takes twice as long, since most are absent.
    for (const name in value) {
      const field = byName.get(name)
      if (field === undefined) {
        others ??= []
        others.push(name)
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
    if (decodeOther === undefined || others === undefined) return copy
    const target: Record<PropertyKey, unknown> = gathers ? {} : copy
    for (const name of others) {
      const result = decodeOther(value[name])
      // To set `__proto__` adds no key.
      if (result === undecided || name === "__proto__" || !Object.hasOwn(value, name)) {
        return undecided
      }
      target[name] = result
    }
    if (gathers) copy[OpenStruct.member] = target
    return copy
  }
}

/** The fields of a class may be inherited, so `Schema` decodes it. */
const isPlainObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  Predicate.isNotNullish(value) && Object.getPrototypeOf(value) === Object.prototype

/** False if `Schema` would find an inherited value, or a transformation can add one. */
const staysAbsent = ({ name, type }: Pick<SchemaAST.PropertySignature, "name" | "type">): boolean =>
  typeof name === "string" &&
  !(name in Object.prototype) &&
  !SchemaAST.isSuspend(type) &&
  (type.encoding ?? []).every(
    (link) =>
      transformOf(link) !== undefined &&
      SchemaAST.isOptional(type) === SchemaAST.isOptional(link.to) &&
      staysAbsent({ name, type: link.to })
  )
