/** The log of `open`: a logger of the merchant, or stderr, because stdout belongs to the program. */
import * as Layer from "effect/Layer"
import * as Effects from "effect/Logger"
import { MinimumLogLevel } from "effect/References"
import * as Result from "effect/Result"
import type { Logger } from "./Options.ts"

export const layer = (logger: Logger | undefined): Layer.Layer<never> =>
  logger === undefined
    ? Layer.succeed(Effects.LogToStderr, true)
    : Layer.merge(
        isDebugging(logger) ? Layer.succeed(MinimumLogLevel, "Debug") : Layer.empty,
        Effects.layer([
          Effects.map(Effects.formatStructured, ({ annotations, cause, level, message }) => {
            const parts: ReadonlyArray<unknown> = [message].flat()
            const isText = (part: unknown) => typeof part !== "object" || part === null
            const fields: Record<string, unknown> = Object.assign(
              {},
              ...parts.filter((part) => !isText(part)),
              annotations,
              cause !== undefined && { cause }
            )
            const text = parts.filter(isText).join(": ") || String(fields["_tag"])
            const method = level.toLowerCase()
            const name = method in logger ? (method as keyof Logger) : "error"
            // A logger of pino takes the fields first, and drops them behind the message.
            const args = "bindings" in logger ? [fields, text] : [text, fields]
            // A logger that throws would end the work that logs, and one that rejects the process.
            Result.try(() =>
              Promise.resolve(Reflect.apply(logger[name], logger, args)).catch(ignored)
            )
          })
        ])
      )

interface Leveled extends Logger {
  readonly isLevelEnabled?: (level: string) => boolean
}

/** pino and winston have the function; console, which has none, would print every callback. */
const isDebugging = (logger: Leveled): boolean => logger.isLevelEnabled?.("debug") === true

const ignored = () => {}
