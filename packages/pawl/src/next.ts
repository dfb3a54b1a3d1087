/**
 * One `Pawl` in a process of Next, which loads modules several times.
 *
 * @since 0.1.0
 */
import type { Options } from "./internal/Options.ts"
import type { WebHandler } from "./internal/Doors.ts"
import { open, type Pawl } from "./Pawl.ts"

/**
 * One Pawl of a process, and its route handler.
 *
 * @category models
 * @since 0.1.0
 */
export interface OpenedOnce {
  /** Opens the Pawl with the first call. The call after one that rejects tries again. */
  readonly pawl: () => Promise<Pawl>
  /** Route handler of the callbacks, for `app/callback/route.ts`. */
  readonly POST: WebHandler
}

interface Kept {
  opened?: Promise<Pawl> | undefined
  options: Options
}

/**
 * Keeps one `Pawl` for each `merchantKey` in the process, however often Next loads the module.
 *
 * **Details**
 *
 * Loading the module opens nothing. `onChange` is that of the module that was loaded last; other
 * options need a restart.
 *
 * @category constructors
 * @since 0.1.0
 */
export const openOnce = (given: Options): OpenedOnce => {
  // `open` refuses the options of a program that gives none.
  const options: Options = { ...given }
  const key = Symbol.for(`pawl/next ${options.merchantKey ?? ""}`)
  const kept = ((globalThis as { [key: symbol]: Kept | undefined })[key] ??= { options })
  kept.options = options
  const onChange: Options["onChange"] =
    options.onChange && ((transition) => kept.options.onChange(transition))
  const pawl = () =>
    (kept.opened ??= open({ ...options, onChange }).catch((error: unknown) => {
      kept.opened = undefined
      throw error
    }))
  return { pawl, POST: (request) => pawl().then((opened) => opened.next()(request)) }
}
