/**
 * The kinds of transactions by which a person names one: while its kind is not known, it is its method.
 */
import { type Kind, kindsOf } from "@pawl/core/Kind"

export const kinds: ReadonlyArray<Kind> = [...kindsOf.apm, ...kindsOf.card, "apm", "card"]

/** Tells whether a text is a kind. */
export const isKind = (text: string): text is Kind => kinds.some((kind) => kind === text)
