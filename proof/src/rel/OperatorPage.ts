/**
 * The problems on the operator's page, by the module of the page itself.
 */
import { createRequire } from "node:module"

export interface Overview {
  readonly backlog: { readonly due: number; readonly deadLetters: number } | null
  readonly reads: { readonly limit: number } | null
  readonly events: Readonly<Record<string, { readonly count: number }>>
  readonly failing: ReadonlyArray<{ readonly transactionId: string }>
}

const { problemsOf } = createRequire(import.meta.url)(
  "../../../packages/receiver/src/internal/page/problems.js"
) as {
  readonly problemsOf: (
    overview: Overview,
    parkedRequests: number
  ) => ReadonlyArray<{ readonly id: string }>
}

export const shows = (overview: Overview, ...problems: ReadonlyArray<string>): boolean =>
  problemsOf(overview, 0).some(({ id }) => problems.includes(id))
