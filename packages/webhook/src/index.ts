/**
 * Callback → change: takes the service's callbacks in, keeps them, and tells the truth in order.
 *
 * @since 0.1.0
 */
export * as Confirmer from "./Confirmer.ts"
export * as Journal from "./Journal.ts"
export * as Ledger from "./Ledger.ts"
export * as LedgerSql from "./LedgerSql.ts"
export * as Pipeline from "./Pipeline.ts"
export * as Receiver from "./Receiver.ts"
export * as Reconciler from "./Reconciler.ts"
export * as Verifier from "./Verifier.ts"
