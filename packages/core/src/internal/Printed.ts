/**
 * The printed form of the errors of a call: their short name, their message and the frame of the caller.
 */

/** The members of an error class that decide how it is printed. */
type ErrorClass = abstract new (...args: ReadonlyArray<never>) => Error

/** Node's `util.inspect` and Effect's loggers look for it. */
const inspect = Symbol.for("nodejs.util.inspect.custom")

/**
 * Makes a class of errors print as errors do: `Declined: Transaction …`, the stack, and the fields. Without it
 * Effect prints the fields alone, and the name has the path of the module.
 */
export const printed = <Class extends ErrorClass>(name: string, base: Class): Class => {
  Object.defineProperties(base.prototype, {
    name: { value: name, configurable: true, writable: true },
    // Node prints an error without this method as an error.
    [inspect]: { value: undefined, configurable: true, writable: true },
    // Loggers print the result of this method.
    toJSON: { value: toJson, configurable: true, writable: true }
  })
  return base
}

function toJson(this: Error): object {
  return { ...this, message: this.message, stack: this.stack }
}
