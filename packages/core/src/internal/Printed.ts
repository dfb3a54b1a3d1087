import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

const inspect = Symbol.for("nodejs.util.inspect.custom")

/**
 * Makes the class of an error that prints as errors do. Effect prints the fields alone, under the path
 * of the module.
 */
export const printed =
  <Self>() =>
  <Name extends string, const Fields extends Schema.Struct.Fields>(
    name: Name,
    fields: Fields
  ): Schema.Class<
    Self,
    Schema.TaggedStruct<Name, Fields>,
    Cause.YieldableError & { readonly code: Name }
  > => {
    const base: object = Schema.TaggedError<Error>(`@pawl/core/${name}`)(name, fields)
    Object.defineProperties(Reflect.get(base, "prototype"), {
      name: { value: name, configurable: true, writable: true },
      // Programs without Effect tell errors apart by it.
      code: { value: name, configurable: true, writable: true },
      // Node prints an error without this method as an error.
      [inspect]: { value: undefined, configurable: true, writable: true },
      // Loggers print the result of this method.
      toJSON: { value: toJson, configurable: true, writable: true }
    })
    return base as never
  }

function toJson(this: Error): object {
  return { ...this, message: this.message, stack: this.stack }
}
