/**
 * Schemas of objects that keep unknown fields: on the wire beside the known ones, decoded under
 * `unknownFields`, so that a misspelt field is a type error.
 */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaTransformation from "effect/SchemaTransformation"

export interface UnknownFields {
  /**
   * Fields that the specification does not name, as the service sent them
   * (`docs/decisions/0008-undocumented-values.md`).
   */
  readonly unknownFields?: Readonly<Record<string, unknown>>
}

export interface OpenStruct<A, Encoded = object> extends Schema.Codec<A, Encoded> {
  readonly "~type.optionality": "required"
}

type FieldsOf<A> = {
  readonly [Name in Exclude<keyof A, "unknownFields">]-?: {} extends Pick<A, Name>
    ? FieldOf<Exclude<A[Name], undefined>, "optional">
    : FieldOf<A[Name], "required">
}
type FieldOf<A, Optionality> = Schema.Codec<A, unknown> & {
  readonly "~type.optionality": Optionality
}

/**
 * Makes the schema of an object with the members of an interface. `identifier` is its name in
 * `openapi.json`.
 */
export const openStructOf = <A extends UnknownFields>(
  identifier: string,
  fields: FieldsOf<A>
): OpenStruct<A> => Schema.make(gathered(identifier, fields as Schema.Struct.Fields))

export const openStruct = <const Fields extends Schema.Struct.Fields>(
  identifier: string,
  fields: Fields
): OpenStruct<Schema.Struct.Type<Fields> & UnknownFields, Schema.Struct.Encoded<Fields>> =>
  Schema.make(gathered(identifier, fields))

const gathered = (identifier: string, fields: Schema.Struct.Fields): SchemaAST.AST => {
  const known = Object.entries(fields).map(([name, field]) => [name, Schema.toType(field)] as const)
  const wire = Schema.StructWithRest(Schema.Struct(fields), [
    Schema.Record(Schema.String, anything)
  ]).annotate({ identifier, [wireOf]: true })
  const open = wire.pipe(
    Schema.decodeTo(
      Schema.Struct({
        ...Object.fromEntries(known),
        [member]: Schema.optionalKey(
          Schema.Record(Schema.String, anything).check(isUnknown(fields))
        )
      }),
      SchemaTransformation.transform({ decode: gather(fields), encode: spread })
    )
  )
  return open.annotate({ identifier }).ast
}

export const member = "unknownFields"

/**
 * Checks that unknown fields have one form: an empty member is absent, and none is a known field.
 */
const isUnknown = (fields: object) =>
  Schema.makeFilter(
    (unknown: Plain) => {
      const names = Object.keys(unknown)
      return names.length > 0 && names.every((name) => !Object.hasOwn(fields, name))
    },
    { expected: "fields that the specification does not name" }
  )

/** Marks the object on the wire for `Decoder`. */
const wireOf = "@pawl/core/OpenStruct/wire"

export const isWire = (ast: SchemaAST.AST): ast is SchemaAST.Objects =>
  ast.annotations?.[wireOf] === true

interface Plain {
  readonly [name: PropertyKey]: unknown
}

/** The entries keep an own `__proto__`. */
const gather =
  (fields: object) =>
  (value: Plain): Plain => {
    const entries = Object.entries(value)
    const unknown = entries.filter(([name]) => !Object.hasOwn(fields, name))
    return unknown.length === 0
      ? value
      : {
          ...Object.fromEntries(entries.filter(([name]) => Object.hasOwn(fields, name))),
          [member]: Object.fromEntries(unknown)
        }
  }

const spread = ({ [member]: unknown, ...known }: Plain): Plain =>
  unknown === undefined
    ? known
    : Object.fromEntries([...Object.entries(known), ...Object.entries(unknown as Plain)])

// Known fields are checked against this schema too, and `Schema.Unknown` accepts no `Redacted`. A
// check of the unknown keys alone would take twice as long as all other decoding.
const anything: Schema.Codec<unknown> = Schema.Any

export const nullableText = Schema.optionalKey(Schema.NullOr(Schema.String))

export const optionalText = Schema.optionalKey(Schema.String)

export const secretText = (label: string) =>
  Schema.optionalKey(Schema.RedactedFromValue(Schema.String, { label }))

/** A known text, which an editor completes, or any other. */
export type Open<Known extends string> = Known | (string & {})

export interface OpenText<A extends string> extends Schema.Codec<A, string> {
  readonly "~type.optionality": "required"
}
