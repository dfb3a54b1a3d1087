/**
 * The problems that the operator's page of a receiver lists, by the module of the page itself.
 */
import { createRequire } from "node:module"

/** The parts of `GET /overview` that a run looks at. */
export interface Overview {
  readonly backlog: { readonly due: number; readonly deadLetters: number } | null
  readonly events: Readonly<Record<string, { readonly count: number }>>
  readonly failing: ReadonlyArray<{ readonly transactionId: string }>
}

// The modules of the page are served to browsers: no package exports them, and they have no declarations.
const { problemsOf } = createRequire(import.meta.url)(
  "../../../packages/receiver/src/internal/page/problems.js"
) as {
  readonly problemsOf: (
    overview: Overview,
    parkedRequests: number
  ) => ReadonlyArray<{ readonly id: string }>
}

/** Tells whether the page lists one of some problems. */
export const shows = (overview: Overview, ...problems: ReadonlyArray<string>): boolean =>
  problemsOf(overview, 0).some(({ id }) => problems.includes(id))
