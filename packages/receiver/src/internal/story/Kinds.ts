/** The names of kinds: of a transaction whose kind is not known, its method. */
import { type Kind, kindsOf } from "@pawl/core/Kind"

export const kinds: ReadonlyArray<Kind> = [...kindsOf.apm, ...kindsOf.card, "apm", "card"]

export const isKind = (text: string): text is Kind => kinds.some((kind) => kind === text)
