type ErrorClass = abstract new (...args: ReadonlyArray<never>) => Error

/** A class whose errors have their tag as `code`, as the errors of Node have. */
// oxlint-disable-next-line typescript/no-explicit-any -- a class is mixed in by its type only with these parameters
type Coded<Name> = abstract new (...args: Array<any>) => { readonly code: Name }

const inspect = Symbol.for("nodejs.util.inspect.custom")

/**
 * Makes a class of errors print as errors do. Effect prints the fields alone, under the path of the
 * module.
 */
export const printed = <Name extends string, Class extends ErrorClass>(
  name: Name,
  base: Class
): Class & Coded<Name> => {
  Object.defineProperties(base.prototype, {
    name: { value: name, configurable: true, writable: true },
    // Programs without Effect tell errors apart by it.
    code: { value: name, configurable: true, writable: true },
    // Node prints an error without this method as an error.
    [inspect]: { value: undefined, configurable: true, writable: true },
    // Loggers print the result of this method.
    toJSON: { value: toJson, configurable: true, writable: true }
  })
  return base as Class & Coded<Name>
}

function toJson(this: Error): object {
  return { ...this, message: this.message, stack: this.stack }
}
