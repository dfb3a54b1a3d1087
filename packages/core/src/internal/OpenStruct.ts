/**
 * Objects that keep what they do not know.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Makes the schema of an object that keeps unknown fields through decoding and encoding, so that what
 * the service adds later is neither lost nor an error. `identifier` names it in `openapi.json`.
 */
export const openStruct = <const Fields extends Schema.Struct.Fields>(
  identifier: string,
  fields: Fields
) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, kept)]).annotate({
    identifier
  })

// A known field has the last word, but comes by here as well: `Unknown` would have it be JSON, which a
// `Redacted` is not. Naming the other keys by a check costs twice as much as all of the rest.
const kept: Schema.Codec<unknown> = Schema.Any

/** A text that may be absent or null. */
export const nullableText = Schema.optionalKey(Schema.NullOr(Schema.String))

/** A text that may be absent. */
export const optionalText = Schema.optionalKey(Schema.String)

/** A text that reaches the service and no log. */
export const secretText = (label: string) =>
  Schema.optionalKey(Schema.RedactedFromValue(Schema.String, { label }))

/**
 * What callers write to create something: the known fields of its request, so that a misspelt one is a
 * type error, without what is computed, and without a requestId where it may be made.
 */
export type Input<Request, Computed extends string = never> = Omit<
  Known<Request>,
  "requestId" | Computed
> & { readonly requestId?: string }

/** Objects without known fields (metadata) stay open, and so does what depends on the method. */
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
