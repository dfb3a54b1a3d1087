/**
 * Schemas of objects that keep unknown fields, and of their text fields.
 */
import * as Schema from "effect/Schema"

/**
 * Makes the schema of an object that keeps unknown fields when it is decoded and encoded. A field that the
 * service adds later is therefore kept, and is no error. `identifier` is the name of the schema in `openapi.json`.
 */
export const openStruct = <const Fields extends Schema.Struct.Fields>(
  identifier: string,
  fields: Fields
) =>
  Schema.StructWithRest(Schema.Struct(fields), [
    Schema.Record(Schema.String, unknownField)
  ]).annotate({
    identifier
  })

// `Schema.Any`, because known fields are checked against this schema too, before their own. `Schema.Unknown`
// accepts only JSON, and a `Redacted` is not JSON. A check of the unknown keys alone would take twice as long as
// all other decoding.
const unknownField: Schema.Codec<unknown> = Schema.Any

/** Schema for text that may be absent or null. */
export const nullableText = Schema.optionalKey(Schema.NullOr(Schema.String))

/** Schema for text that may be absent. */
export const optionalText = Schema.optionalKey(Schema.String)

/** Makes the schema of redacted text that may be absent. */
export const secretText = (label: string) =>
  Schema.optionalKey(Schema.RedactedFromValue(Schema.String, { label }))

/**
 * The input of a create: the known fields of its request, so that a misspelt field is a type error. The computed
 * fields are left out, and the requestId is optional.
 */
export type Input<Request, Computed extends string = never> = Omit<
  Known<Request>,
  "requestId" | Computed
> & { readonly requestId?: string }

/** Removes the unknown fields of an object and its members. `metadata` and `apmPayload` stay open. */
type Known<T> = T extends object
  ? [KnownKey<T>] extends [never]
    ? T
    : {
        [Key in keyof T as string extends Key ? never : Key]: Key extends "apmPayload"
          ? T[Key]
          : Known<T[Key]>
      }
  : T

type KnownKey<T> = keyof { [Key in keyof T as string extends Key ? never : Key]: T[Key] }
