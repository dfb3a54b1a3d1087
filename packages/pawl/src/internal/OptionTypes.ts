/**
 * Checks the names and the types of options that no compiler has checked.
 *
 * @since 0.1.0
 */
import * as Profile from "@pawl/core/Profile"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Struct from "effect/Struct"
import { InvalidConfig } from "@pawl/http/PawlConfig"

/** Returns what is wrong with an option. */
type Check = (
  name: string,
  value: unknown
) => { readonly setting: string; readonly advice: string } | undefined

const checkOf =
  (isValid: (value: unknown) => boolean, advice: string): Check =>
  (setting, value) =>
    isValid(value) ? undefined : { setting, advice }

const isText = (value: unknown): boolean => typeof value === "string"
const isNumber = (value: unknown): boolean => typeof value === "number"
const isFunction = (value: unknown): boolean => typeof value === "function"
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hasMethods = (value: unknown, names: ReadonlyArray<string>): boolean =>
  (isObject(value) || isFunction(value)) &&
  names.every((name) => isFunction(Reflect.get(value as object, name)))

const isHooks = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([name, hook]) =>
      /^on(?:Request|Response)$/u.test(name) && (hook === undefined || isFunction(hook))
  )

const object = checkOf(isObject, "give an object")

const checks = {
  text: checkOf(isText, "give a string"),
  number: checkOf(isNumber, "give a number"),
  time: checkOf(
    (value) => isText(value) || isNumber(value),
    "give milliseconds, or text such as 2 seconds"
  ),
  boolean: checkOf((value) => typeof value === "boolean", "give true or false"),
  count: checkOf((value) => Number.isSafeInteger(value) && Number(value) > 0, "give 1 or more"),
  place: checkOf(
    (value) => isObject(value) && isNumber(value["at"]),
    "give the place of the last one, with its at"
  ),
  function: checkOf(isFunction, "give a function"),
  object,
  hooks: checkOf(
    isHooks,
    "give an object with the functions onRequest and onResponse, or one of them"
  ),
  logger: checkOf(
    (value) => hasMethods(value, ["debug", "info", "warn", "error"]),
    "give an object with the methods debug, info, warn and error, such as console"
  ),
  signal: checkOf((value) => value instanceof AbortSignal, "give the signal of an AbortController"),
  schedule: checkOf(Schedule.isSchedule, "give a Schedule of effect"),
  dispatcher: checkOf(
    (value) => hasMethods(value, ["dispatch"]),
    "give an agent of undici 7 or newer"
  ),
  profile: (name, value) => {
    if (isText(value)) return undefined
    if (!isObject(value)) return { setting: name, advice: "give an object or the path of a file" }
    const advice = "@pawl/core/Profile has the switches and their values"
    const wrong = Profile.unusable(value)
    return wrong === undefined ? undefined : { setting: `${name}.${wrong}`, advice }
  },
  any: () => undefined,
  ignored: () => undefined
} satisfies Record<string, Check>

/** The options of each type, with a space between two. One of the type `ignored` may have any value. */
export type Names = { readonly [Type in keyof typeof checks]?: string | undefined }

/** Checks options. Fails with `InvalidConfig`, which names the option and never its value. */
export const check = Effect.fnUntraced(function* (
  options: unknown,
  names: Names,
  required?: string
): Effect.fn.Return<void, InvalidConfig> {
  if (!isObject(options)) {
    return yield* new InvalidConfig({ setting: "The argument", advice: "give an object" })
  }
  const all = Struct.keys(names).flatMap((type) =>
    (names[type] ?? "").split(" ").map((name) => ({ name, type }))
  )
  const given = Result.try(() => Object.entries(options))
  if (Result.isFailure(given)) {
    return yield* new InvalidConfig({ setting: "An option", advice: "give a readable value" })
  }
  const unknown = given.success.find(([option]) => !all.some(({ name }) => name === option))
  if (unknown !== undefined) {
    const [option] = unknown
    // A text in the wrong place may be a secret.
    const setting = /^[a-z_]{1,32}$/iu.test(option) ? option : "An option"
    const known = all.flatMap(({ name, type }) => (type === "ignored" ? [] : [name]))
    return yield* new InvalidConfig({ setting, advice: `the options are ${known.join(", ")}` })
  }
  const values = Object.fromEntries(given.success)
  for (const { name, type } of all) {
    const isGiven = values[name] !== undefined || name === required
    const fault = isGiven ? checks[type](name, values[name]) : undefined
    if (fault !== undefined) return yield* new InvalidConfig(fault)
  }
})
